package metrics

import (
	"math"
	"math/bits"

	"boost/internal/detmath"
	"boost/internal/kernel/loss"
	"boost/parallel"
)

// Survival is what metrics of times need to know of a model. A label is the time of an event, or negative, -0 too, where the row is
// censored then.
type Survival struct {
	Hazards bool     // predictions are hazards: the higher one means the earlier event; else they are times
	Errors  loss.AFT // the distribution of times, where predictions are such
}

// Links of models of times are the names of their objectives: what fits one says nothing of another.
const (
	coxModel = "cox"
	aftModel = "aft"
)

var (
	coxNLogLikInfo = Info{
		Name:    "cox_nloglik",
		Aliases: []string{"cox-nloglik", "survival:cox"},
		Links:   []string{coxModel},
		build:   func(string, []float64) Metric { return coxNLogLik{} },
	}
	concordanceInfo = Info{
		Name:    "concordance",
		Aliases: []string{"concordance_index", "c_index", "cindex", "harrell_c"},
		Links:   []string{coxModel, aftModel},
		build:   func(string, []float64) Metric { return concordance{} },
	}
	aftNLogLikInfo = Info{
		Name:    "aft_nloglik",
		Aliases: []string{"aft-nloglik", "survival:aft"},
		Links:   []string{aftModel},
		build:   ofRows(aftNLogLik),
	}
	intervalAccuracyInfo = Info{
		Name:    "interval_accuracy",
		Aliases: []string{"interval-regression-accuracy"},
		Links:   []string{aftModel},
		build:   func(name string, _ []float64) Metric { return share{mean{name: name, row: withinInterval}} },
	}
)

// coxNLogLik is the mean over the events of −log of the chance that each comes to its row, among the rows whose time is not before it
// (Breslow's partial likelihood).
type coxNLogLik struct{}

func (coxNLogLik) Name() string         { return "cox_nloglik" }
func (coxNLogLik) HigherIsBetter() bool { return false }

func (coxNLogLik) Eval(in Input) float64 {
	scores := scoresOf(&in)
	best := math.Inf(-1)
	for row, s := range scores {
		if weightAt(&in, row) == 0 {
			continue
		}
		if math.IsNaN(s) {
			return s
		}
		best = max(best, s)
	}
	if in.Outputs != 1 || math.IsInf(best, 0) {
		return math.NaN()
	}
	buffer := takeRankBuffer(len(scores))
	defer rankBuffers.Put(buffer)
	var total, weight, left detmath.Sum // left is the hazard of the rows so far
	for rows := range laterFirst(buffer, &in) {
		for _, r := range rows {
			if w := weightAt(&in, int(r.count)); w > 0 {
				left.Add(float64(w * detmath.Exp(scores[r.count]-best)))
			}
		}
		logLeft, known := 0.0, false
		for _, r := range rows {
			w := weightAt(&in, int(r.count))
			if w == 0 || math.Signbit(in.Labels[r.count]) {
				continue
			}
			if !known {
				logLeft, known = detmath.Log(left.Round()), true
			}
			weight.Add(w)
			total.AddWeighted(w, best+logLeft-scores[r.count])
		}
	}
	if all := weight.Round(); all > 0 {
		return total.Round() / all
	}
	return math.NaN()
}

// aftNLogLik is −log of the likelihood of times under the model's distribution.
func aftNLogLik(in *Input, lo, hi int, out []float64) {
	for i := range out {
		if in.Survival == nil || in.Survival.Hazards {
			out[i] = math.NaN()
			continue
		}
		score := 0.0
		if in.Raw != nil {
			score = in.Raw[lo+i]
		} else {
			score = detmath.Log(in.Values[lo+i])
		}
		if in.Upper == nil {
			out[i] = -detmath.Log(in.Survival.Errors.Likelihood(score, in.Labels[lo+i]))
		} else {
			out[i] = -detmath.Log(in.Survival.Errors.LikelihoodBetween(score, in.Labels[lo+i], in.Upper[lo+i]))
		}
	}
}

// withinInterval is 1 where the prediction is a time at which the event may have come, as in XGBoost.
func withinInterval(in *Input, lo, hi int, out []float64) {
	for i := range out {
		v, lower := in.Values[lo+i], in.Labels[lo+i]
		upper := lower
		switch {
		case in.Upper != nil:
			upper = in.Upper[lo+i]
		case math.Signbit(lower):
			lower, upper = -lower, math.Inf(1)
		}
		switch {
		case math.IsNaN(v):
			out[i] = v
		case v >= lower && v <= upper:
			out[i] = 1
		default:
			out[i] = 0
		}
	}
}

// concordance is Harrell's C: of the pairs of rows of which it is known whose event came first, the share that the predictions order
// rightly; equal predictions count half. A row that is censored at the time of an event is later than it. A pair counts by the
// product of the weights, which are taken as multiples of 2^-31 of the power of two above the largest.
type concordance struct{}

