package predict

import (
	"math"

	"boost/internal/cpu"
)

const (
	// RowFeatures is how many features a Row has room for: their codes stand in 8 tables of
	// 16, or 4 of 32, of which vectors look up bytes.
	RowFeatures = 128
	// fewFeatures is how many stand in two tables of 16.
	fewFeatures = 32
	// lanes is how many trees go side by side.
	lanes = 64
	// placeBytes is what a place takes: three bytes of each tree.
	placeBytes = 3 * lanes
)

// The bytes of a place, one of each tree.
const (
	featureAt = 0         // the node's feature, see forest.feature
	codeAt    = lanes     // the least code that goes right
	firstAt   = 2 * lanes // the first leaf of the node's left side; noNode where there is no node
)

// noNode is no leaf that nodes to the right of a place have before them.
const noNode = 255

// Row predicts single rows: values of features in, the sum of the trees of each output
// out. It is immutable.
//
// The leaves of a tree have numbers from left to right, and the node whose left side ends with
// leaf p has place p. A row is taken through the places from left to right, whatever its
// way, and has a leaf that is not yet ruled out, 0 at first. A node where it goes right rules out its
// left side, leaves first … p: where that holds the row's leaf, the next that may be is
// p+1, since no node so far has ruled out any leaf behind p. So one comparison of the code and one of
// the leaf decide a node, and no tree needs more than a byte (the leaves that are ruled out are those
// of Lucchese et al. 2015, QuickScorer, which keeps a bit for each).
type Row struct {
	search  search
	outputs []forest
}

// RowFeature is what a Row has to know of a feature: Index is its place among the values.
type RowFeature struct {
	Index int32
	Cuts  []float64 // ascending; a value's code is the number of cuts below it
}

// forest is the trees of one output, in groups of 64.
type forest struct {
	trees  int
	many   bool      // there is room for RowFeatures, else for fewFeatures
	stride int       // leaves that each tree has room for
	places []uint64  // of each group
	bytes  []uint8   // of the places of all groups, see featureAt
	lefts  []uint8   // a code of each place that goes left all the same: 255 where missing values do, else 0
	leaves []float64 // of all trees, from left to right
}

// rowCodes are a row's codes, 255 where the value is missing.
type rowCodes [RowFeatures]uint8

// NewRow makes the Row of trees whose nodes' Column is an index into the features, tree t
// belonging to output t mod outputs. It says no where there are too many features, cuts or
// leaves, or where a node is categorical.
func NewRow(features []RowFeature, trees []Tree, outputs int) (*Row, bool) {
	if len(features) > RowFeatures {
		return nil, false
	}
	used := make([]usedCuts, len(features))
	for f := range used {
		used[f].is = make([]bool, len(features[f].Cuts)+1)
	}
	for i := range trees {
		if len(trees[i].Leaf) > maxLeaves || !trees[i].markCuts(used) {
			return nil, false
		}
	}
	r := &Row{}
	own := make([][]float64, len(features))
	for f := range features {
		if own[f] = used[f].of(features[f].Cuts); len(own[f]) > rowCuts {
			return nil, false
		}
	}
	r.search = newSearch(features, own)
	for k := range outputs {
		var mine []*Tree
		for t := k; t < len(trees); t += outputs {
			mine = append(mine, &trees[t])
		}
		r.outputs = append(r.outputs, newForest(mine, used, len(features) > fewFeatures))
	}
	return r, true
}

// markCuts marks the cuts that the tree compares with. It says no where a node is categorical.
func (t *Tree) markCuts(used []usedCuts) bool {
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Form != Range || int(n.Lo) > len(used[n.Column].is) {
			return false
		}
		used[n.Column].is[n.Lo-1] = true
	}
	return true
}

