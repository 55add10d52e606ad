package pushdown

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/hudi-go/hudi/snapshot"
)

// Expression indexes
//
// An expression index holds, for each file, the bounds of a function of a
// column, or a Bloom filter of its values. It proves something about the column
// itself in two ways:
//
//   - A function that rises with the column turns bounds of its values into
//     bounds of the column: year(at) from 2023 to 2024 says that at lies in
//     these years, widened by what zones of sessions can differ, as the index
//     does not tell in which one it was computed.
//   - Of single values, as equality and IN ask for, the function's value can be
//     computed: if lower('Abc') is not within the bounds, 'Abc' is in no row.
//
// Functions are followed only as far as Spark's are certain to do the same:
// texts of ASCII letters for those that change case, years from 1900 to 9999
// for those that write dates (both calendars and both date formatters of Spark
// agree on them).

// An ExpressionIndex is an expression index of the metadata table.
type ExpressionIndex struct {
	column   string
	function string
	options  map[string]string
	bloom    bool
	// mayBeNull tells that the function may be null of a value that is not. Its
	// bounds then count only if it is null of no row.
	mayBeNull bool
	bounds    func(*snapshot.ColumnStats, domain) Stats // nil: the function does not rise
	value     func(Value, domain) (Value, bool)         // nil: not computed
}

// maxOffset is the most that the wall clock of a zone differs from UTC in Java.
const maxOffset = 18 * time.Hour

// NewExpressionIndex reads the definition of an expression index; false if it
// proves nothing about the column.
func NewExpressionIndex(def snapshot.IndexDefinition) (*ExpressionIndex, bool) {
	if len(def.Fields) != 1 {
		return nil, false
	}
	e := &ExpressionIndex{column: def.Fields[0], function: strings.ToLower(cmp.Or(def.Function, def.Options["expr"])), options: def.Options}
	switch strings.ToLower(def.Type) {
	case "column_stats":
	case "bloom_filters":
		e.bloom = true
	default:
		return nil, false
	}
	e.setFunction(e.function, def.Options)
	return e, e.value != nil || e.bounds != nil && !e.bloom
}

func (e *ExpressionIndex) setFunction(name string, options map[string]string) {
	switch name {
	case "identity":
		e.bounds = func(c *snapshot.ColumnStats, d domain) Stats { return columnBounds(c, d) }
		e.value = func(v Value, _ domain) (Value, bool) { return v, true }
	case "year":
		e.bounds = yearBounds
	case "to_date":
		if options["format"] == "" {
			e.bounds = dateBounds
		}
	case "to_timestamp":
		if options["format"] == "" {
			e.bounds = func(c *snapshot.ColumnStats, d domain) Stats { return onlyOf(d, orderInstant, columnBounds(c, d)) }
		}
	case "unix_timestamp":
		e.bounds = secondBounds
	case "date_add", "date_sub":
		if days, err := strconv.Atoi(options["days"]); err == nil {
			if name == "date_sub" {
				days = -days
			}
			e.bounds = func(c *snapshot.ColumnStats, d domain) Stats { return shiftedBounds(c, d, days) }
		}
	case "from_unixtime", "date_format":
		if p, err := parseDatePattern(options["format"]); err == nil && p.rises() {
			numbers := name == "from_unixtime"
			e.mayBeNull = numbers
			e.bounds = func(c *snapshot.ColumnStats, d domain) Stats { return formatBounds(p, c, d, numbers) }
		}
	default:
		e.setText(name, options)
	}
}

// setText sets functions of texts.
func (e *ExpressionIndex) setText(name string, options map[string]string) {
	switch name {
	case "lower":
		e.value = onASCII(func(s string) string { return strings.ToLower(s) })
	case "upper":
		e.value = onASCII(func(s string) string { return strings.ToUpper(s) })
	case "length":
		e.value = func(v Value, d domain) (Value, bool) {
			return Int(int64(utf8.RuneCountInString(v.text))), d.order == orderText && utf8.ValidString(v.text)
		}
	case "trim", "ltrim", "rtrim":
		if _, other := options["trimString"]; other {
			return
		}
		e.value = onASCII(func(s string) string {
			if name != "rtrim" {
				s = strings.TrimLeft(s, " ")
			}
			if name != "ltrim" {
				s = strings.TrimRight(s, " ")
			}
			return s
		})
	case "substring":
		pos, err := strconv.Atoi(options["pos"])
		length, alsoErr := strconv.Atoi(options["len"])
		if err != nil || alsoErr != nil || pos < 0 || length < 1 {
			return
		}
		from := max(pos-1, 0)
		e.value = onASCII(func(s string) string {
			s = s[min(from, len(s)):]
			return s[:min(length, len(s))]
		})
		if from == 0 {
			e.bounds = prefixBounds
		}
	}
}

