package profile

import (
	"cmp"
	"math"
	"slices"

	"boost/dataset"
	"boost/internal/kernel/bin"
	"boost/internal/rng"
)

// Score tells how well one column alone predicts the label. The rows are cut into halves
// by a hash of their number; each half is predicted from what the other half shows per
// bin (of at most 256) or level, so that a column of names that occur once scores nothing.
type Score struct {
	// Measure is auc for two classes: the area under the ROC curve, 0.5 for chance, the mean
	// of both halves; errors_avoided for more: the share of the rows that always guessing the
	// most frequent class gets wrong, and the column right; rank_r2 for quantities: the share
	// of the variance of the label's ranks that the column explains. The last two are
	// negative for a column that does worse than knowing nothing.
	Measure string  `json:"measure"`
	Value   float64 `json:"value"`
}

// Leaks reports whether the score is too good to be true: an auc of 0.99 or more,
// errors_avoided or rank_r2 of 0.98 or more.
func (s *Score) Leaks() bool { return s != nil && s.above(0) }

// above reports whether the score is too good to be true, or by so little below.
func (s *Score) above(slack float64) bool {
	if s.Measure == "auc" {
		return s.Value >= leakingAUC-slack
	}
	return s.Value >= leakingShare-slack
}

// Leaking returns the first of some columns that predicts the label almost perfectly by itself, and its score; nil without one.
func Leaking(t *dataset.Table, p Params, names []string) (string, *Score) {
	var some *dataset.Table
	for _, name := range names {
		c := t.Column(name)
		if c == nil {
			continue
		}
		if t.NumRows() > 2*glanceRows && len(c.Levels()) <= glanceLevels {
			if some == nil {
				some = glance(t)
			}
			if score := alone(some, p, name); score != nil && !score.above(glanceSlack) {
				continue
			}
		}
		if score := alone(t, p, name); score.Leaks() {
			return name, score
		}
	}
	return "", nil
}

// glance returns some rows of a table, spread over it.
func glance(t *dataset.Table) *dataset.Table {
	rows, every := make([]int32, glanceRows), uint64(t.NumRows()/glanceRows)
	for i := range rows {
		rows[i] = int32(uint64(i)*every + rng.Mix(uint64(i))%every)
	}
	return t.Take(rows)
}

// alone returns the score of one column, nil where there is none.
func alone(t *dataset.Table, p Params, name string) *Score {
	index := slices.IndexFunc(t.Columns(), func(c *dataset.Column) bool { return c.Name() == name })
	s := &profiler{
		table: t, target: newTarget(t, p), rowHashes: make([]uint64, t.NumRows()),
		columns: make([]*column, len(t.Columns())), work: []int{index}, scratch: make([]scratch, 1),
	}
	if s.target == nil || index < 0 {
		return nil
	}
	c := &column{out: new(Figures), source: t.Columns()[index]}
	s.columns[index] = c
	s.Run(0, 0)
	return c.out.LabelScore
}

const (
	leakingAUC   = 0.99
	leakingShare = 0.98

	// Most columns are seen not to leak by a few rows: whose scores are lower, above all where each level has few of them.
	glanceRows   = 8192
	glanceLevels = 64
	glanceSlack  = 0.05

	minLabelled   = 50   // fewer rows with a label prove nothing
	minOfClass    = 10   // nor do fewer of the rarer of two classes
	maxClasses    = 1000 // as training has it
	maxBins       = 256
	rowsPerBin    = 20
	maxTallyCells = 1 << 21 // bins × classes
)

// target is the label as the score sees it.
type target struct {
	name    string
	classes int        // 0 for quantities
	class   []int32    // of the row; -1 where it has no label
	rank    []uint32   // twice the rank of the row's label among all; noRank where it has none
	squares [2]float64 // by half: the sum of the squares of rank
	total   tally      // of all rows: one bin
}

