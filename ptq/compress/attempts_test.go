package compress

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// By hand: of 2.5 % the smallest has 1.25 %, the two that follow 0.625 % each. What the last one passes
// with goes to the one before, what one fails with is lost.
func TestFallbackByHand(t *testing.T) {
	for _, c := range []struct {
		passes  []bool // smallest first
		carried float64
		alphas  []float64 // in units of 0.625 %
		left    float64
	}{
		{[]bool{false, false, false}, 0, []float64{2, 1, 1}, 0},
		{[]bool{true, true, true}, 0, []float64{4, 2, 1}, 4},
		{[]bool{true, false, true}, 0, []float64{2, 2, 1}, 2},
		{[]bool{false, true, false}, 0, []float64{3, 1, 1}, 0},
		{[]bool{true, true, true}, 4, []float64{8, 6, 5}, 8},
		{[]bool{true, true, false}, 4, []float64{3, 1, 5}, 3},
		{[]bool{true}, 0, []float64{4}, 4},
	} {
		const unit = 0.00625
		all := make([]attempt, len(c.passes))
		divide(all, false, 4*unit)
		at := len(all)
		left, err := fallback(all, c.carried*unit, func(a *attempt) error {
			at--
			a.passed = c.passes[at]
			return nil
		})
		var got []float64
		for _, a := range all {
			got = append(got, math.Round(1e9*a.alpha/unit)/1e9)
		}
		if err != nil || math.Abs(left/unit-c.left) > 1e-9 || !slices.Equal(got, c.alphas) {
			t.Errorf("%v passing, %v carried: %v, %v left, want %v and %v", c.passes, c.carried, got, left/unit, c.alphas, c.left)
		}
	}
}

// By hand: of pruned ones the last has a half, the others of the rest what whole ones have of all.
func TestDivide(t *testing.T) {
	for _, c := range []struct {
		n             int
		whole, pruned []float64
	}{
		{1, []float64{1}, []float64{1}},
		{2, []float64{0.5, 0.5}, []float64{0.5, 0.5}},
		{4, []float64{0.5, 0.25, 0.125, 0.125}, []float64{0.25, 0.125, 0.125, 0.5}},
	} {
		for pruned, want := range map[bool][]float64{false: c.whole, true: c.pruned} {
			all := make([]attempt, c.n)
			divide(all, pruned, 1)
			for i, a := range all {
				if a.alpha != want[i] {
					t.Errorf("%d attempts, pruned %t: %+v, want %v", c.n, pruned, all, want)
					break
				}
			}
		}
	}
}

// If all candidates, or the smallest of them, lose too much, one of them passes with no more
// than the probability of error of all, whether their tests are independent, alike or opposed.
func TestFallbackErrs(t *testing.T) {
	const trials, alpha = 20_000, 0.025
	r := rand.New(rand.NewPCG(3, 4))
	for name, draw := range map[string]func(p []float64){
		"independent": func(p []float64) {
			for i := range p {
				p[i] = r.Float64()
			}
		},
		"alike": func(p []float64) { p[0] = r.Float64(); copy(p[1:], slices.Repeat(p[:1], len(p)-1)) },
		"opposed": func(p []float64) {
			p[0] = r.Float64()
			for i := range p {
				p[i] = p[0]
				if i%2 == 1 {
					p[i] = 1 - p[0]
				}
			}
		},
	} {
		for bad := 1; bad <= 2*mostAttempts; bad++ { // so many lose too much, the smallest first
			errs := 0
			p := make([]float64, 2*mostAttempts)
			for range trials {
				draw(p)
				whole, pruned := make([]attempt, mostAttempts), make([]attempt, mostAttempts)
				divide(whole, false, alpha)
				divide(pruned, true, alpha)
				at, wrong := 2*mostAttempts, false
				test := func(a *attempt) error {
					at--
					a.passed = at >= bad || p[at] <= a.alpha
					wrong = wrong || a.passed && at < bad
					return nil
				}
				carried, _ := fallback(whole, 0, test)
				if _, err := fallback(pruned, carried, test); err != nil {
					t.Fatal(err)
				}
				if wrong {
					errs++
				}
			}
			// 5 standard errors: √(0.05·0.95/20,000) = 0.0015.
			if rate := float64(errs) / trials; rate > 2*alpha+5*0.0015 {
				t.Errorf("%s, %d candidates lose too much: one of them passes in %.2f %% of all searches", name, bad, 100*rate)
			}
		}
	}
}
