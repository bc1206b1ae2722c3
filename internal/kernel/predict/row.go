package predict

import (
	"math"
	"math/bits"
	"unsafe"
)

const (
	// RowFeatures is how many features a Row has room for: their codes stand in two vectors.
	RowFeatures = 32
	// rowCuts is how many cuts of a feature are searched, in two steps of 16.
	rowCuts = 255
	// rowPivots is how many pivots a feature has.
	rowPivots = lanes + rowCuts + 1
	// lanes is how many trees go side by side.
	lanes = 16
	// groupNodes is how many nodes every tree of a group has room for.
	groupNodes = fewLeaves - 1
	// missingLeft marks a test of a node that sends missing values left.
	missingLeft = 1 << 5
)

// Row predicts single rows: values of features in, the sum of the trees of each output
// out. It is immutable.
//
// All nodes of 16 trees are decided side by side, each for its own feature, and every node
// that a row goes right at strikes the leaves of its left side out of the tree's word of
// 32 bits: what remains leads with the row's leaf (Lucchese et al. 2015, QuickScorer).
type Row struct {
	features []int32   // index of each value among the caller's
	regular  []uint32  // codes of present values, per feature
	pivots   []float32 // per feature: every 16th of its cuts, then all, rounded and filled up with +Inf
	cuts     []float64 // per feature: its cuts, filled up with +Inf
	outputs  []forest
}

// RowFeature is what a Row has to know of a feature: Index is its place among the values.
type RowFeature struct {
	Index int32
	Cuts  []float64 // ascending; a value's code is the number of cuts below it
}

// forest is the trees of one output, in groups of 16, the last filled up with trees of no
// nodes.
type forest struct {
	trees  int
	words  []uint32  // per group and node: 16 tests, 16 masks
	leaves []float64 // per tree 32, from left to right, filled up with −0, which changes no sum; first those of no group
}

// A test is Lo<<8 | missingLeft | feature. A code c stands as c<<8 | 255 beside it, so one
// comparison of whole words decides c ≥ Lo, and the test's lowest bits pick its code.

// NewRow makes the Row of trees whose nodes' Column is an index into the features, tree t
// belonging to output t mod outputs. It says no where there are too many features, cuts or
// leaves, where a node is categorical, or where the machine has no vectors for it.
func NewRow(features []RowFeature, trees []Tree, outputs int) (*Row, bool) {
	if !rowVectors() || len(features) > RowFeatures {
		return nil, false
	}
	for i := range trees {
		if len(trees[i].Leaf) > fewLeaves || !trees[i].numeric() {
			return nil, false
		}
	}
	r := &Row{
		pivots: alignedWords[float32](rowPivots * len(features)),
		cuts:   alignedWords[float64]((rowCuts + 1) * len(features)),
	}
	for f := range features {
		r.features = append(r.features, features[f].Index)
		r.regular = append(r.regular, uint32(len(features[f].Cuts))+1)
		if !fillCuts(r.pivots[f*rowPivots:][:rowPivots], r.cuts[f*(rowCuts+1):][:rowCuts+1], features[f].Cuts) {
			return nil, false
		}
	}
	for k := range outputs {
		var own []*Tree
		for t := k; t < len(trees); t += outputs {
			own = append(own, &trees[t])
		}
		r.outputs = append(r.outputs, newForest(own))
	}
	return r, true
}

func (t *Tree) numeric() bool {
	for i := range t.Nodes {
		if t.Nodes[i].Form != Range {
			return false
		}
	}
	return true
}

// alignedWords returns n words in lines of their own.
func alignedWords[T uint32 | float32 | float64](n int) []T {
	size := int(unsafe.Sizeof(T(0)))
	return unsafe.Slice((*T)(unsafe.Pointer(&Aligned(n*size + line)[0])), n)
}

