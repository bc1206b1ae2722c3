package scan

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// CatScratch is memory for Categorical, reused between calls.
type CatScratch struct {
	codes           []uint32  // the levels that stand for enough rows
	stats           []float64 // their statistics
	buckets         []uint8   // of these
	lowest, highest []level   // some of the levels
	spare           []level
	low, high       []uint32 // those of the lowest and of the highest statistics, ascending: as many as a group may have
	a, b            []uint32
}

// level is a level's statistic, its code, and the bucket of the statistic.
type level struct {
	stat   float64
	code   uint32
	bucket uint8
}

// estimate is the number of rows that a hessian sum stands for if all rows of the
// node had the same hessian: h·rows/Σh. It smooths, it never decides a row limit.
func estimate[H Hess](h, total H, rows uint64) float64 {
	if !(total > 0) {
		return 0
	}
	return float64(h) * float64(rows) / float64(total)
}

// leastOf returns the least hessian sum of a level that stands for at least so many rows: estimates only grow
// with it.
func (c *CatRule) leastOf(total uint64) uint64 {
	enough := func(h uint64) bool { return h > 0 && estimate(h, total, c.NodeRows) >= c.Smooth }
	at := uint64(max(1, min(c.Smooth*float64(total)/float64(max(c.NodeRows, 1)), 1<<62)))
	for at > 1 && enough(at-1) { // a quotient is off by a few roundings
		at--
	}
	for !enough(at) && at <= total {
		at++
	}
	return at
}

// orderLevels finds, of the levels that stand for enough rows, those with the lowest and
// the highest Σg/(Σh + smooth), ties by code: on each side as many as a group may have.
func orderLevels[G Grad, H Hess](f *Feature[G, H], r *Rule, c *CatRule, s *CatScratch) {
	least, most := listLevels(f, r, c, s)
	n := min(c.MaxPerSide, len(s.codes))
	finite := s.bucket(least, most)
	if finite && 2*n < len(s.codes) {
		s.ends(n)
		s.lowest, s.highest = s.sorted(s.lowest, n, 0), s.sorted(s.highest, 0, n)
		s.low, s.high = codesOf(s.low[:0], s.lowest[:n]), codesOf(s.high[:0], s.highest[len(s.highest)-n:])
		return
	}
	s.lowest = s.lowest[:0]
	for i, code := range s.codes {
		s.lowest = append(s.lowest, level{s.stats[i], code, s.buckets[i]})
	}
	if finite {
		s.lowest = s.sorted(s.lowest, len(s.lowest), 0)
	} else {
		sortStable(s.lowest)
	}
	s.low, s.high = codesOf(s.low[:0], s.lowest[:n]), codesOf(s.high[:0], s.lowest[len(s.lowest)-n:])
}

// nBuckets is the number of buckets, of equal widths, that statistics are put into. Buckets are numbers of seven bits.
const nBuckets = 128

// bucketCounts holds how many levels each bucket has.
type bucketCounts [nBuckets]uint32

// upTo returns the first bucket that has n levels together with those below it.
func (c *bucketCounts) upTo(n int) (bucket uint8) {
	for k := int(c[0]); k < n; k += int(c[bucket]) {
		bucket++
	}
	return bucket
}

// downTo returns the last bucket that has n levels together with those above it.
func (c *bucketCounts) downTo(n int) (bucket uint8) {
	bucket = nBuckets - 1
	for k := int(c[bucket]); k < n; k += int(c[bucket]) {
		bucket--
	}
	return bucket
}

// bucket finds the buckets of statistics between two, and reports whether it could: these may be too far apart or the
// same, or no numbers. All buckets are 0 then.
func (s *CatScratch) bucket(least, most float64) bool {
	s.buckets = slices.Grow(s.buckets[:0], len(s.stats))[:len(s.stats)]
	scale := (nBuckets - 0.5) / (most - least)
	if !(scale > 0 && scale <= math.MaxFloat64) {
		clear(s.buckets)
		return false
	}
	for i := bucketVectors(s.buckets, s.stats, least, scale); i < len(s.stats); i++ {
		s.buckets[i] = uint8(int32(float64(s.stats[i]-least) * scale))
	}
	return true
}

const (
	// manyLevels is the number of levels from which a sample, one in sampleLevels, decides which buckets the ends are.
	manyLevels   = 512
	sampleLevels = 8
)

// ends lists levels among which are the n lowest, and some among which are the n highest, both by code. There are more
// than twice as many.
func (s *CatScratch) ends(n int) {
	var counts bucketCounts
	if len(s.buckets) >= manyLevels {
		for i := 0; i < len(s.buckets); i += sampleLevels {
			counts[s.buckets[i]%nBuckets]++
		}
		share := n / sampleLevels
		enough := share + 2*int(math.Sqrt(float64(share))) + 1 // nearly always
		if s.take(counts.upTo(enough), counts.downTo(enough)); len(s.lowest) >= n && len(s.highest) >= n {
			return
		}
		counts = bucketCounts{}
	}
	for _, bucket := range s.buckets {
		counts[bucket%nBuckets]++
	}
	s.take(counts.upTo(n), counts.downTo(n))
}

