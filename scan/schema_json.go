package scan

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// A Schema is an Arrow schema that serializes to JSON, as the bytes of an Arrow
// IPC stream without batches.
type Schema struct{ *arrow.Schema }

// MarshalJSON implements json.Marshaler.
func (s Schema) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	if err := ipc.NewWriter(&b, ipc.WithSchema(s.Schema)).Close(); err != nil {
		return nil, err
	}
	return json.Marshal(b.Bytes())
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Schema) UnmarshalJSON(text []byte) error {
	var raw []byte
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	r, err := ipc.NewReader(bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("schema of a serialized plan: %w", err)
	}
	defer r.Release()
	s.Schema = r.Schema()
	return nil
}
