package trust

import (
	"math"

	"boost/internal/detmath"
)

// fitPlatt fits a sigmoid of the log-odds to smoothed targets (Platt 1999; Lin, Lin and Weng 2007).
func fitPlatt(rows []scored) Map {
	return Map{Coefficients: fitLogistic(rows, 2, func(s float64, x []float64) { x[0], x[1] = s, 1 })}
}

// fitBeta fits the beta calibration (Kull, Silva Filho and Flach 2017), to Platt's targets: with labels of 0 and 1 no fit
// exists where a score separates the classes. A coefficient that would be below 0 is 0, and the others are fitted without it.
func fitBeta(rows []scored) Map {
	terms := [2]float64{1, 1}
	for {
		c := fitLogistic(rows, 3, func(s float64, x []float64) {
			lnP, lnQ := logBoth(s)
			x[0], x[1], x[2] = terms[0]*lnP, -terms[1]*lnQ, 1
		})
		at := 0
		if c[1] < c[0] {
			at = 1
		}
		if c[at] >= 0 {
			return Map{Coefficients: c}
		}
		terms[at] = 0
	}
}

// targets returns what positive and negative rows are fitted to: what a uniform prior makes of their weights.
func targets(rows []scored) (positive, negative float64) {
	var weights [2]float64
	for _, r := range rows {
		if r.positive {
			weights[1] += r.weight
		} else {
			weights[0] += r.weight
		}
	}
	return (weights[1] + 1) / (weights[1] + 2), 1 / (weights[0] + 2)
}

const (
	mostSteps   = 100
	mostHalving = 40
	// exact is the change of the loss, in parts of it, below which steps end.
	exact = 1e-15
)

// fitLogistic returns the coefficients of the terms of a score that give the lowest log loss, by Newton's method. Terms that
// are always 0 keep the coefficient 0.
func fitLogistic(rows []scored, terms int, of func(s float64, x []float64)) []float64 {
	high, low := targets(rows)
	f := &logistic{rows: rows, of: of, high: high, low: low, x: make([]float64, terms)}
	at := make([]float64, terms)
	loss, gradient, hessian := f.derive(at)
	for range mostSteps {
		step := solve(hessian, gradient)
		next, better := make([]float64, terms), false
		for scale := 1.0; scale > math.Ldexp(1, -mostHalving); scale /= 2 {
			for i := range next {
				next[i] = at[i] - float64(scale*step[i])
			}
			nextLoss, g, h := f.derive(next)
			if nextLoss <= loss {
				better = loss-nextLoss > exact*loss
				at, loss, gradient, hessian = next, nextLoss, g, h
				break
			}
		}
		if !better {
			break
		}
	}
	return at
}

// logistic is the log loss of a linear function of the terms of a score.
type logistic struct {
	rows      []scored
	of        func(s float64, x []float64)
	high, low float64 // targets
	x         []float64
}

// derive returns the loss and its derivatives.
func (f *logistic) derive(at []float64) (loss float64, gradient []float64, hessian [][]float64) {
	n := len(at)
	gradient, hessian = make([]float64, n), make([][]float64, n)
	for i := range hessian {
		hessian[i] = make([]float64, n)
	}
	for _, r := range f.rows {
		f.of(r.score, f.x)
		z := 0.0
		for i, x := range f.x {
			z += float64(at[i] * x)
		}
		target := f.low
		if r.positive {
			target = f.high
		}
		p := detmath.Sigmoid(z)
		loss += float64(r.weight * (softplus(z) - float64(target*z)))
		g, h := r.weight*(p-target), float64(r.weight*p)*(1-p)
		for i, x := range f.x {
			gradient[i] += float64(g * x)
			for j, y := range f.x {
				hessian[i][j] += float64(float64(h*x) * y)
			}
		}
	}
	return loss, gradient, hessian
}

// solve returns the solution of a symmetric system of a matrix that is not negative, by elimination from the largest pivot
// on. What the matrix does not determine is 0.
func solve(matrix [][]float64, right []float64) []float64 {
	n := len(right)
	right = append([]float64{}, right...)
	scale := 0.0
	for i := range n {
		scale = max(scale, matrix[i][i])
	}
	done, order := make([]bool, n), []int(nil)
	for range n {
		pivot := -1
		for i := range n {
			if !done[i] && matrix[i][i] > 1e-14*scale && (pivot < 0 || matrix[i][i] > matrix[pivot][pivot]) {
				pivot = i
			}
		}
		if pivot < 0 {
			break
		}
		done[pivot], order = true, append(order, pivot)
		for i := range n {
			if done[i] {
				continue
			}
			factor := matrix[i][pivot] / matrix[pivot][pivot]
			for j := range n {
				matrix[i][j] -= float64(factor * matrix[pivot][j])
			}
			right[i] -= float64(factor * right[pivot])
		}
	}
	x := make([]float64, n)
	for k := len(order) - 1; k >= 0; k-- {
		pivot := order[k]
		sum := right[pivot]
		for _, j := range order[k+1:] {
			sum -= float64(matrix[pivot][j] * x[j])
		}
		x[pivot] = sum / matrix[pivot][pivot]
	}
	return x
}
