package profile_test

import (
	"context"
	"testing"

	"boost/dataset"
	"boost/internal/profile"
	"boost/parallel"
)

func TestSentinels(t *testing.T) {
	pool := parallel.NewPool(1)
	defer pool.Close()
	for name, c := range map[string]struct {
		values []float64
		want   float64 // 0 for none
	}{
		"ages":         {[]float64{3, -999, 80, -999, 41}, -999},
		"great ages":   {[]float64{3, 999, 80, 999, 41}, 999},
		"incomes":      {[]float64{30_000, -9999, 80_000, -9999, 0}, -9999},
		"once":         {[]float64{3, -999, 80, 12, 41}, 0},
		"near":         {[]float64{3, 99, 80, 99, 41}, 0},
		"among others": {[]float64{-2000, -999, 80, -999, 41}, 0},
		"negative":     {[]float64{-400, -999, 200, -999, -3}, 0},
		"others":       {[]float64{3, -1000, 80, -1000, 41}, 0},
		"two values":   {[]float64{0, 999, 0, 999}, 0},
	} {
		table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "x", Values: c.values}})
		if err != nil {
			t.Fatal(err)
		}
		p, err := profile.Of(context.Background(), table, profile.Params{}, pool)
		if err != nil {
			t.Fatal(err)
		}
		got := 0.0
		for _, f := range p.Findings {
			if f.Code == profile.Sentinel {
				got = *f.Value
			}
		}
		if got != c.want {
			t.Errorf("%s: sentinel %v, want %v", name, got, c.want)
		}
	}
}
