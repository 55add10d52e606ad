package snapshot

import (
	"errors"
	"strings"
	"testing"

	"github.com/hudi-go/hudi/internal/storage"
)

func TestReadConfig(t *testing.T) {
	f := newFake(9)
	f.props = map[string]string{
		"hoodie.table.name": "t", "hoodie.database.name": "db", "hoodie.table.version": "9", "hoodie.table.type": "merge_on_read",
		"hoodie.table.recordkey.fields": "a, b,", "hoodie.table.partition.fields": "p:SIMPLE,,ts:timestamp",
		"hoodie.table.ordering.fields": "x,y", "hoodie.table.precombine.field": "ignored",
		"hoodie.table.keygenerator.class": "org.apache.hudi.keygen.CustomAvroKeyGenerator", "hoodie.table.keygenerator.type": "SIMPLE",
		"hoodie.record.merge.mode": "event_time_ordering", "hoodie.compaction.record.merger.strategy": "s",
		"hoodie.record.merge.property.hoodie.payload.delete.field": "op", "hoodie.populate.meta.fields": "FALSE",
		"hoodie.table.metadata.partitions": "files,column_stats", "hoodie.table.timeline.timezone": "utc",
		"hoodie.timeline.path": "tl", "hoodie.timeline.history.path": "old", "hoodie.table.checksum": "2184977423",
		"hoodie.bootstrap.base.path": "/src", "hoodie.bootstrap.index.type": "NO_OP", "x.y": "z",
	}
	c, err := ReadConfig(t.Context(), f.storage(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, ok := range map[string]bool{
		"names":      c.Name == "t" && c.Database == "db",
		"type":       c.Type == MergeOnRead && c.Version == 9,
		"keys":       len(c.RecordKeys) == 2 && c.RecordKeys[1] == "b",
		"partitions": len(c.PartitionFields) == 2 && c.PartitionFields[1] == PartitionField{"ts", "TIMESTAMP"} && c.PartitionNames()[0] == "p",
		"ordering":   len(c.OrderingFields) == 2 && c.OrderingFields[0] == "x",
		"keygen":     c.KeyGenerator == "CUSTOM",
		"merge":      c.MergeMode == "EVENT_TIME_ORDERING" && c.MergeStrategy == "s" && c.MergeProperties["hoodie.payload.delete.field"] == "op",
		"meta":       !c.PopulateMeta,
		"mdt":        c.HasMetadataPartition("files") && !c.HasMetadataPartition("record_index"),
		"timeline":   c.TimelineUTC && c.TimelineLayout == 2 && c.TimelinePath == ".hoodie/tl" && c.ArchivePath == ".hoodie/tl/old",
		"bootstrap":  c.BootstrapBase == "/src" && !c.BootstrapIndex,
		"raw":        c.Properties()["x.y"] == "z",
	} {
		if !ok {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func TestConfigDefaults(t *testing.T) {
	f := newFake(6)
	f.props = map[string]string{"hoodie.table.name": "t", "hoodie.table.version": "6", "hoodie.archivelog.folder": ""}
	c, err := ReadConfig(t.Context(), f.storage(t))
	if err != nil {
		t.Fatal(err)
	}
	if c.Type != CopyOnWrite || c.TimelineLayout != 1 || c.TimelinePath != ".hoodie" || c.ArchivePath != ".hoodie" || !c.PopulateMeta ||
		c.BaseFormat != FormatParquet || c.Partitioned() || !c.BootstrapIndex || c.StorageLayout != "default" {
		t.Errorf("got %+v", c)
	}
}

func TestConfigRefused(t *testing.T) {
	tests := []struct {
		name string
		set  map[string]string
		kind error
		key  string
		says string
	}{
		{"too old", map[string]string{"hoodie.table.version": "4"}, ErrUnsupported, "hoodie.table.version", "upgrade"},
		{"too new", map[string]string{"hoodie.table.version": "11"}, ErrUnsupported, "hoodie.table.version", "update this program"},
		{"no version", map[string]string{"hoodie.table.version": ""}, ErrUnsupported, "hoodie.table.version", "too old"},
		{"odd version", map[string]string{"hoodie.table.version": "x"}, ErrUnsupported, "hoodie.table.version", "no table version"},
		{"type", map[string]string{"hoodie.table.type": "X"}, ErrUnsupported, "hoodie.table.type", "unknown"},
		{"external format", map[string]string{"hoodie.table.format": "iceberg"}, ErrUnsupported, "hoodie.table.format", "own reader"},
		{"lance", map[string]string{"hoodie.table.base.file.format": "LANCE"}, ErrUnsupported, "hoodie.table.base.file.format", "rewrite"},
		{"orc, older key", map[string]string{"hoodie.table.ro.file.format": "orc"}, ErrUnsupported, "hoodie.table.base.file.format", "ORC"},
		{"hfile", map[string]string{"hoodie.table.base.file.format": "HFILE"}, ErrUnsupported, "hoodie.table.base.file.format", "HFILE"},
		{"no name", map[string]string{"hoodie.table.name": ""}, ErrCorrupt, "hoodie.table.name", "missing"},
		{"checksum", map[string]string{"hoodie.table.checksum": "1"}, ErrCorrupt, "hoodie.table.checksum", "restore"},
		{"timeline layout", map[string]string{"hoodie.timeline.layout.version": "0"}, ErrUnsupported, "hoodie.timeline.layout.version", "upgrade"},
		{"timeline outside", map[string]string{"hoodie.timeline.path": "../../x"}, ErrUnsupported, "hoodie.timeline.path", "outside"},
		{"storage layout", map[string]string{"hoodie.table.storage.layout": "x"}, ErrUnsupported, "hoodie.table.storage.layout", "unknown"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(9)
			for k, v := range tt.set {
				f.props[k] = v
			}
			_, err := ReadConfig(t.Context(), f.storage(t))
			var te *TableError
			if !errors.As(err, &te) || !errors.Is(err, tt.kind) || te.Key != tt.key {
				t.Fatalf("got %v", err)
			}
			if !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), tt.key) || strings.Contains(err.Error(), "\n") {
				t.Errorf("message: %v", err)
			}
		})
	}
}

// TestBackup reads the table in each moment of an update of its properties.
func TestBackup(t *testing.T) {
	whole := []byte("hoodie.table.name=t\nhoodie.table.version=9\nhoodie.table.checksum=498511606\n")
	cut := whole[:10]
	for name, files := range map[string]map[string][]byte{
		"main only":           {propertiesFile: whole},
		"before the deletion": {propertiesFile: whole, backupFile: whole},
		"main deleted":        {backupFile: whole},
		"main cut short":      {propertiesFile: cut, backupFile: whole},
		"main empty":          {propertiesFile: nil, backupFile: whole},
		"backup cut short":    {propertiesFile: whole, backupFile: cut},
	} {
		if c, err := ReadConfig(t.Context(), storage.NewMemory(files)); err != nil || c.Name != "t" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, files := range map[string]map[string][]byte{
		"nothing":      {},
		"other folder": {"a/b.parquet": nil},
	} {
		if _, err := ReadConfig(t.Context(), storage.NewMemory(files)); !IsNotTable(err) {
			t.Errorf("%s: %v", name, err)
		}
		if ok, err := IsTable(t.Context(), storage.NewMemory(files)); ok || err != nil {
			t.Errorf("%s: is a table: %t, %v", name, ok, err)
		}
	}
	if _, err := ReadConfig(t.Context(), storage.NewMemory(map[string][]byte{propertiesFile: cut, backupFile: cut})); !errors.Is(err, ErrCorrupt) {
		t.Errorf("both cut short: %v", err)
	}
}

// TestChecksum compares with checksums that Hudi wrote.
func TestChecksum(t *testing.T) {
	for want, names := range map[string][2]string{
		"3180720914": {"default", "v6_trips_8i3d"},
		"380169000":  {"", "v8_trips_8i3u1d_metadata"},
	} {
		if got := (&Config{Database: names[0], Name: names[1]}).checksum(); got != want {
			t.Errorf("%v: %s, want %s", names, got, want)
		}
	}
}
