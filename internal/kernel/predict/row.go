package predict

import (
	"math"
	"unsafe"

	"boost/internal/cpu"
)

const (
	// RowFeatures is how many features a Row has room for: their codes stand in 8 tables of
	// 16, of which each byte of a vector can look up one.
	RowFeatures = 128
	// fewFeatures is how many stand in two tables.
	fewFeatures = 32
	// rowCuts is how many cuts of a feature are searched, in two steps of 16. A code behind
	// all cuts is below 255, that of missing values.
	rowCuts = 254
	sixteen = 16
	// lanes is how many trees go side by side.
	lanes = 64
	// placeBytes is what a place takes: four bytes of each tree.
	placeBytes = 4 * lanes
)

// The bytes of a place, one of each tree.
const (
	featureAt = 0         // the node's feature, see forest.feature
	codeAt    = lanes     // the least code that goes right
	firstAt   = 2 * lanes // the first leaf of the node's left side; noNode where there is no node
	missingAt = 3 * lanes // 255 where missing values go left
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
	features []int32   // index of each value among the caller's
	blocks   []uint32  // where each feature's first block of pivots begins, in bytes
	pivots   []float32 // blocks of 16; per feature: every 16th of its cuts, then all, rounded and filled up with +Inf
	cuts     []float64 // the same blocks in full; those of every 16th are not used
	outputs  []forest
}

// RowFeature is what a Row has to know of a feature: Index is its place among the values.
type RowFeature struct {
	Index int32
	Cuts  []float64 // ascending; a value's code is the number of cuts below it
}

// usedCuts is which cuts of a feature the trees compare with: a Row has codes of its own,
// which count only these.
type usedCuts struct {
	is   []bool
	rank []uint8 // of each cut, how many used ones are below it, behind the last of all
}

// forest is the trees of one output, in groups of 64.
type forest struct {
	trees  int
	many   bool      // the features stand in 8 tables, else in two
	stride int       // leaves that each tree has room for
	places []uint64  // of each group
	bytes  []uint8   // of the places of all groups, see featureAt
	leaves []float64 // of all trees, from left to right
}

// rowCodes are a row's codes: missing ones as 255, then as 0, on the right and on the left
// of every node.
type rowCodes [2][RowFeatures]uint8

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
	total := 0
	own := make([][]float64, len(features))
	for f := range features {
		own[f] = used[f].of(features[f].Cuts)
		if len(own[f]) > rowCuts {
			return nil, false
		}
		r.features = append(r.features, features[f].Index)
		r.blocks = append(r.blocks, uint32(4*sixteen*total))
		total += 1 + blocksOf(own[f])
	}
	r.pivots, r.cuts = alignedWords[float32](sixteen*total), alignedWords[float64](sixteen*total)
	for f := range own {
		first := int(r.blocks[f]) / 4
		size := sixteen * (1 + blocksOf(own[f]))
		fillCuts(r.pivots[first:][:size], r.cuts[first:][:size], own[f])
	}
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

// of returns the used ones of a feature's cuts, and ranks all. A node that sends all present
// values left compares with none, behind the last.
func (u *usedCuts) of(cuts []float64) (list []float64) {
	u.rank = make([]uint8, len(u.is))
	for i := range u.is {
		u.rank[i] = uint8(min(len(list), rowCuts))
		if i < len(cuts) && u.is[i] {
			list = append(list, cuts[i])
		}
	}
	return list
}

// blocksOf returns how many blocks hold cuts and a +Inf behind them.
func blocksOf(cuts []float64) int { return len(cuts)/sixteen + 1 }

// alignedWords returns n words in lines of their own.
func alignedWords[T float32 | float64](n int) []T {
	size := int(unsafe.Sizeof(T(0)))
	return unsafe.Slice((*T)(unsafe.Pointer(&Aligned(n*size + line)[0])), n)
}

