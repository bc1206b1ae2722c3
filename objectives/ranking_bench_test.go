package objectives_test

import (
	"math/rand/v2"
	"testing"

	"boost/objectives"
)

func BenchmarkRanking(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	const n, size = 60_000, 120
	rows := objectives.Rows{Queries: []int{0}}
	scores := make([]float64, n)
	for i := range n {
		rows.Labels = append(rows.Labels, float64(min(4, r.IntN(3)*r.IntN(3))))
		scores[i] = r.NormFloat64()
		if (i+1)%size == 0 {
			rows.Queries = append(rows.Queries, i+1)
		}
	}
	for _, name := range []string{"lambdarank", "rank_xendcg", "pairwise"} {
		b.Run(name, func(b *testing.B) {
			o, _ := objectives.New(name, objectives.Options{})
			grad, hess := make([]float32, n), make([]float32, n)
			for b.Loop() {
				o.Gradients(rows, 0, n, scores, grad, hess)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
		})
	}
}
