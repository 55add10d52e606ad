package pushdown

import (
	"errors"
	"strings"
	"testing"
)

func TestParseSQL(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a = 1", "a = 1"},
		{"A.B >= -1.50", "A.B >= -1.50"},
		{`"a b"."c""d" <> 'it''s'`, `"a b"."c""d" <> 'it''s'`},
		{"`order` = 1", `order = 1`},
		{"1 < a", "a > 1"},
		{"1 >= a and 2 != b", "a <= 1 AND b <> 2"},
		{"a = 1 or b = 2 and c = 3", "a = 1 OR b = 2 AND c = 3"},
		{"(a = 1 or b = 2) and c = 3", "(a = 1 OR b = 2) AND c = 3"},
		{"not a = 1 and b", "NOT a = 1 AND b = TRUE"},
		{"not (a = 1 and b)", "NOT (a = 1 AND b = TRUE)"},
		{"((a)) = ((1))", "a = 1"},
		{"a between 1 and 2 and b", "a >= 1 AND a <= 2 AND b = TRUE"},
		{"a not between -1 and +2", "NOT (a >= -1 AND a <= 2)"},
		{"a in (1, 'x', null, 1.5e0)", "a IN (1, 'x', NULL, 1.5e+00)"},
		{"a not in (1)", "a NOT IN (1)"},
		{"a is null", "a IS NULL"},
		{"a is not null or b is true", "a IS NOT NULL OR b IS NOT DISTINCT FROM TRUE"},
		{"b is not false", "b IS DISTINCT FROM FALSE"},
		{"a is distinct from 1", "a IS DISTINCT FROM 1"},
		{"a is not distinct from null", "a IS NOT DISTINCT FROM NULL"},
		{"a <=> 1", "a IS NOT DISTINCT FROM 1"},
		{"a like 'x%'", "a LIKE 'x%'"},
		{"a not like 'x!%_%' escape '!'", "a NOT LIKE 'x!%_%' ESCAPE '!'"},
		{"starts_with(a, '50%')", `a LIKE '50\%%' ESCAPE '\'`},
		{"d > date'2024-1-5'", "d > DATE '2024-01-05'"},
		{"date > date '2024-01-05'", "date > DATE '2024-01-05'"},
		{"t < timestamp '2024-01-05 01:02:03.5'", "t < TIMESTAMP '2024-01-05 01:02:03.500'"},
		{"t < timestamp '2024-01-05T01:02'", "t < TIMESTAMP '2024-01-05 01:02:00'"},
		{"t < timestamptz '2024-01-05 00:00:00+08'", "t < TIMESTAMPTZ '2024-01-04 16:00:00+00'"},
		{"t < timestamp with time zone '2024-01-05 00:00:00Z'", "t < TIMESTAMPTZ '2024-01-05 00:00:00+00'"},
		{"t = time '23:59:59.123456'", "t = TIME '23:59:59.123456'"},
		{"d = '2024-01-05'::date", "d = DATE '2024-01-05'"},
		{"d = cast('2024-01-05' as date)", "d = DATE '2024-01-05'"},
		{"a = cast('12' as bigint)", "a = 12"},
		{"a = 1::double", "a = 1e+00"},
		{"a = '1.5'::decimal(10,2)", "a = 1.50"},
		{"a = cast(7 as varchar(3))", "a = '7'"},
		{"a = x'0aFF'", "a = X'0aff'"},
		{"a = 9223372036854775807", "a = 9223372036854775807"},
		{"a = -9223372036854775808", "a = -9223372036854775808"},
		{"a = 9223372036854775808", "a = 9223372036854775808"},
		{"1 = 1 and a = .5", "TRUE AND a = 0.5"},
		{"'b' < 'a' or true", "FALSE OR TRUE"},
		{"null = 1 or null is null", "NULL OR TRUE"},
		{"a = 日本", ""},
		{"日本 = 'x'", "日本 = 'x'"},
	} {
		p, err := ParseSQL(c.text)
		if c.want == "" {
			if err == nil {
				t.Errorf("%s is taken for %s", c.text, p)
			}
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if p.String() != c.want {
			t.Errorf("%s is read as\n%s, want\n%s", c.text, p, c.want)
		}
		again, err := ParseSQL(p.String())
		if err != nil || again.String() != p.String() {
			t.Errorf("%s is read as %v, %v", p, again, err)
		}
	}
}

func TestParseSQLRefuses(t *testing.T) {
	for _, c := range []struct{ text, problem string }{
		{"", "not complete"},
		{"a =", "not complete"},
		{"a = 1 b", "more text"},
		{"a = b", "not one of a column with a constant"},
		{"a + 1 = 2", "more text"},
		{"a = 1 + 1", "more text"},
		{"a = -b", "arithmetic"},
		{"lower(a) = 'x'", "the function lower"},
		{"a in (select 1)", "SELECT"},
		{"a in ()", "a symbol"},
		{"a in (b)", "not a constant"},
		{"case when a then b end", "CASE"},
		{"cast(a as int) = 1", "cast of something"},
		{"a = cast(1.5 as int)", "exactly"},
		{"a = cast('x' as int)", "no number"},
		{"a = 1::frob", "type that is not known"},
		{"a = 'x", "closing quote"},
		{`"" = 1`, "without a name"},
		{"a = date '2024-02-30'", "no DATE"},
		{"a ; drop", "no meaning"},
		{"select = 1", "SELECT"},
		{"'x'", "a constant where a condition"},
		{"a like b", "pattern"},
		{"a like 'x' escape 'ab'", "one character"},
		{"a is 5", "after IS"},
		{"a = 1e999", "out of range"},
		{"1 = 'x'", "INTEGER with VARCHAR"},
		{strings.Repeat("(", 1000) + "a", "too deep"},
		{strings.Repeat("not ", 1000) + "a", "too deep"},
	} {
		p, err := ParseSQL(c.text)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), c.problem) || !strings.Contains(err.Error(), "supported are") {
			t.Errorf("%.40s: %v, %v, want %q", c.text, p, err, c.problem)
		}
	}
}

func FuzzParseSQL(f *testing.F) {
	for _, s := range []string{
		"a = 1", "not (a.b between 1 and -2.5e3 or c like 'x%' escape '!')", "d >= date '2024-01-01' and t < timestamp '2024-01-01 00:00:00Z'",
		"a in (1, null, 'x')", `"q" <=> X'00'`, "cast('1' as decimal(3,2)) = a", "a is not distinct from true", "starts_with(a, '_')", "1 = 1.0",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParseSQL(text)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		again, err := ParseSQL(p.String())
		if err != nil {
			t.Fatalf("%q is printed as %q, which is not read: %v", text, p, err)
		}
		if again.String() != p.String() {
			t.Fatalf("%q is printed as %q, and then as %q", text, p, again)
		}
	})
}
