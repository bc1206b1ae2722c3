package dataset

import (
	"fmt"
	"math"
	"slices"
)

// exactWhole is 2⁵³: 2⁵³+1 is rounded to it.
const exactWhole = 1 << 53

// setLarge finds out whether the numbers are whole ones of which some lie at 2⁵³ or beyond, but
// not beyond 64 bits: a number of a thing then, which float64 rounds, and no quantity.
// They may be exact in float32 once they are rounded.
func (p *piece) setLarge() {
	at := -1
	switch {
	case p.summary != nil: // it was found out before the values were left aside
		return
	case p.sparse != nil:
		if i := firstLarge(p.sparse.F32, p.sparse.F64); i >= 0 {
			at = int(p.sparse.Rows[i])
		}
	default:
		at = firstLarge(p.f32, p.f64)
	}
	p.large = int32(at + 1)
}

// firstLarge returns the index of the first number from 2⁵³ on where all are whole and of
// up to 64 bits; −1 without one. One of the slices is empty.
func firstLarge(narrow []float32, wide []float64) int {
	// Mostly there is none, which is soon seen by the bits, less the sign, alone.
	const large32, large64 = 0x5A000000, 0x4340 << 48 // 2⁵³
	first := -1
	for i, v := range narrow {
		if math.Float32bits(v)&(1<<31-1) > large32-1 && v == v {
			first = i
			break
		}
	}
	for i, v := range wide {
		if math.Float64bits(v)&(1<<63-1) > large64-1 && v == v {
			first = i
			break
		}
	}
	if first < 0 {
		return -1
	}
	for _, v := range narrow {
		if !isNumbering(float64(v)) {
			return -1
		}
	}
	for _, v := range wide {
		if !isNumbering(v) {
			return -1
		}
	}
	return first
}

// isNumbering tells whether a cell may be a number of a thing: whole, of up to 64 bits, or
// missing.
func isNumbering(v float64) bool { return v != v || v == math.Trunc(v) && math.Abs(v) <= 1<<64 }

// largeRow returns the row of the first whole number from 2⁵³ on of a column that becomes
// numbers, values being those of its levels; −1 without one.
func (a *assembly) largeRow(c *parts, values []float64) int {
	level := make([]bool, len(values))
	some := false
	for i, v := range values {
		level[i] = math.Abs(v) >= exactWhole
		some = some || level[i]
	}
	for _, v := range values {
		some = some && isNumbering(v)
	}
	for k, p := range c.pieces {
		row := int(p.large) - 1
		if some && p.codes != nil {
			row = slices.IndexFunc(p.codes, func(code int32) bool { return code >= 0 && level[code] })
		}
		if some && p.summary != nil {
			for i, l := range p.summary.levels {
				if level[l] {
					row = int(p.summary.firsts[i])
					break
				}
			}
		}
		if row >= 0 {
			return a.firsts[k] + row
		}
	}
	return -1
}

// largeNote says which columns have numbers that float64 rounds, and where the first is.
func (r *remarks) largeNote() string {
	first := ""
	if len(r.places.runs) > 0 && !r.skipBadRows { // rows that are left out shift the others
		var at ParseError
		r.places.mark(&at, r.largeAt)
		first = fmt.Sprintf("; the first stands in column %q of %s", r.large[0], at.place())
	}
	return fmt.Sprintf("whole numbers from 2⁵³ on in %s %s are read as the nearest 64-bit floats, so that different ones may become equal%s (name the column in id or categorical if they are names)",
		plural(len(r.large), "column"), nameList(r.large, 10), first)
}