func (concordance) Name() string         { return "concordance" }
func (concordance) HigherIsBetter() bool { return true }

func (concordance) Eval(in Input) float64 {
	n := len(in.Labels)
	if in.Outputs != 1 || n == 0 || in.Survival == nil || in.Upper != nil { // which of two intervals came first is not known
		return math.NaN()
	}
	buffer := takeRankBuffer(n)
	defer rankBuffers.Put(buffer)
	ranks, ok := ranksOf(buffer, &in)
	if !ok {
		return math.NaN()
	}
	shift := stepShift(in.Weights) - 22
	weigh := func(row int) uint64 {
		if in.Weights == nil {
			return 1
		}
		return uint64(steps(in.Weights[row], shift))
	}
	tree := make(prefixSums, n+1)
	var later uint64         // weight of the rows in the tree: less than 2^31 each, of at most 2^31 rows
	var right, all [2]uint64 // 128 bits, the lower word first; right counts halves
	for rows := range laterFirst(buffer, &in) {
		for _, r := range rows {
			if row := int(r.count); math.Signbit(in.Labels[row]) {
				tree.add(ranks[row], weigh(row))
				later += weigh(row)
			}
		}
		for _, r := range rows {
			row := int(r.count)
			if math.Signbit(in.Labels[row]) {
				continue
			}
			below, upTo := tree.sum(ranks[row]), tree.sum(ranks[row]+1)
			good := below // hazards of later events are lower
			if !in.Survival.Hazards {
				good = later - upTo
			}
			addProduct(&right, weigh(row), 2*good+(upTo-below))
			addProduct(&all, weigh(row), 2*later)
		}
		for _, r := range rows {
			if row := int(r.count); !math.Signbit(in.Labels[row]) {
				tree.add(ranks[row], weigh(row))
				later += weigh(row)
			}
		}
	}
	if all == [2]uint64{} {
		return math.NaN()
	}
	return counter(right).float(0) / counter(all).float(0)
}

// addProduct adds x·y to a sum of 128 bits.
func addProduct(sum *[2]uint64, x, y uint64) {
	hi, lo := bits.Mul64(x, y)
	var carry uint64
	sum[0], carry = bits.Add64(sum[0], lo, 0)
	sum[1] += hi + carry
}

// prefixSums are sums of numbers at places 0, 1, …, of those below a place (Fenwick, 1994).
type prefixSums []uint64

func (p prefixSums) add(place int32, x uint64) {
	for i := int(place) + 1; i < len(p); i += i & -i {
		p[i] += x
	}
}

// sum returns the sum of the numbers at places below one.
func (p prefixSums) sum(place int32) (sum uint64) {
	for i := int(place); i > 0; i -= i & -i {
		sum += p[i]
	}
	return sum
}

// ranksOf returns each row's place in the ascending order of scores, the same one for equal scores. It is not ok where the score of a
// row with weight is NaN.
func ranksOf(b *rankBuffer, in *Input) (ranks []int32, ok bool) {
	scores := scoresOf(in)
	for row, s := range scores {
		b.rows[row] = ranked{order(s), int64(row)}
		if s != s && weightAt(in, row) > 0 {
			return nil, false
		}
	}
	ranks = make([]int32, len(scores))
	rank := int32(-1)
	sorted := b.sort(len(scores), in.Pool)
	for i, r := range sorted {
		if i == 0 || r.key != sorted[i-1].key {
			rank++
		}
		ranks[r.count] = rank
	}
	return ranks, true
}

// laterFirst goes through the rows by descending time, those of one time together. The count of each is its number.
func laterFirst(b *rankBuffer, in *Input) func(yield func([]ranked) bool) {
	for row, y := range in.Labels {
		b.rows[row] = ranked{order(math.Abs(y)), int64(row)}
	}
	sorted := b.sort(len(in.Labels), in.Pool)
	return func(yield func([]ranked) bool) {
		for last := len(sorted); last > 0; {
			first := last - 1
			for first > 0 && sorted[first-1].key == sorted[first].key {
				first--
			}
			if !yield(sorted[first:last]) {
				return
			}
			last = first
		}
	}
}

// scoresOf returns the raw scores, or logarithms of the predictions where there are none.
func scoresOf(in *Input) []float64 {
	if in.Raw != nil {
		return in.Raw
	}
	scores := make([]float64, len(in.Values))
	run(in.Pool, parallel.Blocks(len(scores), blockRows), parallel.Func(func(_, block int) {
		lo, hi := parallel.Block(block, len(scores), blockRows)
		for i := lo; i < hi; i++ {
			scores[i] = detmath.Log(in.Values[i])
		}
	}))
	return scores
}

func weightAt(in *Input, row int) float64 {
	if in.Weights == nil {
		return 1
	}
	return in.Weights[row]
}
