package binning

import (
	"math"

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

// grow returns the slice with room for n entries; what it held is lost.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// denseRuns returns the runs of the sampled rows of a column that are not missing.
// They stand in the scratch.
func denseRuns[K bin.Key](f *fitter, s *fitScratch, buffers *[2][]K, values []K) runs[K] {
	n := f.sampled
	for i := range buffers {
		buffers[i] = grow(buffers[i], n)
	}
	s.ends = grow(s.ends, n)
	keys := buffers[0]
	if f.sample != nil {
		bin.Gather(keys, values, f.sample)
	} else {
		copy(keys, values)
	}
	if f.weights == nil {
		return joinEqual(bin.Sort(bin.FromBits(keys), buffers[1]), s.ends, nil)
	}
	for i := range s.loads {
		s.loads[i] = grow(s.loads[i], n)
	}
	loads := s.loads[0]
	copy(loads, f.weights)
	keys, loads = bin.FromBitsWith(keys, loads)
	keys, loads = bin.SortWith(keys, buffers[1], loads, s.loads[1])
	return joinEqual(keys, s.ends, loads)
}

// fitBorders returns the borders of a numeric column's bins.
func fitBorders[K bin.Key](f *fitter, s *fitScratch, r runs[K], hasMissing bool) []int {
	bins := f.params.MaxBin
	if hasMissing {
		bins--
	}
	s.borders = quantileBorders(s.borders[:0], r, bins)
	s.borders = enforceMinimum(s.borders, r.ends, f.leastSampled())
	return s.borders
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
