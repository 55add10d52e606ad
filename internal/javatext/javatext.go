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
// 1e7, in scientific form outside, always with a digit after the point. Digits
// are the shortest that read back to the same value, as in JDK 19 and later;
// older ones print one more now and then.
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
	text := strconv.AppendFloat(nil, v, 'e', -1, bits)
	mantissa, exponent, _ := bytes.Cut(text, []byte{'e'})
	b = append(b, mantissa...)
	if bytes.IndexByte(mantissa, '.') < 0 {
		b = append(b, ".0"...)
	}
	n, _ := strconv.Atoi(string(exponent))
	return strconv.AppendInt(append(b, 'E'), int64(n), 10)
}

// AppendDate appends days since 1970-01-01 in ISO form.
func AppendDate(b []byte, days int32) []byte {
	return time.Unix(int64(days)*86400, 0).UTC().AppendFormat(b, time.DateOnly)
}
