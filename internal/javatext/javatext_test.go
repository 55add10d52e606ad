package javatext

import (
	"math"
	"testing"
)

// TestAppendFloat: what java.lang.Float.toString and Double.toString of JDK 17
// print.
func TestAppendFloat(t *testing.T) {
	for _, c := range []struct {
		v    float64
		bits int
		want string
	}{
		{0, 32, "0.0"}, {math.Copysign(0, -1), 64, "-0.0"}, {1, 32, "1.0"}, {float64(float32(1.1)), 32, "1.1"},
		{1e7, 32, "1.0E7"}, {9999999, 64, "9999999.0"}, {0.001, 64, "0.001"}, {0.0009, 64, "9.0E-4"},
		{-2147483648, 32, "-2.14748365E9"}, {33554432, 32, "3.3554432E7"}, {16777216, 32, "1.6777216E7"},
		{float64(float32(9.223372e18)), 32, "9.223372E18"}, {9007199254740992, 64, "9.007199254740992E15"},
		{1e10, 64, "1.0E10"}, {1e300, 64, "1.0E300"}, {math.NaN(), 64, "NaN"}, {math.Inf(-1), 32, "-Infinity"},
		{float64(float32(9.9e17)), 32, "9.8999999E17"}, {123456792, 32, "1.23456792E8"}, {float64(float32(4.1e9)), 32, "4.1E9"},
		{1.2345678901234567e18, 64, "1.23456789012345677E18"}, {123456789012345678, 64, "1.2345678901234568E17"}, {9.2e18, 64, "9.2E18"},
		{1.8014398509481984e16, 64, "1.8014398509481984E16"},
	} {
		if got := string(AppendFloat(nil, c.v, c.bits)); got != c.want {
			t.Errorf("%v (%d bits): %s, want %s", c.v, c.bits, got, c.want)
		}
	}
}

func TestWiden(t *testing.T) {
	for v, want := range map[float32]float64{1.1: 1.1, -2147483648: -2147483650, 3: 3, 0.1: 0.1} {
		if got := Widen(v); got != want {
			t.Errorf("%v: %v, want %v", v, got, want)
		}
	}
	if !math.IsNaN(Widen(float32(math.NaN()))) || !math.IsInf(Widen(float32(math.Inf(1))), 1) {
		t.Error("NaN and infinity stay")
	}
}
