package scan_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/kernel/scan"
)

func randomRule(r *rand.Rand) scan.Rule {
	pick := func(v ...float64) float64 { return v[r.IntN(len(v))] }
	return scan.Rule{
		L1: pick(0, 0, 0.7, 30), L2: pick(0, 0, 1, 12.5), MinChild: pick(0, 1e-3, 5),
		GradScale: pick(1, 0.1, 1e-5, 3), HessScale: pick(1, 0.3, 1e-6),
		MinRows: uint64(1 + r.IntN(1+r.IntN(20))),
	}
}

// check compares a scan with the reference and its left sums with the rows.
func check(t *testing.T, name string, got scan.Split[int64, uint64], want best, n *node, goesLeft func(code int) bool) {
	t.Helper()
	if got.Found != want.found {
		t.Fatalf("%s: found %v, want %v", name, got.Found, want.found)
	}
	if !want.found {
		return
	}
	if math.Float64bits(got.Gain) != math.Float64bits(want.gain) || got.MissingLeft != want.missingLeft {
		t.Fatalf("%s: gain %v missing left %v, want %v %v", name, got.Gain, got.MissingLeft, want.gain, want.missingLeft)
	}
	left, _ := n.sides(goesLeft)
	if !left.grad.IsInt64() || left.grad.Int64() != got.Left.Grad || left.hess.Uint64() != got.Left.Hess {
		t.Fatalf("%s: left sums (%d, %d), the rows' are (%v, %v)", name, got.Left.Grad, got.Left.Hess, &left.grad, &left.hess)
	}
}

func TestNumericEqualsBigIntegers(t *testing.T) {
	t.Run("S2.23/counted", func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 0))
		for try := range 10_000 {
			n := randomNode(r, 1+r.IntN(60), 1+r.IntN([]int{9, 9, 70}[r.IntN(3)]), []uint64{3, 65535, math.MaxUint32}[r.IntN(3)])
			rule := randomRule(r)
			got := scan.Numeric(n.feature(true), &rule)
			want := n.numeric(&rule)
			check(t, fmt.Sprintf("try %d", try), got, want, n, func(c int) bool {
				if c == n.regular {
					return want.missingLeft
				}
				return c <= want.code
			})
			if got.Found && got.Code != want.code {
				t.Fatalf("try %d: cut after code %d, want %d", try, got.Code, want.code)
			}
		}
	})
	// Without counts the scan may not know whether a side has enough rows, but it must say
	// so, and its gain must then bound every allowed split's.
	t.Run("S2.17/unproven_bounds", func(t *testing.T) {
		r := rand.New(rand.NewPCG(2, 0))
		proven, unproven := 0, 0
		for try := range 10_000 {
			const qmax = 65535
			n := randomNode(r, 1+r.IntN(60), 1+r.IntN(9), qmax)
			rule := randomRule(r)
			rule.ProofHess = (rule.MinRows - 1) * qmax
			rule.EqualHess = !slices.ContainsFunc(n.hess, func(h uint64) bool { return h != qmax })
			n.leastSide(&rule)
			got := scan.Numeric(n.feature(false), &rule)
			want := n.numeric(&rule)
			all, _ := n.sides(func(int) bool { return true })
			if want.found && want.gain <= all.score(&rule, rule.L2) && got.Gain <= want.gain {
				continue // not better than no split: neither is ever made
			}
			if got.Found && got.Unproven {
				unproven++
				if rule.EqualHess {
					t.Fatalf("try %d: equal hessians leave something to prove", try)
				}
				if want.found && want.gain > got.Gain {
					t.Fatalf("try %d: the bound %v lies below an allowed gain %v", try, got.Gain, want.gain)
				}
				continue
			}
			if want.found != got.Found || got.Found && (got.Gain != want.gain || got.Code != want.code) {
				t.Fatalf("try %d: %+v, want %+v", try, got, want)
			}
			proven++
		}
		if proven < 1000 || unproven < 1000 {
			t.Errorf("%d proven and %d unproven answers: too few of a kind", proven, unproven)
		}
	})
}

func TestCategoricalEqualsBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	var scratch scan.CatScratch // kept between features of different sizes
	kinds := map[scan.Grouping]int{}
	for try := range 10_000 {
		n := randomNode(r, 1+r.IntN(120), 1+r.IntN([]int{12, 60}[r.IntN(2)]), []uint64{3, 65535}[r.IntN(2)])
		rule := randomRule(r)
		cat := scan.CatRule{
			OneHotMax: r.IntN(6), Smooth: []float64{0, 1, 10}[r.IntN(3)], L2: []float64{0, 10}[r.IntN(2)],
			MaxPerSide: []int{1 + r.IntN(8), 70}[r.IntN(2)], MinPerGroup: []float64{0, 5, 30}[r.IntN(3)], NodeRows: uint64(len(n.codes)),
		}
		f := n.feature(true)
		got, grouping := scan.Categorical(f, &rule, &cat, &scratch)
		want := n.categorical(&rule, &cat)
		name := fmt.Sprintf("try %d, grouping %d", try, grouping)
		check(t, name, got, want, n, func(c int) bool {
			if c == n.regular {
				return want.missingLeft
			}
			return slices.Contains(want.set, uint32(c))
		})
		if !got.Found {
			continue
		}
		kinds[grouping]++
		if set := scan.Set(f, &rule, &cat, &scratch, got, grouping); !slices.Equal(set, want.set) {
			t.Fatalf("%s: set %v, want %v", name, set, want.set)
		}
	}
	for g := scan.OneLevel; g <= scan.MissingOnly; g++ {
		if kinds[g] < 20 {
			t.Errorf("grouping %d won %d times only", g, kinds[g])
		}
	}
}

// plain is a rule that forbids nothing and scales nothing.
func plain() scan.Rule { return scan.Rule{GradScale: 1, HessScale: 1, MinRows: 1} }

func TestMissing(t *testing.T) {
	feature := func(grad []int64, hess []uint64, count []uint32) *scan.Feature[int64, uint64] {
		f := &scan.Feature[int64, uint64]{Grad: grad, Hess: hess, Count: count, Regular: len(grad) - 1}
		for i := range grad {
			f.Total.Grad += grad[i]
			f.Total.Hess += hess[i]
			f.Total.Rows += uint64(count[i])
		}
		return f
	}
	two := []uint64{2, 2, 2}
	twos := []uint32{2, 2, 2}
	rule := plain()
	for name, c := range map[string]struct {
		f           *scan.Feature[int64, uint64]
		code        int
		missingLeft bool
		gain        float64
	}{
		// Missing rows look like code 0: (4+4)²/4 + 6²/2 = 34 beats 4²/2 + 2²/4.
		"S2.24/left": {feature([]int64{4, -6, 4}, two, twos), 0, true, 34},
		// They look like code 1: 6²/2 + 8²/4 = 34.
		"S2.24/right": {feature([]int64{6, -4, -4}, two, twos), 0, false, 34},
		// They look like nothing else: present 6²/4 against missing 8²/2, and 41 beats all cuts.
		"S2.24/missing_only": {feature([]int64{3, 3, -8}, two, twos), 1, false, 41},
		// None of them in this node: one direction only, to be decided by the partition.
		"S2.24/none": {feature([]int64{4, -4, 0}, []uint64{2, 2, 0}, []uint32{2, 2, 0}), 0, false, 16},
		// They change nothing: equal gains, missing left first.
		"S2.24/equal_left_first": {feature([]int64{4, -4, 0}, []uint64{2, 2, 0}, []uint32{2, 2, 1}), 0, true, 16},
	} {
		t.Run(name, func(t *testing.T) {
			got := scan.Numeric(c.f, &rule)
			if !got.Found || got.Code != c.code || got.MissingLeft != c.missingLeft || got.Gain != c.gain {
				t.Errorf("split %+v, want cut after %d, missing left %v, gain %v", got, c.code, c.missingLeft, c.gain)
			}
		})
	}
	t.Run("S2.24/one_hot_both_sides", func(t *testing.T) {
		var s scan.CatScratch
		got, grouping := scan.Categorical(feature([]int64{4, -6, 4}, two, twos), &rule, &scan.CatRule{OneHotMax: 4, NodeRows: 6}, &s)
		if grouping != scan.OneLevel || got.Code != 0 || !got.MissingLeft || got.Gain != 34 {
			t.Errorf("split %+v by grouping %d, want level 0 with the missing rows, gain 34", got, grouping)
		}
		got, grouping = scan.Categorical(feature([]int64{3, 3, -8}, two, twos), &rule, &scan.CatRule{OneHotMax: 4, NodeRows: 6}, &s)
		if grouping != scan.MissingOnly || !got.MissingLeft || got.Gain != 41 {
			t.Errorf("split %+v by grouping %d, want the missing rows alone on the left, gain 41", got, grouping)
		}
	})
}

// In mode f32 a slot that a subtraction emptied may keep a rounding error: what has no
// rows is not missing.
func TestFloatResidueIsNotMissing(t *testing.T) {
	t.Run("S2.24/f32_residue", func(t *testing.T) {
		rule := plain()
		f := &scan.Feature[float64, float64]{
			Grad: []float64{-4, 4, -1e-3}, Hess: []float64{2, 2, 0}, Count: []uint32{2, 2, 0}, Regular: 2,
			Total: scan.Sums[float64, float64]{Grad: -1e-3, Hess: 4, Rows: 4},
		}
		if got := scan.Numeric(f, &rule); got.MissingLeft {
			t.Errorf("split %+v sends missing rows left where there are none", got)
		}
	})
}

