package accuracy

import (
	"math"
	"slices"
	"testing"
)

// By hand: of sets a, b, c way "x" has 0.9, 1 and 1.05 of the first way's loss. Without a its mean is above 1, so that a gets the
// first way; b and c get "x", whose means without them are √0.945 and √0.9.
func TestLeaveOneOut(t *testing.T) {
	var r DefaultsRecord
	for set, losses := range map[string][2]float64{"a": {10, 9}, "b": {3, 3}, "c": {10, 10.5}} {
		r.Add(set, "first", "0", DefaultsResult{Loss: losses[0]})
		r.Add(set, "x", "0", DefaultsResult{Loss: losses[1]})
	}
	r.Add("d", "first", "0", DefaultsResult{Loss: 1}) // without the other way
	a := r.LeaveOneOut([]string{"first", "x"})
	if want := math.Cbrt(1 * 1 * 1.05); a.Sets != 3 || !slices.Equal(a.Chosen, []int{1, 2}) || math.Abs(a.Ratio-want) > 1e-12 {
		t.Errorf("%+v, want 3 sets, chosen 1 and 2 times, ratio %v", a, want)
	}
	if want := math.Cbrt(0.9 * 1 * 1.05); a.Ratios[0] != 1 || math.Abs(a.Ratios[1]-want) > 1e-12 {
		t.Errorf("ratios %v, want 1 and %v", a.Ratios, want)
	}
}
