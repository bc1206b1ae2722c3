package grow_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/binning"
	"boost/internal/testenv"
	"boost/tree"
	"boost/tree/grow"
)

// refLevel is a split of all nodes of a level.
type refLevel struct {
	refSplit
	l2    float64 // on top of LambdaL2
	score float64
}

// symmetric grows a symmetric tree over the bag's rows the plain way: for each split of a list it adds up what the nodes gain.
func (r *reference) symmetric() tree.Tree {
	leaves := []*refLeaf{{rows: r.bagged, parent: -1}}
	var t tree.Tree
	depth := cmp.Or(r.p.MaxDepth, 6)
	for range depth {
		level := slices.DeleteFunc(slices.Clone(leaves), func(l *refLeaf) bool { return len(l.rows) < 2*max(r.p.MinDataInLeaf, 1) })
		best := r.bestOfLevel(level)
		if best == nil {
			break
		}
		first, missing, left, right := len(t.Feature), false, 0, 0
		made := map[*refLeaf][2]*refLeaf{}
		for _, l := range level {
			gain, divides := r.gainOf(l, best)
			if !divides {
				continue
			}
			own := best.refSplit
			own.gain, l.best = gain, &own
			for _, row := range l.rows {
				missing = missing || r.d.codes[own.feature][row] == r.d.features[own.feature].Regular
			}
			a, b := r.split(l)
			own.missingLeft = best.missingLeft
			left, right = left+len(a.rows), right+len(b.rows)
			made[l] = [2]*refLeaf{a, b}
		}
		for _, i := range r.inOrder(leaves) {
			l := leaves[i]
			if l.best == nil {
				continue
			}
			node := len(t.Feature)
			a, b := made[l][0], made[l][1]
			a.parent, b.parent, b.isRight = node, node, true
			if l.parent >= 0 && l.isRight {
				t.Right[l.parent] = int32(node)
			} else if l.parent >= 0 {
				t.Left[l.parent] = int32(node)
			}
			r.record(&t, l, i, len(leaves))
			leaves[i] = a
			leaves = append(leaves, b)
		}
		for i := first; i < len(t.MissingLeft) && !missing; i++ {
			t.MissingLeft[i] = left >= right
		}
	}
	r.setLeaves(&t, leaves)
	return t
}

// inOrder lists leaves in the order in which they are split: that of their parents' splits.
func (r *reference) inOrder(leaves []*refLeaf) []int {
	order := make([]int, len(leaves))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(leaves[a].parent, leaves[b].parent), map[bool]int{true: 1}[leaves[a].isRight]-map[bool]int{true: 1}[leaves[b].isRight])
	})
	return order
}

// gainOf returns what a leaf gains by a split of its level, and whether it is divided.
func (r *reference) gainOf(l *refLeaf, s *refLevel) (gain float64, divides bool) {
	var left refSum
	for _, row := range l.rows {
		code := r.d.codes[s.feature][row]
		goesLeft := code <= s.code
		if s.categorical {
			goesLeft = slices.Contains(s.set, code)
		}
		if code == r.d.features[s.feature].Regular {
			goesLeft = s.missingLeft
		}
		if goesLeft {
			left = left.plus(refSum{r.grad[row], r.hess[row], 1})
		}
	}
	total := r.sum(l.rows)
	right := total.minus(left)
	if left.grad == 0 && left.hess == 0 || right.grad == 0 && right.hess == 0 || !r.allowed(left) || !r.allowed(right) {
		return 0, false
	}
	l2 := r.p.LambdaL2 + s.l2
	return r.part(left, l2) + r.part(right, l2) - r.part(total, r.p.LambdaL2), true
}

