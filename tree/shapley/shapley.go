package shapley

import (
	"slices"

	"boost/tree"
)

// Tree is a tree ready to be divided. It is immutable.
//
// The game of a row (Lundberg et al. 2018, "Consistent Individualized Feature Attribution for Tree Ensembles"): where features
// S are known, the row goes the way of their splits, and both ways at the splits of others, in the shares of their covers. So a
// leaf adds
//
//	value · Π follows(j) over j in S · Π share(j) over the other features j on the way to it,
//
// where follows(j) is 1 if all splits of feature j on the way send the row along it, else 0, and share(j) is the product of the
// shares of these splits. The Shapley value of feature i in this product is (Owen 1972, its multilinear extension)
//
//	value · (follows(i) − share(i)) · ∫ Π (t·follows(j) + (1−t)·share(j)) over j ≠ i dt, t from 0 to 1.
//
// The integrand is a polynomial of t whose degree is the number of other features, so a quadrature of half as many nodes is
// exact. All factors lie between 0 and 1: nothing cancels, however long the way is.
type Tree struct {
	of         *tree.Tree
	leftShare  []float64 // per split node: part of its cover that is on the left
	expected   float64
	features   int // of the way that has most, each counted once
	quadrature quadrature
}

// New prepares a tree, which has covers and no linear models. A node without cover sends half of it to either side.
func New(t *tree.Tree) *Tree {
	e := &Tree{of: t, leftShare: make([]float64, t.NumSplits())}
	cover := func(child int32) float64 {
		if child < 0 {
			return max(0, t.LeafCover[^child])
		}
		return max(0, t.Cover[child])
	}
	for n := range e.leftShare {
		left, right := cover(t.Left[n]), cover(t.Right[n])
		if e.leftShare[n] = 0.5; left+right > 0 {
			e.leftShare[n] = left / (left + right)
		}
	}
	if t.NumSplits() == 0 {
		e.expected = t.Leaf[0]
		return e
	}
	e.measure(0, 1, nil)
	e.quadrature = newQuadrature((e.features + 1) / 2)
	return e
}

// measure goes through the tree below a node that is reached with a share of the cover, over splits of the features on the way.
func (e *Tree) measure(child int32, share float64, way []int32) {
	if child < 0 {
		e.expected += float64(share * e.of.Leaf[^child])
		e.features = max(e.features, len(way))
		return
	}
	if f := e.of.Feature[child]; !slices.Contains(way, f) {
		way = append(way[:len(way):len(way)], f)
	}
	e.measure(e.of.Left[child], float64(share*e.leftShare[child]), way)
	e.measure(e.of.Right[child], float64(share*(1-e.leftShare[child])), way)
}

// Expected returns what the tree adds on average over its covers: what it adds to a row of which nothing is known.
func (e *Tree) Expected() float64 { return e.expected }

// Scratch is the memory of Add, for one call at a time and any number of trees.
type Scratch struct {
	way     []feature
	factors []float64 // of entry k of way, by node of the quadrature: k·nodes …
	before  []float64 // products of the factors of the entries before k, the same
	after   []float64 // product of the factors behind an entry, and the weight
	left    []bool
	out     []float64
}

// feature is one that splits on the way ask for.
type feature struct {
	index   int32
	follows bool
	share   float64
}

// Add adds the Shapley values of a row to out, by feature of the model. left says of each split node whether the row goes left
// there. Their sum and Expected are what the tree adds to the row.
func (e *Tree) Add(left []bool, s *Scratch, out []float64) {
	if e.of.NumSplits() == 0 {
		return
	}
	nodes := len(e.quadrature.nodes)
	s.way, s.left, s.out = s.way[:0], left, out
	s.factors, s.before = grown(s.factors, e.features*nodes), grown(s.before, (e.features+1)*nodes)
	s.after = grown(s.after, nodes)
	for q := range nodes {
		s.before[q] = 1
	}
	e.visit(0, s)
}

func grown(s []float64, n int) []float64 { return slices.Grow(s[:0], n)[:n] }

// visit adds what the leaves below a child are worth.
func (e *Tree) visit(child int32, s *Scratch) {
	if child < 0 {
		e.addLeaf(e.of.Leaf[^child], s)
		return
	}
	index := e.of.Feature[child]
	at := slices.IndexFunc(s.way, func(f feature) bool { return f.index == index })
	known := at >= 0
	if !known {
		at = len(s.way)
		s.way = append(s.way, feature{index: index, follows: true, share: 1})
	}
	was := s.way[at]
	share := e.leftShare[child]
	s.way[at] = feature{index, was.follows && s.left[child], float64(was.share * share)}
	e.multiply(s, at)
	e.visit(e.of.Left[child], s)
	s.way[at] = feature{index, was.follows && !s.left[child], float64(was.share * (1 - share))}
	e.multiply(s, at)
	e.visit(e.of.Right[child], s)
	if !known {
		s.way = s.way[:at]
		return
	}
	s.way[at] = was
	e.multiply(s, at)
}

// multiply finds the factors of an entry of the way, and the products up to each entry from it on.
func (e *Tree) multiply(s *Scratch, at int) {
	nodes := e.quadrature.nodes
	f := &s.way[at]
	factors := s.factors[at*len(nodes):][:len(nodes)]
	for q, t := range nodes {
		if factors[q] = float64((1 - t) * f.share); f.follows {
			factors[q] += t
		}
	}
	for k := at; k < len(s.way); k++ {
		factors = s.factors[k*len(nodes):][:len(nodes)]
		before, next := s.before[k*len(nodes):][:len(nodes)], s.before[(k+1)*len(nodes):][:len(nodes)]
		for q, factor := range factors {
			next[q] = float64(before[q] * factor)
		}
	}
}

// addLeaf adds what a leaf at the end of the way is worth.
func (e *Tree) addLeaf(value float64, s *Scratch) {
	nodes := len(e.quadrature.nodes)
	after := s.after[:nodes]
	copy(after, e.quadrature.weights)
	for k := len(s.way) - 1; k >= 0; k-- {
		f := &s.way[k]
		before, factors := s.before[k*nodes:][:nodes], s.factors[k*nodes:][:nodes]
		integral := 0.0
		for q, factor := range factors {
			integral += float64(before[q] * after[q])
			after[q] = float64(after[q] * factor)
		}
		gain := -f.share
		if f.follows {
			gain++
		}
		s.out[f.index] += float64(float64(value*gain) * integral)
	}
}
