package snapshot

import (
	"maps"
	"strings"
)

// Table types.
const (
	CopyOnWrite = "COPY_ON_WRITE"
	MergeOnRead = "MERGE_ON_READ"
)

// Base file formats that hoodie.table.base.file.format names.
const (
	FormatParquet = "PARQUET"
	FormatHFile   = "HFILE"
	FormatORC     = "ORC"
	FormatLance   = "LANCE"
)

// A Config is what hoodie.properties says. It is read-only: tables share it.
// Where a key has an older name, both are understood.
type Config struct {
	Name     string // hoodie.table.name
	Database string // hoodie.database.name
	Type     string // CopyOnWrite or MergeOnRead
	Version  int    // hoodie.table.version

	TimelineLayout int    // 1 or 2
	TimelinePath   string // active timeline, relative to the base path
	ArchivePath    string // archived timeline, relative to the base path
	TimelineUTC    bool   // instants were made from UTC, not from the writer's local time

	BaseFormat          string // one of the Format constants
	MultipleBaseFormats bool   // each file's extension tells its format
	StorageLayout       string // "default" or "lsm_tree"

	RecordKeys       []string // hoodie.table.recordkey.fields; empty = keys made by the writer
	PartitionFields  []PartitionField
	OrderingFields   []string // hoodie.table.ordering.fields or hoodie.table.precombine.field
	KeyGenerator     string   // SIMPLE, COMPLEX, TIMESTAMP, ...; "" = not stated
	PopulateMeta     bool     // _hoodie_ columns are in the files
	MetaFieldsMode   string   // hoodie.meta.fields.mode, "" = by PopulateMeta
	DropPartitions   bool     // partition columns are in the path only
	HiveStyle        bool     // folders are named column=value
	URLEncoded       bool     // folder names are percent-encoded
	SlashDates       bool     // yyyy-MM-dd is written as yyyy/MM/dd
	ExtractPartition string   // hoodie.table.partition_extractor_class

	MergeMode          string            // hoodie.record.merge.mode
	MergeStrategy      string            // hoodie.record.merge.strategy.id or its older name
	PayloadClass       string            // hoodie.compaction.payload.class
	LegacyPayloadClass string            // hoodie.table.legacy.payload.class
	PartialUpdateMode  string            // hoodie.table.partial.update.mode
	MergeProperties    map[string]string // hoodie.record.merge.property.*, by what follows the prefix

	CreateSchema string // hoodie.table.create.schema
	CDC          bool   // hoodie.table.cdc.enabled
	CDCMode      string // hoodie.table.cdc.supplemental.logging.mode

	BootstrapBase  string // hoodie.bootstrap.base.path, "" = not bootstrapped
	BootstrapIndex bool   // the HFile bootstrap index is in use

	MetadataPartitions []string // readable partitions of the metadata table
	IndexDefsPath      string   // index.json, relative to the base path

	raw map[string]string
}

// A PartitionField is one partition column.
type PartitionField struct {
	Name string
	Type string // of custom key generators: SIMPLE or TIMESTAMP, else ""
}

// Get gives a property as the table has it.
func (c *Config) Get(key string) (string, bool) {
	v, ok := c.raw[key]
	return v, ok
}

// Properties gives all properties.
func (c *Config) Properties() map[string]string { return maps.Clone(c.raw) }

// Partitioned tells whether the table has partition columns.
func (c *Config) Partitioned() bool { return len(c.PartitionFields) > 0 }

// HasMetadataPartition tells whether a partition of the metadata table may be
// read.
func (c *Config) HasMetadataPartition(name string) bool {
	for _, p := range c.MetadataPartitions {
		if p == name {
			return true
		}
	}
	return false
}

// PartitionNames gives the names of the partition columns.
func (c *Config) PartitionNames() []string {
	names := make([]string, len(c.PartitionFields))
	for i, f := range c.PartitionFields {
		names[i] = f.Name
	}
	return names
}

const mergePropertyPrefix = "hoodie.record.merge.property."

