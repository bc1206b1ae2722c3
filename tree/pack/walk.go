package pack

import (
	"math"
	"slices"

	"boost/internal/entropy"
	"boost/tree"
)

// MaxLeaves is how many leaves a tree may have to be packed: one is made at a time of what may be a few bytes.
const MaxLeaves = 1 << 20

// walker goes through trees and codes what it finds, or finds what was coded: the same steps
// write and read.
type walker struct {
	coder    *entropy.Coder
	features []tree.Feature
	outputs  int
	allowed  uint64 // work on sets

	nodes   int     // of all trees
	left    int     // of them, in trees that are to come
	symbols []int32 // features that trees split on, ascending
	place   []int32 // feature → symbol
	bits    int     // of a symbol
	strict  bool    // every split divides only what reaches its node

	contexts contexts
	reach    []reach // by symbol
	setSizes []setSizes
	alike    entropy.Bit    // whether a tree has as many nodes as the one before
	size     entropy.Number // of a tree that has not

	work uint64 // on sets so far
	position
	tally
}

// position is where a walker is.
type position struct {
	index    int    // of the next tree
	previous int    // nodes of the tree before
	output   uint32 // that the tree belongs to
	unmade   int    // nodes of the tree that no parent has yet
	open     int    // children of the tree of which it is not known whether they are leaves
	path     []step
}

// tally counts the bits that are written, by part of a tree.
type tally struct {
	counting bool           // fill parts
	parts    [parts]float64 // bits that were written
	before   float64        // bits at the end of the part before
}

// step is a split node on the path from the root to the node that comes next.
type step struct {
	node, symbol uint32
	children     uint8   // that the walk has entered
	leaf         [2]bool // whether the left and the right child is one
	low, high    uint32  // codes of the feature that reach the node, if numeric
}

// tree walks a tree: in canonical order, which a tree to be written has.
func (w *walker) tree(t *tree.Tree) error {
	splits := w.splits(t.NumSplits())
	if splits > w.left {
		return damaged("there are more nodes than %d", w.nodes)
	}
	if splits >= MaxLeaves && w.coder.Reading() {
		return damaged("a tree has more than %d leaves", MaxLeaves)
	}
	w.left -= splits
	w.output = uint32(w.index % w.outputs)
	w.index++
	if w.coder.Reading() {
		shape(t, splits)
	}
	w.unmade, w.open = splits-1, 2
	leaf := int32(0)
	for node := range int32(splits) {
		if err := w.node(t, node); err != nil {
			return err
		}
		leaf = w.advance(t, node+1, leaf)
	}
	return nil
}

// splits codes how many nodes a tree has.
func (w *walker) splits(n int) int {
	if w.alike.Code(w.coder, bit(n == w.previous)) == 0 {
		w.previous = int(min(w.size.Code(w.coder, uint64(n)), math.MaxInt32))
	}
	w.spent(partShape)
	return w.previous
}

// shape gives a tree room for its nodes, in the memory that it has if that is enough.
func shape(t *tree.Tree, splits int) {
	t.Feature, t.Code = sized(t.Feature, splits), sized(t.Code, splits)
	t.Categorical, t.MissingLeft = sized(t.Categorical, splits), sized(t.MissingLeft, splits)
	t.Left, t.Right = sized(t.Left, splits), sized(t.Right, splits)
	t.Leaf = sized(t.Leaf, splits+1)
	t.SetPtrs, t.Sets = t.SetPtrs[:0], t.Sets[:0]
	t.Gain, t.Cover, t.LeafCover = t.Gain[:0], t.Cover[:0], t.LeafCover[:0]
}

func sized[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// node codes a split node, all but the numbers of its children, and goes there.
func (w *walker) node(t *tree.Tree, n int32) error {
	depth := uint32(len(w.path))
	parent := uint32(0) // its symbol and one, of the root 0
	if depth > 0 {
		parent = w.path[depth-1].symbol + 1
	}
	symbol := uint32(0)
	if !w.coder.Reading() {
		symbol = uint32(w.place[t.Feature[n]])
	}
	symbol = w.feature(symbol, parent, depth)
	feature := w.symbols[symbol]
	categorical := w.features[feature].Categorical
	t.Feature[n], t.Categorical[n] = feature, categorical
	w.spent(partFeature)
	r := &w.reach[symbol]
	at := step{node: uint32(n), symbol: symbol, low: r.low, high: r.high}
	fifteenth := uint32(0) // where a numeric node divides the codes that reach it, from 1 to 16
	if categorical {
		if err := w.set(t, n, symbol); err != nil {
			return err
		}
		w.spent(partSets)
	} else {
		t.Code[n] = w.code(t.Code[n], symbol, parent, depth)
		fifteenth = 1 + (t.Code[n]-r.low)*15/max(r.high-r.low, 1)
		w.spent(partCode)
	}
	at.leaf[0] = w.leaf(t.Left[n] < 0, 0, depth, symbol, fifteenth)
	kind := uint32(1)
	if at.leaf[0] {
		kind = 2
	}
	at.leaf[1] = w.leaf(t.Right[n] < 0, kind, depth, symbol, fifteenth)
	w.spent(partShape)
	t.MissingLeft[n] = w.direction(t.MissingLeft[n], symbol, fifteenth, bit(at.leaf[0])|bit(at.leaf[1])<<1)
	w.spent(partDirection)
	w.path = append(w.path, at)
	return nil
}

// advance goes on to where the next node is, back to the root where there is none, and
// numbers the children on its way. It returns the number of the leaf that comes next.
func (w *walker) advance(t *tree.Tree, next, leaf int32) int32 {
	for len(w.path) > 0 {
		at := &w.path[len(w.path)-1]
		if at.children > 0 {
			w.leave(t, at)
		}
		if at.children == 2 {
			w.path = w.path[:len(w.path)-1]
			continue
		}
		side := at.children
		at.children++
		w.enter(t, at)
		child := &t.Left[at.node]
		if side == 1 {
			child = &t.Right[at.node]
		}
		if !at.leaf[side] {
			*child = next
			break
		}
		*child = ^leaf
		leaf++
	}
	return leaf
}

// spent counts what was written since the part before.
func (w *walker) spent(part int) {
	if !w.counting {
		return
	}
	now := w.coder.Bits()
	w.parts[part] += now - w.before
	w.before = now
}

func bit(is bool) uint32 {
	if is {
		return 1
	}
	return 0
}
