package grow_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/internal/testenv"
	"boost/parallel"
	"boost/tree"
	"boost/tree/grow"
)

// wide is a table on which every feature is worth a split.
func wide(t testing.TB, features, rows int) *data {
	r := rand.New(rand.NewPCG(5, 0))
	d := &data{rows: rows, grad: make([]float32, rows), hess: make([]float32, rows)}
	for range features {
		codes := make([]uint32, rows)
		for row := range codes {
			codes[row] = r.Uint32N(16)
			d.grad[row] += float32(codes[row])
		}
		d.features, d.codes = append(d.features, numeric(16, false)), append(d.codes, codes)
	}
	for row := range rows {
		d.grad[row] -= 7.5 * float32(features)
		d.hess[row] = 1
	}
	return d.build(t)
}

// used counts the different features of the nodes that a tree has in a set of depths.
func used(made *tree.Tree, in func(depth int) bool) int {
	seen := map[int32]bool{}
	for node, depth := range made.NodeDepths() {
		if in(depth) {
			seen[made.Feature[node]] = true
		}
	}
	return len(seen)
}

func TestColumnSampling(t *testing.T) {
	d := wide(t, 30, 3000)
	one, three := newPools(t, 1)[0], newPools(t, 3)[0]
	st := d.storage(t, form{Mode: gradients.I16}, one, nil)
	anywhere := func(int) bool { return true }
	trees := func(p grow.Params, pool *parallel.Pool, seed uint64) []tree.Tree {
		g := grow.New(grow.Config{Matrix: d.matrix, Features: d.features, Pool: pool, Params: p, LearningRate: rate, Seed: seed, Verify: true})
		var all []tree.Tree
		for round := range 5 {
			for output := range 2 {
				made, err := g.Grow(st, nil, round, output)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, made)
			}
		}
		return all
	}
	for _, c := range []struct {
		name  string
		share func(p *grow.Params)
		most  func(made *tree.Tree) (got, limit int)
	}{
		{"tree", func(p *grow.Params) { p.ColTree = 0.2 }, func(made *tree.Tree) (int, int) { return used(made, anywhere), 6 }},
		{"level", func(p *grow.Params) { p.ColLevel = 0.1 }, func(made *tree.Tree) (int, int) {
			most := 0
			for depth := range made.Depth() {
				most = max(most, used(made, func(d int) bool { return d == depth }))
			}
			return most, 3
		}},
		{"tree_and_level", func(p *grow.Params) { p.ColTree, p.ColLevel = 0.2, 0.5 }, func(made *tree.Tree) (int, int) { return used(made, anywhere), 6 }},
		{"at_least_one", func(p *grow.Params) { p.ColTree = 1e-9 }, func(made *tree.Tree) (int, int) { return used(made, anywhere), 1 }},
		{"node", func(p *grow.Params) { p.ColNode = 0.04 }, func(made *tree.Tree) (int, int) { return 1, 1 }},
		{"all_three", func(p *grow.Params) { p.ColTree, p.ColLevel, p.ColNode = 0.5, 0.5, 0.5 }, func(made *tree.Tree) (int, int) { return used(made, anywhere), 15 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := grow.Defaults()
			c.share(&p)
			first, again, other := trees(p, one, 1), trees(p, three, 1), trees(p, one, 2)
			same, roots := 0, map[int32]bool{}
			for i := range first {
				if first[i].NumSplits() == 0 {
					t.Errorf("tree %d has no split", i)
					continue
				}
				if got, limit := c.most(&first[i]); got > limit {
					t.Errorf("tree %d takes %d features, its share is %d", i, got, limit)
				}
				if diff := differ(&again[i], &first[i]); diff != "" {
					t.Errorf("tree %d on three threads: %s", i, diff)
				}
				if differ(&other[i], &first[i]) == "" {
					same++
				}
				roots[first[i].Feature[0]] = true
			}
			if same > len(first)/2 {
				t.Errorf("%d of %d trees are the same under another seed", same, len(first))
			}
			if len(roots) < 3 {
				t.Errorf("ten trees have %d different roots: rounds or outputs share their draws", len(roots))
			}
		})
	}
	// One feature of thirty per node: nodes of one tree draw anew.
	t.Run("nodes_differ", func(t *testing.T) {
		p := grow.Defaults()
		p.ColNode = 0.04
		if made := trees(p, one, 1)[0]; used(&made, anywhere) < 8 {
			t.Errorf("%d splits take %d features", made.NumSplits(), used(&made, anywhere))
		}
	})
}

