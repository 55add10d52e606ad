package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
)

// values decodes the values of one page, whichever encoding they have. Nulls
// have no values.
type values struct {
	leaf   *leaf
	enc    int32
	count  int    // of the page, nulls included: no more values than that
	data   []byte // what is left of plain values and strings; all of a split page
	at     int    // next value: plain booleans and split pages
	runs   hybrid // dictionary indices and run-length booleans
	dict   *dictionary
	ints   delta // integers, suffix lengths of strings
	prefix delta // shared prefix lengths of strings
	last   []byte
	idx    [1024]uint32
	wide   [512]int64
	cells  []byte // values in the file's width, before conversion
}

// reset begins a page.
func (v *values) reset(pg page, dict *dictionary, hasDict bool) error {
	v.enc, v.count, v.data, v.at, v.dict = pg.encoding, pg.values, pg.data, 0, dict
	switch pg.encoding {
	case encPlain:
		return nil
	case encPlainDictionary, encRLEDictionary:
		return v.resetIndices(hasDict)
	case encRLE:
		if v.leaf.physical == Boolean {
			if len(pg.data) < 4 {
				return v.noValues()
			}
			v.runs.reset(pg.data[4:], 1)
			return nil
		}
	case encDeltaBinaryPacked:
		if v.leaf.physical == Int32 || v.leaf.physical == Int64 {
			if len(pg.data) == 0 {
				return v.noValues()
			}
			return v.ints.reset(pg.data, v.leaf.physical == Int32)
		}
	case encDeltaLengthByteArray, encDeltaByteArray:
		if v.leaf.physical == ByteArray || (v.leaf.physical == FixedLenByteArray && pg.encoding == encDeltaByteArray) {
			if len(pg.data) == 0 {
				return v.noValues()
			}
			return v.resetDeltaStrings()
		}
	case encByteStreamSplit:
		if w := physicalWidth(v.leaf); w > 0 && v.leaf.physical != Int96 {
			v.count = len(pg.data) / w
			return nil
		}
	}
	return fmt.Errorf("%w: encoding %d of %v", ErrUnsupported, pg.encoding, v.leaf.physical)
}

// noValues is for pages of nulls only, from which writers may leave out all
// data: any value asked for is an error.
func (v *values) noValues() error {
	v.enc, v.data = encPlain, nil
	return nil
}

func (v *values) resetIndices(hasDict bool) error {
	if len(v.data) == 0 {
		return v.noValues()
	}
	if !hasDict {
		return fmt.Errorf("%w: page of indices without a dictionary", ErrCorrupt)
	}
	if v.data[0] > 32 {
		return fmt.Errorf("%w: indices of %d bits", ErrCorrupt, v.data[0])
	}
	v.enc = encRLEDictionary
	v.runs.reset(v.data[1:], v.data[0])
	return nil
}

func (v *values) resetDeltaStrings() error {
	data := v.data
	var err error
	v.last = v.last[:0]
	if v.enc == encDeltaByteArray {
		if err = v.prefix.reset(data, true); err != nil {
			return err
		}
		ahead := v.prefix
		if data, err = ahead.end(); err != nil {
			return err
		}
	}
	if err = v.ints.reset(data, true); err != nil {
		return err
	}
	ahead := v.ints
	v.data, err = ahead.end()
	return err
}

// fixed decodes n values of fixed width.
func (v *values) fixed(dst []byte, n int) error {
	switch v.enc {
	case encPlain:
		rest, err := plainFixed(v.leaf, dst, v.data, n)
		v.data = rest
		return err
	case encRLEDictionary:
		return v.fixedIndices(dst, n)
	case encDeltaBinaryPacked:
		return v.fixedDelta(dst, n)
	case encByteStreamSplit:
		return v.fixedSplit(dst, n)
	}
	return v.fixedStrings(dst, n)
}

func (v *values) fixedIndices(dst []byte, n int) error {
	w := v.leaf.width
	for n > 0 {
		if err := v.runs.run(); err != nil {
			return err
		}
		k := min(n, v.runs.left)
		var err error
		if v.runs.isRLE {
			err = v.dict.repeat(dst[:k*w], v.runs.value)
			v.runs.left -= k
		} else {
			k = min(k, len(v.idx))
			if err = v.runs.decode(v.idx[:k]); err == nil {
				err = v.dict.gather(dst[:k*w], v.idx[:k])
			}
		}
		if err != nil {
			return err
		}
		dst = dst[k*w:]
		n -= k
	}
	return nil
}

