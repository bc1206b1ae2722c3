//go:build !purego

package codec

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"boost/internal/paired"
)

// The vectors of arm64 and the Go form find the same bits, wherever the largest magnitude lies and
// whatever it is. That they are the right ones, and that nothing is read beyond the floats, the tests for all
// processors show.
func TestMaxAbsNEON(t *testing.T) {
	defer func(was bool) { neon = was }(neon)
	t.Run("S3.21/neon", func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 4))
		same := func(values []float32) {
			t.Helper()
			neon = false
			want := math.Float32bits(MaxAbs(values))
			neon = true
			if got := math.Float32bits(MaxAbs(values)); got != want {
				t.Fatalf("%d values: %#x with vectors, %#x without", len(values), got, want)
			}
		}
		for n := range 300 {
			values := make([]float32, n)
			for i := range values {
				values[i] = math.Float32frombits(r.Uint32() & 0x80ffffff)
			}
			same(values)
			for at := range values {
				was := values[at]
				for _, bits := range []uint32{0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0xffffffff} {
					values[at] = math.Float32frombits(bits)
					same(values)
				}
				values[at] = was
			}
		}
		for _, n := range []int{maxAbsCall - 1, maxAbsCall, maxAbsCall + 1, 2*maxAbsCall + 17} {
			values := make([]float32, n)
			for i := range values {
				values[i] = math.Float32frombits(r.Uint32())
			}
			same(values)
			for i := range values {
				values[i] = float32(r.NormFloat64())
			}
			same(values)
		}
	})
}

// BenchmarkMaxAbsNEON takes turns with the Go form.
func BenchmarkMaxAbsNEON(b *testing.B) {
	defer func(was bool) { neon = was }(neon)
	values := make([]float32, 1<<12)
	for i := range values {
		values[i] = float32(i)
	}
	sum := float32(0)
	side := func(with bool) func() {
		return func() {
			neon = with
			for range 1 << 8 {
				sum += MaxAbs(values)
			}
		}
	}
	var took []time.Duration
	for b.Loop() {
		took = paired.Times(time.Second, side(false), side(true))
	}
	b.ReportMetric(float64(took[0])/float64(took[1]), "x_go")
}
