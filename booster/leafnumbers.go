package booster

import (
	"boost/parallel"
	"boost/tree"
)

// leafNumbers keeps the leaf of every row of a set in every tree of a run, so that dropping a tree is a
// look-up instead of a walk. It costs a byte per row and tree, and 8 bytes per row and output.
type leafNumbers struct {
	n     int
	trees [][]uint8
	found []float64 // of the trees of one round, outputs × n; 0 between them
}

// mostNumbered is the number of leaves up to which a number takes one byte.
const mostNumbered = 256

func newLeafNumbers(n, outputs int) *leafNumbers {
	return &leafNumbers{n: n, found: make([]float64, n*outputs)}
}

// begin makes room for the trees of a round.
func (l *leafNumbers) begin(outputs int) {
	all := make([]uint8, outputs*l.n)
	for k := range outputs {
		l.trees = append(l.trees, all[k*l.n:(k+1)*l.n])
	}
}

// numbered returns a tree whose leaf values are their numbers.
func numbered(t *tree.Tree) *tree.Tree {
	n := t.Constant()
	n.Leaf = make([]float64, len(t.Leaf))
	for i := range n.Leaf {
		n.Leaf[i] = float64(i)
	}
	return n
}

// take keeps the leaves that were found of a tree of the last round, and adds their values to the scores of its output.
func (l *leafNumbers) take(pool *parallel.Pool, output, outputs int, leaf, scores []float64) {
	task := takeTask{l.found[output*l.n : (output+1)*l.n], l.trees[len(l.trees)-outputs+output], leaf, scores}
	pool.Do(parallel.Blocks(l.n, treeBlock), &task)
}

type takeTask struct {
	found  []float64
	number []uint8
	leaf   []float64
	scores []float64
}

func (a *takeTask) Run(_, block int) {
	lo, hi := parallel.Block(block, len(a.found), treeBlock)
	found, number, scores := a.found[lo:hi], a.number[lo:hi], a.scores[lo:hi]
	for i, f := range found {
		number[i] = uint8(f)
		scores[i] += a.leaf[int(f)]
		found[i] = 0
	}
}

// add adds trees of some rounds to raw scores, those of each round in the order of outputs; at are their places among all of the run.
func (l *leafNumbers) add(pool *parallel.Pool, trees []tree.Tree, at []int, outputs int, scores []float64) {
	task := lookUpTask{l, trees, at, outputs, scores}
	pool.Do(outputs*parallel.Blocks(l.n, treeBlock), &task)
}

type lookUpTask struct {
	*leafNumbers
	given   []tree.Tree
	at      []int
	outputs int
	scores  []float64
}

func (a *lookUpTask) Run(_, piece int) {
	blocks := parallel.Blocks(a.n, treeBlock)
	output := piece / blocks
	lo, hi := parallel.Block(piece%blocks, a.n, treeBlock)
	scores := a.scores[output*a.n+lo : output*a.n+hi]
	for i := output; i < len(a.given); i += a.outputs {
		var leaf [mostNumbered]float64
		copy(leaf[:], a.given[i].Leaf)
		for row, number := range a.trees[a.at[i]][lo:hi] {
			scores[row] += leaf[number]
		}
	}
}
