package cli

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hudi-go/hudi/internal/hudilog"
	"github.com/hudi-go/hudi/internal/parquet"
	"github.com/hudi-go/hudi/internal/render"
	"github.com/hudi-go/hudi/internal/storage"
)

// parquetInfo is what is shown of a footer.
type parquetInfo struct {
	Rows      int64             `json:"rows"`
	CreatedBy string            `json:"createdBy"`
	Metadata  map[string]string `json:"metadata"`
	Columns   []column          `json:"columns"`
	Groups    []parquetGroup    `json:"rowGroups"`
}

type parquetGroup struct {
	Rows   int64          `json:"rows"`
	Bytes  int64          `json:"bytes"` // uncompressed
	Chunks []parquetChunk `json:"chunks"`
}

type parquetChunk struct {
	Path  string `json:"path"`
	Type  string `json:"type"`
	Bytes int64  `json:"bytes"` // compressed
	Nulls *int64 `json:"nulls,omitempty"`
	Min   string `json:"min,omitempty"`
	Max   string `json:"max,omitempty"`
}

func inspectParquet(_ context.Context, e *Env, f storage.File, asJSON bool) error {
	p, err := parquet.Open(f)
	if err != nil {
		return err
	}
	info := describeParquet(p)
	if asJSON {
		enc := json.NewEncoder(e.Stdout)
		enc.SetEscapeHTML(false)
		return enc.Encode(info)
	}
	pairs := [][2]string{{"rows", strconv.FormatInt(info.Rows, 10)}, {"row groups", strconv.Itoa(len(info.Groups))}, {"created by", info.CreatedBy}}
	for _, k := range p.Keys() {
		v := info.Metadata[k]
		if k == hudilog.NativeFooterKey {
			v = nativeText(v)
		} else if len(v) > 100 {
			v = fmt.Sprintf("(%d bytes)", len(v))
		}
		pairs = append(pairs, [2]string{k, v})
	}
	if err := render.Pairs(e.Stdout, pairs); err != nil {
		return err
	}
	fmt.Fprintln(e.Stdout)
	var rows [][]string
	for i, g := range info.Groups {
		for _, c := range g.Chunks {
			nulls := ""
			if c.Nulls != nil {
				nulls = strconv.FormatInt(*c.Nulls, 10)
			}
			rows = append(rows, []string{strconv.Itoa(i), c.Path, c.Type, strconv.FormatInt(c.Bytes, 10), nulls, c.Min, c.Max})
		}
	}
	return render.List(e.Stdout, columns(">row group", "column", "type", ">bytes", ">nulls", "min", "max"), rows, e.renderOptions())
}

// nativeText shows the header of a native log as that of a block of an inline
// one is shown, with the instant in front.
func nativeText(value string) string {
	header, err := hudilog.ParseNativeHeader(value)
	if err != nil {
		return err.Error()
	}
	if p, err := hudilog.NativePositions(header[hudilog.RecordPositions]); err == nil && len(p) > 0 {
		header[hudilog.RecordPositions] = fmt.Sprintf("(%d)", len(p))
	}
	b := logBlock{Header: map[string]string{}}
	for k, v := range header {
		b.Header[k.String()] = v
	}
	return strings.TrimSpace(fmt.Sprintf("%s=%s %s", hudilog.InstantTime, header[hudilog.InstantTime], b.more()))
}

func describeParquet(p *parquet.File) parquetInfo {
	info := parquetInfo{Rows: p.NumRows(), CreatedBy: p.CreatedBy(), Metadata: map[string]string{}}
	for _, k := range p.Keys() {
		info.Metadata[k], _ = p.KeyValue(k)
	}
	for _, f := range p.Schema().Fields() {
		info.Columns = append(info.Columns, column{f.Name, typeName(f.Type), f.Nullable})
	}
	for _, g := range p.RowGroups() {
		group := parquetGroup{Rows: g.Rows, Bytes: g.Bytes}
		for _, c := range g.Columns() {
			group.Chunks = append(group.Chunks, describeChunk(c))
		}
		info.Groups = append(info.Groups, group)
	}
	return info
}

func describeChunk(c parquet.Chunk) parquetChunk {
	chunk := parquetChunk{Path: c.Path, Type: typeName(c.Type), Bytes: c.Bytes}
	s, ok := c.Statistics()
	if !ok {
		return chunk
	}
	if s.HasNulls {
		chunk.Nulls = &s.Nulls
	}
	if s.HasMinMax {
		chunk.Min, chunk.Max = boundText(c, s.Min), boundText(c, s.Max)
	}
	return chunk
}

// maxBound is how much of a text bound is shown.
const maxBound = 60

// boundText spells a bound as a value of the column's type.
func boundText(c parquet.Chunk, bound []byte) string {
	switch c.Type.ID() {
	case arrow.STRING, arrow.LARGE_STRING:
		if s := string(bound); utf8.ValidString(s) {
			return shorten(s, maxBound)
		}
		return shorten(hex.EncodeToString(bound), maxBound)
	case arrow.DECIMAL128:
		if n, ok := decimalBound(c.Physical, bound); ok {
			return n.ToString(c.Type.(arrow.DecimalType).GetScale())
		}
		return hex.EncodeToString(bound)
	case arrow.INT8, arrow.INT16, arrow.UINT8, arrow.UINT16:
		bound = bound[:min(len(bound), c.Type.(arrow.FixedWidthDataType).Bytes())]
	}
	fixed, ok := c.Type.(arrow.FixedWidthDataType)
	if !ok || (fixed.BitWidth()+7)/8 != len(bound) || c.Type.ID() == arrow.FIXED_SIZE_BINARY {
		return shorten(hex.EncodeToString(bound), maxBound)
	}
	data := array.NewData(c.Type, 1, []*memory.Buffer{nil, memory.NewBufferBytes(bound)}, nil, 0, 0)
	defer data.Release()
	a := array.MakeFromData(data)
	defer a.Release()
	return render.Value(a, 0)
}

// decimalBound reads the unscaled value of a decimal.
func decimalBound(p parquet.Physical, bound []byte) (decimal128.Num, bool) {
	switch {
	case p == parquet.Int32 && len(bound) == 4:
		return decimal128.FromI64(int64(int32(binary.LittleEndian.Uint32(bound)))), true
	case p == parquet.Int64 && len(bound) == 8:
		return decimal128.FromI64(int64(binary.LittleEndian.Uint64(bound))), true
	case len(bound) == 0 || len(bound) > 16 || p == parquet.Int32 || p == parquet.Int64:
		return decimal128.Num{}, false
	}
	var wide [16]byte
	if bound[0] >= 0x80 {
		binary.BigEndian.PutUint64(wide[:], 1<<64-1)
		binary.BigEndian.PutUint64(wide[8:], 1<<64-1)
	}
	copy(wide[16-len(bound):], bound)
	return decimal128.New(int64(binary.BigEndian.Uint64(wide[:])), binary.BigEndian.Uint64(wide[8:])), true
}

// shorten cuts a text to about n bytes.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