// parseConfig fills a config from properties; what it can't be right about it
// leaves to check.
func parseConfig(raw map[string]string) *Config {
	get := func(keys ...string) string {
		for _, k := range keys {
			if v := strings.TrimSpace(raw[k]); v != "" {
				return v
			}
		}
		return ""
	}
	is := func(key string, unset bool) bool {
		if v := get(key); v != "" {
			return strings.EqualFold(v, "true")
		}
		return unset
	}
	or := func(v, unset string) string {
		if v == "" {
			return unset
		}
		return v
	}
	c := &Config{
		raw:                 raw,
		Name:                get("hoodie.table.name"),
		Database:            get("hoodie.database.name"),
		Type:                strings.ToUpper(or(get("hoodie.table.type"), CopyOnWrite)),
		TimelineUTC:         strings.EqualFold(get("hoodie.table.timeline.timezone"), "UTC"),
		BaseFormat:          strings.ToUpper(or(get("hoodie.table.base.file.format", "hoodie.table.ro.file.format"), FormatParquet)),
		MultipleBaseFormats: is("hoodie.table.multiple.base.file.formats.enable", false),
		StorageLayout:       strings.ToLower(or(get("hoodie.table.storage.layout"), "default")),
		RecordKeys:          list(raw["hoodie.table.recordkey.fields"]),
		OrderingFields:      list(get("hoodie.table.ordering.fields", "hoodie.table.precombine.field")),
		KeyGenerator:        keyGenerator(get("hoodie.table.keygenerator.class"), get("hoodie.table.keygenerator.type")),
		PopulateMeta:        is("hoodie.populate.meta.fields", true),
		MetaFieldsMode:      strings.ToUpper(get("hoodie.meta.fields.mode")),
		DropPartitions:      is("hoodie.datasource.write.drop.partition.columns", false),
		HiveStyle:           is("hoodie.datasource.write.hive_style_partitioning", false),
		URLEncoded:          is("hoodie.datasource.write.partitionpath.urlencode", false),
		SlashDates:          is("hoodie.datasource.write.slash.separated.date.partitioning", false),
		ExtractPartition:    get("hoodie.table.partition_extractor_class"),
		MergeMode:           strings.ToUpper(get("hoodie.record.merge.mode")),
		MergeStrategy:       get("hoodie.record.merge.strategy.id", "hoodie.compaction.record.merger.strategy"),
		PayloadClass:        get("hoodie.compaction.payload.class"),
		LegacyPayloadClass:  get("hoodie.table.legacy.payload.class"),
		PartialUpdateMode:   strings.ToUpper(get("hoodie.table.partial.update.mode")),
		MergeProperties:     map[string]string{},
		CreateSchema:        get("hoodie.table.create.schema"),
		CDC:                 is("hoodie.table.cdc.enabled", false),
		CDCMode:             strings.ToUpper(or(get("hoodie.table.cdc.supplemental.logging.mode"), "DATA_BEFORE_AFTER")),
		BootstrapBase:       get("hoodie.bootstrap.base.path"),
		MetadataPartitions:  list(raw["hoodie.table.metadata.partitions"]),
		IndexDefsPath:       or(get("hoodie.table.index.defs.path"), ".hoodie/.index_defs/index.json"),
	}
	c.parseLists(get, is)
	return c
}

// parseLists fills what is put together from several properties or from a
// list.
func (c *Config) parseLists(get func(keys ...string) string, is func(key string, unset bool) bool) {
	indexClass, indexType := get("hoodie.bootstrap.index.class"), get("hoodie.bootstrap.index.type")
	c.BootstrapIndex = is("hoodie.bootstrap.index.enable", true) && !strings.EqualFold(indexType, "NO_OP") &&
		!strings.HasSuffix(indexClass, "NoOpBootstrapIndex")
	for k, v := range c.raw {
		if name, ok := strings.CutPrefix(k, mergePropertyPrefix); ok {
			c.MergeProperties[name] = v
		}
	}
	for _, f := range list(c.raw["hoodie.table.partition.fields"]) {
		name, typ, _ := strings.Cut(f, ":")
		c.PartitionFields = append(c.PartitionFields, PartitionField{Name: name, Type: strings.ToUpper(typ)})
	}
}

// list takes a comma list apart, leaving out empty entries.
func list(text string) []string {
	var all []string
	for entry := range strings.SplitSeq(text, ",") {
		if entry = strings.TrimSpace(entry); entry != "" {
			all = append(all, entry)
		}
	}
	return all
}

// keyGenerators maps class names, without package, to the names that newer
// tables use.
var keyGenerators = map[string]string{
	"SimpleKeyGenerator":                   "SIMPLE",
	"SimpleAvroKeyGenerator":               "SIMPLE",
	"ComplexKeyGenerator":                  "COMPLEX",
	"ComplexAvroKeyGenerator":              "COMPLEX",
	"TimestampBasedKeyGenerator":           "TIMESTAMP",
	"TimestampBasedAvroKeyGenerator":       "TIMESTAMP",
	"CustomKeyGenerator":                   "CUSTOM",
	"CustomAvroKeyGenerator":               "CUSTOM",
	"NonpartitionedKeyGenerator":           "NON_PARTITION",
	"NonpartitionedAvroKeyGenerator":       "NON_PARTITION",
	"GlobalDeleteKeyGenerator":             "GLOBAL_DELETE",
	"GlobalAvroDeleteKeyGenerator":         "GLOBAL_DELETE",
	"AutoRecordGenWrapperKeyGenerator":     "AUTO_RECORD",
	"AutoRecordGenWrapperAvroKeyGenerator": "AUTO_RECORD",
	"HoodieTableMetadataKeyGenerator":      "HOODIE_TABLE_METADATA",
	"SqlKeyGenerator":                      "SPARK_SQL",
	"UuidKeyGenerator":                     "SPARK_SQL_UUID",
	"MergeIntoKeyGenerator":                "SPARK_SQL_MERGE_INTO",
}

// keyGenerator gives the one name of a key generator that a table names by
// class (which wins) or by type. A class that is not Hudi's is USER_PROVIDED.
func keyGenerator(class, typ string) string {
	if class == "" {
		return strings.TrimSuffix(strings.ToUpper(typ), "_AVRO")
	}
	if name, ok := keyGenerators[class[strings.LastIndexByte(class, '.')+1:]]; ok {
		return name
	}
	return "USER_PROVIDED"
}
