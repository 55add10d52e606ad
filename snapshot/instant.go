package snapshot

import (
	"strings"

	"github.com/hudi-go/hudi/internal/storage"
)

// Actions of instants.
const (
	ActionCommit        = "commit"
	ActionDeltaCommit   = "deltacommit"
	ActionReplaceCommit = "replacecommit"
	ActionCompaction    = "compaction"
	ActionLogCompaction = "logcompaction"
	ActionClustering    = "clustering"
	ActionClean         = "clean"
	ActionRollback      = "rollback"
	ActionRestore       = "restore"
	ActionSavepoint     = "savepoint"
	ActionIndexing      = "indexing"
	ActionSchemaCommit  = "schemacommit"
)

// States of instants.
const (
	StateRequested = "REQUESTED"
	StateInflight  = "INFLIGHT"
	StateCompleted = "COMPLETED"
)

// An Instant is one action on the timeline, in the last state it reached.
type Instant struct {
	Requested string `json:"instant"`              // time of the request; names the instant
	Completed string `json:"completion,omitempty"` // time of completion, where the timeline records it
	Action    string `json:"action"`               // as the file of its last state names it
	State     string `json:"state"`                // one of the State constants
	Archived  bool   `json:"archived,omitempty"`
	File      string `json:"file,omitempty"` // path of the file of its last state; "" when archived
}

// IsCompleted tells whether the action is done.
func (i Instant) IsCompleted() bool { return i.State == StateCompleted }

// kind is the action that an instant completes as: a compaction becomes a
// commit, and so on. Files of one instant share it.
func (i Instant) kind() string { return completedAs(i.Action) }

func completedAs(action string) string {
	switch action {
	case ActionCompaction:
		return ActionCommit
	case ActionLogCompaction:
		return ActionDeltaCommit
	case ActionClustering:
		return ActionReplaceCommit
	}
	return action
}

// IsWrite tells whether the action writes data files.
func (i Instant) IsWrite() bool {
	switch i.kind() {
	case ActionCommit, ActionDeltaCommit, ActionReplaceCommit:
		return true
	}
	return false
}

// CompletionOrRequest is the completion time, or the requested time of
// instants without one (layout 1, and instants from before an upgrade to
// layout 2).
func (i Instant) CompletionOrRequest() string {
	if i.Completed != "" {
		return i.Completed
	}
	return i.Requested
}

func rank(state string) int {
	switch state {
	case StateInflight:
		return 1
	case StateCompleted:
		return 2
	}
	return 0
}

// parseInstant takes a file name of the active timeline apart; ok is false for
// any other file.
//
//	layout 1  T.action[.state]       layout 2  T[_C].action[.state]
//
// T.inflight is an inflight commit.
func parseInstant(name string, layout int) (i Instant, ok bool) {
	n := digits(name)
	if n == 0 {
		return Instant{}, false
	}
	i.Requested, name = name[:n], name[n:]
	if layout == 2 && strings.HasPrefix(name, "_") {
		n := digits(name[1:])
		if n == 0 {
			return Instant{}, false
		}
		i.Completed, name = name[1:1+n], name[1+n:]
	}
	if !strings.HasPrefix(name, ".") {
		return Instant{}, false
	}
	action, state, hasState := strings.Cut(name[1:], ".")
	i.Action, i.State = action, StateCompleted
	switch {
	case action == "inflight" && !hasState:
		i.Action, i.State = ActionCommit, StateInflight
	case !knownAction(action):
		return Instant{}, false
	case !hasState:
	case state == "requested":
		i.State = StateRequested
	case state == "inflight":
		i.State = StateInflight
	default:
		return Instant{}, false
	}
	if i.Completed != "" && i.State != StateCompleted {
		return Instant{}, false
	}
	return i, true
}

func knownAction(action string) bool {
	switch action {
	case ActionCommit, ActionDeltaCommit, ActionReplaceCommit, ActionCompaction, ActionLogCompaction, ActionClustering,
		ActionClean, ActionRollback, ActionRestore, ActionSavepoint, ActionIndexing, ActionSchemaCommit:
		return true
	}
	return false
}

// digits gives the number of leading decimal digits.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// collect reduces the files of a timeline folder to one instant per action and
// time, in the highest state seen. requests is filled with the files of lower
// states that hold plans.
func collect(entries []storage.Entry, dir string, layout int) (all []Instant, requests map[instantKey]string) {
	requests = map[instantKey]string{}
	at := map[instantKey]int{}
	for _, e := range entries {
		i, ok := parseInstant(e.Name, layout)
		if !ok || e.IsDir {
			continue
		}
		i.File = storage.Join(dir, e.Name)
		key := instantKey{i.Requested, i.kind()}
		if i.State == StateRequested {
			requests[key] = i.File
		}
		if n, seen := at[key]; !seen {
			at[key] = len(all)
			all = append(all, i)
		} else if old := all[n]; rank(i.State) > rank(old.State) || i.State == old.State && i.Completed > old.Completed {
			all[n] = i
		}
	}
	return all, requests
}

// An instantKey tells instants apart: a savepoint has the time of the commit
// it pins.
type instantKey struct{ time, kind string }
