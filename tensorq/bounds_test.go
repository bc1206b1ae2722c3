package tensorq_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"boost/internal/testenv"
	"boost/tensorq"
)

// widths are the tiers' widths, with the figures of S3.33 and S3.34 as shares of the
// largest magnitude.
var widths = []struct {
	bits       int
	worst, rms float64
}{
	{8, .00394, .00227}, {7, .00794, .00458}, {5, .03333, .01925}, {3, .16667, .09623},
}

func qmaxOf(bits int) int { return 1<<(bits-1) - 1 }

func quantized(t *testing.T, values []float32, bits int, cfg tensorq.QuantConfig) []tensorq.QuantizedBlock {
	t.Helper()
	q, err := tensorq.Quantizer(bits)
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := tensorq.Quantize(values, q, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return blocks
}

func TestErrorBound(t *testing.T) {
	for _, d := range distributions {
		values := tensor(33, testenv.UnlessShort(1_000_000, 100_000), d.draw)
		out := make([]float32, len(values))
		for _, w := range widths {
			t.Run(fmt.Sprintf("S3.33/%s/%d_bits", d.name, w.bits), func(t *testing.T) {
				blocks := quantized(t, values, w.bits, tensorq.DefaultQuantConfig())
				if _, err := tensorq.Dequantize(blocks, out); err != nil {
					t.Fatal(err)
				}
				largest := 0.0
				for i := range blocks {
					b := &blocks[i]
					scale := float64(b.Scale)
					// The scale is the quotient rounded to float32, which for a subnormal one
					// moves the largest code by qmax·2⁻¹⁵⁰.
					bound := scale/2*(1+0x1p-20) + float64(qmaxOf(w.bits))*0x1p-150
					peak := float64(tensorq.MaxAbs(values[64*i : min(64*i+64, len(values))]))
					for j, c := range b.Codes {
						x := float64(values[64*i+j])
						diff := math.Abs(x - float64(c)*scale) // the product is exact
						if diff > bound {
							t.Fatalf("value %v errs by %v, scale %v", x, diff, scale)
						}
						largest = max(largest, diff/max(peak, 0x1p-126))
						if back := math.Abs(x - float64(out[64*i+j])); back > b.ErrorBound() {
							t.Fatalf("value %v came back with an error of %v, the bound is %v", x, back, b.ErrorBound())
						}
					}
				}
				if d.name != "uniform" || testing.Short() {
					return
				}
				// 10⁶ uniform values come close to the middle between two codes.
				if largest > w.worst*1.002 || largest < w.worst*.99 {
					t.Errorf("largest error %.5f of the maximum, want %.5f", largest, w.worst)
				}
			})
		}
	}
}

// nearest is x/scale rounded to the nearest whole number, halves away from zero, in exact
// arithmetic, and kept within ±qmax.
func nearest(x, scale float32, qmax int) int {
	q := new(big.Rat).Quo(new(big.Rat).SetFloat64(math.Abs(float64(x))), new(big.Rat).SetFloat64(float64(scale)))
	q.Add(q, big.NewRat(1, 2))
	whole := new(big.Int).Quo(q.Num(), q.Denom())
	code := qmax
	if whole.IsInt64() {
		code = min(qmax, int(whole.Int64()))
	}
	if x < 0 {
		return -code
	}
	return code
}

func TestMidpoints(t *testing.T) {
	for _, w := range widths {
		t.Run(fmt.Sprintf("S3.33/midpoints/%d_bits", w.bits), func(t *testing.T) {
			r := rand.New(rand.NewPCG(33, uint64(w.bits)))
			qmax := qmaxOf(w.bits)
			halves := 0
			for range testenv.UnlessShort(400, 100) {
				// Scales of few bits have exact midpoints, others only neighbours of them.
				peak := float32(math.Ldexp(float64(1+r.IntN(1<<r.IntN(24))), r.IntN(200)-100)) * float32(qmax)
				scale := float32(float64(peak) / float64(qmax))
				values := []float32{peak}
				for range 40 {
					middle := float32((float64(r.IntN(2*qmax)-qmax) + .5) * float64(scale))
					values = append(values, middle, math.Nextafter32(middle, 0), math.Nextafter32(middle, 2*middle))
				}
				cfg := tensorq.DefaultQuantConfig()
				cfg.BlockSize = len(values)
				b := quantized(t, values, w.bits, cfg)[0]
				if b.Scale != scale {
					t.Fatalf("scale %v, want %v", b.Scale, scale)
				}
				for i, x := range values {
					if want := nearest(x, scale, qmax); int(b.Codes[i]) != want {
						t.Fatalf("%v by scale %v became %d, want %d", x, scale, b.Codes[i], want)
					}
					if q := math.Abs(float64(x) / float64(scale)); q-math.Floor(q) == .5 {
						halves++
					}
				}
			}
			if halves < testenv.UnlessShort(1000, 250) {
				t.Errorf("only %d exact midpoints were tried", halves)
			}
		})
	}
}

func TestRMS(t *testing.T) {
	n := testenv.UnlessShort(1<<20, 1<<17)
	for _, w := range widths {
		rms := func(d func(r *rand.Rand) float64) float64 {
			values := tensor(34, n, d)
			blocks := quantized(t, values, w.bits, tensorq.DefaultQuantConfig())
			out := make([]float32, n)
			if _, err := tensorq.Dequantize(blocks, out); err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for i, v := range values {
				share := (float64(v) - float64(out[i])) / float64(tensorq.MaxAbs(values[i/64*64:i/64*64+64]))
				sum += share * share
			}
			return math.Sqrt(sum / float64(n))
		}
		t.Run(fmt.Sprintf("S3.34/uniform/%d_bits", w.bits), func(t *testing.T) {
			// The largest value of 64 has no error, which takes 1/128 off; what chance adds
			// in 10⁶ values is below 0.1 %.
			if got := rms(distributions[0].draw); math.Abs(got/w.rms-1) > .03 {
				t.Errorf("%.5f of the maximum, want %.5f within 3 %%", got, w.rms)
			}
		})
		t.Run(fmt.Sprintf("S3.34/heavy_tailed/%d_bits", w.bits), func(t *testing.T) {
			// Student's t with 2 degrees of freedom is spread over many steps at 5 bits and
			// more, so that errors are uniform within a step. At 3 bits most values fall
			// into the step around 0, where the error is the value and small ones are more
			// frequent: a simulation of 6,000 blocks in Python gives 0.855 of scale/√12.
			want := w.rms
			if w.bits == 3 {
				want *= .855
			}
			if got := rms(heavyTailed); math.Abs(got/want-1) > .03 {
				t.Errorf("%.5f of the maximum, want %.5f within 3 %%", got, want)
			}
		})
	}
}
