package tree

import (
	"math"
	"slices"
)

// Linear are linear models in the leaves of a tree, as a structure of arrays. For a row, leaf l with features adds
//
//	Const[l] + Coef[i]·x(Feature[i]) for i from Ptrs[l] to Ptrs[l+1]−1, added in this order,
//
// each product and sum rounded to float64, where x is the row's value, rounded to float32. If that is not finite, because
// a value is missing or infinite, and in a leaf without features, the row gets the tree's Leaf[l], as in other trees.
type Linear struct {
	Ptrs    []uint32  // leaves + 1
	Feature []int32   // of each leaf ascending: numeric features
	Coef    []float64 // by entry of Feature
	Const   []float64 // per leaf; 0 in one without features
}

// NumCoefs returns how many coefficients the leaves of the tree have.
func (t *Tree) NumCoefs() int {
	if t.Linear == nil {
		return 0
	}
	return len(t.Linear.Coef)
}

// LeafFeatures returns the features of a leaf's linear model, ascending.
func (t *Tree) LeafFeatures(leaf int) []int32 {
	if t.Linear == nil {
		return nil
	}
	return t.Linear.Feature[t.Linear.Ptrs[leaf]:t.Linear.Ptrs[leaf+1]]
}

// LinearValue returns what a leaf adds for a row of values by feature. The tree must have Linear.
func (t *Tree) LinearValue(leaf int, values []float64) float64 {
	l := t.Linear
	lo, hi := l.Ptrs[leaf], l.Ptrs[leaf+1]
	v := l.Const[leaf]
	for i := lo; i < hi; i++ {
		v += float64(l.Coef[i] * float64(float32(values[l.Feature[i]])))
	}
	if lo == hi || v-v != 0 {
		return t.Leaf[leaf]
	}
	return v
}

// OnFeatures returns the models over features with other numbers, given by old number. All else that stays is shared.
func (l *Linear) OnFeatures(number []int32) *Linear {
	out := *l
	out.Feature, out.Coef = slices.Clone(l.Feature), slices.Clone(l.Coef)
	for i, f := range out.Feature {
		out.Feature[i] = number[f]
	}
	for leaf := range l.Const {
		lo, hi := int(l.Ptrs[leaf]), int(l.Ptrs[leaf+1])
		for i := lo + 1; i < hi; i++ { // few, and mostly in order
			for j := i; j > lo && out.Feature[j] < out.Feature[j-1]; j-- {
				out.Feature[j], out.Feature[j-1] = out.Feature[j-1], out.Feature[j]
				out.Coef[j], out.Coef[j-1] = out.Coef[j-1], out.Coef[j]
			}
		}
	}
	return &out
}

// InOrder returns the models of leaves in another order, given by old numbers.
func (l *Linear) InOrder(leaves []int32) *Linear {
	out := &Linear{Ptrs: make([]uint32, 1, len(l.Ptrs)), Feature: make([]int32, 0, len(l.Feature)), Coef: make([]float64, 0, len(l.Coef)), Const: make([]float64, 0, len(l.Const))}
	for _, old := range leaves {
		lo, hi := l.Ptrs[old], l.Ptrs[old+1]
		out.Feature, out.Coef = append(out.Feature, l.Feature[lo:hi]...), append(out.Coef, l.Coef[lo:hi]...)
		out.Const, out.Ptrs = append(out.Const, l.Const[old]), append(out.Ptrs, uint32(len(out.Feature)))
	}
	return out
}

// Equal reports whether the models are the same.
func (l *Linear) Equal(o *Linear) bool {
	if l == nil || o == nil {
		return l == o
	}
	return slices.Equal(l.Ptrs, o.Ptrs) && slices.Equal(l.Feature, o.Feature) && slices.Equal(l.Coef, o.Coef) && slices.Equal(l.Const, o.Const)
}

// Scale multiplies all that leaves add by a factor.
func (t *Tree) Scale(factor float64) {
	t.each(func(v float64) float64 { return v * factor })
}

// Divide divides all that leaves add.
func (t *Tree) Divide(by float64) {
	t.each(func(v float64) float64 { return v / by })
}

func (t *Tree) each(change func(float64) float64) {
	lists := [3][]float64{t.Leaf}
	if t.Linear != nil {
		lists[1], lists[2] = t.Linear.Coef, t.Linear.Const
	}
	for _, list := range lists {
		for i, v := range list {
			list[i] = change(v)
		}
	}
}

// CloneLeaves returns the tree with leaves of its own; all else is shared.
func (t *Tree) CloneLeaves() *Tree {
	c := *t
	c.Leaf = slices.Clone(t.Leaf)
	if t.Linear != nil {
		l := *t.Linear
		l.Coef, l.Const = slices.Clone(l.Coef), slices.Clone(l.Const)
		c.Linear = &l
	}
	return &c
}

// Constant returns the tree without linear models: leaves add their Leaf. All else is shared.
func (t *Tree) Constant() *Tree {
	c := *t
	c.Linear = nil
	return &c
}

// checkLinear reports whether linear models fit the leaves and features. There is at least one, so that a tree has one form only.
func (t *Tree) checkLinear(features []Feature) error {
	l := t.Linear
	if l == nil {
		return nil
	}
	leaves, n := t.NumLeaves(), len(l.Coef)
	if len(l.Ptrs) != leaves+1 || len(l.Const) != leaves || len(l.Feature) != n || n == 0 {
		return invalid("linear models of %d leaves have %d pointers, %d constants, %d features and %d coefficients", leaves, len(l.Ptrs), len(l.Const), len(l.Feature), n)
	}
	if l.Ptrs[0] != 0 || uint64(l.Ptrs[leaves]) != uint64(n) {
		return invalid("coefficients of leaves run from %d to %d, there are %d", l.Ptrs[0], l.Ptrs[leaves], n)
	}
	for leaf := range leaves {
		lo, hi := l.Ptrs[leaf], l.Ptrs[leaf+1]
		if hi < lo || uint64(hi) > uint64(n) {
			return invalid("coefficients of leaf %d run from %d to %d", leaf, lo, hi)
		}
		if v := l.Const[leaf]; math.IsNaN(v) || math.IsInf(v, 0) || lo == hi && v != 0 {
			return invalid("leaf %d has constant %v and %d features", leaf, v, hi-lo)
		}
		for i := lo; i < hi; i++ {
			f := l.Feature[i]
			switch v := l.Coef[i]; {
			case f < 0 || int(f) >= len(features):
				return invalid("leaf %d has feature %d of %d", leaf, f, len(features))
			case features[f].Categorical:
				return invalid("leaf %d has a coefficient of feature %d, which is categorical", leaf, f)
			case i > lo && f <= l.Feature[i-1]:
				return invalid("leaf %d has feature %d after %d", leaf, f, l.Feature[i-1])
			case math.IsNaN(v) || math.IsInf(v, 0):
				return invalid("leaf %d has coefficient %v", leaf, v)
			}
		}
	}
	return nil
}
