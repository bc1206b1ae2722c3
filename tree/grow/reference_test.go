package grow_test

import (
	"cmp"
	"slices"

	"boost/binning"
	"boost/gradients"
	"boost/tree"
	"boost/tree/grow"
)

// reference grows a tree the plain way: it sums rows code by code, always counts them,
// tries every split in the order of the tie rule and never subtracts a histogram.
type reference struct {
	d      *data
	p      grow.Params
	rate   float64
	grad   []int64  // codes; in mode f32 eighths, which float64 sums exactly
	hess   []uint64 // likewise
	gs, hs float64
	off    float64 // of a row
	bagged []int
	used   *tree.Tree // its splits are on used features and at used cuts; nil for none
	at     map[refCut]bool
}

type refCut struct {
	feature int32
	code    uint32
}

type refLeaf struct {
	rows    []int
	depth   int
	extraL2 float64
	parent  int
	isRight bool
	best    *refSplit
}

type refSplit struct {
	score       float64 // what the gain counts for
	gain        float64 // pre is the sum of the sides' parts, gain what it adds to the parent's
	pre         float64
	feature     int
	code        uint32
	set         []uint32
	categorical bool
	grouped     bool
	missingLeft bool
}

// refSum is the total of some rows.
type refSum struct {
	grad int64
	hess uint64
	rows int
}

func (a refSum) plus(b refSum) refSum {
	return refSum{a.grad + b.grad, a.hess + b.hess, a.rows + b.rows}
}
func (a refSum) minus(b refSum) refSum {
	return refSum{a.grad - b.grad, a.hess - b.hess, a.rows - b.rows}
}

func newReference(d *data, p grow.Params, rate float64, st *gradients.Storage, bag *gradients.Bag) *reference {
	r := &reference{d: d, p: p, rate: rate, grad: make([]int64, d.rows), hess: make([]uint64, d.rows)}
	scales := st.Params()
	r.gs, r.off, r.hs = scales.GradScale, scales.GradOffset, scales.HessScale
	if st.Mode() == gradients.F32 {
		r.gs, r.hs = 0.125, 0.125
	}
	for row := range d.rows {
		if st.Mode() != gradients.F32 {
			r.grad[row], r.hess[row] = st.Code(row)
			continue
		}
		r.grad[row], r.hess[row] = int64(d.grad[row]*8), uint64(d.hess[row]*8)
		if float32(r.grad[row])/8 != d.grad[row] || float32(r.hess[row])/8 != d.hess[row] {
			panic("the reference needs gradients in eighths")
		}
	}
	r.bagged = bagRows(bag, d.rows)
	return r
}

func (r *reference) sum(rows []int) refSum {
	var s refSum
	for _, row := range rows {
		s = s.plus(refSum{r.grad[row], r.hess[row], 1})
	}
	return s
}

func (r *reference) shrunk(s refSum) float64 {
	g := float64(float64(s.grad)*r.gs) + float64(float64(s.rows)*r.off)
	switch {
	case g > r.p.LambdaL1:
		return g - r.p.LambdaL1
	case g < -r.p.LambdaL1:
		return g + r.p.LambdaL1
	}
	return 0
}

func (r *reference) hessian(s refSum) float64 { return float64(float64(s.hess) * r.hs) }

func (r *reference) part(s refSum, l2 float64) float64 {
	if r.hessian(s)+l2 <= 0 {
		return 0
	}
	g := r.shrunk(s)
	return float64(g*g) / (r.hessian(s) + l2)
}

func (r *reference) allowed(s refSum) bool {
	return s.rows >= max(r.p.MinDataInLeaf, 1) && r.hessian(s) >= r.p.MinChildWeight
}

// grow returns the tree over the bag's rows.
func (r *reference) grow() tree.Tree {
	r.at = map[refCut]bool{}
	if r.used != nil {
		for node, f := range r.used.Feature {
			r.at[refCut{f, r.used.Code[node]}] = true
		}
	}
	if r.p.Growth == grow.Symmetric {
		return r.symmetric()
	}
	leaves := []*refLeaf{{rows: r.bagged, parent: -1}}
	r.search(leaves[0])
	var t tree.Tree
	for len(leaves) < r.p.Leaves {
		at := -1
		for i, l := range leaves {
			if l.best != nil && (at < 0 || l.best.score > leaves[at].best.score) {
				at = i
			}
		}
		if at < 0 {
			break
		}
		l := leaves[at]
		left, right := r.split(l)
		node := len(t.Feature)
		left.parent, right.parent, right.isRight = node, node, true
		if l.parent >= 0 && l.isRight {
			t.Right[l.parent] = int32(node)
		} else if l.parent >= 0 {
			t.Left[l.parent] = int32(node)
		}
		r.record(&t, l, at, len(leaves))
		leaves[at] = left
		leaves = append(leaves, right)
		r.search(left)
		r.search(right)
	}
	r.setLeaves(&t, leaves)
	return t
}

