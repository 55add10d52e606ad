package parquet

import (
	"fmt"
	"unsafe"
)

// Physical is a Parquet physical type, numbered as in the format.
type Physical int32

// The physical types.
const (
	Boolean Physical = iota
	Int32
	Int64
	Int96
	Float
	Double
	ByteArray
	FixedLenByteArray
)

var physicalNames = [...]string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}

// String gives the name that the format uses.
func (p Physical) String() string {
	if p < 0 || int(p) >= len(physicalNames) {
		return fmt.Sprintf("physical type %d", int32(p))
	}
	return physicalNames[p]
}

// Encodings of pages.
const (
	encPlain                = 0
	encPlainDictionary      = 2
	encRLE                  = 3
	encBitPacked            = 4
	encDeltaBinaryPacked    = 5
	encDeltaLengthByteArray = 6
	encDeltaByteArray       = 7
	encRLEDictionary        = 8
	encByteStreamSplit      = 9
)

// Types of pages.
const (
	pageData       = 0
	pageIndex      = 1
	pageDictionary = 2
	pageDataV2     = 3
)

// Converted types, the older form of logical types.
const (
	convUTF8 = iota
	convMap
	convMapKeyValue
	convList
	convEnum
	convDecimal
	convDate
	convTimeMillis
	convTimeMicros
	convTimestampMillis
	convTimestampMicros
	convUint8
	convUint16
	convUint32
	convUint64
	convInt8
	convInt16
	convInt32
	convInt64
	convJSON
	convBSON
	convInterval
	convNone = -1
)

// Logical types, numbered by their field in the union.
const (
	logicalString    = 1
	logicalMap       = 2
	logicalList      = 3
	logicalEnum      = 4
	logicalDecimal   = 5
	logicalDate      = 6
	logicalTime      = 7
	logicalTimestamp = 8
	logicalInteger   = 10
	logicalUnknown   = 11
	logicalJSON      = 12
	logicalBSON      = 13
	logicalUUID      = 14
	logicalFloat16   = 15
)

// Units of the logical types time and timestamp, by field of the union.
const (
	unitMillis = 1
	unitMicros = 2
	unitNanos  = 3
)

// Repetition of a schema element.
const (
	required = 0
	optional = 1
	repeated = 2
)

type logicalType struct {
	kind             int16 // 0 = none
	scale, precision int32
	utc              bool
	unit             int16
	bits             int32
	signed           bool
}

type schemaElement struct {
	name       string
	typ        Physical
	isLeaf     bool
	length     int32
	repetition int32
	children   int32
	converted  int32
	scale      int32
	precision  int32
	fieldID    int32
	hasFieldID bool
	logical    logicalType
}

type columnMeta struct {
	typ                   Physical
	path                  []string
	codec                 int32
	values                int64
	uncompressed          int64
	compressed            int64
	dataOffset            int64
	dictOffset            int64
	stats                 Statistics
	bloomOffset           int64
	bloomLength           int64
	offsetIndexOffset     int64
	offsetIndexLength     int64
	columnIndexOffset     int64
	columnIndexLength     int64
	externalFile          string
	encrypted             bool
	hasMeta               bool
	hasStats, hasDictPage bool
}

type rowGroupMeta struct {
	columns []columnMeta
	bytes   int64
	rows    int64
}

type fileMeta struct {
	schema    []schemaElement
	rows      int64
	groups    []rowGroupMeta
	kv        []keyValue
	createdBy string
}

type keyValue struct{ key, value string }

func decodeFileMeta(data []byte) (*fileMeta, error) {
	r := &thriftReader{data: data}
	m := &fileMeta{}
	r.structure(func(id int16, typ byte) {
		switch id {
		case 2:
			r.list(typ, thriftStruct, func() { m.schema = append(m.schema, r.schemaElement()) })
		case 3:
			m.rows = r.i64(typ)
		case 4:
			r.list(typ, thriftStruct, func() { m.groups = append(m.groups, r.rowGroup()) })
		case 5:
			r.list(typ, thriftStruct, func() { m.kv = append(m.kv, r.keyValue()) })
		case 6:
			m.createdBy = r.string(typ)
		default:
			r.skip(typ)
		}
	})
	return m, r.err
}

