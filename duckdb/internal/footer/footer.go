// Package footer writes what DuckDB reads at the end of an extension file
// before it loads the library in front of it: a WebAssembly custom section of
// 534 bytes with the platform, the API that the extension needs, and room for a
// signature.
package footer

import "fmt"

// Fields are what the footer says. Each is at most 32 bytes.
type Fields struct {
	Platform string // as linux_amd64
	API      string // version of DuckDB's C API, as v1.2.0
	Version  string // of the extension
	ABI      string // C_STRUCT
}

const (
	width     = 32
	signature = 256
	magic     = "4"
)

// Append gives a library with the footer behind it.
func Append(library []byte, f Fields) ([]byte, error) {
	// A custom section: its number, its length, its name, its length again.
	section := []byte{0, 0x93, 0x04, 0x10}
	section = append(section, "duckdb_signature"...)
	section = append(section, 0x80, 0x04)
	out := append(append([]byte{}, library...), section...)
	// Eight fields, the last written first.
	for _, text := range []string{"", "", "", f.ABI, f.Version, f.API, f.Platform, magic} {
		if len(text) > width {
			return nil, fmt.Errorf("%q is longer than the %d bytes of a footer's field", text, width)
		}
		field := make([]byte, width)
		copy(field, text)
		out = append(out, field...)
	}
	return append(out, make([]byte, signature)...), nil
}
