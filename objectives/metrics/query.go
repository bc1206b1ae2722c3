package metrics

import (
	"math"
	"slices"
	"sync"

	"boost/internal/detmath"
	"boost/internal/kernel/loss"
	"boost/parallel"
)

// positionArgument is the number of positions, from the top, that a metric of queries looks at.
var positionArgument = Argument{
	Means: "a number of positions, 1 or more", Example: "10", Default: []float64{0}, // 0: all of them
	contains: func(x float64) bool { return x >= 1 && x <= math.MaxInt32 && x == math.Floor(x) },
}

// oneOutput are the links of models with one score a row.
var oneOutput = []string{identity, exp, expm1, logistic}

// Metrics of how queries' rows are ranked. A row is relevant if its label is above 0.
var (
	ndcgInfo = Info{
		Name:     "ndcg",
		Aliases:  []string{"lambdarank", "rank_xendcg", "rank:ndcg", "xendcg"},
		Links:    oneOutput,
		Argument: &positionArgument,
		Queries:  true,
		build:    ofQueries(ndcg),
	}
	mapInfo = Info{
		Name:     "map",
		Aliases:  []string{"mean_average_precision", "rank:map"},
		Links:    oneOutput,
		Argument: &positionArgument,
		Queries:  true,
		build:    ofQueries(queryPrecision),
	}
	mrrInfo = Info{
		Name:     "mrr",
		Aliases:  []string{"mean_reciprocal_rank"},
		Links:    oneOutput,
		Argument: &positionArgument,
		Queries:  true,
		build:    ofQueries(reciprocalRank),
	}
)

// perQuery is the mean of a figure of queries, each weighted by the mean weight of its rows. Rows of one raw
// score rank in the order of the table.
type perQuery struct {
	name   string
	top    int // positions that count; 0 is all
	figure func(q *query) float64
}

func ofQueries(figure func(*query) float64) func(string, []float64) Metric {
	return func(name string, argument []float64) Metric { return perQuery{name, int(argument[0]), figure} }
}

func (m perQuery) Name() string         { return m.name }
func (m perQuery) HigherIsBetter() bool { return true }

// query is the rows of a query, and a worker's memory.
type query struct {
	labels []float64
	gains  []float64 // by label; nil: 2^label − 1
	order  []int32   // rows by rank
	top    int       // positions that count

	ranking, ideal loss.Ranking
}

// queryBlock is the number of queries of a piece of work.
const queryBlock = 16

var queryMemory = sync.Pool{New: func() any { return new(query) }}

func (m perQuery) Eval(in Input) float64 {
	n := len(in.Queries) - 1
	if in.Outputs != 1 || n < 1 {
		return math.NaN()
	}
	figures := make([]float64, n)
	run(in.Pool, parallel.Blocks(n, queryBlock), parallel.Func(func(_, block int) {
		q := queryMemory.Get().(*query)
		defer queryMemory.Put(q)
		first, last := parallel.Block(block, n, queryBlock)
		for i := first; i < last; i++ {
			figures[i] = m.of(q, &in, in.Queries[i], in.Queries[i+1])
		}
	}))
	var total, weight detmath.Sum
	for i, figure := range figures {
		w := queryWeight(in.Weights, in.Queries[i], in.Queries[i+1])
		if w > 0 {
			total.AddWeighted(w, figure)
			weight.Add(w)
		}
	}
	if all := weight.Round(); all > 0 {
		return total.Round() / all
	}
	return math.NaN()
}

// of returns the figure of the query of rows lo … hi-1.
func (m perQuery) of(q *query, in *Input, lo, hi int) float64 {
	scores := in.Raw
	if scores == nil {
		scores = in.Values
	}
	scores = scores[lo:hi]
	if slices.ContainsFunc(scores, math.IsNaN) {
		return math.NaN()
	}
	q.labels, q.gains, q.top = in.Labels[lo:hi], in.Gains, hi-lo
	if m.top > 0 {
		q.top = min(m.top, q.top)
	}
	q.order = q.ranking.Of(scores)
	return m.figure(q)
}

// queryWeight returns the mean weight of a query's rows.
func queryWeight(weights []float64, lo, hi int) float64 {
	if weights == nil {
		return 1
	}
	sum := 0.0
	for _, w := range weights[lo:hi] {
		sum += w
	}
	return sum / float64(hi-lo)
}

// ndcg is the discounted gain of the ranking over that of the best one, Σ gain/log₂(2 + position) each, and 1 where that is 0
// (Järvelin and Kekäläinen, 2002). The gain of a label is 2^label − 1 if none are given; it is NaN for labels below 0 and for labels without a gain.
func ndcg(q *query) float64 {
	discounts := loss.Discounts(len(q.labels))
	got := q.gain(q.order, discounts)
	best := q.gain(q.ideal.Of(q.labels), discounts)
	if best == 0 {
		return 1
	}
	return got / best
}

func (q *query) gain(order []int32, discounts []float64) float64 {
	sum := 0.0
	for position, row := range order[:q.top] {
		sum += float64(Gain(q.gains, q.labels[row]) * discounts[position])
	}
	return sum
}

// Gain returns the gain of a label in ndcg: that of a list, or 2^label − 1 without one. It is NaN where there is none.
func Gain(gains []float64, label float64) float64 {
	whole := label == math.Floor(label)
	switch {
	case !(label >= 0):
		return math.NaN()
	case gains != nil && whole && label < float64(len(gains)):
		return gains[int(label)]
	case gains != nil:
		return math.NaN()
	case whole && label < 1000:
		return math.Ldexp(1, int(label)) - 1
	}
	return detmath.Exp(label*math.Ln2) - 1
}

// queryPrecision is the mean of the shares of relevant rows down to each relevant one among the positions that count, over as many
// as could stand there; 1 where no row is relevant. As in LightGBM.
func queryPrecision(q *query) float64 {
	relevant := 0
	for _, label := range q.labels {
		if label > 0 {
			relevant++
		}
	}
	if relevant == 0 {
		return 1
	}
	hits, sum := 0, 0.0
	for position, row := range q.order[:q.top] {
		if q.labels[row] > 0 {
			hits++
			sum += float64(hits) / float64(position+1)
		}
	}
	return sum / float64(min(relevant, q.top))
}

// reciprocalRank is 1 over the place of the first relevant row, 0 where none is among the positions that count.
func reciprocalRank(q *query) float64 {
	for position, row := range q.order[:q.top] {
		if q.labels[row] > 0 {
			return 1 / float64(position+1)
		}
	}
	return 0
}
