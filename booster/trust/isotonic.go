package trust

import "slices"

// block is a run of points whose values are pooled.
type block struct {
	sum, weight float64 // of labels, and of rows
	first, last int     // points
}

// violates reports whether a block must be pooled with the one after it: its mean is not below.
func (b block) violates(after block) bool { return b.sum*after.weight >= after.sum*b.weight }

func (b block) join(after block) block {
	return block{b.sum + after.sum, b.weight + after.weight, b.first, after.last}
}

// pooled returns the blocks of equal values of the isotonic regression of points (pool adjacent violators: Ayer et al. 1955).
func pooled(points []point) []block {
	var stack []block
	for i, p := range points {
		next := block{p.sum, p.weight, i, i}
		for len(stack) > 0 && stack[len(stack)-1].violates(next) {
			next = stack[len(stack)-1].join(next)
			stack = stack[:len(stack)-1]
		}
		stack = append(stack, next)
	}
	return stack
}

// point is the rows of one score.
type point struct {
	score, sum, weight float64
}

// pointsOf returns the points of rows, by ascending score.
func pointsOf(rows []scored) []point {
	order := slices.Clone(rows)
	slices.SortStableFunc(order, func(a, b scored) int {
		switch {
		case a.score < b.score:
			return -1
		case a.score > b.score:
			return 1
		}
		return 0
	})
	var points []point
	for _, r := range order {
		if len(points) == 0 || points[len(points)-1].score != r.score {
			points = append(points, point{score: r.score})
		}
		p := &points[len(points)-1]
		p.weight += r.weight
		if r.positive {
			p.sum += r.weight
		}
	}
	return points
}

// fitIsotonic fits the rising function with the least squared error. Its values stay 1/(n+2) away from 0 and 1 for n rows:
// no number of rows shows that something never happens (Laplace's rule of succession).
func fitIsotonic(rows []scored) Map {
	points := pointsOf(rows)
	edge := 1 / float64(len(rows)+2)
	var m Map
	for _, b := range pooled(points) {
		value := min(max(b.sum/b.weight, edge), 1-edge)
		if last := len(m.Values) - 1; last > 0 && m.Values[last] == value && m.Values[last-1] == value {
			m.Knots, m.Values = m.Knots[:last], m.Values[:last] // the run goes on
		}
		for _, i := range []int{b.first, b.last} {
			if len(m.Knots) == 0 || m.Knots[len(m.Knots)-1] < points[i].score {
				m.Knots, m.Values = append(m.Knots, points[i].score), append(m.Values, value)
			}
		}
	}
	return m
}
