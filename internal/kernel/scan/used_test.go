package scan_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/kernel/scan"
)

// among is numeric for the given codes only; a split without missing rows after the last code
// leaves nothing on the right.
func (n *node) among(r *scan.Rule, codes []uint32) best {
	var b best
	for _, code := range codes {
		for _, missingLeft := range []bool{true, false} {
			if n.missingRows() == 0 && missingLeft {
				continue
			}
			left, right := n.sides(func(c int) bool {
				if c == n.regular {
					return missingLeft
				}
				return c <= int(code)
			})
			if !allowed(r, &left, &right) {
				continue
			}
			if gain := left.score(r, r.L2) + right.score(r, r.L2); !b.found || gain > b.gain {
				b = best{true, gain, int(code), missingLeft, nil}
			}
		}
	}
	return b
}

func TestAmongEqualsBigIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 0))
	const qmax = 65535
	found, unproven := 0, 0
	for try := range 20_000 {
		n := randomNode(r, 1+r.IntN(60), 1+r.IntN([]int{9, 9, 70}[r.IntN(3)]), qmax)
		rule := randomRule(r)
		var codes []uint32
		for code := range n.regular {
			if r.IntN(3) == 0 {
				codes = append(codes, uint32(code))
			}
		}
		want := n.among(&rule, codes)
		if want.found {
			found++
		}
		f := n.feature(true)
		name := fmt.Sprintf("try %d, codes %d", try, codes)
		check(t, name, scan.Among(f, &rule, codes), want, n, func(c int) bool {
			if c == n.regular {
				return want.missingLeft
			}
			return c <= want.code
		})
		if got := scan.Among(f, &rule, codes); want.found && got.Code != want.code {
			t.Fatalf("%s: cut after code %d, want %d", name, got.Code, want.code)
		}

		// In floats the order of the sums is Numeric's: with all codes, the result is.
		floats := &scan.Feature[float64, float64]{Grad: make([]float64, n.nCodes()), Hess: make([]float64, n.nCodes()), Count: f.Count, Regular: n.regular}
		for c := range floats.Grad {
			floats.Grad[c], floats.Hess[c] = float64(f.Grad[c])*r.Float64(), float64(f.Hess[c])*r.Float64()
			floats.Total.Grad += floats.Grad[c]
			floats.Total.Hess += floats.Hess[c]
		}
		floats.Total.Rows = f.Total.Rows
		all := make([]uint32, n.regular)
		for c := range all {
			all[c] = uint32(c)
		}
		if a, b := scan.Among(floats, &rule, all), scan.Numeric(floats, &rule); a != b {
			t.Fatalf("%s: all codes give %+v, Numeric %+v", name, a, b)
		}

		// Without counts the answer is exact, or bounds what is allowed and says so.
		rule.ProofHess = (rule.MinRows - 1) * qmax
		rule.EqualHess = !slices.ContainsFunc(n.hess, func(h uint64) bool { return h != qmax })
		n.leastSide(&rule)
		total, _ := n.sides(func(int) bool { return true })
		got := scan.Among(n.feature(false), &rule, codes)
		switch none := total.score(&rule, rule.L2); {
		case want.found && want.gain <= none && got.Gain <= none, !want.found && got.Gain <= none:
			// No better than no split: neither is ever made.
		case got.Found && got.Unproven:
			unproven++
			if rule.EqualHess || want.found && want.gain > got.Gain {
				t.Fatalf("%s: the bound %v lies below an allowed gain %v", name, got.Gain, want.gain)
			}
		case got.Found != want.found || math.Float64bits(got.Gain) != math.Float64bits(want.gain) || got.Code != want.code:
			t.Fatalf("%s: %+v without counts, want %+v", name, got, want)
		}
	}
	if found < 5000 || unproven < 1000 {
		t.Errorf("%d splits, %d of them unproven without counts: too few of a kind", found, unproven)
	}
}
