package gradients_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"boost/gradients"
	"boost/internal/rng"
	"boost/internal/testenv"
	"boost/parallel"
)

// mvsByTheRule returns each row's probability: the sizes are put in order and the number of
// rows that are kept for certain is tried from 0 on.
func mvsByTheRule(b *gradients.Buffer, fraction, lambda float64) []float64 {
	if lambda == gradients.AutoLambda {
		var grad, hess float64
		for i := range b.Grad {
			grad, hess = grad+math.Abs(float64(b.Grad[i])), hess+math.Abs(float64(b.Hess[i]))
		}
		lambda = 0
		if hess > 0 {
			lambda = grad / hess * (grad / hess)
		}
	}
	size := make([]float64, b.Rows)
	for i := range size {
		sum := 0.0
		for k := range b.Outputs {
			g, h := float64(b.Grad[k*b.Rows+i]), float64(b.Hess[k*b.Rows+i])
			sum += g*g + lambda*h*h
		}
		size[i] = float64(float32(math.Sqrt(sum)))
	}
	order := slices.Clone(size)
	slices.Sort(order)
	below := make([]float64, len(order)+1) // sums of the smallest
	for i, s := range order {
		below[i+1] = below[i] + s
	}
	want, mu := fraction*float64(b.Rows), 0.0
	for certain := 0; float64(certain) < want; certain++ {
		rest := len(order) - certain
		mu = below[rest] / (want - float64(certain))
		if order[rest-1] < mu {
			break
		}
	}
	for i, s := range size {
		if size[i] = 1; s < mu {
			size[i] = s / mu
		}
	}
	return size
}

// sampleMvs returns the rows of a sample and the weighted buffer.
func sampleMvs(b *gradients.Buffer, fraction, lambda float64, threads int, seed uint64, round int) ([]uint32, *gradients.Buffer) {
	c := gradients.NewBuffer(b.Rows, b.Outputs)
	copy(c.Grad, b.Grad)
	copy(c.Hess, b.Hess)
	pool := parallel.NewPool(threads)
	defer pool.Close()
	bag := gradients.NewBag(b.Rows)
	gradients.NewMvs(b.Rows, fraction, lambda, pool).Sample(bag, c, seed, round)
	return rowsOf(bag, b.Rows), c
}

func mvsBuffers(rows, outputs int) map[string]*gradients.Buffer {
	r := rand.New(rand.NewPCG(uint64(rows), uint64(outputs)))
	buffers := map[string]*gradients.Buffer{}
	for _, kind := range []string{"normal", "skewed", "ties", "equal", "zero gradients", "zero"} {
		b := gradients.NewBuffer(rows, outputs)
		for i := range b.Grad {
			switch kind {
			case "normal":
				b.Grad[i], b.Hess[i] = float32(r.NormFloat64()), r.Float32()
			case "skewed": // over six decades
				b.Grad[i], b.Hess[i] = float32(math.Exp(3*r.NormFloat64())), 1
			case "ties":
				b.Grad[i], b.Hess[i] = float32(r.IntN(5)-2), 0.5
			case "equal":
				b.Grad[i], b.Hess[i] = -0.5, 1
			case "zero gradients":
				b.Hess[i] = r.Float32()
			}
		}
		buffers[kind] = b
	}
	return buffers
}

// A sample against the rule: who is in it, by which weight, for any number of threads.
func TestMvs(t *testing.T) {
	testenv.Unraced(t)
	for _, outputs := range []int{1, 3} {
		for _, rows := range []int{1, 2, 1001, 70_001} {
			for kind, b := range mvsBuffers(rows, outputs) {
				for _, lambda := range []float64{gradients.AutoLambda, 0, 2.5}[:testenv.UnlessShort(3, 1)] {
					for _, fraction := range []float64{0.1, 0.97, 0.5, 1}[:testenv.UnlessShort(4, 2)] {
						t.Run(fmt.Sprintf("%s/outputs=%d/rows=%d/lambda=%v/fraction=%v", kind, outputs, rows, lambda, fraction), func(t *testing.T) {
							probability := mvsByTheRule(b, fraction, lambda)
							key := rng.Key(11, rng.MvsRows, 5, 0)
							var want []uint32
							for row, p := range probability {
								if 1-rng.Unit(rng.Draw(key, uint64(row))) <= p {
									want = append(want, uint32(row))
								}
							}
							for _, threads := range []int{1, 3} {
								in, weighted := sampleMvs(b, fraction, lambda, threads, 11, 5)
								if !slices.Equal(in, want) {
									t.Fatalf("%d threads: %d rows are in the bag, want %d", threads, len(in), len(want))
								}
								for _, row := range in {
									for k := range outputs {
										at := k*rows + int(row)
										if !weighedBy(weighted.Grad[at], b.Grad[at], probability[row]) || !weighedBy(weighted.Hess[at], b.Hess[at], probability[row]) {
											t.Fatalf("row %d: (%v, %v) became (%v, %v), probability %v", row, b.Grad[at], b.Hess[at], weighted.Grad[at], weighted.Hess[at], probability[row])
										}
									}
								}
							}
						})
					}
				}
			}
		}
	}
}

