package grow_test

import (
	"math/rand/v2"
	"testing"

	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/internal/testenv"
	"boost/tree"
	"boost/tree/grow"
)

// node is a split in words: its feature and its code.
type node struct {
	feature int32
	code    uint32
}

// growAfter grows one tree where others have made splits before.
func (d *data) growAfter(t *testing.T, p grow.Params, before ...node) tree.Tree {
	t.Helper()
	pool := newPools(t, 1)[0]
	g := d.grower(p, pool, histogram.Sequential, false)
	for _, s := range before {
		g.Reuse(tree.Tree{
			Feature: []int32{s.feature}, Code: []uint32{s.code},
			Categorical: []bool{d.features[s.feature].Kind == binning.Categorical},
		})
	}
	made, err := g.Grow(d.storage(t, form{Mode: gradients.F32}, pool, nil), nil, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// Gains by hand, exact in mode f32: hessians are 1 and gradients add up to 0, so that a
// split gains G²/left + G²/right for a gradient of G on the left.
func TestReuse(t *testing.T) {
	testenv.Unraced(t)
	level := binning.Feature{Kind: binning.Categorical, Regular: 2}
	// Feature 0 gains 12²/4 + 12²/12 = 48 after code 0 and after code 2, 16²/8 + 16²/8 = 64
	// after code 1; feature 1 gains 14²/8 + 14²/8 = 49.
	rows := []group{
		{4, []uint32{0, 0}, 3, 1}, {3, []uint32{1, 0}, 1, 1}, {1, []uint32{1, 1}, 1, 1},
		{1, []uint32{2, 0}, -1, 1}, {3, []uint32{2, 1}, -1, 1}, {4, []uint32{3, 1}, -3, 1},
	}
	numbers := tableOf(t, []binning.Feature{numeric(4, false), numeric(2, false)}, rows...)
	levels := tableOf(t, []binning.Feature{numeric(4, false), level}, rows...)
	// No row has code 2: the splits after codes 1 and 2 are the same, and gain 64.
	gap := tableOf(t, []binning.Feature{numeric(5, false)}, group{4, []uint32{0}, 3, 1}, group{4, []uint32{1}, 1, 1},
		group{4, []uint32{3}, -1, 1}, group{4, []uint32{4}, -3, 1})
	// After code 0 with the missing rows right 12²/4 + 12²/12 = 48, left 8²/8 + 8²/8 = 16;
	// present against missing 4²/12 + 4²/4 = 5⅓, which takes no cut.
	missing := tableOf(t, []binning.Feature{numeric(2, true)}, group{4, []uint32{0}, 3, 1}, group{8, []uint32{1}, -1, 1},
		group{4, []uint32{2}, -1, 1})
	for name, c := range map[string]struct {
		d            *data
		feature, cut float64
		before       []node
		minGain      float64
		want         node
		gain         float32
	}{
		"off":                       {numbers, 0, 0, []node{{1, 0}}, 0, node{0, 1}, 64},
		"nothing is used":           {numbers, 0.5, 0.5, nil, 0, node{0, 1}, 64},
		"tie, the new code is less": {numbers, 0, 0.25, []node{{0, 2}}, 0, node{0, 1}, 64},
		"tie, the used one is":      {numbers, 0, 0.25, []node{{0, 0}}, 0, node{0, 0}, 48},
		"cut":                       {numbers, 0, 0.26, []node{{0, 2}}, 0, node{0, 2}, 48},
		"cuts":                      {numbers, 0, 0.26, []node{{0, 2}, {0, 0}}, 0, node{0, 0}, 48},
		"the best cut is used":      {numbers, 0, 0.9, []node{{0, 2}, {0, 1}}, 0, node{0, 1}, 64},
		"cut of another feature":    {numbers, 0, 0.25, []node{{1, 0}}, 0, node{1, 0}, 49},
		"feature":                   {numbers, 0.25, 0, []node{{1, 0}}, 0, node{1, 0}, 49},
		"feature, not enough":       {numbers, 0.2, 0, []node{{1, 0}}, 0, node{0, 1}, 64},
		"another cut of a feature":  {numbers, 0.9, 0, []node{{0, 2}}, 0, node{0, 1}, 64},
		"both: 64 · 0.9² = 51.8":    {numbers, 0.1, 0.1, []node{{1, 0}}, 0, node{0, 1}, 64},
		"both: 64 · 0.87² = 48.4":   {numbers, 0.13, 0.13, []node{{1, 0}}, 0, node{1, 0}, 49},
		"min_gain, true gains":      {numbers, 0, 0.9, []node{{0, 2}}, 63, node{0, 1}, 64},
		"levels are no cut":         {levels, 0, 0.25, nil, 0, node{1, 0}, 49},
		"levels of a used feature":  {levels, 0.25, 0, []node{{1, 0}}, 0, node{1, 0}, 49},
		"levels of a new feature":   {levels, 0.25, 0, nil, 0, node{0, 1}, 64},
		"gap":                       {gap, 0, 0.1, []node{{0, 2}}, 0, node{0, 2}, 64},
		"gap, both used":            {gap, 0, 0.1, []node{{0, 1}, {0, 2}}, 0, node{0, 1}, 64},
		"missing: 48 · 0.2 = 9.6":   {missing, 0, 0.8, nil, 0, node{0, 0}, 48},
		"missing: 48 · 0.1 = 4.8":   {missing, 0, 0.9, nil, 0, node{0, 1}, 16.0 / 3},
	} {
		t.Run(name, func(t *testing.T) {
			p := free(2)
			p.ReuseFeature, p.ReuseCut, p.MinGain = c.feature, c.cut, c.minGain
			made := c.d.growAfter(t, p, c.before...)
			if made.NumSplits() != 1 {
				t.Fatalf("%d splits, want 1", made.NumSplits())
			}
			if got := (node{made.Feature[0], made.Code[0]}); got != c.want || made.Gain[0] != c.gain {
				t.Errorf("split %+v of gain %v, want %+v of %v", got, made.Gain[0], c.want, c.gain)
			}
		})
	}
}

// Nodes with few rows of many codes keep to the codes of these, and used cuts need not be
// among them.
func TestReuseOfManyCodes(t *testing.T) {
	testenv.Unraced(t)
	pools := newPools(t, 2)
	r := rand.New(rand.NewPCG(6, 6))
	for _, mode := range []form{{Mode: gradients.I16}, {Mode: gradients.I32}, {Mode: gradients.F32}} {
		d := &data{rows: 2000}
		for f := range 4 {
			feature := numeric(10_000, f%2 == 1)
			codes := make([]uint32, d.rows)
			for row := range codes {
				codes[row] = r.Uint32N(feature.NCodes())
				if feature.HasMissing && r.IntN(4) == 0 {
					codes[row] = feature.Regular
				}
			}
			d.features, d.codes = append(d.features, feature), append(d.codes, codes)
		}
		d.randomGradients(r)
		p := free(20)
		p.ReuseCut, p.ReuseFeature = 0.5, 0.1
		if made := oneTree(t, "many codes", d.build(t), p, mode, r, pools); made != 19 {
			t.Errorf("%v: %d splits, want 19", mode, made)
		}
	}
}
