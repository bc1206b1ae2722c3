package scan_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"boost/internal/kernel/scan"
)

// With ranges of their own for the sides of each split, the best one is that of all codes and sides of missing rows, also of codes
// without rows, whose values are in order.
func TestSidesEqualOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 0))
	for try := range 5_000 {
		n := randomNode(r, 1+r.IntN(60), 1+r.IntN(9), []uint64{3, 65535}[r.IntN(2)])
		rule := randomRule(r)
		rule.GradScale, rule.HessScale = 0.1, 0.3
		f := n.feature(true)
		g, h := float64(f.Total.Grad)*rule.GradScale, float64(f.Total.Hess)*rule.HessScale
		middle := rule.Value(g, h, rule.L2)
		draw := func() scan.Range {
			spread := math.Abs(middle) + 0.1
			return scan.Range{Low: middle - 2*r.Float64()*spread, High: middle + 2*r.Float64()*spread}
		}
		f.Direction = int8(r.IntN(3) - 1)
		f.Sides = &scan.Sides{Missing: draw()}
		for range n.regular {
			f.Sides.Left, f.Sides.Right = append(f.Sides.Left, draw()), append(f.Sides.Right, draw())
		}
		rule.Limits = &scan.Limits{Low: math.Inf(-1), High: math.Inf(1), Rows: float64(len(n.codes))}
		got := scan.Numeric(f, &rule)

		// gainOf is what a split gains over nothing: −2·T(g)·v − (h + λ)·v² of both sides.
		gainOf := func(code int, missingLeft bool) (gain float64, ok bool) {
			left, right := n.sides(func(c int) bool { return c <= code && c < n.regular || c == n.regular && missingLeft })
			if !allowed(&rule, &left, &right) {
				return 0, false
			}
			in := [2]scan.Range{f.Sides.Left[code], f.Sides.Right[code]}
			with := 1
			if missingLeft {
				with = 0
			}
			in[with] = scan.Range{Low: max(in[with].Low, f.Sides.Missing.Low), High: min(in[with].High, f.Sides.Missing.High)}
			var values [2]float64
			for i, s := range []*side{&left, &right} {
				g, h := s.value(&rule)
				shrunk := math.Copysign(max(0, math.Abs(g)-rule.L1), g)
				if h+rule.L2 > 0 {
					values[i] = -shrunk / (h + rule.L2)
				}
				values[i] = min(max(values[i], in[i].Low), in[i].High)
				gain -= values[i] * (2*shrunk + (h+rule.L2)*values[i])
			}
			return gain, float64(f.Direction)*(values[1]-values[0]) >= 0
		}
		most := math.Inf(-1)
		for code := range n.regular {
			for _, missingLeft := range []bool{true, false} {
				if missingLeft && !n.hasMissing || code == n.regular-1 && (missingLeft || !n.hasMissing) {
					continue
				}
				if gain, ok := gainOf(code, missingLeft); ok && gain > most {
					most = gain
				}
			}
		}
		if got.Found != (most > scan.Refused) {
			t.Fatalf("try %d: found %v, the best of all gains %v", try, got.Found, most)
		}
		if !got.Found {
			continue
		}
		if gain, ok := gainOf(got.Code, got.MissingLeft); !ok || math.Abs(gain-got.Gain) > 1e-9*max(1, gain) || math.Abs(gain-most) > 1e-9*max(1, most) {
			t.Fatalf("try %d: code %d, missing left %v gains %v, said to be %v, the best of all %v", try, got.Code, got.MissingLeft, gain, got.Gain, most)
		}
	}
}
