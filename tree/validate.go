package tree

import (
	"errors"
	"fmt"
	"math"
)

// ErrInvalid is wrapped by every error of Validate.
var ErrInvalid = errors.New("invalid tree")

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// Validate checks that the arrays describe one binary tree over the features: array
// lengths agree, every split node but the root and every leaf has exactly one parent
// with a lower number, features, codes and sets are in range, and all numbers are
// finite. Walks of a tree that passes end at a leaf for any codes. Errors wrap
// ErrInvalid and name the node.
func (t *Tree) Validate(features []Feature) error {
	for _, check := range []func() error{t.checkLengths, t.checkChildren, t.checkSetPtrs, t.checkNumbers} {
		if err := check(); err != nil {
			return err
		}
	}
	if err := t.checkSplits(features); err != nil {
		return err
	}
	return t.checkLinear(features)
}

func (t *Tree) checkLengths() error {
	splits, leaves := t.NumSplits(), t.NumLeaves()
	if leaves != splits+1 {
		return invalid("%d split nodes need %d leaves, not %d", splits, splits+1, leaves)
	}
	if splits > math.MaxInt32-1 {
		return invalid("%d split nodes are more than a child reference can count", splits)
	}
	statistics := 1
	if t.NoStatistics() {
		statistics = 0
	}
	for _, a := range []struct {
		name      string
		got, want int
	}{
		{"Code", len(t.Code), splits},
		{"Categorical", len(t.Categorical), splits},
		{"MissingLeft", len(t.MissingLeft), splits},
		{"Left", len(t.Left), splits},
		{"Right", len(t.Right), splits},
		{"Gain", len(t.Gain), statistics * splits},
		{"Cover", len(t.Cover), statistics * splits},
		{"LeafCover", len(t.LeafCover), statistics * leaves},
	} {
		if a.got != a.want {
			return invalid("%s has %d entries instead of %d", a.name, a.got, a.want)
		}
	}
	return nil
}

// checkChildren needs no search for cycles: a child's number is higher than its
// parent's, and 2S references that are all different and in range reach the S-1
// nodes and S+1 leaves once each.
func (t *Tree) checkChildren() error {
	splits := t.NumSplits()
	seenSplit, seenLeaf := make([]bool, splits), make([]bool, t.NumLeaves())
	for n := range splits {
		for _, c := range [2]int32{t.Left[n], t.Right[n]} {
			seen, number, kind := seenSplit, int(c), "node"
			if c < 0 {
				seen, number, kind = seenLeaf, int(^c), "leaf"
			}
			switch {
			case number >= len(seen):
				return invalid("node %d has child %s %d, but there are only %d", n, kind, number, len(seen))
			case c >= 0 && number <= n:
				return invalid("node %d has child node %d: a child's number must be higher", n, number)
			case seen[number]:
				return invalid("%s %d has two parents, one is node %d", kind, number, n)
			}
			seen[number] = true
		}
	}
	return nil
}

func (t *Tree) checkSetPtrs() error {
	if len(t.SetPtrs) == 0 {
		if len(t.Sets) != 0 {
			return invalid("Sets has %d codes but SetPtrs is empty", len(t.Sets))
		}
		return nil
	}
	if t.SetPtrs[0] != 0 {
		return invalid("SetPtrs starts at %d instead of 0", t.SetPtrs[0])
	}
	for s := range t.NumSets() {
		if t.SetPtrs[s+1] < t.SetPtrs[s] {
			return invalid("set %d ends at %d, before its start %d", s, t.SetPtrs[s+1], t.SetPtrs[s])
		}
	}
	if end := t.SetPtrs[t.NumSets()]; uint64(end) != uint64(len(t.Sets)) {
		return invalid("SetPtrs ends at %d, Sets has %d codes", end, len(t.Sets))
	}
	return nil
}

func (t *Tree) checkNumbers() error {
	for i, v := range t.Leaf {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return invalid("leaf %d has value %v", i, v)
		}
	}
	for i, g := range t.Gain {
		if math.IsNaN(float64(g)) || math.IsInf(float64(g), 0) {
			return invalid("node %d has gain %v", i, g)
		}
	}
	for i, c := range t.Cover {
		if !(c >= 0) || math.IsInf(c, 0) {
			return invalid("node %d has cover %v", i, c)
		}
	}
	for i, c := range t.LeafCover {
		if !(c >= 0) || math.IsInf(c, 0) {
			return invalid("leaf %d has cover %v", i, c)
		}
	}
	return nil
}

func (t *Tree) checkSplits(features []Feature) error {
	used := make([]bool, t.NumSets())
	for n := range t.NumSplits() {
		f := t.Feature[n]
		if f < 0 || int(f) >= len(features) {
			return invalid("node %d splits on feature %d of %d", n, f, len(features))
		}
		if t.Categorical[n] != features[f].Categorical {
			return invalid("node %d is %s, its feature %d is %s", n, kindName(t.Categorical[n]), f, kindName(features[f].Categorical))
		}
		if !t.Categorical[n] {
			if t.Code[n] >= features[f].Regular {
				return invalid("node %d splits feature %d after code %d, but its codes end at %d", n, f, t.Code[n], int64(features[f].Regular)-1)
			}
			continue
		}
		if uint64(t.Code[n]) >= uint64(len(used)) {
			return invalid("node %d names category set %d of %d", n, t.Code[n], len(used))
		}
		if used[t.Code[n]] {
			return invalid("category set %d belongs to two nodes, one is node %d", t.Code[n], n)
		}
		used[t.Code[n]] = true
		if err := checkSet(t.Set(n), features[f].Regular); err != nil {
			return fmt.Errorf("%w of node %d on feature %d", err, n, f)
		}
	}
	for s, u := range used {
		if !u {
			return invalid("category set %d belongs to no node", s)
		}
	}
	return nil
}

func checkSet(set []uint32, regular uint32) error {
	for i, c := range set {
		if i > 0 && c <= set[i-1] {
			return invalid("code %d follows code %d in the set", c, set[i-1])
		}
		if c >= regular {
			return invalid("code %d is above the last code %d in the set", c, int64(regular)-1)
		}
	}
	return nil
}

func kindName(categorical bool) string {
	if categorical {
		return "categorical"
	}
	return "numeric"
}
