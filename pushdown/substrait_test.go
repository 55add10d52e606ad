package pushdown

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// substraitSchema is that of testdata/make_substrait.py.
var substraitSchema = arrow.NewSchema([]arrow.Field{
	nullable("a", arrow.PrimitiveTypes.Int64), nullable("s", arrow.BinaryTypes.String), nullable("d", arrow.FixedWidthTypes.Date32),
	nullable("t", &arrow.TimestampType{Unit: arrow.Microsecond}), nullable("tz", arrow.FixedWidthTypes.Timestamp_us),
	nullable("dec", &arrow.Decimal128Type{Precision: 10, Scale: 2}), nullable("f", arrow.PrimitiveTypes.Float64),
	nullable("b", arrow.FixedWidthTypes.Boolean), nullable("i8", arrow.PrimitiveTypes.Int8), nullable("u32", arrow.PrimitiveTypes.Uint32),
	nullable("ls", arrow.ListOf(arrow.StructOf(nullable("in", arrow.PrimitiveTypes.Int32)))),
	nullable("st", arrow.StructOf(nullable("x", arrow.PrimitiveTypes.Int32), nullable("y", arrow.StructOf(nullable("z", arrow.BinaryTypes.String))))),
	nullable("bin", arrow.BinaryTypes.Binary), nullable("fsb", &arrow.FixedSizeBinaryType{ByteWidth: 4}), nullable("f32", arrow.PrimitiveTypes.Float32),
	nullable("tms", &arrow.TimestampType{Unit: arrow.Millisecond}), nullable("t64", arrow.FixedWidthTypes.Time64us),
	nullable("i32", arrow.PrimitiveTypes.Int32), nullable("large", arrow.BinaryTypes.LargeString),
}, nil)

func nullable(name string, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: t, Nullable: true}
}

type substraitCase struct {
	Where *string // nil: not understood
	Text  string
	Bytes string
}

