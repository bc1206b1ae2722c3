package accuracy_test

import (
	"context"
	"testing"

	"boost/benchmarks/accuracy"
)

// BenchmarkAccuracyVsPrecision trains 80 models: minutes, not seconds.
func BenchmarkAccuracyVsPrecision(b *testing.B) {
	b.Run("S2.28", func(b *testing.B) {
		data := shared(b)
		for b.Loop() {
			p, err := accuracy.MeasurePrecision(context.Background(), data, 2, b.Output())
			if err != nil {
				b.Fatal(err)
			}
			v := p.Judge()
			b.ReportMetric(100*v.Mean, "%loss")
			if !v.Pass {
				b.Errorf("16-bit gradients cost too much: mean %+.4f %%, by set %+v", 100*v.Mean, v.Sets)
			}
		}
	})
}
