package javatext

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// The JDKs that Spark runs on (8 to 17) don't always print the shortest digits
// that read back to the same float or double, as JDK 19 and Go do. They take
// digits from a quotient of whole numbers until the rest is less than half the
// distance to a neighbour (Steele and White's method), with quirks that decide
// about a digit more or less: whole numbers are printed from their bits, numbers
// in scientific form get two digits at least, and whether the upper bound itself
// counts depends on the width of the numbers that the quotient is made of.

// A decimal is 0.d1d2d3... * 10^point.
type decimal struct {
	digits []byte
	point  int
}

// fiveBits are the bits of powers of 5, as far as the JDK looks them up.
var fiveBits = [27]int{0, 3, 5, 7, 10, 12, 14, 17, 19, 21, 24, 26, 28, 31, 33, 35, 38, 40, 42, 45, 47, 49, 52, 54, 56, 59, 61}

func bitsOfFive(power int) int {
	if power < len(fiveBits) {
		return fiveBits[power]
	}
	return 3 * power
}

// decimalOf gives the digits of a finite float (size 32) or double (64) above 0.
func decimalOf(v float64, size int) decimal {
	fraction, exponent := math.Frexp(v)
	exponent--
	mantissa := uint64(fraction * (1 << 53)) // 1.xxx * 2^52
	significant, least := 53, -1022
	if size == 32 {
		significant, least = 24, -126
	}
	significant -= max(0, least-exponent) // denormal
	zeros := bits.TrailingZeros64(mantissa)
	width := 53 - zeros
	tiny := max(0, width-exponent-1) // bits behind the point
	if exponent <= 62 && tiny == 0 {
		return wholeDecimal(mantissa, exponent, significant)
	}

	power := estimate(mantissa, exponent)
	q := quotient{b: mantissa >> zeros, b5: max(0, -power), s5: max(0, power)}
	q.b2, q.s2 = q.b5+tiny+exponent, q.s5+tiny
	q.m2 = q.b2 - significant
	q.b2 -= width - 1
	common := min(q.b2, q.s2)
	q.b2, q.s2, q.m2 = q.b2-common, q.s2-common, q.m2-common
	if width == 1 {
		q.m2-- // the neighbour below a power of two is nearer
	}
	if q.m2 < 0 {
		q.b2, q.s2, q.m2 = q.b2-q.m2, q.s2-q.m2, 0
	}
	g := generator{power: power, atLeastTwo: power < -3 || power >= 8}
	bBits, tensBits := width+q.b2+bitsOfFive(q.b5), q.s2+1+bitsOfFive(q.s5+1)
	switch {
	case bBits < 32 && tensBits < 32:
		runWords[int32](&g, q)
	case bBits < 64 && tensBits < 64:
		runWords[int64](&g, q)
	default:
		g.runBig(q)
	}
	return decimal{g.digits, g.power + 1}
}

// wholeDecimal gives the digits of a whole number below 2^63. Of one that has
// more bits than the format, the last digits that mean nothing are rounded off.
func wholeDecimal(mantissa uint64, exponent, significant int) decimal {
	n := mantissa >> max(0, 52-exponent) << max(0, exponent-52)
	point := 0
	if drop := int(float64(exponent-significant-1) * math.Log10(2)); drop > 0 {
		unit := uint64(math.Pow10(drop))
		n = (n + unit/2) / unit
		point = drop
	}
	digits := strconv.AppendUint(nil, n, 10)
	point += len(digits)
	for len(digits) > 1 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	return decimal{digits, point}
}

// estimate guesses the decimal exponent; it may be one too high.
func estimate(mantissa uint64, exponent int) int {
	m := float64(mantissa) / (1 << 52)
	return int(math.Floor((m-1.5)*0.289529654 + 0.176091259 + float64(exponent)*0.301029995663981))
}

// A quotient is b*5^b5*2^b2 over 5^s5*2^s2; half the distance to the neighbours
// is 5^b5*2^m2 over the same.
type quotient struct {
	b                  uint64
	b5, b2, s5, s2, m2 int
}

// A generator collects digits.
type generator struct {
	digits     []byte
	power      int
	atLeastTwo bool
}

// first takes the first digit, which is 0 where the estimate was too high, and
// says whether more are needed.
func (g *generator) first(digit byte, low, high bool) (bool, bool) {
	if digit == 0 && !high {
		g.power--
	} else {
		g.digits = append(g.digits, '0'+digit)
	}
	return low && !g.atLeastTwo, high && !g.atLeastTwo
}

// round rounds the last digit; half compares what is left with one half.
func (g *generator) round(low, high bool, half int) {
	last := len(g.digits) - 1
	if !high || low && (half < 0 || half == 0 && g.digits[last]&1 == 0) {
		return
	}
	for g.digits[last] == '9' {
		g.digits[last] = '0'
		if last == 0 {
			g.digits[0] = '1'
			g.power++
			return
		}
		last--
	}
	g.digits[last]++
}

func runWords[T int32 | int64](g *generator, q quotient) {
	pow := func(base T, n int) T {
		p := T(1)
		for range n {
			p *= base
		}
		return p
	}
	b, s, m := T(q.b)*pow(5, q.b5)<<q.b2, pow(5, q.s5)<<q.s2, pow(5, q.b5)<<q.m2
	tens := s * 10
	digit := b / s
	b, m = 10*(b%s), m*10
	low, high := g.first(byte(digit), b < m, b+m > tens)
	for !low && !high {
		digit = b / s
		b, m = 10*(b%s), m*10
		low, high = true, true
		if m > 0 { // it may overflow, and is large enough then
			low, high = b < m, b+m > tens
		}
		g.digits = append(g.digits, '0'+byte(digit))
	}
	half := 0
	switch rest := b<<1 - tens; {
	case rest < 0:
		half = -1
	case rest > 0:
		half = 1
	}
	g.round(low, high, half)
}

func (g *generator) runBig(q quotient) {
	five := func(n, shift int) *big.Int {
		p := new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(n)), nil)
		return p.Lsh(p, uint(shift))
	}
	ten, digit, sum := big.NewInt(10), new(big.Int), new(big.Int)
	b, s, m := five(q.b5, q.b2), five(q.s5, q.s2), five(q.b5, q.m2)
	b.Mul(b, new(big.Int).SetUint64(q.b))
	tens := new(big.Int).Mul(s, ten)
	next := func() (byte, bool, bool) {
		digit.QuoRem(b, s, b)
		b.Mul(b, ten)
		m.Mul(m, ten)
		return byte(digit.Uint64()), b.Cmp(m) < 0, tens.Cmp(sum.Add(b, m)) <= 0
	}
	low, high := g.first(next())
	for !low && !high {
		var d byte
		d, low, high = next()
		g.digits = append(g.digits, '0'+d)
	}
	g.round(low, high, b.Lsh(b, 1).Cmp(tens))
}