func substraitCases(t testing.TB) []substraitCase {
	t.Helper()
	text, err := os.ReadFile("testdata/substrait.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []substraitCase
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

func TestReadsWhatPyarrowWrites(t *testing.T) {
	for _, c := range substraitCases(t) {
		b, err := base64.StdEncoding.DecodeString(c.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		all, err := ReadSubstrait(b)
		if err != nil || len(all) != 1 {
			t.Errorf("%s: %v, %v", c.Text, all, err)
			continue
		}
		if c.Where == nil {
			if _, err := Bind(all[0].Predicate, substraitSchema, BindOptions{}); err == nil {
				t.Errorf("%s is understood as %s", c.Text, all[0].Predicate)
			}
			continue
		}
		want, err := ParseSQL(*c.Where)
		if err != nil {
			t.Fatal(err)
		}
		if got := all[0].Predicate.String(); got != want.String() {
			t.Errorf("%s: %s, want %s", c.Text, got, want)
		}
		if _, err := Bind(all[0].Predicate, substraitSchema, BindOptions{}); err != nil {
			t.Errorf("%s: %v", c.Text, err)
		}
	}
}

func TestSubstraitSupport(t *testing.T) {
	cases := substraitCases(t)
	b, _ := base64.StdEncoding.DecodeString(cases[len(cases)-1].Bytes) // (a + 1 > 2) and (a > 5)
	all, err := ReadSubstrait(b)
	if err != nil {
		t.Fatal(err)
	}
	bound, err := Bind(all[0].Predicate, substraitSchema, BindOptions{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := bound.Support(); !slices.Equal(got, []Support{Unsupported, Exact}) {
		t.Errorf("support %v", got)
	}
	if v := bound.Prune(fixedStats{"a": {Min: Int(1), Max: Int(4)}}); v.Answer != No {
		t.Errorf("pruning by the part that is understood: %v", v)
	}
}

func TestSubstraitRoundTrip(t *testing.T) {
	for seed := range uint64(1500) {
		g := generator{rand.New(rand.NewPCG(seed, 6))}
		s := g.schema()
		p := g.predicate(s, 3)
		b, err := WriteSubstrait(p, s)
		if err != nil {
			if !strings.Contains(err.Error(), "escapes") && !strings.Contains(err.Error(), "escape character") {
				t.Fatalf("seed %d: %s: %v", seed, p, err)
			}
			continue
		}
		all, err := ReadSubstrait(b)
		if err != nil || len(all) != 1 || all[0].Name != "predicate" {
			t.Fatalf("seed %d: %s: %v, %v", seed, p, all, err)
		}
		bound, err := Bind(all[0].Predicate, s, BindOptions{})
		if err != nil {
			t.Fatalf("seed %d: %s is read as %s: %v", seed, p, all[0].Predicate, err)
		}
		batch := g.batch(memory.DefaultAllocator, s, 40)
		got, err := filterRows(bound, batch)
		if want := naiveRows(p, batch); err != nil || !slices.Equal(got, want) {
			t.Fatalf("seed %d: %s is read as %s: rows %v, want %v (%v)", seed, p, all[0].Predicate, got, want, err)
		}
		batch.Release()
	}
}

// TestPyarrowReadsWhatIsWritten runs where a Python with pyarrow is at hand;
// PYTHON names it.
func TestPyarrowReadsWhatIsWritten(t *testing.T) {
	python := os.Getenv("PYTHON")
	if python == "" {
		python = "python3"
	}
	if exec.Command(python, "-c", "import pyarrow.substrait").Run() != nil {
		t.Skip("no pyarrow here: set PYTHON to a Python that has it")
	}
	var in strings.Builder
	var want []string
	for _, c := range substraitCases(t) {
		if c.Where == nil {
			continue
		}
		p, _ := ParseSQL(*c.Where)
		b, err := WriteSubstrait(p, substraitSchema)
		if err != nil {
			t.Fatal(err)
		}
		in.WriteString(base64.StdEncoding.EncodeToString(b) + "\n")
		want = append(want, *c.Where)
	}
	script := `
import base64, sys, pyarrow.compute as pc
for line in sys.stdin:
    e = pc.Expression.from_substrait(base64.b64decode(line))
    print(e)
`
	cmd := exec.Command(python, "-c", script)
	cmd.Stdin, cmd.Stderr = strings.NewReader(in.String()), os.Stderr
	out, err := cmd.Output()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != len(want) {
		t.Fatalf("%d of %d are read, the next is %s: %v", len(lines), len(want), want[min(len(lines), len(want)-1)], err)
	}
	for i, l := range lines {
		t.Logf("%s: %s", want[i], l)
	}
}

func TestSubstraitIsRefused(t *testing.T) {
	for name, b := range map[string][]byte{
		"text":              []byte("hello"),
		"torn":              {0x1a, 0x05, 0x0a},
		"an empty one":      {0x1a, 0x00},
		"a bad field":       {0x1a, 0x0c, 0x0a, 0x0a, 0x12, 0x08, 0x0a, 0x06, 0x12, 0x04, 0x08, 0x63, 0x12, 0x00},
		"a literal of what": {0x1a, 0x04, 0x0a, 0x02, 0x0a, 0x00},
	} {
		if all, err := ReadSubstrait(b); !errors.Is(err, ErrSubstrait) {
			t.Errorf("%s: %v, %v", name, all, err)
		}
	}
}

func FuzzReadSubstrait(f *testing.F) {
	for _, c := range substraitCases(f) {
		b, _ := base64.StdEncoding.DecodeString(c.Bytes)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		all, err := ReadSubstrait(b)
		if err != nil {
			return
		}
		for _, e := range all {
			_ = e.Predicate.String()
			if _, err := Bind(e.Predicate, substraitSchema, BindOptions{Lenient: true}); err != nil {
				t.Errorf("%s: %v", e.Predicate, err)
			}
		}
	})
}
