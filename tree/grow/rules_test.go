package grow_test

import (
	"math"
	"slices"
	"testing"

	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/tree"
	"boost/tree/grow"
)

// group is some equal rows: their codes, and each one's gradient and hessian.
type group struct {
	n          int
	codes      []uint32
	grad, hess float32
}

func tableOf(t testing.TB, features []binning.Feature, groups ...group) *data {
	t.Helper()
	d := &data{features: features, codes: make([][]uint32, len(features))}
	for _, g := range groups {
		for range g.n {
			for f, c := range g.codes {
				d.codes[f] = append(d.codes[f], c)
			}
			d.grad, d.hess = append(d.grad, g.grad), append(d.hess, g.hess)
		}
	}
	return d.build(t)
}

func numeric(regular uint32, hasMissing bool) binning.Feature {
	return binning.Feature{Regular: regular, HasMissing: hasMissing}
}

// free is a set of parameters without limits.
func free(leaves int) grow.Params {
	p := grow.Defaults()
	p.Leaves, p.MinDataInLeaf, p.MinChildWeight = leaves, 1, 0
	return p
}

func (d *data) growOne(t *testing.T, mode form, p grow.Params) tree.Tree {
	t.Helper()
	pool := newPools(t, 1)[0]
	made, err := d.grower(p, pool, histogram.Sequential, false).Grow(d.storage(t, mode, pool, nil), nil, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := made.Validate(d.treeFeatures()); err != nil {
		t.Fatal(err)
	}
	return made
}

// split is the root's split in words.
type split struct {
	feature     int32
	code        uint32
	missingLeft bool
}

func rootOf(made tree.Tree) split {
	if made.NumSplits() == 0 {
		return split{feature: -1}
	}
	return split{made.Feature[0], made.Code[0], made.MissingLeft[0]}
}

func TestMissingDirections(t *testing.T) {
	one := []binning.Feature{numeric(2, true)}
	for name, c := range map[string]struct {
		features []binning.Feature
		groups   []group
		minData  int
		want     split
	}{
		"S2.24/left": {one, []group{{4, []uint32{0}, 1, 1}, {4, []uint32{1}, -1, 1}, {4, []uint32{2}, 1, 1}}, 1, split{0, 0, true}},
		// Missing rows are the fewest and like code 1.
		"S2.24/right": {one, []group{{8, []uint32{0}, 1, 1}, {4, []uint32{1}, -1, 1}, {2, []uint32{2}, -1, 1}}, 1, split{0, 0, false}},
		// Present against missing: all present rows stand left of the last regular code.
		"S2.24/missing_only":                 {one, []group{{4, []uint32{0}, 1, 1}, {4, []uint32{1}, 1, 1}, {2, []uint32{2}, -1, 1}}, 1, split{0, 1, false}},
		"S2.24/no_missing_rows_left_bigger":  {one, []group{{5, []uint32{0}, 1, 1}, {4, []uint32{1}, -1, 1}}, 1, split{0, 0, true}},
		"S2.24/no_missing_rows_right_bigger": {one, []group{{4, []uint32{0}, 1, 1}, {5, []uint32{1}, -1, 1}}, 1, split{0, 0, false}},
		"S2.24/no_missing_rows_equal":        {one, []group{{4, []uint32{0}, 1, 1}, {4, []uint32{1}, -1, 1}}, 1, split{0, 0, true}},
		// Bigger means rows, not weight.
		"S2.24/rows_not_hessians": {one, []group{{4, []uint32{0}, 1, 50}, {5, []uint32{1}, -1, 1}}, 1, split{0, 0, false}},
		"S2.24/no_missing_code":   {[]binning.Feature{numeric(2, false)}, []group{{4, []uint32{0}, 1, 1}, {5, []uint32{1}, -1, 1}}, 1, split{0, 0, false}},
		// Missing rows without weight gain the same on both sides: left first …
		"S2.24/weightless": {one, []group{{4, []uint32{0}, 1, 1}, {8, []uint32{1}, -1, 1}, {3, []uint32{2}, 0, 0}}, 1, split{0, 0, true}},
		// … unless the right side has too few rows without them.
		"S2.24/weightless_needed_right": {one, []group{{10, []uint32{0}, 1, 1}, {2, []uint32{1}, -1, 1}, {5, []uint32{2}, 0, 0}}, 6, split{0, 0, false}},
		"S2.24/weightless_needed_left":  {one, []group{{2, []uint32{0}, 1, 1}, {10, []uint32{1}, -1, 1}, {5, []uint32{2}, 0, 0}}, 6, split{0, 0, true}},
	} {
		for _, mode := range exact {
			t.Run(name+"/"+mode.String(), func(t *testing.T) {
				d := tableOf(t, c.features, c.groups...)
				p := free(2)
				p.MinDataInLeaf = c.minData
				made := d.growOne(t, mode, p)
				if got := rootOf(made); got != c.want {
					t.Errorf("split %+v, want %+v", got, c.want)
				}
			})
		}
	}
}

func TestTies(t *testing.T) {
	two := []binning.Feature{numeric(2, false), numeric(2, false)}
	for _, mode := range exact {
		t.Run("lower_feature/"+mode.String(), func(t *testing.T) {
			d := tableOf(t, []binning.Feature{numeric(1, false), numeric(2, false), numeric(2, false)},
				group{3, []uint32{0, 0, 0}, 1, 1}, group{3, []uint32{0, 1, 1}, -1, 1})
			if got := rootOf(d.growOne(t, mode, free(2))); got.feature != 1 {
				t.Errorf("split %+v, want feature 1, the lower of two that are equal", got)
			}
		})
		t.Run("lower_bin/"+mode.String(), func(t *testing.T) {
			d := tableOf(t, []binning.Feature{numeric(3, false)},
				group{1, []uint32{0}, 1, 1}, group{1, []uint32{1}, 0, 1}, group{1, []uint32{2}, -1, 1})
			// 1²/1 + 1²/2 on both sides of the middle row.
			if got := rootOf(d.growOne(t, mode, free(2))); got.code != 0 {
				t.Errorf("split %+v, want the cut after code 0", got)
			}
		})
		t.Run("missing_left_first/"+mode.String(), func(t *testing.T) {
			d := tableOf(t, []binning.Feature{numeric(2, true)},
				group{1, []uint32{0}, 1, 1}, group{1, []uint32{2}, 0, 1}, group{1, []uint32{1}, -1, 1})
			if got := rootOf(d.growOne(t, mode, free(2))); got != (split{0, 0, true}) {
				t.Errorf("split %+v, want code 0 with the missing rows on its side", got)
			}
		})
		t.Run("lowest_leaf/"+mode.String(), func(t *testing.T) {
			// Feature 0 parts ±10; both children gain the same by feature 1.
			d := tableOf(t, two, group{2, []uint32{0, 0}, -11, 1}, group{2, []uint32{0, 1}, -9, 1},
				group{2, []uint32{1, 0}, 9, 1}, group{2, []uint32{1, 1}, 11, 1})
			made := d.growOne(t, mode, free(3))
			if !slices.Equal(made.Left, []int32{1, ^0}) || !slices.Equal(made.Right, []int32{^1, ^2}) || !slices.Equal(made.Feature, []int32{0, 1}) {
				t.Errorf("children %v %v of features %v, want leaf 0 split again", made.Left, made.Right, made.Feature)
			}
		})
		t.Run("best_leaf_first/"+mode.String(), func(t *testing.T) {
			// The right child gains more than the left one.
			d := tableOf(t, two, group{2, []uint32{0, 0}, -11, 1}, group{2, []uint32{0, 1}, -9, 1},
				group{2, []uint32{1, 0}, 8, 1}, group{2, []uint32{1, 1}, 12, 1})
			made := d.growOne(t, mode, free(3))
			if !slices.Equal(made.Left, []int32{^0, ^1}) || !slices.Equal(made.Right, []int32{1, ^2}) {
				t.Errorf("children %v %v, want leaf 1 split again", made.Left, made.Right)
			}
		})
		t.Run("categories_lower_set/"+mode.String(), func(t *testing.T) {
			d := tableOf(t, []binning.Feature{{Kind: binning.Categorical, Regular: 4}},
				group{2, []uint32{0}, 1, 1}, group{2, []uint32{1}, 1, 1}, group{2, []uint32{2}, -1, 1}, group{2, []uint32{3}, -1, 1})
			if made := d.growOne(t, mode, free(2)); made.NumSplits() != 1 || !slices.Equal(made.Set(0), []uint32{0}) {
				t.Errorf("tree %+v, want the set {0} of four that gain the same", made)
			}
		})
	}
}

func TestCategories(t *testing.T) {
	// Six levels of 200 rows with hessian 1; even levels pull up, odd ones down.
	var groups []group
	for level := range uint32(6) {
		groups = append(groups, group{200, []uint32{level}, 1 - 2*float32(level%2), 1})
	}
	feature := []binning.Feature{{Kind: binning.Categorical, Regular: 6}}
	with := func(change func(p *grow.Params)) grow.Params {
		p := free(2)
		change(&p)
		return p
	}
	for name, c := range map[string]struct {
		p          grow.Params
		set        []uint32
		left, gain float64 // gain exact, left value before the learning rate
	}{
		// {0,2,4} and {1,3,5} gain 2·600²/610; the lower list wins. λ of 10 counts in the value.
		"grouped": {free(2), []uint32{0, 2, 4}, -600.0 / 610, 2 * 600 * 600 / 610.0},
		// Two levels a side: {1,3} from below and {2,4} from above gain 400²/410 + 400²/810.
		"max_per_side": {with(func(p *grow.Params) { p.MaxPerSide = 2 }), []uint32{1, 3}, 400.0 / 410, 160000/410.0 + 160000/810.0},
		// Prefixes count at 400 and 800 rows only: {1,3} and {1,3,5,0} from below, {2,4} and
		// {0,2,4,5} from above all gain the same, and the second is the lowest list.
		"min_per_group": {with(func(p *grow.Params) { p.MinPerGroup = 300 }), []uint32{0, 1, 3, 5}, 400.0 / 810, 160000/410.0 + 160000/810.0},
		// Six levels at most: one level against the rest, no further λ.
		"one_hot": {with(func(p *grow.Params) { p.OneHotMax = 6 }), []uint32{0}, -1, 200 + 200*200/1000.0},
		"cat_l2":  {with(func(p *grow.Params) { p.CatL2, p.LambdaL2 = 0, 3 }), []uint32{0, 2, 4}, -600.0 / 603, 2 * 600 * 600 / 603.0},
		// No level stands for 201 rows.
		"smooth": {with(func(p *grow.Params) { p.Smooth = 201 }), nil, 0, 0},
	} {
		for _, mode := range exact {
			t.Run(name+"/"+mode.String(), func(t *testing.T) {
				made := tableOf(t, feature, groups...).growOne(t, mode, c.p)
				if c.set == nil {
					if made.NumSplits() != 0 {
						t.Errorf("tree %+v, want no split", made)
					}
					return
				}
				if made.NumSplits() != 1 || !slices.Equal(made.Set(0), c.set) {
					t.Fatalf("tree %+v, want the set %v", made, c.set)
				}
				if math.Abs(made.Leaf[0]-rate*c.left) > 1e-6 || math.Abs(float64(made.Gain[0])-c.gain) > 1e-2 {
					t.Errorf("left leaf %v, gain %v, want %v and %v", made.Leaf[0], made.Gain[0], rate*c.left, c.gain)
				}
			})
		}
	}
	for _, mode := range exact {
		t.Run("empty_set_is_missing_against_present/"+mode.String(), func(t *testing.T) {
			d := tableOf(t, []binning.Feature{{Kind: binning.Categorical, Regular: 2, HasMissing: true}},
				group{4, []uint32{0}, 1, 1}, group{4, []uint32{1}, 1, 1}, group{3, []uint32{2}, -1, 1})
			made := d.growOne(t, mode, free(2))
			if made.NumSplits() != 1 || len(made.Set(0)) != 0 || !made.MissingLeft[0] {
				t.Errorf("tree %+v, want an empty set with the missing rows on the left", made)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	// A staircase that a tree without limits takes apart completely.
	var groups []group
	for c := range uint32(16) {
		groups = append(groups, group{10, []uint32{c}, float32(c), 1})
	}
	d := tableOf(t, []binning.Feature{numeric(16, false)}, groups...)
	for _, mode := range exact {
		if made := d.growOne(t, mode, free(64)); made.NumLeaves() != 16 {
			t.Errorf("%v: %d leaves, want the 16 steps", mode, made.NumLeaves())
		}
		for depth := 1; depth <= 4; depth++ {
			p := free(64)
			p.MaxDepth = depth
			if made := d.growOne(t, mode, p); made.Depth() != depth || made.NumLeaves() != 1<<depth {
				t.Errorf("%v: max_depth %d gives depth %d with %d leaves", mode, depth, made.Depth(), made.NumLeaves())
			}
		}
		for leaves := 2; leaves <= 16; leaves++ {
			if made := d.growOne(t, mode, free(leaves)); made.NumLeaves() != leaves {
				t.Errorf("%v: %d leaves allowed, %d grown", mode, leaves, made.NumLeaves())
			}
		}
		p := free(64)
		p.MinDataInLeaf = 25
		made := d.growOne(t, mode, p)
		for i, cover := range made.LeafCover {
			if cover < 29.99 { // steps of 10 rows of hessian 1
				t.Errorf("%v: leaf %d holds %v rows, min_data_in_leaf is 25", mode, i, cover)
			}
		}
		p = free(64)
		p.MinChildWeight = 25
		made = d.growOne(t, mode, p)
		if made.NumLeaves() != 4 { // halves and quarters; a quarter of 40 cannot give two of 25
			t.Errorf("%v: %d leaves of at least 25 of 160 hessian, want 4", mode, made.NumLeaves())
		}
		p = free(64)
		p.MinGain = float64(made.Gain[0]) * 0.99
		if made := d.growOne(t, mode, p); made.NumLeaves() < 2 {
			t.Errorf("%v: min_gain below the root's gain leaves no split", mode)
		}
		p.MinGain = 1e6
		if made := d.growOne(t, mode, p); made.NumLeaves() != 1 || math.Abs(made.Leaf[0]+rate*7.5) > 1e-5 {
			t.Errorf("%v: min_gain above all gains: %d leaves, value %v, want one of −0.75", mode, made.NumLeaves(), made.Leaf[0])
		}
		p = free(2)
		p.LambdaL1, p.LambdaL2 = 40, 20
		made = d.growOne(t, mode, p)
		// The cut after code 4 parts gradients of 100 and 1,100: (100 − 40)²/(50 + 20) and
		// (1,100 − 40)²/(110 + 20) are more than at any other.
		if made.Code[0] != 4 || math.Abs(made.Leaf[0]+rate*60/70) > 1e-4 || math.Abs(made.Leaf[1]+rate*1060/130) > 1e-4 {
			t.Errorf("%v: lambda_l1 40 and lambda_l2 20: cut %d, leaves %v, want −6/70 and −106/130", mode, made.Code[0], made.Leaf)
		}
	}
}

func TestMinGainIsBelowTheGain(t *testing.T) {
	// 4²/4 on both sides and nothing before: a gain of 8, exact in f32.
	d := tableOf(t, []binning.Feature{numeric(2, false)}, group{4, []uint32{0}, 1, 1}, group{4, []uint32{1}, -1, 1})
	for minGain, leaves := range map[float64]int{0: 2, math.Nextafter(8, 0): 2, 8: 1} {
		p := free(2)
		p.MinGain = minGain
		if made := d.growOne(t, form{Mode: gradients.F32}, p); made.NumLeaves() != leaves {
			t.Errorf("min_gain %v: %d leaves, want %d", minGain, made.NumLeaves(), leaves)
		}
	}
}

func TestNothingToSplit(t *testing.T) {
	pool := newPools(t, 2)[0]
	for _, mode := range exact {
		t.Run("S2.7/zero_hessians/"+mode.String(), func(t *testing.T) {
			d := tableOf(t, []binning.Feature{numeric(2, false)}, group{3, []uint32{0}, 1, 0}, group{3, []uint32{1}, -1, 0})
			made := d.growOne(t, mode, free(4))
			for i, v := range made.Leaf {
				if v != 0 {
					t.Errorf("leaf %d without hessian and without lambda has value %v", i, v)
				}
			}
		})
		t.Run("S0.28/zero_gradients/"+mode.String(), func(t *testing.T) {
			d := tableOf(t, []binning.Feature{numeric(2, false)}, group{3, []uint32{0}, 0, 1}, group{3, []uint32{1}, 0, 1})
			if made := d.growOne(t, mode, free(4)); made.NumLeaves() != 1 || made.Leaf[0] != 0 {
				t.Errorf("leaves %v, want one of 0", made.Leaf)
			}
		})
		d := tableOf(t, []binning.Feature{numeric(2, false), numeric(1, false)}, group{30, []uint32{0, 0}, 1, 1}, group{30, []uint32{1, 0}, -1, 1})
		empty := gradients.NewBag(d.rows)
		empty.Sample(pool, 1, 0, 0)
		g := d.grower(free(4), pool, histogram.RowParallel, true)
		made, err := g.Grow(d.storage(t, mode, pool, empty), empty, 0, 0)
		if err != nil || made.NumLeaves() != 1 || made.Leaf[0] != 0 {
			t.Errorf("%v: an empty bag gives %v, %v", mode, made.Leaf, err)
		}
		d = tableOf(t, []binning.Feature{numeric(1, false)}, group{30, []uint32{0}, 2, 1})
		if made := d.growOne(t, mode, free(4)); made.NumLeaves() != 1 || math.Abs(made.Leaf[0]+2*rate) > 1e-5 {
			t.Errorf("%v: one constant feature gives leaves %v, want −0.2", mode, made.Leaf)
		}
	}
}
