package render

import (
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
)

// appendInterval spells an interval as DuckDB does: its years, months and days
// where there are any, and the time.
func appendInterval(dst []byte, v arrow.MonthDayNanoInterval) []byte {
	start := len(dst)
	part := func(n int32, unit string) {
		if n == 0 {
			return
		}
		if len(dst) > start {
			dst = append(dst, ' ')
		}
		dst = append(append(strconv.AppendInt(dst, int64(n), 10), ' '), unit...)
		if n != 1 && n != -1 {
			dst = append(dst, 's')
		}
	}
	part(v.Months/12, "year")
	part(v.Months%12, "month")
	part(v.Days, "day")
	if v.Nanoseconds == 0 && len(dst) > start {
		return dst
	}
	if len(dst) > start {
		dst = append(dst, ' ')
	}
	nanos := v.Nanoseconds
	if nanos < 0 {
		dst = append(dst, '-')
		nanos = -nanos
	}
	return appendClock(dst, nanos, arrow.Nanosecond)
}
