package infer

import (
	"boost/parallel"
	"boost/tree"
)

// scoreBlock is the number of rows of one piece of work on scores.
const scoreBlock = 4096

// AddTree adds the values of a tree's leaves to the scores of all rows, or of the listed ones where rows is not nil.
func AddTree(pool *parallel.Pool, t *tree.Tree, of Coded, rows []uint32, scores []float64) {
	n := len(scores)
	if rows == nil && AddPlanned(pool, t, of, scores) {
		return
	}
	if rows != nil {
		n = len(rows)
	}
	pool.Do(parallel.Blocks(n, scoreBlock), &treeTask{t, of, rows, scores})
}

type treeTask struct {
	t      *tree.Tree
	of     Coded
	rows   []uint32
	scores []float64
}

func (a *treeTask) Run(_, block int) {
	if a.rows != nil {
		lo, hi := parallel.Block(block, len(a.rows), scoreBlock)
		AddScoresRows(a.t, a.of, a.rows[lo:hi], a.scores)
		return
	}
	lo, hi := parallel.Block(block, len(a.scores), scoreBlock)
	AddScores(a.t, a.of, lo, hi, a.scores)
}

// AddTrees adds trees, those of each round in the order of outputs, to the scores of all rows, output-major.
func AddTrees(pool *parallel.Pool, trees []tree.Tree, outputs int, of Coded, scores []float64) {
	n := len(scores) / outputs
	for i := range trees {
		AddTree(pool, &trees[i], of, nil, scores[i%outputs*n:][:n])
	}
}
