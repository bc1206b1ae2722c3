package profile

import (
	"math"

	"boost/dataset"
	"boost/internal/detmath"
	"boost/internal/kernel/bin"
	"boost/internal/rng"
)

// number describes a numeric column.
func (s *profiler) number(c *column, index int, k *scratch) {
	walk := cellsOf(c.source)
	fills := 0
	if walk.sparse {
		fills = s.table.NumRows() - walk.stored()
	}
	if walk.fill != walk.fill {
		fills = 0 // missing cells are no values
	}
	yes := s.dates[c.source.Name()]
	c.out.Dates = &yes
	if c.source.Kind() == dataset.Float32 {
		k.narrow = k.narrow[:0]
		for _, v := range walk.narrow {
			k.narrow = append(k.narrow, math.Float32bits(v))
		}
		k.narrowSpare = grown(k.narrowSpare, len(k.narrow))
		describe(s, c, index, k, newSorted(bin.Sort(bin.FromBits(k.narrow), k.narrowSpare), keyOf(math.Float32bits(float32(walk.fill))), fills))
		return
	}
	k.wide = k.wide[:0]
	for _, v := range walk.wide {
		k.wide = append(k.wide, math.Float64bits(v))
	}
	k.wideSpare = grown(k.wideSpare, len(k.wide))
	describe(s, c, index, k, newSorted(bin.Sort(bin.FromBits(k.wide), k.wideSpare), keyOf(math.Float64bits(walk.fill)), fills))
}

func grown[T any](slice []T, n int) []T {
	if cap(slice) < n {
		return make([]T, n)
	}
	return slice[:n]
}

// describe takes the column's figures from its sorted values, then walks through its
// rows for what depends on them.
func describe[K bin.Key](s *profiler, c *column, index int, k *scratch, values *sorted[K]) {
	mode := figures(c, values)
	s.hashNumbers(c, index, k, mode)
	c.counter = isCounter(c, s.table.NumRows())
	if s.target != nil && c.source.Name() != s.target.name {
		cuts := cutsOf(values, c.out.Distinct, min(max(values.len()/rowsPerBin, 2), maxBins))
		c.out.LabelScore = s.target.scoreNumbers(c.source, cuts, k)
	}
}

// figures sets what the values alone tell, and returns the bits of the most frequent value,
// the missing one among them; the lowest among equals.
func figures[K bin.Key](c *column, values *sorted[K]) (mode uint64) {
	var sum detmath.Sum
	zeros, infinite, negative, whole := 0, 0, 0, true
	frequent := c.out.Missing
	mode = missingBits
	if frequent > 0 {
		c.pattern += rng.Mix(uint64(frequent))
		c.classes++
	}
	values.runs(func(key K, cells int) {
		v := valueOf(key)
		c.out.Distinct++
		c.classes++
		c.pattern += rng.Mix(uint64(cells))
		switch {
		case v == 0:
			zeros = cells
		case math.IsInf(v, 0):
			infinite += cells
			whole = false
			if v < 0 {
				negative = cells
			}
		default:
			whole = whole && v == math.Trunc(v)
		}
		if cells > frequent {
			frequent, mode = cells, bitsOf(v)
		}
		if cells == 1 {
			sum.Add(v)
		} else {
			sum.AddWeighted(float64(cells), v)
		}
	})
	c.sentinel = findSentinel(values)
	n := values.len()
	whole = whole && n > 0
	c.out.Zeros, c.out.Infinite, c.out.Negative, c.out.Whole = &zeros, &infinite, &negative, &whole
	if n == 0 {
		return mode
	}
	c.out.Min, c.out.Max = finite(values.value(0)), finite(values.value(n-1))
	c.out.Q01, c.out.Q25, c.out.Median = values.quantile(0.01), values.quantile(0.25), values.quantile(0.5)
	c.out.Q75, c.out.Q99 = values.quantile(0.75), values.quantile(0.99)
	c.out.Mean = finite(sum.Round() / float64(n))
	if c.out.Mean != nil {
		c.skewness = skewness(values, *c.out.Mean)
	}
	return mode
}

// skewness is the third central moment over the second to the power of 3/2, 0 where all
// values are equal or the moments are beyond float64.
func skewness[K bin.Key](values *sorted[K], mean float64) float64 {
	second, third := 0.0, 0.0
	values.runs(func(key K, cells int) {
		d := valueOf(key) - mean
		second += float64(cells) * d * d
		third += float64(cells) * d * d * d
	})
	n := float64(values.len())
	g := third / n / math.Pow(second/n, 1.5)
	if math.IsNaN(g) || math.IsInf(g, 0) {
		return 0
	}
	return g
}

// hashNumbers hashes the cells other than the most frequent value. Where that is not the
// implicit value of a sparse column, at least half of its cells are stored, so that
// walking through all rows costs no more than twice their number.
func (s *profiler) hashNumbers(c *column, index int, k *scratch, mode uint64) {
	walk := cellsOf(c.source)
	if walk.sparse && bitsOf(walk.fill) != mode {
		walk = dense(c.source)
	}
	c.valued = rng.Mix(mode ^ 1)
	for walk.read(&k.chunk) {
		n := 0
		for i := range k.chunk.n {
			if bits := bitsOf(k.chunk.values[i]); bits != mode {
				k.chunk.rows[n], k.chunk.bits[n] = k.chunk.rows[i], bits
				n++
			}
		}
		s.addCells(c, index, k.chunk.rows[:n], k.chunk.bits[:n])
	}
}

// isCounter reports whether every value is the one of the row before plus the same step.
func isCounter(c *column, rows int) bool {
	if rows < minCounterRows || c.out.Missing > 0 || c.out.Distinct != rows || !*c.out.Whole || c.source.Sparse() != nil {
		return false
	}
	walk := cellsOf(c.source)
	at := func(i int) float64 {
		if walk.narrow != nil {
			return float64(walk.narrow[i])
		}
		return walk.wide[i]
	}
	step := at(1) - at(0)
	for i := 2; i < rows; i++ {
		if at(i)-at(i-1) != step {
			return false
		}
	}
	return true
}
