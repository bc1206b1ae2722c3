package booster

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"boost/binning"
	"boost/booster/internal/source"
	"boost/dataset"
	"boost/internal/rng"
	"boost/parallel"
)

// Binned finds the cuts of a table and its codes, once for many trainings on parts of its rows (see OnRows), in
// this process. All of them split at the same cuts. notes are what the cuts leave out.
func Binned(ctx context.Context, p Params, t *dataset.Table, pool *parallel.Pool) (d Data, notes []string, err error) {
	p = p.OrDefaults()
	if err := p.Validate(); err != nil {
		return Data{}, nil, err
	}
	var weights []float64
	if p.Binning.WeightedCuts {
		if weights, err = t.Weights(); err != nil {
			return Data{}, nil, err
		}
	}
	if t, err = binnedCrosses(p, t); err != nil {
		return Data{}, nil, err
	}
	cuts, notes, err := binning.Fit(ctx, t, weights, p.Binning, p.Seed, pool)
	if errors.Is(err, binning.ErrParams) {
		return Data{}, nil, fmt.Errorf("%w: %w", ErrParams, err)
	} else if err != nil {
		return Data{}, nil, err
	}
	codes, err := binning.Code(ctx, cuts, t, p.Binning, pool)
	if err != nil {
		return Data{}, nil, err
	}
	return Data{source.NewBinned(t, cuts, codes, pool)}, notes, nil
}

// OnRows trains on some rows of the table, and judges on others, as the set "valid". Both lists ascend and hold no row
// twice. Classes and the objective are those of the whole table.
func OnRows(train, valid []int32) Option {
	return func(o *options) { o.rows = &rowLists{train, valid} }
}

type rowLists struct{ train, valid []int32 }

// check refuses lists that are not those of a table of n rows.
func (l *rowLists) check(n int) error {
	for _, rows := range [][]int32{l.train, l.valid} {
		last := int32(-1)
		for _, row := range rows {
			if row <= last {
				last = math.MaxInt32
				break
			}
			last = row
		}
		if last < 0 || int(last) >= n {
			return fmt.Errorf("%w: OnRows needs ascending rows of the table's %d, some to train on and some to judge on", ErrParams, n)
		}
	}
	return nil
}

// identity is a number that other rows hardly have.
func (l *rowLists) identity() uint64 {
	if l == nil {
		return 0
	}
	h := uint64(len(l.train))
	for _, row := range slices.Concat(l.train, l.valid) {
		h = rng.Mix(h + uint64(row) + 1)
	}
	return h
}

// StopWhen lets f decide after every round, in place of Params.EarlyStopping: how many rounds the best model so far has,
// from 1 to those that there are, and whether training ends. The model keeps what was best at the last call.
func StopWhen(f func(Round) (best int, stop bool)) Option { return func(o *options) { o.stopWhen = f } }
