package snapshot

import (
	"fmt"
	"sync"
)

// A metadataDecoder decodes records of the metadata table that were written
// with one schema. Fields are found by name, so schemas of every Hudi version
// do, with or without meta columns. It works on the bytes, since the listing
// of a large table is a few records of many megabytes.
type metadataDecoder struct{ root *avroNode }

// decoders holds a decoder for each schema seen: there are as many as there
// are Hudi versions that wrote the tables read.
var decoders sync.Map // schema text -> *metadataDecoder

func metadataDecoderFor(schema string) (*metadataDecoder, error) {
	if d, ok := decoders.Load(schema); ok {
		return d.(*metadataDecoder), nil
	}
	root, err := parseAvroNode(schema)
	if err != nil {
		return nil, fmt.Errorf("schema of metadata records: %w", err)
	}
	if root.kind != avroRecord {
		return nil, fmt.Errorf("%w: schema of metadata records is no record", ErrCorrupt)
	}
	d := &metadataDecoder{root}
	decoders.Store(schema, d)
	return d, nil
}

func (d *metadataDecoder) decode(data []byte) (*MetadataRecord, error) {
	r := &avroReader{data: data}
	rec := &MetadataRecord{}
	for _, f := range d.root.fields {
		n := r.branch(f.node)
		switch {
		case n.kind == avroNull:
		case f.name == "type":
			rec.kind = int(r.number(n))
		case f.name == "filesystemMetadata":
			rec.files(r, n)
		case f.name == "BloomFilterMetadata":
			rec.Bloom = decodeBloom(r, n)
		case f.name == "ColumnStatsMetadata":
			rec.Stats = decodeStats(r, n)
		case f.name == "recordIndexMetadata":
			rec.Location = decodeLocation(r, n)
		case f.name == "SecondaryIndexMetadata":
			r.record(n, func(name string, n *avroNode) {
				if name == "isDeleted" {
					rec.deleted = r.number(n) != 0
				} else {
					r.skip(n)
				}
			})
		default:
			r.skip(n)
		}
	}
	if r.err == nil && len(r.data) > 0 {
		r.fail("%d bytes too many", len(r.data))
	}
	return rec, r.err
}

// files reads the map of files, or of partitions.
func (rec *MetadataRecord) files(r *avroReader, n *avroNode) {
	rec.Files = map[string]int64{}
	r.entries(n, func(name string) {
		var size int64
		deleted := false
		r.record(n.items, func(field string, n *avroNode) {
			switch field {
			case "size":
				size = r.number(n)
			case "isDeleted":
				deleted = r.number(n) != 0
			default:
				r.skip(n)
			}
		})
		if !deleted {
			rec.Files[name] = size
			return
		}
		if rec.removed == nil {
			rec.removed = map[string]bool{}
		}
		rec.removed[name] = true
	})
}

func decodeBloom(r *avroReader, n *avroNode) *BloomRecord {
	b := &BloomRecord{}
	r.record(n, func(name string, n *avroNode) {
		switch name {
		case "type":
			b.Type = string(r.bytes(n))
		case "timestamp":
			b.Instant = string(r.bytes(n))
		case "bloomFilter":
			b.Filter = append([]byte(nil), r.bytes(n)...)
		case "isDeleted":
			b.deleted = r.number(n) != 0
		default:
			r.skip(n)
		}
	})
	return b
}

func decodeStats(r *avroReader, n *avroNode) *ColumnStats {
	c := &ColumnStats{ValueType: -1}
	counts := 0
	r.record(n, func(name string, n *avroNode) {
		switch name {
		case "fileName":
			c.File = string(r.bytes(n))
		case "columnName":
			c.Column = string(r.bytes(n))
		case "minValue":
			c.Min = decodeValue(r, n)
		case "maxValue":
			c.Max = decodeValue(r, n)
		case "valueCount":
			c.ValueCount = r.number(n)
			counts++
		case "nullCount":
			c.NullCount = r.number(n)
			counts++
		case "totalSize":
			c.TotalSize = r.number(n)
		case "isDeleted":
			c.deleted = r.number(n) != 0
		case "isTightBound":
			c.Tight = r.number(n) != 0
		case "valueType":
			r.record(n, func(name string, n *avroNode) {
				switch name {
				case "typeOrdinal":
					c.ValueType = int(r.number(n))
				case "additionalInfo":
					c.TypeInfo = string(r.bytes(n))
				default:
					r.skip(n)
				}
			})
		default:
			r.skip(n)
		}
	})
	c.HasCounts = counts == 2
	return c
}

// wrappers maps the records that wrap bounds to what they hold. The branches
// of the union differ between versions, the names do not.
var wrappers = map[string]ValueKind{
	"BooleanWrapper": ValueBool, "IntWrapper": ValueInt, "LongWrapper": ValueLong, "FloatWrapper": ValueFloat,
	"DoubleWrapper": ValueDouble, "BytesWrapper": ValueBytes, "StringWrapper": ValueString, "DateWrapper": ValueDate,
	"DecimalWrapper": ValueDecimal, "TimeMicrosWrapper": ValueTime, "TimestampMicrosWrapper": ValueTimestamp,
	"LocalDateWrapper": ValueLocalDate, "ArrayWrapper": ValueArray,
}

func decodeValue(r *avroReader, n *avroNode) StatsValue {
	v := StatsValue{}
	kind, known := wrappers[n.name]
	if n.kind != avroRecord || !known {
		r.skip(n)
		return v
	}
	v.Kind = kind
	if r.depth++; r.depth > 100 {
		r.fail("nested too deep")
	}
	defer func() { r.depth-- }()
	r.record(n, func(name string, n *avroNode) {
		switch {
		case name == "wrappedValues" && n.kind == avroArray:
			r.blocks(func() { v.List = append(v.List, decodeValue(r, r.branch(n.items))) })
		case name != "value":
			r.skip(n)
		case n.kind == avroFloat || n.kind == avroDouble:
			v.F64 = r.float(n)
		case n.kind == avroBytes || n.kind == avroFixed:
			v.Str = string(r.bytes(n))
		default:
			v.I64 = r.number(n)
		}
	})
	return v
}

func decodeLocation(r *avroReader, n *avroNode) *RecordLocation {
	l := &RecordLocation{}
	var high, low, index, encoding int64
	r.record(n, func(name string, n *avroNode) {
		switch name {
		case "partitionName":
			l.Partition = string(r.bytes(n))
		case "fileIdHighBits":
			high = r.number(n)
		case "fileIdLowBits":
			low = r.number(n)
		case "fileIndex":
			index = r.number(n)
		case "fileId":
			l.FileID = string(r.bytes(n))
		case "instantTime":
			l.Millis = r.number(n)
		case "fileIdEncoding":
			encoding = r.number(n)
		default:
			r.skip(n)
		}
	})
	if encoding == 0 {
		l.FileID = fileIDOf(uint64(high), uint64(low), index)
	}
	return l
}

// fileIDOf puts a file id together: a UUID, and a number unless it is -1.
func fileIDOf(high, low uint64, index int64) string {
	id := fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", high>>32, high>>16&0xFFFF, high&0xFFFF, low>>48, low&0xFFFFFFFFFFFF)
	if index >= 0 {
		id += fmt.Sprintf("-%d", index)
	}
	return id
}
