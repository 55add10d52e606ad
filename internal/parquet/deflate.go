package parquet

import (
	"encoding/binary"
	"errors"
)

// An inflater decompresses DEFLATE data (RFC 1951) whole: all of the input is
// at hand and the size of the output is known, as for the pages of a Parquet
// file. That spares the window, the states and the calls per byte of a
// streaming decompressor. Input bits are held in a word that is refilled by
// eight bytes at a time; tables give a symbol with its base value and extra
// bits in one look-up.
//
// The output is always written within dst: slices are checked by the language,
// and the fast loop stops short of either end.
type inflater struct {
	lit  [litEntries]uint32
	dist [distEntries]uint32
	lens [maxLitCodes + maxDistCodes]uint8
}

// Sizes of tables: the first level is indexed by tableBits bits; the rest is
// for second levels, of which complete codes need no more than this.
const (
	litBits     = 11
	litEntries  = 4096 // 2342 are needed
	distBits    = 8
	distEntries = 512 // 402 are needed
	codeBits    = 7

	maxLitCodes  = 288
	maxDistCodes = 32
	maxCodeLen   = 15
)

// A table entry holds in its lowest byte how many bits to consume, extra bits
// included; in the next one how many of these are the codeword; above that the
// literal, the base of a length or distance, or where the second level begins.
const (
	entryLiteral = 1 << 31 // literal (of the literal table only)
	entrySpecial = 1 << 30 // second level, end of block, or no code at all
	entryEnd     = 1 << 29 // end of block
	entryBad     = 1 << 28 // no codeword leads here
	entryBase    = 0x0fff  // after a shift by 16: values of the literal table
	distSpecial  = 1 << 31
	distBad      = 1 << 30
	distBase     = 0x7fff
)

var errDeflate = errors.New("deflate: malformed data")

// litSymbols and distSymbols are entries without codeword lengths.
var litSymbols, distSymbols = symbolEntries()

func symbolEntries() (lit [maxLitCodes]uint32, dist [maxDistCodes]uint32) {
	for i := range 256 {
		lit[i] = entryLiteral | uint32(i)<<16
	}
	lit[256] = entrySpecial | entryEnd
	base := uint32(3)
	for i := range 28 {
		extra := uint32(max(0, i/4-1))
		lit[257+i] = base<<16 | extra
		base += 1 << extra
	}
	lit[285] = 258 << 16
	lit[286], lit[287] = entrySpecial|entryBad, entrySpecial|entryBad
	base = 1
	for i := range 30 {
		extra := uint32(max(0, i/2-1))
		dist[i] = base<<16 | extra
		base += 1 << extra
	}
	dist[30], dist[31] = distSpecial|distBad, distSpecial|distBad
	return lit, dist
}

// bitReader is the input: bits counts those in buf; past counts zero bytes
// made up behind the end of src.
type bitReader struct {
	src  []byte
	pos  int
	buf  uint64
	bits uint
	past int
}

// refill makes at least 56 bits available.
func (b *bitReader) refill() {
	if b.pos+8 <= len(b.src) {
		b.buf |= binary.LittleEndian.Uint64(b.src[b.pos:]) << (b.bits & 63)
		b.pos += int((63 - b.bits) >> 3)
		b.bits |= 56
		return
	}
	for b.bits < 56 {
		if b.pos < len(b.src) {
			b.buf |= uint64(b.src[b.pos]) << b.bits
			b.pos++
		} else {
			b.past++
		}
		b.bits += 8
	}
}

func (b *bitReader) take(n uint) uint32 {
	v := uint32(b.buf & (1<<n - 1))
	b.buf >>= n
	b.bits -= n
	return v
}

// align gives the bytes that are not consumed, beginning at a whole byte.
func (b *bitReader) align() ([]byte, error) {
	whole := int(b.bits / 8)
	if b.past > whole {
		return nil, errDeflate
	}
	b.pos -= whole - b.past
	b.buf, b.bits, b.past = 0, 0, 0
	return b.src[b.pos:], nil
}

// inflate fills dst up to the end of the stream and gives how much of dst and
// of src that took.
func (z *inflater) inflate(dst, src []byte) (n, used int, err error) {
	b := bitReader{src: src}
	for final := false; !final; {
		b.refill()
		final = b.take(1) == 1
		switch b.take(2) {
		case 0:
			n, err = stored(dst, n, &b)
		case 1:
			z.fixedTables()
			n, err = z.block(dst, n, &b)
		case 2:
			if err = z.dynamicTables(&b); err == nil {
				n, err = z.block(dst, n, &b)
			}
		default:
			err = errDeflate
		}
		if err != nil {
			return n, 0, err
		}
	}
	rest, err := b.align()
	return n, len(src) - len(rest), err
}

