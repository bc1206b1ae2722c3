package infer

import (
	"sync"
	"sync/atomic"

	"boost/booster/model/internal/format"
	"boost/internal/cpu"
	"boost/internal/kernel/predict"
	"boost/tree"
)

// Engine predicts with the trees of a model, which are all at hand. It is immutable and safe for
// concurrent use.
type Engine struct {
	Head
	trees   []predict.Tree // Column of a node is an index into used
	linear  []*tree.Tree   // by tree, those with linear leaves; nil where there are none
	numbers []float64      // 0, 1, 2, …, of such
	set     cpu.Level      // the vectors that rows go through trees in; cpu.Generic is none

	planned sync.Once
	runs    []run // the trees as blocks go through them; see Prepare

	rowsReady sync.Once
	rows      atomic.Pointer[rows] // see PredictValues
}

// New makes an engine of contents that were checked. It uses the vectors of an instruction set, which is
// one of predict.Sets, or none with cpu.Generic. All sets give the same bits.
func New(c *format.Contents, set cpu.Level) *Engine {
	e := &Engine{Head: NewHead(c, UsedFeatures(c)), set: set}
	e.trees = make([]predict.Tree, len(c.Trees))
	for t := range c.Trees {
		compileTree(&e.trees[t], &c.Trees[t], c.Cuts, func(node int) int32 { return e.place[c.Trees[t].Feature[node]] })
		e.compileLinear(t)
	}
	return e
}

// Prepare plans how blocks of rows go through the trees. The first prediction of a table does it else.
func (e *Engine) Prepare() {
	e.planned.Do(func() { e.runs = runsOf(nil, 0, e.trees, e.linear, newPlans(e.set, len(e.trees)), e.columns) })
}

// Predictor returns what predicts tables.
func (e *Engine) Predictor() Predictor { return Predictor{&e.Head, e} }

// blockRows makes an Engine a forest.
func (e *Engine) blockRows(rows, threads, more int) int {
	perRow := 8*e.contents.Outputs + 4*len(e.Head.linear) + more
	for _, bits := range e.columns {
		perRow += int(bits) / 8
	}
	fit := min(predict.BlockRows, blockBytes/perRow, (rows+4*threads-1)/(4*threads))
	if e.set != cpu.Generic {
		return (max(fit, 1) + predict.TileRows - 1) / predict.TileRows * predict.TileRows
	}
	return max(fit, minBlockRows)
}

// add makes an Engine a forest.
func (e *Engine) add(b *block, from, to int) {
	e.Prepare()
	b.addRuns(e.set, e.runs, from, to)
}

// numberLeaves makes an Engine a forest.
func (e *Engine) numberLeaves(b *block, trees int, out []int32) {
	most := 0
	for t := range e.trees[:trees] {
		most = max(most, len(e.trees[t].Leaf))
	}
	numbers := numbersTo(most)
	for t := range e.trees[:trees] {
		b.number(&e.trees[t], numbers, out[t:], trees)
	}
}
