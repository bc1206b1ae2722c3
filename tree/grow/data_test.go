package grow_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/internal/kernel/hist"
	"boost/parallel"
	"boost/tree"
	"boost/tree/grow"
)

var (
	modes = []form{
		{Mode: gradients.I16}, {Mode: gradients.I32}, {Mode: gradients.F32},
		{Mode: gradients.I8}, {Mode: gradients.I4}, {Mode: gradients.I16, asymmetric: true},
	}
	// exact are those whose codes tell small whole numbers apart as they are.
	exact      = modes[:3]
	strategies = []histogram.Strategy{histogram.Sequential, histogram.FeatureParallel, histogram.RowParallel}
)

// form is a way of storing gradients.
type form struct {
	gradients.Mode
	asymmetric bool
}

func (f form) String() string {
	if f.asymmetric {
		return f.Mode.String() + "_asymmetric"
	}
	return f.Mode.String()
}

func (f form) settings() gradients.Settings {
	return gradients.Settings{Mode: f.Mode, Asymmetric: f.asymmetric}
}

// data is a table in plain slices and as a matrix.
type data struct {
	rows       int
	features   []binning.Feature
	codes      [][]uint32 // feature, row
	grad, hess []float32
	matrix     *binning.Matrix
}

// build makes the matrix.
func (d *data) build(t testing.TB) *data {
	t.Helper()
	nCodes := make([]uint32, len(d.features))
	for f := range d.features {
		nCodes[f] = d.features[f].NCodes()
	}
	m, err := binning.FromCodes(d.codes, nCodes, binning.Adaptive)
	if err != nil {
		t.Fatal(err)
	}
	d.matrix, d.rows = m, m.NRows()
	return d
}

// randomFeatures draws features of all kinds and widths.
func (d *data) randomFeatures(r *rand.Rand, n int) {
	for range n {
		f := binning.Feature{Regular: uint32(1 + r.IntN(20)), HasMissing: r.IntN(2) == 0}
		switch r.IntN(6) {
		case 0, 1:
			f.Kind, f.Regular = binning.Categorical, uint32(1+r.IntN(12))
		case 2:
			f.Regular = uint32(1 + r.IntN(400))
		}
		codes := make([]uint32, d.rows)
		missing := []float64{0, 0.05, 0.5, 1}[r.IntN(4)]
		for row := range codes {
			codes[row] = r.Uint32N(f.Regular)
			if f.HasMissing && r.Float64() < missing {
				codes[row] = f.Regular
			}
		}
		d.features, d.codes = append(d.features, f), append(d.codes, codes)
	}
}

// randomGradients draws gradients in eighths: with ties, equal hessians, rows that weigh
// nothing, few rows that weigh nearly all.
func (d *data) randomGradients(r *rand.Rand) {
	d.grad, d.hess = make([]float32, d.rows), make([]float32, d.rows)
	kind := r.IntN(6)
	for row := range d.rows {
		signal := float64(d.codes[r.IntN(len(d.codes))][row]%7) - 3
		g, h := math.Round(8*(signal+r.NormFloat64())), 1+math.Floor(80*r.Float64())
		switch kind {
		case 0:
			g, h = float64(r.IntN(3)-1), float64(r.IntN(2))
		case 1:
			h = 2
		case 2: // weights of zero, most of them where the first feature is missing
			if d.codes[0][row] == d.features[0].Regular && r.IntN(4) > 0 || r.IntN(5) == 0 {
				g, h = 0, 0
			}
		case 3:
			h = math.Floor(1 + 2000*math.Pow(r.Float64(), 8))
		case 4:
			if d.codes[0][row]%3 == 0 {
				g, h = 0, 0
			}
		}
		d.grad[row], d.hess[row] = float32(g/8), float32(h/8)
	}
}

func randomParams(r *rand.Rand) grow.Params {
	pick := func(v ...float64) float64 { return v[r.IntN(len(v))] }
	p := grow.Defaults()
	p.Leaves, p.MaxDepth = 2+r.IntN(12), r.IntN(5)
	p.MinDataInLeaf = r.IntN(1 + r.IntN(51))
	p.MinChildWeight = pick(0, 1e-3, 3)
	p.LambdaL1, p.LambdaL2, p.MinGain = pick(0, 0, 0.8), pick(0, 0, 1, 7.3), pick(0, 0, 0.6)
	p.OneHotMax, p.Smooth, p.CatL2 = r.IntN(5), pick(0, 1, 10), pick(0, 2.5, 10)
	p.MaxPerSide, p.MinPerGroup = []int{1, 3, 32}[r.IntN(3)], pick(0, 5, 40)
	p.ReuseFeature, p.ReuseCut = pick(0, 0, 0.1, 0.6), pick(0, 0, 0.05, 0.3, 0.9)
	return p
}

// pools are shared by the tests of one function.
func newPools(t testing.TB, threads ...int) []*parallel.Pool {
	var pools []*parallel.Pool
	for _, n := range threads {
		pool := parallel.NewSpinningPool(n, 50*time.Microsecond)
		t.Cleanup(pool.Close)
		pools = append(pools, pool)
	}
	return pools
}

// rowMajor copies the features of at most 256 codes by rows.
func (d *data) rowMajor(pool *parallel.Pool) *binning.RowMajor {
	var narrow []int
	for f := range d.features {
		if d.features[f].NCodes() <= 256 {
			narrow = append(narrow, f)
		}
	}
	return binning.NewRowMajor(d.matrix, narrow, pool)
}

