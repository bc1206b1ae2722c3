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
				rows := leafquantile.Rows{Same: weights == "same", Up: 0x1p20, Rate: 0.1}
				sizes := []int{1, 2, 30, 1023, 1024, 1100, 5000, most, 3000}
				// The rows of all leaves, in any order, and in stretches of as many.
				var leafOf []int
				for leaf, size := range sizes {
					leafOf = append(leafOf, slices.Repeat([]int{leaf}, size)...)
				}
				r.Shuffle(len(leafOf), func(i, j int) { leafOf[i], leafOf[j] = leafOf[j], leafOf[i] })
				runs, seen := make([][]run, len(sizes)), make([]int, len(sizes))
				for row, leaf := range leafOf {
					for len(runs[leaf]) <= row/stretch {
						runs[leaf] = append(runs[leaf], run{first: len(runs[leaf]) * stretch})
					}
					own := &runs[leaf][row/stretch]
					own.entries = append(own.entries, uint64(row-own.first)<<16)
					score := r.Float64()
					rows.Scores = append(rows.Scores, score)
					rows.Labels = append(rows.Labels, score+residual(seen[leaf]))
					rows.Hess = append(rows.Hess, weight(seen[leaf]))
					seen[leaf]++
				}
				// Rows of a run are in any order: of a leaf that was split in vain, each side is in order.
				for _, entries := range runs[7] {
					slices.Reverse(entries.entries)
				}
				span := func(run int) (lo, hi int) { return run * stretch, min((run+1)*stretch, len(leafOf)) }
				renewer := leafquantile.New(pool, nil, len(leafOf), len(runs), len(leafOf)/stretch+1, span, func(leaf, i int) []uint64 {
					if i >= len(runs[leaf]) {
						return nil
					}
					return runs[leaf][i].entries
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
