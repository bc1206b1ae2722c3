package accuracy_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"boost/benchmarks/accuracy"
)

// BenchmarkAccuracyVsMaxBin reports loss, seconds and bytes by number of bins (S1.22).
func BenchmarkAccuracyVsMaxBin(b *testing.B) {
	ctx, trainer := context.Background(), accuracy.Trainer{Threads: runtime.GOMAXPROCS(0), Gradients: "i16"}
	for _, maxBin := range []int{16, 64, 256, 1024, 65536} {
		for _, name := range accuracy.MaxBinSets {
			b.Run(fmt.Sprintf("%d/S1.22/%s", maxBin, name), func(b *testing.B) {
				sets, err := accuracy.Sets(shared(b), name)
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					f, err := trainer.MeasureMaxBin(ctx, sets[0], maxBin)
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
