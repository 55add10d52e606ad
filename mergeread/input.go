package mergeread

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/batch"
)

// PositionColumn is the name of the int64 column with the ordinals of base
// rows in their file.
const PositionColumn = "_pos"

// DeletedColumn is the bool column that [Input.EmitDeletes] appends to the
// output: true on rows that stand for a deleted key.
const DeletedColumn = "_deleted"

// OtherClassColumn is the optional bool column of delete batches: true where
// the ordering value of the delete had another class than the ordering field
// and could not be converted. Such a delete wins over every older record.
const OtherClassColumn = "_other_class"

// A Kind says what the batches of a run hold.
type Kind uint8

const (
	Data   Kind = iota // rows of the working schema
	Delete             // keys and ordering values
)

// A Run is one log block or native log file.
type Run struct {
	Kind Kind
	// Name is the file (and block) for error messages; Instant its instant.
	Name, Instant string

	// Present says which columns of the working schema the block stores, for
	// a block that is a partial update (IS_PARTIAL). nil means all.
	Present []bool

	// Positions are the ordinals of the run's rows in the base file, one per
	// row in row order; nil when the run has none or they belong to another
	// base file.
	Positions []int64

	// Open reads the run; it may be called again after the reader was closed.
	//
	// A data run yields batches in the working schema, columns that it lacks
	// being null. A delete run yields batches whose column 0 is the record
	// key, then one column per field of Rules.Ordering with that field's type
	// in the working schema (null = no ordering value), then optionally
	// OtherClassColumn. Key-only batches are deletes without ordering value.
	Open func(ctx context.Context) (batch.Reader, error)

	// Some, if set, is Open of a data run with these columns of the working
	// schema alone, in this order.
	Some func(ctx context.Context, columns []int) (batch.Reader, error)

	partial bool // a block before this one in the slice is a partial update
}

// changesRules says that the slice merges by which columns the blocks store,
// from this run on.
func (r Run) changesRules() bool { return r.Present != nil || r.partial }

// failed names the run in an error.
func (r *Run) failed(err error) error {
	return fmt.Errorf("merge log %s (instant %s): %w", r.Name, r.Instant, err)
}

// nextRows gives the next batch with rows of a reader.
func nextRows(ctx context.Context, rd batch.Reader) (arrow.RecordBatch, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rec, err := rd.Next()
		if err != nil || rec.NumRows() > 0 {
			return rec, err
		}
		rec.Release()
	}
}

// open reads the run; columns are those wanted of a data run, nil = all.
func (r *Run) open(ctx context.Context, columns []int) (batch.Reader, error) {
	if columns == nil || r.Kind == Delete {
		return r.Open(ctx)
	}
	return r.Some(ctx, columns)
}

// An Input is one file slice, opened.
type Input struct {
	// Schema is the working schema of the slice: the output columns, the key
	// and what [Rules.Columns] asks for, in any order.
	Schema *arrow.Schema
	// Key is the index of the record key (utf8 or large utf8) in Schema.
	Key int
	// Output are the indexes of the columns that come out, in that order.
	Output []int

	// Base reads the base file: batches of exactly the given columns of the
	// working schema in that order, and PositionColumn last if position is
	// true. nil for a slice without base file. It may be called again after
	// the reader was closed.
	Base func(ctx context.Context, columns []int, position bool) (batch.Reader, error)

	// Runs are the log blocks in the order in which they apply.
	Runs  []Run
	Rules Rules

	// Sorted promises that the base and every run are sorted by key bytes
	// (the lsm_tree layout). The promise is checked while reading.
	Sorted bool

	// EmitDeletes adds DeletedColumn to the output and gives a row for each
	// deleted key: the deleting row's own values, or key and ordering values
	// alone.
	EmitDeletes bool

	// SkipMerge yields base rows and log rows unmerged; deletes are ignored.
	SkipMerge bool
}

// Options steer how a merge runs. The zero value is useful.
type Options struct {
	Allocator memory.Allocator // nil = memory.DefaultAllocator
	BatchSize int              // rows per batch of log-only and sorted output; 0 = 8192
	// MemoryLimit is what the log side may hold in memory before it goes to
	// disk, in bytes; 0 = no limit.
	MemoryLimit int64
	SpillDir    string // "" = os.TempDir()
	// Unsorted, if set, is told when a source breaks the promise of Input.Sorted,
	// so that the slice is merged by hashing from there on: the number of the
	// run, or -1 for the base.
	Unsorted func(run int)
	// Stats, if set, is added to while the merge runs, by the goroutine that
	// calls Next.
	Stats *Stats
}

// Stats count what a merge did.
type Stats struct {
	BaseRows    int64 // rows read from the base
	LogRecords  int64 // data rows read from logs
	LogDeletes  int64 // entries of delete blocks and files
	Updated     int64 // base rows replaced or combined
	Deleted     int64 // base rows dropped
	Kept        int64 // base rows that won against a log record
	Inserted    int64 // log-only rows
	PassedSlice int64 // base rows that went on as slices, without being copied
	Comparisons int64 // of keys and ordering values
	Spilled     int64 // bytes written to disk
}

// Add adds another merge's counts.
func (s *Stats) Add(o Stats) {
	s.BaseRows += o.BaseRows
	s.LogRecords += o.LogRecords
	s.LogDeletes += o.LogDeletes
	s.Updated += o.Updated
	s.Deleted += o.Deleted
	s.Kept += o.Kept
	s.Inserted += o.Inserted
	s.PassedSlice += o.PassedSlice
	s.Comparisons += o.Comparisons
	s.Spilled += o.Spilled
}

// OutputSchema is the schema of the batches that [Merge] yields.
func (in *Input) OutputSchema() *arrow.Schema {
	fields := make([]arrow.Field, 0, len(in.Output)+1)
	for _, c := range in.Output {
		fields = append(fields, in.Schema.Field(c))
	}
	if in.EmitDeletes {
		fields = append(fields, arrow.Field{Name: DeletedColumn, Type: arrow.FixedWidthTypes.Boolean})
	}
	return arrow.NewSchema(fields, nil)
}
