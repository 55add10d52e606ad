package adbc

import (
	"bytes"
	"compress/flate"
	"context"
	"io"
	"log/slog"

	"github.com/apache/arrow-adbc/go/adbc"
)

// UnpackPartition gives the JSON text of a partition descriptor.
func UnpackPartition(id []byte) ([]byte, error) {
	return io.ReadAll(flate.NewReader(bytes.NewReader(id[len(partitionMark):])))
}

// PackPartition makes a descriptor of a JSON text.
func PackPartition(text []byte) []byte {
	var out bytes.Buffer
	out.WriteString(partitionMark)
	w, _ := flate.NewWriter(&out, flate.BestSpeed)
	w.Write(text)
	w.Close()
	return out.Bytes()
}

// Started tells whether any engine of a database has started DuckDB.
func Started(db adbc.Database) bool {
	for _, e := range db.(*database).engines {
		if e.engine.duck != nil {
			return true
		}
	}
	return false
}

// Logger is what engines get for a database's logger.
func Logger(to *slog.Logger) *slog.Logger { return logger(to) }

// Noting gives a context that notes findings, and what gives them.
func Noting(ctx context.Context) (func() string, context.Context) {
	f := &findings{}
	return f.json, f.note(ctx)
}
