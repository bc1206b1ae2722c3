package plain

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"sync"
)

// MaxDigits is the number of decimal digits that always fit a uint64.
const MaxDigits = 19

// decimal reads the longest decimal number that starts at b[i]:
//
//	[+-] digits [point digits] [(e|E) [+-] digits]     at least one digit before the exponent
//
// It returns the nearest float64 (ties to even; ±Inf beyond the range) and the
// index after the number, or end = i where none starts. Hexadecimal, underscores
// and thousands separators are no part of a number.
func decimal(b []byte, i int, point byte) (v float64, end int) {
	start := i
	negative := false
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		negative = b[i] == '-'
		i++
	}
	first := i
	for i < len(b) && b[i] == '0' {
		i++
	}
	var mantissa uint64
	significant := i
	for i < len(b) {
		d := b[i] - '0'
		if d > 9 {
			break
		}
		mantissa = mantissa*10 + uint64(d)
		i++
	}
	digits := i - significant // significant ones; the mantissa holds up to 19
	seen := i - first
	exponent := 0
	if i < len(b) && b[i] == point {
		i++
		fraction := i
		if digits == 0 {
			for i < len(b) && b[i] == '0' {
				i++
			}
		}
		significant = i
		for i < len(b) {
			d := b[i] - '0'
			if d > 9 {
				break
			}
			mantissa = mantissa*10 + uint64(d)
			i++
		}
		digits += i - significant
		seen += i - fraction
		exponent = fraction - i
	}
	if seen == 0 {
		return 0, start
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		e, after := ExponentPart(b, i+1)
		if after == i+1 {
			return 0, start
		}
		exponent += e
		i = after
	}
	if digits > MaxDigits {
		return decimalSlow(b[start:i], point), i
	}
	v, ok := Scale(mantissa, exponent)
	if !ok {
		return decimalSlow(b[start:i], point), i
	}
	if negative {
		v = -v
	}
	return v, i
}

// ExponentPart reads [+-] digits at b[i] and returns after = i if there are none.
// Exponents stop growing far outside float64's range.
func ExponentPart(b []byte, i int) (e, after int) {
	start := i
	negative := false
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		negative = b[i] == '-'
		i++
	}
	first := i
	for i < len(b) && b[i]-'0' <= 9 {
		if e < 100_000 {
			e = e*10 + int(b[i]-'0')
		}
		i++
	}
	if i == first {
		return 0, start
	}
	if negative {
		e = -e
	}
	return e, i
}

// LeadingDigits returns how many of the eight characters, the first in the lowest
// byte, are ASCII digits before the first that is none, and the number they write.
func LeadingDigits(word uint64) (value uint64, n int) {
	word ^= 0x3030303030303030 // digits become 0…9
	// Adding 0x76 sets the top bit of every byte from 10 on. A byte from 0x8A on also
	// carries into the next one, but that one stands behind a character that is no digit.
	others := (word + 0x7676767676767676 | word) & 0x8080808080808080
	n = bits.TrailingZeros64(others) >> 3
	// Moved to the top, the digits are an eight-digit number with zeros in front.
	return ValueOfEight(word << (64 - 8*uint(n))), n
}

// ValueOfEight returns the number written by eight bytes of 0…9, the first in the
// lowest byte, by adding neighbours in three steps (Lemire 2018).
func ValueOfEight(word uint64) uint64 {
	word = word*10 + word>>8
	const mask = 0x000000FF000000FF
	const mul1 = 100 + 1_000_000<<32
	const mul2 = 1 + 10_000<<32
	return ((word&mask)*mul1 + (word>>16&mask)*mul2) >> 32
}

// WholePowers are the powers of ten by which up to eight digits move a mantissa.
var WholePowers = [16]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}

// ExactPowers are the powers of ten that float64 holds exactly.
var ExactPowers = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// Scale returns mantissa × 10^exponent, correctly rounded, or false where neither
// of its two quick proofs of correct rounding holds.
func Scale(mantissa uint64, exponent int) (float64, bool) {
	// Values that are exact in few bits lie on the border that lemire cannot decide;
	// they are often written with zeros at the end, without which they are easy.
	for mantissa >= 1<<53 && mantissa%10 == 0 {
		mantissa /= 10
		exponent++
	}
	if mantissa < 1<<53 && -22 <= exponent && exponent <= 22 {
		// Both operands are exact, so the one rounding of the operation is the only one
		// (Clinger 1990).
		if exponent < 0 {
			return float64(mantissa) / ExactPowers[-exponent], true
		}
		return float64(mantissa) * ExactPowers[exponent], true
	}
	if mantissa == 0 {
		return 0, true
	}
	return lemire(mantissa, exponent)
}

// widePower is a power of ten as a 128-bit integer with its top bit set, the rest
// cut off (rounded down); its binary exponent follows from the decimal one.
type widePower struct{ hi, lo uint64 }

// largestWide bounds the exponents of widePowers. Others are rare in tables.
const largestWide = 60

