package loss_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"boost/internal/kernel/loss"
)

func TestZZ(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{2000, 6000, 30000} {
		x, y, w, v := make([]float64, n), make([]float64, n), make([]uint32, n), make([]uint32, n)
		for i := range x {
			x[i] = r.NormFloat64()
			w[i] = 1000 + r.Uint32N(1000)
		}
		var q loss.Quantiles
		for k := range 2 {
			best := time.Hour
			for range 400 {
				copy(y, x)
				copy(v, w)
				s := time.Now()
				if k == 0 {
					q.Of(y, nil, 0.5)
				} else {
					q.Of(y, v, 0.5)
				}
				best = min(best, time.Since(s))
			}
			fmt.Println(n, []string{"same", "weighted"}[k], float64(best.Nanoseconds())/float64(n))
		}
	}
}
