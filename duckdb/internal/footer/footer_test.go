package footer

import (
	"bytes"
	"strings"
	"testing"
)

func TestAppend(t *testing.T) {
	out, err := Append([]byte("library"), Fields{Platform: "linux_amd64", API: "v1.2.0", Version: "v0.1.0", ABI: "C_STRUCT"})
	if err != nil {
		t.Fatal(err)
	}
	foot := out[len("library"):]
	if len(foot) != 534 || !bytes.HasPrefix(out, []byte("library")) || string(foot[4:20]) != "duckdb_signature" {
		t.Fatalf("%d bytes: %q", len(foot), foot)
	}
	// DuckDB reads the last 512 bytes: fields in reverse, then the signature.
	for i, want := range []string{"", "", "", "C_STRUCT", "v0.1.0", "v1.2.0", "linux_amd64", "4"} {
		at := len(foot) - 512 + 32*i
		if got := strings.TrimRight(string(foot[at:at+32]), "\x00"); got != want {
			t.Errorf("field %d is %q, want %q", i, got, want)
		}
	}
	if _, err := Append(nil, Fields{Platform: strings.Repeat("x", 33)}); err == nil {
		t.Error("a field that is too long is taken")
	}
}
