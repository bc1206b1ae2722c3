package booster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"boost/binning"
	"boost/booster/cache"
	"boost/booster/internal/holdout"
	"boost/booster/internal/source"
	"boost/booster/internal/workers"
	"boost/dataset"
	"boost/internal/cpu"
	"boost/parallel"
)

// Binned finds the cuts of a table and its codes, once for many trainings on parts of its rows (see OnRows), in
// this process. All of them split at the same cuts. notes are what the cuts leave out; log, nil for none, gets which columns are made of others.
func Binned(ctx context.Context, p Params, t *dataset.Table, pool *parallel.Pool, log *slog.Logger) (d Data, notes []string, err error) {
	p = p.OrDefaults()
	if err := p.Validate(); err != nil {
		return Data{}, nil, err
	}
	s, _, err := binnedCrosses(ctx, p, source.InMemory{Table: t}, options{log: log})
	if err != nil {
		return Data{}, nil, err
	}
	cuts, codes, notes, err := binAll(ctx, &p, s, pool)
	return Data{source.NewBinned(s, cuts, codes)}, notes, err
}

// binAll finds the cuts and the codes of all rows of a source.
func binAll(ctx context.Context, p *Params, s source.Source, pool *parallel.Pool) (*binning.Cuts, *binning.Codes, []string, error) {
	var weights []float64
	var err error
	if p.Binning.WeightedCuts {
		if weights, err = s.MetaColumns().Weights(); err != nil {
			return nil, nil, nil, err
		}
	}
	cuts, notes, err := s.Fit(ctx, weights, p.Binning, p.Seed, pool)
	if errors.Is(err, binning.ErrParams) {
		err = fmt.Errorf("%w: %w", ErrParams, err)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	codes, err := s.Code(ctx, cuts, p.Binning, pool)
	return cuts, codes, notes, err
}

// binWhole finds the cuts and the codes of all rows of the training table, those that will be held out too, where that
// is wanted (binning.all_rows).
func (r *run) binWhole(ctx context.Context, s source.Source) (source.Source, error) {
	if _, is := s.(*source.Binned); is || !r.p.AllRows || r.baseModel != nil || !r.p.HoldsOut(len(r.valid)) || s.MetaColumns().NumRows() == 0 || s.Files() != nil && r.p.Binning.Sample == 0 {
		return s, nil
	}
	s, r.order = r.byQuery(s)
	start := time.Now()
	s, how, err := binnedCrosses(ctx, r.p, s, r.options)
	if err != nil {
		return nil, err
	}
	pool := r.pool
	if pool == nil {
		cells := s.MetaColumns().NumRows() * featureCount(s.Schema())
		pool = parallel.NewPool(min(cmp.Or(r.p.Threads, cpu.Threads()), workers.Sharing(cells)))
		defer pool.Close()
	}
	cuts, codes, notes, err := binAll(ctx, &r.p, s, pool)
	if err != nil {
		return nil, err
	}
	for _, note := range notes {
		r.log.Info(note)
	}
	binned := source.NewBinned(s, cuts, codes)
	if out := r.cache.Create(r.log); out != nil {
		out.Add(source.Coded(s, codes))
		out.Finish(&cache.Contents{Schema: binned.Schema(), Cuts: cuts, Notes: notes, Crossed: how, Fingerprint: s.Fingerprint(pool), Others: s.MetaColumns(), Sets: make([]cache.Set, 1)})
	}
	r.cache = nil
	r.report.BinSeconds = time.Since(start).Seconds()
	return binned, nil
}

// OnRows trains on some rows of the table, and judges on others, as the set "valid". Both lists ascend and hold no row
// twice. Classes and the objective are those of the whole table.
func OnRows(train, valid []int32) Option {
	return func(o *options) { o.rows = &holdout.Lists{Train: train, Valid: valid} }
}

// StopWhen lets f decide after every round, in place of Params.EarlyStopping: how many rounds the best model so far has,
// from 1 to those that there are, and whether training ends. The model keeps what was best at the last call. Training that goes on
// from a checkpoint calls f for the rounds of that first.
func StopWhen(f func(Round) (best int, stop bool)) Option { return func(o *options) { o.stopWhen = f } }