// fillCuts writes the blocks of a feature. Rounding keeps the order, so that only cuts that
// round to the same as a value can be on either side of it.
func fillCuts(pivots []float32, cuts, given []float64) {
	for i := range pivots {
		pivots[i], cuts[i] = float32(math.Inf(1)), math.Inf(1)
	}
	for i, cut := range given {
		pivots[sixteen+i], cuts[sixteen+i] = float32(cut), cut
	}
	// The last block has no next that a value could belong to.
	for i := range len(pivots)/sixteen - 2 {
		pivots[i] = pivots[sixteen+sixteen*i+sixteen-1]
	}
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
	f.bytes = Aligned(placeBytes * total)
	f.leaves = alignedWords[float64](f.stride * len(trees))
	bytes := f.bytes
	for g, places := range f.places {
		own := bytes[:placeBytes*places]
		bytes = bytes[len(own):]
		for p := 0; p < len(own); p += placeBytes {
			for lane := range lanes {
				own[p+firstAt+lane] = noNode
			}
		}
		for t := g * lanes; t < min((g+1)*lanes, len(trees)); t++ {
			w := laneWriter{forest: &f, places: own, lane: t % lanes, leaves: f.leaves[t*f.stride:][:0:f.stride], tree: trees[t], used: used}
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

// feature returns how a place names a feature: with two tables bit 7 is for the second, so
// that a look-up in the first gives 0.
func (f *forest) feature(column int32) uint8 {
	if !f.many && column >= sixteen {
		return uint8(column-sixteen) | 1<<7
	}
	return uint8(column)
}

// column is the way back.
func (f *forest) column(feature uint8) uint8 {
	if !f.many {
		return feature&(sixteen-1) | feature>>7*sixteen
	}
	return feature
}

// laneWriter writes one tree into its lane.
type laneWriter struct {
	forest *forest
	places []uint8
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
	place := l.places[placeBytes*(len(l.leaves)-1)+l.lane:]
	place[featureAt], place[codeAt], place[firstAt] = l.forest.feature(n.Column), l.used[n.Column].rank[n.Lo-1]+1, uint8(first)
	if n.Span != -n.Lo {
		place[missingAt] = math.MaxUint8
	}
	l.add(n.Right)
}

// Add adds to sums, one per output, the leaf values of a row, in the order of the trees.
// A NaN among the values is missing. cpu.Generic and the Sets of the machine give the same.
func (r *Row) Add(set cpu.Level, values, sums []float64) {
	var codes rowCodes
	missing := r.code(values, &codes, set)
	for k := range r.outputs {
		if f := &r.outputs[k]; f.trees > 0 {
			sums[k] = f.add(&codes, missing, sums[k], set)
		}
	}
}

// codeInGo writes the codes, and says whether any value is missing: what the vector forms do.
func (r *Row) codeInGo(values []float64, codes *rowCodes) (missing bool) {
	for f, index := range r.features {
		x := values[index]
		code := uint8(0)
		for _, cut := range r.cuts[r.blocks[f]/4+sixteen:] {
			if !(cut < x) {
				break
			}
			code++
		}
		codes[0][f], codes[1][f] = code, code
		if math.IsNaN(x) {
			codes[0][f], missing = math.MaxUint8, true
		}
	}
	return missing
}

// addInGo says what the vector forms do.
func (f *forest) addInGo(codes *rowCodes, sum float64) float64 {
	bytes := f.bytes
	for g, places := range f.places {
		for t := g * lanes; t < min((g+1)*lanes, f.trees); t++ {
			leaf := 0
			for p := range int(places) {
				place := bytes[placeBytes*p+t%lanes:]
				code := codes[place[missingAt]&1][f.column(place[featureAt])]
				if code >= place[codeAt] && leaf >= int(place[firstAt]) {
					leaf = p + 1
				}
			}
			sum += f.leaves[t*f.stride+leaf]
		}
		bytes = bytes[placeBytes*places:]
	}
	return sum
}