func (r *thriftReader) keyValue() (kv keyValue) {
	r.structure(func(id int16, typ byte) {
		switch id {
		case 1:
			kv.key = r.string(typ)
		case 2:
			// Hudi's key filters take nearly all of a footer, which stays anyway.
			value := r.binary(typ)
			kv.value = unsafe.String(unsafe.SliceData(value), len(value))
		default:
			r.skip(typ)
		}
	})
	return kv
}

func (r *thriftReader) schemaElement() schemaElement {
	e := schemaElement{converted: convNone}
	r.structure(func(id int16, typ byte) {
		switch id {
		case 1:
			e.typ, e.isLeaf = Physical(r.i32(typ)), true
		case 2:
			e.length = r.i32(typ)
		case 3:
			e.repetition = r.i32(typ)
		case 4:
			e.name = r.string(typ)
		case 5:
			e.children = r.i32(typ)
		case 6:
			e.converted = r.i32(typ)
		case 7:
			e.scale = r.i32(typ)
		case 8:
			e.precision = r.i32(typ)
		case 9:
			e.fieldID, e.hasFieldID = r.i32(typ), true
		case 10:
			e.logical = r.logicalType(typ)
		default:
			r.skip(typ)
		}
	})
	return e
}

func (r *thriftReader) logicalType(typ byte) (l logicalType) {
	l.kind = r.union(typ, func(kind int16, typ byte) {
		if typ != thriftStruct {
			r.skip(typ)
			return
		}
		r.structure(func(id int16, typ byte) {
			switch {
			case kind == logicalDecimal && id == 1:
				l.scale = r.i32(typ)
			case kind == logicalDecimal && id == 2:
				l.precision = r.i32(typ)
			case (kind == logicalTime || kind == logicalTimestamp) && id == 1:
				l.utc = r.bool(typ)
			case (kind == logicalTime || kind == logicalTimestamp) && id == 2:
				l.unit = r.union(typ, nil)
			case kind == logicalInteger && id == 1:
				l.bits = r.i32(typ)
			case kind == logicalInteger && id == 2:
				l.signed = r.bool(typ)
			default:
				r.skip(typ)
			}
		})
	})
	return l
}

func (r *thriftReader) rowGroup() (g rowGroupMeta) {
	r.structure(func(id int16, typ byte) {
		switch id {
		case 1:
			r.list(typ, thriftStruct, func() { g.columns = append(g.columns, r.columnChunk()) })
		case 2:
			g.bytes = r.i64(typ)
		case 3:
			g.rows = r.i64(typ)
		default:
			r.skip(typ)
		}
	})
	return g
}

func (r *thriftReader) columnChunk() (c columnMeta) {
	r.structure(func(id int16, typ byte) {
		switch id {
		case 1:
			c.externalFile = r.string(typ)
		case 3:
			if typ != thriftStruct {
				r.fail(errThriftType)
				return
			}
			c.hasMeta = true
			r.columnMeta(&c)
		case 4:
			c.offsetIndexOffset = r.i64(typ)
		case 5:
			c.offsetIndexLength = r.i64(typ)
		case 6:
			c.columnIndexOffset = r.i64(typ)
		case 7:
			c.columnIndexLength = r.i64(typ)
		case 8:
			c.encrypted = true
			r.skip(typ)
		default:
			r.skip(typ)
		}
	})
	return c
}

func (r *thriftReader) columnMeta(c *columnMeta) {
	r.structure(func(id int16, typ byte) {
		switch id {
		case 1:
			c.typ = Physical(r.i32(typ))
		case 3:
			r.list(typ, thriftBinary, func() { c.path = append(c.path, string(r.bytes())) })
		case 4:
			c.codec = r.i32(typ)
		case 5:
			c.values = r.i64(typ)
		case 6:
			c.uncompressed = r.i64(typ)
		case 7:
			c.compressed = r.i64(typ)
		case 9:
			c.dataOffset = r.i64(typ)
		case 11:
			c.dictOffset, c.hasDictPage = r.i64(typ), true
		case 12:
			c.stats, c.hasStats = r.statistics(typ), true
		case 14:
			c.bloomOffset = r.i64(typ)
		case 15:
			c.bloomLength = r.i64(typ)
		default:
			r.skip(typ)
		}
	})
}

