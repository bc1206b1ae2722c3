package grow_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/internal/testenv"
	"boost/tree/grow"
)

// Renewed leaf values are those of exact sums of the gradients of the leaf's rows,
// whatever their codes, the threads and the bag.
func TestRenewedLeaves(t *testing.T) {
	testenv.Unraced(t)
	pools := newPools(t, 1, 3)
	for _, mode := range modes {
		t.Run("S2.14/direct_sum/"+mode.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(14, uint64(mode.Mode)))
			for try := range 30 {
				d := &data{rows: []int{50, 700, 70_000}[min(try/14, 2)]}
				d.randomFeatures(r, 4)
				d.build(t)
				d.grad, d.hess = make([]float32, d.rows), make([]float32, d.rows)
				scale := math.Ldexp(1, r.IntN(60)-30)
				for row := range d.rows {
					signal := float64(d.codes[0][row]%5) - 2
					d.grad[row], d.hess[row] = float32(scale*(signal+r.NormFloat64())), float32(0.05+r.Float64())
				}
				var bag *gradients.Bag
				if try%2 == 1 {
					bag = gradients.NewBag(d.rows)
					bag.Sample(pools[0], uint64(try), 0, 0.6)
				}
				p := free(2 + r.IntN(12))
				p.LambdaL2, p.CatL2 = []float64{0, 2}[r.IntN(2)], 0
				var first []float64
				for _, pool := range pools {
					g := grow.New(grow.Config{
						Matrix: d.matrix, Features: d.features, Pool: pool, Strategy: histogram.RowParallel, Params: p,
						LearningRate: rate, Renew: true, Verify: true,
					})
					made, err := g.Grow(d.storage(t, mode, pool, bag), bag, 0, 0)
					if err != nil {
						t.Fatal(err)
					}
					grad, hess, rows := make([]big.Float, made.NumLeaves()), make([]big.Float, made.NumLeaves()), make([]int, made.NumLeaves())
					codes, features := make([]uint32, len(d.features)), d.treeFeatures()
					largest := 0.0
					for _, row := range bagRows(bag, d.rows) {
						for f := range codes {
							codes[f] = d.codes[f][row]
						}
						leaf := made.LeafIndex(features, codes)
						grad[leaf].Add(&grad[leaf], big.NewFloat(float64(d.grad[row])))
						hess[leaf].Add(&hess[leaf], big.NewFloat(float64(d.hess[row])))
						rows[leaf]++
						largest = max(largest, math.Abs(float64(d.grad[row])))
					}
					for leaf, got := range made.Leaf {
						sg, _ := grad[leaf].Float64()
						sh, _ := hess[leaf].Float64()
						want := -rate * sg / (sh + p.LambdaL2)
						// Every row's gradient is off by at most half of 2⁻³⁰ of the largest.
						bound := rate*float64(rows[leaf])*largest/(1<<30)/sh + 1e-8*math.Abs(want)
						if math.Abs(got-want) > bound {
							t.Fatalf("leaf %d of %d rows has %v, the exact sums give %v", leaf, rows[leaf], got, want)
						}
					}
					if first == nil {
						first = made.Leaf
					}
					for leaf := range first {
						if first[leaf] != made.Leaf[leaf] {
							t.Fatalf("leaf %d is %v with 1 thread, %v with %d", leaf, first[leaf], made.Leaf[leaf], pool.Threads())
						}
					}
				}
			}
		})
	}
}

// One row of a large gradient makes every other gradient's code 0: leaf values from codes
// are 0 then, renewed ones are not.
func TestRenewedLeavesSeeWhatCodesLose(t *testing.T) {
	testenv.Unraced(t)
	pool := newPools(t, 1)[0]
	t.Run("S2.14/by_hand", func(t *testing.T) {
		// i4 has steps of 100/7: 3 and 4 have code 0, -100 and 100 the largest.
		d := tableOf(t, []binning.Feature{numeric(3, false)},
			group{1, []uint32{0}, 3, 1}, group{1, []uint32{0}, 4, 1}, group{2, []uint32{1}, 100, 1}, group{2, []uint32{2}, -100, 1})
		p := free(3)
		for _, c := range []struct {
			renew bool
			want  [3]float64 // by code: -rate·Σg/Σh
		}{{false, [3]float64{0, -10, 10}}, {true, [3]float64{-0.35, -10, 10}}} {
			g := grow.New(grow.Config{
				Matrix: d.matrix, Features: d.features, Pool: pool, Strategy: histogram.Sequential, Params: p, LearningRate: rate, Renew: c.renew,
			})
			made, err := g.Grow(d.storage(t, form{Mode: gradients.I4}, pool, nil), nil, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			for code, want := range c.want {
				if got := made.Leaf[made.LeafIndex(d.treeFeatures(), []uint32{uint32(code)})]; math.Abs(got-want) > 1e-5 {
					t.Errorf("renew %v: code %d has leaf value %v, want %v", c.renew, code, got, want)
				}
			}
		}
	})
}
