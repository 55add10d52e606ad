package pushdown

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A datePattern is a Joda date pattern, as key generators use them, as far as
// numbers of fixed meaning go: y M d H m s S, quoted and other literal text,
// and offsets (Z, ZZ, X). Patterns with anything else are not understood.
type datePattern struct {
	parts []datePart
	zoned bool // has an offset
	rank  int  // the smallest field: 0 year ... 6 fraction
}

type datePart struct {
	field   byte   // one of yMdHmsSZ, 0 for text
	text    string //
	width   int    // letters in the pattern
	abutted bool   // the next part is a number, too: exactly width digits
}

const dateFields = "yMdHmsS"

// parseDatePattern reads a pattern.
func parseDatePattern(text string) (*datePattern, error) {
	p := &datePattern{}
	for i := 0; i < len(text); {
		c := text[i]
		n := 1
		switch {
		case c == '\'':
			literal, size, ok := quotedPattern(text[i:])
			if !ok {
				return nil, fmt.Errorf("date pattern %q: a quote is not closed", text)
			}
			p.parts, n = append(p.parts, datePart{text: literal}), size
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			for i+n < len(text) && text[i+n] == c {
				n++
			}
			part, err := newDatePart(c, n)
			if err != nil {
				return nil, fmt.Errorf("date pattern %q: %w", text, err)
			}
			p.zoned = p.zoned || part.field == 'Z'
			p.parts = append(p.parts, part)
		default:
			p.parts = append(p.parts, datePart{text: text[i : i+1]})
		}
		i += n
	}
	return p, p.check(text)
}

// quotedPattern reads 'text' at the start; two quotes are one.
func quotedPattern(s string) (literal string, size int, ok bool) {
	if strings.HasPrefix(s, "''") {
		return "'", 2, true
	}
	literal, size, ok = lexQuoted(s, 0)
	return literal, size, ok
}

func newDatePart(c byte, n int) (datePart, error) {
	switch {
	case c == 'X', c == 'Z' && n < 3:
		return datePart{field: 'Z', width: n}, nil
	case c == 'y' && n != 4, c != 'y' && c != 'S' && n > 2, c == 'S' && n > 9, !strings.Contains(dateFields, string(c)):
		return datePart{}, fmt.Errorf("%s is not understood", strings.Repeat(string(c), n))
	}
	return datePart{field: c, width: n}, nil
}

// check demands each field once and no gap between year and smallest field, so
// that the times of one text are a range.
func (p *datePattern) check(text string) error {
	var seen [len(dateFields)]bool
	count := 0
	for i := range p.parts {
		at := strings.IndexByte(dateFields, p.parts[i].field)
		if p.parts[i].field == 0 || at < 0 {
			continue
		}
		if seen[at] {
			return fmt.Errorf("date pattern %q: a field stands twice", text)
		}
		seen[at] = true
		count++
		p.rank = max(p.rank, at)
		if i+1 < len(p.parts) {
			next := p.parts[i+1].field
			p.parts[i].abutted = next != 0 && next != 'Z'
		}
	}
	if count == 0 || count != p.rank+1 {
		return fmt.Errorf("date pattern %q: its texts are no ranges of time", text)
	}
	return nil
}

