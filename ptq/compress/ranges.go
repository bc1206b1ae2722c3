package compress

import (
	"math"

	"boost/booster/model"
	"boost/tree"
)

// ranges say what the rows of each leaf of a pruned model had in the whole one, so that a
// bound of raw scores needs no data (S3.60): a row that a leaf of the pruned tree takes
// reached in the whole tree one of the leaves that the two can share.
type ranges struct {
	outputs int
	trees   []leafRange // by tree of the pruned model
	rest    []span      // by output: what the trees that are gone gave, less what the base score took over
}

// leafRange is by leaf of a pruned tree, in canonical order, the values of the whole tree's
// leaves that rows of it reach; no row reaches one whose range is empty.
type leafRange []span

// span is an interval of real numbers; empty where low > high.
type span struct{ low, high float64 }

var empty = span{math.Inf(1), math.Inf(-1)}

// and returns the span of both.
func (s span) and(t span) span { return span{min(s.low, t.low), max(s.high, t.high)} }

// plus returns the span of sums, rounded outwards.
func (s span) plus(t span) span {
	return span{math.Nextafter(s.low+t.low, math.Inf(-1)), math.Nextafter(s.high+t.high, math.Inf(1))}
}

// less returns the span less a number, rounded outwards.
func (s span) less(v float64) span { return s.plus(span{-v, -v}) }

// rangesOf compares a pruned model with the whole one. rounds are the numbers that its rounds
// have there. Both have the same cuts.
func rangesOf(whole, pruned *model.Model, rounds []int) *ranges {
	a, b := whole.Contents(), pruned.Contents()
	r := &ranges{outputs: a.Outputs, rest: make([]span, a.Outputs)}
	for k := range r.rest {
		r.rest[k] = span{a.BaseScore[k], a.BaseScore[k]}.less(b.BaseScore[k])
	}
	o := overlap{reach: newReach(model.Features(a.Cuts))}
	at := 0
	for round := range a.BestRound {
		kept := at < len(rounds) && rounds[at] == round
		for k := range a.Outputs {
			t := &a.Trees[round*a.Outputs+k]
			if kept {
				r.trees = append(r.trees, o.ranges(t, &b.Trees[at*a.Outputs+k]))
				continue
			}
			all := empty
			for _, v := range t.Leaf {
				all = all.and(span{v, v})
			}
			r.rest[k] = r.rest[k].plus(all)
		}
		if kept {
			at++
		}
	}
	return r
}

// bound returns for each output what no raw score of the whole model is away by more from one
// of the pruned model with these leaf values, where scores are sums of real numbers: every tree
// is off by a number of a span, and the sum over the trees by one of the sum of these.
func (r *ranges) bound(values []float64) []float64 {
	sums := append([]span(nil), r.rest...)
	for i, leaves := range r.trees {
		off := empty
		for l, old := range leaves {
			if old.low <= old.high {
				off = off.and(old.less(values[l]))
			}
		}
		values = values[len(leaves):]
		sums[i%r.outputs] = sums[i%r.outputs].plus(off)
	}
	out := make([]float64, r.outputs)
	for k, s := range sums {
		out[k] = max(math.Abs(s.low), math.Abs(s.high))
	}
	return out
}

// overlap finds the pairs of leaves of two trees that one row can reach.
type overlap struct{ reach *reach }

// ranges returns those of a tree that was pruned.
func (o *overlap) ranges(whole, pruned *tree.Tree) leafRange {
	number := make([]int, 0, pruned.NumLeaves()) // of a leaf in canonical order
	number = number[:cap(number)]
	count := 0
	inOrder(pruned, rootOf(pruned), func(leaf int32) {
		number[leaf] = count
		count++
	})
	out := make(leafRange, count)
	for i := range out {
		out[i] = empty
	}
	o.leaves(whole, rootOf(whole), func(l int32) {
		v := whole.Leaf[l]
		o.leaves(pruned, rootOf(pruned), func(p int32) { out[number[p]] = out[number[p]].and(span{v, v}) })
	})
	return out
}

// leaves visits the leaves below a child reference that a row can reach.
func (o *overlap) leaves(t *tree.Tree, c int32, visit func(leaf int32)) {
	if c < 0 {
		visit(^c)
		return
	}
	var set []uint32
	if t.Categorical[c] {
		set = t.Set(int(c))
	}
	left, right := o.reach.sides(t.Feature[c], t.Code[c], set, t.MissingLeft[c])
	at := &o.reach.codes[t.Feature[c]]
	all := *at
	if !left.none() {
		*at = left
		o.leaves(t, t.Left[c], visit)
	}
	if !right.none() {
		*at = right
		o.leaves(t, t.Right[c], visit)
	}
	*at = all
}

// inOrder visits all leaves below a child reference, left before right.
func inOrder(t *tree.Tree, c int32, visit func(leaf int32)) {
	if c < 0 {
		visit(^c)
		return
	}
	inOrder(t, t.Left[c], visit)
	inOrder(t, t.Right[c], visit)
}
