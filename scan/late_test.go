package scan

import (
	"testing"

	"github.com/hudi-go/hudi/internal/parquet"
)

func TestInMostPages(t *testing.T) {
	all := []parquet.RowRange{{Start: 0, End: 8 * latePage}}
	every := func(n int64) (rows []parquet.RowRange) {
		for i := int64(0); i < 8*latePage; i += n {
			rows = append(rows, parquet.RowRange{Start: i, End: i + 1})
		}
		return rows
	}
	for _, c := range []struct {
		name         string
		rows, window []parquet.RowRange
		want         bool
	}{
		{"no rows", nil, all, false},
		{"a row in each page", every(latePage), all, true},
		{"many rows in each page", every(100), all, true},
		{"a row in every second page", every(2 * latePage), all, false},
		{"one stretch of half of the pages", []parquet.RowRange{{Start: 10, End: 4 * latePage}}, all, false},
		{"one stretch of most pages", []parquet.RowRange{{Start: 10, End: 6*latePage - 5}}, all, true},
		{"all of a window within a page", []parquet.RowRange{{Start: 20, End: 21}}, []parquet.RowRange{{Start: 10, End: 40}}, true},
		{"a page counts once", []parquet.RowRange{{Start: 0, End: 1}, {Start: 5, End: 6}, {Start: 9, End: latePage}}, all, false},
	} {
		if got := inMostPages(c.rows, c.window); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
