package booster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"boost/booster/internal/checkpoint"
	"boost/booster/internal/sampling"
	"boost/booster/internal/share"
	"boost/booster/internal/source"
	"boost/booster/internal/workers"
	"boost/dataset"
	"boost/internal/cpu"
	"boost/internal/gcpercent"
	"boost/parallel"
)

// Train trains a model on a table whose label column is set. Parameters that were left out have their
// defaults; see Params.OrDefaults.
//
// The same table, parameters and seed give the same model bytes for every number
// of threads and builder. Problems with the table wrap dataset.ErrTable, with
// parameters ErrParams. A cancelled ctx ends training after the current round: Train then
// returns the model so far (nil before the first round) together with an error that
// wraps ErrInterrupted. Params.TimeLimit ends it without an error once there is a
// round, else with ErrBudget.
func Train(ctx context.Context, p Params, train *dataset.Table, opts ...Option) (*Model, error) {
	return TrainOn(ctx, p, InMemory(train), opts...)
}

// TrainOn is Train for rows that need not be in memory: the model's bytes are those
// of the same rows in a table.
func TrainOn(ctx context.Context, p Params, train Data, opts ...Option) (*Model, error) {
	r, err := newRun(p, opts)
	if err != nil {
		return nil, r.endRanks(ctx, nil, err)
	}
	defer r.close()
	m, err := r.trainOn(ctx, train)
	if err = r.endRanks(ctx, m, err); err != nil && !errors.Is(err, ErrInterrupted) {
		return nil, beforeRounds(ctx, err)
	}
	return m, err
}

// beforeRounds returns the error of a run without a round, as of ErrInterrupted where its context ended it.
func beforeRounds(ctx context.Context, err error) error {
	if cause := ctx.Err(); cause != nil && errors.Is(err, cause) {
		return fmt.Errorf("%w before the first round: %w", ErrInterrupted, err)
	}
	return err
}

func (r *run) trainOn(ctx context.Context, train Data) (*Model, error) {
	defer gcpercent.LowerWide(len(train.Schema().Columns))()
	var err error
	if err := r.checkRetrain(train.source); err != nil {
		return nil, err
	}
	if err := share.Agree(ctx, r.ranks, r.p.ModelParams); err != nil {
		return nil, err
	}
	if train.source, err = r.binWhole(ctx, source.Fresh(train.source)); err != nil {
		return nil, err
	}
	b, m, err := r.train(ctx, train.source)
	if m == nil || !r.p.Retrain {
		return m, err
	}
	if !b.retrains(err) {
		return r.notRetrained(m, err)
	}
	b = nil // its memory is of no use any more
	return r.retrain(ctx, m, train)
}

// run is what all steps of a training run share.
type run struct {
	options
	p        Params // steps fill in what is left open
	start    time.Time
	ownPool  bool
	reported bool // the caller wants the report

	order         []int32            // of a table that was gathered by query before, as inputs.order
	judgesQueries bool               // a metric is of queries
	folder        *checkpoint.Folder // nil where training is not saved
	floatBytes    int64              // of columns that were copied for linear leaves
}

func newRun(p Params, opts []Option) (*run, error) {
	r := &run{start: time.Now(), p: p.OrDefaults()}
	return r, r.begin(opts)
}

// begin applies the options, and checks the parameters.
func (r *run) begin(opts []Option) error {
	for _, o := range opts {
		o(&r.options)
	}
	if r.earlyStop != nil {
		r.p.EarlyStopping = *r.earlyStop
	}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	if r.reported = r.report != nil; !r.reported {
		r.report = &Report{}
	}
	r.p.AllRows = r.p.AllRows || r.p.Retrain
	if err := r.p.Validate(); err != nil {
		return err
	}
	if r.p.BagFolds > 0 || r.p.Blend > 0 {
		return fmt.Errorf("%w: train.bag_folds = %d, train.blend = %d: several models are trained, and averaged, by search.Bag and search.Blend", ErrParams, r.p.BagFolds, r.p.Blend)
	}
	for _, step := range []func() error{r.checkSets, r.feedBack, r.settleBoosting, r.checkRateBy, r.openCheckpoints} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// checkSets refuses names of validation sets by which the history cannot tell them apart.
func (r *run) checkSets() error {
	for i, set := range r.valid {
		if named := func(s validSet) bool { return s.name == set.name }; set.name == "" || set.name == "train" || slices.ContainsFunc(r.valid[:i], named) {
			return fmt.Errorf("%w: a validation set is named %q: give each a name of its own, other than \"train\"", ErrParams, set.name)
		}
	}
	return nil
}

// prepare goes from the tables to the first round.
func (r *run) prepare(ctx context.Context, train source.Source) (*boosting, error) {
	in, err := r.open(train)
	if err != nil {
		return nil, err
	}
	asked := r.p.Gradients
	ex, err := r.examples(in)
	if err != nil {
		return nil, err
	}
	if err := r.checkRanks(ex, asked); err != nil {
		return nil, err
	}
	draws, err := r.newDraws(in, ex)
	if err != nil {
		return nil, err
	}
	list, err := r.chooseMetrics(ex.objective)
	if err != nil {
		return nil, err
	}
	if ex.Queries == nil {
		if ex.Queries, err = r.queriesOf(in.train.MetaColumns()); err != nil {
			return nil, err
		}
	}
	if err := r.cross(ctx, in, ex); err != nil {
		return nil, err
	}
	data, err := r.bin(ctx, in, ex)
	if err != nil {
		return nil, err
	}
	if ex.base, err = r.baseScore(ex); err != nil {
		return nil, err
	}
	if ex, err = r.share(ctx, ex, draws, data.part); err != nil {
		return nil, err
	}
	pl, err := r.plan(in, ex, data)
	if err != nil {
		return nil, err
	}
	return r.newBoosting(ex, data, pl, list, draws)
}

// newDraws prepares what of the sampling depends on the rows.
func (r *run) newDraws(in *inputs, ex *examples) (*sampling.Draws, error) {
	draws, err := sampling.NewDraws(&r.p.Sampling, sampling.Rows{
		N: ex.n, Labels: ex.Labels, Classes: len(ex.classes), Objective: r.p.Objective, Table: in.train.MetaColumns(), Schema: in.schema,
	})
	if err != nil && !errors.Is(err, dataset.ErrTable) {
		err = fmt.Errorf("%w: %w", ErrParams, err)
	}
	return draws, err
}

// close ends what the run has started.
func (r *run) close() {
	if r.ownPool {
		r.pool.Close()
	}
	if r.folder != nil {
		r.folder.Close()
	}
}

// maxSpin is how long a worker that waits spins before it sleeps: passes over small tables follow each
// other within that, and it takes 10 to 60 µs to wake a thread.
const maxSpin = 50 * time.Microsecond

// usePool makes the run's pool: of the wanted threads, fewer for a table of few cells, of which each output has a tree.
func (r *run) usePool(cells, outputs int) {
	if r.pool != nil {
		return
	}
	wanted := r.p.Threads
	if wanted == 0 {
		wanted = cpu.Threads()
	}
	threads := min(wanted, workers.Useful(cells, outputs))
	if threads < wanted {
		r.log.Debug("small table: fewer threads than there are", "threads", threads, "of", wanted)
	}
	spin := maxSpin
	if threads > cpu.Threads() { // by a quota, or as some are two on one core
		spin = 0
	}
	r.pool, r.ownPool = parallel.NewSpinningPool(threads, spin), true
}
