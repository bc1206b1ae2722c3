package report

import (
	"math"
	"strings"
	"testing"

	"boost/booster/model"
)

// Bars are the parts of 30 that a feature has of the first one; what is no part has none.
func TestImportanceBars(t *testing.T) {
	for _, c := range []struct {
		values []float64
		bars   []int
	}{
		{[]float64{4, 2, 0}, []int{30, 15, 0}},
		{[]float64{0, 0}, []int{0, 0}},
		{[]float64{1, -1e38}, []int{30, 0}},
		{[]float64{-1, -2}, []int{0, 0}},
		{[]float64{5, 4, 4, 4, 4, 4, 4, 4, 4, 4}, []int{30}},
		{[]float64{math.Inf(1), math.Inf(1), 3}, []int{0, 0, 0}},
	} {
		r := &Model{kind: model.BySplit}
		for _, v := range c.values {
			r.features = append(r.features, Importance{Name: "x", Value: v})
		}
		var b strings.Builder
		if err := r.writeImportance(&b, 9); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(b.String(), "\n")
		if len(c.values) > 9 != strings.Contains(b.String(), "and 1 feature more: boost inspect MODEL --importance split\n") {
			t.Errorf("%d features end in %q", len(c.values), lines[len(lines)-2])
		}
		for i, want := range c.bars {
			if got := strings.Count(lines[i], "█"); got != want {
				t.Errorf("%v: feature %d has a bar of %d, want %d", c.values, i, got, want)
			}
		}
	}
}