// newTarget returns nil where there is no label, or one from which nothing can be learnt.
func newTarget(t *dataset.Table, p Params) *target {
	if p.Label == "" {
		return nil
	}
	c := t.Column(p.Label)
	if c == nil || c.Kind() == dataset.Text || t.NumRows()-c.Missing() < minLabelled {
		return nil
	}
	g := &target{name: p.Label}
	switch {
	case c.Kind() == dataset.Category:
		g.class, g.classes = levelClasses(c)
	case p.Classes:
		g.class, g.classes = numberClasses(c)
	default:
		g.rank = ranks(c)
	}
	if g.rank != nil && constant(g.rank) {
		return nil
	}
	if g.rank == nil && (g.classes < 2 || g.classes > maxClasses) {
		return nil
	}
	g.total.reset(1, g.classes)
	for row := range t.NumRows() {
		g.total.add(g, int32(row), 0)
		if g.rank != nil && g.rank[row] != noRank {
			r := float64(g.rank[row])
			g.squares[half(int32(row))] += r * r
		}
	}
	if g.classes == 2 && min(g.total.class(0), g.total.class(1)) < minOfClass {
		return nil
	}
	return g
}

// levelClasses numbers the levels that occur.
func levelClasses(c *dataset.Column) (class []int32, classes int) {
	number := make([]int32, len(c.Levels()))
	class = make([]int32, c.Len())
	for row, code := range c.Codes() {
		if code < 0 {
			class[row] = -1
			continue
		}
		if number[code] == 0 {
			classes++
			number[code] = int32(classes)
		}
		class[row] = number[code] - 1
	}
	return class, classes
}

func numberClasses(c *dataset.Column) (class []int32, classes int) {
	values := different(c)
	class = make([]int32, c.Len())
	for row := range class {
		class[row] = -1
	}
	walk := dense(c)
	var k chunk
	for walk.read(&k) {
		for i, v := range k.values[:k.n] {
			if at, ok := slices.BinarySearch(values, v); ok {
				class[k.rows[i]] = int32(at)
			}
		}
	}
	return class, len(values)
}

// different returns the values that are not missing, each once, ascending.
func different(c *dataset.Column) []float64 {
	bits := make([]uint64, 0, c.Len())
	walk := dense(c)
	var k chunk
	for walk.read(&k) {
		for _, v := range k.values[:k.n] {
			bits = append(bits, math.Float64bits(v))
		}
	}
	keys := bin.FromBits(bits)
	keys = slices.Compact(bin.Sort(keys, make([]uint64, len(keys))))
	values := make([]float64, len(keys))
	for i, key := range keys {
		values[i] = valueOf(key)
	}
	return values
}

// noRank is no rank: there are fewer than 2³¹ rows.
const noRank = math.MaxUint32

// ranks returns twice the place of every row's label among all, which is a whole number:
// equal ones are in the middle of theirs.
func ranks(c *dataset.Column) []uint32 {
	n := c.Len()
	out, keys, rows := make([]uint32, n), make([]uint64, 0, n), make([]uint64, n)
	for row := range out {
		out[row], rows[row] = noRank, uint64(row)
	}
	walk := dense(c)
	var k chunk
	for walk.read(&k) {
		for _, v := range k.values[:k.n] {
			keys = append(keys, math.Float64bits(v))
		}
	}
	keys, rows = bin.FromBitsWith(keys, rows)
	keys, rows = bin.SortWith(keys, make([]uint64, n), rows, make([]uint64, n))
	for lo, hi := 0, 0; lo < len(keys); lo = hi {
		for hi < len(keys) && keys[hi] == keys[lo] {
			hi++
		}
		for _, row := range rows[lo:hi] {
			out[row] = uint32(lo + hi)
		}
	}
	return out
}

// constant reports whether all rows that have a rank have the same.
func constant(ranks []uint32) bool {
	first := uint32(noRank)
	for _, r := range ranks {
		switch {
		case r == noRank:
		case first == noRank:
			first = r
		case r != first:
			return false
		}
	}
	return true
}

