package binning

import (
	"math"
	"slices"

	"boost/binning/internal/borders"
	"boost/dataset"
	"boost/internal/kernel/bin"
)

// fitScratch holds what sorting a column needs, reused from column to column.
type fitScratch struct {
	keys32  [2][]uint32
	keys64  [2][]uint64
	loads   [2][]uint64
	ends    []uint32
	borders []int
}

// denseRuns returns the runs of the sampled rows of a column that are not missing.
// They stand in the scratch.
func denseRuns[K bin.Key](f *fitter, s *fitScratch, buffers *[2][]K, values []K) borders.Runs[K] {
	n := f.sampled
	for i := range buffers {
		buffers[i] = reserve(buffers[i], n)
	}
	s.ends = reserve(s.ends, n)
	keys := buffers[0]
	if f.sample != nil {
		bin.Gather(keys, values, f.sample)
	} else {
		copy(keys, values)
	}
	if f.weights == nil {
		return borders.Join(bin.Sort(bin.FromBits(keys), buffers[1]), s.ends, nil)
	}
	for i := range s.loads {
		s.loads[i] = reserve(s.loads[i], n)
	}
	loads := s.loads[0]
	copy(loads, f.weights)
	keys, loads = bin.FromBitsWith(keys, loads)
	keys, loads = bin.SortWith(keys, buffers[1], loads, s.loads[1])
	return borders.Join(keys, s.ends, loads)
}

// sparseRuns is denseRuns for a column of which cells holds the stored ones and
// values their values. It costs as much as there are stored cells.
func sparseRuns[K bin.Key](f *fitter, s *fitScratch, buffers *[2][]K, values []K, cells *dataset.Sparse) borders.Runs[K] {
	n := len(values) + 1 // and the rows that are not stored
	for i := range buffers {
		buffers[i] = reserve(buffers[i], n)
	}
	for i := range s.loads {
		s.loads[i] = reserve(s.loads[i], n)
	}
	s.ends = reserve(s.ends, n)
	keys, loads := buffers[0][:0], s.loads[0][:0]
	var stored uint64 // weight of the stored cells
	for i, row := range cells.Rows {
		if f.sample != nil && f.chosen[row>>6]>>(row&63)&1 == 0 {
			continue
		}
		keys = append(keys, values[i])
		if f.weightOf != nil {
			loads = append(loads, f.weightOf[row])
			stored += f.weightOf[row]
		}
	}
	others := f.sampled - len(keys)
	if cells.Fill != 0 { // a row that is not stored has no value
		others = 0
	}
	var r borders.Runs[K]
	if f.weightOf == nil {
		r = borders.Join(bin.Sort(bin.FromBits(keys), buffers[1]), s.ends, nil)
	} else {
		keys, loads = bin.FromBitsWith(keys, loads)
		keys, loads = bin.SortWith(keys, buffers[1], loads, s.loads[1])
		r = borders.Join(keys, s.ends, loads)
	}
	r.Insert(bin.Zero[K](), uint32(others), f.weight-stored)
	return r
}

// prepareSparse makes what finds the sampled rows and their weights by row number,
// where there is a sparse column.
func (f *fitter) prepareSparse(rows int) {
	if !slices.ContainsFunc(f.columns, func(c *dataset.Column) bool { return c.Sparse() != nil }) {
		return
	}
	for _, w := range f.weights {
		f.weight += w
	}
	f.weightOf = f.weights
	if f.sample == nil {
		return
	}
	f.chosen = make([]uint64, (rows+63)/64)
	for _, row := range f.sample {
		f.chosen[row>>6] |= 1 << (row & 63)
	}
	if f.weights != nil {
		f.weightOf = make([]uint64, rows)
		for i, row := range f.sample {
			f.weightOf[row] = f.weights[i]
		}
	}
}

// bins returns how many bins the values of a numeric column may have.
func (f *fitter) bins(index int) int {
	bins := f.params.maxBinOf(f.columns[index].Name())
	if f.population.Missing[index] > 0 {
		bins--
	}
	return bins
}

// fitCuts returns the cuts of a numeric column, forced ones among them.
func fitCuts[K bin.Key, V bin.Float](f *fitter, s *fitScratch, r borders.Runs[K], bins int, forced []V, value func(K) V, midpoint func(lower, upper V) V) []V {
	gaps := borders.Gaps(forced, r, value)
	s.borders = borders.Find(s.borders[:0], r, bins, gaps)
	s.borders = borders.EnforceMinimum(s.borders, gaps, r.Ends, f.leastSampled())
	cuts := place(s.borders, r.Keys, value, f.params.Placement, midpoint)
	if len(forced) > 0 {
		// No two are equal: a gap with a forced cut has no other one.
		cuts = append(cuts, forced...)
		slices.Sort(cuts)
	}
	return cuts
}

// leastSampled returns how many of the sampled rows stand for MinDataInBin rows.
func (f *fitter) leastSampled() int {
	if f.sampled == f.population.Rows {
		return f.params.MinDataInBin
	}
	return int((uint64(f.params.MinDataInBin)*uint64(f.sampled) + uint64(f.population.Rows) - 1) / uint64(f.population.Rows))
}

func value32(key uint32) float32 { return math.Float32frombits(bin.ToBits(key)) }
func value64(key uint64) float64 { return math.Float64frombits(bin.ToBits(key)) }

// place turns borders into cuts.
func place[K bin.Key, V bin.Float](borders []int, keys []K, value func(K) V, placement string, midpoint func(lower, upper V) V) []V {
	cuts := make([]V, len(borders))
	for i, border := range borders {
		cuts[i] = value(keys[border])
		if placement == Midpoint {
			cuts[i] = midpoint(cuts[i], value(keys[border+1]))
		}
	}
	return cuts
}
