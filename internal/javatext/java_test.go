package javatext

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestAgainstJava compares with what a JDK printed: lines of a double's bits in
// hexadecimal, its text, a float's bits, its text, as testdata/Floats.java
// prints them. JAVA_FLOATS names another file, with millions of lines perhaps.
func TestAgainstJava(t *testing.T) {
	path := os.Getenv("JAVA_FLOATS")
	if path == "" {
		path = "testdata/jdk17.txt"
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := 0
	for s := bufio.NewScanner(f); s.Scan(); lines++ {
		w := strings.Fields(s.Text())
		d, _ := strconv.ParseUint(w[0], 16, 64)
		if got := string(AppendFloat(nil, math.Float64frombits(d), 64)); got != w[1] {
			t.Errorf("double %s: %s, want %s", w[0], got, w[1])
		}
		n, _ := strconv.ParseUint(w[2], 16, 32)
		if got := string(AppendFloat(nil, float64(math.Float32frombits(uint32(n))), 32)); got != w[3] {
			t.Errorf("float %s: %s, want %s", w[2], got, w[3])
		}
		if t.Failed() && lines > 1000 {
			break
		}
	}
	if lines < 1000 {
		t.Errorf("only %d lines", lines)
	}
}
