package adbc

import (
	"bytes"
	"compress/flate"
	"io"
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
