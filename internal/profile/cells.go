package profile

import (
	"math"

	"boost/dataset"
)

const chunkCells = 1024

// chunk is a stretch of a column's cells.
type chunk struct {
	rows   [chunkCells]int32
	values [chunkCells]float64 // of numbers
	bits   [chunkCells]uint64  // of values, for hashing
	n      int
}

// cells walks through a numeric column: through all cells of a dense one, through the
// stored cells of a sparse one.
type cells struct {
	narrow []float32
	wide   []float64
	sparse bool
	rows   []int32 // of a sparse column's stored cells
	fill   float64 // value of all its other cells
	next   int
}

func cellsOf(c *dataset.Column) *cells {
	if s := c.Sparse(); s != nil {
		return &cells{sparse: true, narrow: s.F32, wide: s.F64, rows: s.Rows, fill: s.Fill}
	}
	return dense(c)
}

// dense returns a walk through all cells, also of a sparse column.
func dense(c *dataset.Column) *cells {
	if c.Kind() == dataset.Float32 {
		return &cells{narrow: c.Float32s()}
	}
	return &cells{wide: c.Float64s()}
}

// stored is the number of cells that are walked through.
func (c *cells) stored() int { return max(len(c.narrow), len(c.wide)) }

// read fills the chunk with the next cells and reports whether there were any.
func (c *cells) read(k *chunk) bool {
	k.n = min(chunkCells, c.stored()-c.next)
	if k.n <= 0 {
		return false
	}
	if c.narrow != nil {
		for i, v := range c.narrow[c.next : c.next+k.n] {
			k.values[i] = float64(v)
		}
	} else {
		copy(k.values[:], c.wide[c.next:c.next+k.n])
	}
	if c.sparse {
		copy(k.rows[:], c.rows[c.next:c.next+k.n])
	} else {
		for i := range k.n {
			k.rows[i] = int32(c.next + i)
		}
	}
	c.next += k.n
	return true
}

// bitsOf returns what stands for a number in hashes: −0 is 0, every NaN is missing.
func bitsOf(v float64) uint64 {
	switch {
	case v == 0:
		return 0
	case v != v:
		return missingBits
	}
	return math.Float64bits(v)
}
