package compress

import (
	"math"
	"slices"

	"boost/booster/model"
	"boost/internal/cpu"
	"boost/parallel"
	"boost/tree"
)

// Simplification says what Simplify took out of a model.
type Simplification struct {
	Trees       int // with fewer leaves than before
	Unreachable int // leaves that no row can reach
	Alike       int // leaves on a side of a split that predicts what the other does
	Levels      int // levels in sets of splits that they cannot reach
	Codes       int // splits of present from missing values whose code was above all that reach them
}

// Leaves is the number of leaves that are gone.
func (s *Simplification) Leaves() int { return s.Unreachable + s.Alike }

// Simplify returns the model without the splits that no prediction needs: every row, with any
// values, missing ones and levels never seen among them, gets the same bits.
//
// A split goes where all codes that can reach it, given the splits above, go to one side; a
// missing value is a code of its own, which goes by the direction for missing values at every
// split of its feature. A split goes too where one side gives the rows of the other what they get
// there: equal leaves, equal subtrees, or any two that agree. Sides are compared in up to 4,096
// steps, and kept if these are not enough. What is left keeps its order, gains and covers;
// a side that takes the rows of the other over has its covers raised in the same ratio. Sets lose
// the levels that cannot reach them. A numeric split that sends all present values left has the
// highest code that reaches it. A tree in which nothing changes is the same, and a model
// that has only such trees is returned as it is. Threads change nothing.
func Simplify(m *model.Model, opts ...Option) (*model.Model, Simplification, error) {
	var sum Simplification
	if m.HasLinear() {
		return nil, sum, model.ErrLinear
	}
	pool := optionsOf(opts).pool
	if pool == nil {
		pool = parallel.NewPool(min(cpu.Threads(), 1+m.NumTrees()/treeBlock))
		defer pool.Close()
	}
	c := *m.Contents()
	features := model.Features(c.Cuts)
	c.Trees = slices.Clone(c.Trees)
	sums := make([]Simplification, parallel.Blocks(len(c.Trees), treeBlock))
	reaches := make([]*reach, pool.Threads())
	pool.Do(len(sums), parallel.Func(func(worker, block int) {
		if reaches[worker] == nil {
			reaches[worker] = newReach(features)
		}
		lo, hi := parallel.Block(block, len(c.Trees), treeBlock)
		for i := lo; i < hi; i++ {
			s := simplifier{tree: &c.Trees[i], reach: reaches[worker]}
			c.Trees[i] = s.simple()
			sums[block].add(s.Simplification)
		}
	}))
	for _, s := range sums {
		sum.add(s)
	}
	if sum == (Simplification{}) {
		return m, sum, nil
	}
	c.Compression = nil
	out, err := model.New(c)
	return out, sum, err
}

// treeBlock is the number of trees of one piece of work.
const treeBlock = 64

// add adds what was taken out of other trees.
func (s *Simplification) add(o Simplification) {
	s.Trees += o.Trees
	s.Unreachable += o.Unreachable
	s.Alike += o.Alike
	s.Levels += o.Levels
	s.Codes += o.Codes
}

// simplifier simplifies a tree.
type simplifier struct {
	Simplification
	tree  *tree.Tree
	reach *reach
	steps int // of a comparison that are left
}

// mostSteps is how many splits a comparison of two sides looks at.
const mostSteps = 4096

// simple returns the tree without what no prediction needs.
func (s *simplifier) simple() tree.Tree {
	all := branchesOf(s.tree)
	b := all.of(s.tree, rootOf(s.tree))
	for done := false; !done; {
		before := s.Simplification
		b = s.branch(b)
		done = s.Simplification == before
	}
	if s.Simplification == (Simplification{}) {
		return *s.tree
	}
	if s.Leaves() > 0 {
		s.Trees++
	}
	return b.tree(s.tree)
}

// branch returns what a branch is for the rows that reach it.
func (s *simplifier) branch(b *branch) *branch {
	if b.node < 0 {
		return b
	}
	left, right := s.sides(b)
	switch {
	case right.none():
		s.Unreachable += b.right.leaves()
		return s.branch(b.left)
	case left.none():
		s.Unreachable += b.left.leaves()
		return s.branch(b.right)
	}
	s.trim(b, &left)
	s.within(b, left, func() { b.left = s.branch(b.left) })
	s.within(b, right, func() { b.right = s.branch(b.right) })
	// Of two branches that may stand for both, the one with fewer leaves; of equal ones the left.
	lefts, rights := b.left.leaves(), b.right.leaves()
	if lefts <= rights && s.agree(b, right) {
		return s.merge(b, b.left, rights)
	}
	if s.agree(b, left) {
		return s.merge(b, b.right, lefts)
	}
	if lefts > rights && s.agree(b, right) {
		return s.merge(b, b.left, rights)
	}
	return b
}

// sides are those of a split node as the branch has it.
func (s *simplifier) sides(b *branch) (left, right codes) {
	return s.reach.sides(s.tree.Feature[b.node], b.code, b.set, s.tree.MissingLeft[b.node])
}

// within does something where a split's feature has only some codes.
func (s *simplifier) within(b *branch, only codes, do func()) {
	at := &s.reach.codes[s.tree.Feature[b.node]]
	all := *at
	*at = only
	do()
	*at = all
}

// trim takes out of a split what does not reach it.
func (s *simplifier) trim(b *branch, left *codes) {
	if b.set != nil {
		set := left.list()
		s.Levels += len(b.set) - len(set)
		b.set = set
		return
	}
	at := &s.reach.codes[s.tree.Feature[b.node]]
	if !s.tree.Categorical[b.node] && at.low <= at.high && int64(b.code) > at.high {
		b.code = uint32(at.high)
		s.Codes++
	}
}

// merge lets one side of a split stand for both.
func (s *simplifier) merge(b, kept *branch, gone int) *branch {
	s.Alike += gone
	if kept.cover > 0 {
		kept.scaleCover(b.cover / kept.cover)
	}
	return kept
}

// agree reports whether the sides of a split predict the same for the rows of one of them.
func (s *simplifier) agree(b *branch, side codes) (same bool) {
	s.steps = mostSteps
	s.within(b, side, func() { same = s.same(b.left, b.right) })
	return same
}

// same reports whether two branches predict the same for all rows that reach here.
func (s *simplifier) same(a, b *branch) bool {
	if s.steps--; s.steps < 0 {
		return false
	}
	switch {
	case a.node >= 0:
		left, right := s.sides(a)
		same := true
		if !left.none() {
			s.within(a, left, func() { same = s.same(a.left, b) })
		}
		if same && !right.none() {
			s.within(a, right, func() { same = s.same(a.right, b) })
		}
		return same
	case b.node >= 0:
		return s.same(b, a)
	}
	return math.Float64bits(a.value) == math.Float64bits(b.value)
}
