package grow_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"boost/gradients"
	"boost/internal/testenv"
	"boost/parallel"
	"boost/tree/grow"
)

// oneTree grows a random tree by both growers and compares them.
func oneTree(t *testing.T, name string, d *data, p grow.Params, mode form, r *rand.Rand, pools []*parallel.Pool) (splits int) {
	t.Helper()
	pool, strategy, rowMajor := pools[r.IntN(len(pools))], strategies[r.IntN(3)], r.IntN(2) == 0
	var bag *gradients.Bag
	if r.IntN(3) == 0 {
		bag = gradients.NewBag(d.rows)
		bag.Sample(pool, r.Uint64(), 0, r.Float64())
	}
	st := d.storage(t, mode, pool, bag)
	name = fmt.Sprintf("%s: %d rows, %d features, %v, %v, %d threads, row-major %v, bag %v, %+v",
		name, d.rows, len(d.features), st.Mode(), strategy, pool.Threads(), rowMajor, bag != nil, p)
	g := d.grower(p, pool, strategy, rowMajor)
	before := d.randomSplits(r)
	g.Reuse(*before)
	got, err := g.Grow(st, bag, 0, 0)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	plain := newReference(d, p, rate, st, bag)
	plain.used = before
	want := plain.grow()
	if diff := differ(&got, &want); diff != "" {
		t.Fatalf("%s: %s\n got %+v\nwant %+v", name, diff, got, want)
	}
	d.checkScores(t, g, &got, bag)
	again, err := g.Grow(st, bag, 0, 0)
	if diff := differ(&again, &want); err != nil || diff != "" {
		t.Fatalf("%s: the second time: %v %s", name, err, diff)
	}
	if p.ReuseFeature > 0 || p.ReuseCut > 0 { // once its splits are used, too
		g.Reuse(got)
		before.Feature, before.Code = append(before.Feature, got.Feature...), append(before.Code, got.Code...)
		want = plain.grow()
		if again, err = g.Grow(st, bag, 0, 0); err != nil {
			t.Fatalf("%s: once it is used: %v", name, err)
		}
		if diff := differ(&again, &want); diff != "" {
			t.Fatalf("%s: once it is used: %s", name, diff)
		}
	}
	return got.NumSplits()
}

// Every node is verified on the way (S2.26), and the tree equals the plain
// grower's in every bit.
func TestGrowEqualsReference(t *testing.T) {
	testenv.Unraced(t)
	pools := newPools(t, 1, 2, 3)
	tries := 1200
	if testing.Short() {
		tries = 400
	}
	for _, mode := range modes {
		t.Run("S2.26/S2.23/"+mode.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(mode.Mode)))
			splits := 0
			for try := range tries {
				d := &data{rows: 1 + r.IntN(1+r.IntN(300))}
				d.randomFeatures(r, 1+r.IntN(6))
				d.randomGradients(r)
				splits += oneTree(t, fmt.Sprint("try ", try), d.build(t), randomParams(r), mode, r, pools)
			}
			if splits < tries {
				t.Errorf("%d trees have %d splits: too few to show anything", tries, splits)
			}
		})
	}
}

// min_data_in_leaf is exact without counts: the splits are those of the reference, which
// always counts.
func TestMinData(t *testing.T) {
	testenv.Unraced(t)
	pools := newPools(t, 1, 2)
	tries := 400
	if testing.Short() {
		tries = 80
	}
	for _, mode := range modes {
		t.Run("S2.17/min_data/"+mode.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(2, uint64(mode.Mode)))
			splits := 0
			for try := range tries {
				d := &data{rows: 1 + r.IntN([]int{20, 150, 1000, 5000}[r.IntN(4)])}
				d.randomFeatures(r, 1+r.IntN(4))
				d.randomGradients(r)
				p := grow.Defaults()
				p.MinDataInLeaf, p.Leaves = r.IntN(51), 2+r.IntN(20)
				p.MinChildWeight = []float64{0, 1e-3}[r.IntN(2)]
				p.MinPerGroup, p.Smooth = float64(r.IntN(30)), float64(r.IntN(3))
				p.ReuseCut = []float64{0, 0.4}[r.IntN(2)]
				splits += oneTree(t, fmt.Sprint("try ", try), d.build(t), p, mode, r, pools)
			}
			if splits < 2*tries {
				t.Errorf("%d trees have %d splits: too few to show anything", tries, splits)
			}
		})
	}
}

// Nodes that reach over several blocks of rows, of which few hold nearly all weight: most
// sides have to be counted.
func TestMinDataOverBlocks(t *testing.T) {
	testenv.Unraced(t)
	pools := newPools(t, 1, 2)
	for _, mode := range modes {
		t.Run("S2.17/blocks/"+mode.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, uint64(mode.Mode)))
			tries := 3
			if testing.Short() {
				tries = 2
			}
			splits := 0
			for try := range tries {
				d := &data{rows: 65_530 + r.IntN(70_000)}
				d.randomFeatures(r, 4)
				d.randomGradients(r)
				for row := range d.hess {
					d.hess[row] = []float32{0, 0.125, 0.125, 40}[r.IntN(4)]
				}
				p := randomParams(r)
				p.MinDataInLeaf, p.MaxDepth, p.MinGain, p.MinChildWeight = 100+r.IntN(8000), 0, 0, 0
				splits += oneTree(t, fmt.Sprint("try ", try), d.build(t), p, mode, r, pools)
			}
			if splits < tries {
				t.Errorf("%d trees have %d splits: too few to show anything", tries, splits)
			}
		})
	}
}

// Runs of features of two codes are searched together: the splits are those of the
// reference, also where min_data_in_leaf has to be proven by a count.
func TestFlags(t *testing.T) {
	testenv.Unraced(t)
	pools := newPools(t, 1, 2)
	tries := 300
	if testing.Short() {
		tries = 60
	}
	for _, mode := range modes {
		t.Run("S2.17/flags/"+mode.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, uint64(mode.Mode)))
			splits := 0
			for try := range tries {
				d := &data{rows: 1 + r.IntN([]int{20, 150, 1000, 3000}[r.IntN(4)])}
				d.randomFeatures(r, r.IntN(3))
				d.flagFeatures(r, 1+r.IntN(60))
				d.randomFeatures(r, r.IntN(2))
				d.flagFeatures(r, 1+r.IntN(12))
				d.randomGradients(r)
				p := randomParams(r)
				p.MinDataInLeaf, p.Leaves = r.IntN(40), 2+r.IntN(12)
				splits += oneTree(t, fmt.Sprint("try ", try), d.build(t), p, mode, r, pools)
			}
			if splits < tries {
				t.Errorf("%d trees have %d splits: too few to show anything", tries, splits)
			}
		})
	}
}
