package linear

import "math"

// solver solves the system of one leaf; its memory is kept.
type solver struct {
	a        []float64 // d × d: the lower triangle, then its Cholesky factor
	right    []float64
	weighted []float64 // by feature: h·x
}

// leastPivot is the share of a feature's own sum of squares that has to be left of it when the features before it are known, and of
// its sum of squares around 0 that has to be left around the mean. A feature with less gets no coefficient.
const leastPivot = 1e-10

// leastCoef is the size up to which a coefficient counts as 0, as in LightGBM.
const leastCoef = 1e-35

// solve finds the model of a leaf from its sums. It leaves the model unused where there are too few rows or no hessians.
func (s *solver) solve(m *model, sums, shifts []float64, lambda float64) {
	d := len(shifts)
	steep := sums[pairsOf(d):]
	hess, grad, rows := sums[pairsOf(d)-1], steep[d], steep[d+1]
	m.coef = sized(m.coef, d)
	if rows < float64(d+1) || !(hess > 0) {
		return
	}
	s.a, s.right, s.weighted = sized(s.a, d*d), sized(s.right, d), sized(s.weighted, d)
	weighted := s.weighted
	for j, at := 0, d; j < d; j++ {
		weighted[j] = sums[at]
		at += d - j
	}
	at := 0
	for j := range d {
		for k := j; k < d; k++ {
			v := sums[at] - float64(weighted[j]*(weighted[k]/hess))
			if j == k {
				if !(v > leastPivot*sums[at]) {
					v = 0
				}
				v += lambda
			}
			s.a[k*d+j] = v
			at++
		}
		at++ // weighted[j]
		s.right[j] = -(steep[j] - float64(grad*(weighted[j]/hess)))
	}
	s.factor(d)
	s.substitute(d, m.coef)
	constant := -(grad / hess)
	for j, c := range m.coef {
		if c >= -leastCoef && c <= leastCoef {
			m.coef[j] = 0
			continue
		}
		constant -= float64(c * (weighted[j]/hess + shifts[j]))
	}
	m.constant = constant
	odd := constant - constant
	for _, c := range m.coef {
		odd += c - c
	}
	m.used = odd == 0
}

// factor replaces the matrix by its Cholesky factor. The row and column of a feature that depends on those before it become 0.
func (s *solver) factor(d int) {
	for j := range d {
		row := s.a[j*d:][:d]
		own := row[j]
		pivot := own
		for k := range j {
			pivot -= float64(row[k] * row[k])
		}
		if !(pivot > leastPivot*own) {
			for k := range j + 1 {
				row[k] = 0
			}
			for i := j + 1; i < d; i++ {
				s.a[i*d+j] = 0
			}
			continue
		}
		row[j] = math.Sqrt(pivot)
		for i := j + 1; i < d; i++ {
			v := s.a[i*d+j]
			for k := range j {
				v -= float64(s.a[i*d+k] * row[k])
			}
			s.a[i*d+j] = v / row[j]
		}
	}
}

// substitute solves for the coefficients, 0 of features without a pivot.
func (s *solver) substitute(d int, coef []float64) {
	for j := range d {
		v, row := s.right[j], s.a[j*d:][:d]
		for k := range j {
			v -= float64(row[k] * coef[k])
		}
		if coef[j] = 0; row[j] > 0 {
			coef[j] = v / row[j]
		}
	}
	for j := d - 1; j >= 0; j-- {
		v := coef[j]
		for k := j + 1; k < d; k++ {
			v -= float64(s.a[k*d+j] * coef[k])
		}
		if coef[j] = 0; s.a[j*d+j] > 0 {
			coef[j] = v / s.a[j*d+j]
		}
	}
}
