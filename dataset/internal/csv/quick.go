package csv

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unicode/utf8"
	"unsafe"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/plain"
)

// Eight times the same byte.
const (
	ones   = 0x0101010101010101
	highs  = 0x80 * ones
	zeros  = '0' * ones
	feeds  = '\n' * ones
	beyond = (0x80 - 10) * ones // added to a digit's value leaves the top bit clear
)

// wordAt returns the eight bytes from b[i] on, the first in the lowest byte. The caller
// has made sure of i+quickReach <= len(b), once a cell: checking several times a cell
// costs a tenth of the time of reading numbers.
func wordAt(b []byte, i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))[:])
}

// zeroByte sets the top bit of the lowest byte of x that is 0. Bits above that one
// mean nothing; without a zero byte the result is 0.
func zeroByte(x uint64) uint64 { return (x - ones) &^ x & highs }

// shortPowers and longPowers are the powers of ten that a number of 8 and of 14 digits
// is divided by, by the number of digits before the point.
var (
	shortPowers = [8]float64{1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1}
	longPowers  = [8]float64{1e14, 1e13, 1e12, 1e11, 1e10, 1e9, 1e8, 1e7}
)

// quickCells reads cells from b[i] and column col on as long as they are of the usual
// kinds: numbers, text of up to 16 bytes without quotes. It stops before the first other
// cell, or behind the line feed with ended = true; col is the column of the next cell.
func (p *chunkParser) quickCells(b []byte, i, row, col int) (next, nextCol int, ended bool) {
	if p.Decimal == p.sep { // numbers with a fraction are quoted
		return i, col, false
	}
	for col < len(p.sinks) && i+chunk.QuickReach <= len(b) {
		s := &p.sinks[col]
		done := false
		switch s.kind {
		case numberSink:
			from := col
			if p.ahead {
				i, col = p.numbersAhead(b, i, row, col)
			}
			if col == from || b[i-1] != '\n' && col < len(p.sinks) {
				var n int
				i, n = quickNumbers(b, i, row, p.sinks[col:], p.sep, p.Decimal)
				col += n
			}
			if col > from {
				if b[i-1] == '\n' {
					return i, col, true
				}
				continue
			}
			i, done, ended = p.quickNumber(b, i, row, s)
		case levelSink, textSink:
			i, done, ended = p.quickText(b, i, row, s)
		}
		if !done {
			break
		}
		if col++; ended {
			return i, col, true
		}
	}
	return i, col, false
}

// numbersAhead reads numbers from b[i] on that the window has, or those that it has after
// it was filled from there. It returns where the next cell begins, and its column.
func (p *chunkParser) numbersAhead(b []byte, i, row, col int) (next, nextCol int) {
	w := &p.window
	there := w.Seek(i)
	for col < len(p.sinks) {
		if !there {
			cells, numbers := w.Read(b, i, p.sep, p.Decimal)
			if cells == 0 {
				return i, col
			}
			if 2*numbers < cells { // text that is not worth reading twice
				p.ahead = false
				w.Reset()
				return i, col
			}
		}
		values, ends := w.Numbers()
		n, line := place(values, ends, p.sinks[col:], row, b)
		if n == 0 {
			return i, col
		}
		i = int(ends[n-1]) + 1
		col += n
		if there = w.Skip(n); line {
			return i, col
		}
	}
	return i, col
}

// place gives the numbers to the sinks one by one, until the first sink that takes none
// or the end of the record. It returns how many it gave and whether the record has ended.
func place(values []float64, ends []int32, sinks []sink, row int, b []byte) (n int, line bool) {
	sinks = sinks[:min(len(sinks), len(values))]
	ends = ends[:len(sinks)]
	values = values[:len(sinks)]
	for n := range sinks {
		s := &sinks[n]
		if s.kind != numberSink {
			return n, false
		}
		if f64 := s.column.F64; f64 != nil {
			f64[row] = values[n]
		} else if f := float32(values[n]); float64(f) == values[n] {
			s.column.F32[row] = f
		} else {
			s.column.SetNumber(row, values[n])
		}
		if b[ends[n]] == '\n' {
			return n + 1, true
		}
	}
	return len(sinks), false
}

// quickNumbers reads cells from b[i] on into the sinks as long as they are numbers of up
// to 14 digits, up to 7 of them before the point if there is one, in up to 15 characters
// without the sign, or up to the end of the record. It works on eight characters at a
// time, almost without branches that depend on them, and calls nothing: what it keeps in
// registers decides its speed. It returns where the next cell begins and the number of
// cells read.
func quickNumbers(b []byte, i, row int, sinks []sink, sep, decimal byte) (next, cells int) {
	points := ones * uint64(decimal)
	last := len(b) - chunk.QuickReach
	for n := range sinks {
		s := &sinks[n]
		if s.kind != numberSink || i > last {
			return i, n
		}
		minus := (uint64(b[i]^'-') - 1) >> 63 // 1 with a sign, else 0
		end := i + int(minus)
		x := wordAt(b, end)
		y := x ^ zeros // digits become 0…9
		// The top bits of the first characters that are no digits; see leadingDigits.
		// The point ends nothing if it is the first of them.
		others := (y + beyond | y) & highs
		first := others & -others
		x ^= points
		point := first & (x - ones) &^ x
		ends := others ^ point
		before := point>>7 - 1 // the characters before the point, all without one
		var v float64
		// The digits without the point, zeros behind them, are a number of 8 or 14 digits,
		// exact in a float64 as the power of ten is: the one rounding of the division is
		// the only one.
		if ends != 0 {
			end += bits.TrailingZeros64(ends) >> 3
			whole := bits.TrailingZeros64(others) >> 3
			if whole == 0 {
				return i, n
			}
			if point == 0 {
				v = float64(int64(plain.ValueOfEight(y << (8 * uint(8-whole) & 63))))
			} else {
				y &= ends&-ends>>7 - 1
				v = float64(int64(plain.ValueOfEight(y&before|y>>8&^before))) / shortPowers[whole&7]
			}
		} else {
			if point == 0 {
				return i, n
			}
			z := wordAt(b, end+8) ^ zeros
			ends = (z + beyond | z) & highs
			if ends == 0 {
				return i, n
			}
			end += 8 + bits.TrailingZeros64(ends)>>3
			whole := bits.TrailingZeros64(point) >> 3
			if whole == 0 {
				return i, n
			}
			z &= ends&-ends>>7 - 1
			high, low := plain.ValueOfEight(y&before|(y>>8|z<<56)&^before), plain.ValueOfEight(z>>8<<16)
			v = float64(int64(high*1e6+low)) / longPowers[whole&7]
		}
		c := b[end]
		if c != sep && c != '\n' {
			return i, n
		}
		v = math.Float64frombits(math.Float64bits(v) | minus<<63)
		if f64 := s.column.F64; f64 != nil {
			f64[row] = v
		} else {
			f := float32(v)
			if float64(f) != v {
				return i, n
			}
			s.column.F32[row] = f
		}
		i = end + 1
		if c != sep {
			return i, n + 1
		}
	}
	return i, len(sinks)
}

