package pushdown

import (
	"math/big"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

func TestParseSQLParts(t *testing.T) {
	for text, want := range map[string]string{
		"lower(a) = 'x' AND b = 1":                                       "lower(a) = 'x' AND b = 1",
		"LCASE(s.a) IN ('x', 'y') AND substr(b, 1, 2) == 'ab'":           "lower(s.a) IN ('x', 'y') AND substring(b, 1, 2) = 'ab'",
		"lower(a) = NULL AND length(b) > 3":                              "<lower(a) = NULL> AND <length(b) > 3>",
		"lower(a, 1) = 'x' AND upper(a) = b":                             "<lower(a, 1) = 'x'> AND <upper(a) = b>",
		"a = 1 AND abs(b) > 2":                                           "a = 1 AND <abs(b) > 2>",
		"a = 1 AND f(b) AND c BETWEEN 1 AND 2":                           "a = 1 AND <f(b)> AND c >= 1 AND c <= 2",
		"b + 1 BETWEEN 1 AND 2 AND c = 3":                                "<b + 1 BETWEEN 1 AND 2> AND c = 3",
		"CASE WHEN a AND b THEN c ELSE d END AND e = 1":                  "<CASE WHEN a AND b THEN c ELSE d END> AND e = 1",
		"(a = 1 AND f(b))":                                               "a = 1 AND <f(b)>",
		"(a = 1 AND f(b)) AND ((c = 2 AND g(d)))":                        "a = 1 AND <f(b)> AND c = 2 AND <g(d)>",
		"(a = 1) AND (f(b) OR c = 2)":                                    "a = 1 AND <f(b) OR c = 2>",
		"a = 1 AND f(b) OR c = 2":                                        "<a = 1 AND f(b) OR c = 2>",
		"NOT f(a) AND b = 'x AND y'":                                     "<NOT f(a)> AND b = 'x AND y'",
		"a IN (SELECT b FROM t WHERE c AND d) AND e = 1":                 "<a IN (SELECT b FROM t WHERE c AND d)> AND e = 1",
		"f(b) -- AND a = 1":                                              "<f(b) -- AND a = 1>",
		"f(b) /* AND a = 1 */ AND c = 2":                                 "<f(b) /* AND a = 1 */ AND c = 2>",
		`f(E'\' AND a = 1 AND ')`:                                        `<f(E'\' AND a = 1 AND ')>`,
		"f($$ AND a = 1 AND $$)":                                         "<f($$ AND a = 1 AND $$)>",
		"f(b) AND":                                                       "<f(b) AND>",
		"f(b) AND a = 1)":                                                "<f(b) AND a = 1)>",
		"f('it''s' AND x) AND a = 'o''neil'":                             "<f('it''s' AND x)> AND a = 'o''neil'",
		"a % 2 = 0 AND b[1] = 2 AND x = 'é'":                             "<a % 2 = 0> AND <b[1] = 2> AND x = 'é'",
		"b NOT BETWEEN c AND d AND e = 1":                                "<b NOT BETWEEN c AND d> AND e = 1",
		"b BETWEEN (c BETWEEN d AND e) AND f(g) AND h = 1":               "<b BETWEEN (c BETWEEN d AND e) AND f(g)> AND h = 1",
		"list_filter(l, lambda x: x > 1 AND x < 3) = [2] AND part = 'a'": "<list_filter(l, lambda x: x > 1 AND x < 3) = [2]> AND part = 'a'",
	} {
		if got := ParseSQLParts(text).String(); got != want {
			t.Errorf("%s\n%s\nwant\n%s", text, got, want)
		}
	}
}

// TestListsOfOneKind: SQL compares a list of numbers in one type, so that with
// a DOUBLE among them all are.
func TestListsOfOneKind(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "d", Type: &arrow.Decimal128Type{Precision: 20, Scale: 4}}, {Name: "l", Type: arrow.PrimitiveTypes.Int64}, {Name: "b", Type: arrow.BinaryTypes.Binary},
	}, nil)
	for where, want := range map[string]Answer{
		"d IN (1.00000000000000000001, 2e0)":     Yes, // as DuckDB has it
		"d IN (1.00000000000000000001, 2)":       No,
		"d = 1.00000000000000000001":             No,
		"l IN (9007199254740993, 1e0)":           Yes,
		"l IN (9007199254740993, 1)":             No,
		"l NOT IN (9007199254740993, 1e0)":       No,
		"l IN (16777217, CAST(1 AS FLOAT))":      No,
		"l IN (NULL, 9007199254740993, 1e0)":     Yes,
		"l NOT IN (NULL, 9007199254740993, 1e0)": No,
	} {
		p, err := ParseSQL(where)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Bind(p, schema, BindOptions{})
		if err != nil {
			t.Fatal(err)
		}
		c := oneRow{"d": Decimal(big.NewInt(10000), 4), "l": Int(9007199254740992)}
		if got := b.Prune(c).Answer; got != want {
			t.Errorf("%s: %s, want %s", where, got, want)
		}
	}
	for _, where := range []string{`b = '\xAB'::BLOB`, `b = '\xAB'`} { // DuckDB's escapes
		if p, err := ParseSQL(where); err == nil {
			if _, err = Bind(p, schema, BindOptions{}); err == nil {
				t.Errorf("%s is taken", where)
			}
		}
	}
}

// A oneRow is a container of one row.
type oneRow map[string]Value

func (r oneRow) Stats(f *Field) Stats {
	return Stats{Min: r[f.Name()], Max: r[f.Name()], NoNulls: true, NoNaN: true}
}
