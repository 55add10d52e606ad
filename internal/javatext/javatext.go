// Package javatext writes values as Java's toString does, where Hudi stores or
// compares the texts: promotions to string, record keys.
package javatext

import (
	"bytes"
	"math"
	"strconv"
	"time"
)

// AppendFloat appends a float (bits 32) or double (64): plain between 1e-3 and
// 1e7, in scientific form outside, always with a digit after the point. See
// [Digits] for how many digits there are.
func AppendFloat(b []byte, v float64, bits int) []byte {
	switch {
	case math.IsNaN(v):
		return append(b, "NaN"...)
	case math.IsInf(v, 1):
		return append(b, "Infinity"...)
	case math.IsInf(v, -1):
		return append(b, "-Infinity"...)
	}
	if a := math.Abs(v); a == 0 || a >= 1e-3 && a < 1e7 {
		start := len(b)
		b = strconv.AppendFloat(b, v, 'f', -1, bits)
		if bytes.IndexByte(b[start:], '.') < 0 {
			b = append(b, ".0"...)
		}
		return b
	}
	mantissa, exponent, _ := bytes.Cut(Digits(nil, v, bits), []byte{'e'})
	b = append(b, mantissa...)
	if bytes.IndexByte(mantissa, '.') < 0 {
		b = append(b, ".0"...)
	}
	n, _ := strconv.Atoi(string(exponent))
	return strconv.AppendInt(append(b, 'E'), int64(n), 10)
}

// Digits appends the decimal digits that Java's toString gives a finite float
// or double, in the form d.ddde±dd. They are the shortest that read back to the
// same value, but for large whole numbers: there JDK 8 to 18, which Spark runs
// on, only drop the digits that the binary exponent alone shows to mean
// nothing (-2^31 as a float is -2.14748365E9, not -2.1474836E9). Of numbers
// with a fraction these JDKs print a digit more now and then; we do not.
func Digits(b []byte, v float64, bits int) []byte {
	significant := 24
	if bits == 64 {
		significant = 53
	}
	exponent := math.Ilogb(v)
	if v == 0 || exponent <= significant || exponent > 62 {
		return strconv.AppendFloat(b, v, 'e', -1, bits)
	}
	// whole numbers below 2^63 whose last bits are zero
	n := uint64(math.Abs(v))
	if drop := int(float64(exponent-significant-1) * math.Log10(2)); drop > 0 {
		unit := uint64(math.Pow10(drop))
		n = (n + unit/2) / unit * unit
	}
	return appendWhole(b, n, v < 0)
}

// appendWhole appends a whole number in the form d.ddde±dd.
func appendWhole(b []byte, n uint64, negative bool) []byte {
	if negative {
		b = append(b, '-')
	}
	digits := strconv.AppendUint(nil, n, 10)
	exponent := len(digits) - 1
	digits = bytes.TrimRight(digits, "0")
	b = append(b, digits[0])
	if len(digits) > 1 {
		b = append(append(b, '.'), digits[1:]...)
	}
	return strconv.AppendInt(append(b, 'e', '+'), int64(exponent), 10)
}

// Widen gives a float as the double that Hudi promotes it to: by way of its
// text, so that 1.1f becomes 1.1.
func Widen(v float32) float64 {
	var buf [32]byte
	d, err := strconv.ParseFloat(string(Digits(buf[:0], float64(v), 32)), 64)
	if err != nil || math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
		return float64(v)
	}
	return d
}

// AppendDate appends days since 1970-01-01 in ISO form.
func AppendDate(b []byte, days int32) []byte {
	return time.Unix(int64(days)*86400, 0).UTC().AppendFormat(b, time.DateOnly)
}
