package hudilog

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A memFile is an open file in memory that counts what is read of it.
type memFile struct {
	name  string
	data  []byte
	reads int
	bytes int
	fail  error
}

func (f *memFile) ReadAt(b []byte, off int64) (int, error) {
	f.reads++
	f.bytes += len(b)
	if f.fail != nil {
		return 0, f.fail
	}
	if off >= int64(len(f.data)) {
		return 0, io.EOF
	}
	n := copy(b, f.data[off:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memFile) Size() int64  { return int64(len(f.data)) }
func (f *memFile) Path() string { return f.name }
func (f *memFile) Close() error { return nil }

func realLog(t testing.TB, name string) *memFile {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata/logs", name))
	if err != nil {
		t.Fatal(err)
	}
	return &memFile{name: name, data: b}
}

func blocksOf(t testing.TB, f *memFile) []*Block {
	t.Helper()
	blocks, err := Blocks(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	return blocks
}

// rawBlock makes a block as it stands in a file.
func rawBlock(typ BlockType, header map[HeaderKey]string, content []byte) []byte {
	be := binary.BigEndian
	body := be.AppendUint32(be.AppendUint32(nil, formatVersion), uint32(typ))
	body = be.AppendUint32(body, uint32(len(header)))
	keys := make([]HeaderKey, 0, len(header))
	for k := range header {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		body = be.AppendUint32(be.AppendUint32(body, uint32(k)), uint32(len(header[k])))
		body = append(body, header[k]...)
	}
	body = append(be.AppendUint64(body, uint64(len(content))), content...)
	body = be.AppendUint32(body, 0)
	size := len(body) + 8
	b := be.AppendUint64([]byte(magic), uint64(size))
	return be.AppendUint64(append(b, body...), uint64(size+len(magic)))
}

func dataBlock(instant string, content []byte) []byte {
	return rawBlock(AvroDataBlock, map[HeaderKey]string{InstantTime: instant}, content)
}

// avroContent makes the content of an Avro block.
func avroContent(records ...string) []byte {
	be := binary.BigEndian
	b := be.AppendUint32(be.AppendUint32(nil, 3), uint32(len(records)))
	for _, r := range records {
		b = append(be.AppendUint32(b, uint32(len(r))), r...)
	}
	return b
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
