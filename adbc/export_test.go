package adbc

import (
	"bytes"
	"compress/flate"
	"io"

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
