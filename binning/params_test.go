package binning_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"boost/binning"
)

func TestParams(t *testing.T) {
	t.Run("S0.2/range", func(t *testing.T) {
		for _, ok := range []int{2, 255, 256, 257, 65536, 65537, 16_777_216} {
			if err := params(func(p *binning.Params) { p.MaxBin = ok }).Validate(); err != nil {
				t.Errorf("MaxBin %d: %v", ok, err)
			}
		}
		for _, c := range []struct {
			bad   int
			named string
		}{{1, "max_bin = 1:"}, {0, "max_bin = 0:"}, {-5, "max_bin = -5:"}, {16_777_217, "max_bin = 16777217:"}} {
			p := params(func(p *binning.Params) { p.MaxBin = c.bad })
			_, _, err := binning.Fit(context.Background(), table(t, floats32("x", 1, 2)), nil, p, 1, pool(t, 1))
			if !errors.Is(err, binning.ErrParams) || !strings.Contains(err.Error(), c.named) {
				t.Errorf("MaxBin %d: error %v, want one with %q", c.bad, err, c.named)
			}
		}
	})
	t.Run("all_problems_at_once", func(t *testing.T) {
		p := binning.Params{MaxBin: 1, MinDataInBin: -1, Sample: -2, Placement: "mid", Storage: "small", MaxCat: 0, MinDataPerCat: -3, HashBuckets: -1}
		err := p.Validate()
		for _, want := range []string{
			"binning.max_bin = 1: must be 2 … 16,777,216", "binning.min_data_in_bin = -1", "binning.sample = -2",
			`binning.placement = "mid": must be "midpoint" or "value"`, `binning.storage = "small": must be "adaptive" or "uniform"`,
			"categorical.max_cat = 0", "categorical.min_data_per_cat = -3", "categorical.hash_buckets = -1",
		} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v lacks %q", err, want)
			}
		}
	})
	t.Run("S0.2/codes_at_most_max_bin", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 1))
		values := make([]float64, 70_000)
		for i := range values {
			values[i] = rng.NormFloat64()
		}
		gaps := append([]float64{nan}, values[1:]...)
		tab := table(t, floats64("full", values...), floats64("gaps", gaps...))
		for _, maxBin := range []int{2, 3, 255, 256, 257, 65536, 65537, 100_000} {
			c := fit(t, tab, params(func(p *binning.Params) { p.MaxBin = maxBin }))
			for f, n := range c.NCodes() {
				want := uint32(min(maxBin, 70_000))
				if n != want {
					t.Errorf("MaxBin %d: feature %d of 70,000 distinct values has %d codes, want %d", maxBin, f, n, want)
				}
			}
		}
	})
}
