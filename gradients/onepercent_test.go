package gradients_test

import (
	"fmt"
	"testing"

	"boost/gradients"
	"boost/parallel"
)

// Codes of 16 bits are given up for a round if they lose more than 1 % of Σ|g|, and not before.
func TestOnePercent(t *testing.T) {
	pool := parallel.NewPool(2)
	defer pool.Close()
	const rows = 6000
	bag := gradients.NewBag(rows)
	bag.Sample(pool, 1, 0, 0.5)
	in := bag.Block(0)
	// With a largest gradient of 32767 a step is 1. Each 1.25 has code 1 and loses 0.25: of n of them 1 % of
	// the sum is lost if 0.25·n = 0.01·(32767 + 1.25·n), which is n = 1379.66.
	for n, wide := range map[int]bool{1379: false, 1380: true} {
		for _, g := range []float32{1.25, -1.25} {
			t.Run(fmt.Sprintf("S2.7/%d of %v", n, g), func(t *testing.T) {
				grad := append(filled(n, g), 32767)
				st, out := quantize(t, gradients.I16, grad, filled(len(grad), 1))
				if out.Wide != wide || out.Blind || (st.Mode() == gradients.I32) != wide {
					t.Errorf("%+v in mode %v, want i32 %v", out, st.Mode(), wide)
				}
			})
			t.Run(fmt.Sprintf("S2.7/%d of %v in a bag", n, g), func(t *testing.T) {
				grad := filled(rows, 1e9) // rows outside do not count
				for i, row := range in {
					switch {
					case i < n:
						grad[row] = g
					case i == n:
						grad[row] = 32767
					default:
						grad[row] = 0
					}
				}
				st := gradients.NewStorage(rows, gradients.Settings{Mode: gradients.I16})
				out, err := st.Quantize(pool, grad, filled(rows, 1), bag, 0, 0)
				if err != nil || out.Wide != wide || out.Blind || (st.Mode() == gradients.I32) != wide {
					t.Errorf("%+v, %v in mode %v, want i32 %v", out, err, st.Mode(), wide)
				}
			})
		}
	}
}
