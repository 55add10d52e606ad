// Package keygen knows how Hudi's key generators write values into partition
// paths and record keys, and reads them back: the path of a file gives the
// values of partition columns that the file lacks, the values of a row give the
// record key in tables without meta columns.
package keygen

import (
	"strconv"
	"strings"
)

// Kind is a family of key generators; it decides the form of paths and keys.
type Kind uint8

// The families, after KeyGeneratorType.
const (
	Simple Kind = iota
	Complex
	Timestamp
	Custom
	NonPartitioned
)

// NullPartition is the path segment of a null or empty value; DefaultPartition
// that of tables before version 5.
const (
	NullPartition    = "__HIVE_DEFAULT_PARTITION__"
	DefaultPartition = "default"
)

// A Spec is what the table config says about keys and partition paths.
type Spec struct {
	Kind            Kind
	KeyFields       []string // hoodie.table.recordkey.fields
	PartitionFields []string // hoodie.table.partition.fields without `:TYPE`
	PartitionTypes  []string // the `:TYPE` of each field in lower case, "" without
	HiveStyle       bool
	SlashedDates    bool // hoodie.datasource.write.slash.separated.date.partitioning
	TimestampType   string
	TableVersion    int
}

// NewSpec reads the properties of a table (the content of hoodie.properties).
func NewSpec(p map[string]string, tableVersion int) Spec {
	s := Spec{
		KeyFields:     list(p["hoodie.table.recordkey.fields"]),
		HiveStyle:     p["hoodie.datasource.write.hive_style_partitioning"] == "true",
		SlashedDates:  p["hoodie.datasource.write.slash.separated.date.partitioning"] == "true",
		TimestampType: p["hoodie.keygen.timebased.timestamp.type"],
		TableVersion:  tableVersion,
	}
	if s.TimestampType == "" {
		s.TimestampType = p["hoodie.deltastreamer.keygen.timebased.timestamp.type"]
	}
	for _, f := range list(p["hoodie.table.partition.fields"]) {
		name, kind, _ := strings.Cut(f, ":")
		s.PartitionFields = append(s.PartitionFields, name)
		s.PartitionTypes = append(s.PartitionTypes, strings.ToLower(kind))
	}
	s.Kind = kindOf(p["hoodie.table.keygenerator.class"], p["hoodie.table.keygenerator.type"])
	if s.Kind == Simple && (len(s.PartitionFields) > 1 || len(s.KeyFields) > 1) {
		s.Kind = Complex
	}
	return s
}

// kindOf maps a class (which wins) or a type name to its family.
func kindOf(class, typ string) Kind {
	name := typ
	if class != "" {
		name = class[strings.LastIndexByte(class, '.')+1:]
	}
	name = strings.ToUpper(strings.NewReplacer("_", "", "AVRO", "", "Avro", "").Replace(name))
	switch {
	case strings.HasPrefix(name, "COMPLEX"):
		return Complex
	case strings.HasPrefix(name, "TIMESTAMP"):
		return Timestamp
	case strings.HasPrefix(name, "CUSTOM"):
		return Custom
	case strings.HasPrefix(name, "NONPARTITION"), strings.HasPrefix(name, "GLOBALDELETE"):
		return NonPartitioned
	}
	return Simple
}

func list(s string) []string {
	var out []string
	for _, f := range strings.Split(s, ",") {
		if f = strings.TrimSpace(f); f != "" {
			out = append(out, f)
		}
	}
	return out
}

// Unescape undoes the escaping of PartitionPathEncodeUtils: `%` and two hex
// digits stand for one UTF-16 unit, everything else for itself.
func Unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteRune(rune(n))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
