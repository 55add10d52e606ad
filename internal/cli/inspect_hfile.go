package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow/memory"

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

func inspectHFile(_ context.Context, e *Env, f storage.File, asJSON bool) error {
	h, err := hfile.Open(f, f.Size())
	if err != nil {
		return err
	}
	var d *avro.Decoder
	if text, ok := h.Info("schema"); ok {
		if s, err := avro.Parse(string(text)); err == nil {
			if d, err = avro.NewDecoder(s, nil, memory.DefaultAllocator); err == nil {
				defer d.Release()
			}
		}
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
		item := describeEntry(d, entry)
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
		rows = append(rows, []string{item.Key, strconv.Itoa(item.Bytes), value})
	}
	if asJSON {
		return out.Flush()
	}
	return render.List(out, columns("key", ">bytes", "value"), rows, e.renderOptions())
}

func describeEntry(d *avro.Decoder, entry hfile.Entry) hfileEntry {
	item := hfileEntry{Key: entry.Key, Bytes: len(entry.Value)}
	if d != nil && d.Append(entry.Value) == nil {
		b := d.NewBatch()
		defer b.Release()
		var text bytes.Buffer
		if w, err := render.New(render.JSON, &text, b.Schema(), render.Options{}); err == nil && w.Write(b) == nil && w.Close() == nil {
			item.Record = bytes.TrimSpace(text.Bytes())
			return item
		}
	}
	item.Value = hex.EncodeToString(entry.Value)
	return item
}
