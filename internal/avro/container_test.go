package avro

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/flate"
)

// A commit as far as the tests look at it; fields that are left out are passed
// over, one that the file lacks stays as it is.
type commit struct {
	Stats *map[string][]struct {
		FileID     *string `avro:"fileId"`
		Path       *string `avro:"path"`
		NumInserts *int64  `avro:"numInserts"`
	} `avro:"partitionToWriteStats"`
	Extra     *map[string]string `avro:"extraMetadata"`
	Operation *string            `avro:"operationType"`
	Absent    string             `avro:"notInTheFile"`
}

func TestDecodeContainer(t *testing.T) {
	data, err := os.ReadFile("testdata/deltacommit.avro")
	if err != nil {
		t.Fatal(err)
	}
	c := commit{Absent: "as it was"}
	if err := DecodeContainer(data, &c); err != nil {
		t.Fatal(err)
	}
	var inserts int64
	for partition, stats := range *c.Stats {
		for _, s := range stats {
			if !strings.HasPrefix(*s.Path, partition+"/"+*s.FileID) {
				t.Errorf("partition %s has %s", partition, *s.Path)
			}
			inserts += *s.NumInserts
		}
	}
	if inserts != 113 || len(*c.Stats) != 2 || *c.Operation != "INSERT" || c.Absent != "as it was" ||
		!strings.Contains((*c.Extra)["schema"], "all_types_mor_record") {
		t.Errorf("%d inserts, %d partitions, operation %s, extra %v", inserts, len(*c.Stats), *c.Operation, c.Extra)
	}
	s, err := ContainerSchema(data)
	if err != nil || !slices.Contains(s.Fields(), "partitionToWriteStats") {
		t.Errorf("schema %v, %v", s, err)
	}
	for cut := 0; cut < len(data); cut += 1 + cut/50 {
		if err := DecodeContainer(data[:cut], &commit{}); err == nil {
			t.Fatalf("cut to %d: no error", cut)
		}
	}
}

// containerOf makes a container file; blocks are counts and contents.
func containerOf(codec, schema string, blocks ...any) []byte {
	text := func(b []byte, s string) []byte { return append(binary.AppendVarint(b, int64(len(s))), s...) }
	b := binary.AppendVarint([]byte("Obj\x01"), 2)
	b = text(text(text(text(b, "avro.codec"), codec), "avro.schema"), schema)
	b = append(b, 0)
	sync := "0123456789abcdef"
	b = append(b, sync...)
	for i := 0; i < len(blocks); i += 2 {
		b = binary.AppendVarint(b, int64(blocks[i].(int)))
		b = append(text(b, blocks[i+1].(string)), sync...)
	}
	return b
}

func TestContainerShapes(t *testing.T) {
	const schema = `{"type":"record","name":"r","fields":[{"name":"a","type":"string"}]}`
	var deflated bytes.Buffer
	w, _ := flate.NewWriter(&deflated, flate.BestSpeed)
	w.Write([]byte("\x06abc"))
	w.Close()
	var want, got struct {
		A string `avro:"a"`
	}
	want.A = "abc"
	for name, data := range map[string][]byte{
		"plain":        containerOf("null", schema, 1, "\x06abc"),
		"deflate":      containerOf("deflate", schema, 1, deflated.String()),
		"empty blocks": containerOf("null", schema, 0, "", 1, "\x06abc", 0, ""),
	} {
		got.A = ""
		if err := DecodeContainer(data, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	wrongSync := containerOf("null", schema, 1, "\x06abc")
	wrongSync[len(wrongSync)-1]++
	for name, data := range map[string][]byte{
		"nothing":     nil,
		"other file":  []byte("PAR1"),
		"no record":   containerOf("null", schema),
		"two records": containerOf("null", schema, 2, "\x06abc\x06def"),
		"two blocks":  containerOf("null", schema, 1, "\x06abc", 1, "\x06def"),
		"wrong sync":  wrongSync,
		"short":       containerOf("null", schema, 1, "\x06ab"),
		"no deflate":  containerOf("deflate", schema, 1, "\xff\xff"),
	} {
		if err := DecodeContainer(data, &got); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	err := DecodeContainer(containerOf("snappy", schema, 1, ""), &got)
	if err == nil || errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "snappy") {
		t.Errorf("snappy: %v", err)
	}
}

func FuzzContainer(f *testing.F) {
	f.Add(containerOf("null", `{"type":"record","name":"r","fields":[{"name":"extraMetadata","type":{"type":"map","values":"string"}}]}`, 1, "\x02\x02a\x02b\x00"))
	f.Add(containerOf("null", `{"type":"record","name":"r","fields":[{"name":"operationType","type":["null","string"]}]}`, 1, "\x02\x06abc"))
	f.Fuzz(func(t *testing.T, data []byte) {
		DecodeContainer(data, &commit{})
		ContainerSchema(data)
	})
}
