package objectives

import (
	"fmt"
	"math"
	"slices"

	"boost/internal/detmath"
	"boost/internal/kernel/loss"
)

// Words of objective.target and objective.norm.
const (
	targetNDCG = "ndcg"
	targetMAP  = "map"
	normOn     = "on"
	normOff    = "off"
)

// mostGrade is the highest label that has a gain if no gains are given, as in LightGBM.
const mostGrade = 30

var (
	lambdaRankInfo = Info{
		Name:    "lambdarank",
		Aliases: []string{"rank:ndcg", "lambdamart"},
		Link:    Identity,
		Queries: true,
		Takes:   Params{Target: targetNDCG, Truncation: 30, Norm: normOn, Sigmoid: 1, LabelGain: []float64{}},
		Metrics: func(p Params) []string {
			if p.Target == targetMAP {
				return []string{"map@10", "ndcg@10"}
			}
			return []string{"ndcg@10", "map@10"}
		},
		Make: func(o Options) (Objective, error) {
			l := lambdaRank{pairwise{"lambdarank", o.Truncation, o.Norm == normOn, o.Sigmoid}, o.Target, o.LabelGain}
			if len(o.LabelGain) == 0 {
				for grade := range mostGrade + 1 {
					l.gains = append(l.gains, math.Ldexp(1, grade)-1)
				}
			}
			if !slices.IsSorted(l.gains) {
				return nil, fmt.Errorf("objective.label_gain = %v: gains of labels 0, 1, … do not descend", o.LabelGain)
			}
			return l, nil
		},
	}
	pairwiseInfo = Info{
		Name:    "pairwise",
		Aliases: []string{"rank:pairwise", "ranknet", "pairlogit", "pairlogitpairwise"},
		Link:    Identity,
		Queries: true,
		Takes:   Params{Truncation: 30, Norm: normOn, Sigmoid: 1},
		Metrics: fixed("ndcg@10", "map@10"),
		Make: func(o Options) (Objective, error) {
			return pairwise{"pairwise", o.Truncation, o.Norm == normOn, o.Sigmoid}, nil
		},
	}
)

// pairwise is the log loss of the order of each pair of rows of a query with different labels (Burges et al., 2005), of which one at least
// ranks among the first truncation rows.
type pairwise struct {
	name       string
	truncation int
	norm       bool
	sigmoid    float64
}

func (p pairwise) Name() string                    { return p.name }
func (pairwise) Outputs() int                      { return 1 }
func (pairwise) Link() Link                        { return Identity }
func (pairwise) OfQueries()                        {}
func (pairwise) BaseScore(Rows) ([]float64, error) { return []float64{0}, nil }

func (pairwise) Check(rows Rows) error {
	if err := (regression{}).Check(rows); err != nil {
		return err
	}
	return checkQueries(rows)
}

func (p pairwise) Gradients(rows Rows, lo, hi int, scores []float64, grad, hess []float32) {
	eachQuery(rows, lo, hi, scores, grad, hess, p.query)
}

func (p pairwise) query(r *ranker, rows Rows, lo, hi int, scores []float64, grad, hess []float32) {
	order := r.rank(scores[lo:hi], p.sigmoid)
	labels := r.vectors(1, len(order))[0]
	for rank, row := range order {
		labels[rank] = rows.Labels[lo+int(row)]
	}
	for i := range min(p.truncation, len(order)-1) {
		own, change := labels[i], r.pairs.Change[i+1:]
		for j, label := range labels[i+1:][:len(change)] {
			change[j] = sign(own, label)
		}
		r.pairs.Row(i)
	}
	p.write(r, order, 1, grad[lo:hi], hess[lo:hi])
}

// sign returns the sign of a − b, without a branch that would be guessed wrong.
func sign(a, b float64) float64 {
	above, below := 0.0, 0.0
	if a > b {
		above = 1
	}
	if a < b {
		below = 1
	}
	return above - below
}

// rank puts the rows of a query in the order of their scores.
func (r *ranker) rank(scores []float64, sigmoid float64) []int32 {
	r.pairs.Begin(len(scores))
	order := r.ranking.Of(scores)
	best := scores[order[0]]
	below := r.vectors(1, len(order))[0]
	for rank, row := range order {
		r.pairs.Scores[rank] = scores[row]
		below[rank] = max(lowestLogOdds, sigmoid*(scores[row]-best))
	}
	loss.Exp(r.pairs.Odds, below)
	return order
}

// lowestLogOdds keeps odds, and products of two of them, above 0. Rows that far below the best are all as hopeless.
const lowestLogOdds = -300

