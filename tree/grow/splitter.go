package grow

import (
	"boost/gradients"
	"boost/histogram"
	"boost/parallel"
	"boost/tree/colsample"
)

// splitter splits nodes, one at a time. It has all workers of a pool for that, or is one of several
// that have a worker each and those that have nothing to split.
//
// Memory: per worker a histogram builder's scratch; two candidates for each feature.
type splitter struct {
	*Grower
	pool      parallel.Runner    // for passes that a step runs by itself
	crew      *parallel.Crew     // of a splitter with a worker of its own
	worker    int                // that, or the first of all
	seat      int                // worker of the whole pool that runs the split: its memory of rows is used
	builder   *histogram.Builder // nil if there are too few rows for a split
	sparse    *sparseSearch      // instead of flat histograms, may be nil
	rowsOf    partitioner
	sampler   colsample.Sampler // with memory of its own
	searches  [2]search         // memory of the split's
	workers   []searchScratch
	counts    []uint32
	allCounts []uint32 // over ranks
	message   []byte   // what this rank says of its candidates
	tops      [2]top   // of all ranks, of the nodes that are searched
	stays     []uint8  // memory of the split's table
	ones      []uint8

	split split    // in progress
	then  step     // how it goes on when its pass or exchange has ended, nil where it is done
	wants exchange // in a batch: what it waits for
}

// newSplitter returns a splitter with the workers of a pool, or of a crew.
func newSplitter(g *Grower, pool parallel.Runner, strategy histogram.Strategy) *splitter {
	c := &g.config
	n := c.Matrix.NFeatures()
	s := &splitter{Grower: g, pool: pool, sampler: g.columns, workers: make([]searchScratch, pool.Threads())}
	if s.crew, _ = pool.(*parallel.Crew); s.crew != nil {
		s.worker, s.seat = s.crew.Worker(), s.crew.Worker()
	}
	s.rowsOf.init(&g.rows)
	if !g.canSplitRows(c.allRows()) {
		return s // a table of few rows may have a million features
	}
	s.builder = histogram.New(c.Matrix, c.RowMajor, pool, strategy)
	s.builder.UseLists(c.Lists)
	if c.Ranks.Shared() {
		s.builder.OfRanks(c.allRows() - c.Matrix.NRows())
	}
	if c.SparseSums {
		s.sparse = &sparseSearch{splitter: s, builder: histogram.NewSparseSums(c.Matrix, c.Pool.Nested())}
	}
	for i := range s.searches {
		s.searches[i] = search{
			splitter: s, side: i, candidates: make([]candidate, n), scores: make([]float64, n), isBound: make([]bool, n),
		}
	}
	for w := range s.workers {
		s.workers[w].gains, s.workers[w].bounds = make([]float64, n), make([]float32, n)
	}
	return s
}

// begin makes the splitter ready for a tree, whose rows are those of a bag.
func (s *splitter) begin(bag *gradients.Bag) {
	if s.builder != nil {
		features := s.searched()
		if s.config.Ranks.Shared() { // each adds up its rows of all features
			features = s.active
		}
		s.builder.SetFeatures(features)
	}
	s.rowsOf.bag = bag
}

// end lets go of what only the tree needed.
func (s *splitter) end() { s.rowsOf.bag, s.split.built = nil, nil }

// nextPass runs the split in progress up to its next pass that is worth waking workers, and returns
// that; no indices: the split is done.
func (s *splitter) nextPass() (n int, task parallel.Task) {
	for s.then != nil {
		next := s.then(&s.split)
		if s.then = next.then; next.n > 0 && !next.alone {
			return next.n, next.task
		}
		if next.run(0); next.exchange != noExchange {
			s.batch.exchange(next.exchange, []*splitter{s})
		}
	}
	return 0, nil
}

// splitAlone splits a node in the worker that calls it, with those of its crew.
func (s *splitter) splitAlone(at int) {
	s.beginSplit(at)
	p := s.then(&s.split)
	if s.nodes[at].rows < smallDivide {
		p.run(s.worker)
	} else {
		s.pool.Do(p.n, p.task)
	}
	s.goOn(p)
}

// searchAlone searches a leaf again in the worker that calls it, with those of its crew.
func (s *splitter) searchAlone(at int) {
	s.beginAgain(at)
	s.goOn(pass{then: s.then})
}

// goOn makes the passes of the split in progress after one that has ended.
func (s *splitter) goOn(p pass) {
	for p.then != nil {
		if p = p.then(&s.split); !p.alone {
			s.pool.Do(p.n, p.task)
			continue
		}
		p.run(0) // what is made alone is the first worker's
	}
}

// smallDivide is the number of rows below which dividing them is not shared with a worker that spins. It is a
// variable for tests.
var smallDivide = 2048
