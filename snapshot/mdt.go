package snapshot

import "context"

// PartitionFiles is the metadata table's partition that lists files.
const PartitionFiles = "files"

// A MetadataTable looks keys up in the metadata table.
type MetadataTable struct{}

// Metadata opens the table's metadata table; nil if the table has none.
func (s *Snapshot) Metadata(ctx context.Context) (*MetadataTable, error) { return nil, nil }

func (m *MetadataTable) listFiles(ctx context.Context) (*listing, error) { return nil, nil }