// randomSplits draws splits that trees before may have made: of some features none, of others
// few or many.
func (d *data) randomSplits(r *rand.Rand) *tree.Tree {
	var t tree.Tree
	for f := range d.features {
		feature := &d.features[f]
		most := int(feature.Regular) - 1 // a cut lies between two codes
		if feature.HasMissing {
			most++ // or present values are divided from missing ones
		}
		if feature.Kind == binning.Categorical {
			most = 1
		}
		for range r.IntN(3) * r.IntN(1+2*most) {
			t.Feature = append(t.Feature, int32(f))
			t.Code = append(t.Code, r.Uint32N(uint32(max(most, 1))))
			t.Categorical = append(t.Categorical, feature.Kind == binning.Categorical)
		}
	}
	return &t
}

const rate = 0.1

func (d *data) grower(p grow.Params, pool *parallel.Pool, s histogram.Strategy, rowMajor bool) *grow.Grower {
	c := grow.Config{
		Matrix: d.matrix, Features: d.features, Pool: pool, Strategy: s, Params: p,
		LearningRate: rate, Seed: 7, Verify: true,
	}
	if rowMajor {
		c.RowMajor = d.rowMajor(pool)
	}
	return grow.New(c)
}

func (d *data) storage(t testing.TB, mode form, pool *parallel.Pool, bag *gradients.Bag) *gradients.Storage {
	t.Helper()
	st := gradients.NewStorage(d.rows, mode.settings())
	if _, err := st.Quantize(pool, d.grad, d.hess, bag, 0, 0); err != nil {
		t.Fatal(err)
	}
	return st
}

// bagRows lists the rows of a bag, all rows of a nil one.
func bagRows(bag *gradients.Bag, rows int) []int {
	var in []int
	for b := range parallel.Blocks(rows, hist.BlockRows) {
		lo, hi := parallel.Block(b, rows, hist.BlockRows)
		if bag != nil {
			for _, r := range bag.Block(b) {
				in = append(in, lo+int(r))
			}
			continue
		}
		for row := lo; row < hi; row++ {
			in = append(in, row)
		}
	}
	return in
}

// differ names the first difference of two trees.
func differ(got, want *tree.Tree) string {
	for _, c := range []struct {
		what      string
		got, want any
		equal     bool
	}{
		{"Feature", got.Feature, want.Feature, slices.Equal(got.Feature, want.Feature)},
		{"Code", got.Code, want.Code, slices.Equal(got.Code, want.Code)},
		{"Categorical", got.Categorical, want.Categorical, slices.Equal(got.Categorical, want.Categorical)},
		{"SetPtrs", got.SetPtrs, want.SetPtrs, slices.Equal(got.SetPtrs, want.SetPtrs)},
		{"Sets", got.Sets, want.Sets, slices.Equal(got.Sets, want.Sets)},
		{"MissingLeft", got.MissingLeft, want.MissingLeft, slices.Equal(got.MissingLeft, want.MissingLeft)},
		{"Left", got.Left, want.Left, slices.Equal(got.Left, want.Left)},
		{"Right", got.Right, want.Right, slices.Equal(got.Right, want.Right)},
		{"Gain", got.Gain, want.Gain, slices.Equal(got.Gain, want.Gain)},
		{"Cover", got.Cover, want.Cover, slices.Equal(got.Cover, want.Cover)},
		{"Leaf", got.Leaf, want.Leaf, slices.Equal(got.Leaf, want.Leaf)},
		{"LeafCover", got.LeafCover, want.LeafCover, slices.Equal(got.LeafCover, want.LeafCover)},
	} {
		if !c.equal {
			return fmt.Sprintf("%s is %v, want %v", c.what, c.got, c.want)
		}
	}
	return ""
}

// treeFeatures is what the tree's own walk has to know.
func (d *data) treeFeatures() []tree.Feature {
	fs := make([]tree.Feature, len(d.features))
	for f := range fs {
		fs[f] = tree.Feature{Regular: d.features[f].Regular, Categorical: d.features[f].Kind == binning.Categorical}
	}
	return fs
}

// checkScores holds AddLeafValues to the tree's own walk over the rows in the bag.
func (d *data) checkScores(t *testing.T, g *grow.Grower, made *tree.Tree, bag *gradients.Bag) {
	t.Helper()
	scores, want := make([]float64, d.rows), make([]float64, d.rows)
	for row := range scores {
		scores[row], want[row] = float64(row), float64(row)
	}
	g.AddLeafValues(made, scores)
	features, codes := d.treeFeatures(), make([]uint32, len(d.features))
	for _, row := range bagRows(bag, d.rows) {
		for f := range codes {
			codes[f] = d.codes[f][row]
		}
		want[row] += made.Leaf[made.LeafIndex(features, codes)]
	}
	for row := range scores {
		if scores[row] != want[row] {
			t.Fatalf("row %d has score %v, the tree's walk gives %v", row, scores[row], want[row])
		}
	}
}

// flagFeatures adds numeric features of two codes, of rows of which few or many have the
// second; some repeat the one before, so that gains are equal.
func (d *data) flagFeatures(r *rand.Rand, n int) {
	for range n {
		codes, oneIn := make([]uint32, d.rows), 1+r.IntN(1+r.IntN(30))
		for i := range codes {
			if r.IntN(oneIn) == 0 {
				codes[i] = 1
			}
		}
		if len(d.codes) > 0 && r.IntN(8) == 0 && d.features[len(d.codes)-1].NCodes() == 2 {
			copy(codes, d.codes[len(d.codes)-1])
		}
		d.features = append(d.features, binning.Feature{Regular: 2})
		d.codes = append(d.codes, codes)
	}
}
