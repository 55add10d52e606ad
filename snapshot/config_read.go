package snapshot

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"path"
	"strconv"
	"strings"

	"github.com/hudi-go/hudi/internal/properties"
	"github.com/hudi-go/hudi/internal/storage"
)

// Table versions that are read.
const (
	OldestVersion = 5
	NewestVersion = 10
)

const (
	metaFolder     = ".hoodie"
	propertiesFile = metaFolder + "/hoodie.properties"
	backupFile     = metaFolder + "/hoodie.properties.backup"
)

// ReadConfig reads a table's configuration and refuses, with a [TableError],
// what is no table and what can't be read right.
func ReadConfig(ctx context.Context, st storage.Storage) (*Config, error) {
	c, err := readConfig(ctx, st)
	if err != nil {
		return nil, err
	}
	if err := c.checkFormats(st.Root()); err != nil {
		return nil, err
	}
	return c, nil
}

// readConfig is ReadConfig for the metadata table too, whose files are HFiles.
//
// A writer that changes the properties first writes a backup, then deletes
// and rewrites the file. So whichever of the two is whole is right.
func readConfig(ctx context.Context, st storage.Storage) (*Config, error) {
	c, err := loadProperties(ctx, st, propertiesFile)
	if err == nil {
		return c, c.check(st.Root(), propertiesFile)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	b, backupErr := loadProperties(ctx, st, backupFile)
	if backupErr == nil {
		return b, b.check(st.Root(), backupFile)
	}
	if !absent(err) {
		return nil, err
	}
	if !absent(backupErr) {
		return nil, backupErr
	}
	return nil, &TableError{Table: st.Root(), File: propertiesFile, Kind: ErrNotTable,
		Reason: "not a Hudi table (the file is absent): give the folder that holds .hoodie"}
}

// loadProperties reads one properties file and compares its checksum.
func loadProperties(ctx context.Context, st storage.Storage, file string) (*Config, error) {
	data, err := storage.ReadFile(ctx, st, file)
	if err != nil {
		if absent(err) || ctx.Err() != nil {
			return nil, err
		}
		return nil, &TableError{Table: st.Root(), File: file, Reason: "can't read the table's properties", Err: err}
	}
	raw, err := properties.Parse(data)
	if err != nil {
		return nil, &TableError{Table: st.Root(), File: file, Kind: ErrCorrupt,
			Reason: "can't parse the table's properties: restore the file", Err: err}
	}
	c := parseConfig(raw)
	if c.Name == "" {
		return nil, &TableError{Table: st.Root(), File: file, Key: "hoodie.table.name", Kind: ErrCorrupt,
			Reason: "the key is missing, so the file is cut short or no table's: restore it from a backup"}
	}
	want, ok := raw["hoodie.table.checksum"]
	if got := c.checksum(); ok && strings.TrimSpace(want) != got {
		return nil, &TableError{Table: st.Root(), File: file, Key: "hoodie.table.checksum", Kind: ErrCorrupt,
			Reason: fmt.Sprintf("checksum %q does not fit database %q and table %q (%s): restore the file, or the names in it",
				want, c.Database, c.Name, got)}
	}
	return c, nil
}

// checksum is what hoodie.table.checksum should be. It covers the names only.
func (c *Config) checksum() string {
	return strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(c.Database+"."+c.Name))), 10)
}