// take lists the levels of buckets up to one as the lowest, and those from another on as the highest. Few levels are
// either, so it looks at the buckets of eight at a time.
func (s *CatScratch) take(to, from uint8) {
	const each, top = 0x0101010101010101, 0x8080808080808080
	s.lowest, s.highest = s.lowest[:0], s.highest[:0]
	// Buckets have seven bits, so that sums stay in their bytes: the highest bit is set in the first sum if the bucket is
	// above to, in the second one if it is not below from.
	above, reaches := uint64(127-to)*each, uint64(128-from)*each
	i := 0
	for ; i+8 <= len(s.buckets); i += 8 {
		w := binary.LittleEndian.Uint64(s.buckets[i:])
		for hits := (^(w + above) | (w + reaches)) & top; hits != 0; hits &= hits - 1 {
			s.takeOne(i+bits.TrailingZeros64(hits)/8, to, from)
		}
	}
	for ; i < len(s.buckets); i++ {
		s.takeOne(i, to, from)
	}
}

func (s *CatScratch) takeOne(i int, to, from uint8) {
	l := level{s.stats[i], s.codes[i], s.buckets[i]}
	if l.bucket <= to {
		s.lowest = append(s.lowest, l)
	}
	if l.bucket >= from {
		s.highest = append(s.highest, l)
	}
}

// sorted sorts levels that ascend by code and have buckets, up to the low lowest or from the high highest on: some
// more are left, and the others dropped. It returns memory of its own or that of the levels, which it keeps
// otherwise.
func (s *CatScratch) sorted(levels []level, low, high int) []level {
	var starts bucketCounts // after the last level of a bucket in the end
	for i := range levels {
		starts[levels[i].bucket%nBuckets]++
	}
	from, to := uint8(0), uint8(nBuckets-1)
	if low > 0 {
		to = starts.upTo(low)
	} else {
		from = starts.downTo(high)
	}
	n, largest := uint32(0), uint32(0)
	for b := from; b <= to; b++ {
		in := starts[b]
		starts[b] = n
		n, largest = n+in, max(largest, in)
	}
	placed := slices.Grow(s.spare[:0], len(levels))[:n]
	for _, l := range levels {
		if l.bucket >= from && l.bucket <= to {
			at := &starts[l.bucket%nBuckets]
			placed[*at] = l
			*at++
		}
	}
	s.spare = levels
	if largest > mostInserted {
		sortStable(placed)
		return placed
	}
	for i, l := range placed { // each is near its place
		for ; i > 0 && l.stat < placed[i-1].stat; i-- {
			placed[i] = placed[i-1]
		}
		placed[i] = l
	}
	return placed
}

// mostInserted is the most levels of a bucket that are sorted by putting each in its place.
const mostInserted = 96

func sortStable(levels []level) {
	slices.SortStableFunc(levels, func(a, b level) int { return cmp.Compare(a.stat, b.stat) })
}

func codesOf(dst []uint32, levels []level) []uint32 {
	for i := range levels {
		dst = append(dst, levels[i].code)
	}
	return dst
}

// listLevels lists the levels that stand for enough rows, and their statistics, of which it returns the least and the
// largest; NaN where one is not finite.
func listLevels[G Grad, H Hess](f *Feature[G, H], r *Rule, c *CatRule, s *CatScratch) (least, most float64) {
	from := H(0) // a level's hessian, at least
	if isInteger[H]() {
		enough := c.leastOf(uint64(f.Total.Hess))
		if least, most, ok := levelVectors(f.Words, f.Regular, enough, r, c, s); ok {
			return least, most
		}
		from = H(enough)
	}
	s.codes, s.stats = s.codes[:0], s.stats[:0]
	least, most = math.Inf(1), math.Inf(-1)
	for code := range f.Regular {
		if h := f.hess(code); h < from || h == 0 || !isInteger[H]() && estimate(h, f.Total.Hess, c.NodeRows) < c.Smooth {
			continue
		}
		sums := f.at(code)
		grad := float64(float64(sums.Grad)*r.GradScale) + float64(float64(sums.Rows)*r.GradOffset)
		stat := grad / (float64(float64(sums.Hess)*r.HessScale) + c.Smooth)
		least, most = min(least, stat), max(most, stat) // NaN if one is
		s.codes, s.stats = append(s.codes, uint32(code)), append(s.stats, stat)
	}
	return least, most
}
