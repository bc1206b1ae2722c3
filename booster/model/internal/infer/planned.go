package infer

import (
	"sync"
	"unsafe"

	"boost/internal/cpu"
	"boost/internal/kernel/predict"
	"boost/parallel"
	"boost/tree"
)

// leastPlanned is the number of rows from which making a plan of one tree pays.
const leastPlanned = 1024

// AddPlanned adds the values of a tree's leaves to the scores of all rows, tile by tile, as AddTree does. It reports
// false, and adds nothing, where that has to take its rows in lists.
func AddPlanned(pool *parallel.Pool, t *tree.Tree, of Coded, scores []float64) bool {
	set := predict.Best()
	if set == cpu.Generic || t.Linear != nil || len(scores) < leastPlanned {
		return false
	}
	s := scorers.Get().(*scorer)
	defer scorers.Put(s)
	if !s.prepare(t, of.Cuts, of.Matrix) || !s.makePlan() {
		return false
	}
	s.task = planTask{s, set, scores}
	pool.Do(parallel.Blocks(len(scores), scoreBlock), &s.task)
	s.task = planTask{}
	return true
}

// makePlan makes the plan of the prepared tree, in whose columns each is once from then on.
func (s *scorer) makePlan() bool {
	own := s.columns[:0]
	for n := range s.tree.Nodes {
		c := s.columns[n]
		if c.Bits > 8 {
			return false
		}
		at := 0
		for at < len(own) && start(&own[at]) != start(&c) {
			at++
		}
		if at == len(own) {
			own = append(own, c)
		}
		s.tree.Nodes[n].Column = int32(at)
	}
	s.columns = own
	for len(s.bits) < len(own) {
		s.bits = append(s.bits, 8)
	}
	return s.plan.Make(&s.tree, s.bits)
}

// start returns where a column of 4 or 8 bits begins, which tells it from others.
func start(c *predict.Column) *byte {
	if c.Bits == 4 {
		return unsafe.SliceData(c.U4)
	}
	return unsafe.SliceData(c.U8)
}

// planTask takes the blocks of rows through the plan of a scorer.
type planTask struct {
	*scorer
	set    cpu.Level
	scores []float64
}

// tiler is what a worker needs for a plan.
type tiler struct {
	area  predict.Area
	codes []uint8
	part  [predict.TileRows]float64
}

var tilers = sync.Pool{New: func() any { return new(tiler) }}

func (p *planTask) Run(_, block int) {
	const rows = predict.TileRows
	t := tilers.Get().(*tiler)
	defer tilers.Put(t)
	if size := len(p.columns) * rows; len(t.codes) < size {
		t.codes = predict.Aligned(size)
	}
	for lo, hi := parallel.Block(block, len(p.scores), scoreBlock); lo < hi; lo += rows {
		scores := p.scores[lo:min(lo+rows, hi)]
		for c := range p.columns {
			p.columns[c].Bytes(lo, t.codes[c*rows:][:len(scores)])
		}
		if len(scores) == rows {
			p.plan.AddTile(p.set, t.codes, (*[rows]float64)(scores), &t.area)
			continue
		}
		copy(t.part[:], scores)
		p.plan.AddTile(p.set, t.codes, &t.part, &t.area)
		copy(scores, t.part[:])
	}
}