// check fills what needs checking on the way and refuses what can't be read.
func (c *Config) check(table, file string) error {
	refuse := func(key, format string, args ...any) error {
		return &TableError{Table: table, File: file, Key: key, Kind: ErrUnsupported, Reason: fmt.Sprintf(format, args...)}
	}
	version, err := strconv.Atoi(strings.TrimSpace(c.raw["hoodie.table.version"]))
	switch {
	case c.raw["hoodie.table.version"] == "":
		version = 0
	case err != nil:
		return refuse("hoodie.table.version", "%q is no table version", c.raw["hoodie.table.version"])
	}
	c.Version = version
	if version < OldestVersion {
		return refuse("hoodie.table.version", "table version %d is too old (versions %d to %d are read): upgrade the table with Hudi 0.12 or newer, e.g. hudi-cli `upgrade table`",
			version, OldestVersion, NewestVersion)
	}
	if version > NewestVersion {
		return refuse("hoodie.table.version", "table version %d is too new (versions %d to %d are read): update this program, or downgrade the table with hudi-cli `downgrade table`",
			version, OldestVersion, NewestVersion)
	}
	if c.Type != CopyOnWrite && c.Type != MergeOnRead {
		return refuse("hoodie.table.type", "unknown table type %q (%s and %s are read)", c.Type, CopyOnWrite, MergeOnRead)
	}
	if f := c.raw["hoodie.table.format"]; f != "" && !strings.EqualFold(f, "native") {
		return refuse("hoodie.table.format", "external table format %q is not read: use that format's own reader", f)
	}
	if c.StorageLayout != "default" && c.StorageLayout != "lsm_tree" {
		return refuse("hoodie.table.storage.layout", "unknown storage layout %q (default and lsm_tree are read)", c.StorageLayout)
	}
	return c.checkLayout(refuse)
}

// checkLayout finds the timeline's layout and folders.
func (c *Config) checkLayout(refuse func(key, format string, args ...any) error) error {
	c.TimelineLayout = 1
	if c.Version >= 8 {
		c.TimelineLayout = 2
	}
	if v := strings.TrimSpace(c.raw["hoodie.timeline.layout.version"]); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n != 1 && n != 2 {
			return refuse("hoodie.timeline.layout.version", "timeline layout %q is not read (1 and 2 are): upgrade the table", v)
		}
		c.TimelineLayout = n
	}
	folder := func(key, unset string) string {
		if v, ok := c.raw[key]; ok {
			return strings.Trim(strings.TrimSpace(v), "/")
		}
		return unset
	}
	archiveKey := "hoodie.timeline.history.path"
	if c.TimelineLayout == 1 {
		archiveKey = "hoodie.archivelog.folder"
		c.TimelinePath = metaFolder
		c.ArchivePath = path.Join(metaFolder, folder("hoodie.archivelog.folder", "archived"))
	} else {
		c.TimelinePath = path.Join(metaFolder, folder("hoodie.timeline.path", "timeline"))
		c.ArchivePath = path.Join(c.TimelinePath, folder("hoodie.timeline.history.path", "history"))
	}
	for _, f := range [][2]string{{"hoodie.timeline.path", c.TimelinePath}, {archiveKey, c.ArchivePath}} {
		if err := storage.Valid(f[1]); err != nil || f[1] != metaFolder && !strings.HasPrefix(f[1], metaFolder+"/") {
			return refuse(f[0], "folder %q is outside of %s", f[1], metaFolder)
		}
	}
	return nil
}

// checkFormats refuses base file formats that are not read. A table of
// several formats is opened; its files are looked at one by one.
func (c *Config) checkFormats(table string) error {
	if c.BaseFormat == FormatParquet || c.MultipleBaseFormats {
		return nil
	}
	return &TableError{Table: table, File: propertiesFile, Key: "hoodie.table.base.file.format", Kind: ErrUnsupported,
		Reason: fmt.Sprintf("base files of format %s are not read (%s is): rewrite the table, e.g. by a Spark job that copies it",
			c.BaseFormat, FormatParquet)}
}

// IsTable tells whether a folder is a Hudi table, without reading it all.
func IsTable(ctx context.Context, st storage.Storage) (bool, error) {
	for _, file := range [...]string{propertiesFile, backupFile} {
		f, err := st.Open(ctx, file)
		if err == nil {
			return true, f.Close()
		}
		if !absent(err) {
			return false, fmt.Errorf("open %s of %s: %w", file, st.Root(), err)
		}
	}
	return false, nil
}

// IsNotTable tells whether err says that a folder is no Hudi table.
func IsNotTable(err error) bool { return errors.Is(err, ErrNotTable) }
