package trust

import "math"

// pile is a stack of pooled blocks that shares what lies below its top with others.
type pile struct {
	top   block
	below *pile
}

// fitVennAbers fits inductive Venn-Abers predictors (Vovk, Petej and Fedorova, "Large-scale probabilistic predictors with and
// without guarantees of validity", 2015). For a score they are two isotonic regressions, each with one more row of that
// score: p0 with a negative one, p1 with a positive one. The probability with the least regret in log loss is p1 / (1 − p0 + p1).
// The row that is added has the mean weight.
func fitVennAbers(rows []scored) Map {
	points := pointsOf(rows)
	weight := 0.0
	for _, p := range points {
		weight += p.weight
	}
	weight /= float64(len(rows))

	// after[i] is the regression of the points from i on, its lowest block on top.
	after := make([]*pile, len(points)+1)
	for i := len(points) - 1; i >= 0; i-- {
		top, below := block{points[i].sum, points[i].weight, i, i}, after[i+1]
		for below != nil && top.violates(below.top) {
			top, below = top.join(below.top), below.below
		}
		after[i] = &pile{top, below}
	}
	// before is the regression of the points below i, its highest block on top.
	var before *pile
	m := Map{Values: []float64{vennAbers(point{}, weight, nil, after[0])}}
	add := func(from, value float64) {
		if m.Values[len(m.Values)-1] != value {
			m.Knots, m.Values = append(m.Knots, from), append(m.Values, value)
		}
	}
	for i, p := range points {
		add(p.score, vennAbers(p, weight, before, after[i+1]))
		top := block{p.sum, p.weight, i, i}
		for before != nil && before.top.violates(top) {
			top, before = before.top.join(top), before.below
		}
		before = &pile{top, before}
		// The scores between this point and the next begin above this one.
		add(math.Nextafter(p.score, math.Inf(1)), vennAbers(point{}, weight, before, after[i+1]))
	}
	return m
}

// vennAbers returns the probability at a point, to which a row of that weight is added, between the regressions of lower
// and higher scores.
func vennAbers(at point, weight float64, lower, higher *pile) float64 {
	p0 := meanAt(block{sum: at.sum, weight: at.weight + weight}, lower, higher)
	p1 := meanAt(block{sum: at.sum + weight, weight: at.weight + weight}, lower, higher)
	return p1 / (1 - p0 + p1)
}

// meanAt returns the value of a block in the regression of all points.
func meanAt(b block, lower, higher *pile) float64 {
	for {
		switch {
		case lower != nil && lower.top.violates(b):
			b, lower = lower.top.join(b), lower.below
		case higher != nil && b.violates(higher.top):
			b, higher = b.join(higher.top), higher.below
		default:
			return b.sum / b.weight
		}
	}
}