// cutsOf returns the upper borders of bins of equal population, or of single values where
// there are few; the last bin has none.
func cutsOf[K bin.Key](values *sorted[K], distinct, bins int) []float64 {
	var cuts []float64
	if distinct <= bins {
		values.runs(func(key K, _ int) { cuts = append(cuts, valueOf(key)) })
		return cuts[:max(len(cuts)-1, 0)]
	}
	last := values.value(values.len() - 1)
	for i := 1; i < bins; i++ {
		cut := values.value(i * (values.len() - 1) / bins)
		if cut < last && (len(cuts) == 0 || cut > cuts[len(cuts)-1]) {
			cuts = append(cuts, cut)
		}
	}
	return cuts
}

// binOf returns the first bin whose border is not below v, the one after the last for a
// missing value.
func binOf(cuts []float64, v float64) int32 {
	if v != v {
		return int32(len(cuts) + 1)
	}
	low, high := 0, len(cuts)
	for low < high {
		middle := int(uint(low+high) >> 1)
		if cuts[middle] < v {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return int32(low)
}

// scoreNumbers scores a numeric column.
func (g *target) scoreNumbers(c *dataset.Column, cuts []float64, k *scratch) *Score {
	k.tally.reset(len(cuts)+2, g.classes)
	walk := cellsOf(c)
	for walk.read(&k.chunk) {
		for i, v := range k.chunk.values[:k.chunk.n] {
			k.tally.add(g, k.chunk.rows[i], binOf(cuts, v))
		}
	}
	if walk.sparse {
		k.tally.addRest(&g.total, binOf(cuts, walk.fill))
	}
	return k.tally.score(g)
}

// scoreLevels scores a categorical column. Levels of one row, and the rarest where there
// are more than can be tallied, share a bin.
func (g *target) scoreLevels(codes []int32, cells []int, k *scratch) *Score {
	var frequent []int32
	for level, n := range cells {
		if n > 1 {
			frequent = append(frequent, int32(level))
		}
	}
	if most := maxTallyCells / max(g.classes, 1); len(frequent) > most {
		slices.SortStableFunc(frequent, func(a, b int32) int { return cmp.Compare(cells[b], cells[a]) })
		frequent = frequent[:most]
	}
	bins := make([]int32, len(cells)) // 0 for the shared bin
	for i, level := range frequent {
		bins[level] = int32(i + 2)
	}
	k.tally.reset(len(frequent)+2, g.classes)
	for row, code := range codes {
		bin := int32(1) // missing
		if code >= 0 {
			bin = bins[code]
		}
		k.tally.add(g, int32(row), bin)
	}
	return k.tally.score(g)
}

// tally counts the rows of each bin by half and class, or sums their ranks.
type tally struct {
	bins    int
	classes int
	counts  []int32 // [half][bin][class]
	sums    []rankSum
}

// rankSum is the number of rows and the sum of their doubled ranks, which is exact: fewer
// than 2³¹ rows times fewer than 2³².
type rankSum struct{ n, sum int64 }

func (t *tally) reset(bins, classes int) {
	t.bins, t.classes = bins, classes
	t.counts, t.sums = t.counts[:0], t.sums[:0]
	if classes > 0 {
		t.counts = grown(t.counts, 2*bins*classes)
		clear(t.counts)
		return
	}
	t.sums = grown(t.sums, 2*bins)
	clear(t.sums)
}

// half cuts the rows in two.
func half(row int32) int { return int(rng.Mix(uint64(row)+0x68616C66) >> 63) }

func (t *tally) add(g *target, row, bin int32) {
	at := half(row)*t.bins + int(bin)
	if t.classes > 0 {
		if class := g.class[row]; class >= 0 {
			t.counts[at*t.classes+int(class)]++
		}
		return
	}
	if r := g.rank[row]; r != noRank {
		s := &t.sums[at]
		s.n++
		s.sum += int64(r)
	}
}

// addRest puts all rows that are in no bin yet into one.
func (t *tally) addRest(total *tally, bin int32) {
	for h := range 2 {
		at := h*t.bins + int(bin)
		if t.classes == 0 {
			rest := total.sums[h]
			for _, s := range t.sums[h*t.bins : (h+1)*t.bins] {
				rest.n, rest.sum = rest.n-s.n, rest.sum-s.sum
			}
			t.sums[at].n += rest.n
			t.sums[at].sum += rest.sum
			continue
		}
		for class := range t.classes {
			rest := total.counts[h*t.classes+class]
			for b := range t.bins {
				rest -= t.counts[(h*t.bins+b)*t.classes+class]
			}
			t.counts[at*t.classes+class] += rest
		}
	}
}

// class returns the number of rows of a class, in both halves of the only bin.
func (t *tally) class(class int) int32 { return t.counts[class] + t.counts[t.classes+class] }

// ofBin returns a bin's counts by class in one half.
func (t *tally) ofBin(half, bin int) []int32 {
	at := (half*t.bins + bin) * t.classes
	return t.counts[at : at+t.classes]
}

func (t *tally) score(g *target) *Score {
	var s *Score
	switch t.classes {
	case 0:
		s = &Score{"rank_r2", t.rankR2(g)}
	case 2:
		s = &Score{"auc", (t.auc(g, 0) + t.auc(g, 1)) / 2}
	default:
		s = &Score{"errors_avoided", t.errorsAvoided(g)}
	}
	if math.IsNaN(s.Value) || math.IsInf(s.Value, 0) {
		return nil
	}
	return s
}

// auc is the area under the curve in one half, rows ordered by the share of the second
// class that their bin has in the other half; one row of the average is added to each bin,
// so that empty ones know no more than that.
func (t *tally) auc(g *target, here int) float64 {
	other := 1 - here
	all := g.total.ofBin(other, 0)
	average := float64(all[1]) / float64(all[0]+all[1])
	shares := make([]float64, t.bins)
	order := make([]int, t.bins)
	for bin := range shares {
		n := t.ofBin(other, bin)
		shares[bin] = (float64(n[1]) + average) / (float64(n[0]+n[1]) + 1)
		order[bin] = bin
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(shares[a], shares[b]) })
	area, below := 0.0, 0.0
	for i := 0; i < len(order); {
		var first, second float64
		for end := shares[order[i]]; i < len(order) && shares[order[i]] == end; i++ {
			n := t.ofBin(here, order[i])
			first, second = first+float64(n[0]), second+float64(n[1])
		}
		area += second * (below + first/2)
		below += first
	}
	n := g.total.ofBin(here, 0)
	return area / (float64(n[0]) * float64(n[1]))
}

// errorsAvoided compares guessing a bin's most frequent class with guessing that of all.
func (t *tally) errorsAvoided(g *target) float64 {
	right, usual, rows := 0.0, 0.0, 0.0
	for here := range 2 {
		all := mostFrequent(g.total.ofBin(1-here, 0))
		for class, n := range g.total.ofBin(here, 0) {
			rows += float64(n)
			if class == all {
				usual += float64(n)
			}
		}
		for bin := range t.bins {
			guess := mostFrequent(t.ofBin(1-here, bin))
			if guess < 0 {
				guess = all
			}
			right += float64(t.ofBin(here, bin)[guess])
		}
	}
	return (right - usual) / (rows - usual)
}

// mostFrequent returns the first class with the highest count, -1 if there are no rows.
func mostFrequent(counts []int32) int {
	best, most := -1, int32(0)
	for class, n := range counts {
		if n > most {
			best, most = class, n
		}
	}
	return best
}

// rankR2 compares guessing a bin's mean rank with guessing that of all.
func (t *tally) rankR2(g *target) float64 {
	left, all := 0.0, 0.0
	for here := range 2 {
		other := 1 - here
		mean := float64(g.total.sums[other].sum) / float64(g.total.sums[other].n)
		all += g.squares[here] + g.total.sums[here].change(mean)
		left += g.squares[here]
		for bin := range t.bins {
			left += t.sums[here*t.bins+bin].change(t.sums[other*t.bins+bin].mean(mean))
		}
	}
	return 1 - left/all
}

// mean is the mean rank, with one row of the average added.
func (s rankSum) mean(average float64) float64 { return (float64(s.sum) + average) / float64(s.n+1) }

// change is what the sum of the squared differences from a guess has beyond the sum of the
// squares.
func (s rankSum) change(guess float64) float64 {
	return guess * (float64(s.n)*guess - 2*float64(s.sum))
}
