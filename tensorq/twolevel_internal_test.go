package tensorq

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"boost/internal/paired"
	"boost/internal/testenv"
)

// plainTwoLevel is the rule of S3.32 as it is written there, one value after the other.
func plainTwoLevel(values []float32, peak float32, fraction float64, block *QuantizedBlock) {
	k := min(int(math.Ceil(float64(len(values))*fraction)), len(values)-1)
	block.TwoLevel = true
	block.Scale, block.SecondaryScale = scaleFor(plainMagnitudeAt(values, k), 3), scaleFor(peak, 3)
	block.Flags = resized(block.Flags, flagBytes(len(values)))
	clear(block.Flags)
	first, second := float64(block.Scale), float64(block.SecondaryScale)
	for i, v := range values {
		x := float64(v)
		a, b := plainMultiple(x, first), plainMultiple(x, second)
		if math.Abs(x-float64(b*second)) < math.Abs(x-float64(a*first)) {
			a = b
			block.Flags[i>>3] |= 1 << (i & 7)
		}
		block.Codes[i] = int8(a)
	}
}

func plainMultiple(x, scale float64) float64 {
	if scale == 0 {
		return 0
	}
	return math.Round(max(-3, min(3, x/scale)))
}

// plainMagnitudeAt finds the answer bit by bit: it is the largest number that more than k reach.
func plainMagnitudeAt(values []float32, k int) float32 {
	var found uint32
	for bit := uint32(1) << 30; bit != 0; bit >>= 1 {
		reached := 0
		for _, v := range values {
			reached += int(((found | bit) - 1 - math.Float32bits(v)&^(1<<31)) >> 31)
		}
		if reached > k {
			found |= bit
		}
	}
	return math.Float32frombits(found)
}

func plainHasOutliers(values []float32, peak float32, threshold float64) bool {
	exceeded := 0
	for _, v := range values {
		if float64(threshold*math.Abs(float64(v))) < float64(peak) {
			exceeded++
		}
	}
	return len(values) > 0 && exceeded > (len(values)-1)/2
}

func TestTwoLevelEqualsPlain(t *testing.T) { t.Run("S3.31/S3.32/equals_plain", equalsPlain) }

func equalsPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(32, 9))
	kinds := []func() float32{
		func() float32 { return float32(r.NormFloat64() / math.Sqrt(r.ExpFloat64())) },
		func() float32 { return float32(r.IntN(7) - 3) }, // ties
		func() float32 { return float32(math.Ldexp(2*r.Float64()-1, r.IntN(276)-148)) },
		func() float32 { return math.Float32frombits(uint32(r.IntN(9)) | uint32(r.IntN(2))<<31) }, // subnormal
		func() float32 { return math.MaxFloat32 * float32(2*r.Float64()-1) },
		func() float32 { return float32(r.IntN(5)/4) * float32(r.NormFloat64()) }, // mostly 0
		func() float32 { return float32(math.Ldexp(float64(r.IntN(33)-16), -1)) }, // halves
	}
	for round := range testenv.UnlessShort(20000, 4000) {
		n := 1 + r.IntN(140)
		if round%500 == 0 {
			n = 1 + r.IntN(3000)
		}
		values := make([]float32, n)
		for i := range values {
			values[i] = kinds[round%len(kinds)]()
		}
		if round%11 == 0 {
			slices.Sort(values)
		}
		peak := MaxAbs(values)
		threshold := 1 + float64(r.IntN(40))/4
		if round%3 == 0 {
			threshold = math.Exp(50 * r.Float64())
		}
		if got, want := hasOutliers(values, peak, threshold), plainHasOutliers(values, peak, threshold); got != want {
			t.Fatalf("threshold %v: %v, want %v, for %v", threshold, got, want, values)
		}
		k := r.IntN(n)
		if got, want := magnitudeAt(values, k), plainMagnitudeAt(values, k); got != want {
			t.Fatalf("magnitude %d is %v, want %v, of %v", k, got, want, values)
		}
		fraction := float64(r.IntN(21)) / 20
		got, want := QuantizedBlock{Bits: 3, Codes: make([]int8, n)}, QuantizedBlock{Bits: 3, Codes: make([]int8, n)}
		quantizeTwoLevel(values, peak, fraction, &got)
		plainTwoLevel(values, peak, fraction, &want)
		if got.Scale != want.Scale || got.SecondaryScale != want.SecondaryScale || !slices.Equal(got.Codes, want.Codes) || !slices.Equal(got.Flags, want.Flags) {
			t.Fatalf("fraction %v of %v:\n%+v, want\n%+v", fraction, values, got, want)
		}
	}
}

// BenchmarkTwoLevel takes turns with the rule as it is written.
func BenchmarkTwoLevel(b *testing.B) {
	r := rand.New(rand.NewPCG(33, 9))
	values := make([]float32, 1<<14)
	for i := range values {
		values[i] = float32(r.NormFloat64() / math.Sqrt(r.ExpFloat64()))
	}
	block := QuantizedBlock{Bits: 3, Codes: make([]int8, 1024)}
	for _, size := range []int{64, 128, 1024} {
		b.Run(map[int]string{64: "n=64", 128: "n=128", 1024: "n=1024"}[size], func(b *testing.B) {
			blocks := func(outliers func([]float32, float32, float64) bool, quantize func([]float32, float32, float64, *QuantizedBlock)) func() {
				return func() {
					for from := 0; from < len(values); from += size {
						part := values[from : from+size]
						block.Codes = block.Codes[:size]
						if peak := MaxAbs(part); outliers(part, peak, 1) {
							quantize(part, peak, 0.05, &block)
						}
					}
				}
			}
			var took []time.Duration
			for b.Loop() {
				took = paired.Times(time.Second, blocks(plainHasOutliers, plainTwoLevel), blocks(hasOutliers, quantizeTwoLevel))
			}
			b.ReportMetric(4*float64(len(values))/float64(took[0].Nanoseconds()), "GB/s_plain")
			b.ReportMetric(4*float64(len(values))/float64(took[1].Nanoseconds()), "GB/s")
			b.ReportMetric(float64(took[0])/float64(took[1]), "x_plain")
		})
	}
}
