package setting_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"boost/internal/setting"
)

func TestRange(t *testing.T) {
	for _, c := range []struct {
		r    setting.Range
		text string
		in   []float64
		out  []float64
	}{
		{setting.Range{}, "≥ 0", []float64{0, 1e9}, []float64{-0.1}},
		{setting.AtLeast(2), "≥ 2", []float64{2, 3}, []float64{1.9}},
		{setting.Between(2, 1<<24), "2 … 16,777,216", []float64{2, 1 << 24}, []float64{1, 1<<24 + 1}},
		{setting.Above(0, 1), "> 0, ≤ 1", []float64{0.1, 1}, []float64{0, 1.1}},
		{setting.Below(0, 1), "≥ 0, < 1", []float64{0, 0.9}, []float64{-0.1, 1}},
		{setting.Inside(0, 1), "> 0, < 1", []float64{0.1, 0.9}, []float64{0, 1}},
	} {
		if c.r.String() != c.text {
			t.Errorf("%v is written %q, want %q", c.r, c.r.String(), c.text)
		}
		for _, v := range c.in {
			if !c.r.Contains(v) {
				t.Errorf("%s does not contain %v", c.text, v)
			}
		}
		for _, v := range append(c.out, math.NaN(), math.Inf(1), math.Inf(-1)) {
			if c.r.Contains(v) {
				t.Errorf("%s contains %v", c.text, v)
			}
		}
	}
}

// Each wrong value is named with what it may be; right ones are not.
func TestCheck(t *testing.T) {
	word, number, count, bytes, seed := "c", math.NaN(), 0, int64(-1), uint64(1)
	limit, bins, fine := -time.Second, map[string]int{"b": 1, "a": 300, "c": 2}, ""
	err := errors.Join(setting.Check([]setting.Setting{
		{Name: "s.word", Value: &word, Choices: []string{"a", "b"}},
		{Name: "s.number", Value: &number},
		{Name: "s.count", Value: &count, Range: setting.AtLeast(1)},
		{Name: "s.bytes", Value: &bytes},
		{Name: "s.seed", Value: &seed},
		{Name: "s.limit", Value: &limit},
		{Name: "s.bins", Value: &bins, Range: setting.Between(2, 256)},
		{Name: "s.fine", Value: &fine, Choices: []string{"a", "b"}, Optional: true},
	})...)
	want := `s.word = "c": must be "a" or "b"
s.number = NaN: must be ≥ 0
s.count = 0: must be ≥ 1
s.bytes = -1: must be ≥ 0
s.limit = -1s: must be ≥ 0
s.bins of column "a" = 300: must be 2 … 256
s.bins of column "b" = 1: must be 2 … 256`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
