package leafquantile_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/kernel/hist"
	"boost/parallel"
	"boost/tree"
	"boost/tree/leafquantile"
)

type run struct {
	first   int
	entries []uint64
}

// Leaves of few and of many rows, some without weight: the quantile follows from sorting. In "periodic" the rows that are looked at first are
// like no others.
func TestRenew(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 3))
	residuals := map[string]func(i int) float64{
		"normal":   func(int) float64 { return r.NormFloat64() },
		"few":      func(int) float64 { return float64(r.IntN(3)) },
		"constant": func(int) float64 { return -1.5 },
		"outliers": func(int) float64 { return math.Pow(10, 30*r.Float64()) * (r.Float64() - .5) },
		"sorted":   func(i int) float64 { return float64(i) },
		"periodic": func(i int) float64 {
			if i%3 == 0 {
				return 1e6
			}
			return r.Float64()
		},
	}
	weigh := map[string]func(i int) float32{
		"same":    func(int) float32 { return 0.5 },
		"equal":   func(i int) float32 { return float32(min(i%7, 1)) * 0.75 }, // or 0
		"several": func(int) float32 { return float32(r.IntN(4)) },
		"steep":   func(i int) float32 { return 1 / float32(1+i) },
		"none":    func(i int) float32 { return 0 },
	}
	pool := parallel.NewPool(2)
	defer pool.Close()
	const most, stretch = 40_000, 1 << 14
	for name, residual := range residuals {
		for weights, weight := range weigh {
			t.Run(name+"/"+weights, func(t *testing.T) {
				runs := [][]run{}
				rows := leafquantile.Rows{Same: weights == "same", Up: 0x1p20, Rate: 0.1}
				sizes := []int{1, 2, 30, 1023, 1024, 1100, 5000, most, 3000}
				for _, size := range sizes {
					var own []run
					for left := size; left > 0; {
						// Every row of a stretch, or every other.
						n, step := min(left, stretch), 1+r.IntN(2)
						first := len(rows.Labels)
						one := run{first: first}
						for i := range n {
							one.entries = append(one.entries, uint64(i*step)<<16)
							for range step {
								score := r.Float64()
								rows.Scores = append(rows.Scores, score)
								rows.Labels = append(rows.Labels, score+residual(i))
								rows.Hess = append(rows.Hess, weight(i))
							}
						}
						own, left = append(own, one), left-n
					}
					runs = append(runs, own)
				}
				renewer := leafquantile.New(pool, nil, len(rows.Labels), len(runs), most/stretch+1, func(leaf, i int) (first int, entries []uint64) {
					if i >= len(runs[leaf]) {
						return 0, nil
					}
					return runs[leaf][i].first, runs[leaf][i].entries
				})
				for _, level := range []float64{0.5, 0.01, 0.9, 0.999} {
					rows.Level = level
					made := tree.Tree{Leaf: slices.Repeat([]float64{7}, len(runs))}
					renewer.Renew(&made, rows)
					for leaf, got := range made.Leaf {
						if want := sorted(runs[leaf], &rows); got != want {
							t.Errorf("level %v of %d rows: %v, want %v", level, sizes[leaf], got, want)
						}
					}
				}
			})
		}
	}
}

// sorted returns the value of a leaf, by definition.
func sorted(runs []run, rows *leafquantile.Rows) float64 {
	type pair struct {
		value  float64
		weight float64
	}
	var all []pair
	for _, run := range runs {
		for _, e := range run.entries {
			row := run.first + int(hist.Row(e))
			p := pair{rows.Labels[row] - rows.Scores[row], math.RoundToEven(float64(rows.Hess[row]) * rows.Up)}
			if rows.Same {
				p.weight = 1
			}
			if p.weight > 0 {
				all = append(all, p)
			}
		}
	}
	if len(all) == 0 {
		return 7
	}
	slices.SortFunc(all, func(a, b pair) int {
		if a.value < b.value {
			return -1
		}
		return 1
	})
	equal, total := true, 0.0
	for _, p := range all {
		equal = equal && p.weight == all[0].weight
	}
	for i := range all {
		if equal {
			all[i].weight = 1
		}
		total += all[i].weight
	}
	reached := 0.0
	for i, p := range all {
		reached += p.weight
		last := i+1 == len(all)
		switch target := rows.Level * total; {
		case reached < target, !last && all[i+1].value == p.value:
			continue
		case reached == target && !last:
			return rows.Rate * (p.value + (all[i+1].value-p.value)/2)
		}
		return rows.Rate * p.value
	}
	panic("no quantile")
}
