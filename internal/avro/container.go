package avro

import (
	"bytes"
	"fmt"
	"io"

	hamba "github.com/hamba/avro/v2"
	"github.com/klauspost/compress/flate"
)

// maxValue bounds a string or byte array, and the length of a list, in
// metadata. Commits of large tables hold schemas and plans of many megabytes.
const maxValue = 256 << 20

// reflection decodes into Go values.
var reflection = hamba.Config{MaxByteSliceSize: maxValue, MaxSliceAllocSize: maxValue}.Freeze()

// A container is an object container file taken apart.
type container struct {
	schema *Schema
	codec  string
	sync   []byte
	blocks []byte // what follows the header
}

// DecodeContainer decodes an object container file with exactly one record
// into a pointer to a Go value with `avro:"..."` tags. The file's own schema
// is used: fields that v lacks are passed over, fields that the file lacks
// are left as they are. Nullable fields are pointers in v (slices may do without).
func DecodeContainer(data []byte, v any) error {
	c, err := openContainer(data)
	if err != nil {
		return err
	}
	rec, err := c.record()
	if err != nil {
		return err
	}
	return c.schema.Unmarshal(rec, v)
}

// ContainerSchema is the writer schema of an object container file.
func ContainerSchema(data []byte) (*Schema, error) {
	c, err := openContainer(data)
	if err != nil {
		return nil, err
	}
	return c.schema, nil
}

func openContainer(data []byte) (*container, error) {
	data, ok := bytes.CutPrefix(data, []byte("Obj\x01"))
	if !ok {
		return nil, corruptf("no Avro container file")
	}
	c := &container{codec: "null"}
	cur := cursor{buf: data}
	schema := ""
	for n, _ := cur.items(2); n > 0; n, _ = cur.items(2) {
		for ; n > 0 && cur.err == nil; n-- {
			switch key, value := cur.bytes(), cur.bytes(); string(key) {
			case "avro.schema":
				schema = string(value)
			case "avro.codec":
				c.codec = string(value)
			}
		}
	}
	c.sync = cur.take(16)
	if cur.err != nil {
		return nil, fmt.Errorf("header of Avro container file: %w", cur.err)
	}
	c.blocks = data[cur.pos:]
	var err error
	c.schema, err = Parse(schema)
	return c, err
}

// record gives the one record of the file.
func (c *container) record() ([]byte, error) {
	cur := cursor{buf: c.blocks}
	var rec []byte
	records := int64(0)
	for cur.err == nil && cur.pos < len(cur.buf) {
		n, b := cur.long(), cur.bytes()
		if sync := cur.take(16); cur.err == nil && !bytes.Equal(sync, c.sync) {
			return nil, corruptf("sync marker of Avro container file is wrong")
		}
		if n < 0 || n > 1 {
			records = n
			break
		}
		if records += n; n == 1 {
			rec = b
		}
	}
	switch {
	case cur.err != nil:
		return nil, fmt.Errorf("block of Avro container file: %w", cur.err)
	case records != 1:
		return nil, corruptf("Avro container file has %d records, want one", records)
	}
	switch c.codec {
	case "null":
		return rec, nil
	case "deflate":
		out, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(rec)), 4*maxValue))
		if err != nil {
			return nil, corruptf("inflate Avro container file: %v", err)
		}
		return out, nil
	}
	return nil, fmt.Errorf("avro container file uses codec %q; only null and deflate are read", c.codec)
}

// recoverTo turns a panic of the reflection decoder into an error: what it
// decodes comes from files.
func recoverTo(err *error) {
	if r := recover(); r != nil {
		*err = corruptf("%v", r)
	}
}