// onASCII computes a function of texts of ASCII characters.
func onASCII(f func(string) string) func(Value, domain) (Value, bool) {
	return func(v Value, d domain) (Value, bool) {
		if d.order != orderText {
			return v, false
		}
		for i := range len(v.text) {
			if v.text[i] >= utf8.RuneSelf {
				return v, false
			}
		}
		return String(f(v.text)), true
	}
}

// Column is the column that the index is about, as in [Field.Name].
func (e *ExpressionIndex) Column() string { return e.column }

// Blooms tells that the index holds Bloom filters, not bounds.
func (e *ExpressionIndex) Blooms() bool { return e.bloom }

// Container gives what the index's record of a file proves; nil for no record.
func (e *ExpressionIndex) Container(r *snapshot.MetadataRecord) Container {
	c := expressed{ExpressionIndex: e}
	switch {
	case r == nil:
	case e.bloom && r.Bloom != nil:
		if b, err := ReadBloom(r.Bloom.Type, string(r.Bloom.Filter)); err == nil {
			c.filter = b
		}
	case !e.bloom:
		c.stats = r.Stats
	}
	return c
}

type expressed struct {
	*ExpressionIndex
	stats  *snapshot.ColumnStats
	filter *Bloom
}

// counted tells that the function is null of no row. Its counts leave nulls
// out.
func (c expressed) counted() bool {
	return c.stats.HasCounts && c.stats.ValueCount > 0 && c.stats.NullCount == 0
}

// Stats gives the bounds of the column.
func (c expressed) Stats(f *Field) Stats {
	if c.stats == nil || f.renamable || f.Name() != c.column || c.bounds == nil || c.mayBeNull && !c.counted() {
		return Stats{}
	}
	s := c.bounds(c.stats, f.domain)
	s.NoNulls = c.counted() && !strings.HasPrefix(c.stats.File, ".")
	return s
}

