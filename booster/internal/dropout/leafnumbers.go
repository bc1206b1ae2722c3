package dropout

import (
	"boost/parallel"
	"boost/tree"
)

// LeafNumbers keeps the leaf of every row of a set in every tree of a run, so that dropping a tree is a
// look-up instead of a walk. It costs a byte per row and tree, and 8 bytes per row and output.
type LeafNumbers struct {
	n       int
	outputs int
	trees   [][]uint8
	Found   []float64 // of the trees of one round, outputs × n; 0 between them
}

// rowBlock is the number of rows of one piece of a task.
const rowBlock = 4096

// MostLeaves is the number of leaves up to which a number takes one byte.
const MostLeaves = 256

// NewLeafNumbers is for a set of n rows.
func NewLeafNumbers(n, outputs int) *LeafNumbers {
	return &LeafNumbers{n: n, outputs: outputs, Found: make([]float64, n*outputs)}
}

// Begin makes room for the trees of a round.
func (l *LeafNumbers) Begin() {
	all := make([]uint8, l.outputs*l.n)
	for k := range l.outputs {
		l.trees = append(l.trees, all[k*l.n:(k+1)*l.n])
	}
}

// Numbered returns a tree whose leaf values are their numbers.
func Numbered(t *tree.Tree) *tree.Tree {
	n := t.Constant()
	n.Leaf = make([]float64, len(t.Leaf))
	for i := range n.Leaf {
		n.Leaf[i] = float64(i)
	}
	return n
}

// OfOutput returns the part of scores, outputs × n, that is of one output.
func (l *LeafNumbers) OfOutput(output int, scores []float64) []float64 {
	return scores[output*l.n : (output+1)*l.n]
}

// Take keeps the leaves that were found of a tree of the last round, and adds their values to the scores of its output;
// scores are those of all outputs.
func (l *LeafNumbers) Take(pool *parallel.Pool, output int, leaf, scores []float64) {
	task := takeTask{l.OfOutput(output, l.Found), l.trees[len(l.trees)-l.outputs+output], leaf, l.OfOutput(output, scores)}
	pool.Do(parallel.Blocks(l.n, rowBlock), &task)
}

type takeTask struct {
	found  []float64
	number []uint8
	leaf   []float64
	scores []float64
}

func (a *takeTask) Run(_, block int) {
	lo, hi := parallel.Block(block, len(a.found), rowBlock)
	found, number, scores := a.found[lo:hi], a.number[lo:hi], a.scores[lo:hi]
	for i, f := range found {
		number[i] = uint8(f)
		scores[i] += a.leaf[int(f)]
		found[i] = 0
	}
}

// Add adds trees of some rounds to raw scores, those of each round in the order of outputs; at are their places among all of the run.
func (l *LeafNumbers) Add(pool *parallel.Pool, trees []tree.Tree, at []int, scores []float64) {
	task := lookUpTask{l, trees, at, scores}
	pool.Do(l.outputs*parallel.Blocks(l.n, rowBlock), &task)
}

type lookUpTask struct {
	*LeafNumbers
	given  []tree.Tree
	at     []int
	scores []float64
}

func (a *lookUpTask) Run(_, piece int) {
	blocks := parallel.Blocks(a.n, rowBlock)
	output := piece / blocks
	lo, hi := parallel.Block(piece%blocks, a.n, rowBlock)
	scores := a.scores[output*a.n+lo : output*a.n+hi]
	for i := output; i < len(a.given); i += a.outputs {
		var leaf [MostLeaves]float64
		copy(leaf[:], a.given[i].Leaf)
		for row, number := range a.trees[a.at[i]][lo:hi] {
			scores[row] += leaf[number]
		}
	}
}
