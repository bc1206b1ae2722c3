package scan_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/cpu"
	"boost/internal/kernel/hist"
	"boost/internal/kernel/scan"
	"boost/internal/testenv"
)

// packedWords are the packed sums of a feature.
func packedWords(f *scan.Feature[int64, uint64], words []uint64) []uint64 {
	for c := range f.Grad {
		words[c] = hist.Join(f.Grad[c], f.Hess[c])
	}
	return words
}

// packedAsApart searches the packed sums of a feature, and compares the answer with that of the Go form for
// the sums taken apart. It reports whether the vectors could.
func packedAsApart(t *testing.T, set cpu.Level, try int, f *scan.Feature[int64, uint64], words []uint64, rule *scan.Rule) (scan.Split[int64, uint64], bool) {
	t.Helper()
	scan.UseGo(true)
	want := scan.Numeric(f, rule)
	scan.Use(set)
	var p scan.Packed
	p.Prepare(rule, f.Total)
	if !p.Ready() {
		return want, false
	}
	got := scan.Numeric(&scan.Feature[int64, uint64]{Words: packedWords(f, words), Node: &p, Regular: f.Regular, Total: f.Total, Least: f.Least}, rule)
	if got != want || math.Float64bits(got.Gain) != math.Float64bits(want.Gain) {
		t.Fatalf("try %d, %d codes, least %v, %+v:\n%+v, taken apart\n%+v", try, len(f.Grad), f.Least, *rule, got, want)
	}
	checkBound(t, try, &p, f, words, rule, want)
	return want, true
}

// checkBound checks that the bound of a feature is no less than what its best split gains, and hardly more; and the gain
// of a feature of two codes.
func checkBound(t *testing.T, try int, p *scan.Packed, f *scan.Feature[int64, uint64], words []uint64, rule *scan.Rule, want scan.Split[int64, uint64]) {
	t.Helper()
	if f.Least != 0 {
		return
	}
	common, some := 0, uint64(0)
	for c, h := range f.Hess {
		if h > some {
			common, some = c, h
		}
	}
	// Among others, so that it does not begin at the first word.
	spans, padded := make([]scan.Span, 3), append([]uint64{1, 2, 3}, words...)
	span := scan.Span{From: 3, Regular: uint32(f.Regular), Common: uint32(common), Missing: uint32(len(words) - f.Regular)}
	spans[2] = span
	bounds := []float32{-1, -1, -1}
	p.Bounds(bounds, padded, spans, []int{2, 2})
	if bounds[0] != bounds[1] || bounds[2] != -1 {
		t.Fatalf("try %d: bounds %v of the same feature twice", try, bounds)
	}
	grad, hess := float64(f.Total.Grad)*rule.GradScale, float64(f.Total.Hess)*rule.HessScale
	part := rule.Part(grad, hess, rule.L2)
	bound, gain := p.Gain(bounds[0]), want.Gain-part
	above := want.Gain - rule.Part(grad, hess, 2*rule.L2) // what depends on the split
	if most := gain + above/256 + part/(1<<30); want.Found && !(bound >= gain && (bound <= most || rule.L1 != 0)) || !want.Found && bounds[0] > 0 && bound > part/(1<<30) {
		t.Fatalf("try %d: %v bounds a gain of %v, part %v, %+v", try, bound, gain, part, *rule)
	}
	if f.Regular != 2 || len(words) != 2 {
		return
	}
	gains := make([]float64, 20)
	at := make([]uint32, 19)
	for i := range at {
		at[i] = 3
	}
	one := []float64{0}
	scan.Flags(one, f.Grad, f.Hess, f.Total, rule)
	p.Flags(gains, padded, at)
	for i, g := range gains {
		if wanted := one[0]; i < len(at) && math.Float64bits(g) != math.Float64bits(wanted) || i >= len(at) && g != 0 {
			t.Fatalf("try %d: a gain of %v, want %v", try, gains, wanted)
		}
	}
}

// Nodes of few rows and of very many, all numbers of codes up to several steps, ties, empty codes at the
// start, between and at the end, missing rows, rules that refuse a part of the candidates or all.
func TestPackedEqualsApart(t *testing.T) { everySet(t, testPackedEqualsApart) }

// everySet runs a test with each instruction set that has vectors for packed sums.
func everySet(t *testing.T, test func(t *testing.T, set cpu.Level)) {
	testenv.Vectors(t, cpu.AVX2)
	defer scan.UseGo(false)
	for _, set := range []cpu.Level{cpu.AVX2, cpu.AVX512} {
		if scan.Use(set) {
			t.Run(set.String(), func(t *testing.T) { test(t, set) })
		}
	}
}