func TestPartAndValue(t *testing.T) {
	for _, c := range []struct{ l1, l2, g, h, part, value float64 }{
		{0, 0, 6, 2, 18, -3},
		{0, 1, 6, 2, 12, -2},
		{2, 0, 6, 2, 8, -2},
		{2, 0, -6, 2, 8, 2},
		{7, 0, 6, 2, 0, 0},
		{0, 0, 6, 0, 0, 0}, // nothing to divide by
		{0, 0, 0, 0, 0, 0},
	} {
		r := scan.Rule{L1: c.l1}
		if got := r.Part(c.g, c.h, c.l2); got != c.part {
			t.Errorf("l1 %v: Part(%v, %v, %v) = %v, want %v", c.l1, c.g, c.h, c.l2, got, c.part)
		}
		if got := r.Value(c.g, c.h, c.l2); got != c.value {
			t.Errorf("l1 %v: Value(%v, %v, %v) = %v, want %v", c.l1, c.g, c.h, c.l2, got, c.value)
		}
	}
}

// Sums of codes become floats once, in float64: a float32 on the way would lose the last
// digits of 2⁵³ − 1.
func TestDequantizedSums(t *testing.T) {
	t.Run("S2.6/2^53-1", func(t *testing.T) {
		const big = 1<<53 - 1
		rule := plain()
		f := &scan.Feature[int64, uint64]{Grad: []int64{big, -big}, Hess: []uint64{1, 1}, Count: []uint32{1, 1}, Regular: 2,
			Total: scan.Sums[int64, uint64]{Hess: 2, Rows: 2}}
		want := float64(big)*float64(big) + float64(big)*float64(big)
		if got := scan.Numeric(f, &rule); got.Gain != want {
			t.Errorf("gain %v, want %v", got.Gain, want)
		}
	})
}

func TestScanAllocatesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 0))
	n := randomNode(r, 500, 40, 65535)
	f := n.feature(true)
	rule := plain()
	cat := scan.CatRule{Smooth: 1, L2: 1, MaxPerSide: 32, NodeRows: 500}
	var s scan.CatScratch
	scan.Categorical(f, &rule, &cat, &s)
	if got := testing.AllocsPerRun(20, func() {
		scan.Numeric(f, &rule)
		split, grouping := scan.Categorical(f, &rule, &cat, &s)
		scan.Set(f, &rule, &cat, &s, split, grouping)
	}); got != 0 {
		t.Errorf("a search allocates %v times", got)
	}
}

// Without counts gains are compared before they are divided, and a least gain leaves out what gains less: the
// answer is that of counts, wherever no side may lack rows.
func TestCategoricalWithoutCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 0))
	var scratch scan.CatScratch
	same := 0
	for try := range 10_000 {
		n := randomNode(r, 1+r.IntN(300), 1+r.IntN([]int{12, 200}[r.IntN(2)]), []uint64{3, 65535}[r.IntN(2)])
		rule := randomRule(r)
		rule.MinRows = 1
		cat := scan.CatRule{
			OneHotMax: r.IntN(6), Smooth: []float64{0, 1, 10}[r.IntN(3)], L2: []float64{0, 10}[r.IntN(2)],
			MaxPerSide: []int{1 + r.IntN(8), 70}[r.IntN(2)], MinPerGroup: []float64{0, 5, 30}[r.IntN(3)], NodeRows: uint64(len(n.codes)),
		}
		f := n.feature(false)
		unseen := n.hasMissing && f.Grad[n.regular] == 0 && f.Hess[n.regular] == 0 // rows, if any, that sums do not show
		got, grouping := scan.Categorical(f, &rule, &cat, &scratch)
		if want, how := scan.Categorical(n.feature(true), &rule, &cat, &scratch); !got.Unproven && got.Found == want.Found && !unseen {
			want.Left.Rows = 0
			if got != want || grouping != how {
				t.Fatalf("try %d: %+v by %d, with counts %+v by %d", try, got, grouping, want, how)
			}
			same++
		}
		if !got.Found || !(got.Gain > 0) {
			continue
		}
		for _, share := range []float64{1e-9, 0.5, 1 - 1e-9, 1} {
			f.Least = got.Gain * share
			if again, how := scan.Categorical(f, &rule, &cat, &scratch); again != got || how != grouping {
				t.Fatalf("try %d: with %v of the gain as the least %+v by %d, without one %+v by %d", try, share, again, how, got, grouping)
			}
		}
		if f.Least = math.Nextafter(got.Gain, math.Inf(1)); f.Least > got.Gain {
			if again, _ := scan.Categorical(f, &rule, &cat, &scratch); again.Found {
				t.Fatalf("try %d: a least gain above the best, %v, finds %+v", try, got.Gain, again)
			}
		}
	}
	if same < 3000 {
		t.Errorf("%d answers without counts to compare: too few", same)
	}
}