// Threads, builders and the row-major copy change no bit of a tree over several blocks of rows,
// with gradients of any value in f32 too.
func TestThreadsAndBuilders(t *testing.T) {
	rows, step := 140_000, 1
	if testing.Short() {
		rows, step = 66_000, 7
	}
	r := rand.New(rand.NewPCG(6, 0))
	d := &data{rows: rows}
	for _, f := range []binning.Feature{numeric(255, true), numeric(12, false), {Kind: binning.Categorical, Regular: 40, HasMissing: true}, numeric(400, true)} {
		codes := make([]uint32, rows)
		for row := range codes {
			codes[row] = r.Uint32N(f.NCodes())
		}
		d.features, d.codes = append(d.features, f), append(d.codes, codes)
	}
	d.grad, d.hess = make([]float32, rows), make([]float32, rows)
	for row := range rows {
		d.grad[row] = float32(d.codes[0][row])/255 + float32(d.codes[2][row]%5)/5 - float32(d.codes[3][row])/400 + float32(r.NormFloat64())
		d.hess[row] = 0.05 + 0.2*r.Float32()
		if row%5 == 4 { // so far from the others that a float64 sum depends on its order
			d.hess[row] *= 1e-7
		}
	}
	d.build(t)
	p := grow.Defaults()
	p.Leaves = 15
	bag := gradients.NewBag(rows)
	bag.Sample(newPools(t, 2)[0], 1, 0, 0.7)
	for _, mode := range modes {
		id := "S2.21/" + mode.String()
		if mode.Mode == gradients.F32 {
			id = "S2.22/f32"
		}
		for name, bag := range map[string]*gradients.Bag{"all": nil, "bag": bag} {
			t.Run(id+"/"+name, func(t *testing.T) {
				var first *tree.Tree
				for threads := 1; threads <= 8; threads += step {
					pool := parallel.NewPool(threads)
					st := d.storage(t, mode, pool, bag)
					for _, s := range strategies {
						made, err := d.grower(p, pool, s, threads%2 == 0).Grow(st, bag, 0, 0)
						if err != nil {
							t.Fatal(err)
						}
						if first == nil {
							first = &made
							if mode.Mode != gradients.F32 {
								want := newReference(d, p, rate, st, bag).grow()
								if diff := differ(&made, &want); diff != "" {
									t.Fatal(diff)
								}
							}
						}
						if diff := differ(&made, first); diff != "" {
							t.Fatalf("%d threads, %v: %s", threads, s, diff)
						}
					}
					pool.Close()
				}
				if want := d.blockSum(bagRows(bag, rows)); mode.Mode == gradients.F32 && first.Cover[0] != want {
					t.Errorf("the root covers %v, its blocks of 4,096 rows add up to %v", first.Cover[0], want)
				}
				if first.NumLeaves() != 15 {
					t.Errorf("%d leaves", first.NumLeaves())
				}
			})
		}
	}
}

// blockSum adds up hessians in blocks of 4,096 consecutive rows of the list.
func (d *data) blockSum(rows []int) float64 {
	total := 0.0
	for len(rows) > 0 {
		n, part := min(4096, len(rows)), 0.0
		for _, row := range rows[:n] {
			part += float64(d.hess[row])
		}
		total += part
		rows = rows[n:]
	}
	return total
}

// After two rounds a round allocates its tree and little else, whatever the size.
func TestAllocations(t *testing.T) {
	testenv.Memory(t)
	for _, size := range []struct{ rows, features int }{{2000, 6}, {70_000, 40}} {
		for _, mode := range modes {
			t.Run(fmt.Sprintf("S2.20/rows=%d/features=%d/%v", size.rows, size.features, mode), func(t *testing.T) {
				pool := newPools(t, 2)[0]
				r := rand.New(rand.NewPCG(7, 0))
				d := &data{rows: size.rows}
				d.randomFeatures(r, size.features)
				d.randomGradients(r)
				for row := range d.hess { // few rows of nearly all weight: counts have to be taken
					d.hess[row] = []float32{0.125, 0.125, 0.25, 30}[r.IntN(4)]
				}
				d.build(t)
				p := grow.Defaults()
				p.ColTree, p.ColLevel, p.ColNode = 0.9, 0.9, 0.9
				g := grow.New(grow.Config{
					Matrix: d.matrix, RowMajor: d.rowMajor(pool), Features: d.features, Pool: pool,
					Strategy: histogram.RowParallel, Params: p, LearningRate: rate, Seed: 1,
				})
				st, bag := gradients.NewStorage(d.rows, mode.settings()), gradients.NewBag(d.rows)
				round := 0
				once := func() {
					bag.Sample(pool, 1, round, 0.8)
					if _, err := st.Quantize(pool, d.grad, d.hess, bag, 0, 0); err != nil {
						t.Fatal(err)
					}
					if _, err := g.Grow(st, bag, round, 0); err != nil {
						t.Fatal(err)
					}
					round++
				}
				once()
				once()
				if got := testing.AllocsPerRun(4, once); got > 64 {
					t.Errorf("a round allocates %v times, at most 64 are allowed", got)
				}
			})
		}
	}
}

