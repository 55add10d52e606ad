package snapshot

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/hudi-go/hudi/internal/storage"
)

// An IndexDefinition says what an index of the metadata table is over.
type IndexDefinition struct {
	Name     string            `json:"indexName"`
	Type     string            `json:"indexType"`
	Function string            `json:"indexFunction"`
	Fields   []string          `json:"sourceFields"`
	Options  map[string]string `json:"indexOptions"`
	Version  string            `json:"version"` // V1 or V2; "" before table version 9
}

// IndexDefinitions gives the definitions of the table's indexes, by partition
// of the metadata table; none if the table has no file of them.
func (m *MetadataTable) IndexDefinitions(ctx context.Context) (map[string]IndexDefinition, error) {
	return m.defs.get(func() (map[string]IndexDefinition, error) {
		file := m.data.cfg.IndexDefsPath
		data, err := storage.ReadFile(ctx, m.data.st, file)
		if absent(err) {
			return nil, nil
		}
		var all struct {
			Definitions map[string]IndexDefinition `json:"indexDefinitions"`
		}
		if err == nil && len(data) > 0 {
			err = json.Unmarshal(data, &all)
		}
		if err != nil {
			return nil, &TableError{Table: m.data.st.Root(), File: file, Key: "hoodie.table.index.defs.path", Kind: ErrCorrupt,
				Reason: "can't read the index definitions (read option " + OptionMetadata + "=false does without)", Err: err}
		}
		return all.Definitions, nil
	})
}

// lazyMap is a lazy value for each key.
type lazyMap[T any] struct {
	mu sync.Mutex
	m  map[string]*lazy[T]
}

func (l *lazyMap[T]) get(key string, build func() (T, error)) (T, error) {
	l.mu.Lock()
	if l.m == nil {
		l.m = map[string]*lazy[T]{}
	}
	v := l.m[key]
	if v == nil {
		v = &lazy[T]{}
		l.m[key] = v
	}
	l.mu.Unlock()
	return v.get(build)
}
