package coverage_test

import (
	"slices"
	"testing"

	"boost/benchmarks/coverage"
)

func TestOff(t *testing.T) {
	span := func(covered, inside float64) coverage.Span { return coverage.Span{Coverage: covered, Inside: inside} }
	r := coverage.Record{Sets: map[string]coverage.Result{
		"good": {TestRows: 10_000, By: "color",
			Intervals: map[string]coverage.Span{"0.8": span(0.791, 0.791), "0.9": span(0.909, 0.909), "0.95": span(0.99, 0.955)},
			Groups:    []coverage.Group{{Value: "few", Test: 9999, Span: span(0.5, 0.5)}, {Value: "low", Test: 10_000, Span: span(0.889, 0.889)}}},
		"off": {TestRows: 10_000,
			Intervals: map[string]coverage.Span{"0.8": span(0.8, 0.8), "0.9": span(0.911, 0.911), "0.95": span(0.939, 0.939)}},
	}}
	want := []string{"good, color low: intervals of 0.9 cover 0.8890", "off: intervals of 0.9 cover 0.9110", "off: intervals of 0.95 cover 0.9390"}
	if got := r.Off(); !slices.Equal(got, want) {
		t.Errorf("off are %q, want %q", got, want)
	}
}