func newForest(trees []*Tree, used []usedCuts, many bool) forest {
	f := forest{trees: len(trees), many: many}
	total := 0
	for lo := 0; lo < len(trees); lo += lanes {
		places := 0
		for _, t := range trees[lo:min(lo+lanes, len(trees))] {
			f.stride, places = max(f.stride, len(t.Leaf)), max(places, len(t.Leaf)-1)
		}
		f.places = append(f.places, uint64(places))
		total += places
	}
	f.bytes, f.lefts = Aligned(placeBytes*total), Aligned(lanes*total)
	f.leaves = alignedWords[float64](f.stride * len(trees))
	bytes, lefts := f.bytes, f.lefts
	for g, places := range f.places {
		own, ownLefts := bytes[:placeBytes*places], lefts[:lanes*places]
		bytes, lefts = bytes[len(own):], lefts[len(ownLefts):]
		for p := 0; p < len(own); p += placeBytes {
			for lane := range lanes {
				own[p+firstAt+lane] = noNode
			}
		}
		for t := g * lanes; t < min((g+1)*lanes, len(trees)); t++ {
			w := laneWriter{forest: &f, places: own, lefts: ownLefts, lane: t % lanes, leaves: f.leaves[t*f.stride:][:0:f.stride], tree: trees[t], used: used}
			w.add(rootOf(trees[t]))
		}
	}
	return f
}

func rootOf(t *Tree) int32 {
	if len(t.Nodes) == 0 {
		return ^0
	}
	return 0
}

// feature returns how a place names a feature: bit 7 is for the second half of those that
// there is room for, so that a look-up of its byte among the codes of the first gives 0.
func (f *forest) feature(column int32) uint8 {
	half := f.half()
	return uint8(column)%half | uint8(column)/half<<7
}

// column is the way back.
func (f *forest) column(feature uint8) uint8 {
	return feature%(1<<7) + feature>>7*f.half()
}

func (f *forest) half() uint8 {
	if f.many {
		return RowFeatures / 2
	}
	return fewFeatures / 2
}

// laneWriter writes one tree into its lane.
type laneWriter struct {
	forest *forest
	places []uint8
	lefts  []uint8
	lane   int
	leaves []float64
	tree   *Tree
	used   []usedCuts
}

// add appends the values of a child's leaves, and writes its nodes.
func (l *laneWriter) add(child int32) {
	if child < 0 {
		l.leaves = append(l.leaves, l.tree.Leaf[^child])
		return
	}
	n := &l.tree.Nodes[child]
	first := len(l.leaves)
	l.add(n.Left)
	p := len(l.leaves) - 1
	place := l.places[placeBytes*p+l.lane:]
	place[featureAt], place[codeAt], place[firstAt] = l.forest.feature(n.Column), l.used[n.Column].rank[n.Lo-1]+1, uint8(first)
	if n.Span != -n.Lo {
		l.lefts[lanes*p+l.lane] = math.MaxUint8
	}
	l.add(n.Right)
}

// Add adds to sums, one per output, the leaf values of a row, in the order of the trees.
// A NaN among the values is missing. cpu.Generic and the Sets of the machine give the same.
func (r *Row) Add(set cpu.Level, values, sums []float64) {
	var codes rowCodes
	missing := r.search.code(values, &codes, set)
	for k := range r.outputs {
		if f := &r.outputs[k]; f.trees > 0 {
			sums[k] = f.add(&codes, missing, sums[k], set)
		}
	}
}

// addInGo says what the vector forms do.
func (f *forest) addInGo(codes *rowCodes, sum float64) float64 {
	bytes, lefts := f.bytes, f.lefts
	for g, places := range f.places {
		for t := g * lanes; t < min((g+1)*lanes, f.trees); t++ {
			leaf := 0
			for p := range int(places) {
				place := bytes[placeBytes*p+t%lanes:]
				code := codes[f.column(place[featureAt])]
				if code >= place[codeAt] && code != lefts[lanes*p+t%lanes] && leaf >= int(place[firstAt]) {
					leaf = p + 1
				}
			}
			sum += f.leaves[t*f.stride+leaf]
		}
		bytes, lefts = bytes[placeBytes*places:], lefts[lanes*places:]
	}
	return sum
}
