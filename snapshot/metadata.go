package snapshot

// A CommitMetadata says what a write did.
type CommitMetadata struct {
	WriteStats    map[string][]WriteStat `json:"partitionToWriteStats"` // by partition path
	Compacted     bool                   `json:"compacted"`
	Extra         map[string]string      `json:"extraMetadata"`
	OperationType string                 `json:"operationType"` // UPSERT, COMPACT, CLUSTER, ...
	// ReplacedFileIDs are the file groups that a replacecommit took away, by
	// partition path.
	ReplacedFileIDs map[string][]string `json:"partitionToReplaceFileIds"`
	// Unwritten: the file is empty, so nothing is known of the write. It is
	// only just completing, or its writer died at that.
	Unwritten bool `json:"-"`
}

// Schema is the table's Avro schema as of the write, "" if it has none.
func (m *CommitMetadata) Schema() string { return m.Extra["schema"] }

// A WriteStat says what a write did to one file.
type WriteStat struct {
	FileID        string           `json:"fileId"`
	Path          string           `json:"path"` // relative to the base path
	PrevCommit    string           `json:"prevCommit"`
	PartitionPath string           `json:"partitionPath"`
	FileSize      int64            `json:"fileSizeInBytes"`
	BaseFile      string           `json:"baseFile"`
	LogFiles      []string         `json:"logFiles"`
	LogVersion    int              `json:"logVersion"`
	NumWrites     int64            `json:"numWrites"`
	NumDeletes    int64            `json:"numDeletes"`
	NumUpdates    int64            `json:"numUpdateWrites"`
	NumInserts    int64            `json:"numInserts"`
	CDCStats      map[string]int64 `json:"cdcStats"` // size of each CDC log, by relative path
	PrevBaseFile  string           `json:"prevBaseFile"`
}

// A CompactionPlan says what a compaction will merge.
type CompactionPlan struct {
	Operations []CompactionOperation
	Version    int
}

// A CompactionOperation is the file slice of one file group that a compaction
// merges.
type CompactionOperation struct {
	Partition   string
	FileID      string
	BaseInstant string
	DataFile    string
	LogFiles    []string
}

// A ReplaceRequest says what a requested replacecommit will do. Overwrites
// have no plan.
type ReplaceRequest struct {
	OperationType string
	Clustering    *ClusteringPlan
}

// A ClusteringPlan names the file groups that a clustering rewrites.
type ClusteringPlan struct {
	Inputs []FileGroupID
}

// A FileGroupID names a file group.
type FileGroupID struct {
	Partition string `json:"partition"`
	FileID    string `json:"fileId"`
}

// A CleanMetadata says what a clean left.
type CleanMetadata struct {
	// EarliestToRetain is the oldest instant that can be read for sure; "" if
	// the cleaner's policy gives none.
	EarliestToRetain string
	Deleted          map[string][]string // by partition path
}

// A SavepointMetadata names the files that a savepoint pins.
type SavepointMetadata struct {
	By, Comment string
	Files       map[string][]string // names by partition path
}

// A RollbackMetadata names the instants that a rollback or restore takes away.
type RollbackMetadata struct {
	Instants []string
}
