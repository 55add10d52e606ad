package pushdown

import (
	"encoding/json"
	"slices"
	"sync"
)

// Levels at which containers are pruned, from the outside in.
const (
	LevelPartitions = "partitions"
	LevelFileSlices = "file slices"
	LevelFiles      = "files"
	LevelRowGroups  = "row groups"
	LevelPages      = "rows by page"
	LevelRows       = "rows"
)

// Counters count what was seen and pruned at each level, and why. The zero
// value is ready; it is safe for concurrent use.
type Counters struct {
	mu     sync.Mutex
	levels []*LevelCount
}

// A LevelCount is what happened at one level.
type LevelCount struct {
	Level  string   `json:"level"`
	Seen   int64    `json:"seen"`
	Pruned int64    `json:"pruned"`
	By     []Reason `json:"by,omitempty"`
}

// A Reason is what pruned: a part of the condition, asked of an index.
type Reason struct {
	Condition string `json:"condition"`
	Index     string `json:"index"` // "partition path", "column_stats", "bloom filter", ...
	Count     int64  `json:"count"`
}

// Count counts a container with the verdict on it. index names what the
// verdict rests on.
func (c *Counters) Count(level, index string, v Verdict) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.level(level)
	l.Seen++
	if v.Answer == No {
		l.Pruned++
		l.because(v.Conjunct, index, 1)
	}
}

// Add counts many containers, say rows, at once.
func (c *Counters) Add(level, index, condition string, seen, pruned int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.level(level)
	l.Seen += seen
	l.Pruned += pruned
	if pruned > 0 {
		l.because(condition, index, pruned)
	}
}

func (c *Counters) level(name string) *LevelCount {
	for _, l := range c.levels {
		if l.Level == name {
			return l
		}
	}
	l := &LevelCount{Level: name}
	c.levels = append(c.levels, l)
	return l
}

func (l *LevelCount) because(condition, index string, n int64) {
	for i := range l.By {
		if l.By[i].Condition == condition && l.By[i].Index == index {
			l.By[i].Count += n
			return
		}
	}
	l.By = append(l.By, Reason{condition, index, n})
}

// Levels gives the counts, a copy, in the order of first use.
func (c *Counters) Levels() []LevelCount {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]LevelCount, len(c.levels))
	for i, l := range c.levels {
		out[i] = *l
		out[i].By = slices.Clone(l.By)
	}
	return out
}

// MarshalJSON gives the counts as a list of levels.
func (c *Counters) MarshalJSON() ([]byte, error) { return json.Marshal(c.Levels()) }

// AddLevels gives the sum of two counts, level by level.
func AddLevels(a, b []LevelCount) []LevelCount {
	var c Counters
	for _, l := range slices.Concat(a, b) {
		sum := c.level(l.Level)
		sum.Seen += l.Seen
		sum.Pruned += l.Pruned
		for _, r := range l.By {
			sum.because(r.Condition, r.Index, r.Count)
		}
	}
	return c.Levels()
}
