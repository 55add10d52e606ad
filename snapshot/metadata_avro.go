package snapshot

// The Avro forms of timeline metadata, as far as they are read. Fields that a
// writer's schema lacks stay empty, fields that are not here are skipped.

type avroCommit struct {
	WriteStats *map[string][]avroWriteStat `avro:"partitionToWriteStats"`
	Compacted  *bool                       `avro:"compacted"`
	Extra      *map[string]string          `avro:"extraMetadata"`
	Operation  *string                     `avro:"operationType"`
	Replaced   *map[string][]string        `avro:"partitionToReplaceFileIds"`
}

type avroWriteStat struct {
	FileID       *string           `avro:"fileId"`
	Path         *string           `avro:"path"`
	PrevCommit   *string           `avro:"prevCommit"`
	Partition    *string           `avro:"partitionPath"`
	FileSize     *int64            `avro:"fileSizeInBytes"`
	BaseFile     *string           `avro:"baseFile"`
	LogFiles     []string          `avro:"logFiles"`
	LogVersion   *int              `avro:"logVersion"`
	NumWrites    *int64            `avro:"numWrites"`
	NumDeletes   *int64            `avro:"numDeletes"`
	NumUpdates   *int64            `avro:"numUpdateWrites"`
	NumInserts   *int64            `avro:"numInserts"`
	CDCStats     *map[string]int64 `avro:"cdcStats"`
	PrevBaseFile *string           `avro:"prevBaseFile"`
}

func (c *avroCommit) metadata() *CommitMetadata {
	m := &CommitMetadata{
		Compacted: deref(c.Compacted), Extra: deref(c.Extra), OperationType: deref(c.Operation),
		ReplacedFileIDs: deref(c.Replaced), WriteStats: make(map[string][]WriteStat, len(deref(c.WriteStats))),
	}
	for partition, stats := range deref(c.WriteStats) {
		all := make([]WriteStat, len(stats))
		for i, s := range stats {
			all[i] = WriteStat{
				FileID: deref(s.FileID), Path: deref(s.Path), PrevCommit: deref(s.PrevCommit), PartitionPath: deref(s.Partition),
				FileSize: deref(s.FileSize), BaseFile: deref(s.BaseFile), LogFiles: s.LogFiles, LogVersion: deref(s.LogVersion),
				NumWrites: deref(s.NumWrites), NumDeletes: deref(s.NumDeletes), NumUpdates: deref(s.NumUpdates),
				NumInserts: deref(s.NumInserts), CDCStats: deref(s.CDCStats), PrevBaseFile: deref(s.PrevBaseFile),
			}
		}
		m.WriteStats[partition] = all
	}
	return m
}

// archivedEntry is a record of the archived timeline of layout 1.
type archivedEntry struct {
	Time       *string `avro:"commitTime"`
	Action     *string `avro:"actionType"`
	State      *string `avro:"actionState"`
	Transition *string `avro:"stateTransitionTime"`
}

// archivedCommit is the same record, for its metadata.
type archivedCommit struct {
	Commit  *avroCommit `avro:"hoodieCommitMetadata"`
	Replace *avroCommit `avro:"hoodieReplaceCommitMetadata"`
}

type avroCompactionPlan struct {
	Operations *[]avroCompactionOperation `avro:"operations"`
	Version    *int                       `avro:"version"`
}

type avroCompactionOperation struct {
	BaseInstant *string   `avro:"baseInstantTime"`
	LogFiles    *[]string `avro:"deltaFilePaths"`
	DataFile    *string   `avro:"dataFilePath"`
	FileID      *string   `avro:"fileId"`
	Partition   *string   `avro:"partitionPath"`
}

type avroReplaceRequest struct {
	OperationType *string             `avro:"operationType"`
	Plan          *avroClusteringPlan `avro:"clusteringPlan"`
}

type avroClusteringPlan struct {
	Groups *[]avroClusteringGroup `avro:"inputGroups"`
}

type avroClusteringGroup struct {
	Slices *[]avroSliceInfo `avro:"slices"`
}

type avroSliceInfo struct {
	FileID    *string `avro:"fileId"`
	Partition *string `avro:"partitionPath"`
}

type avroClean struct {
	Earliest   string                        `avro:"earliestCommitToRetain"`
	Partitions map[string]avroCleanPartition `avro:"partitionMetadata"`
}

type avroCleanPartition struct {
	Deleted []string `avro:"successDeleteFiles"`
}

type avroSavepoint struct {
	By         string                            `avro:"savepointedBy"`
	Comment    string                            `avro:"comments"`
	Partitions map[string]avroSavepointPartition `avro:"partitionMetadata"`
}

type avroSavepointPartition struct {
	Files []string `avro:"savepointDataFile"`
}

type avroRollback struct {
	Instants []string `avro:"commitsRollback"`
}

type avroRestore struct {
	Instants []string `avro:"instantsToRollback"`
}

type avroRollbackPlan struct {
	Instant *struct {
		Time string `avro:"commitTime"`
	} `avro:"instantToRollback"`
}