var widePowers = sync.OnceValue(func() *[2*largestWide + 1]widePower {
	var powers [2*largestWide + 1]widePower
	low := new(big.Int).SetUint64(math.MaxUint64)
	for e := -largestWide; e <= largestWide; e++ {
		p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(e, -e))), nil)
		if e < 0 {
			// ⌊2^(127+len) / 10^-e⌋ has 128 bits as 2^(len-1) < 10^-e < 2^len.
			p.Quo(new(big.Int).Lsh(big.NewInt(1), uint(127+p.BitLen())), p)
		} else if n := p.BitLen(); n <= 128 {
			p.Lsh(p, uint(128-n))
		} else {
			p.Rsh(p, uint(n-128))
		}
		powers[e+largestWide] = widePower{
			hi: new(big.Int).Rsh(p, 64).Uint64(),
			lo: new(big.Int).And(p, low).Uint64(),
		}
	}
	return &powers
})

// lemire is the algorithm of Eisel and Lemire ("Number parsing at a gigabyte per
// second", 2021): the product of the mantissa with a 128-bit power of ten decides
// the rounding unless it lies too near to a border, which returns false.
func lemire(mantissa uint64, exponent int) (float64, bool) {
	if exponent < -largestWide || exponent > largestWide {
		return 0, false
	}
	power := &widePowers()[exponent+largestWide]
	shift := bits.LeadingZeros64(mantissa)
	mantissa <<= uint(shift)
	// 217706/2¹⁶ is log2(10), near enough for the floor at these exponents.
	exp2 := 217706*exponent>>16 + 64 + 1023 - shift

	hi, lo := bits.Mul64(mantissa, power.hi)
	if hi&0x1FF == 0x1FF && lo+mantissa < mantissa {
		// The cut-off half of the power may carry into the bits that round.
		hi2, lo2 := bits.Mul64(mantissa, power.lo)
		mid, carry := bits.Add64(lo, hi2, 0)
		top := hi + carry
		if top&0x1FF == 0x1FF && mid+1 == 0 && lo2+mantissa < mantissa {
			return 0, false
		}
		hi, lo = top, mid
	}
	top := hi >> 63
	m := hi >> (top + 9)
	exp2 -= int(1 ^ top)
	if lo == 0 && hi&0x1FF == 0 && m&3 == 1 {
		return 0, false // may be a tie
	}
	m += m & 1
	m >>= 1
	if m>>53 > 0 {
		m >>= 1
		exp2++
	}
	return math.Float64frombits(uint64(exp2)<<52 | m&(1<<52-1)), true
}

// decimalSlow leaves a number to strconv. Overflow gives ±Inf.
func decimalSlow(text []byte, point byte) float64 {
	s := string(text)
	if point != '.' {
		copied := append([]byte(nil), text...)
		for i, c := range copied {
			if c == point {
				copied[i] = '.'
			}
		}
		s = string(copied)
	}
	v, _ := strconv.ParseFloat(s, 64) // the grammar was checked; only ErrRange is left
	return v
}

// ParseNumber reads a whole cell, spaces around it not counting, as a number: a
// decimal number, or inf or infinity in any case with an optional sign. NaN is not
// a number here; what is missing is said by the missing tokens.
func ParseNumber(cell []byte, point byte) (float64, bool) {
	cell = Trim(cell)
	if v, end := decimal(cell, 0, point); end == len(cell) && end > 0 {
		return v, true
	}
	sign := 1
	if len(cell) > 0 && (cell[0] == '-' || cell[0] == '+') {
		if cell[0] == '-' {
			sign = -1
		}
		cell = cell[1:]
	}
	if EqualFold(cell, "inf") || EqualFold(cell, "infinity") {
		return math.Inf(sign), true
	}
	return 0, false
}

// ParseValue reads a whole cell as what a numeric column may hold: a number, true
// or false in any case, or an ISO-8601 date or time stamp.
func ParseValue(cell []byte, point byte) (v float64, isDate, ok bool) {
	if v, ok := ParseNumber(cell, point); ok {
		return v, false, true
	}
	cell = Trim(cell)
	switch {
	case EqualFold(cell, "true"):
		return 1, false, true
	case EqualFold(cell, "false"):
		return 0, false, true
	}
	v, ok = ParseDate(cell)
	return v, ok, ok
}

// EqualFold compares with a lower-case ASCII word, ignoring case.
func EqualFold(cell []byte, lower string) bool {
	if len(cell) != len(lower) {
		return false
	}
	for i, c := range cell {
		if c|0x20 != lower[i] {
			return false
		}
	}
	return true
}

// FormatNumber returns the shortest decimal form that reads back as v: "1", "0.1",
// "-2.5", with an exponent below 1e-6 and from 1e21 on. −0 is "0".
func FormatNumber(v float64) string {
	if v == 0 {
		return "0"
	}
	switch a := math.Abs(v); {
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	case a < 1e-6 || a >= 1e21:
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// Trim cuts off spaces, which count in text but not in numbers, names and missing
// tokens.
func Trim(cell []byte) []byte {
	for len(cell) > 0 && (cell[0] == ' ' || cell[0] == '\t') {
		cell = cell[1:]
	}
	for n := len(cell); n > 0 && (cell[n-1] == ' ' || cell[n-1] == '\t'); n-- {
		cell = cell[:n-1]
	}
	return cell
}
