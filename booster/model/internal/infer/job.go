package infer

import (
	"context"

	"boost/binning"
	"boost/dataset"
	"boost/internal/cpu"
	"boost/parallel"
)

// kind is what a job is about.
type kind uint8

const (
	ofScores    kind = iota // raw scores
	ofValues                // predictions made of them
	ofClasses               // classes
	ofIntervals             // intervals, or sets of classes
	ofLeaves                // leaves
	ofStages                // scores after some rounds, and after some more
)

// newJob makes the job of a prediction.
func (p Predictor) newJob(what kind, opts []Option) (*job, error) {
	c := p.head.contents
	j := &job{head: p.head, forest: p.forest, scored: what != ofLeaves, trees: c.BestRound * c.Outputs}
	for _, set := range opts {
		set(&j.options)
	}
	if o := &j.options; o.limited {
		if err := p.head.CheckRounds(o.rounds); err != nil {
			return nil, err
		}
		j.trees = o.rounds * c.Outputs
	}
	if err := j.checkTrust(what); err != nil {
		return nil, err
	}
	return j, j.stopEarly(what)
}

// forest is where the trees of a prediction come from. Blocks go through it side by side.
type forest interface {
	// blockRows returns how many of the rows, which threads share, go together; more is what
	// a block needs for a row beside codes and scores. It changes no result, since rows do
	// not meet.
	blockRows(rows, threads, more int) int
	// add adds the leaf values of trees from … to-1 to the block's raw scores, in the order of
	// the trees, as training does.
	add(b *block, from, to int)
	// numberLeaves writes the leaf that each row of the block reaches in each of the first
	// trees, rows × trees.
	numberLeaves(b *block, trees int, out []int32)
}

// job is one prediction: blocks of rows, each encoded, scored and visited by one worker.
type job struct {
	head    *Head
	forest  forest
	options options
	trees   int // the first of the model's
	scored  bool
	stops   *stops // nil: every row goes through all trees
	visit   func(*block)

	rows, blockRows int
	mostRows        int // of a block, 0 for as many as the forest takes: between blocks a prediction can be stopped
	source          source
	initial         []float64 // init scores, rows × outputs; nil without
	blocks          []*block  // by worker
}

// source is where the rows of a prediction come from.
type source interface {
	// encode writes the codes of the used features of rows lo … hi-1 to the block.
	encode(b *block, lo, hi int)
	// rowBytes is what a block needs for a row beside codes and scores.
	rowBytes() int
}

func (j *job) run(ctx context.Context, t *dataset.Table) error {
	if err := j.take(t); err != nil {
		return err
	}
	return j.start(ctx)
}

// take makes the rows of a table those of the job.
func (j *job) take(t *dataset.Table) error {
	t, err := t.As(j.head.contents.Schema)
	if err != nil {
		return err
	}
	j.rows = t.NumRows()
	if j.scored {
		if j.initial, err = j.head.initScores(t); err != nil {
			return err
		}
	}
	encoder, err := binning.NewEncoder(j.head.contents.Cuts, t)
	if err != nil {
		return err
	}
	j.source = &tableSource{j.head, encoder, j.head.newTableFloats(t)}
	return nil
}

// start predicts the rows of the source.
func (j *job) start(ctx context.Context) error {
	pool := j.options.pool
	if pool == nil {
		pool = parallel.NewPool(j.threads())
		defer pool.Close()
	}
	j.blockRows = j.forest.blockRows(j.rows, pool.Threads(), j.source.rowBytes())
	if j.mostRows > 0 {
		j.blockRows = min(j.blockRows, j.mostRows)
	}
	j.blocks = make([]*block, pool.Threads())
	defer j.release()
	return pool.DoContext(ctx, parallel.Blocks(j.rows, j.blockRows), j)
}

// soloWork is the number of row × (tree + feature) steps under which starting threads
// costs more than they save, about a quarter of a millisecond.
const soloWork = 16_384

func (j *job) threads() int {
	if j.rows*(j.trees+len(j.head.used)) < soloWork {
		return 1
	}
	if j.options.threads > 0 {
		return j.options.threads
	}
	return cpu.Threads()
}

// Run predicts block index with the worker's memory.
func (j *job) Run(worker, index int) {
	b := j.blocks[worker]
	if b == nil {
		b = j.head.newBlock(j.blockRows)
		j.blocks[worker] = b
	}
	j.fill(b, index)
	if j.scored {
		if j.stops != nil {
			b.addUntil(j.forest, j.stops)
		} else {
			j.forest.add(b, 0, j.trees)
		}
	}
	j.visit(b)
}

// fill gives the block the rows of an index, with the scores that they start from.
func (j *job) fill(b *block, index int) {
	lo, hi := parallel.Block(index, j.rows, j.blockRows)
	b.first, b.rows, b.tiled = lo, hi-lo, false
	j.source.encode(b, lo, hi)
	if j.scored {
		b.start(j.head, j.initial)
	}
}

func (j *job) release() {
	for _, b := range j.blocks {
		if b != nil {
			clear(b.floats)
			blocks.Put(b)
		}
	}
}