// parse reads a text: the wall clock and, where the text has an offset, the
// offset in seconds.
func (p *datePattern) parse(text string) (wall time.Time, offset int64, zoned, ok bool) {
	r := textReader{rest: text}
	fields := [len(dateFields)]int64{1970, 1, 1}
	nanos := int64(0)
	for _, part := range p.parts {
		switch part.field {
		case 0:
			r.need(part.text)
		case 'Z':
			var isZone bool
			if offset, isZone = r.zone(); !isZone {
				return wall, 0, false, false
			}
			zoned = true
		default:
			most := 9
			if part.abutted {
				most = part.width
			}
			before := len(r.rest)
			v := r.digits(1, most)
			if part.abutted && before-len(r.rest) != part.width {
				r.bad = true
			}
			if part.field == 'S' {
				nanos = scaleFraction(v, before-len(r.rest))
			}
			fields[strings.IndexByte(dateFields, part.field)] = v
		}
	}
	month := r.within(fields[1], 1, 12)
	day := r.within(fields[2], 1, 31)
	r.within(fields[0], 0, 9999)
	r.within(fields[3], 0, 23)
	r.within(fields[4], 0, 59)
	r.within(fields[5], 0, 59)
	if r.bad || r.rest != "" {
		return wall, 0, false, false
	}
	wall = time.Date(int(fields[0]), time.Month(month), int(day), int(fields[3]), int(fields[4]), int(fields[5]), int(nanos), time.UTC)
	return wall, offset, zoned, wall.Day() == int(day)
}

// scaleFraction gives digits behind the point as nanoseconds.
func scaleFraction(v int64, digits int) int64 {
	for ; digits < 9; digits++ {
		v *= 10
	}
	return v
}

// bucket gives the wall clock times that are written as a text: from start on,
// before end.
func (p *datePattern) bucket(text string) (start, end time.Time, ok bool) {
	start, offset, zoned, ok := p.parse(text)
	if !ok {
		return start, end, false
	}
	switch p.rank {
	case 0:
		end = start.AddDate(1, 0, 0)
	case 1:
		end = start.AddDate(0, 1, 0)
	case 2:
		end = start.AddDate(0, 0, 1)
	case 3:
		end = start.Add(time.Hour)
	case 4:
		end = start.Add(time.Minute)
	case 5:
		end = start.Add(time.Second)
	default:
		end = start.Add(time.Millisecond)
	}
	if zoned {
		shift := -time.Duration(offset) * time.Second
		start, end = start.Add(shift), end.Add(shift)
	}
	return start, end, true
}

// javaZone finds a time zone by the names that Java knows. Those that Go does
// not know as well are refused: Java takes an unknown name for GMT.
func javaZone(id string) (*time.Location, error) {
	switch id {
	case "", "UTC", "GMT", "Z", "Etc/UTC", "UCT", "Zulu":
		return time.UTC, nil
	case "Local":
		return nil, fmt.Errorf("time zone %q is not known", id)
	}
	if rest, ok := strings.CutPrefix(id, "GMT"); ok && rest != "" && (rest[0] == '+' || rest[0] == '-') {
		hours, minutes, colon := strings.Cut(rest[1:], ":")
		if !colon && len(hours) > 2 {
			hours, minutes = hours[:len(hours)-2], hours[len(hours)-2:]
		}
		h, err := strconv.ParseUint(hours, 10, 8)
		m := uint64(0)
		if err == nil && minutes != "" {
			m, err = strconv.ParseUint(minutes, 10, 8)
		}
		if err != nil || h > 23 || m > 59 {
			return nil, fmt.Errorf("time zone %q is not known", id)
		}
		seconds := int(h*3600 + m*60)
		if rest[0] == '-' {
			seconds = -seconds
		}
		return time.FixedZone(id, seconds), nil
	}
	loc, err := time.LoadLocation(id)
	if err != nil {
		return nil, fmt.Errorf("time zone %q is not known: %w", id, err)
	}
	return loc, nil
}

// instants gives the range of instants, as seconds, that a range of wall clock
// times in a zone can stand for, whatever its offset is around then.
func instants(start, end time.Time, zone *time.Location) (from, to time.Time) {
	least, most := offsetsAround(start, end, zone)
	return start.Add(-time.Duration(most) * time.Second), end.Add(-time.Duration(least) * time.Second)
}

func offsetsAround(start, end time.Time, zone *time.Location) (least, most int) {
	for i, t := range []time.Time{start.Add(-36 * time.Hour), start, end, end.Add(36 * time.Hour)} {
		_, offset := t.In(zone).Zone()
		if i == 0 {
			least, most = offset, offset
		}
		least, most = min(least, offset), max(most, offset)
	}
	return least, most
}
