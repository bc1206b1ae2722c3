package model

import (
	"context"
	"fmt"

	"boost/binning"
	"boost/dataset"
	"boost/internal/cpu"
	"boost/parallel"
)

// Option says how a prediction runs. Only Rounds and EarlyStop change a result.
type Option func(*options)

type options struct {
	pool      *parallel.Pool
	threads   int
	rounds    int // of limited
	limited   bool
	allowance float64 // of early
	early     bool
}

// Pool runs the prediction on a pool of the caller's, which serves nobody else meanwhile.
func Pool(p *parallel.Pool) Option { return func(o *options) { o.pool = p } }

// Threads runs the prediction on up to n threads. Fewer than 1, like no option at
// all, means as many as the process may use.
func Threads(n int) Option { return func(o *options) { o.threads = n } }

// Rounds predicts with the first k rounds only, 0 … Model.Rounds: to the last bit what
// Model.Prefix(k) predicts. With another k the prediction is an error.
func Rounds(k int) Option { return func(o *options) { o.rounds, o.limited = k, true } }

// Predict returns the predictions for a table, rows × outputs, row-major: the number,
// the probability of the positive class (one column), or one probability per class.
// The table is coerced to the model's schema; one that lacks a feature column is an
// error that wraps dataset.ErrTable.
func (m *Model) Predict(ctx context.Context, t *dataset.Table, opts ...Option) ([]float64, error) {
	out := make([]float64, t.NumRows()*m.contents.Outputs)
	err := m.run(ctx, t, ofScores, opts, func(b *block) {
		m.contents.Link.Apply(b.outputs, b.raw, b.values, 0, b.rows, b.rows)
		b.transpose(b.values, out)
	})
	return orNil(out, err)
}

// PredictRaw returns the raw scores, before the link, rows × outputs, row-major.
func (m *Model) PredictRaw(ctx context.Context, t *dataset.Table, opts ...Option) ([]float64, error) {
	out := make([]float64, t.NumRows()*m.contents.Outputs)
	return orNil(out, m.run(ctx, t, ofScores, opts, func(b *block) { b.transpose(b.raw, out) }))
}

// PredictClass returns for each row the index of its class in Classes: with one
// output the second class where its probability is above one half, else the class
// with the highest probability, the lower index among equals. A model without
// classes is an error.
func (m *Model) PredictClass(ctx context.Context, t *dataset.Table, opts ...Option) ([]int32, error) {
	if err := m.needClasses(); err != nil {
		return nil, err
	}
	out := make([]int32, t.NumRows())
	err := m.run(ctx, t, ofClasses, opts, func(b *block) {
		m.contents.Link.Apply(b.outputs, b.raw, b.values, 0, b.rows, b.rows)
		b.classes(b.values, out)
	})
	return orNil(out, err)
}

func (m *Model) needClasses() error {
	if m.contents.Classes == nil {
		return fmt.Errorf("a model with objective %s predicts numbers, it has no classes", m.contents.Objective)
	}
	return nil
}

// PredictLeaf returns the leaf of each row in each tree, rows × trees, row-major.
func (m *Model) PredictLeaf(ctx context.Context, t *dataset.Table, opts ...Option) ([]int32, error) {
	j, err := m.newJob(ofLeaves, opts)
	if err != nil {
		return nil, err
	}
	trees := m.trees[:j.trees]
	out := make([]int32, t.NumRows()*len(trees))
	leaves := 0
	for i := range trees {
		leaves = max(leaves, len(trees[i].Leaf))
	}
	numbers := make([]float64, leaves)
	for i := range numbers {
		numbers[i] = float64(i)
	}
	j.visit = func(b *block) { b.leaves(trees, numbers, out) }
	return orNil(out, j.run(ctx, t))
}

// orNil keeps half-made results from callers.
func orNil[T any](out []T, err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (m *Model) run(ctx context.Context, t *dataset.Table, what kind, opts []Option, visit func(*block)) error {
	j, err := m.newJob(what, opts)
	if err != nil {
		return err
	}
	j.visit = visit
	return j.run(ctx, t)
}

// kind is what a job is about.
type kind uint8

const (
	ofScores  kind = iota // raw scores, or values made of them
	ofClasses             // classes
	ofLeaves              // leaves
	ofStages              // scores after some rounds, and after some more
)

// newJob settles how a prediction runs.
func (m *Model) newJob(what kind, opts []Option) (*job, error) {
	j := &job{model: m, scored: what != ofLeaves, trees: len(m.trees)}
	for _, set := range opts {
		set(&j.options)
	}
	if o := &j.options; o.limited {
		if o.rounds < 0 || o.rounds > m.Rounds() {
			return nil, m.noRounds(o.rounds)
		}
		j.trees = o.rounds * m.contents.Outputs
	}
	return j, j.stopEarly(what)
}

// noRounds is the error about a number of rounds that the model has not.
func (m *Model) noRounds(k int) error {
	return fmt.Errorf("%d rounds of a model that has %d: give a number from 0 to that", k, m.Rounds())
}

// job is one prediction: blocks of rows, each encoded, scored and visited by one worker.
type job struct {
	model   *Model
	options options
	trees   int // the first of the model's
	scored  bool
	stops   *stops // nil: every row goes through all trees
	visit   func(*block)

	rows, blockRows int
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
	t, err := t.As(j.model.contents.Schema)
	if err != nil {
		return err
	}
	j.rows = t.NumRows()
	if j.scored {
		if j.initial, err = j.model.initScores(t); err != nil {
			return err
		}
	}
	encoder, err := binning.NewEncoder(j.model.contents.Cuts, t)
	if err != nil {
		return err
	}
	j.source = &tableSource{j.model, encoder}
	return j.start(ctx)
}

// start predicts the rows of the source.
func (j *job) start(ctx context.Context) error {
	pool := j.options.pool
	if pool == nil {
		pool = parallel.NewPool(j.threads())
		defer pool.Close()
	}
	j.blockRows = j.model.blockRows(j.rows, pool.Threads(), j.source.rowBytes())
	j.blocks = make([]*block, pool.Threads())
	defer j.release()
	return pool.DoContext(ctx, parallel.Blocks(j.rows, j.blockRows), j)
}

// soloWork is the number of row × (tree + feature) steps under which starting threads
// costs more than they save, about a quarter of a millisecond.
const soloWork = 16_384

func (j *job) threads() int {
	if j.rows*(j.trees+len(j.model.used)) < soloWork {
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
		b = j.model.newBlock(j.blockRows)
		j.blocks[worker] = b
	}
	lo, hi := parallel.Block(index, j.rows, j.blockRows)
	b.first, b.rows = lo, hi-lo
	j.source.encode(b, lo, hi)
	b.tiled = false
	if j.scored {
		b.start(j.model, j.initial)
		if j.stops != nil {
			b.addUntil(j.model, j.stops)
		} else {
			b.addTrees(j.model, 0, j.trees)
		}
	}
	j.visit(b)
}

func (j *job) release() {
	for _, b := range j.blocks {
		if b != nil {
			blocks.Put(b)
		}
	}
}
