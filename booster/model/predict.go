package model

import (
	"context"

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
	return m.asked(ofScores, opts).values(ctx, t)
}

// PredictRaw returns the raw scores, before the link, rows × outputs, row-major.
func (m *Model) PredictRaw(ctx context.Context, t *dataset.Table, opts ...Option) ([]float64, error) {
	return m.asked(ofScores, opts).scores(ctx, t)
}

// PredictClass returns for each row the index of its class in Classes: with one
// output the second class where its probability is above one half, else the class
// with the highest probability, the lower index among equals. A model without
// classes is an error.
func (m *Model) PredictClass(ctx context.Context, t *dataset.Table, opts ...Option) ([]int32, error) {
	return m.asked(ofClasses, opts).classes(ctx, t)
}

// PredictLeaf returns the leaf of each row in each tree, rows × trees, row-major.
func (m *Model) PredictLeaf(ctx context.Context, t *dataset.Table, opts ...Option) ([]int32, error) {
	return m.asked(ofLeaves, opts).leaves(ctx, t)
}

func (m *Model) asked(what kind, opts []Option) *question {
	return &question{head: &m.head, forest: m, what: what, opts: opts}
}

// newJob settles how a prediction of the model runs.
func (m *Model) newJob(what kind, opts []Option) (*job, error) { return m.asked(what, opts).job() }

// question is a prediction that is asked for: what of which trees.
type question struct {
	head   *head
	forest forest
	what   kind
	opts   []Option
}

func (q *question) values(ctx context.Context, t *dataset.Table) ([]float64, error) {
	out := make([]float64, t.NumRows()*q.head.contents.Outputs)
	return answer(ctx, q, t, out, func(b *block) {
		q.head.contents.Link.Apply(b.outputs, b.raw, b.values, 0, b.rows, b.rows)
		b.transpose(b.values, out)
	})
}

func (q *question) scores(ctx context.Context, t *dataset.Table) ([]float64, error) {
	out := make([]float64, t.NumRows()*q.head.contents.Outputs)
	return answer(ctx, q, t, out, func(b *block) { b.transpose(b.raw, out) })
}

func (q *question) classes(ctx context.Context, t *dataset.Table) ([]int32, error) {
	if err := q.head.needClasses(); err != nil {
		return nil, err
	}
	out := make([]int32, t.NumRows())
	return answer(ctx, q, t, out, func(b *block) {
		q.head.contents.Link.Apply(b.outputs, b.raw, b.values, 0, b.rows, b.rows)
		b.classes(b.values, out)
	})
}

func (q *question) leaves(ctx context.Context, t *dataset.Table) ([]int32, error) {
	j, err := q.job()
	if err != nil {
		return nil, err
	}
	out := make([]int32, t.NumRows()*j.trees)
	j.visit = func(b *block) { q.forest.numberLeaves(b, j.trees, out[b.first*j.trees:]) }
	return orNil(out, j.run(ctx, t))
}

// answer fills out, which visit writes to block by block.
func answer[T any](ctx context.Context, q *question, t *dataset.Table, out []T, visit func(*block)) ([]T, error) {
	j, err := q.job()
	if err != nil {
		return nil, err
	}
	j.visit = visit
	return orNil(out, j.run(ctx, t))
}

// orNil keeps half-made results from callers.
func orNil[T any](out []T, err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	return out, nil
}

// kind is what a job is about.
type kind uint8

const (
	ofScores  kind = iota // raw scores, or values made of them
	ofClasses             // classes
	ofLeaves              // leaves
	ofStages              // scores after some rounds, and after some more
)

// job settles how the prediction runs.
func (q *question) job() (*job, error) {
	h := q.head
	j := &job{head: h, forest: q.forest, scored: q.what != ofLeaves, trees: h.contents.BestRound * h.contents.Outputs}
	for _, set := range q.opts {
		set(&j.options)
	}
	if o := &j.options; o.limited {
		if o.rounds < 0 || o.rounds > h.contents.BestRound {
			return nil, h.noRounds(o.rounds)
		}
		j.trees = o.rounds * h.contents.Outputs
	}
	return j, j.stopEarly(q.what)
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
	head    *head
	forest  forest
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
	j.source = &tableSource{j.head, encoder}
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
			blocks.Put(b)
		}
	}
}
