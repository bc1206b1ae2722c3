//go:build amd64 && !purego

package scan

import (
	"math"
	"slices"

	"boost/internal/cpu"
)

// levelVectors is listLevels for packed sums, if it can: all statistics are finite then.
func levelVectors(words []uint64, regular int, enough uint64, r *Rule, c *CatRule, s *CatScratch) (least, most float64, ok bool) {
	if vectors == cpu.Generic || regular == 0 || len(words) < regular || enough == 0 || enough > math.MaxInt64 || !usual(r.GradScale) || !usual(r.HessScale) || !(c.Smooth >= 0 && c.Smooth <= 1e100) {
		return 0, 0, false
	}
	const more = 8 // that are written after the last one
	s.codes, s.stats = slices.Grow(s.codes[:0], regular+more)[:regular+more], slices.Grow(s.stats[:0], regular+more)[:regular+more]
	factors, ends := [...]float64{r.GradScale, r.HessScale, c.Smooth}, [2]float64{}
	var n uint64
	if vectors == cpu.AVX512 {
		n = levelsAVX512(&s.codes[0], &s.stats[0], &words[0], uint64(regular), enough, &factors, &ends)
	} else {
		n = levelsAVX2(&s.codes[0], &s.stats[0], &words[0], uint64(regular), enough, &factors, &ends)
	}
	s.codes, s.stats = s.codes[:n], s.stats[:n]
	return ends[0], ends[1], true
}

// bucketVectors writes the first buckets, and returns how many.
func bucketVectors(buckets []uint8, stats []float64, least, scale float64) int {
	n := len(stats) &^ 7
	switch {
	case vectors == cpu.Generic || n == 0:
		return 0
	case vectors == cpu.AVX512:
		bucketsAVX512(&buckets[0], &stats[0], uint64(n), least, scale)
	default:
		bucketsAVX2(&buckets[0], &stats[0], uint64(n), least, scale)
	}
	return n
}
