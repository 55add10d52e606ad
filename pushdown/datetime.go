package pushdown

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
)

const daySeconds = 24 * 60 * 60

// perSecond is how many of a unit make a second.
func perSecond(u arrow.TimeUnit) int64 {
	switch u {
	case arrow.Millisecond:
		return 1e3
	case arrow.Microsecond:
		return 1e6
	case arrow.Nanosecond:
		return 1e9
	}
	return 1
}

// fractionDigits is how many decimals of a second a unit has.
func fractionDigits(u arrow.TimeUnit) int { return 3 * int(u-arrow.Second) }

func dateText(days int64) string {
	t := time.Unix(days*daySeconds, 0).UTC()
	return yearText(t.Year()) + t.Format("-01-02")
}

func yearText(y int) string {
	if y < 0 {
		return fmt.Sprintf("-%04d", -y)
	}
	return fmt.Sprintf("%04d", y)
}

func timestampText(n int64, u arrow.TimeUnit) string {
	per := perSecond(u)
	sec := floorDiv(n, per)
	days := floorDiv(sec, daySeconds)
	return dateText(days) + " " + clockText(n-days*daySeconds*per, u)
}

func clockText(n int64, u arrow.TimeUnit) string {
	per := perSecond(u)
	sec := n / per
	text := fmt.Sprintf("%02d:%02d:%02d", sec/3600, sec/60%60, sec%60)
	if d := fractionDigits(u); d > 0 {
		text += fmt.Sprintf(".%0*d", d, n%per)
	}
	return text
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// parseDate reads yyyy-M-d.
func parseDate(s string) (days int64, ok bool) {
	r := textReader{rest: strings.TrimSpace(s)}
	days = r.date()
	return days, !r.bad && r.rest == ""
}

// parseClock reads H:mm[:ss[.fraction]]; the fraction decides the unit.
func parseClock(s string) (Value, bool) {
	r := textReader{rest: strings.TrimSpace(s)}
	sec, frac, unit := r.clock()
	return Time(sec*perSecond(unit)+frac, unit), !r.bad && r.rest == ""
}

// parseTimestamp reads yyyy-M-d[( |T)H:mm[:ss[.fraction]]][zone]. Without a
// zone it is a Timestamp, with one a TimestampTZ.
func parseTimestamp(s string) (Value, bool) {
	r := textReader{rest: strings.TrimSpace(s)}
	days := r.date()
	var sec, frac int64
	unit := arrow.Second
	if r.take(" ") || r.take("T") || r.take("t") {
		sec, frac, unit = r.clock()
	}
	offset, zoned := int64(0), false
	if r.rest != "" {
		offset, zoned = r.zone()
		if !zoned {
			return Value{}, false
		}
	}
	total := days*daySeconds + sec - offset
	per := perSecond(unit)
	if r.bad || r.rest != "" || total > (1<<63-1)/per-1 || total < -(1<<63-1)/per+1 {
		return Value{}, false
	}
	if zoned {
		return TimestampTZ(total*per+frac, unit), true
	}
	return Timestamp(total*per+frac, unit), true
}

// A textReader takes a text apart from the left; bad says that it did not fit.
type textReader struct {
	rest string
	bad  bool
}

func (r *textReader) take(prefix string) bool {
	rest, ok := strings.CutPrefix(r.rest, prefix)
	r.rest = rest
	return ok
}

func (r *textReader) need(prefix string) {
	if !r.take(prefix) {
		r.bad = true
	}
}

// digits reads a number of at least least and at most most digits.
func (r *textReader) digits(least, most int) int64 {
	n := 0
	for n < len(r.rest) && n < most && r.rest[n] >= '0' && r.rest[n] <= '9' {
		n++
	}
	if n < least {
		r.bad = true
		return 0
	}
	v, _ := strconv.ParseInt(r.rest[:n], 10, 64)
	r.rest = r.rest[n:]
	return v
}

func (r *textReader) within(v, low, high int64) int64 {
	if v < low || v > high {
		r.bad = true
	}
	return v
}

func (r *textReader) date() int64 {
	negative := r.take("-")
	y := r.digits(4, 6)
	if negative {
		y = -y
	}
	r.need("-")
	m := r.within(r.digits(1, 2), 1, 12)
	r.need("-")
	d := r.within(r.digits(1, 2), 1, 31)
	if r.bad {
		return 0
	}
	t := time.Date(int(y), time.Month(m), int(d), 0, 0, 0, 0, time.UTC)
	if t.Day() != int(d) {
		r.bad = true
	}
	return floorDiv(t.Unix(), daySeconds)
}

func (r *textReader) clock() (sec, frac int64, unit arrow.TimeUnit) {
	sec = 3600 * r.within(r.digits(1, 2), 0, 23)
	r.need(":")
	sec += 60 * r.within(r.digits(2, 2), 0, 59)
	unit = arrow.Second
	if !r.take(":") {
		return sec, 0, unit
	}
	sec += r.within(r.digits(2, 2), 0, 59)
	if !r.take(".") {
		return sec, 0, unit
	}
	before := len(r.rest)
	frac = r.digits(1, 9)
	n := before - len(r.rest)
	for ; n%3 != 0; n++ {
		frac *= 10
	}
	return sec, frac, arrow.Second + arrow.TimeUnit(n/3)
}

// zone reads Z, UTC or an offset, in seconds east of Greenwich.
func (r *textReader) zone() (offset int64, ok bool) {
	r.take(" ")
	if r.take("Z") || r.take("z") || r.take("UTC") || r.take("GMT") {
		return 0, true
	}
	sign := int64(1)
	if r.take("-") {
		sign = -1
	} else if !r.take("+") {
		return 0, false
	}
	offset = 3600 * r.within(r.digits(1, 2), 0, 18)
	if r.take(":") || r.rest != "" {
		offset += 60 * r.within(r.digits(2, 2), 0, 59)
	}
	return sign * offset, true
}