func stored(dst []byte, n int, b *bitReader) (int, error) {
	rest, err := b.align()
	if err != nil || len(rest) < 4 {
		return n, errDeflate
	}
	size := int(binary.LittleEndian.Uint16(rest))
	if size != int(^binary.LittleEndian.Uint16(rest[2:])) || size > len(rest)-4 || size > len(dst)-n {
		return n, errDeflate
	}
	b.pos += 4 + size
	return n + copy(dst[n:], rest[4:4+size]), nil
}

func (z *inflater) fixedTables() {
	for i := range maxLitCodes {
		switch {
		case i < 144:
			z.lens[i] = 8
		case i < 256:
			z.lens[i] = 9
		case i < 280:
			z.lens[i] = 7
		default:
			z.lens[i] = 8
		}
	}
	for i := range maxDistCodes {
		z.lens[maxLitCodes+i] = 5
	}
	// Both codes are complete, so this cannot fail.
	_ = buildTable(z.lit[:], litBits, z.lens[:maxLitCodes], litSymbols[:], entrySpecial, entrySpecial|entryBad)
	_ = buildTable(z.dist[:], distBits, z.lens[maxLitCodes:], distSymbols[:], distSpecial, distSpecial|distBad)
}

// codeOrder is the order in which lengths of the code of code lengths stand.
var codeOrder = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// dynamicTables reads the codes at the start of a block.
func (z *inflater) dynamicTables(b *bitReader) error {
	b.refill()
	lits, dists, codes := int(b.take(5))+257, int(b.take(5))+1, int(b.take(4))+4
	var lens [19]uint8
	for _, c := range codeOrder[:codes] {
		if b.bits < 3 {
			b.refill()
		}
		lens[c] = uint8(b.take(3))
	}
	var symbols [19]uint32
	for i := range symbols {
		symbols[i] = uint32(i) << 16
	}
	var table [1 << codeBits]uint32
	if err := buildTable(table[:], codeBits, lens[:], symbols[:], entrySpecial, entrySpecial|entryBad); err != nil {
		return err
	}
	if err := z.readLengths(b, &table, lits+dists); err != nil {
		return err
	}
	if lits > maxLitCodes-2 || z.lens[256] == 0 {
		return errDeflate
	}
	if err := buildTable(z.lit[:], litBits, z.lens[:lits], litSymbols[:], entrySpecial, entrySpecial|entryBad); err != nil {
		return err
	}
	return buildTable(z.dist[:], distBits, z.lens[lits:lits+dists], distSymbols[:], distSpecial, distSpecial|distBad)
}

// readLengths decodes n code lengths to lens.
func (z *inflater) readLengths(b *bitReader, table *[1 << codeBits]uint32, n int) error {
	for i := 0; i < n; {
		b.refill()
		e := table[b.buf&(1<<codeBits-1)]
		if e&entrySpecial != 0 {
			return errDeflate
		}
		b.take(uint(e & 0xff))
		value, times := uint8(0), 1
		switch sym := e >> 16; sym {
		case 16:
			if i == 0 {
				return errDeflate
			}
			value, times = z.lens[i-1], 3+int(b.take(2))
		case 17:
			times = 3 + int(b.take(3))
		case 18:
			times = 11 + int(b.take(7))
		default:
			value = uint8(sym)
		}
		if times > n-i {
			return errDeflate
		}
		for ; times > 0; times-- {
			z.lens[i] = value
			i++
		}
	}
	return nil
}

// buildTable makes the look-up table of a canonical Huffman code out of the
// lengths of its codewords.
func buildTable(table []uint32, tableBits uint, lens []uint8, symbols []uint32, second, bad uint32) error {
	var count, next [maxCodeLen + 2]int
	for _, l := range lens {
		count[l]++
	}
	count[0] = 0
	space := 1 << maxCodeLen // what the codewords leave free of all codes
	for l := 1; l <= maxCodeLen; l++ {
		next[l+1] = next[l] + count[l]
		space -= count[l] << (maxCodeLen - l)
	}
	if space < 0 {
		return errDeflate
	}
	if space > 0 {
		// An incomplete code, such as that of a single distance.
		for i := range table {
			table[i] = bad
		}
	}
	var sorted [maxLitCodes]uint16
	total := next[maxCodeLen+1]
	for sym, l := range lens {
		if l > 0 {
			sorted[next[l]] = uint16(sym)
			next[l]++
		}
	}
	return fillTable(table, tableBits, sorted[:total], lens, symbols, second, &count)
}

