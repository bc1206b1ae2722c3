package compress

import (
	"slices"

	"boost/tree"
)

// What a split costs in a compressed file, in bytes (docs/design/063-pruning.md): the shape,
// feature, code and direction of a node and a leaf more; a cut, which splits share; a level of a
// set; and the scale of a tree's leaves, which none has that is a leaf alone.
const (
	splitBytes = 2
	cutBytes   = 1
	levelBytes = 0.25
	treeBytes  = 8
)

// parabola is the loss of the rows of some leaves if these had the value v: a·v²/2 + b·v + c.
type parabola struct{ a, b, c float64 }

// least returns the lowest point.
func (p *parabola) least() (value, loss float64) {
	value = -p.b / p.a
	return value, p.c + float64(0.5*float64(p.b*value))
}

// solver finds the part of a tree and the leaf values with the least loss and bytes.
type solver struct {
	uses   []int
	offset []int

	nodes, leaves []parabola
	best          []float64 // by node: loss and price of what is best below it
	splits        []bool    // by node: whether that is a split
	move          []float64 // by leaf: new value less the old
}

// solve prunes a tree further. sums are gradients and hessians of its leaves. price is that of
// a byte; at 0 nothing is taken off. It appends to ratios the prices at which pairs of leaves
// become one.
func (s *solver) solve(t *tree.Tree, state *prunedTree, pulls, sums []float64, price float64, ratios []float64) []float64 {
	s.nodes = slices.Grow(s.nodes[:0], t.NumSplits())[:t.NumSplits()]
	s.best = slices.Grow(s.best[:0], t.NumSplits())[:t.NumSplits()]
	s.splits = slices.Grow(s.splits[:0], t.NumSplits())[:t.NumSplits()]
	s.leaves = slices.Grow(s.leaves[:0], t.NumLeaves())[:t.NumLeaves()]
	for l := range s.leaves {
		g, h, pull, now, old := sums[2*l], sums[2*l+1], pulls[l], state.value[l], t.Leaf[l]
		// g·(v−now) + h/2·(v−now)² + pull/2·(v−old)²
		hn, po := float64(h*now), float64(pull*old)
		s.leaves[l] = parabola{h + pull, g - hn - po, float64(0.5*(float64(hn*now)+float64(po*old))) - float64(g*now)}
	}
	for n := t.NumSplits() - 1; n >= 0; n-- {
		left, leftBest, leftSplits := s.below(t.Left[n])
		right, rightBest, rightSplits := s.below(t.Right[n])
		p := &s.nodes[n]
		*p = parabola{left.a + right.a, left.b + right.b, left.c + right.c}
		_, one := p.least()
		s.best[n], s.splits[n] = one, false
		if !state.kept[n] {
			continue
		}
		bytes := s.bytes(t, n)
		two := leftBest + rightBest
		if price == 0 || two+float64(price*bytes) < one {
			s.best[n], s.splits[n] = two+float64(price*bytes), true
			if !leftSplits && !rightSplits {
				ratios = append(ratios, max(0, (one-two)/bytes))
			}
		}
	}
	s.move = append(s.move[:0], state.value...)
	state.leaves = 1
	s.keepBest(t, state, rootOf(t))
	for l, v := range state.value {
		s.move[l] = v - s.move[l]
	}
	return ratios
}

// below returns the loss of what a child reference leads to as one leaf, its best, and whether
// that is a split.
func (s *solver) below(c int32) (one *parabola, best float64, splits bool) {
	if c < 0 {
		_, best = s.leaves[^c].least()
		return &s.leaves[^c], best, false
	}
	return &s.nodes[c], s.best[c], s.splits[c]
}

// keepBest keeps the best cut below a child reference.
func (s *solver) keepBest(t *tree.Tree, state *prunedTree, c int32) {
	if c >= 0 && s.splits[c] {
		state.leaves++
		s.keepBest(t, state, t.Left[c])
		s.keepBest(t, state, t.Right[c])
		return
	}
	one, _, _ := s.below(c)
	value, _ := one.least()
	s.fill(t, state, c, value)
}

// fill makes one leaf of all below a child reference.
func (s *solver) fill(t *tree.Tree, state *prunedTree, c int32, value float64) {
	if c < 0 {
		state.value[^c] = value
		return
	}
	if state.kept[c] {
		state.kept[c] = false
		if !t.Categorical[c] {
			s.uses[s.offset[t.Feature[c]]+int(t.Code[c])]--
		}
	}
	s.fill(t, state, t.Left[c], value)
	s.fill(t, state, t.Right[c], value)
}

// bytes returns what a split costs: of a cut its share.
func (s *solver) bytes(t *tree.Tree, n int) float64 {
	bytes := float64(splitBytes)
	if n == 0 {
		bytes += treeBytes
	}
	if t.Categorical[n] {
		return bytes + float64(levelBytes*float64(len(t.Set(n))))
	}
	return bytes + cutBytes/float64(s.uses[s.offset[t.Feature[n]]+int(t.Code[n])])
}
