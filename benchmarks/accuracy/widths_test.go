package accuracy_test

import (
	"context"
	"testing"

	"boost/benchmarks/accuracy"
	"boost/binning"
	"boost/dataset"
	"boost/parallel"
)

// widthFigure is how narrow the columns of a set are.
type widthFigure struct {
	Features int
	Few      int     // of at most 15 distinct values, gaps not counted
	U4       int     // whose codes take half a byte with the default parameters
	Saved    float64 // share of the bytes that one byte and more for every code would take
}

// measureWidths counts the columns of a set's training part that S0.20 is about.
func measureWidths(ctx context.Context, s *accuracy.Set) (widthFigure, error) {
	var f widthFigure
	table, err := s.Open(ctx)
	if err != nil {
		return f, err
	}
	pool := parallel.NewPool(1)
	defer pool.Close()
	p := binning.Defaults()
	cuts, _, err := binning.Fit(ctx, table, nil, p, 1, pool)
	if err != nil {
		return f, err
	}
	const few = 15
	codes, wide := cuts.NCodes(), uint64(0)
	f.Features = len(codes)
	for i, column := range table.Features() {
		if distinct(column, few) <= few {
			f.Few++
		}
		if width := binning.WidthOf(codes[i]); width == binning.U4 {
			f.U4++
		}
		wide += binning.EstimateBytes(table.NumRows(), codes[i:i+1], binning.Uniform)
	}
	f.Saved = 1 - float64(binning.EstimateBytes(table.NumRows(), codes, p.Storage))/float64(wide)
	return f, nil
}

// distinct counts a column's values, up to one more than most.
func distinct(c *dataset.Column, most int) int {
	seen := map[float64]bool{}
	add := func(v float64) bool {
		if v == v {
			seen[v] = true
		}
		return len(seen) <= most
	}
	switch c.Kind() {
	case dataset.Category:
		for _, code := range c.Codes() {
			if code >= 0 && !add(float64(code)) {
				break
			}
		}
	case dataset.Float32:
		for _, v := range c.Float32s() {
			if !add(float64(v)) {
				break
			}
		}
	default:
		for _, v := range c.Float64s() {
			if !add(v) {
				break
			}
		}
	}
	return len(seen)
}

// BenchmarkU4Share reports how many columns of every real set have at most 15 distinct
// values, and what half a byte for a code saves there (S0.20).
func BenchmarkU4Share(b *testing.B) {
	sets, err := accuracy.Sets(shared(b))
	if err != nil {
		b.Fatal(err)
	}
	var all widthFigure
	half := 0
	report := func(b *testing.B, f widthFigure) {
		b.ReportMetric(float64(f.Features), "features")
		b.ReportMetric(100*float64(f.Few)/float64(f.Features), "%_few")
		b.ReportMetric(100*float64(f.U4)/float64(f.Features), "%_U4")
		b.ReportMetric(100*f.Saved, "%_bytes_saved")
	}
	for _, s := range sets {
		b.Run("S0.20/"+s.Name, func(b *testing.B) {
			for b.Loop() {
				f, err := measureWidths(context.Background(), s)
				if err != nil {
					b.Fatal(err)
				}
				report(b, f)
				all.Features, all.Few, all.U4 = all.Features+f.Features, all.Few+f.Few, all.U4+f.U4
				if all.Saved += f.Saved / float64(len(sets)); 2*f.Few >= f.Features {
					half++
				}
			}
		})
	}
	b.Run("S0.20/all", func(b *testing.B) { // the mean of the sets' savings
		for b.Loop() {
			report(b, all)
			b.ReportMetric(float64(half), "sets_of_half")
		}
	})
}
