package gradients_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"boost/gradients"
	"boost/parallel"
)

// BenchmarkQuantizeBag times a round's quantization of 1M rows, of all or of half of them.
func BenchmarkQuantizeBag(b *testing.B) {
	const rows = 1 << 20
	r := rand.New(rand.NewPCG(1, 0))
	grad, hess := make([]float32, rows), make([]float32, rows)
	for i := range grad {
		grad[i], hess[i] = float32(r.NormFloat64()), r.Float32()
	}
	pool := parallel.NewPool(1)
	defer pool.Close()
	half := gradients.NewBag(rows)
	half.Sample(pool, 1, 0, 0.5)
	for _, mode := range []gradients.Mode{gradients.I16, gradients.I32} {
		for name, bag := range map[string]*gradients.Bag{"all": nil, "half": half} {
			b.Run(fmt.Sprintf("mode=%v/rows=%s", mode, name), func(b *testing.B) {
				st := gradients.NewStorage(rows, gradients.Settings{Mode: mode})
				n := rows
				if bag != nil {
					n = bag.Len()
				}
				b.ReportAllocs()
				for b.Loop() {
					if _, err := st.Quantize(pool, grad, hess, bag, 0, 0); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
			})
		}
	}
}
