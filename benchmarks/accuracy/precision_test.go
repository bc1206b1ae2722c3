package accuracy_test

import (
	"context"
	"testing"

	"boost/benchmarks/accuracy"
)

// BenchmarkAccuracyVsPrecision trains 640 models: minutes, not seconds. The storages are
// judged one by one, on the same models of f32.
func BenchmarkAccuracyVsPrecision(b *testing.B) {
	p, err := accuracy.MeasurePrecision(context.Background(), shared(b), 2, b.Output())
	if err != nil {
		b.Fatal(err)
	}
	for _, bar := range accuracy.PrecisionBars {
		b.Run(bar.Row+"/"+bar.Gradients, func(b *testing.B) {
			for b.Loop() { // they are trained above
			}
			v := p.Judge(bar)
			b.ReportMetric(100*v.Mean, "%loss")
			if !v.Pass {
				b.Errorf("%s gradients cost too much: mean %+.4f %%, by set %+v", bar.Gradients, 100*v.Mean, v.Sets)
			}
		})
	}
}
