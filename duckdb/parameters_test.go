package duckdb

import (
	"fmt"
	"testing"
)

func TestSubstituteParameters(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT ?, ?":         "SELECT <0>, <1> 2",
		"SELECT $2, $1, $2":   "SELECT <1>, <0>, <1> 2",
		"SELECT ?2":           "SELECT <1> 2",
		"SELECT $x + $y + $x": "SELECT <0 x> + <1 y> + <0 x> 2",
		`SELECT '?', "?", a$1, $$?$$, $q$ $1 $q$ -- ?` + "\n": `SELECT '?', "?", a$1, $$?$$, $q$ $1 $q$ -- ?` + "\n 0",
		"SELECT /* ? */ E'\\'?' , ?":                          "SELECT /* ? */ E'\\'?' , <0> 1",
		"SELECT 'it''s ?' || ?":                               "SELECT 'it''s ?' || <0> 1",
		"a=?AND b>$1":                                         "a=<0>AND b><0> 1",
		"SELECT 1":                                            "SELECT 1 0",
	} {
		text, n, err := SubstituteParameters(sql, func(at int, name string) (string, error) {
			if name != "" {
				return fmt.Sprintf("<%d %s>", at, name), nil
			}
			return fmt.Sprintf("<%d>", at), nil
		})
		if got := fmt.Sprint(text, " ", n); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", sql, got, err, want)
		}
	}
}
