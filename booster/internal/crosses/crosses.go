// Package crosses chooses pairs of columns whose values together say more of the target than each alone.
//
// In: a table and a target. Out: names of columns. It must not know models, nor how levels are put in order.
package crosses

import (
	"cmp"
	"slices"

	"boost/dataset"
	"boost/parallel"
)

// The limits of what is looked at. A pair takes three passes over the rows and, for each thread, 20 bytes a row.
const (
	mostRows   = 100_000 // that pairs are judged by
	mostValues = 64      // different numbers, in these rows, of a column that is crossed
	mostOf     = 16      // categorical columns, and as many numeric ones, that are crossed: those that alone say most
	leastGain  = 0.0005  // share of the target's variance that a pair explains at least beside its columns
)

// FewestRows is the number of rows, those that are held out among them, of the smallest table whose columns are crossed; tests lower it. On taxis, with 4,100
// rows, crossed columns raised the loss by a fifth.
var FewestRows = 6000

// sparseRows is the number of rows a level below which a column's levels are sparse.
const sparseRows = 12

// AreSparse reports whether so many levels have few rows each: an order of them says then what sets of them cannot, in tables of fewer than
// FewestRows rows, too. Beside sets alone, the loss was with an order and counts of levels with 2 rows each .89 (Ketchup), with 8 .93 (Catsup) and
// .87 (3,500 rows of VerbAgg); of levels with 19 rows each 1.06 (Cracker) and 1.05 (Yogurt).
func AreSparse(levels, rows int) bool { return rows < sparseRows*levels }

// Enough reports whether columns are made of others where nobody asked for it: there are rows enough to say which, or a feature of more than so many
// levels has few rows of each.
func Enough(columns []dataset.ColumnSchema, rows, levels int) bool {
	return rows >= FewestRows || slices.ContainsFunc(columns, func(c dataset.ColumnSchema) bool {
		return c.Role == dataset.Feature && len(c.Levels) > levels && AreSparse(len(c.Levels), rows)
	})
}

// source is a column that may be crossed.
type source struct {
	name    string
	isLevel bool
	codes   []int32 // by row
	n       int     // different codes
	means   []float64
	gain    float64
}

// Choose returns at most so many pairs of columns, those that explain most first: of two categorical ones, or of a
// categorical and a numeric one with few different values. One of them has more than so many levels.
//
// A column's statistic in a row is the mean target of the other rows of its value, shrunk by one row of the mean of all.
// A pair explains what its own statistic, taken of what a least squares fit of the statistics of its two columns leaves,
// explains of that. Equal pairs go by the order of the columns. Columns that stand apart are not looked at. weights is
// nil for rows that weigh 1. The table has the rows of Judged among others, where in says which, or alone, where it is nil.
func Choose(t *dataset.Table, in []int32, apart func(column string) bool, target, weights []float64, most, levels int, pool *parallel.Pool) [][]string {
	features := slices.DeleteFunc(t.Features(), func(c *dataset.Column) bool { return apart(c.Name()) || t.Crossed(c) != nil })
	j := newJudge(target, weights)
	sources := j.sources(features, in, pool)
	pairs := pairsOf(sources, levels)
	gains := make([]float64, len(pairs))
	pool.Do(len(pairs), parallel.Func(func(_, i int) { gains[i] = j.pair(sources[pairs[i][0]], sources[pairs[i][1]]) }))
	order := make([]int, len(pairs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(gains[b], gains[a]) })
	var chosen [][]string
	for _, i := range order[:min(most, len(order))] {
		if gains[i] < leastGain {
			break
		}
		chosen = append(chosen, []string{sources[pairs[i][0]].name, sources[pairs[i][1]].name})
	}
	return chosen
}

// pairsOf lists the pairs of which the first is categorical, and one has more than so many levels.
func pairsOf(sources []*source, levels int) (pairs [][2]int) {
	for a, s := range sources {
		for b := range sources {
			if s.isLevel && (b > a || !sources[b].isLevel) && max(s.n, sources[b].n) > levels {
				pairs = append(pairs, [2]int{a, b})
			}
		}
	}
	return pairs
}

// judge holds the target of the rows that pairs are judged by, less its mean.
type judge struct {
	target   []float64
	weights  []float64
	prior    float64 // mean weight
	variance float64 // weighted sum of squares
}

// Judged returns which of so many rows pairs are judged by.
func Judged(rows int) []int32 {
	judged := make([]int32, min(rows, mostRows))
	for i := range judged {
		judged[i] = int32(int64(i) * int64(rows) / int64(len(judged)))
	}
	return judged
}

