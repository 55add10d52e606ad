package adbc

import (
	"context"
	"slices"

	"github.com/apache/arrow-adbc/go/adbc"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/hudi-go/hudi/internal/version"
)

// Codes of facts about SQL that Flight SQL has, too.
const (
	infoCatalogDDL    adbc.InfoCode = 500
	infoSchemaDDL     adbc.InfoCode = 501
	infoTableDDL      adbc.InfoCode = 502
	infoQuote         adbc.InfoCode = 504
	infoAllSelectable adbc.InfoCode = 506
)

// info are the facts about the driver, by code: text, bool, int64, or nil for
// what is not known.
func info() map[adbc.InfoCode]any {
	return map[adbc.InfoCode]any{
		adbc.InfoVendorName: "Apache Hudi", adbc.InfoVendorVersion: version.Text(), adbc.InfoVendorArrowVersion: arrow.PkgVersion,
		adbc.InfoVendorSql: true, adbc.InfoVendorSubstrait: true,
		adbc.InfoVendorSubstraitMinVersion: nil, adbc.InfoVendorSubstraitMaxVersion: nil,
		adbc.InfoDriverName: "hudi-go ADBC driver", adbc.InfoDriverVersion: version.Text(),
		adbc.InfoDriverArrowVersion: arrow.PkgVersion, adbc.InfoDriverADBCVersion: adbc.AdbcVersion1_1_0,
		infoCatalogDDL: false, infoSchemaDDL: false, infoTableDDL: false, infoQuote: `"`, infoAllSelectable: true,
	}
}

// GetInfo gives the facts of some codes, or of all.
func (c *connection) GetInfo(_ context.Context, codes []adbc.InfoCode) (array.RecordReader, error) {
	if _, _, err := c.state(); err != nil {
		return nil, err
	}
	all := info()
	if len(codes) == 0 {
		for code := range all {
			codes = append(codes, code)
		}
		slices.Sort(codes)
	}
	return c.oneBatch(adbc.GetInfoSchema, func(b *array.RecordBuilder) {
		values := b.Field(1).(*array.DenseUnionBuilder)
		for _, code := range codes {
			fact, known := all[code]
			if !known {
				continue
			}
			b.Field(0).(*array.Uint32Builder).Append(uint32(code))
			switch v := fact.(type) {
			case bool:
				values.Append(adbc.InfoValueBooleanType)
				values.Child(int(adbc.InfoValueBooleanType)).(*array.BooleanBuilder).Append(v)
			case int64:
				values.Append(adbc.InfoValueInt64Type)
				values.Child(int(adbc.InfoValueInt64Type)).(*array.Int64Builder).Append(v)
			case string:
				values.Append(adbc.InfoValueStringType)
				values.Child(int(adbc.InfoValueStringType)).(*array.StringBuilder).Append(v)
			default:
				values.Append(adbc.InfoValueStringType)
				values.Child(int(adbc.InfoValueStringType)).AppendNull()
			}
		}
	})
}

// oneBatch gives a reader of one batch.
func (c *connection) oneBatch(schema *arrow.Schema, fill func(*array.RecordBuilder)) (array.RecordReader, error) {
	b := array.NewRecordBuilder(c.db.alloc, schema)
	defer b.Release()
	fill(b)
	batch := b.NewRecordBatch()
	defer batch.Release()
	return array.NewRecordReader(schema, []arrow.RecordBatch{batch})
}

// tableType is the type of all tables.
const tableType = "TABLE"

// GetTableTypes gives the one type that there is.
func (c *connection) GetTableTypes(context.Context) (array.RecordReader, error) {
	if _, _, err := c.state(); err != nil {
		return nil, err
	}
	return c.oneBatch(adbc.TableTypesSchema, func(b *array.RecordBuilder) { b.Field(0).(*array.StringBuilder).Append(tableType) })
}
