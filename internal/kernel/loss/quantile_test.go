package loss_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/kernel/loss"
)

// Quantiles against sorted values: weights are summed in whole numbers, and ties of the sum with the target
// give the middle.
func TestQuantiles(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	draws := map[string]func() float64{
		"normal":   r.NormFloat64,
		"few":      func() float64 { return float64(r.IntN(4)) },
		"constant": func() float64 { return 2.5 },
		"outliers": func() float64 { return math.Pow(10, 250*r.Float64()) * (r.Float64() - .5) },
		"zeros":    func() float64 { return math.Copysign(float64(r.IntN(2))*r.Float64(), r.Float64()-.5) },
		"near":     func() float64 { return 1e15 + float64(r.IntN(1000)) },
		"huge":     func() float64 { return math.Copysign(math.MaxFloat64*r.Float64(), r.Float64()-.5) },
	}
	var q loss.Quantiles
	for name, draw := range draws {
		t.Run(name, func(t *testing.T) {
			for try := range 300 {
				n := []int{1, 2, 3, 10, 25, 100, 1000, 5000}[try%8]
				level := []float64{.5, .1, .9, .25, .001, .999, r.Float64()}[try%7]
				values, weights := make([]float64, n), make([]uint32, n)
				for i := range values {
					values[i], weights[i] = draw(), 1
					switch try % 3 {
					case 1:
						weights[i] = 1 + r.Uint32N(5)
					case 2:
						weights[i] = 1 + r.Uint32N(1<<31)
					}
				}
				if try%5 == 0 {
					weights = nil
				}
				want := sortedQuantile(values, weights, level)
				if got := q.Of(slices.Clone(values), slices.Clone(weights), level); got != want {
					t.Fatalf("%d values, level %v, weights %v: %v, want %v", n, level, weights != nil, got, want)
				}
			}
		})
	}
}

func sortedQuantile(values []float64, weights []uint32, level float64) float64 {
	order := make([]int, len(values))
	total := uint64(0)
	weight := func(i int) uint64 {
		if weights == nil || !slices.ContainsFunc(weights, func(w uint32) bool { return w != weights[0] }) {
			return 1
		}
		return uint64(weights[i])
	}
	for i := range order {
		order[i] = i
		total += weight(i)
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case values[a] < values[b]:
			return -1
		case values[a] > values[b]:
			return 1
		}
		return 0
	})
	target, sum := level*float64(total), uint64(0)
	for at, i := range order {
		sum += weight(i)
		last := at+1 == len(order)
		if !last && values[order[at+1]] == values[i] || float64(sum) < target {
			continue
		}
		if float64(sum) == target && !last {
			return values[i] + (values[order[at+1]]-values[i])/2
		}
		return values[i]
	}
	panic("no quantile")
}

func BenchmarkQuantiles(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 2))
	from := make([]float64, 20_000)
	for i := range from {
		from[i] = r.NormFloat64()
	}
	values, weights := make([]float64, len(from)), make([]uint32, len(from))
	var q loss.Quantiles
	for b.Loop() {
		copy(values, from)
		for i := range weights {
			weights[i] = 7
		}
		q.Of(values, weights, 0.9)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(from)), "ns/value")
}