// weighedBy reports whether after is before/p, in float32; what is kept for certain is not touched.
func weighedBy(after, before float32, p float64) bool {
	if p == 1 {
		return after == before
	}
	want := float64(before) / p
	return math.Abs(float64(after)-want) <= 1e-6*math.Abs(want)
}

// By hand: of the sizes 5 = √(3² + 4²), 1, 1, 1, two are to be kept. If none were certain μ
// would be 8/2 = 4, which the first passes; with it certain μ is 3/(2-1) = 3.
func TestMvsByHand(t *testing.T) {
	b := &gradients.Buffer{Rows: 4, Outputs: 1, Grad: []float32{-3, 1, 0, -1}, Hess: []float32{2, 0, 0.5, 0}}
	const samples, lambda = 10_000, 4 // 4·2² = 4², 4·0.5² = 1
	var seen [4]int
	for round := range samples {
		in, weighted := sampleMvs(b, 0.5, lambda, 1, 1, round)
		for _, row := range in {
			seen[row]++
			weight := float32(3)
			if row == 0 {
				weight = 1
			}
			if weighted.Grad[row] != b.Grad[row]*weight || weighted.Hess[row] != b.Hess[row]*weight {
				t.Fatalf("row %d: (%v, %v), want %v times (%v, %v)", row, weighted.Grad[row], weighted.Hess[row], weight, b.Grad[row], b.Hess[row])
			}
		}
	}
	if seen[0] != samples {
		t.Errorf("row 0 is in %d of %d samples", seen[0], samples)
	}
	for row := 1; row < 4; row++ {
		if deviation := math.Sqrt(samples * 2.0 / 9); math.Abs(float64(seen[row])-samples/3.0) > 5*deviation {
			t.Errorf("row %d is in %d of %d samples, want a third", row, seen[row], samples)
		}
	}
}

// On average a sample has the wanted number of rows, and its weighted gradients and
// hessians have the sums of all rows: within five standard errors.
func TestMvsIsUnbiased(t *testing.T) {
	const rows, samples, fraction = 3000, 800, 0.2
	for kind, b := range mvsBuffers(rows, 2) {
		if strings.HasPrefix(kind, "zero") { // all sizes are 0: all rows are kept
			continue
		}
		t.Run(kind, func(t *testing.T) {
			var n, grad, hess, varN, varGrad, varHess, wantGrad, wantHess float64
			for row, p := range mvsByTheRule(b, fraction, gradients.AutoLambda) {
				g, h := float64(b.Grad[row]), float64(b.Hess[row])
				wantGrad, wantHess = wantGrad+g, wantHess+h
				if p > 0 {
					varN, varGrad, varHess = varN+p*(1-p), varGrad+g*g*(1/p-1), varHess+h*h*(1/p-1)
				}
			}
			for round := range samples {
				in, weighted := sampleMvs(b, fraction, gradients.AutoLambda, 1, 3, round)
				n += float64(len(in)) / samples
				for _, row := range in {
					grad += float64(weighted.Grad[row]) / samples
					hess += float64(weighted.Hess[row]) / samples
				}
			}
			for name, v := range map[string][3]float64{
				"rows": {n, fraction * rows, varN}, "gradients": {grad, wantGrad, varGrad}, "hessians": {hess, wantHess, varHess},
			} {
				if math.Abs(v[0]-v[1]) > 5*math.Sqrt(v[2]/samples)+1e-5*math.Abs(v[1]) {
					t.Errorf("%s: %v on average, want %v ± %v", name, v[0], v[1], math.Sqrt(v[2]/samples))
				}
			}
		})
	}
}

// A value that is no number is left in for the quantizer to refuse, and draws no other out
// of the bag that would be certain without it.
func TestMvsKeepsWhatIsNoNumber(t *testing.T) {
	for _, odd := range []float32{float32(math.NaN()), float32(math.Inf(-1)), math.MaxFloat32} {
		b := gradients.NewBuffer(1000, 1)
		for i := range b.Grad {
			b.Grad[i], b.Hess[i] = 1, 1
		}
		b.Grad[321] = odd
		if in, _ := sampleMvs(b, 0.3, 1, 1, 1, 1); !slices.Contains(in, 321) {
			t.Errorf("%v is not among the %d rows kept", odd, len(in))
		}
	}
}

// BenchmarkMvs times a round's sample of 1M rows.
func BenchmarkMvs(b *testing.B) {
	const rows = 1 << 20
	buffer := mvsBuffers(rows, 1)["normal"]
	pool := parallel.NewPool(1)
	defer pool.Close()
	bag, m := gradients.NewBag(rows), gradients.NewMvs(rows, 0.2, gradients.AutoLambda, pool)
	grad, hess := slices.Clone(buffer.Grad), slices.Clone(buffer.Hess)
	b.ReportAllocs()
	for b.Loop() {
		copy(buffer.Grad, grad)
		copy(buffer.Hess, hess)
		m.Sample(bag, buffer, 1, 1)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
}