func testPackedEqualsApart(t *testing.T, set cpu.Level) {
	r := rand.New(rand.NewPCG(31, 0))
	able, found, left, counted := 0, 0, 0, 0
	for try := range 30_000 {
		n := randomNode(r, 1+r.IntN([]int{5, 60, 400, 4000}[r.IntN(4)]), 1+r.IntN([]int{20, 71, 300}[r.IntN(3)]), []uint64{3, 65535}[r.IntN(2)])
		f := n.feature(false)
		if r.IntN(4) == 0 { // as large as sums become
			times := int64(65536 / len(n.codes))
			for c := range f.Grad {
				f.Grad[c] *= times
				f.Hess[c] *= uint64(times)
			}
			f.Total.Grad *= times
			f.Total.Hess *= uint64(times)
		}
		rule := randomRule(r)
		rule.MinChild = []float64{1e-3, 1e-3, 5, 1e-9, 0}[r.IntN(5)]
		if r.IntN(8) == 0 {
			rule.L2 = []float64{5e-324, 1e-30, 1e11, 1e19}[r.IntN(4)]
		}
		if r.IntN(8) == 0 {
			rule.GradScale = []float64{5e-324, 1e-99, 1e-20, 1e99}[r.IntN(4)]
		}
		if r.IntN(8) == 0 {
			rule.HessScale = []float64{5e-324, 1e-99, 1e-20, 1e99}[r.IntN(4)]
		}
		rule.L1 = 0
		if r.IntN(2) == 0 { // also what sums of some codes are, or nearly
			some := int64(0)
			for _, g := range f.Grad[:1+r.IntN(len(f.Grad))] {
				some += g
			}
			rule.L1 = rule.GradScale * []float64{0.7, 30, 1e30, math.Abs(float64(some)), math.Abs(float64(some)) * (1 - 1e-12), math.Abs(float64(some-f.Total.Grad)) / 2}[r.IntN(6)]
		}
		rule.ProofHess = (rule.MinRows - 1) * 65535
		rule.EqualHess = r.IntN(3) == 0
		n.leastSide(&rule)
		words := make([]uint64, len(f.Grad))
		s, ok := packedAsApart(t, set, try, f, words, &rule)
		if !ok {
			continue
		}
		counts := n.feature(true).Count
		h := *f
		h.Count, h.Least = counts, 0
		var p scan.Packed
		p.Prepare(&rule, f.Total)
		want := scan.Numeric(&h, &rule)
		want.Left.Rows = 0
		packed := scan.Feature[int64, uint64]{Words: words, Node: &p, Count: counts, Regular: f.Regular, Total: f.Total}
		got := scan.Numeric(&packed, &rule)
		got.Left.Rows = 0
		if !rule.EqualHess && got != want { // else a count may deny the rule
			t.Fatalf("try %d, %+v: %+v with counts, want %+v", try, rule, got, want)
		}
		if want.Found {
			counted++
		}
		if able++; !s.Found {
			continue
		}
		if found++; s.MissingLeft {
			left++
		}
		for _, share := range []float64{1e-9, 0.5, 1 - 1e-6, 1, math.Nextafter(1, 2)} {
			f.Least = s.Gain * share
			packedAsApart(t, set, try, f, words, &rule)
		}
	}
	if able < 15_000 || found < 5000 || left < 1000 || counted < 3000 {
		t.Errorf("%d by vectors, %d found, %d with missing rows on the left, %d with counts: too few of a kind", able, found, left, counted)
	}
}

// Packed sums are searched as those of two arrays are, by all instruction sets: few levels and many, in nodes of few rows
// and of many.
func TestCategoricalOfWords(t *testing.T) {
	defer scan.UseGo(false)
	r := rand.New(rand.NewPCG(41, 0))
	grouped, bounded := 0, 0
	for try := range 4000 {
		n := randomNode(r, 1+r.IntN([]int{60, 4000}[r.IntN(2)]), 1+r.IntN([]int{9, 71, 1500}[r.IntN(3)]), []uint64{3, 65535}[r.IntN(2)])
		f := n.feature(false)
		rule := randomRule(r)
		rule.ProofHess = (rule.MinRows - 1) * 65535
		cat := scan.CatRule{
			OneHotMax: r.IntN(6), Smooth: []float64{0, 1, 10}[r.IntN(3)], L2: []float64{0, 10}[r.IntN(2)], MaxPerSide: 1 + r.IntN(40),
			MinPerGroup: float64(r.IntN(30)), NodeRows: f.Total.Rows,
		}
		if r.IntN(2) == 0 {
			rule.L1 = 0
		}
		words := scan.Feature[int64, uint64]{Words: packedWords(f, make([]uint64, len(f.Grad))), Regular: f.Regular, Total: f.Total}
		var s scan.CatScratch
		scan.UseGo(true)
		want, how := scan.Categorical(f, &rule, &cat, &s)
		set := slices.Clone(scan.Set(f, &rule, &cat, &s, want, how))
		if how != scan.OneLevel && len(set) > 1 {
			grouped++
		}
		for _, level := range []cpu.Level{cpu.Generic, cpu.AVX2, cpu.AVX512} {
			if !scan.Use(level) {
				continue
			}
			got, grouping := scan.Categorical(&words, &rule, &cat, &s)
			if got != want || grouping != how {
				t.Fatalf("try %d, %v: %+v by %v, want %+v by %v", try, level, got, grouping, want, how)
			}
			var p scan.Packed
			if p.Prepare(&rule, f.Total); p.Ready() {
				shares, sum := []float64{0}, 0.0
				p.Shares(shares, words.Words, []scan.Span{{Regular: uint32(f.Regular), Missing: uint32(len(f.Grad) - f.Regular)}}, []int{0})
				for code, h := range f.Hess {
					if grad := float64(f.Grad[code]) * rule.GradScale; h != 0 || grad != 0 {
						sum += grad * grad / (float64(h) * rule.HessScale)
					}
				}
				if bounded++; !(shares[0] >= sum*(1-1e-9) && shares[0] <= sum*(1+1e-9)) || got.Found && got.Gain > shares[0] {
					t.Fatalf("try %d: %v bounds a gain of %v; squares by hessians are %v", try, shares[0], got.Gain, sum)
				}
			}
			if again := scan.Set(&words, &rule, &cat, &s, got, grouping); !slices.Equal(again, set) {
				t.Fatalf("try %d, %v: levels %v, want %v", try, level, again, set)
			}
		}
	}
	if grouped < 400 || bounded < 400 && scan.Use(cpu.AVX2) {
		t.Errorf("%d splits by groups, %d gains bounded: too few", grouped, bounded)
	}
}
