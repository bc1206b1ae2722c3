package fingerprint

import (
	"crypto/sha256"
	"encoding/binary"

	"boost/dataset/internal/chunk"
	"boost/internal/kernel/mix"
)

// Column mixes the cells of one column.
type Column struct {
	key    mix.Key    // from the column's name
	levels []mix.Cell // from 128 bits of a cryptographic hash of their text
	none   mix.Cell   // a missing cell
}

// NewColumn returns the mixer of the named column; levels is its dictionary, if it has one.
func NewColumn(name string, levels []string) *Column {
	c := &Column{key: digest("column", name)}
	c.none = c.key.Missing()
	for _, level := range levels {
		text := digest("level", level)
		c.levels = append(c.levels, c.key.Cell(text[0], text[1]))
	}
	return c
}

func digest(domain, text string) [2]uint64 {
	d := sha256.Sum256([]byte(domain + "\x00" + text))
	return [2]uint64{binary.BigEndian.Uint64(d[:]), binary.BigEndian.Uint64(d[8:])}
}

// Float32s returns the sum of the mixes of numbers from row first on, NaN where missing.
func (c *Column) Float32s(first int, values []float32) mix.Sum {
	return mix.Numbers(c.key, first, values)
}

// Float64s is Float32s for float64.
func (c *Column) Float64s(first int, values []float64) mix.Sum {
	return mix.Numbers(c.key, first, values)
}

// Codes returns the sum of the mixes of levels, given by their codes (−1 is missing), from row first on.
func (c *Column) Codes(first int, codes []int32) mix.Sum {
	var total mix.Sum
	for i, code := range codes {
		cell := &c.none
		if code >= 0 {
			cell = &c.levels[code]
		}
		total.Add(cell.At(first + i))
	}
	return total
}

// Sparse returns the sum of the mixes of the given number of rows from row first on; s holds their stored cells. Where rows that are
// not stored are zeros it looks at the stored cells only.
func (c *Column) Sparse(first, rows int, s *chunk.Sparse) mix.Sum {
	var total mix.Sum
	next := 0
	for i, row := range s.Rows {
		if s.FillMissing() {
			c.missing(&total, first+next, first+int(row))
			next = int(row) + 1
		}
		total.Add(mix.Number(c.key, first+int(row), s.Value(i)))
	}
	if s.FillMissing() {
		c.missing(&total, first+next, first+rows)
	}
	return total
}

// missing adds the mixes of the missing cells of rows lo to hi.
func (c *Column) missing(total *mix.Sum, lo, hi int) {
	for row := lo; row < hi; row++ {
		total.Add(c.none.At(row))
	}
}
