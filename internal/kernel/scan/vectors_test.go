package scan_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"boost/internal/cpu"
	"boost/internal/kernel/scan"
	"boost/internal/testenv"
)

// bothForms scans a feature in Go and by vectors, which use turns on, and compares the answers bit by bit.
func bothForms(t *testing.T, use func(), try int, f *scan.Feature[int64, uint64], rule *scan.Rule) scan.Split[int64, uint64] {
	t.Helper()
	scan.UseGo(true)
	want := scan.Numeric(f, rule)
	use()
	got := scan.Numeric(f, rule)
	if got != want || math.Float64bits(got.Gain) != math.Float64bits(want.Gain) {
		t.Fatalf("try %d, %d codes, %+v:\n%+v, in Go\n%+v", try, len(f.Grad), *rule, got, want)
	}
	return got
}

// Vectors give the answers of the Go form: every number of codes up to several vectors,
// features with ties, empty codes at the start, between and at the end, missing rows,
// and rules that refuse a part of the candidates or all of them.
func TestVectorsGiveGoAnswers(t *testing.T) {
	defer scan.UseGo(false)
	for _, set := range []cpu.Level{cpu.AVX2, cpu.AVX512} {
		t.Run(set.String(), func(t *testing.T) {
			testenv.Vectors(t, set)
			vectorsGiveGoAnswers(t, func() { scan.Use(set) })
		})
	}
}

func vectorsGiveGoAnswers(t *testing.T, use func()) {
	r := rand.New(rand.NewPCG(21, 0))
	found, unproven, left := 0, 0, 0
	for try := range 20_000 {
		qmax := []uint64{3, 65535, math.MaxUint32}[r.IntN(3)]
		n := randomNode(r, 1+r.IntN([]int{5, 60, 400}[r.IntN(3)]), 1+r.IntN(71), qmax)
		f := n.feature(false)
		rule := randomRule(r)
		if r.IntN(3) > 0 {
			rule.L1 = 0
		}
		if r.IntN(8) == 0 {
			rule.L2 = []float64{5e-324, 1e-300, 1e300}[r.IntN(3)]
		}
		if r.IntN(8) == 0 {
			rule.GradScale = []float64{5e-324, 1e-200, 1e150}[r.IntN(3)]
		}
		if r.IntN(8) == 0 {
			rule.HessScale = []float64{0, 5e-324, 1e-300, 1e-15, 1e150, 1e300}[r.IntN(6)]
		}
		if r.IntN(8) == 0 { // among them those that a sum meets exactly, or misses by a rounding
			rule.MinChild = []float64{5e-324, 1e-90, 1e300, rule.HessScale * float64(r.Uint64N(4*qmax)), math.Inf(1), math.NaN()}[r.IntN(6)]
			if r.IntN(2) == 0 {
				rule.MinChild = math.Nextafter(rule.MinChild, 1e308)
			}
		}
		if try%16 == 0 { // gains are right to the last digit, and their products with denominators lose many
			rule.L1, rule.L2, rule.MinChild, rule.HessScale, rule.GradScale = 0, 0, 1e-15, 1e-15, math.Pow(10, float64(-162+r.IntN(12)))
		}
		rule.ProofHess = (rule.MinRows - 1) * qmax
		rule.EqualHess = r.IntN(3) == 0
		n.leastSide(&rule)
		s := bothForms(t, use, try, f, &rule)
		if s.Found {
			found++
			checkLeast(t, use, try, f, &rule, s)
		}
		if s.Unproven {
			unproven++
		}
		if s.MissingLeft {
			left++
		}
	}
	if found < 5000 || unproven < 1000 || left < 1000 {
		t.Errorf("%d found, %d unproven, %d with missing rows on the left: too few of a kind", found, unproven, left)
	}
}

// checkLeast searches again with a least gain: what is at least that good is found, as without
// it, and nothing else.
func checkLeast(t *testing.T, use func(), try int, f *scan.Feature[int64, uint64], rule *scan.Rule, best scan.Split[int64, uint64]) {
	t.Helper()
	for _, share := range []float64{1e-9, 0.5, 1 - 1e-6, 1} {
		bounded := *f
		bounded.Least = best.Gain * share
		if got := bothForms(t, use, try, &bounded, rule); got != best && !(math.IsInf(best.Gain, 0) || math.IsNaN(best.Gain)) {
			t.Fatalf("try %d: with %v of the best gain as the least %+v, without one %+v", try, share, got, best)
		}
	}
	above := *f
	if above.Least = math.Nextafter(best.Gain, math.Inf(1)); math.IsInf(above.Least, 0) {
		return
	}
	if got := bothForms(t, use, try, &above, rule); got.Found {
		t.Fatalf("try %d: a least gain above the best, %v, finds %+v", try, best.Gain, got)
	}
}

// Sums near their limits, 2³¹ rows of 32-bit codes, and a feature of many codes; and around
// 2⁵¹, the limit of the form of four lanes, which sums of gradients may pass on their way to a
// small total.
func TestVectorsHoldLargeSums(t *testing.T) {
	defer scan.UseGo(false)
	for _, set := range []cpu.Level{cpu.AVX2, cpu.AVX512} {
		t.Run(set.String(), func(t *testing.T) {
			testenv.Vectors(t, set)
			vectorsHoldLargeSums(t, func() { scan.Use(set) })
		})
	}
}

func vectorsHoldLargeSums(t *testing.T, use func()) {
	r := rand.New(rand.NewPCG(22, 0))
	for try := range 2000 {
		codes := []int{12, 17, 255, 4000}[r.IntN(4)]
		smaller := []int{0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}[r.IntN(12)]
		f := &scan.Feature[int64, uint64]{Grad: make([]int64, codes), Hess: make([]uint64, codes), Regular: codes - r.IntN(2)}
		for c := range codes {
			if r.IntN(4) == 0 {
				continue
			}
			f.Grad[c] = (1<<61 - r.Int64N(1<<62)) / int64(codes)
			f.Hess[c] = uint64(r.Int64N(1<<62)) / uint64(codes)
			f.Grad[c] >>= smaller
			f.Hess[c] >>= smaller + r.IntN(2)*10
			f.Total.Grad += f.Grad[c]
			f.Total.Hess += f.Hess[c]
		}
		rule := scan.Rule{MinChild: 1e-3, GradScale: 1e-9, HessScale: 1e-9, MinRows: 20, ProofHess: 1 << 58}
		bothForms(t, use, try, f, &rule)
	}
}
