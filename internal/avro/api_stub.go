// Package avro decodes Avro records into Arrow.
package avro

import (
	"errors"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

var errStub = errors.New("avro: not there yet")

// DefaultKey is the key of the Arrow field metadata that holds the JSON text
// of a field's non-null default.
const DefaultKey = "hudi.default"

// ErrBatchFull is given by Append when a batch cannot take the record: take
// the batch and append again.
var ErrBatchFull = errors.New("avro: batch is full")

// A Schema is a parsed writer schema.
type Schema struct{}

// Parse parses an Avro schema.
func Parse(json string) (*Schema, error) { return nil, errStub }

// Arrow gives the Arrow form of a record schema.
func (s *Schema) Arrow() (*arrow.Schema, error) { return nil, errStub }

// Unmarshal decodes one binary record into a Go value with `avro` tags (slow
// road, for metadata).
func (s *Schema) Unmarshal(rec []byte, v any) error { return errStub }

// A Decoder appends binary records to Arrow columns.
type Decoder struct{}

// NewDecoder compiles a decoder of the wanted top-level fields (nil = all;
// names that the schema does not have are ignored).
func NewDecoder(s *Schema, columns []string, mem memory.Allocator) (*Decoder, error) {
	return nil, errStub
}

// Schema is the schema of the batches: the wanted fields in the writer's order.
func (d *Decoder) Schema() *arrow.Schema { return nil }

// SetKey names the string field that takes the key given to AppendKeyed
// (HFile values have it blanked).
func (d *Decoder) SetKey(field string) error { return errStub }

// Append adds one record.
func (d *Decoder) Append(rec []byte) error { return errStub }

// AppendKeyed adds one record with its key.
func (d *Decoder) AppendKeyed(key string, rec []byte) error { return errStub }

// Len is the number of rows gathered.
func (d *Decoder) Len() int { return 0 }

// Size is the number of bytes gathered.
func (d *Decoder) Size() int64 { return 0 }

// NewBatch gives the rows gathered and starts anew.
func (d *Decoder) NewBatch() arrow.RecordBatch { return nil }

// Release gives the buffers back.
func (d *Decoder) Release() {}

// DecodeContainer decodes an object container file with one record.
func DecodeContainer(data []byte, v any) error { return errStub }

// ContainerSchema is the writer schema of an object container file.
func ContainerSchema(data []byte) (*Schema, error) { return nil, errStub }