// fillTable enters the symbols, sorted by the lengths of their codewords.
// Codewords are read from the lowest bit on, so they stand reversed in code.
func fillTable(table []uint32, tableBits uint, sorted []uint16, lens []uint8, symbols []uint32, second uint32, count *[maxCodeLen + 2]int) error {
	code := uint(0)
	prefix, start, subBits := ^uint(0), 0, uint(0)
	end := 1 << tableBits
	for _, sym := range sorted {
		l := uint(lens[sym])
		e := symbols[sym]
		if l <= tableBits {
			e += uint32(l)<<8 | uint32(l)
			for i := code; i < 1<<tableBits; i += 1 << l {
				table[i] = e
			}
		} else {
			if p := code & (1<<tableBits - 1); p != prefix {
				prefix, start = p, end
				subBits = secondBits(l, tableBits, count)
				if end += 1 << subBits; end > len(table) {
					return errDeflate
				}
				table[p] = second | uint32(start)<<16 | uint32(subBits)<<8 | uint32(tableBits)
			}
			e += uint32(l-tableBits)<<8 | uint32(l-tableBits)
			for i := code >> tableBits; i < 1<<subBits; i += 1 << (l - tableBits) {
				table[start+int(i)] = e
			}
		}
		count[l]--
		code = nextCode(code, l)
	}
	return nil
}

// nextCode adds one to a reversed codeword of l bits; the next codeword may be
// longer, which appends zeros at its other end, the top.
func nextCode(code, l uint) uint {
	top := uint(1) << (l - 1)
	for code&top != 0 {
		code ^= top
		top >>= 1
	}
	return code | top
}

// secondBits gives the size of the second level for the codewords that share
// the prefix of the next one: as many bits as the longest of them has beyond
// the first level.
func secondBits(l, tableBits uint, count *[maxCodeLen + 2]int) uint {
	n := l - tableBits
	left := 1 << n
	for n+tableBits < maxCodeLen {
		left -= count[n+tableBits]
		if left <= 0 {
			break
		}
		n++
		left <<= 1
	}
	return n
}

// block decodes the symbols of a block, first by the fast loop, near the ends
// of input and output one by one.
func (z *inflater) block(dst []byte, n int, b *bitReader) (int, error) {
	n, done, err := z.fast(dst, n, b)
	for !done && err == nil {
		b.refill()
		if b.past > 16 {
			return n, errDeflate
		}
		e := z.lit[b.buf&(1<<litBits-1)]
		if e&entrySpecial != 0 && e&(entryEnd|entryBad) == 0 {
			b.take(litBits)
			e = z.lit[(uint64(e>>16&entryBase)+b.buf&(1<<(e>>8&15)-1))&(litEntries-1)]
		}
		switch {
		case e&entryLiteral != 0:
			b.take(uint(e & 0xff))
			if n == len(dst) {
				return n, errDeflate
			}
			dst[n] = byte(e >> 16)
			n++
		case e&entrySpecial != 0:
			b.take(uint(e & 0xff))
			if e&entryBad != 0 {
				return n, errDeflate
			}
			done = true
		default:
			n, err = z.match(dst, n, b, e)
		}
	}
	return n, err
}

// match copies the earlier bytes that a length entry and what follows name.
func (z *inflater) match(dst []byte, n int, b *bitReader, e uint32) (int, error) {
	size := int(e>>16&entryBase) + int(b.take(uint(e&0xff))>>(e>>8&0xff))
	b.refill()
	d := z.dist[b.buf&(1<<distBits-1)]
	if d&distSpecial != 0 && d&distBad == 0 {
		b.take(distBits)
		d = z.dist[(uint64(d>>16&distBase)+b.buf&(1<<(d>>8&15)-1))&(distEntries-1)]
	}
	if d&distSpecial != 0 {
		return n, errDeflate
	}
	back := int(d>>16&distBase) + int(b.take(uint(d&0xff))>>(d>>8&0xff))
	if back > n || size > len(dst)-n {
		return n, errDeflate
	}
	for end := n + size; n < end; n++ {
		dst[n] = dst[n-back]
	}
	return n, nil
}
