package accuracy

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"boost/binning"
	"boost/booster"
	"boost/parallel"
)

// maxBinSets are the sets that measureMaxBin is reported on: numeric columns of many
// values, two regressions and one of seven classes.
var maxBinSets = []string{"california_housing", "protein_casp", "covtype_15k"}

// maxBinFigure is what one number of bins leads to.
type maxBinFigure struct {
	Loss    float64 // on the held-out rows of the first re-split
	Seconds float64 // binning and training
	Bytes   uint64  // of the matrix's codes
}

// measureMaxBin trains on the first re-split of a set with max_bin bins per feature
// (S1.22).
func (t Trainer) measureMaxBin(ctx context.Context, s *Set, maxBin int) (maxBinFigure, error) {
	var f maxBinFigure
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

// BenchmarkAccuracyVsMaxBin reports loss, seconds and bytes by number of bins (S1.22).
func BenchmarkAccuracyVsMaxBin(b *testing.B) {
	folder := os.Getenv("BOOST_SHARED")
	if folder == "" {
		b.Skip("BOOST_SHARED is not set: the real data sets are not here")
	}
	ctx, trainer := context.Background(), Trainer{Threads: runtime.GOMAXPROCS(0), Gradients: "i16"}
	for _, maxBin := range []int{16, 64, 256, 1024, 65536} {
		for _, name := range maxBinSets {
			b.Run(fmt.Sprintf("%d/S1.22/%s", maxBin, name), func(b *testing.B) {
				sets, err := Sets(filepath.Join(folder, "data"), name)
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					f, err := trainer.measureMaxBin(ctx, sets[0], maxBin)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(f.Loss, sets[0].Metric())
					b.ReportMetric(f.Seconds, "s_train")
					b.ReportMetric(float64(f.Bytes)/1e6, "MB_codes")
				}
			})
		}
	}
}
