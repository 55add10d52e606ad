package hudilog

import (
	"encoding/binary"
	"math"
)

// An OrderingKind tells what an [OrderingValue] holds.
type OrderingKind uint8

// Kinds of ordering values, and where the value is.
const (
	OrderingNull            OrderingKind = iota
	OrderingBool                         // I64: 0 or 1
	OrderingInt                          // I64
	OrderingLong                         // I64
	OrderingFloat                        // F64
	OrderingDouble                       // F64
	OrderingBytes                        // Str
	OrderingString                       // Str
	OrderingDate                         // I64: days since 1970
	OrderingDecimal                      // Str: unscaled value of scale 15, two's complement, big-endian
	OrderingTimeMicros                   // I64
	OrderingTimestampMicros              // I64
	OrderingLocalDate                    // I64: days since 1970
	OrderingArray                        // List: one value for each ordering field
)

// DecimalScale is the scale of every [OrderingDecimal].
const DecimalScale = 15

// An OrderingValue is the ordering value of a delete.
type OrderingValue struct {
	Kind OrderingKind
	I64  int64
	F64  float64
	Str  string
	List []OrderingValue
}

// IsDefault tells whether the delete was written without an ordering value:
// null, or the Int 0 that stands for "none".
func (v OrderingValue) IsDefault() bool {
	return v.Kind == OrderingNull || v.Kind == OrderingInt && v.I64 == 0
}

// A DeleteList is the content of a delete block.
type DeleteList struct {
	Keys     []string // record keys; "" where the writer gave none (positions only)
	Ordering []OrderingValue
}

// Deletes decodes the content of a delete block.
func Deletes(content []byte) (*DeleteList, error) {
	list := &DeleteList{}
	err := VisitDeletes(content, func(key string, v *OrderingValue) {
		list.Keys = append(list.Keys, key)
		list.Ordering = append(list.Ordering, *v)
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// VisitDeletes calls visit for each delete of a delete block, in order. The
// ordering value is good during the call. A fault may come to light after some
// calls.
func VisitDeletes(content []byte, visit func(key string, v *OrderingValue)) error {
	if len(content) < 8 {
		return corruptf("delete block of %d bytes", len(content))
	}
	version := int32(binary.BigEndian.Uint32(content))
	size := int64(int32(binary.BigEndian.Uint32(content[4:])))
	switch {
	case version == 1 || version == 2:
		return unsupportedf("delete block of content version %d, written by Hudi before 0.13.1; run a compaction of the table first", version)
	case version != maxContentVersion:
		return unsupportedf("delete block of content version %d", version)
	case size < 0 || size > int64(len(content)-8):
		return corruptf("delete block: %d bytes in %d", size, len(content)-8)
	}
	// All texts are parts of one string.
	r := deleteReader{rest: string(content[8 : 8+size])}
	var value OrderingValue
	for n := r.items(); n > 0; n = r.items() {
		for range n {
			key := r.optionalString()
			r.optionalString() // the partition is that of the file
			value = r.orderingValue(true)
			if r.err != nil {
				return r.err
			}
			visit(key, &value)
		}
	}
	if len(r.rest) > 0 {
		r.fail("bytes are left at the end")
	}
	return r.err
}

// A deleteReader reads the Avro form of a list of deletes, whose schema is
// fixed. The first fault is kept.
type deleteReader struct {
	rest string
	err  error
}

func (r *deleteReader) fail(what string) {
	if r.err == nil {
		r.err = corruptf("delete block: %s", what)
	}
	r.rest = ""
}

func (r *deleteReader) long() int64 {
	var v uint64
	for i := 0; i < len(r.rest) && i < binary.MaxVarintLen64; i++ {
		b := r.rest[i]
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			r.rest = r.rest[i+1:]
			return int64(v>>1) ^ -int64(v&1)
		}
	}
	r.fail("cut off")
	return 0
}

func (r *deleteReader) take(n int64) string {
	if n < 0 || n > int64(len(r.rest)) {
		r.fail("length does not fit")
		return ""
	}
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return s
}

// items reads the head of the next block of an array, 0 at its end. Each item
// takes a byte at least.
func (r *deleteReader) items() int64 {
	n := r.long()
	if n < 0 {
		n = -n
		r.long() // length in bytes
	}
	if n < 0 || n > int64(len(r.rest)) {
		r.fail("length does not fit")
		return 0
	}
	return n
}

func (r *deleteReader) optionalString() string {
	switch r.long() {
	case 0:
		return ""
	case 1:
		return r.take(r.long())
	}
	r.fail("no such union branch")
	return ""
}

// Branches of the union of ordering values beyond those that are numbered as
// the kinds are. The last means an array, or within an array a local date.
const (
	branchTimestampMicros = int64(OrderingTimestampMicros)
	branchLast            = branchTimestampMicros + 1
)

// orderingValue reads one value; arrays are only allowed at the top.
func (r *deleteReader) orderingValue(top bool) OrderingValue {
	branch := r.long()
	v := OrderingValue{Kind: OrderingKind(branch)}
	switch {
	case branch < 0 || branch > branchLast:
		r.fail("no such kind of ordering value")
	case branch == branchLast && top:
		v.Kind = OrderingArray
		v.List = r.orderingList()
	case branch == branchLast:
		v.Kind = OrderingLocalDate
		v.I64 = r.long()
	case v.Kind == OrderingNull:
	case v.Kind == OrderingBool:
		if b := r.take(1); b != "" {
			v.I64 = int64(b[0] & 1)
		}
	case v.Kind == OrderingFloat:
		if b := r.take(4); b != "" {
			v.F64 = float64(math.Float32frombits(binary.LittleEndian.Uint32([]byte(b))))
		}
	case v.Kind == OrderingDouble:
		if b := r.take(8); b != "" {
			v.F64 = math.Float64frombits(binary.LittleEndian.Uint64([]byte(b)))
		}
	case v.Kind == OrderingBytes || v.Kind == OrderingString || v.Kind == OrderingDecimal:
		v.Str = r.take(r.long())
	default:
		v.I64 = r.long()
	}
	return v
}

func (r *deleteReader) orderingList() []OrderingValue {
	switch r.long() {
	case 0:
		return nil
	case 1:
	default:
		r.fail("no such union branch")
	}
	list := []OrderingValue{}
	for n := r.items(); n > 0; n = r.items() {
		for i := int64(0); i < n && r.err == nil; i++ {
			list = append(list, r.orderingValue(false))
		}
	}
	return list
}
