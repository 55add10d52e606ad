package hudilog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/hudi-go/hudi/internal/hfile"
	"github.com/hudi-go/hudi/internal/storage"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Blocks that Hudi wrote, with what an eye on a hex dump sees in them.
func TestRealFiles(t *testing.T) {
	for _, tt := range []struct {
		file           string
		typ            BlockType
		content, bytes int64
		header         map[HeaderKey]string
	}{
		{"v6_deletes.log", DeleteBlock, 896, 190, map[HeaderKey]string{InstantTime: "20250618054714114"}},
		{"v6_parquet.log", ParquetDataBlock, 2949, 8867, map[HeaderKey]string{InstantTime: "20250126040826878"}},
		{"v6_rollback.log", CommandBlock, 93, 0, map[HeaderKey]string{
			InstantTime: "20250126040936578", TargetInstantTime: "20250126040826878", CommandBlockType: "0"}},
		{"v8_avro_with_positions.log", AvroDataBlock, 1071, 2211, map[HeaderKey]string{
			InstantTime: "20261129213718163", BaseFileInstantOfPositions: "20261129213702907"}},
		{"v9_cdc.log", CDCDataBlock, 955, 1539, map[HeaderKey]string{InstantTime: "20261129215532230"}},
		{"v9_empty_deletes.log", DeleteBlock, 59, 9, map[HeaderKey]string{InstantTime: "00000000000000000"}},
		{"v9_hfile.log", HFileDataBlock, 1004, 4888, map[HeaderKey]string{InstantTime: "20261129220826941"}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			f := realLog(t, tt.file)
			blocks := blocksOf(t, f)
			if len(blocks) != 1 {
				t.Fatalf("%d blocks", len(blocks))
			}
			b := blocks[0]
			if b.Type != tt.typ || b.Version != 1 || b.Offset != 0 || b.File != tt.file || b.Corrupt ||
				b.ContentOffset != tt.content || b.ContentLength != tt.bytes {
				t.Errorf("block %+v", b)
			}
			for k, v := range tt.header {
				if b.Header[k] != v {
					t.Errorf("header %v is %q, want %q", k, b.Header[k], v)
				}
			}
			schema := b.Header[Schema]
			if wants := b.Type != CommandBlock && tt.file != "v9_empty_deletes.log"; strings.HasPrefix(schema, `{"type":"record"`) != wants {
				t.Errorf("schema is %.60q", schema)
			}
			if f.reads != 1 {
				t.Errorf("%d reads of a small file", f.reads)
			}
		})
	}
}

func TestRealContents(t *testing.T) {
	for file, want := range map[string]int{"v8_avro_with_positions.log": 14, "v9_cdc.log": 13} {
		content, err := blocksOf(t, realLog(t, file))[0].Content()
		if err != nil {
			t.Fatal(err)
		}
		count, records, err := AvroRecords(content)
		if err != nil || count != want {
			t.Fatalf("%s: %d records, %v", file, count, err)
		}
		n := 0
		for rec, err := range records {
			if err != nil || len(rec) == 0 {
				t.Fatal(rec, err)
			}
			n++
		}
		if n != want {
			t.Errorf("%s: %d records came", file, n)
		}
	}
	b := blocksOf(t, realLog(t, "v9_hfile.log"))[0]
	r, err := hfile.Open(b.Section(), b.ContentLength)
	if err != nil || r.Len() == 0 {
		t.Fatal(r, err)
	}
	if c, err := blocksOf(t, realLog(t, "v6_parquet.log"))[0].Content(); err != nil || !bytes.HasPrefix(c, []byte("PAR1")) || !bytes.HasSuffix(c, []byte("PAR1")) {
		t.Error(err)
	}
}

// outline is the blocks of a file in short: instant or the corrupt stretch.
func outline(blocks []*Block) string {
	var parts []string
	for _, b := range blocks {
		if b.Corrupt {
			parts = append(parts, fmt.Sprintf("corrupt[%d:%d]", b.Offset, b.Offset+b.ContentLength))
		} else {
			parts = append(parts, b.Header[InstantTime])
		}
	}
	return strings.Join(parts, " ")
}

