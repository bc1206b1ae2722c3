package objectives

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"boost/internal/detmath"
)

// Words of objective.ties.
const (
	breslow = "breslow"
	efron   = "efron"
)

var coxInfo = Info{
	Name:    "cox",
	Aliases: []string{"survival:cox", "coxph", "cox_ph"},
	Link:    Exp,
	Times:   true,
	Takes:   Params{Ties: breslow},
	Metrics: fixed("cox_nloglik", "concordance"),
	Make:    func(o Options) (Objective, error) { return cox{o.Ties == efron}, nil },
}

// cox is the partial likelihood of proportional hazards (Cox, 1972): of each event, the chance that it comes to its row among all
// rows whose time is not before it. Events of one time are taken as Breslow (1974) or Efron (1977) does.
type cox struct{ efron bool }

func (cox) Name() string                      { return "cox" }
func (cox) Outputs() int                      { return 1 }
func (cox) Link() Link                        { return Exp }
func (cox) MaxStep() float64                  { return maxLogit }
func (cox) BaseScore(Rows) ([]float64, error) { return []float64{0}, nil }

func (cox) survival() Survival { return Survival{Hazards: true} }

// Check refuses rows without an event: no score would be better than another.
func (cox) Check(rows Rows) error {
	if err := (regression{}).Check(rows); err != nil {
		return err
	}
	for i, y := range rows.Labels {
		if !math.Signbit(y) && (rows.Weights == nil || rows.Weights[i] > 0) {
			return nil
		}
	}
	return fmt.Errorf("%w: every row is censored: objective cox needs events", ErrRows)
}

// Order returns the rows by ascending time, those of one time in the order of the table.
func (cox) Order(rows Rows) []int32 {
	order := make([]int32, len(rows.Labels))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Compare(math.Abs(rows.Labels[a]), math.Abs(rows.Labels[b]))
	})
	return order
}

// leastHazard is the logarithm of the smallest hazard over the largest: smaller ones are taken as this, so that the square of a hazard
// and of its inverse stay within float64.
const leastHazard = -300

// Gradients takes one pass up the rows for the hazard of those that are left at each time, and one down for the derivatives. Sums are
// in the order of times, whatever the number of threads.
func (c cox) Gradients(rows Rows, _, _ int, scores []float64, grad, hess []float32) {
	order := rows.Order
	if order == nil {
		order = c.Order(rows)
	}
	n := len(order)
	best := math.Inf(-1)
	for _, s := range scores[:n] {
		best = max(best, s)
	}
	// In the order of times: the hazard of a row, times its weight, and of it and all rows behind it.
	hazard, left := make([]float64, n), make([]float64, n+1)
	for at := n - 1; at >= 0; at-- {
		row := order[at]
		hazard[at] = float64(weightOf(&rows, row) * detmath.Exp(max(scores[row]-best, leastHazard)))
		left[at] = left[at+1] + hazard[at]
	}
	var past risk
	for first, last := 0, 0; first < n; first = last {
		tied := tiedEvents{}
		time := math.Abs(rows.Labels[order[first]])
		for last = first; last < n && math.Abs(rows.Labels[order[last]]) == time; last++ {
			if row := order[last]; !math.Signbit(rows.Labels[row]) {
				tied.add(weightOf(&rows, row), hazard[last])
			}
		}
		own := past // of rows with an event at this time
		if left[first] > 0 && tied.rows > 0 {
			c.pass(&tied, left[first], &past, &own)
		}
		for at := first; at < last; at++ {
			row := order[at]
			of, event := &past, 0.0
			if !math.Signbit(rows.Labels[row]) {
				of, event = &own, weightOf(&rows, row)
			}
			expected := float64(hazard[at] * of.sum)
			grad[row], hess[row] = float32(expected-event), 0
			if bend := expected - float64(float64(hazard[at]*of.squares)*hazard[at]); bend > 0 { // not of weights near the ends of float64
				hess[row] = float32(bend)
			}
		}
	}
}

// risk is what a hazard of 1 has met up to a time: Σ weight/hazard left over the events, and Σ weight/hazard left².
type risk struct{ sum, squares float64 }

// tiedEvents are the events of one time.
type tiedEvents struct {
	rows           int
	weight, hazard float64
}

func (e *tiedEvents) add(weight, hazard float64) {
	if weight > 0 {
		e.rows++
		e.weight += weight
		e.hazard += hazard
	}
}

// pass adds the events of one time to the risk of rows without an event then, and to that of rows with one. left is the hazard of all
// rows whose time is not before it.
func (c cox) pass(e *tiedEvents, left float64, others, own *risk) {
	if !c.efron || e.rows == 1 {
		others.sum += e.weight / left
		others.squares += e.weight / left / left
		*own = *others
		return
	}
	each := e.weight / float64(e.rows)
	for i := range e.rows {
		gone := float64(i) / float64(e.rows)
		remains := left - float64(gone*e.hazard)
		if !(remains > 0) {
			continue
		}
		once, stays := each/remains, 1-gone
		others.sum += once
		others.squares += once / remains
		own.sum += float64(once * stays)
		own.squares += float64(once / remains * stays * stays)
	}
}

func weightOf(rows *Rows, row int32) float64 {
	if rows.Weights == nil {
		return 1
	}
	return rows.Weights[row]
}
