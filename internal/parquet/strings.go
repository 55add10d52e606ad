package parquet

import (
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/batch"
)

// stringBytes collects the bytes of an array of strings. Behind the used part
// there are always at least stringPadding bytes of room, so that short strings
// can be copied as two words.
type stringBytes struct {
	mem  memory.Allocator
	buf  *memory.Buffer
	used int
	last int // bytes of the array before
}

var errWide = fmt.Errorf("%w: more than 2 GB of strings in one batch: read with a smaller batch size", ErrUnsupported)

// reserve makes room for n more bytes and gives all of the buffer.
func (s *stringBytes) reserve(n int) ([]byte, error) {
	if s.buf == nil {
		// Batches resemble one another.
		s.buf = batch.NewBuffer(s.mem, max(1<<10, min(s.last+s.last/16, batchStrings))+stringPadding)
	}
	need := s.used + n + stringPadding
	if need-stringPadding > maxStrings {
		return nil, errWide
	}
	if need > s.buf.Len() {
		s.buf.Resize(max(need, s.buf.Len()+s.buf.Len()/2))
	}
	return s.buf.Bytes(), nil
}

// take gives the buffer cut to its used length.
func (s *stringBytes) take() *memory.Buffer {
	b := s.buf
	if b == nil {
		b = memory.NewResizableBuffer(s.mem)
	}
	b.ResizeNoShrink(s.used)
	s.buf, s.used, s.last = nil, 0, s.used
	return b
}

// strings decodes len(ends) strings; ends takes the place in out where each
// ends.
func (v *values) strings(out *stringBytes, ends []int32) error {
	switch v.enc {
	case encPlain:
		return v.plainStrings(out, ends)
	case encRLEDictionary:
		return v.indexedStrings(out, ends)
	case encDeltaLengthByteArray, encDeltaByteArray:
		return v.deltaStrings(out, ends)
	}
	return fmt.Errorf("%w: encoding %d of %v", ErrUnsupported, v.enc, v.leaf.physical)
}

func (v *values) plainStrings(out *stringBytes, ends []int32) error {
	src := v.data
	dst, err := out.reserve(0)
	if err != nil {
		return err
	}
	used := out.used
	le := binary.LittleEndian
	for i := range ends {
		if len(src) < 4 {
			return errShortPage
		}
		n := int(le.Uint32(src))
		src = src[4:]
		if n > len(src) {
			return errShortPage
		}
		if used+n+stringPadding > len(dst) {
			out.used = used
			// Most often what is left of the page comes in as well.
			if dst, err = out.reserve(n + min(len(src), 32*len(ends))); err != nil {
				return err
			}
		}
		if n <= 16 && len(src) >= 16 {
			d := dst[used : used+16]
			le.PutUint64(d, le.Uint64(src))
			le.PutUint64(d[8:], le.Uint64(src[8:]))
		} else {
			copy(dst[used:], src[:n])
		}
		used += n
		src = src[n:]
		ends[i] = int32(used)
	}
	out.used, v.data = used, src
	return nil
}

func (v *values) indexedStrings(out *stringBytes, ends []int32) error {
	for len(ends) > 0 {
		if err := v.runs.run(); err != nil {
			return err
		}
		k := min(len(ends), v.runs.left)
		var err error
		if v.runs.isRLE {
			err = v.dict.repeatString(out, ends[:k], v.runs.value)
			v.runs.left -= k
		} else {
			k = min(k, len(v.idx))
			if err = v.runs.decode(v.idx[:k]); err == nil {
				err = v.dict.gatherStrings(out, ends[:k], v.idx[:k])
			}
		}
		if err != nil {
			return err
		}
		ends = ends[k:]
	}
	return nil
}

func (d *dictionary) gatherStrings(out *stringBytes, ends []int32, idx []uint32) error {
	dst, err := out.reserve(0)
	if err != nil {
		return err
	}
	used := out.used
	offsets, src := d.offsets, d.bytes
	ends = ends[:len(idx)]
	le := binary.LittleEndian
	for i, x := range idx {
		if int(x) >= len(offsets)-1 {
			return errIndex
		}
		from := int(offsets[x])
		n := int(offsets[x+1]) - from
		if used+n+stringPadding > len(dst) {
			out.used = used
			if dst, err = out.reserve(n + min(n*(len(idx)-i)/2, 1<<20)); err != nil {
				return err
			}
		}
		if n <= 16 {
			s, d := src[from:from+16], dst[used:used+16]
			le.PutUint64(d, le.Uint64(s))
			le.PutUint64(d[8:], le.Uint64(s[8:]))
		} else {
			copy(dst[used:], src[from:from+n])
		}
		used += n
		ends[i] = int32(used)
	}
	out.used = used
	return nil
}

func (d *dictionary) repeatString(out *stringBytes, ends []int32, x uint32) error {
	if int(x) >= d.n {
		return errIndex
	}
	s := d.bytes[d.offsets[x]:d.offsets[x+1]]
	if len(s) > maxStrings/len(ends) {
		return errWide
	}
	all := len(s) * len(ends)
	dst, err := out.reserve(all)
	if err != nil {
		return err
	}
	dst = dst[out.used : out.used+all]
	for n := copy(dst, s); n < all; {
		n += copy(dst[n:], dst[:n])
	}
	end := int32(out.used)
	for i := range ends {
		end += int32(len(s))
		ends[i] = end
	}
	out.used += all
	return nil
}

func (v *values) deltaStrings(out *stringBytes, ends []int32) error {
	for i := range ends {
		b, err := v.nextDeltaString()
		if err != nil {
			return err
		}
		dst, err := out.reserve(len(b))
		if err != nil {
			return err
		}
		out.used += copy(dst[out.used:], b)
		ends[i] = int32(out.used)
	}
	return nil
}