// setLeaves sets the values of leaves.
func (r *reference) setLeaves(t *tree.Tree, leaves []*refLeaf) {
	for _, l := range leaves {
		s, value := r.sum(l.rows), 0.0
		if d := r.hessian(s) + (r.p.LambdaL2 + l.extraL2); d > 0 {
			value = -r.shrunk(s) / d
		}
		t.Leaf = append(t.Leaf, r.rate*value)
		t.LeafCover = append(t.LeafCover, r.hessian(s))
	}
}

func (r *reference) record(t *tree.Tree, l *refLeaf, at, next int) {
	code := l.best.code
	if l.best.categorical {
		if len(t.SetPtrs) == 0 {
			t.SetPtrs = []uint32{0}
		}
		code = uint32(len(t.SetPtrs) - 1)
		t.Sets = append(t.Sets, l.best.set...)
		t.SetPtrs = append(t.SetPtrs, uint32(len(t.Sets)))
	}
	t.Feature = append(t.Feature, int32(l.best.feature))
	t.Code = append(t.Code, code)
	t.Categorical = append(t.Categorical, l.best.categorical)
	t.MissingLeft = append(t.MissingLeft, l.best.missingLeft)
	t.Left = append(t.Left, ^int32(at))
	t.Right = append(t.Right, ^int32(next))
	t.Gain = append(t.Gain, float32(l.best.gain))
	t.Cover = append(t.Cover, r.hessian(r.sum(l.rows)))
}

// split sends the rows to two leaves and decides where later missing values go.
func (r *reference) split(l *refLeaf) (left, right *refLeaf) {
	b, f := l.best, &r.d.features[l.best.feature]
	left, right = &refLeaf{depth: l.depth + 1}, &refLeaf{depth: l.depth + 1}
	if b.grouped {
		left.extraL2, right.extraL2 = r.p.CatL2, r.p.CatL2
	}
	missing := false
	for _, row := range l.rows {
		code := r.d.codes[b.feature][row]
		goesLeft := code <= b.code
		if b.categorical {
			goesLeft = slices.Contains(b.set, code)
		}
		if code == f.Regular {
			goesLeft, missing = b.missingLeft, true
		}
		if goesLeft {
			left.rows = append(left.rows, row)
		} else {
			right.rows = append(right.rows, row)
		}
	}
	if !missing {
		b.missingLeft = len(left.rows) >= len(right.rows)
	}
	return left, right
}

// search finds the best split of a leaf.
func (r *reference) search(l *refLeaf) {
	if r.p.MaxDepth > 0 && l.depth >= r.p.MaxDepth {
		return
	}
	total := r.sum(l.rows)
	parent := r.part(total, r.p.LambdaL2)
	for f := range r.d.features {
		feature := &r.d.features[f]
		if feature.NCodes() < 2 {
			continue
		}
		codes := make([]refSum, feature.NCodes())
		for _, row := range l.rows {
			c := r.d.codes[f][row]
			codes[c] = codes[c].plus(refSum{r.grad[row], r.hess[row], 1})
		}
		weight := 1.0
		if !r.usesFeature(f) {
			weight = 1 - r.p.ReuseFeature
		}
		var of *refSplit // the feature's best
		take := func(best *refSplit, weight float64) {
			if best == nil || best.pre-parent <= 0 || best.pre-parent <= r.p.MinGain {
				return
			}
			best.feature, best.gain = f, best.pre-parent
			best.score = float64(best.gain * weight)
			if of == nil || best.score > of.score || best.score == of.score && best.code < of.code {
				of = best
			}
		}
		if feature.Kind == binning.Categorical {
			take(r.categorical(codes, int(feature.Regular), total), weight)
		} else {
			isNew := func(code uint32) bool { return r.p.ReuseCut > 0 && !r.usesCut(f, code) }
			take(r.numeric(codes, int(feature.Regular), total, func(code uint32) bool { return !isNew(code) }), weight)
			take(r.numeric(codes, int(feature.Regular), total, isNew), weight*(1-r.p.ReuseCut))
		}
		if of != nil && (l.best == nil || of.score > l.best.score) {
			l.best = of
		}
	}
}