func (v *values) fixedDelta(dst []byte, n int) error {
	w := v.leaf.width
	le := binary.LittleEndian
	for n > 0 {
		k := min(n, len(v.wide))
		wide := v.wide[:k]
		if err := v.ints.decode(wide); err != nil {
			return err
		}
		switch w {
		case 1:
			for i, x := range wide {
				dst[i] = byte(x)
			}
		case 2:
			for i, x := range wide {
				le.PutUint16(dst[2*i:], uint16(x))
			}
		case 4:
			for i, x := range wide {
				le.PutUint32(dst[4*i:], uint32(x))
			}
		case 8:
			for i, x := range wide {
				le.PutUint64(dst[8*i:], uint64(x))
			}
		default:
			for i, x := range wide {
				widen(dst[i*w:(i+1)*w], x)
			}
		}
		dst = dst[k*w:]
		n -= k
	}
	return nil
}

// fixedSplit puts together values whose bytes stand apart, all first ones in
// front of all second ones.
func (v *values) fixedSplit(dst []byte, n int) error {
	if n > v.count-v.at {
		return errShortPage
	}
	w := physicalWidth(v.leaf)
	cells := dst
	if v.leaf.conv != convCopy {
		v.cells = grow(v.cells, n*w)
		cells = v.cells
	}
	for b := range w {
		stream := v.data[b*v.count+v.at:][:n]
		for i, x := range stream {
			cells[i*w+b] = x
		}
	}
	v.at += n
	if v.leaf.conv != convCopy {
		convertFixed(v.leaf, dst, cells, n)
	}
	return nil
}

// fixedStrings decodes values of fixed width out of delta-encoded strings.
func (v *values) fixedStrings(dst []byte, n int) error {
	l := v.leaf
	for i := range n {
		b, err := v.nextDeltaString()
		if err != nil {
			return err
		}
		cell := dst[i*l.width : (i+1)*l.width]
		switch {
		case l.conv == convBigVar:
			if err := bigVar(cell, b); err != nil {
				return err
			}
		case len(b) != l.length:
			return fmt.Errorf("%w: value of %d bytes in a column of %d", ErrCorrupt, len(b), l.length)
		default:
			convertFixed(l, cell, b, 1)
		}
	}
	return nil
}

// nextDeltaString decodes one string of the two delta encodings, valid until
// the next call.
func (v *values) nextDeltaString() ([]byte, error) {
	var size, shared [1]int64
	if err := v.ints.decode(size[:]); err != nil {
		return nil, err
	}
	if v.enc == encDeltaByteArray {
		if err := v.prefix.decode(shared[:]); err != nil {
			return nil, err
		}
	}
	if size[0] < 0 || size[0] > int64(len(v.data)) || shared[0] < 0 || shared[0] > int64(len(v.last)) {
		return nil, errDelta
	}
	suffix := v.data[:size[0]]
	v.data = v.data[size[0]:]
	if v.enc != encDeltaByteArray {
		return suffix, nil
	}
	v.last = append(v.last[:shared[0]], suffix...)
	return v.last, nil
}

// bits decodes n booleans to a bitmap at bit off.
func (v *values) bits(dst []byte, off, n int) error {
	switch v.enc {
	case encPlain:
		if v.at+n > len(v.data)*8 {
			return errShortPage
		}
		copyBits(dst, off, v.data, v.at, n)
		v.at += n
		return nil
	case encRLE:
		_, err := v.runs.bitmap(dst, off, n)
		return err
	}
	return fmt.Errorf("%w: encoding %d of %v", ErrUnsupported, v.enc, v.leaf.physical)
}

// skip passes over n values.
func (v *values) skip(n int) (err error) {
	switch v.enc {
	case encPlain:
		w := physicalWidth(v.leaf)
		switch {
		case v.leaf.physical == Boolean:
			v.at += n
		case w == 0:
			v.data, err = skipPlainStrings(v.data, n)
		case n*w > len(v.data):
			return errShortPage
		default:
			v.data = v.data[n*w:]
		}
	case encRLEDictionary, encRLE:
		return v.runs.skip(n)
	case encByteStreamSplit:
		v.at += n
	case encDeltaBinaryPacked:
		for ; n > 0 && err == nil; n -= min(n, len(v.wide)) {
			err = v.ints.decode(v.wide[:min(n, len(v.wide))])
		}
	default:
		for ; n > 0 && err == nil; n-- {
			_, err = v.nextDeltaString()
		}
	}
	return err
}

// grow gives b with a length of n, its contents lost.
func grow(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// maxStrings is the most bytes of strings that an Arrow array with 32-bit
// offsets can hold.
const maxStrings = math.MaxInt32
