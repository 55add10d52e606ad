package pushdown

import "testing"

func TestParseSQLParts(t *testing.T) {
	for text, want := range map[string]string{
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