func (r *reference) usesFeature(f int) bool {
	return r.used != nil && slices.Contains(r.used.Feature, int32(f))
}

// usesCut reports whether a split after a code takes no new cut: the last code names none.
func (r *reference) usesCut(f int, code uint32) bool {
	return code+1 == r.d.features[f].Regular || r.at[refCut{int32(f), code}]
}

// sides are the directions that missing rows can take, in the order of the tie rule.
func sides(codes []refSum, regular int) (missing refSum, directions []bool) {
	if len(codes) > regular && codes[regular].rows > 0 {
		return codes[regular], []bool{true, false}
	}
	return refSum{}, []bool{false}
}

func (r *reference) numeric(codes []refSum, regular int, total refSum, in func(code uint32) bool) *refSplit {
	var best *refSplit
	missing, directions := sides(codes, regular)
	var upTo refSum
	for code := range regular {
		upTo = upTo.plus(codes[code])
		if !in(uint32(code)) {
			continue
		}
		for _, missingLeft := range directions {
			left := upTo
			if missingLeft {
				left = left.plus(missing)
			}
			right := total.minus(left)
			if !r.allowed(left) || !r.allowed(right) {
				continue
			}
			if pre := r.part(left, r.p.LambdaL2) + r.part(right, r.p.LambdaL2); best == nil || pre > best.pre {
				best = &refSplit{pre: pre, code: uint32(code), missingLeft: missingLeft}
			}
		}
	}
	return best
}

func (r *reference) categorical(codes []refSum, regular int, total refSum) *refSplit {
	var best *refSplit
	try := func(set []uint32, missingLeft bool, missing refSum, l2 float64, grouped bool) {
		var left refSum
		for _, code := range set {
			left = left.plus(codes[code])
		}
		if missingLeft {
			left = left.plus(missing)
		}
		right := total.minus(left)
		if !r.allowed(left) || !r.allowed(right) {
			return
		}
		pre := r.part(left, l2) + r.part(right, l2)
		if best != nil {
			lower := slices.Compare(set, best.set)
			if pre < best.pre || pre == best.pre && (lower > 0 || lower == 0 && (best.missingLeft || !missingLeft)) {
				return
			}
		}
		best = &refSplit{pre: pre, set: set, missingLeft: missingLeft, categorical: true, grouped: grouped}
	}
	missing, directions := sides(codes, regular)
	if len(directions) == 2 {
		try(nil, true, missing, r.p.LambdaL2, false)
	}
	var present []uint32
	for code := range regular {
		if codes[code].hess > 0 {
			present = append(present, uint32(code))
		}
	}
	for _, missingLeft := range directions {
		if len(present) <= r.p.OneHotMax {
			for _, code := range present {
				try([]uint32{code}, missingLeft, missing, r.p.LambdaL2, false)
			}
			continue
		}
		for _, set := range r.groups(codes, present, total) {
			try(set, missingLeft, missing, r.p.LambdaL2+r.p.CatL2, true)
		}
	}
	return best
}

// groups lists the sets of sorted levels that may go left (docs/architecture.md, Splits).
func (r *reference) groups(codes []refSum, present []uint32, total refSum) [][]uint32 {
	est := func(code uint32) float64 {
		return float64(codes[code].hess) * float64(total.rows) / float64(total.hess)
	}
	statistic := func(code uint32) float64 {
		return (float64(float64(codes[code].grad)*r.gs) + float64(float64(codes[code].rows)*r.off)) / (r.hessian(codes[code]) + r.p.Smooth)
	}
	var levels []uint32
	for _, code := range present {
		if est(code) >= r.p.Smooth {
			levels = append(levels, code)
		}
	}
	slices.SortStableFunc(levels, func(a, b uint32) int { return cmp.Compare(statistic(a), statistic(b)) })
	var sets [][]uint32
	for range 2 {
		var set []uint32
		group := 0.0
		for i, code := range levels {
			if i == r.p.MaxPerSide {
				break
			}
			set = append(set, code)
			if group += est(code); group >= r.p.MinPerGroup {
				group = 0
				sets = append(sets, slices.Sorted(slices.Values(set)))
			}
		}
		slices.Reverse(levels)
	}
	return sets
}
