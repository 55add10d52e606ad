package snapshot

import (
	"cmp"
	"strings"
	"unicode/utf16"
)

// Types of metadata records.
const (
	recordAllPartitions = 1
	recordFiles         = 2
	recordColumnStats   = 3
	recordBloom         = 4
	recordIndex         = 5
	recordPartStats     = 6
	recordSecondary     = 7
)

// A MetadataRecord is a record of the metadata table. Which of its fields are
// set depends on the partition.
type MetadataRecord struct {
	Key string
	// Files are the files of a data partition with their sizes; of the list
	// of partitions, the partitions.
	Files    map[string]int64
	Stats    *ColumnStats    // column_stats, partition_stats, expression indexes
	Bloom    *BloomRecord    // bloom_filters, expression indexes
	Location *RecordLocation // record_index
	// Elsewhere are places that the key had before, of which nothing says that
	// it left them: plain inserts, and upserts into another partition, may give
	// a table a key twice, of which the index notes the last place only. What
	// was compacted away is not known.
	Elsewhere []RecordLocation

	kind    int
	deleted bool
	removed map[string]bool // tombstones of Files
}

// ColumnStats says what values of a column are in a file, or in a partition.
type ColumnStats struct {
	File       string // file name; the partition path in partition statistics
	Column     string // dotted where nested
	Min, Max   StatsValue
	ValueCount int64 // rows, null ones included
	NullCount  int64
	HasCounts  bool
	TotalSize  int64
	Tight      bool // bounds are values that occur
	// ValueType is the ordinal of the column's type as noted since table
	// version 9, -1 if it is not: the kind of Min and Max is the type then.
	ValueType int
	TypeInfo  string // "precision,scale" of decimals

	deleted bool
}

// A BloomRecord is a file's bloom filter of record keys.
type BloomRecord struct {
	Type    string // SIMPLE or DYNAMIC_V0
	Instant string
	Filter  []byte // as in a base file's footer: Base64 text

	deleted bool
}

// A RecordLocation says in which file group a record is.
type RecordLocation struct {
	Partition string
	FileID    string
	Millis    int64 // instant of the write, milliseconds since 1970 in the timeline's zone
}

// A ValueKind tells what a [StatsValue] holds.
type ValueKind uint8

// Kinds of values, and where the value is.
const (
	ValueNull      ValueKind = iota // none is known
	ValueBool                       // I64: 0 or 1
	ValueInt                        // I64
	ValueLong                       // I64
	ValueFloat                      // F64
	ValueDouble                     // F64
	ValueBytes                      // Str
	ValueString                     // Str
	ValueDate                       // I64: days
	ValueDecimal                    // Str: unscaled, two's complement, big-endian; scale 15
	ValueTime                       // I64: microseconds
	ValueTimestamp                  // I64: microseconds
	ValueLocalDate                  // I64: days
	ValueArray                      // List
)

// A StatsValue is a bound of a column.
type StatsValue struct {
	Kind ValueKind
	I64  int64
	F64  float64
	Str  string
	List []StatsValue
}

// merge gives what two records of one key come to. newer is written later; it
// may be changed and kept.
func (older *MetadataRecord) merge(newer *MetadataRecord) *MetadataRecord {
	if older == nil || older.deleted || newer.deleted || older.kind != newer.kind {
		return newer
	}
	switch newer.kind {
	case recordAllPartitions, recordFiles:
		older.mergeFiles(newer)
		return older
	case recordColumnStats, recordPartStats:
		if older.Stats != nil && newer.Stats != nil {
			newer.Stats.widen(older.Stats)
		}
	case recordIndex:
		if older.Location != nil && newer.Location != nil {
			newer.Elsewhere = append(older.Elsewhere, *older.Location)
		}
	}
	return newer
}

// mergeFiles applies the newer listing to the older one. Sizes only grow: logs
// are appended to, and an older event may be written later.
func (older *MetadataRecord) mergeFiles(newer *MetadataRecord) {
	for name := range newer.removed {
		if _, live := older.Files[name]; live {
			delete(older.Files, name)
		} else {
			if older.removed == nil {
				older.removed = map[string]bool{}
			}
			older.removed[name] = true
		}
	}
	for name, size := range newer.Files {
		if older.Files == nil {
			older.Files = map[string]int64{}
		}
		older.Files[name] = max(older.Files[name], size)
		delete(older.removed, name)
	}
}

// widen makes statistics cover older ones too, unless they are exact.
func (c *ColumnStats) widen(older *ColumnStats) {
	if c.deleted || older.deleted || c.Tight {
		return
	}
	c.Min = bound(older.Min, c.Min, -1)
	c.Max = bound(older.Max, c.Max, 1)
	c.HasCounts = c.HasCounts && older.HasCounts
	c.ValueCount += older.ValueCount
	c.NullCount += older.NullCount
	c.TotalSize += older.TotalSize
}

// bound gives the lower (sign -1) or the upper (1) of two bounds. A bound that
// is missing bounds nothing, unless the other side has no values either.
func bound(a, b StatsValue, sign int) StatsValue {
	switch {
	case a.Kind == ValueNull:
		return b
	case b.Kind == ValueNull:
		return a
	case a.Kind != b.Kind:
		return StatsValue{} // no common bound is known
	}
	if a.Compare(b)*sign > 0 {
		return a
	}
	return b
}

// Compare orders values of one kind as Hudi's writers do: text by UTF-16
// units.
func (v StatsValue) Compare(w StatsValue) int {
	switch v.Kind {
	case ValueFloat, ValueDouble:
		return cmp.Compare(v.F64, w.F64)
	case ValueString:
		return compareUTF16(v.Str, w.Str)
	case ValueBytes:
		return strings.Compare(v.Str, w.Str)
	case ValueDecimal:
		return compareUnscaled(v.Str, w.Str)
	case ValueArray:
		for i := range min(len(v.List), len(w.List)) {
			if v.List[i].Kind != w.List[i].Kind {
				return cmp.Compare(v.List[i].Kind, w.List[i].Kind)
			}
			if c := v.List[i].Compare(w.List[i]); c != 0 {
				return c
			}
		}
		return cmp.Compare(len(v.List), len(w.List))
	}
	return cmp.Compare(v.I64, w.I64)
}

// compareUTF16 orders text by UTF-16 units, which differs from the order of
// code points only where one text has a surrogate pair.
func compareUTF16(a, b string) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] < 0xEE && b[i] < 0xEE || a[i] == b[i] {
			if a[i] != b[i] {
				return cmp.Compare(a[i], b[i])
			}
			continue
		}
		x, y := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
		for j := range min(len(x), len(y)) {
			if x[j] != y[j] {
				return cmp.Compare(x[j], y[j])
			}
		}
		return cmp.Compare(len(x), len(y))
	}
	return cmp.Compare(len(a), len(b))
}

// compareUnscaled orders big-endian two's complement numbers.
func compareUnscaled(a, b string) int {
	negA, negB := a != "" && a[0] >= 0x80, b != "" && b[0] >= 0x80
	if negA != negB {
		if negA {
			return -1
		}
		return 1
	}
	fill := byte(0)
	if negA {
		fill = 0xFF
	}
	trim := func(s string) string {
		for s != "" && s[0] == fill {
			s = s[1:]
		}
		return s
	}
	a, b = trim(a), trim(b)
	if c := cmp.Compare(len(a), len(b)); c != 0 {
		if negA {
			return -c
		}
		return c
	}
	return strings.Compare(a, b)
}