func (r *thriftReader) statistics(typ byte) (s Statistics) {
	if typ != thriftStruct {
		r.fail(errThriftType)
		return s
	}
	var oldMin, oldMax []byte
	var hasMinMax, minExact, maxExact = [2]bool{}, true, true
	r.structure(func(id int16, typ byte) {
		switch id {
		case 1:
			oldMax = r.binary(typ)
		case 2:
			oldMin = r.binary(typ)
		case 3:
			s.Nulls, s.HasNulls = r.i64(typ), true
		case 5:
			s.Max, hasMinMax[1] = r.binary(typ), true
		case 6:
			s.Min, hasMinMax[0] = r.binary(typ), true
		case 7:
			maxExact = r.bool(typ)
		case 8:
			minExact = r.bool(typ)
		default:
			r.skip(typ)
		}
	})
	switch {
	case hasMinMax[0] && hasMinMax[1]:
		s.HasMinMax, s.Exact = true, minExact && maxExact
	case oldMin != nil && oldMax != nil:
		s.Min, s.Max, s.HasMinMax, s.Deprecated, s.Exact = oldMin, oldMax, true, true, true
	default:
		s.Min, s.Max = nil, nil
	}
	return s
}

// pageHeader is the header of any kind of page.
type pageHeader struct {
	typ          int32
	uncompressed int32
	compressed   int32
	values       int32
	encoding     int32
	defEncoding  int32 // version 1
	repEncoding  int32
	nulls        int32 // version 2
	rows         int32
	defBytes     int32
	repBytes     int32
	isCompressed bool // version 2
}

// decodePageHeader gives the header at the start of data and its length.
func decodePageHeader(data []byte) (h pageHeader, n int, err error) {
	r := &thriftReader{data: data}
	h = pageHeader{typ: -1, values: -1, isCompressed: true, defEncoding: encRLE, repEncoding: encRLE}
	body := false
	r.structure(func(id int16, typ byte) {
		switch id {
		case 1:
			h.typ = r.i32(typ)
		case 2:
			h.uncompressed = r.i32(typ)
		case 3:
			h.compressed = r.i32(typ)
		case 5, 7:
			r.pageBody(typ, &h)
			body = true
		case 8:
			r.pageBodyV2(typ, &h)
			body = true
		default:
			r.skip(typ)
		}
	})
	if r.err != nil {
		return h, 0, r.err
	}
	if h.uncompressed < 0 || h.compressed < 0 {
		return h, 0, fmt.Errorf("page with a negative size")
	}
	if body && h.values < 0 {
		return h, 0, fmt.Errorf("page with %d values", h.values)
	}
	return h, r.pos, nil
}

// pageBody reads the header of a data page, version 1, or of a dictionary
// page, which begins with the same two fields.
func (r *thriftReader) pageBody(typ byte, h *pageHeader) {
	if typ != thriftStruct {
		r.fail(errThriftType)
		return
	}
	r.structure(func(id int16, typ byte) {
		switch {
		case id == 1:
			h.values = r.i32(typ)
		case id == 2:
			h.encoding = r.i32(typ)
		case id == 3 && (typ == thriftI32):
			h.defEncoding = r.i32(typ)
		case id == 4 && (typ == thriftI32):
			h.repEncoding = r.i32(typ)
		default:
			r.skip(typ)
		}
	})
}

func (r *thriftReader) pageBodyV2(typ byte, h *pageHeader) {
	if typ != thriftStruct {
		r.fail(errThriftType)
		return
	}
	r.structure(func(id int16, typ byte) {
		switch id {
		case 1:
			h.values = r.i32(typ)
		case 2:
			h.nulls = r.i32(typ)
		case 3:
			h.rows = r.i32(typ)
		case 4:
			h.encoding = r.i32(typ)
		case 5:
			h.defBytes = r.i32(typ)
		case 6:
			h.repBytes = r.i32(typ)
		case 7:
			h.isCompressed = r.bool(typ)
		default:
			r.skip(typ)
		}
	})
}
