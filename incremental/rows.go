package incremental

import "github.com/hudi-go/hudi/snapshot"

// Rows says which rows changed, by their _hoodie_commit_time: table services
// keep it when they move a row.
type Rows = snapshot.InstantRange
