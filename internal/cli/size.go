package cli

import (
	"fmt"
	"strconv"

	"github.com/hudi-go/hudi/internal/bytesize"
)

// sizeFlag is a number of bytes, written as 256MB or 1.5GiB.
type sizeFlag int64

// Set reads a size.
func (s *sizeFlag) Set(text string) error {
	n, err := bytesize.Parse(text)
	if err == nil {
		*s = sizeFlag(n)
	}
	return err
}

// String writes the bytes.
func (s *sizeFlag) String() string {
	if *s == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*s), 10)
}

// Type names the flag's argument in help texts.
func (s *sizeFlag) Type() string { return "SIZE" }

// bytesText writes a number of bytes for people.
func bytesText(n int64) string {
	switch f := float64(n); {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case f < 1e6:
		return fmt.Sprintf("%.1f kB", f/1e3)
	case f < 1e9:
		return fmt.Sprintf("%.1f MB", f/1e6)
	default:
		return fmt.Sprintf("%.1f GB", f/1e9)
	}
}
