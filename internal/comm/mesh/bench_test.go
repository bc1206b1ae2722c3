package mesh_test

import (
	"fmt"
	"testing"
	"time"

	"boost/internal/comm"
	"boost/internal/comm/commtest"
	"boost/internal/comm/mesh"
)

// BenchmarkSum64 sums vectors over ranks of this process, which share its processors.
func BenchmarkSum64(b *testing.B) {
	for _, ranks := range []int{2, 4} {
		for _, size := range []int{8, 8 << 10, 32 << 10, 112_000, 1 << 20, 8 << 20} {
			for _, tls := range []bool{false, true} {
				b.Run(fmt.Sprintf("ranks=%d/bytes=%d/TLS=%v", ranks, size, tls), func(b *testing.B) {
					ends := connect(b, ranks, mesh.Options{Token: token, TLS: tls})
					values := make([][]uint64, ranks)
					for r := range values {
						values[r] = make([]uint64, size/8)
					}
					best := time.Hour // a machine that does other things too is as fast as this now and then
					b.ReportAllocs()
					b.ResetTimer()
					for r, err := range commtest.Each(ends, func(c comm.Comm) error {
						for range b.N {
							if err := c.Barrier(b.Context()); err != nil {
								return err
							}
							began := time.Now()
							if err := c.Sum64(b.Context(), values[c.Rank()]); err != nil {
								return err
							}
							if took := time.Since(began); c.Rank() == 0 {
								best = min(best, took)
							}
						}
						return nil
					}) {
						if err != nil {
							b.Errorf("rank %d: %v", r, err)
						}
					}
					b.StopTimer()
					b.ReportMetric(float64(best.Nanoseconds()), "best-ns")
					commtest.Each(ends, func(c comm.Comm) error { return c.Close() })
				})
			}
		}
	}
}
