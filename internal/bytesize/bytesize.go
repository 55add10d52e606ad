// Package bytesize reads numbers of bytes as people write them.
package bytesize

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// units are the suffixes of sizes: multiples of 1000, or of 1024 with an i.
var units = map[string]float64{
	"": 1, "B": 1,
	"K": 1e3, "KB": 1e3, "M": 1e6, "MB": 1e6, "G": 1e9, "GB": 1e9, "T": 1e12, "TB": 1e12,
	"KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40,
}

// Parse reads a size of at least one byte, written as 1000, 256MB or 1.5GiB.
func Parse(text string) (int64, error) {
	number := strings.TrimRight(text, "BbKkMmGgTtIi ")
	unit, ok := units[strings.ToUpper(strings.TrimSpace(text[len(number):]))]
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !ok || !(n*unit >= 1) || n*unit > math.MaxInt64/2 {
		return 0, fmt.Errorf("%q is no size: write it as 256MB or 2GiB", text)
	}
	return int64(n * unit), nil
}
