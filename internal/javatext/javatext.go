// Package javatext writes values as Java's toString does, where Hudi stores or
// compares the texts: promotions to string, record keys.
package javatext

import (
	"math"
	"strconv"
	"time"
)

// AppendFloat appends a float (bits 32) or double (64): plain between 1e-3 and
// 1e7, in scientific form outside, always with a digit after the point, as JDK 8 to 17
// do.
func AppendFloat(b []byte, v float64, bits int) []byte {
	switch {
	case math.IsNaN(v):
		return append(b, "NaN"...)
	case math.IsInf(v, 1):
		return append(b, "Infinity"...)
	case math.IsInf(v, -1):
		return append(b, "-Infinity"...)
	}
	if v == 0 {
		return append(sign(b, v), "0.0"...)
	}
	b = sign(b, v)
	d := decimalOf(math.Abs(v), bits)
	switch {
	case d.point > 0 && d.point < 8:
		return d.appendPlain(b)
	case d.point <= 0 && d.point > -3:
		b = append(b, "0."...)
		b = append(b, "00"[:-d.point]...)
		return append(b, d.digits...)
	}
	b = append(b, d.digits[0], '.')
	if len(d.digits) > 1 {
		b = append(b, d.digits[1:]...)
	} else {
		b = append(b, '0')
	}
	return strconv.AppendInt(append(b, 'E'), int64(d.point-1), 10)
}

func sign(b []byte, v float64) []byte {
	if math.Signbit(v) {
		b = append(b, '-')
	}
	return b
}

// appendPlain appends a number with 1 to 7 digits before the point.
func (d decimal) appendPlain(b []byte) []byte {
	for i := range d.point {
		if i < len(d.digits) {
			b = append(b, d.digits[i])
		} else {
			b = append(b, '0')
		}
	}
	b = append(b, '.')
	if len(d.digits) > d.point {
		return append(b, d.digits[d.point:]...)
	}
	return append(b, '0')
}

// Widen gives a float as the double that Hudi promotes it to: by way of its
// text, so that 1.1f becomes 1.1.
func Widen(v float32) float64 {
	if v == 0 || math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
		return float64(v)
	}
	var buf [32]byte
	d, err := strconv.ParseFloat(string(AppendFloat(buf[:0], float64(v), 32)), 64)
	if err != nil {
		return float64(v)
	}
	return d
}

// AppendDate appends days since 1970-01-01 in ISO form.
func AppendDate(b []byte, days int32) []byte {
	return time.Unix(int64(days)*86400, 0).UTC().AppendFormat(b, time.DateOnly)
}