func newJudge(target, weights []float64) *judge {
	rows := Judged(len(target))
	n := len(rows)
	j := &judge{target: make([]float64, n), weights: make([]float64, n)}
	sum, weight := 0.0, 0.0
	for i, row := range rows {
		j.target[i], j.weights[i] = target[row], 1
		if weights != nil {
			j.weights[i] = weights[row]
		}
		sum += float64(j.weights[i] * j.target[i])
		weight += j.weights[i]
	}
	if weight == 0 {
		return j
	}
	j.prior = weight / float64(n)
	mean := sum / weight
	for i := range j.target {
		j.target[i] -= mean
		j.variance += float64(j.weights[i] * float64(j.target[i]*j.target[i]))
	}
	return j
}

// sources returns the columns that are crossed, in the table's order.
func (j *judge) sources(features []*dataset.Column, in []int32, pool *parallel.Pool) []*source {
	found := make([]*source, len(features))
	pool.Do(len(features), parallel.Func(func(_, f int) {
		column := features[f]
		codes, n, ok := column.Few(in, mostValues)
		if !ok || n < 2 {
			return
		}
		s := &source{name: column.Name(), isLevel: column.Kind() == dataset.Category, codes: codes, n: n}
		s.means = j.others(s.codes, n, j.target)
		s.gain = j.explained(s.means, j.target)
		found[f] = s
	}))
	found = slices.DeleteFunc(found, func(s *source) bool { return s == nil })
	for _, isLevel := range []bool{true, false} {
		var alike []*source
		for _, s := range found {
			if s.isLevel == isLevel {
				alike = append(alike, s)
			}
		}
		slices.SortStableFunc(alike, func(a, b *source) int { return cmp.Compare(b.gain, a.gain) })
		if len(alike) > mostOf {
			left := alike[mostOf:]
			found = slices.DeleteFunc(found, func(s *source) bool { return slices.Contains(left, s) })
		}
	}
	return found
}

// others returns for each row the shrunk mean of the other rows of its code.
func (j *judge) others(codes []int32, n int, values []float64) []float64 {
	sums, weights := make([]float64, n), make([]float64, n)
	for i, code := range codes {
		sums[code] += float64(j.weights[i] * values[i])
		weights[code] += j.weights[i]
	}
	means := make([]float64, len(codes))
	for i, code := range codes {
		if weight := weights[code] - j.weights[i] + j.prior; weight > 0 {
			means[i] = (sums[code] - float64(j.weights[i]*values[i])) / weight
		}
	}
	return means
}

// dot returns the weighted sum of products.
func (j *judge) dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(j.weights[i] * float64(a[i]*b[i]))
	}
	return sum
}

// explained returns the share of the target's variance that a multiple of means explains of values, 0 where that
// multiple is negative.
func (j *judge) explained(means, values []float64) float64 {
	product, square := j.dot(means, values), j.dot(means, means)
	if product <= 0 || square <= 0 || j.variance <= 0 {
		return 0
	}
	return float64(product/square*product) / j.variance
}

// pair returns what a pair of columns explains beside each of them.
func (j *judge) pair(a, b *source) float64 {
	codes, n := pairCodes(a, b)
	left := j.residual(a.means, b.means)
	return j.explained(j.others(codes, n, left), left)
}

// residual returns the target less its least squares fit by two statistics.
func (j *judge) residual(a, b []float64) []float64 {
	aa, ab, bb := j.dot(a, a), j.dot(a, b), j.dot(b, b)
	ay, by := j.dot(a, j.target), j.dot(b, j.target)
	var fa, fb float64
	switch det := float64(aa*bb) - float64(ab*ab); {
	case det > 1e-9*float64(aa*bb):
		fa, fb = (float64(ay*bb)-float64(by*ab))/det, (float64(by*aa)-float64(ay*ab))/det
	case aa > 0: // they are alike
		fa = ay / aa
	case bb > 0:
		fb = by / bb
	}
	fa, fb = max(fa, 0), max(fb, 0) // means of a level do not point away from its target
	left := make([]float64, len(a))
	for i := range left {
		left[i] = j.target[i] - float64(fa*a[i]) - float64(fb*b[i])
	}
	return left
}

// pairCodes numbers the pairs of codes that rows have.
func pairCodes(a, b *source) (codes []int32, n int) {
	codes = make([]int32, len(a.codes))
	seen := map[int64]int32{}
	for i := range codes {
		pair := int64(a.codes[i])*int64(b.n) + int64(b.codes[i])
		code, ok := seen[pair]
		if !ok {
			code = int32(len(seen))
			seen[pair] = code
		}
		codes[i] = code
	}
	return codes, len(seen)
}
