package pushdown

import (
	"math"
	"strings"
	"time"

	"github.com/hudi-go/hudi/internal/keygen"
	"github.com/hudi-go/hudi/schema"
	"github.com/hudi-go/hudi/snapshot"
)

// Partitions tells what the path of a partition proves about the partition
// columns of its rows. It is made once per table.
type Partitions struct {
	spec    keygen.Spec
	known   bool // the key generator is one of Hudi's
	decoded bool // paths are percent-encoded
	derived bool // columns are read from the path
	times   *timeKeys
}

// NewPartitions reads what the table config says about partition paths.
func NewPartitions(c *snapshot.Config) *Partitions {
	props := c.Properties()
	p := &Partitions{
		spec:    keygen.NewSpec(c),
		decoded: c.URLEncoded,
		derived: c.DropPartitions,
		times:   newTimeKeys(props),
	}
	switch c.KeyGenerator {
	case "", "SIMPLE", "COMPLEX", "TIMESTAMP", "CUSTOM", "AUTO_RECORD", "SPARK_SQL", "SPARK_SQL_UUID", "SPARK_SQL_MERGE_INTO":
		p.known = true
	}
	return p
}

// Container gives a partition as a container.
func (p *Partitions) Container(path string) Container {
	if !p.known {
		return partition{}
	}
	return partition{p, p.spec.PartitionValues(path), path}
}

type partition struct {
	of     *Partitions
	values map[string]*string // nil for null
	path   string
}

// Stats gives the value, or the range of values, of a partition column.
func (c partition) Stats(f *Field) Stats {
	text, kind, ok := c.text(f)
	switch {
	case !ok:
		return Stats{}
	case kind == timeColumn:
		if text == nil {
			return Stats{}
		}
		return c.of.times.stats(*text, f.domain)
	case text == nil:
		return c.nullStats(f)
	}
	return c.valueStats(f, *text)
}

// Excludes tells that no value of the partition reads as the text: for columns
// of date texts that a key generator puts into buckets.
func (c partition) Excludes(f *Field, v Value) bool {
	text, kind, ok := c.text(f)
	return ok && kind == timeColumn && text != nil && v.kind == KindString && c.of.times.excludes(*text, v.text)
}

type partitionKind uint8

const (
	plainColumn partitionKind = iota
	timeColumn
)

// text gives the text of a partition column, and how it is written.
func (c partition) text(f *Field) (text *string, kind partitionKind, ok bool) {
	if c.of == nil || c.values == nil {
		return nil, 0, false
	}
	for _, p := range c.of.spec.PartitionFields {
		if p.Name != f.Name() {
			continue
		}
		text, ok = c.values[p.Name]
		switch {
		case c.of.spec.Kind == keygen.Timestamp, c.of.spec.Kind == keygen.Custom && p.Type == "TIMESTAMP":
			return text, timeColumn, ok
		case c.of.spec.Kind == keygen.Custom && p.Type != "SIMPLE":
			return nil, 0, false // before table version 8 custom keys do not say which is which
		}
		return text, plainColumn, ok
	}
	return nil, 0, false
}

// nullStats: an empty text is written as null is.
func (c partition) nullStats(f *Field) Stats {
	if c.of.derived || f.domain.order != orderText && f.domain.order != orderBinary {
		return Stats{AllNulls: true}
	}
	return Stats{Min: String(""), Max: String("")}
}

func (c partition) valueStats(f *Field, text string) Stats {
	if !c.of.decoded && !c.of.derived && strings.Contains(c.path, "%") {
		// The path is decoded either way, but where it never was encoded the
		// rows hold another text.
		return Stats{}
	}
	if f.domain.order == orderInstant || f.domain.order == orderTime || f.domain.order == orderNone {
		return Stats{} // engines have written them in several ways
	}
	s, err := schema.ParseValue(text, f.Type)
	if err != nil {
		return Stats{}
	}
	v := ValueOf(s)
	if v.kind == kindInvalid || v.IsNull() {
		return Stats{}
	}
	if f.domain.order == orderText && (c.of.spec.SlashedDates || strings.Contains(text, "/")) {
		// Both 2024-01-02 and 2024/01/02 may have been written with slashes,
		// and the table need not say so.
		dashes, slashes := strings.ReplaceAll(text, "/", "-"), strings.ReplaceAll(text, "-", "/")
		return Stats{OneOf: []Value{String(text), String(dashes), String(slashes)}, NoNulls: true}
	}
	return Stats{Min: v, Max: v, NoNulls: true, NoNaN: !isNaN(v)}
}

// timeKeys is the configuration of timestamp-based key generators.
type timeKeys struct {
	inputs    []*datePattern // of DATE_STRING
	inputZone *time.Location
	output    *datePattern
	zone      *time.Location
	per       int64 // units of a number per second; 0 for texts
}