// quickNumber reads a cell that is empty or a number in a longer form: up to 7 digits
// before the point, 19 in all, rounding proven right, perhaps quoted, with an exponent
// or before CRLF. It returns where the next cell begins, or done = false.
func (p *chunkParser) quickNumber(b []byte, i, row int, s *sink) (next int, done, ended bool) {
	sep, at := p.sep, i
	if p.emptyIsMissing && (b[at] == sep || b[at] == '\n') {
		s.column.SetMissing(row)
		return at + 1, true, b[at] == '\n'
	}
	quote := 0
	if b[at] == '"' {
		quote = 1
		at++
	}
	sign := 0
	if b[at] == '-' {
		sign = 1
	}
	at += sign
	mantissa, n := plain.LeadingDigits(wordAt(b, at))
	if n == 8 {
		return i, false, false
	}
	at += n
	fraction := 0
	if b[at] == p.Decimal {
		at++
		m := 8
		for m == 8 && fraction <= plain.MaxDigits {
			var value uint64
			value, m = plain.LeadingDigits(wordAt(b, at))
			mantissa = mantissa*plain.WholePowers[m&15] + value
			at += m
			fraction += m
		}
	}
	if digits := n + fraction; uint(digits-1) >= plain.MaxDigits {
		return i, false, false
	}
	exponent := -fraction
	if quote == 1 && b[at] == '"' {
		quote = 0
		at++
	}
	c := b[at]
	if c|0x20 == 'e' {
		e, after := plain.ExponentPart(b, at+1)
		if after == at+1 || after > at+5 {
			return i, false, false
		}
		exponent += e
		at = after
		c = b[at]
	}
	if c == '\r' && b[at+1] == '\n' {
		at++
		c = '\n'
	}
	if c != sep && c != '\n' || quote == 1 {
		return i, false, false
	}
	var v float64
	if mantissa < 1<<53 && uint(-exponent) <= 22 {
		v = float64(int64(mantissa)) / plain.ExactPowers[-exponent]
	} else {
		var proven bool
		if v, proven = plain.Scale(mantissa, exponent); !proven {
			return i, false, false
		}
	}
	s.column.SetNumber(row, math.Float64frombits(math.Float64bits(v)|uint64(sign)<<63))
	return at + 1, true, c == '\n'
}

// quickText reads a cell of text without quotes, up to the last bytes of the chunk. It
// returns where the next cell begins, or done = false.
func (p *chunkParser) quickText(b []byte, i, row int, s *sink) (next int, done, ended bool) {
	sep := p.sep
	seps := ones * uint64(sep)
	lo, hi := wordAt(b, i), wordAt(b, i+8)
	first := byte(lo)
	if first == '"' || p.cells.blank(first) {
		return i, false, false
	}
	// Lengths of cells are hard to foresee: no branch depends on them up to 16 bytes.
	ends := zeroByte(lo^seps) | zeroByte(lo^feeds)
	further := zeroByte(hi^seps) | zeroByte(hi^feeds)
	inFirst := (ends | -ends) >> 63
	lo &= ends&-ends>>7 - 1
	hi &= (further&-further>>7 - 1) & (inFirst - 1)
	length := bits.TrailingZeros64(ends)>>3 + bits.TrailingZeros64(further)>>3&int(inFirst-1)
	end := i + length
	c := b[end]
	if c != sep && c != '\n' {
		for end += 1; b[end] != sep && b[end] != '\n'; {
			end++
		}
		c = b[end]
	}
	if end > i && (c == '\n' && b[end-1] == '\r' || p.cells.blank(b[end-1])) {
		return i, false, false
	}
	switch {
	case s.kind == textSink:
		if p.Encoding != nil || !utf8.Valid(b[i:end]) {
			return i, false, false
		}
		s.column.SetText(row, b[i:end])
	case length < chunk.ShortCell || end == i+chunk.ShortCell:
		code := s.dict.Find(lo, hi, length)
		if code < chunk.MissingCode {
			return i, false, false
		}
		s.column.Codes[row] = code
	default:
		code := s.dict.FindLong(b[i:end])
		if code < chunk.MissingCode {
			return i, false, false
		}
		s.column.Codes[row] = code
	}
	return end + 1, true, c != sep
}
