package cli

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"github.com/hudi-go/hudi/internal/avro"
	"github.com/hudi-go/hudi/internal/hfile"
	"github.com/hudi-go/hudi/internal/render"
	"github.com/hudi-go/hudi/internal/storage"
)

// hfileEntry is what is shown of an entry: the decoded record, or, where the
// file names no schema, the bytes.
type hfileEntry struct {
	Key    string          `json:"key"`
	Bytes  int             `json:"bytes"`
	Record json.RawMessage `json:"record,omitempty"`
	Value  string          `json:"value,omitempty"` // hexadecimal digits
}

// maxValue is how much of a value a table shows: some are Bloom filters.
const maxValue = 400

func inspectHFile(_ context.Context, e *Env, f storage.File, asJSON bool) error {
	h, err := hfile.Open(f, f.Size())
	if err != nil {
		return err
	}
	var schema *avro.Schema
	if text, ok := h.Info("schema"); ok {
		schema, _ = avro.Parse(string(text)) // if it is no schema, bytes are shown
	}
	out := bufio.NewWriter(e.Stdout)
	defer out.Flush()
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	var rows [][]string
	for entry, err := range h.Entries("") {
		if err != nil {
			return err
		}
		item := describeEntry(schema, entry)
		if asJSON {
			if err := enc.Encode(item); err != nil {
				return err
			}
			continue
		}
		value := string(item.Record)
		if item.Record == nil {
			value = item.Value
		}
		rows = append(rows, []string{item.Key, strconv.Itoa(item.Bytes), shorten(value, maxValue)})
	}
	if asJSON {
		return out.Flush()
	}
	return render.List(out, columns("key", ">bytes", "value"), rows, e.renderOptions())
}

func describeEntry(schema *avro.Schema, entry hfile.Entry) hfileEntry {
	item := hfileEntry{Key: entry.Key, Bytes: len(entry.Value)}
	if schema != nil {
		var record map[string]any
		if schema.Unmarshal(entry.Value, &record) == nil {
			if text, err := json.Marshal(present(record)); err == nil {
				item.Record = text
				return item
			}
		}
	}
	item.Value = hex.EncodeToString(entry.Value)
	return item
}

// present leaves out what is null, of which records of the metadata table have
// much, and spells bytes in hexadecimal digits.
func present(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, item := range v {
			if item != nil {
				out[k] = present(item)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = present(item)
		}
		return out
	case []byte:
		return hex.EncodeToString(v)
	}
	return v
}
