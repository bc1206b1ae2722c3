package chunk

import (
	"math"
	"slices"
)

// Sparse holds the stored cells of a sparse numeric column; all other rows have
// the value Fill. Its slices are the column's own memory and must not be changed.
type Sparse struct {
	// Rows are the rows of the stored cells, ascending.
	Rows []int32
	// F32 or F64 holds the values, one per entry of Rows, NaN where missing: F32 in a
	// Float32 column, F64 in a Float64 column; the other is nil.
	F32 []float32
	F64 []float64
	// Fill is 0, or NaN where a row that is not stored has no value. No stored value
	// of a Column equals it.
	Fill float64
}

// Len returns the number of stored cells.
func (s *Sparse) Len() int { return len(s.Rows) }

// Value returns the value of the i-th stored cell.
func (s *Sparse) Value(i int) float64 {
	if s.F64 != nil {
		return s.F64[i]
	}
	return float64(s.F32[i])
}

// Range returns the stored cells of rows lo to hi, hi left out, as indices from first
// to end, end left out.
func (s *Sparse) Range(lo, hi int) (first, end int) {
	first, _ = slices.BinarySearch(s.Rows, int32(lo))
	n, _ := slices.BinarySearch(s.Rows[first:], int32(hi))
	return first, first + n
}

// FillMissing reports whether rows that are not stored have no value.
func (s *Sparse) FillMissing() bool { return s.Fill != s.Fill }

// IsFill reports whether a value is the one of rows that are not stored.
func (s *Sparse) IsFill(v float64) bool { return v == s.Fill || v != v && s.FillMissing() }

// At returns the value of a row.
func (s *Sparse) At(row int) float64 {
	if i, stored := slices.BinarySearch(s.Rows, int32(row)); stored {
		return s.Value(i)
	}
	return s.Fill
}

// Missing returns how many of n rows have no value.
func (s *Sparse) Missing(n int) int {
	missing := 0
	for _, v := range s.F32 {
		if v != v {
			missing++
		}
	}
	for _, v := range s.F64 {
		if v != v {
			missing++
		}
	}
	if s.FillMissing() {
		missing += n - len(s.Rows)
	}
	return missing
}

// Expand32 returns the values of n rows.
func (s *Sparse) Expand32(n int) []float32 {
	return Expand(s.Rows, s.F32, float32(s.Fill), n)
}

// Expand64 returns the values of n rows, whichever slice holds the stored ones.
func (s *Sparse) Expand64(n int) []float64 {
	if s.F64 != nil {
		return Expand(s.Rows, s.F64, s.Fill, n)
	}
	f64 := make([]float64, len(s.F32))
	for i, v := range s.F32 {
		f64[i] = float64(v)
	}
	return Expand(s.Rows, f64, s.Fill, n)
}

func Expand[T float32 | float64](rows []int32, values []T, fill T, n int) []T {
	dense := make([]T, n)
	if fill != 0 {
		for i := range dense {
			dense[i] = fill
		}
	}
	for i, row := range rows {
		dense[row] = values[i]
	}
	return dense
}

// Check returns what is wrong with cells that are said to be of n rows, or "".
func (s *Sparse) Check() string {
	switch {
	case s.Fill != 0 && !s.FillMissing():
		return "has a Fill that is neither 0 nor NaN"
	case s.F32 != nil && s.F64 != nil:
		return "has values in F32 and in F64; it needs one of them"
	case len(s.F32)+len(s.F64) != len(s.Rows):
		return "needs one value for each of its Rows"
	}
	last := int32(-1)
	for _, row := range s.Rows {
		if row <= last {
			return "has Rows that do not ascend from 0"
		}
		last = row
	}
	return ""
}

// WithoutNumbers returns s in which numbers that mean "no value" are missing. If 0 is one
// of them, so are the rows that are not stored.
func (s *Sparse) WithoutNumbers(missing []float64) *Sparse {
	if len(missing) == 0 {
		return s
	}
	left := &Sparse{Rows: s.Rows, F32: WithoutNumbers(s.F32, missing), F64: WithoutNumbers(s.F64, missing), Fill: s.Fill}
	if slices.Contains(missing, s.Fill) {
		left.Fill = MissingFill
	}
	return left
}

// WithoutFill returns s without stored cells that hold the fill.
func (s *Sparse) WithoutFill() *Sparse {
	superfluous := 0
	for i := range s.Rows {
		if s.IsFill(s.Value(i)) {
			superfluous++
		}
	}
	if superfluous == 0 {
		return s
	}
	kept := &Sparse{Fill: s.Fill, Rows: make([]int32, 0, len(s.Rows)-superfluous)}
	for i, row := range s.Rows {
		if s.IsFill(s.Value(i)) {
			continue
		}
		kept.Rows = append(kept.Rows, row)
		if s.F64 != nil {
			kept.F64 = append(kept.F64, s.F64[i])
		} else {
			kept.F32 = append(kept.F32, s.F32[i])
		}
	}
	return kept
}

// AsFloat32 returns s with float32 values where that holds every one of them.
func (s *Sparse) AsFloat32() *Sparse {
	if s.F64 == nil || !AllExact(s.F64) {
		return s
	}
	n := &Sparse{Rows: s.Rows, F32: make([]float32, len(s.F64)), Fill: s.Fill}
	for i, v := range s.F64 {
		n.F32[i] = float32(v)
	}
	return n
}

// Smaller reports whether n rows take fewer bytes in the sparse form than densely.
func (s *Sparse) Smaller(n int) bool {
	width := 4
	if s.F64 != nil {
		width = 8
	}
	return len(s.Rows)*(4+width) < n*width
}

// MissingFill is the Fill of a column in which a row that is not stored has no value.
var MissingFill = math.NaN()
