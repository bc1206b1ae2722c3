package infer

import (
	"sync"

	"boost/internal/cpu"
	"boost/internal/kernel/predict"
	"boost/parallel"
	"boost/tree"
	"boost/tree/pack"
)

// Packed is trees that stay packed: a prediction reads them one at a time. It is immutable and safe for
// concurrent use.
type Packed struct {
	structure []byte
	count     int // of trees
	features  []tree.Feature
	outputs   int
	set       cpu.Level // see Engine
	walks     sync.Pool // of *walk
}

// NewPacked makes a Packed of the structure of as many trees, which was checked; set is that of New. It
// keeps structure.
func NewPacked(structure []byte, count int, features []tree.Feature, outputs int, set cpu.Level) *Packed {
	return &Packed{structure: structure, count: count, features: features, outputs: outputs, set: set}
}

// Predictor returns what predicts tables with the head of the trees' model.
func (p *Packed) Predictor(h *Head) Predictor { return Predictor{h, &packedForest{p, h}} }

// LeafCounts returns the number of leaves of each tree.
func (p *Packed) LeafCounts() []int {
	w := p.walk()
	defer p.walks.Put(w)
	counts := make([]int, p.count)
	for i := range counts {
		counts[i] = w.next().NumLeaves()
	}
	return counts
}

// NumTrees returns the number of trees.
func (p *Packed) NumTrees() int { return p.count }

// Outputs returns the number of predictions per row.
func (p *Packed) Outputs() int { return p.outputs }

// packedForest is the trees of a Packed during a prediction.
type packedForest struct {
	packed *Packed
	head   *Head
}

// A block of a Packed has many rows, since it costs as much to read a tree as to take some
// 15,000 rows through it: as many as these bytes hold, but no fewer than leastPackedRows.
const (
	packedBlockBytes = 4 << 20
	leastPackedRows  = 1024
)

// Trees are read until they have this many split nodes or are so many; then all rows of the
// block go through them. They and their plans stay in the second cache meanwhile.
const (
	batchNodes = 4096
	batchTrees = 64
)

// blockRows makes a packedForest a forest. All threads get as many rows, if there are enough.
func (f *packedForest) blockRows(rows, threads, more int) int {
	perRow := 16*f.head.contents.Outputs + more
	for _, bits := range f.head.columns {
		perRow += int(bits) / 8
		if bits == 8 {
			perRow++ // in its tile
		}
	}
	most := max(packedBlockBytes/perRow, leastPackedRows)
	blocks := parallel.Blocks(parallel.Blocks(rows, threads), most) * threads
	fit := max(parallel.Blocks(rows, max(blocks, 1)), leastPackedRows)
	return (fit + predict.TileRows - 1) / predict.TileRows * predict.TileRows
}

// add makes a packedForest a forest. Blocks go through all trees from the first on.
func (f *packedForest) add(b *block, from, to int) {
	if from != 0 {
		panic("infer: packed trees are read from the first on")
	}
	p := f.packed
	w := p.walk()
	defer p.walks.Put(w)
	for first := 0; first < to; {
		n := w.batch(f.head, to-first)
		var plans []predict.Plan
		if takesTiles(p.set, b.rows) {
			plans = w.plans[:n]
		}
		w.runs = runsOf(w.runs[:0], first, w.trees[:n], nil, plans, f.head.columns)
		b.addRuns(p.set, w.runs, first, first+n)
		first += n
	}
}

// numberLeaves makes a packedForest a forest.
func (f *packedForest) numberLeaves(b *block, trees int, out []int32) {
	w := f.packed.walk()
	defer f.packed.walks.Put(w)
	for t := range trees {
		n := w.next().NumLeaves()
		if n > len(w.numbers) {
			w.numbers = numbersTo(2 * n)
		}
		w.compile(&w.trees[0], f.head)
		b.number(&w.trees[0], w.numbers, out[t:], trees)
	}
}

// walk is a way through the packed trees, with its memory.
type walk struct {
	reader *pack.Reader
	tree   tree.Tree // the one that was read
	leaf   int       // the first leaf behind it, among all

	trees   [batchTrees]predict.Tree
	leaves  [batchTrees][]float64 // of trees
	plans   [batchTrees]predict.Plan
	runs    []run
	numbers []float64
}

// walk returns a walk that stands before the first tree.
func (p *Packed) walk() *walk {
	w, _ := p.walks.Get().(*walk)
	if w == nil {
		reader, err := pack.NewReader(p.structure, p.count, p.features, p.outputs)
		if err != nil {
			panic("infer: trees that were checked: " + err.Error())
		}
		return &walk{reader: reader}
	}
	w.reader.Rewind()
	w.leaf = 0
	return w
}

// next reads a tree. Its leaf values are those of no tree.
func (w *walk) next() *tree.Tree {
	if err := w.reader.Next(&w.tree); err != nil {
		panic("infer: trees that were checked: " + err.Error())
	}
	return &w.tree
}

// batch reads the next trees, at most so many, and returns their number.
func (w *walk) batch(h *Head, most int) (n int) {
	values, nodes := h.contents.Compression.Leaves, 0
	for n < min(batchTrees, most) && nodes < batchNodes {
		t := w.next()
		nodes += t.NumSplits()
		w.leaves[n] = sized(w.leaves[n], t.NumLeaves())
		values.DecodeRange(w.leaves[n], w.leaf)
		w.leaf += t.NumLeaves()
		w.compile(&w.trees[n], h)
		w.trees[n].Leaf = w.leaves[n]
		n++
	}
	return n
}

// compile makes the tree that was read one that rows go through.
func (w *walk) compile(dst *predict.Tree, h *Head) {
	compileTree(dst, &w.tree, h.contents.Cuts, func(node int) int32 { return h.place[w.tree.Feature[node]] })
}