// write writes the derivatives of a query's rows. factor is what the change of a pair's measure is to be multiplied by.
func (p pairwise) write(r *ranker, order []int32, factor float64, grad, hess []float32) {
	first := float64(factor * p.sigmoid)
	if p.norm {
		// LightGBM: log₂(1 + sum)/sum, where sum is of the gradients' sizes.
		if sum := 2 * float64(r.pairs.Sum*first); sum > 0 {
			first *= detmath.Log1p(sum) / math.Ln2 / sum
		}
	}
	second := float64(first * p.sigmoid)
	for rank, row := range order {
		grad[row] = float32(float64(r.pairs.Grad[rank] * first))
		hess[row] = float32(float64(r.pairs.Hess[rank] * second))
	}
}

// lambdaRank is pairwise with each pair weighted by how much a measure of the ranking changes if the two rows change places
// (Burges, 2010), as in LightGBM; measured by average precision as in XGBoost.
type lambdaRank struct {
	pairwise
	target string
	gains  []float64 // by label
}

func (l lambdaRank) Check(rows Rows) error { return checkGrades(rows, len(l.gains)-1) }

// Gains returns the gains of labels 0, 1, … in ndcg; nil if they are the usual ones, 2^label − 1.
func (l lambdaRank) Gains() []float64 {
	for grade, gain := range l.gains {
		if gain != math.Ldexp(1, grade)-1 {
			return l.gains
		}
	}
	return nil
}

func (l lambdaRank) Gradients(rows Rows, lo, hi int, scores []float64, grad, hess []float32) {
	if l.target == targetMAP {
		eachQuery(rows, lo, hi, scores, grad, hess, l.byPrecision)
		return
	}
	eachQuery(rows, lo, hi, scores, grad, hess, l.byGain)
}

// byGain weighs pairs by normalised discounted cumulative gain.
func (l lambdaRank) byGain(r *ranker, rows Rows, lo, hi int, scores []float64, grad, hess []float32) {
	labels := rows.Labels[lo:hi]
	order := r.rank(r.biased(rows, lo, hi, scores), l.sigmoid)
	best := r.bestGain(labels, l.gains, l.truncation)
	if best == 0 {
		clear(grad[lo:hi])
		clear(hess[lo:hi])
		return
	}
	for rank, row := range order {
		r.pairs.Gains[rank] = l.gains[int(labels[row])]
	}
	r.pairs.Distant = l.distant(r)
	for i := range min(l.truncation, len(order)-1) {
		r.pairs.RowByGain(i)
	}
	l.write(r, order, 1/best, grad[lo:hi], hess[lo:hi])
}

// bestGain returns the discounted gain of the first rows of the best ranking.
func (r *ranker) bestGain(labels, gains []float64, truncation int) float64 {
	if len(r.counts) < len(gains) {
		r.counts = make([]int, len(gains))
	}
	clear(r.counts)
	for _, label := range labels {
		r.counts[int(label)]++
	}
	best, rank, most := 0.0, 0, min(truncation, len(labels))
	for label := len(gains) - 1; rank < most; label-- {
		for range min(r.counts[label], most-rank) {
			best += float64(gains[label] * r.pairs.Discounts[rank])
			rank++
		}
	}
	return best
}

// distant reports whether pairs count for less the farther their scores are apart: where gradients are normalised, as in LightGBM.
func (l lambdaRank) distant(r *ranker) bool {
	s := r.pairs.Scores
	return l.norm && s[0] != s[len(s)-1]
}

// byPrecision weighs pairs by average precision, where labels above 0 are relevant.
func (l lambdaRank) byPrecision(r *ranker, rows Rows, lo, hi int, scores []float64, grad, hess []float32) {
	labels := rows.Labels[lo:hi]
	order := r.rank(r.biased(rows, lo, hi, scores), l.sigmoid)
	n := len(order)
	v := r.vectors(3, n)
	is, hits, shares := v[0], v[1], v[2] // relevant; down to each rank: relevant rows, and the sum of 1/place over them
	relevant, share := 0.0, 0.0
	for rank, row := range order {
		if labels[row] > 0 {
			relevant++
			share += 1 / float64(rank+1)
		}
		is[rank], hits[rank], shares[rank] = min(labels[row], 1), relevant, share
	}
	r.pairs.Distant = l.distant(r)
	for i := range min(l.truncation, n-1) {
		for j := i + 1; j < n; j++ {
			// Places are from 1. Between the two, each relevant row gets one relevant row more above it, or one less.
			change := (hits[i]+is[j])/float64(i+1) - hits[j]/float64(j+1) + (shares[j-1] - shares[i])
			r.pairs.Change[j] = change * (is[i] - is[j])
		}
		r.pairs.Row(i)
	}
	l.write(r, order, 1/max(relevant, 1), grad[lo:hi], hess[lo:hi])
}