// fillCuts writes each 16th cut and then all, rounded, and all as they are. It says no
// where there are too many, or where two round to the same: rounding keeps the order, so
// that of all cuts only one that rounds to the same as a value can be on either side of it.
func fillCuts(pivots []float32, cuts, given []float64) bool {
	if len(given) > rowCuts {
		return false
	}
	all := pivots[lanes:]
	for i := range cuts {
		cuts[i], all[i] = math.Inf(1), float32(math.Inf(1))
	}
	copy(cuts, given)
	for i, cut := range given {
		all[i] = float32(cut)
		if i > 0 && all[i] == all[i-1] {
			return false
		}
	}
	for i := range lanes {
		pivots[i] = all[i*lanes+lanes-1]
	}
	return true
}

func newForest(trees []*Tree) forest {
	f := forest{trees: len(trees)}
	f.words = alignedWords[uint32](2 * lanes * groupNodes * f.groups())
	for i := range f.words {
		f.words[i] = math.MaxUint32
	}
	f.leaves = alignedWords[float64](fewLeaves * lanes * (1 + f.groups()))
	for i := range f.leaves {
		f.leaves[i] = math.Copysign(0, -1)
	}
	for i, t := range trees {
		w := laneWriter{
			words:  f.words[2*lanes*groupNodes*(i/lanes)+i%lanes:],
			leaves: f.leaves[fewLeaves*(lanes+i):][:0:fewLeaves],
			tree:   t,
		}
		w.add(rootOf(t))
	}
	return f
}

func (f *forest) groups() int { return (f.trees + lanes - 1) / lanes }

func rootOf(t *Tree) int32 {
	if len(t.Nodes) == 0 {
		return ^0
	}
	return 0
}

// laneWriter writes one tree into its lane.
type laneWriter struct {
	words  []uint32
	leaves []float64
	tree   *Tree
}

// add appends the values of a child's leaves, and writes its tests and masks.
func (l *laneWriter) add(child int32) {
	if child < 0 {
		l.leaves = append(l.leaves, l.tree.Leaf[^child])
		return
	}
	n := &l.tree.Nodes[child]
	first := len(l.leaves)
	l.add(n.Left)
	// Leaf i is bit 31 − i: those before the right side's, from first on, are struck out.
	left := ^uint32(0) >> first &^ (^uint32(0) >> len(l.leaves))
	test := n.Lo<<8 | uint32(n.Column)
	if n.Span != -n.Lo {
		test |= missingLeft
	}
	l.words[2*lanes*child] = test
	l.words[2*lanes*child+lanes] = ^left
	l.add(n.Right)
}

// Add adds to sums, one per output, the leaf values of a row, in the order of the trees.
// A NaN among the values is missing.
func (r *Row) Add(values, sums []float64) {
	var codes [2][RowFeatures]uint32
	missing := r.code(values, &codes)
	for k := range r.outputs {
		if f := &r.outputs[k]; f.trees > 0 {
			sums[k] = f.add(&codes, missing, sums[k])
		}
	}
}

// codeInGo writes the words of codes, a second time with missing ones as code 0, and says
// whether there are any: what the vector form does.
func (r *Row) codeInGo(values []float64, codes *[2][RowFeatures]uint32) (missing bool) {
	for f, index := range r.features {
		x := values[index]
		code := uint32(0)
		for _, cut := range r.cuts[f*(rowCuts+1):][:rowCuts] {
			if cut < x {
				code++
			}
		}
		codes[1][f] = code<<8 | 255
		if math.IsNaN(x) {
			code, missing = r.regular[f], true
		}
		codes[0][f] = code<<8 | 255
	}
	return missing
}

// addInGo says what the vector form does.
func (f *forest) addInGo(codes *[2][RowFeatures]uint32, sum float64) float64 {
	for t := range f.trees {
		words := f.words[2*lanes*groupNodes*(t/lanes)+t%lanes:]
		alive := ^uint32(0)
		for node := range groupNodes {
			test := words[2*lanes*node]
			if codes[test&missingLeft/missingLeft][test%RowFeatures] >= test {
				alive &= words[2*lanes*node+lanes]
			}
		}
		sum += f.leaves[fewLeaves*(lanes+t)+bits.LeadingZeros32(alive)]
	}
	return sum
}