// bestOfLevel tries all splits of a level.
func (r *reference) bestOfLevel(level []*refLeaf) *refLevel {
	var best *refLevel
	for f := range r.d.features {
		if r.d.features[f].NCodes() < 2 {
			continue
		}
		var of *refLevel
		for _, s := range r.levelSplits(level, f) {
			gain := 0.0
			for _, l := range level {
				own, _ := r.gainOf(l, &s)
				gain += own
			}
			if !(gain > 0 && gain > r.p.MinGain) {
				continue
			}
			weight := 1.0
			if !r.usesFeature(f) {
				weight *= 1 - r.p.ReuseFeature
			}
			if !s.categorical && r.p.ReuseCut > 0 && !r.usesCut(f, s.code) {
				weight *= 1 - r.p.ReuseCut
			}
			s.score = float64(gain * weight)
			if of == nil || s.score > of.score || s.score == of.score && s.categorical && slices.Compare(s.set, of.set) < 0 {
				of = &s
			}
		}
		if of != nil && (best == nil || of.score > best.score) {
			best = of
		}
	}
	return best
}

// levelSplits lists the splits of a feature in the order of the tie rule.
func (r *reference) levelSplits(level []*refLeaf, f int) (splits []refLevel) {
	feature := &r.d.features[f]
	if feature.Kind != binning.Categorical {
		for code := range feature.Regular {
			for _, missingLeft := range []bool{true, false} {
				splits = append(splits, refLevel{refSplit: refSplit{feature: f, code: code, missingLeft: missingLeft}})
			}
		}
		return splits
	}
	splits = append(splits, refLevel{refSplit: refSplit{feature: f, categorical: true, missingLeft: true}})
	grad, hess, all, rows := make([]float64, feature.Regular), make([]float64, feature.Regular), 0.0, 0
	for _, l := range level {
		total, value := r.sum(l.rows), 0.0
		if d := r.hessian(total) + r.p.LambdaL2; d > 0 {
			value = -r.shrunk(total) / d
		}
		codes := make([]refSum, feature.NCodes())
		for _, row := range l.rows {
			c := r.d.codes[f][row]
			codes[c] = codes[c].plus(refSum{r.grad[row], r.hess[row], 1})
		}
		for c := range feature.Regular {
			g := float64(float64(codes[c].grad)*r.gs) + float64(float64(codes[c].rows)*r.off)
			grad[c] += g + float64(r.hessian(codes[c])*value)
			hess[c] += r.hessian(codes[c])
		}
		all, rows = all+r.hessian(total), rows+len(l.rows)
	}
	var present []uint32
	for c := range feature.Regular {
		if hess[c] > 0 {
			present = append(present, c)
		}
	}
	add := func(set []uint32, l2 float64, grouped bool) {
		for _, missingLeft := range []bool{true, false} {
			splits = append(splits, refLevel{l2: l2, refSplit: refSplit{feature: f, categorical: true, grouped: grouped, set: set, missingLeft: missingLeft}})
		}
	}
	if len(present) <= r.p.OneHotMax {
		for _, c := range present {
			add([]uint32{c}, 0, false)
		}
		return splits
	}
	est := func(c uint32) float64 { return hess[c] * float64(rows) / all }
	present = slices.DeleteFunc(present, func(c uint32) bool { return est(c) < r.p.Smooth })
	slices.SortStableFunc(present, func(a, b uint32) int {
		return cmp.Compare(grad[a]/(hess[a]+r.p.Smooth), grad[b]/(hess[b]+r.p.Smooth))
	})
	for range 2 {
		var set []uint32
		group := 0.0
		for _, c := range present[:min(len(present), r.p.MaxPerSide)] {
			set = append(set, c)
			if group += est(c); group >= r.p.MinPerGroup {
				group = 0
				add(slices.Sorted(slices.Values(set)), r.p.CatL2, true)
			}
		}
		slices.Reverse(present)
	}
	return splits
}

// Symmetric trees equal those of a plain grower in every bit: in all storages, over bags, with missing values, categories and
// exact numbers of rows.
func TestSymmetricEqualsReference(t *testing.T) {
	testenv.Unraced(t)
	pools := newPools(t, 1, 2, 3)
	tries := 80
	if testing.Short() {
		tries = 25
	}
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(11, uint64(mode.Mode)))
			splits := 0
			for try := range tries {
				d := &data{rows: 1 + r.IntN(1+r.IntN(600))}
				d.randomFeatures(r, 1+r.IntN(5))
				d.randomGradients(r)
				p := randomParams(r)
				p.Growth, p.MinDataInLeaf = grow.Symmetric, r.IntN(1+r.IntN(30))
				splits += oneTree(t, fmt.Sprint("try ", try), d.build(t), p, mode, r, pools)
			}
			if splits < 2*tries {
				t.Errorf("%d trees have %d splits: too few to show anything", tries, splits)
			}
		})
	}
}