// newTimeKeys reads the properties; nil where they are not understood.
func newTimeKeys(props map[string]string) *timeKeys {
	get := func(key string) string {
		if v, ok := props["hoodie.keygen.timebased."+key]; ok {
			return v
		}
		return props["hoodie.deltastreamer.keygen.timebased."+key]
	}
	k := &timeKeys{}
	var err error
	if k.output, err = parseDatePattern(get("output.dateformat")); err != nil || k.output.zoned {
		return nil
	}
	zones := [2]string{get("input.timezone"), get("output.timezone")}
	if both := get("timezone"); both != "" {
		zones = [2]string{both, both}
	}
	if k.inputZone, err = javaZone(zones[0]); err != nil {
		return nil
	}
	if k.zone, err = javaZone(zones[1]); err != nil {
		return nil
	}
	switch strings.ToUpper(get("timestamp.type")) {
	case "UNIX_TIMESTAMP":
		k.per = 1
	case "EPOCHMILLISECONDS":
		k.per = 1e3
	case "EPOCHMICROSECONDS":
		k.per = 1e6
	case "SCALAR":
		if k.per = perSecondOf(get("timestamp.scalar.time.unit")); k.per == 0 {
			return nil
		}
	case "DATE_STRING":
		return k.withInputs(get("input.dateformat"), get("input.dateformat.list.delimiter.regex"))
	default:
		return nil
	}
	return k
}

// perSecondOf reads a Java TimeUnit of seconds or less.
func perSecondOf(unit string) int64 {
	switch strings.ToUpper(unit) {
	case "", "SECONDS":
		return 1
	case "MILLISECONDS":
		return 1e3
	case "MICROSECONDS":
		return 1e6
	case "NANOSECONDS":
		return 1e9
	}
	return 0
}

func (k *timeKeys) withInputs(patterns, delimiter string) *timeKeys {
	if delimiter != "" && delimiter != "," {
		return nil
	}
	for text := range strings.SplitSeq(patterns, ",") {
		p, err := parseDatePattern(strings.TrimSpace(text))
		if err != nil {
			return nil
		}
		k.inputs = append(k.inputs, p)
	}
	return k
}

// stats gives the range of numbers whose bucket a text is.
func (k *timeKeys) stats(text string, d domain) Stats {
	if k == nil || k.per == 0 {
		return Stats{}
	}
	start, end, ok := k.output.bucket(text)
	if !ok {
		return Stats{}
	}
	start, end = instants(start, end, k.zone)
	s := Stats{NoNulls: farFromEpoch(start, end)}
	// Numbers below milliseconds are cut off towards zero.
	low, high := start.UnixMilli(), end.UnixMilli()
	if low <= 0 {
		low--
	}
	low, fits := scaleMillis(low, k.per, false)
	high, alsoFits := scaleMillis(high, k.per, true)
	if !fits || !alsoFits {
		return Stats{}
	}
	switch d.order {
	case orderSigned:
		s.Min, s.Max = Int(low), Int(high-1)
	case orderFloat:
		s.Min, s.Max, s.NoNaN = Float(float64(low)-1), Float(float64(high)+1), true
		if d.single {
			s = Stats{NoNulls: s.NoNulls} // floats of 32 bits are too coarse for times
		}
	case orderDecimal:
		s.Min, s.Max = Int(low), Int(high)
	default:
		return Stats{}
	}
	return s
}

// farFromEpoch tells that nulls, which are written as the first moment after
// the epoch, can't be in a bucket.
func farFromEpoch(start, end time.Time) bool {
	day := 24 * time.Hour
	epoch := time.Unix(0, 0)
	return end.Before(epoch.Add(-day)) || start.After(epoch.Add(day))
}

// scaleMillis gives milliseconds in a unit, rounded up or down.
func scaleMillis(ms, per int64, up bool) (int64, bool) {
	if per < 1e3 {
		div := 1e3 / per
		n := floorDiv(ms, div)
		if up && n*div < ms {
			n++
		}
		return n, true
	}
	mul := per / 1e3
	if ms > math.MaxInt64/mul || ms < math.MinInt64/mul {
		return 0, false
	}
	return ms * mul, true
}

// excludes tells that a value, read by the input patterns, lies outside of the
// bucket of a partition's text.
func (k *timeKeys) excludes(text, value string) bool {
	if k == nil || len(k.inputs) == 0 {
		return false
	}
	start, end, ok := k.output.bucket(text)
	if !ok {
		return false
	}
	start, end = instants(start, end, k.zone)
	understood := false
	for _, p := range k.inputs {
		wall, offset, zoned, ok := p.parse(value)
		if !ok {
			continue
		}
		understood = true
		first, last := wall, wall
		if zoned {
			first = wall.Add(-time.Duration(offset) * time.Second)
			last = first
		} else {
			first, last = instants(wall, wall, k.inputZone)
		}
		if !last.Before(start) && first.Before(end) {
			return false
		}
	}
	return understood
}
