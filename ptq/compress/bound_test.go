package compress_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"boost/ptq"
	"boost/ptq/compress"
)

// No choice of leaves moves a sum of real numbers by more than Bound, nor one that is added up in
// float64 by more than ScoreBound: sums of 200 leaves of very different size, against sums
// without rounding.
func TestBound(t *testing.T) { t.Run("S3.60/any_choice_of_leaves", checkBound) }

func checkBound(t *testing.T) {
	const trees = 200
	cases := 0
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 2))
		leaves := drawn(seed, 2*trees, 9)
		for i := range leaves {
			for k := range leaves[i] {
				leaves[i][k] = math.Ldexp(leaves[i][k], r.IntN(20*int(seed)+1))
			}
		}
		m := forest(t, 2, leaves...)
		for _, form := range []ptq.Form{ptq.FormOf(ptq.F64), ptq.FormOf(ptq.F32), ptq.FormOf(ptq.I32), ptq.FormOf(ptq.I8), ptq.FormOf(ptq.U4), ptq.FormQ4_0, ptq.FormCold2} {
			l := morph(t, m, form, compress.Calibration{})
			got := stored(l)
			for range 400 {
				k, start := r.IntN(2), r.NormFloat64()*100
				a, b := start, start
				exact := new(big.Float).SetPrec(2000)
				for i := k; i < len(leaves); i += 2 {
					leaf := r.IntN(9)
					x, y := leaves[i][leaf], got[9*i+leaf]
					a, b = a+x, b+y
					exact.Add(exact, new(big.Float).SetPrec(2000).Sub(big.NewFloat(x), big.NewFloat(y)))
				}
				if exact.Abs(exact).Cmp(big.NewFloat(l.Bound[k])) > 0 {
					t.Fatalf("%s: real sums differ by %v, bound %v", form, exact, l.Bound[k])
				}
				computed := new(big.Float).SetPrec(2000).Sub(big.NewFloat(a), big.NewFloat(b))
				if computed.Abs(computed).Cmp(big.NewFloat(l.ScoreBound(k, start))) > 0 {
					t.Fatalf("%s: scores differ by %v, bound %v", form, computed, l.ScoreBound(k, start))
				}
				cases++
			}
			if form == ptq.FormOf(ptq.F64) && (l.Bound[0] != 0 || l.ScoreBound(0, 1e300) != 0) {
				t.Errorf("what has not changed is bound by %v and %v", l.Bound[0], l.ScoreBound(0, 1e300))
			}
		}
	}
	if cases < 10_000 {
		t.Errorf("%d cases", cases)
	}
}

// The bound is reached: a row in the worst leaf of every tree, all errors of one sign.
func TestBoundIsTight(t *testing.T) { t.Run("S3.60/tight", checkBoundIsTight) }

func checkBoundIsTight(t *testing.T) {
	// I2 by model: scale 1; 0.75 and 0.625 become 1, errors 0.25 and 0.375.
	m := forest(t, 1, []float64{1, 0.75}, []float64{-1, 0.625})
	l := morph(t, m, ptq.FormOf(ptq.I2), compress.Calibration{})
	out, err := l.Apply(m)
	if err != nil {
		t.Fatal(err)
	}
	x := column(t, []float64{1}, nil)
	if got := raw(t, out, x)[0] - raw(t, m, x)[0]; got != 0.625 || l.Bound[0] != 0.625 {
		t.Errorf("the score moves by %v, bound %v, want 0.625", got, l.Bound[0])
	}
	if s := l.ScoreBound(0, 0); !(s > 0.625 && s < 0.625*(1+1e-14)) {
		t.Errorf("computed scores are bound by %v", s)
	}
	// A sum that float64 cannot hold is rounded up: 1 + 2⁻⁶⁰ is more than 1.
	small := math.Ldexp(1, -60)
	m = forest(t, 1, []float64{2, 1}, []float64{2, small})
	l = morph(t, m, ptq.FormOf(ptq.Ternary), compress.Calibration{})
	if want := math.Nextafter(1, 2); l.Bound[0] != want {
		t.Errorf("the bound of errors 1 and 2⁻⁶⁰ is %v, want %v", l.Bound[0], want)
	}
}
