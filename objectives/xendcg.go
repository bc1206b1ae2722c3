package objectives

import (
	"math"

	"boost/internal/kernel/loss"
	"boost/internal/kernel/mix"
	"boost/internal/rng"
)

var xendcgInfo = Info{
	Name:    "rank_xendcg",
	Aliases: []string{"xendcg", "xe_ndcg", "xe_ndcg_mart", "xendcg_mart"},
	Link:    Identity,
	Queries: true,
	Metrics: fixed("ndcg@10", "map@10"),
	Make:    func(Options) (Objective, error) { return xendcg{}, nil },
}

// xendcg is the cross entropy between the softmax of a query's scores and chances that are drawn anew each round from its labels
// (Bruch, 2021), with LightGBM's derivatives.
type xendcg struct{}

func (xendcg) Name() string                      { return "rank_xendcg" }
func (xendcg) Outputs() int                      { return 1 }
func (xendcg) Link() Link                        { return Identity }
func (xendcg) OfQueries()                        {}
func (xendcg) Check(rows Rows) error             { return checkGrades(rows, mostGrade) }
func (xendcg) BaseScore(Rows) ([]float64, error) { return []float64{0}, nil }

func (x xendcg) Gradients(rows Rows, lo, hi int, scores []float64, grad, hess []float32) {
	key := rng.From(rng.Key(rows.Seed, rng.RankTargets, uint64(rows.Round), 0), uint64(rows.First))
	eachQuery(rows, lo, hi, scores, grad, hess, func(r *ranker, rows Rows, lo, hi int, scores []float64, grad, hess []float32) {
		x.query(r, key, rows.Labels, lo, hi, scores, grad, hess)
	})
}

func (xendcg) query(r *ranker, key uint64, labels []float64, lo, hi int, scores []float64, grad, hess []float32) {
	n := hi - lo
	if n == 1 {
		grad[lo], hess[lo] = 0, 0
		return
	}
	v := r.vectors(4, n)
	chance, rest, term, slope := v[0], v[1], v[2], v[3]
	if cap(r.draws) < n {
		r.draws = make([]uint64, n)
	}
	draws := r.draws[:n]
	mix.Draws(draws, key, lo)
	scores = scores[lo:hi]
	best := math.Inf(-1)
	for _, s := range scores {
		best = max(best, s)
	}
	for i, s := range scores {
		rest[i] = s - best
	}
	loss.Exp(chance, rest)
	sum, wanted := 0.0, 0.0
	for i, label := range labels[lo:hi] {
		sum += chance[i]
		term[i] = float64(uint64(1)<<int(label)) - float64(rng.Unit(draws[i]))
		wanted += term[i]
	}
	for i := range chance {
		chance[i] /= sum
		rest[i] = max(1-chance[i], leastRest)
	}
	// The gradient and two corrections of it, each of what the ones before make of all other rows.
	all := 0.0
	for i := range term {
		slope[i] = chance[i] - term[i]/wanted
		term[i] = slope[i] / rest[i]
		all += term[i]
	}
	next := 0.0
	for i := range term {
		more := float64(chance[i] * (all - term[i]))
		slope[i] += more
		term[i] = more / rest[i]
		next += term[i]
	}
	for i := range term {
		slope[i] += float64(chance[i] * (next - term[i]))
		grad[lo+i], hess[lo+i] = float32(slope[i]), float32(float64(chance[i]*(1-chance[i])))
	}
}

// leastRest keeps the share of all other rows above 0 where one row has nearly all.
const leastRest = 1e-15
