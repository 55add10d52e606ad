package snapshot

import (
	"context"
	"fmt"
	"slices"

	"github.com/hudi-go/hudi/internal/storage"
)

// known checks that the metadata table, of whose partition files the slices
// are, knows every completed write of the table, as a writer completes its write
// there first. One that it does not know was made with the metadata table
// switched off, or the metadata table has lost files: its listing would leave
// out rows.
//
// What the last compaction of the metadata table has put into its base file can't
// be asked for one by one. From table version 8 on the log of a write is missed
// too, as its name has the write's time.
func (m *MetadataTable) known(ctx context.Context, files []FileSlice) error {
	for _, slice := range files {
		for _, i := range m.data.Commits() {
			if i.Requested <= slice.BaseInstant {
				continue
			}
			ok, err := m.timeline.Committed(ctx, i.Requested)
			switch {
			case err != nil:
				return err
			case !ok:
				return m.unknown(i, "it has no completed write of that time")
			case m.cfg.Version >= 8 && !slices.ContainsFunc(slice.Logs, func(l LogFile) bool { return l.Instant == i.Requested }):
				return m.unknown(i, fmt.Sprintf("its log of that time in %s is gone", storage.Join(metadataFolder, PartitionFiles)))
			}
		}
	}
	return nil
}

func (m *MetadataTable) unknown(i Instant, why string) error {
	return &TableError{Table: m.data.st.Root(), File: metadataFolder, Instant: i.Requested, Kind: ErrCorrupt,
		Reason: "the metadata table does not know this write: " + why +
			"; the read option " + OptionMetadata + "=false does without it, and lists folders"}
}
