package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// sizeUnits are the suffixes of sizes: multiples of 1000, or of 1024 with an i.
var sizeUnits = map[string]float64{
	"": 1, "B": 1,
	"K": 1e3, "KB": 1e3, "M": 1e6, "MB": 1e6, "G": 1e9, "GB": 1e9, "T": 1e12, "TB": 1e12,
	"KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40,
}

// sizeFlag is a number of bytes, written as 256MB or 1.5GiB.
type sizeFlag int64

// Set reads a size.
func (s *sizeFlag) Set(text string) error {
	number := strings.TrimRight(text, "BbKkMmGgTtIi ")
	unit, ok := sizeUnits[strings.ToUpper(strings.TrimSpace(text[len(number):]))]
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !ok || !(n*unit >= 1) || n*unit > math.MaxInt64/2 {
		return fmt.Errorf("%q is no size: write it as 256MB or 2GiB", text)
	}
	*s = sizeFlag(n * unit)
	return nil
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
