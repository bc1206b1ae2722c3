package model

import (
	"fmt"
	"slices"

	"boost/booster/model/internal/format"
	"boost/ptq"
)

// Prefix returns the model that has the first k rounds only, 0 … Rounds; another k is an
// error. Its bytes are those of the training run if that had been interrupted after round
// k: the parameters are as they were asked for, train.rounds among them, and of what is
// recorded by round the rest is gone. With early stopping such a run keeps the rounds up to
// its best one, so that the bytes are the same where k is the best of the first k rounds.
// Not so where rounds change what earlier ones count for (train.boosting "dart" and "rf"): a prefix keeps the leaf
// values of the whole model, and of a random forest it predicts the base score and the prefix's part of the mean.
// A prefix shares the model's memory.
func (m *Model) Prefix(k int) (*Model, error) {
	if err := m.engine.CheckRounds(k); err != nil {
		return nil, err
	}
	c := m.expanded()
	c.Trees, c.BestRound = slices.Clip(c.Trees[:k*c.Outputs]), k
	c.History = make([]History, len(m.contents.History))
	for i, h := range m.contents.History {
		c.History[i] = History{Set: h.Set, Metric: h.Metric, Values: slices.Clip(h.Values[:min(k+c.After, len(h.Values))])}
	}
	c.WideRounds = slices.Clone(c.WideRounds)
	c.WideRounds = slices.Clip(slices.DeleteFunc(c.WideRounds, func(w WideRound) bool { return w.Round >= k+c.After }))
	c.Segments = format.FirstSegments(c.Segments, k+c.After)
	return New(c)
}

// Tail returns the rounds after the first k, 1 … Rounds, as a model whose raw scores are what
// these rounds add: its base scores are 0. All else is the model's. It is what Append puts
// behind the first k rounds: a prefix and a tail are the model again, byte for byte.
func (m *Model) Tail(k int) (*Model, error) {
	if k < 1 || k > m.Rounds() {
		return nil, fmt.Errorf("no tail after %d rounds of a model that has %d: give a number from 1 to that", k, m.Rounds())
	}
	c := m.expanded()
	c.Trees, c.BestRound, c.After = slices.Clip(c.Trees[k*c.Outputs:]), c.BestRound-k, c.After+k
	c.BaseScore = make([]float64, c.Outputs)
	return New(c)
}

// Append returns the model with the rounds of a tail behind its own (see Tail). The tail
// was cut off a model that begins with these rounds, or was trained from them on: it has
// as many rounds before it as this model has, and the same cuts, to which levels of categories
// may have been added. Its columns, parameters and records are those of the result. A
// tail of another model is an error, as far as that shows.
func (m *Model) Append(tail *Model) (*Model, error) {
	a, b := m.contents, tail.contents
	switch {
	case b.After == 0:
		return nil, fmt.Errorf("the model to be appended stands alone, it is no tail: Merge adds such models")
	case b.After-a.After != m.Rounds():
		return nil, fmt.Errorf("a tail that comes after %d rounds cannot be appended to a model of %d", b.After-a.After, m.Rounds())
	}
	if err := sameTask(a, b); err != nil {
		return nil, err
	}
	trees, err := m.TreesOn(b.Cuts)
	if err != nil {
		return nil, err
	}
	c := *b
	c.BaseScore, c.After = a.BaseScore, a.After
	c.Trees, c.BestRound = slices.Concat(trees, b.Trees), a.BestRound+b.BestRound
	return New(c)
}

// expanded returns the contents as those of a full model: what is made of a compressed one
// keeps its leaf values, but no longer in few bits. It is not calibrated.
func (m *Model) expanded() Contents {
	c := *m.contents
	c.Derived, c.Compression, c.Trust = m.Derived(), nil, nil
	return c
}

// Derived returns the forms that leaf values of the model went through and lost in, ascending: of a
// compressed model its own form, of a full one those of the compressed models that it was made
// from. Forms of 64 bits lose nothing and are not among them. Such values are approximations, in however many bits the file keeps them.
func (m *Model) Derived() []string {
	derived := m.contents.Derived
	if z := m.contents.Compression; z != nil && z.Leaves.Form() != ptq.FormOf(ptq.F64) {
		derived = withForms(derived, []string{z.Leaves.Form().String()})
	}
	return derived
}

// withForms returns the union of two ascending lists, nil for none.
func withForms(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	if all = slices.Compact(all); len(all) == 0 {
		return nil
	}
	return all
}

// Leaves returns the leaf values of all trees, one tree after the other, as the file has them.
func (m *Model) Leaves() []float64 {
	var all []float64
	for i := range m.contents.Trees {
		all = append(all, m.contents.Trees[i].Leaf...)
	}
	return all
}

// WithLeaves returns the model with other leaf values, in the order of Leaves, and nothing
// else changed, linear models of leaves included. Another number of them, or one that is not finite, is an error. The
// values are copied.
func (m *Model) WithLeaves(values []float64) (*Model, error) {
	c := m.expanded()
	values = slices.Clone(values)
	c.Trees = slices.Clone(c.Trees)
	need := 0
	for i := range c.Trees {
		need += c.Trees[i].NumLeaves()
	}
	if len(values) != need {
		return nil, fmt.Errorf("%d leaf values for a model of %d leaves", len(values), need)
	}
	for i := range c.Trees {
		c.Trees[i].Leaf, values = format.Cut(values, c.Trees[i].NumLeaves())
	}
	return New(c)
}