// Excludes tells that the function of a value is that of no row.
func (c expressed) Excludes(f *Field, v Value) bool {
	if f.renamable || f.Name() != c.column || c.value == nil || c.mayBeNull {
		return false
	}
	of, ok := c.value(v, f.domain)
	return ok && c.lacks(of)
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// beyond tells that a value of the function lies outside of its bounds.
func beyond(v Value, c *snapshot.ColumnStats) bool {
	var d domain
	switch v.kind {
	case KindString:
		d = domainOf(arrow.BinaryTypes.String, nil)
	case KindInteger:
		d = domainOf(arrow.PrimitiveTypes.Int64, nil)
	default:
		return false // of other types the column's own bounds tell
	}
	s := columnBounds(c, d)
	low, high := d.bounds(s)
	return precedes(v, low) || precedes(high, v)
}

func precedes(a, b Value) bool {
	if a.IsNull() || b.IsNull() {
		return false
	}
	order, err := compareConstants(a, b)
	return err == nil && order < 0
}

// columnBounds gives the bounds of a function whose values are of a domain.
func columnBounds(c *snapshot.ColumnStats, d domain) Stats {
	s := Stats{Min: indexBound(c, c.Min, d), Max: indexBound(c, c.Max, d), NoNaN: true}
	if d.order == orderText {
		s.Min, s.Max = javaLow(s.Min), javaHigh(s.Max)
	}
	s.Max = untruncated(s.Max)
	return s
}

// onlyOf drops statistics for columns of another order.
func onlyOf(d domain, want order, s Stats) Stats {
	if d.order != want {
		return Stats{}
	}
	return s
}

// prefixBounds turns bounds of the beginnings of texts into bounds of the
// texts.
func prefixBounds(c *snapshot.ColumnStats, d domain) Stats {
	if d.order != orderText {
		return Stats{}
	}
	s := columnBounds(c, d)
	if end, ok := prefixEnd(s.Max.text); ok {
		s.Max = String(end)
	} else {
		s.Max = Value{}
	}
	return s
}

// whole gives the whole numbers that bounds are.
func whole(c *snapshot.ColumnStats) (low, high int64, ok bool) {
	d := domainOf(arrow.PrimitiveTypes.Int64, nil)
	a, b := indexBound(c, c.Min, d), indexBound(c, c.Max, d)
	return a.num, b.num, a.kind == KindInteger && b.kind == KindInteger && a.num <= b.num
}

// days gives the dates that bounds are, as days since 1970.
func days(c *snapshot.ColumnStats) (low, high int64, ok bool) {
	d := domainOf(arrow.FixedWidthTypes.Date32, nil)
	a, b := indexBound(c, c.Min, d), indexBound(c, c.Max, d)
	return a.num, b.num, a.kind == KindDate && b.kind == KindDate && a.num <= b.num
}

func yearBounds(c *snapshot.ColumnStats, d domain) Stats {
	low, high, ok := whole(c)
	if !ok || low < -9999 || high > 9999 {
		return Stats{}
	}
	start := time.Date(int(low), 1, 1, 0, 0, 0, 0, time.UTC)
	end := time.Date(int(high)+1, 1, 1, 0, 0, 0, 0, time.UTC)
	return between(start, end, d)
}

func dateBounds(c *snapshot.ColumnStats, d domain) Stats {
	low, high, ok := days(c)
	if !ok || low < -1e6 || high > 1e7 {
		return Stats{}
	}
	return between(time.Unix(low*daySeconds, 0), time.Unix((high+1)*daySeconds, 0), d)
}

func shiftedBounds(c *snapshot.ColumnStats, d domain, by int) Stats {
	low, high, ok := days(c)
	// Dates at the ends of what 32 bits hold would have come around.
	if !ok || d.order != orderDate || low < math.MinInt32/2 || high > math.MaxInt32/2 || by > math.MaxInt32/4 || by < math.MinInt32/4 {
		return Stats{}
	}
	return Stats{Min: Date(int32(low - int64(by))), Max: Date(int32(high - int64(by)))}
}

func secondBounds(c *snapshot.ColumnStats, d domain) Stats {
	low, high, ok := whole(c)
	if !ok || d.order != orderInstant || low < -1e11 || high > 1e12 {
		return Stats{}
	}
	// Without a zone the column is a wall clock, which a session's zone makes
	// an instant.
	margin := time.Duration(0)
	if !d.zoned {
		margin = maxOffset
	}
	return instantBounds(time.Unix(low, 0).Add(-margin), time.Unix(high+1, 0).Add(margin), d)
}

// formatBounds turns bounds of texts of dates into bounds of the column:
// seconds since 1970 if numbers is set, else a date or timestamp.
func formatBounds(p *datePattern, c *snapshot.ColumnStats, d domain, numbers bool) Stats {
	if c.Min.Kind != snapshot.ValueString || c.Max.Kind != snapshot.ValueString {
		return Stats{}
	}
	start, _, ok := p.bucket(c.Min.Str)
	_, end, alsoOK := p.bucket(c.Max.Str)
	if !ok || !alsoOK || end.Before(start) {
		return Stats{}
	}
	first, last := time.Date(1900, 1, 3, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 29, 0, 0, 0, 0, time.UTC)
	if !numbers {
		s := between(start, end, d)
		trusted := between(first.Add(2*maxOffset), last.Add(-2*maxOffset), d)
		s.From, s.To = trusted.Min, trusted.Max
		return s
	}
	if d.order != orderSigned {
		return Stats{}
	}
	return Stats{
		Min: Int(start.Add(-maxOffset).Unix()), Max: Int(end.Add(maxOffset).Unix()),
		From: Int(first.Unix()), To: Int(last.Unix()),
	}
}

// between bounds a date or timestamp column by wall clock times of an unknown
// zone, the end excluded.
func between(start, end time.Time, d domain) Stats {
	if d.order == orderDate {
		return Stats{Min: Date(int32(start.Unix()/daySeconds - 1)), Max: Date(int32(end.Unix()/daySeconds + 1))}
	}
	return instantBounds(start.Add(-maxOffset), end.Add(maxOffset), d)
}

// instantBounds gives times in the unit of a timestamp column.
func instantBounds(start, end time.Time, d domain) Stats {
	t, ok := d.typ.(*arrow.TimestampType)
	if !ok {
		return Stats{}
	}
	low, high := start.Unix(), end.Unix()+1
	if low < math.MinInt64/d.per || high > math.MaxInt64/d.per {
		return Stats{}
	}
	as := func(n int64) Value {
		if d.zoned {
			return TimestampTZ(n*d.per, t.Unit)
		}
		return Timestamp(n*d.per, t.Unit)
	}
	return Stats{Min: as(low), Max: as(high)}
}

// rises tells that the order of texts in a pattern is that of the times: fields
// of fixed width, the greater first.
func (p *datePattern) rises() bool {
	last := -1
	for _, part := range p.parts {
		if part.field == 0 {
			continue
		}
		at := strings.IndexByte(dateFields, part.field)
		if at != last+1 || part.field == 'S' || part.field != 'y' && part.width != 2 {
			return false
		}
		last = at
	}
	return !p.zoned
}
