package functions

import (
	"strings"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// strange says why DuckDB might read a column otherwise than we do; "" if both
// read it alike. It knows the forms that Hudi's writers use; whatever else the
// format allows is left to our reader.
func strange(n schema.Node) string {
	if n.RepetitionType() == parquet.Repetitions.Repeated {
		return "a repeated field without a list around it"
	}
	if p, ok := n.(*schema.PrimitiveNode); ok {
		return strangeLeaf(p)
	}
	g := n.(*schema.GroupNode)
	switch n.LogicalType().(type) {
	case schema.ListLogicalType:
		return strangeList(g)
	case *schema.MapLogicalType, schema.MapLogicalType:
		return strangeMap(g)
	}
	if _, plain := n.LogicalType().(schema.NoLogicalType); !plain && n.LogicalType() != nil || n.ConvertedType() != schema.ConvertedTypes.None {
		return "a group of an unusual kind"
	}
	return strangeFields(g)
}

func strangeFields(g *schema.GroupNode) string {
	seen := map[string]bool{}
	for i := range g.NumFields() {
		f := g.Field(i)
		lower := strings.ToLower(f.Name())
		if seen[lower] {
			return "fields that differ in letter case only"
		}
		seen[lower] = true
		if why := strange(f); why != "" {
			return why
		}
	}
	return ""
}

// strangeList takes the form of three levels; readers do not agree on all of
// the older ones.
func strangeList(g *schema.GroupNode) string {
	if g.NumFields() != 1 {
		return "a list of an old form"
	}
	repeated, ok := g.Field(0).(*schema.GroupNode)
	if !ok || repeated.NumFields() != 1 || repeated.Name() != "list" && repeated.Name() != "bag" ||
		repeated.RepetitionType() != parquet.Repetitions.Repeated {
		return "a list of an old form"
	}
	return strange(repeated.Field(0))
}

func strangeMap(g *schema.GroupNode) string {
	if g.NumFields() != 1 {
		return "a map of an old form"
	}
	entries, ok := g.Field(0).(*schema.GroupNode)
	if !ok || entries.NumFields() != 2 || entries.RepetitionType() != parquet.Repetitions.Repeated {
		return "a map of an old form"
	}
	if entries.Field(0).RepetitionType() != parquet.Repetitions.Required {
		return "a map with optional keys"
	}
	return strangeFields(entries)
}

func strangeLeaf(p *schema.PrimitiveNode) string {
	switch p.PhysicalType() {
	case parquet.Types.Int96:
		return "INT96 timestamps"
	case parquet.Types.FixedLenByteArray:
		if p.TypeLength() > 16 && p.ConvertedType() == schema.ConvertedTypes.Decimal {
			return "a decimal of more than 16 bytes"
		}
	}
	switch l := p.LogicalType().(type) {
	case nil, schema.NoLogicalType, schema.StringLogicalType, *schema.DecimalLogicalType, schema.DateLogicalType:
		return ""
	case *schema.IntLogicalType, *schema.TimeLogicalType, schema.IntLogicalType, schema.TimeLogicalType, schema.DecimalLogicalType:
		return ""
	case *schema.TimestampLogicalType:
		return strangeTimestamp(*l)
	case schema.TimestampLogicalType:
		return strangeTimestamp(l)
	}
	return "the type " + p.LogicalType().String()
}

// strangeTimestamp refuses timestamps that only the older annotation names:
// DuckDB takes them for times without a zone, the format for times in UTC.
func strangeTimestamp(l schema.TimestampLogicalType) string {
	if l.IsFromConvertedType() {
		return "a timestamp of the old form"
	}
	if l.TimeUnit() == schema.TimeUnitNanos {
		return "a timestamp of nanoseconds"
	}
	return ""
}
