package pushdown

import (
	"fmt"
	"testing"
)

func TestParseSelect(t *testing.T) {
	for text, want := range map[string]string{
		`SELECT * FROM t`: "[t] [] <nil> 0 -1",
		`select "a", b AS "x y", t.c FROM lake."S"."t" WHERE t.a > 1 AND (("s")."f" = 'x' OR "t"."b" IN (1, 2)) limit 5 offset 3;`: `[lake S t] [{a a} {b x y} {c c}] a > 1 AND (s.f = 'x' OR b IN (1, 2)) 3 5`,
		`SELECT u.a FROM t AS u WHERE u.s.f IS NULL LIMIT (CAST('7' AS BIGINT))`:                                                   `[t] [{a a}] s.f IS NULL 0 7`,
		`SELECT a, a FROM t LIMIT 0`: "[t] [{a a} {a a}] <nil> 0 0",
	} {
		s, err := ParseSelect(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := fmt.Sprint(s.Table, s.Columns, s.Where, s.Offset, s.Limit); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestParseSelectRefuses: whatever means something else in SQL is no plain
// SELECT.
func TestParseSelectRefuses(t *testing.T) {
	for _, text := range []string{
		"", "SELECT", "SELECT 1", "SELECT DISTINCT a FROM t", "SELECT ALL a FROM t", "SELECT a b FROM t", "SELECT a FROM t u", "SELECT a FROM t, u",
		"SELECT a FROM t ORDER BY a", "SELECT a FROM t GROUP BY a", "SELECT count(*) FROM t", "SELECT a + 1 FROM t", "SELECT a FROM t WHERE a > b",
		"SELECT a FROM (SELECT 1)", "SELECT a FROM f('x')", "SELECT a FROM 'x.parquet'", "SELECT s.x FROM t", "SELECT a FROM a.b.c.d", "SELECT a FROM t; SELECT 1",
		"SELECT a FROM t LIMIT -1", "SELECT a FROM t LIMIT 1.5", "SELECT a FROM t LIMIT 1 LIMIT 2", "SELECT a FROM t LIMIT NULL", "SELECT *, a FROM t", "SELECT a, * FROM t",
		"WITH x AS (SELECT 1) SELECT a FROM x", "SELECT a FROM t TABLESAMPLE 1%", "SELECT a FROM t WHERE a > ?", "SELECT a FROM t UNION SELECT 1", "SELECT * EXCLUDE (a) FROM t",
		"SELECT a FROM t WHERE a = 1 -- more", "SELECT DATE '2024-01-01' FROM t", "SELECT a FROM t WHERE EXISTS (SELECT 1)", "INSERT INTO t SELECT a FROM t",
	} {
		if s, err := ParseSelect(text); err == nil {
			t.Errorf("%s: %+v", text, s)
		}
	}
}
