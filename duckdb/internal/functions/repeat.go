package functions

import (
	"strings"
	"sync"
	"time"
)

// DuckDB evaluates the argument of query() twice when it binds a statement. The
// second time is spared the planning: a text is kept for a moment, and given
// out once, if the call and the table's latest instant are still the same.
type repeated struct {
	mu    sync.Mutex
	key   string
	text  string
	until time.Time
}

// keptFor is how long a text is kept.
const keptFor = time.Second

func repeatKey(arguments []string, instant string) string {
	return strings.Join(append(arguments[:len(arguments):len(arguments)], instant), "\x00")
}

// or gives the text that is kept for a key, or makes one and keeps it.
func (r *repeated) or(key string, plan func() (string, error)) (string, error) {
	r.mu.Lock()
	kept, ok := r.text, r.key == key && time.Now().Before(r.until)
	if ok {
		r.key, r.text = "", ""
	}
	r.mu.Unlock()
	if ok {
		return kept, nil
	}
	text, err := plan()
	if err == nil {
		r.mu.Lock()
		r.key, r.text, r.until = key, text, time.Now().Add(keptFor)
		r.mu.Unlock()
	}
	return text, err
}