func TestTornBlocks(t *testing.T) {
	a, b, c := dataBlock("001", []byte("aaa")), dataBlock("002", []byte("bbb")), dataBlock("003", []byte("ccc"))
	n := len(a)
	wrongEnd := bytes.Clone(b)
	wrongEnd[len(b)-1]++
	inContent := dataBlock("002", []byte("text with #HUDI# in it"))
	for _, tt := range []struct {
		name string
		file []byte
		want string
	}{
		{"empty file", nil, ""},
		{"whole", join(a, b, c), "001 002 003"},
		{"magic in a content", join(a, inContent, c), "001 002 003"},
		{"torn tail", join(a, b[:len(b)-9]), fmt.Sprintf("001 corrupt[%d:%d]", n, 2*n-9)},
		{"torn after the size", join(a, b[:14]), fmt.Sprintf("001 corrupt[%d:%d]", n, n+14)},
		{"torn within the size", join(a, b[:9]), fmt.Sprintf("001 corrupt[%d:%d]", n, n+9)},
		{"magic alone at the end", join(a, b[:6]), fmt.Sprintf("001 corrupt[%d:%d]", n, n+6)},
		{"torn magic at the end", join(a, b[:5]), "001"},
		{"torn in the middle", join(a, b[:20], c), fmt.Sprintf("001 corrupt[%d:%d] 003", n, n+20)},
		{"magic twice", join(a, []byte(magic), b), fmt.Sprintf("001 corrupt[%d:%d] 002", n, n+6)},
		{"wrong reverse pointer", join(a, wrongEnd, c), fmt.Sprintf("001 corrupt[%d:%d] 003", n, 2*n)},
		{"rubbish after a block", join(a, []byte("rubbish"), b), fmt.Sprintf("corrupt[0:%d] 002", n+7)},
		{"nothing but a torn block", b[:30], "corrupt[0:30]"},
		{"torn first block", join(a[:30], b), "corrupt[0:30] 002"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := outline(blocksOf(t, &memFile{data: tt.file})); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// A log cut off anywhere gives the blocks that are whole; whatever was begun
// is one corrupt block.
func TestCutAnywhere(t *testing.T) {
	whole := join(dataBlock("001", []byte("aaa")), dataBlock("002", nil), dataBlock("003", []byte("ccccc")))
	ends := map[int]int{0: 0}
	for i, b := range blocksOf(t, &memFile{data: whole}) {
		ends[int(b.ContentOffset+b.ContentLength)+12] = i + 1
	}
	blocks := 0
	for n := range len(whole) + 1 {
		begun := 1
		if done, ok := ends[n]; ok {
			blocks, begun = done, 0
		}
		got := blocksOf(t, &memFile{data: whole[:n]})
		since := n
		for end := range ends {
			if end <= n {
				since = min(since, n-end)
			}
		}
		if since < len(magic) {
			begun = 0
		}
		if len(got) != blocks+begun || begun == 1 && !got[blocks].Corrupt {
			t.Fatalf("cut to %d: %s, want %d blocks and %d corrupt", n, outline(got), blocks, begun)
		}
	}
}

func TestUnknownHeadersAreKept(t *testing.T) {
	f := &memFile{data: rawBlock(AvroDataBlock, map[HeaderKey]string{InstantTime: "001", 77: "new"}, nil)}
	if h := blocksOf(t, f)[0].Header; h[77] != "new" || h[InstantTime] != "001" {
		t.Errorf("header %v", h)
	}
}

func TestRefusals(t *testing.T) {
	change := func(at int, v byte) []byte {
		b := dataBlock("001", []byte("aaa"))
		b[at] = v
		return b
	}
	for name, tt := range map[string]struct {
		file []byte
		want error
		text string
	}{
		"no log":           {[]byte("PAR1...............PAR1"), ErrCorrupt, "no block begins here"},
		"version 0":        {change(17, 0), ErrUnsupported, "compact the table"},
		"version 2":        {change(17, 2), ErrUnsupported, "version 2 is newer"},
		"block type 9":     {change(21, 9), ErrUnsupported, "block type 9"},
		"command 1":        {rawBlock(CommandBlock, map[HeaderKey]string{CommandBlockType: "1"}, nil), ErrUnsupported, "command"},
		"header count":     {change(22, 0x7f), ErrCorrupt, "entries"},
		"header length":    {change(30, 0x7f), ErrCorrupt, "does not fit"},
		"content length":   {change(37, 0x7f), ErrCorrupt, "content"},
		"content length 2": {change(44, 0x40), ErrCorrupt, "content"},
	} {
		t.Run(name, func(t *testing.T) {
			r := Open(&memFile{name: "p/.x.log.1", data: tt.file})
			_, err := r.Next()
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) || !strings.Contains(err.Error(), "p/.x.log.1") {
				t.Errorf("error %v", err)
			}
			if _, again := r.Next(); again != err {
				t.Errorf("then %v", again)
			}
		})
	}
}

// Large files: headers are read without contents, and contents that lie side by
// side together.
func TestRangeReads(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789abcdef"), 1<<16) // 1 MiB
	var data []byte
	for i := range 6 {
		data = append(data, dataBlock(fmt.Sprintf("%03d", i), content)...)
	}
	f := &memFile{data: data}
	blocks := blocksOf(t, f)
	if len(blocks) != 6 || f.reads > 7 || f.bytes > 7*chunkSize {
		t.Fatalf("%d blocks took %d reads of %d bytes", len(blocks), f.reads, f.bytes)
	}
	f.reads, f.bytes = 0, 0
	n := 0
	for b, err := range Contents(context.Background(), []*Block{blocks[0], blocks[1], blocks[2], blocks[4], blocks[5]}, 0) {
		if err != nil {
			t.Fatal(err)
		}
		c, err := b.Content()
		if err != nil || !bytes.Equal(c, content) {
			t.Fatal(b.Offset, err)
		}
		s := make([]byte, 16)
		if _, err := b.Section().ReadAt(s, 16); err != nil || !bytes.Equal(s, content[:16]) {
			t.Fatal(err)
		}
		n++
	}
	if n != 5 || f.reads != 2 {
		t.Errorf("%d contents took %d reads", n, f.reads)
	}
	if blocks[0].content != nil {
		t.Error("content is kept")
	}
	f.reads = 0
	for range Contents(context.Background(), blocks, 2<<20) {
	}
	if f.reads != 6 {
		t.Errorf("a window of 2 MiB took %d reads", f.reads)
	}
}

func TestLongHeader(t *testing.T) {
	schema := strings.Repeat("s", 3*chunkSize)
	long := rawBlock(AvroDataBlock, map[HeaderKey]string{InstantTime: "002", Schema: schema}, make([]byte, 2*smallFile))
	blocks := blocksOf(t, &memFile{data: join(dataBlock("001", nil), long, dataBlock("003", nil))})
	if outline(blocks) != "001 002 003" || blocks[1].Header[Schema] != schema {
		t.Errorf("blocks %s", outline(blocks))
	}
}

// The next magic is found wherever it lies relative to the windows in which it
// is searched.
func TestMagicAcrossWindows(t *testing.T) {
	b := dataBlock("002", nil)
	for d := -8; d <= 8; d++ {
		gap := join([]byte(magic), make([]byte, searchSize+d))
		blocks := blocksOf(t, &memFile{data: join(gap, b)})
		if len(blocks) != 2 || blocks[1].Offset != int64(len(gap)) {
			t.Fatalf("%+d: %s", d, outline(blocks))
		}
	}
}

func TestScan(t *testing.T) {
	rollback := rawBlock(CommandBlock, map[HeaderKey]string{InstantTime: "004", TargetInstantTime: "001", CommandBlockType: "0"}, nil)
	files := []storage.File{
		&memFile{name: "1", data: join(dataBlock("001", avroContent("a")), dataBlock("002", avroContent("b")))},
		&memFile{name: "2"},
		&memFile{name: "3", data: join(rollback, dataBlock("003", avroContent("c")))},
	}
	blocks, err := Scan(context.Background(), files, Visibility{})
	if err != nil || outline(blocks) != "002 003" {
		t.Errorf("%s, %v", outline(blocks), err)
	}
	boom := errors.New("boom")
	files[1] = &memFile{name: "2", data: []byte("x#HUDI"), fail: boom}
	if _, err := Scan(context.Background(), files, Visibility{}); !errors.Is(err, boom) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Scan(ctx, files[:1], Visibility{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestShortFile(t *testing.T) {
	f := &memFile{data: dataBlock("001", make([]byte, 2*smallFile))}
	b := blocksOf(t, f)[0]
	f.data = f.data[:100]
	if _, err := b.Content(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v", err)
	}
	for _, err := range Contents(context.Background(), []*Block{b}, 0) {
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("error %v", err)
		}
	}
}

func FuzzBlocks(f *testing.F) {
	for _, name := range []string{"v6_rollback.log", "v8_deletes.log", "v9_empty_deletes.log", "v8_avro_with_positions.log"} {
		f.Add(realLog(f, name).data)
	}
	f.Add(join(dataBlock("001", avroContent("a", "b")), []byte("#HUDI#\x00\x00"), dataBlock("002", nil)))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := &memFile{data: data}
		r := Open(file)
		end := int64(0)
		for {
			b, err := r.Next()
			if err != nil {
				return
			}
			content, err := b.Content()
			if err != nil || int64(len(content)) != b.ContentLength || b.Offset < end {
				t.Fatalf("block %+v: %v", b, err)
			}
			end = b.ContentOffset + b.ContentLength
			decodeAll(b, content)
		}
	})
}

// decodeAll takes a content apart in every way.
func decodeAll(b *Block, content []byte) {
	Deletes(content)
	Positions(b.Header[RecordPositions])
	if _, records, err := AvroRecords(content); err == nil {
		for range records {
		}
	}
	streamed(&Block{file: &memFile{data: content}, ContentLength: int64(len(content))})
}

func BenchmarkBlocks(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 1))
	var data []byte
	for i := range 200 {
		data = append(data, rawBlock(AvroDataBlock, map[HeaderKey]string{InstantTime: fmt.Sprint(i), Schema: strings.Repeat("s", 2000)}, make([]byte, rnd.IntN(1<<18)))...)
	}
	f := &memFile{data: data}
	for b.Loop() {
		if _, err := Blocks(context.Background(), f); err != nil {
			b.Fatal(err)
		}
	}
}
