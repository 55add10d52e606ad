package snapshot

// A FileSlice is what has to be merged of one file group: at most one base
// file, and the log files on top of it in the order of merging. It is plain
// data.
type FileSlice struct {
	Partition   string    `json:"partition"` // path relative to the base path, "" when not partitioned
	FileID      string    `json:"fileId"`
	BaseInstant string    `json:"baseInstant"` // of the base file, or of the first log
	Base        *BaseFile `json:"base,omitempty"`
	Logs        []LogFile `json:"logs,omitempty"`
}

// A BaseFile is a columnar file with all rows of its file group as of an
// instant.
type BaseFile struct {
	Path     string `json:"path"` // relative to the base path
	Size     int64  `json:"size"` // 0 = not known
	Instant  string `json:"instant"`
	Format   string `json:"format"`             // FormatParquet
	External bool   `json:"external,omitempty"` // written by no Hudi writer: without _hoodie_ columns
	// Bootstrap is the file that holds the data columns, when Path is a
	// skeleton that only holds _hoodie_ columns. Rows join by position.
	Bootstrap *BootstrapFile `json:"bootstrap,omitempty"`
}

// A BootstrapFile is a file outside of the table that a bootstrap left in
// place.
type BootstrapFile struct {
	Root      string `json:"root"` // URI of the bootstrap base path
	Path      string `json:"path"` // relative to Root
	Size      int64  `json:"size"`
	Partition string `json:"partition"` // source folder relative to Root; holds hive-style values
}

// Kinds of log files.
const (
	LogInline  = "inline"  // log format 1: blocks
	LogData    = "data"    // native: rows
	LogDeletes = "deletes" // native: deleted keys
)

// A LogFile is a file of changes.
type LogFile struct {
	Path       string `json:"path"`    // relative to the base path
	Size       int64  `json:"size"`    // 0 = not known
	Instant    string `json:"instant"` // of the write; below table version 8, of the slice's base
	Version    int    `json:"version"`
	WriteToken string `json:"writeToken,omitempty"`
	Kind       string `json:"kind"`             // one of the Log constants
	Format     string `json:"format,omitempty"` // container of native logs: PARQUET, HFILE
}