// A symmetric tree by hand. Four groups of rows with hessian 1 and gradients
//
//	codes of x, y, z:  000: −6   011: −2   100: 2   111: 6   (two rows each)
//
// x divides −16 (4 rows) and 16 (4 rows): gain 16²/4 · 2 = 128. y and z are the same column: by them −8 and 8 are apart, 8²/4 · 2 = 32. On the second
// level y gains (12²/2 + 4²/2 − 16²/4) = 16 in both nodes, 32 in all; z as much, and y is the lower. The third level has nothing to gain.
// Leaves: −rate · sum/2.
func TestSymmetricByHand(t *testing.T) {
	testenv.Unraced(t)
	d := tableOf(t, []binning.Feature{numeric(2, false), numeric(2, false), numeric(2, false)},
		group{2, []uint32{0, 0, 0}, -6, 1}, group{2, []uint32{0, 1, 1}, -2, 1}, group{2, []uint32{1, 0, 0}, 2, 1}, group{2, []uint32{1, 1, 1}, 6, 1})
	for _, mode := range exact {
		p := free(2) // leaves do not count
		p.Growth = grow.Symmetric
		made := d.growOne(t, mode, p)
		if !slices.Equal(made.Feature, []int32{0, 1, 1}) || !slices.Equal(made.Left, []int32{1, ^0, ^1}) || !slices.Equal(made.Right, []int32{2, ^2, ^3}) {
			t.Fatalf("%v: features %v, children %v %v", mode, made.Feature, made.Left, made.Right)
		}
		for i, want := range []float64{6, -2, 2, -6} {
			if math.Abs(made.Leaf[i]-rate*want) > 1e-4 {
				t.Errorf("%v: leaf %d is %v, want %v", mode, i, made.Leaf[i], rate*want)
			}
		}
		for i, want := range []float64{128, 16, 16} {
			if math.Abs(float64(made.Gain[i])-want) > 0.05 {
				t.Errorf("%v: gain %d is %v, want %v", mode, i, made.Gain[i], want)
			}
		}
	}
}

// A split that leaves a side of a node too few rows leaves the node as it is; the next level may divide it.
func TestSymmetricMinData(t *testing.T) {
	testenv.Unraced(t)
	// x has the most to gain. y divides 3 and 3 rows on its right, 5 and 1 on its left; z the rows on its left 3 and 3.
	d := tableOf(t, []binning.Feature{numeric(2, false), numeric(2, false), numeric(2, false)},
		group{3, []uint32{0, 0, 0}, -9, 1}, group{2, []uint32{0, 0, 1}, -8, 1}, group{1, []uint32{0, 1, 1}, -8, 1},
		group{3, []uint32{1, 0, 0}, 4, 1}, group{3, []uint32{1, 1, 0}, 10, 1})
	for _, mode := range exact {
		p := free(2)
		p.Growth, p.MinDataInLeaf = grow.Symmetric, 2
		made := d.growOne(t, mode, p)
		if !slices.Equal(made.Feature, []int32{0, 1, 2}) || !slices.Equal(made.Left, []int32{^0, ^1, ^0}) && !slices.Equal(made.Left, []int32{2, ^1, ^0}) {
			t.Errorf("%v: features %v, children %v %v: want x, then y on its right only, then z on its left", mode, made.Feature, made.Left, made.Right)
		}
		p.MinDataInLeaf = 1
		if made := d.growOne(t, mode, p); made.NumSplits() != 4 || made.Feature[1] != 1 || made.Feature[2] != 1 {
			t.Errorf("%v: with 1 row a leaf, features %v, want y in both nodes", mode, made.Feature)
		}
	}
}