// Sums that do not agree are found in every mode, and only where they are looked for. The
// row-major copy, of which histograms are made, differs from the columns, by which rows are divided.
func TestVerify(t *testing.T) {
	testenv.Unraced(t)
	pool := newPools(t, 1)[0]
	for _, c := range []struct {
		name   string
		params func(p *grow.Params)
		damage func(codes []uint8) // of some rows
	}{
		// The sums of a feature are less than the leaf's.
		{"absent_code", func(*grow.Params) {}, func(codes []uint8) { codes[1] = 200 }},
		// The sums of all features are right, but those of the leaves are not of their rows.
		{"other_code", func(*grow.Params) {}, moved},
		{"other_code/last_split", func(p *grow.Params) { p.Leaves = 2 }, moved},
		{"other_code/last_level", func(p *grow.Params) { p.MaxDepth = 1 }, moved},
	} {
		for _, mode := range modes {
			t.Run("S2.26/finds_damage/"+c.name+"/"+mode.String(), func(t *testing.T) {
				d := wide(t, 3, 2000)
				rowMajor := d.rowMajor(pool)
				for row := 1000; row < 1020; row++ {
					c.damage(rowMajor.Data[row*rowMajor.Stride:][:3])
				}
				for _, verify := range []bool{true, false} {
					p := grow.Defaults()
					c.params(&p)
					g := grow.New(grow.Config{
						Matrix: d.matrix, RowMajor: rowMajor, Features: d.features, Pool: pool,
						Strategy: histogram.RowParallel, Params: p, LearningRate: rate, Verify: verify,
					})
					made, err := g.Grow(d.storage(t, mode, pool, nil), nil, 0, 0)
					if errors.Is(err, grow.ErrInvariant) != (verify || grow.AlwaysVerify) {
						t.Errorf("verify %v: %v", verify, err)
					}
					if err == nil && made.NumSplits() == 0 {
						t.Error("nothing was split: nothing was checked")
					}
				}
			})
		}
	}
	// A row that has a feature's cell twice is added up twice, and divided by the first.
	for _, mode := range modes {
		if mode.settings().Counts() {
			continue // of which there is no direct search
		}
		for _, leaves := range []int{2, 31} {
			t.Run(fmt.Sprintf("S2.26/finds_damage/direct/leaves=%d/%v", leaves, mode), func(t *testing.T) {
				d := wide(t, 3, 2000)
				codes, err := d.matrix.Codes(make([]bool, 3))
				if err != nil {
					t.Fatal(err)
				}
				m, err := codes.Matrix(t.Context(), binning.Params{Layout: "csr"}, pool)
				if err != nil {
					t.Fatal(err)
				}
				for _, damaged := range []bool{false, true} {
					for at := 3000; damaged && at < 3100; at += 2 {
						features := m.CSR().ColIdx.U8()
						features[at+1] = features[at]
					}
					p := grow.Defaults()
					p.Leaves = leaves
					_, err := grow.New(grow.Config{
						Matrix: m, Features: d.features, Pool: pool, SparseSums: true, Params: p, LearningRate: rate, Verify: true,
					}).Grow(d.storage(t, mode, pool, nil), nil, 0, 0)
					if errors.Is(err, grow.ErrInvariant) != damaged {
						t.Errorf("damaged %v: %v", damaged, err)
					}
				}
			})
		}
	}
}

// moved puts codes of the upper half into the lower one, and the other way round.
func moved(codes []uint8) {
	for f := range codes {
		codes[f] = 15 - codes[f]
	}
}
