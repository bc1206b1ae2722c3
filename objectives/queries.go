package objectives

import (
	"errors"
	"fmt"
	"sort"
	"sync"

	"boost/internal/kernel/loss"
)

// OfQueries is an Objective of whole queries: what a row's gradient is depends on all rows of its query. Gradients gets ranges of rows that
// begin and end where queries do.
type OfQueries interface {
	Objective
	// OfQueries does nothing; it marks the objective.
	OfQueries()
}

// OfAllRows is an Objective whose gradient of a row depends on all other rows. Gradients gets all rows in one call.
type OfAllRows interface {
	Objective
	// Order returns what Gradients needs to know of the rows in every round: their numbers in an order of the labels.
	Order(rows Rows) []int32
}

// NeedsQueries reports whether the objective is one of whole queries.
func NeedsQueries(o Objective) bool { _, ok := o.(OfQueries); return ok }

// GainsOf returns the gains of labels 0, 1, … that an objective goes by and ndcg shall, nil for the usual ones.
func GainsOf(o Objective) []float64 {
	if o, ok := o.(interface{ Gains() []float64 }); ok {
		return o.Gains()
	}
	return nil
}

// ErrNoQueries is the error of rows without queries for an objective that needs them.
var ErrNoQueries = errors.New("there are no queries: the table needs the column that tells them, which training names with data.group or --group")

// Pieces cuts rows into pieces of about so many rows, each of which can be given to Gradients: piece i is the rows pieces[i] to
// pieces[i+1]. They depend on the rows alone.
func Pieces(o Objective, rows Rows, size int) (pieces []int) {
	n := len(rows.Labels)
	if _, ok := o.(OfAllRows); ok {
		return []int{0, n}
	}
	if !NeedsQueries(o) {
		for lo := 0; lo < n; lo += size {
			pieces = append(pieces, lo)
		}
		return append(pieces, n)
	}
	pieces = []int{0}
	for _, begin := range rows.Queries {
		if begin-pieces[len(pieces)-1] >= size {
			pieces = append(pieces, begin)
		}
	}
	if pieces[len(pieces)-1] < n {
		pieces = append(pieces, n)
	}
	return pieces
}

// checkQueries reports rows whose queries do not cover them.
func checkQueries(rows Rows) error {
	q := rows.Queries
	if q == nil {
		return fmt.Errorf("%w: %w", ErrRows, ErrNoQueries)
	}
	if len(q) < 2 || q[0] != 0 || q[len(q)-1] != len(rows.Labels) || !sort.IntsAreSorted(q) {
		return fmt.Errorf("%w: queries of %d rows begin at 0, ascend, and end at %d", ErrRows, len(rows.Labels), len(rows.Labels))
	}
	return nil
}

// checkGrades reports the first label that is not a whole number from 0 to most.
func checkGrades(rows Rows, most int) error {
	if err := CheckWeights(rows); err != nil {
		return err
	}
	if err := checkQueries(rows); err != nil {
		return err
	}
	for i, y := range rows.Labels {
		if !(y >= 0 && y <= float64(most) && y == float64(int(y))) {
			return &RowError{i, "label", y, fmt.Sprintf("how relevant the row is, a whole number from 0 to %d (objective.label_gain has a gain for each)", most)}
		}
	}
	return nil
}

// ranker computes the gradients of one query after another. It is memory of one goroutine.
type ranker struct {
	pairs   loss.Pairs
	ranking loss.Ranking
	counts  []int // of labels
	scores  []float64
	draws   []uint64
	memory  []float64
}

var rankers = sync.Pool{New: func() any { return new(ranker) }}

// ranked is what a loss of queries makes of one: the derivatives of rows lo … hi-1.
type ranked func(r *ranker, rows Rows, lo, hi int, scores []float64, grad, hess []float32)

// eachQuery calls a loss for the queries of rows lo … hi-1, and multiplies the derivatives by the rows' weights.
func eachQuery(rows Rows, lo, hi int, scores []float64, grad, hess []float32, one ranked) {
	r := rankers.Get().(*ranker)
	defer rankers.Put(r)
	for q := sort.SearchInts(rows.Queries, lo); rows.Queries[q] < hi; q++ {
		one(r, rows, rows.Queries[q], rows.Queries[q+1], scores, grad, hess)
	}
	if rows.Weights != nil {
		loss.Weigh(grad[lo:hi], hess[lo:hi], rows.Weights[lo:hi])
	}
}

// vectors returns k slices of n numbers, not cleared.
func (r *ranker) vectors(k, n int) [][]float64 {
	if cap(r.memory) < k*n {
		r.memory = make([]float64, k*n)
	}
	parts := make([][]float64, k)
	for i := range parts {
		parts[i] = r.memory[i*n : (i+1)*n : (i+1)*n]
	}
	return parts
}
