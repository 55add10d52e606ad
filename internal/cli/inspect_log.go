package cli

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/hudi-go/hudi/internal/hfile"
	"github.com/hudi-go/hudi/internal/hudilog"
	"github.com/hudi-go/hudi/internal/parquet"
	"github.com/hudi-go/hudi/internal/storage"
)

// logBlock is what is shown of a block.
type logBlock struct {
	Offset  int64             `json:"offset"`
	Type    string            `json:"type"`
	Instant string            `json:"instant,omitempty"`
	Records int64             `json:"records"`
	Bytes   int64             `json:"bytes"` // of the content
	Version int               `json:"version"`
	Corrupt bool              `json:"corrupt,omitempty"`
	Header  map[string]string `json:"header,omitempty"`
	Error   string            `json:"error,omitempty"` // of the content
}

func inspectLog(ctx context.Context, e *Env, f storage.File, asJSON bool) error {
	blocks, err := hudilog.Blocks(ctx, f)
	if err != nil {
		return err
	}
	items := make([]logBlock, len(blocks))
	for i, b := range blocks {
		items[i] = describeBlock(b)
	}
	l := listing[logBlock]{
		columns: []string{">offset", "type", "instant", ">records", ">bytes", ">version", "more"},
		items:   items,
		row: func(b logBlock) []string {
			return []string{
				strconv.FormatInt(b.Offset, 10), b.Type, b.Instant, strconv.FormatInt(b.Records, 10),
				strconv.FormatInt(b.Bytes, 10), strconv.Itoa(b.Version), b.more(),
			}
		},
	}
	return l.print(e, asJSON)
}

// more is what a table shows of the header: not the schema, and not twice the
// instant.
func (b *logBlock) more() string {
	var out bytes.Buffer
	if b.Error != "" {
		out.WriteString(b.Error)
	}
	keys := make([]string, 0, len(b.Header))
	for k := range b.Header {
		if k != hudilog.Schema.String() && k != hudilog.InstantTime.String() {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		v := b.Header[k]
		if k == hudilog.RecordPositions.String() {
			if p, err := hudilog.Positions(v); err == nil {
				v = fmt.Sprintf("(%d)", len(p))
			}
		}
		if len(v) > 40 {
			v = fmt.Sprintf("(%d bytes)", len(v))
		}
		if out.Len() > 0 {
			out.WriteByte(' ')
		}
		fmt.Fprintf(&out, "%s=%s", k, v)
	}
	return out.String()
}

func describeBlock(b *hudilog.Block) logBlock {
	d := logBlock{
		Offset: b.Offset, Type: b.Type.String(), Instant: b.Header[hudilog.InstantTime], Bytes: b.ContentLength,
		Version: b.Version, Corrupt: b.Corrupt, Header: map[string]string{},
	}
	for k, v := range b.Header {
		d.Header[k.String()] = v
	}
	if b.Corrupt {
		return d
	}
	n, err := countRecords(b)
	if err != nil {
		d.Error = err.Error()
	}
	d.Records = n
	return d
}

func countRecords(b *hudilog.Block) (int64, error) {
	switch b.Type {
	case hudilog.AvroDataBlock, hudilog.CDCDataBlock, hudilog.DeleteBlock:
		content, err := b.Content()
		if err != nil {
			return 0, err
		}
		if b.Type == hudilog.DeleteBlock {
			list, err := hudilog.Deletes(content)
			if err != nil {
				return 0, err
			}
			return int64(len(list.Keys)), nil
		}
		n, _, err := hudilog.AvroRecords(content)
		return int64(n), err
	case hudilog.ParquetDataBlock:
		p, err := parquet.OpenSection(b.Section(), b.ContentLength, b.File)
		if err != nil {
			return 0, err
		}
		return p.NumRows(), nil
	case hudilog.HFileDataBlock:
		h, err := hfile.Open(b.Section(), b.ContentLength)
		if err != nil {
			return 0, err
		}
		return h.Len(), nil
	}
	return 0, nil
}
