package accuracy_test

import (
	"context"
	"testing"

	"boost/benchmarks/accuracy"
)

// BenchmarkU4Share reports how many columns of every real set have at most 15 distinct
// values, and what half a byte for a code saves there (S0.20).
func BenchmarkU4Share(b *testing.B) {
	sets, err := accuracy.Sets(shared(b))
	if err != nil {
		b.Fatal(err)
	}
	var all accuracy.WidthFigure
	half := 0
	report := func(b *testing.B, f accuracy.WidthFigure) {
		b.ReportMetric(float64(f.Features), "features")
		b.ReportMetric(100*float64(f.Few)/float64(f.Features), "%_few")
		b.ReportMetric(100*float64(f.U4)/float64(f.Features), "%_U4")
		b.ReportMetric(100*f.Saved, "%_bytes_saved")
	}
	for _, s := range sets {
		b.Run("S0.20/"+s.Name, func(b *testing.B) {
			for b.Loop() {
				f, err := accuracy.MeasureWidths(context.Background(), s)
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
