package tree

import (
	"bufio"
	"io"
	"math"
	"strconv"
)

// Dump writes the tree as indented text, one line per node in the order of a walk
// that goes left first: the condition under which a row goes left, then both sides.
// condition returns the words for a split node, name those for a feature; nil writes features and codes by
// number. A leaf with a linear model has its formula behind the value that rows with a missing value get. The tree must be valid.
//
//	node 0: x ≤ 1.5 or missing  gain 10 cover 8
//	  yes: leaf 0 = 0.5  cover 3
//	  no: node 1: color in {red}  gain 2.5 cover 5
//	    yes: leaf 1 = -0.25  cover 4
//	    no: leaf 2 = 1, linear: 0.5 + 2·x  cover 1
func (t *Tree) Dump(w io.Writer, condition func(node int) string, name func(feature int) string) error {
	if condition == nil {
		condition = t.condition
	}
	if name == nil {
		name = func(feature int) string { return "feature " + strconv.Itoa(feature) }
	}
	b := bufio.NewWriter(w)
	if t.NumSplits() == 0 {
		t.dumpLeaf(b, 0, name)
		return b.Flush()
	}
	// A stack of its own, since a tree can be as deep as it has nodes.
	type line struct {
		child, depth int32
		side         string
	}
	stack := []line{{}}
	for len(stack) > 0 {
		l := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for range l.depth {
			b.WriteString("  ")
		}
		b.WriteString(l.side)
		if l.child < 0 {
			t.dumpLeaf(b, int(^l.child), name)
			continue
		}
		n := int(l.child)
		b.WriteString("node " + strconv.Itoa(n) + ": " + condition(n))
		if !t.NoStatistics() {
			b.WriteString("  gain " + strconv.FormatFloat(float64(t.Gain[n]), 'g', -1, 32) + " cover " + number(t.Cover[n]))
		}
		b.WriteString("\n")
		stack = append(stack, line{t.Right[n], l.depth + 1, "no: "}, line{t.Left[n], l.depth + 1, "yes: "})
	}
	return b.Flush()
}

func (t *Tree) dumpLeaf(b *bufio.Writer, leaf int, name func(feature int) string) {
	b.WriteString("leaf " + strconv.Itoa(leaf) + " = " + number(t.Leaf[leaf]))
	if features := t.LeafFeatures(leaf); len(features) > 0 {
		b.WriteString(", linear: " + number(t.Linear.Const[leaf]))
		for i, f := range features {
			c := t.Linear.Coef[int(t.Linear.Ptrs[leaf])+i]
			sign := " + "
			if math.Signbit(c) {
				sign = " − "
			}
			b.WriteString(sign + number(math.Abs(c)) + "·" + name(int(f)))
		}
	}
	if !t.NoStatistics() {
		b.WriteString("  cover " + number(t.LeafCover[leaf]))
	}
	b.WriteString("\n")
}

// condition words a split by feature index and codes.
func (t *Tree) condition(n int) string {
	feature := "feature " + strconv.Itoa(int(t.Feature[n]))
	missing := ""
	if t.MissingLeft[n] {
		missing = " or missing"
	}
	if !t.Categorical[n] {
		return feature + " code ≤ " + strconv.FormatUint(uint64(t.Code[n]), 10) + missing
	}
	text := []byte(feature + " code in {")
	for i, c := range t.Set(n) {
		if i > 0 {
			text = append(text, ", "...)
		}
		text = strconv.AppendUint(text, uint64(c), 10)
	}
	return string(text) + "}" + missing
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
