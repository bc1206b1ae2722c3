package compress

import (
	"slices"

	"boost/booster/model"
	"boost/tree"
)

// Model returns the step's model, whose origin is that it was pruned. Splits that no row can
// tell are gone too, as by Simplify. A tree of which one leaf is left is a number: it is added to
// the base score of its output, the leaf becomes 0, and rounds that have only such trees go. A
// model that was trained from init scores has no base score, and keeps these trees. History is
// that of other values, and goes.
func (s *PruneStep) Model() (*model.Model, error) {
	m, _, err := s.model(nil)
	return m, err
}

// model returns the step's model and the numbers that its rounds have in the whole one.
func (s *PruneStep) model(opts []Option) (m *model.Model, rounds []int, err error) {
	from := s.prune.from
	sum, err := from.SHA256()
	if err != nil {
		return nil, nil, err
	}
	c := *from.Contents()
	c.Compression, c.Trust, c.History, c.ValidPrints = nil, nil, nil, nil
	c.Origin = &model.Origin{How: model.Pruned, Models: []string{sum}, Whole: c.Whole(), Tables: c.Tables()}
	c.Trees, c.BaseScore = slices.Clone(c.Trees), slices.Clone(c.BaseScore)
	for i := range c.Trees {
		t := &c.Trees[i]
		all := branchesOf(t)
		c.Trees[i] = all.pruned(t, rootOf(t), &s.states[i]).tree(t)
	}
	if directions := c.Directions(); directions != nil {
		for i := range c.Trees {
			c.Trees[i].KeepOrder(c.Trees[i].Leaf, directions)
		}
	}
	for round := range c.BestRound {
		rounds = append(rounds, round)
	}
	if m, err = model.New(c); err != nil {
		return nil, nil, err
	}
	if m, _, err = Simplify(m, opts...); err != nil || from.FromInitScores() {
		return m, rounds, err
	}
	c = *m.Contents()
	c.Trees = slices.Clone(c.Trees)
	for i := range c.Trees {
		if t := &c.Trees[i]; t.NumLeaves() == 1 {
			c.BaseScore[i%c.Outputs] += t.Leaf[0]
			t.Leaf = []float64{0}
		}
	}
	rounds = dropRounds(&c)
	m, err = model.New(c)
	return m, rounds, err
}

// pruned returns what is left of a tree below a child reference.
func (a *branches) pruned(t *tree.Tree, c int32, state *prunedTree) *branch {
	if c < 0 {
		b := a.of(t, c)
		b.value = state.value[^c]
		return b
	}
	b := a.add(branch{node: -1})
	switch {
	case state.kept[c]:
		b.node, b.code = c, t.Code[c]
		b.left, b.right = a.pruned(t, t.Left[c], state), a.pruned(t, t.Right[c], state)
		if t.Categorical[c] {
			b.set = t.Set(int(c))
		}
	default:
		first := c
		for first >= 0 {
			first = t.Left[first]
		}
		b.leaf, b.value = ^first, state.value[^first]
	}
	if !t.NoStatistics() {
		b.cover = t.Cover[c]
	}
	return b
}

// dropRounds takes out rounds all of whose trees are a leaf of 0, and what is recorded of them. It
// returns the rounds that are kept.
func dropRounds(c *model.Contents) (rounds []int) {
	var trees []tree.Tree
	to := make([]int, c.BestRound+1) // number of kept rounds before each
	for round := range c.BestRound {
		all := c.Trees[round*c.Outputs:][:c.Outputs]
		to[round+1] = to[round]
		if slices.ContainsFunc(all, func(t tree.Tree) bool { return t.NumLeaves() > 1 || t.Leaf[0] != 0 }) {
			trees, rounds = append(trees, all...), append(rounds, round)
			to[round+1]++
		}
	}
	var wide []model.WideRound
	for _, w := range c.WideRounds {
		if w.Round < c.BestRound && to[w.Round+1] > to[w.Round] {
			w.Round = to[w.Round]
			wide = append(wide, w)
		}
	}
	var segments []model.Segment
	first := 0
	for _, s := range c.Segments {
		end := min(first+s.Rounds, c.BestRound)
		if rounds := to[end] - to[first]; rounds > 0 {
			segments = append(segments, model.Segment{Rounds: rounds, Params: s.Params})
		}
		first = end
	}
	origin := *c.Origin
	origin.Whole = to[min(origin.Whole, c.BestRound)]
	c.Origin = &origin
	c.Trees, c.BestRound, c.WideRounds, c.Segments = trees, len(rounds), wide, segments
	return rounds
}
