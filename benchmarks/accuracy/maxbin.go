package accuracy

import (
	"context"
	"fmt"

	"boost/binning"
	"boost/booster"
	"boost/parallel"
)

// MaxBinSets are the sets that MeasureMaxBin is reported on: numeric columns of many
// values, two regressions and one of seven classes.
var MaxBinSets = []string{"california_housing", "protein_casp", "covtype_15k"}

// MaxBinFigure is what one number of bins leads to.
type MaxBinFigure struct {
	Loss    float64 // on the held-out rows of the first re-split
	Seconds float64 // binning and training
	Bytes   uint64  // of the matrix's codes
}

// MeasureMaxBin trains on the first re-split of a set with max_bin bins per feature
// (S1.22).
func (t Trainer) MeasureMaxBin(ctx context.Context, s *Set, maxBin int) (MaxBinFigure, error) {
	var f MaxBinFigure
	table, err := s.Open(ctx)
	if err != nil {
		return f, err
	}
	rest, held := Split(0, classKeys(s, table))
	train := table.Take(rest)
	var report booster.Report
	t.maxBin, t.report = maxBin, &report
	if f.Loss, err = t.loss(ctx, s, train, table.Take(held)); err != nil {
		return f, fmt.Errorf("max_bin %d: %w", maxBin, err)
	}
	f.Seconds = report.BinSeconds + report.TrainSeconds

	p := t.params(s)
	pool := parallel.NewPool(t.Threads)
	defer pool.Close()
	cuts, _, err := binning.Fit(ctx, train, nil, p.Binning, p.Seed, pool)
	if err != nil {
		return f, err
	}
	f.Bytes = binning.EstimateBytes(train.NumRows(), cuts.NCodes(), p.Binning.Storage)
	return f, nil
}
