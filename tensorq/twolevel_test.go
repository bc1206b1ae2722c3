package tensorq_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/tensorq"
)

func coldConfig(fraction float64) tensorq.QuantConfig {
	cfg := tensorq.DefaultQuantConfig()
	cfg.TwoLevelCold, cfg.OutlierFraction, cfg.BlockSize = true, fraction, tensorq.MaxBlockSize
	return cfg
}

func coldBlock(t *testing.T, values []float32, cfg tensorq.QuantConfig) tensorq.QuantizedBlock {
	t.Helper()
	blocks, err := tensorq.QuantizeBits(values, 3, cfg)
	if err != nil || len(blocks) != 1 {
		t.Fatalf("%d blocks, %v", len(blocks), err)
	}
	return blocks[0]
}

func TestTwoLevelRule(t *testing.T) {
	above := math.Nextafter32(5, 6)
	for _, c := range []struct {
		name   string
		values []float32
		want   bool
	}{
		// The median is the ⌊(n−1)/2⌋-th magnitude: the second of four, the third of five.
		{"ratio_5", []float32{1, -1, 1, 5}, false},
		{"above_5", []float32{1, -1, 1, above}, true},
		{"above_5_negative", []float32{-1, -1, -1, -above}, true},
		{"lower_median_of_4", []float32{1, 1, 100, above}, true},
		{"median_of_5", []float32{1, 1, 2, 100, 6}, true},
		{"median_of_5_close", []float32{1, 1, 20, 100, 6}, true},
		{"median_of_5_too_close", []float32{1, 1, 20, 100, 21}, false},
		{"zero_median", []float32{0, 0, 0, 1e-30}, true},
		{"negative_zeros", []float32{float32(math.Copysign(0, -1)), 0, 0, -1}, true},
		{"all_zero", make([]float32, 4), false},
		{"one", []float32{1000}, false},
		{"one_zero", []float32{0}, false},
		{"two", []float32{1, above}, true},
		{"two_equal", []float32{1, 5}, false},
	} {
		t.Run("S3.31/"+c.name, func(t *testing.T) {
			if b := coldBlock(t, c.values, coldConfig(.05)); b.TwoLevel != c.want {
				t.Errorf("two levels %v, want %v", b.TwoLevel, c.want)
			}
			off := coldConfig(.05)
			off.TwoLevelCold = false
			if b := coldBlock(t, c.values, off); b.TwoLevel {
				t.Error("two levels without two_level_cold")
			}
		})
	}
	t.Run("S3.31/by_sorting", func(t *testing.T) {
		r := rand.New(rand.NewPCG(31, 0))
		for range 10000 {
			n := 1 + r.IntN(70)
			values := make([]float32, n)
			for i := range values {
				values[i] = float32(math.Round(heavyTailed(r)*4) / 4)
			}
			cfg := coldConfig(.05)
			cfg.TwoLevelThreshold = 1 + float64(r.IntN(24))/4
			sorted := magnitudes(values)
			want := float64(sorted[n-1]) > cfg.TwoLevelThreshold*float64(sorted[(n-1)/2])
			if b := coldBlock(t, values, cfg); b.TwoLevel != want {
				t.Fatalf("%v: two levels %v, want %v", values, b.TwoLevel, want)
			}
		}
	})
	t.Run("S3.31/other_widths", func(t *testing.T) {
		for _, bits := range []int{8, 7, 5} {
			q, _ := tensorq.Quantizer(bits)
			if blocks, err := tensorq.Quantize(outliers, q, coldConfig(.25)); err != nil || blocks[0].TwoLevel {
				t.Errorf("%d bits: %+v %v", bits, blocks, err)
			}
		}
	})
}

// magnitudes returns |values| in ascending order.
func magnitudes(values []float32) []float32 {
	sorted := make([]float32, len(values))
	for i, v := range values {
		sorted[i] = max(v, -v)
	}
	slices.Sort(sorted)
	return sorted
}

func TestTwoLevelScales(t *testing.T) {
	for _, c := range []struct {
		name          string
		fraction      float64
		values        []float32
		first, second float32
		codes         []int8
		flags         byte
	}{
		// ⌈8·0.25⌉ = 2: the third largest, 3, sets the first scale to 1; 30 the second to
		// 10. 5 errs by 2 with the first and by 5 with the second.
		{"golden", .25, outliers, 1, 10, []int8{1, -2, 3, -1, 0, 3, 3, 3}, 0x40},
		// k = min(⌈4·1⌉, 3) = 3, the smallest.
		{"all_may_be_outliers", 1, []float32{3, -3, 6, 60}, 1, 20, []int8{3, -3, 3, 3}, 8},
		// k = 0: both scales are the largest's.
		{"no_outliers", 0, []float32{1, 1, 1, 6}, 2, 2, []int8{1, 1, 1, 3}, 0},
		// Zeros up to the fourth largest: the first scale is 0, and so are its codes. 1 is
		// nearer to 0 than to 3 and would err by 1 either way.
		{"zero_first_scale", .25, []float32{0, 0, 0, 0, 0, 0, -9, 1}, 0, 3, []int8{0, 0, 0, 0, 0, 0, -3, 0}, 0x40},
		// 2 lies in the middle of 0·scale and … of both scales 4: the first is taken.
		{"ties_take_the_first", .5, []float32{2, 2, 2, 12}, 2. / 3, 4, []int8{3, 3, 3, 3}, 8},
	} {
		t.Run("S3.32/"+c.name, func(t *testing.T) {
			b := coldBlock(t, c.values, coldConfig(c.fraction))
			if !b.TwoLevel || b.Scale != c.first || b.SecondaryScale != c.second || !slices.Equal(b.Codes, c.codes) || b.Flags[0] != c.flags {
				t.Errorf("%+v, want scales %v and %v, codes %v, flags %#x", b, c.first, c.second, c.codes, c.flags)
			}
		})
	}
	t.Run("S3.32/by_sorting", func(t *testing.T) {
		r := rand.New(rand.NewPCG(32, 0))
		for range 10000 {
			n := 2 + r.IntN(130)
			values := make([]float32, n)
			for i := range values {
				values[i] = float32(heavyTailed(r))
			}
			fraction := r.Float64()
			cfg := coldConfig(fraction)
			cfg.TwoLevelThreshold = 1
			b := coldBlock(t, values, cfg)
			sorted := magnitudes(values)
			if !b.TwoLevel {
				t.Fatalf("%d values: one level", n)
			}
			k := min(int(math.Ceil(float64(n)*fraction)), n-1)
			if want := float32(float64(sorted[n-1-k]) / 3); b.Scale != want {
				t.Fatalf("%d values, k = %d: first scale %v, want %v", n, k, b.Scale, want)
			}
			for i, v := range values {
				x, p, s := float64(v), float64(b.Scale), float64(b.SecondaryScale)
				first := math.Abs(x - p*math.Max(-3, math.Min(3, math.Round(x/p))))
				second := math.Abs(x - s*math.Max(-3, math.Min(3, math.Round(x/s))))
				if set := b.Flags[i/8]>>(i%8)&1 == 1; set != (second < first) {
					t.Fatalf("value %v errs by %v and %v, flag %v", v, first, second, set)
				}
			}
		}
	})
	t.Run("S3.65/two_levels_without_gain", func(t *testing.T) {
		// Off unless asked for; asked for, uniform values of a block never meet the rule.
		values := tensor(65, 64*1000, distributions[0].draw)
		cfg := tensorq.DefaultQuantConfig()
		cfg.TwoLevelCold = true
		blocks, err := tensorq.QuantizeBits(values, 3, cfg)
		if err != nil {
			t.Fatal(err)
		}
		for i := range blocks {
			if blocks[i].TwoLevel {
				t.Fatalf("block %d of uniform values has two levels", i)
			}
		}
	})
}

func TestTwoLevelBounds(t *testing.T) {
	for _, d := range distributions {
		t.Run("S3.35/bounds/"+d.name, func(t *testing.T) {
			values := tensor(35, 100_000, d.draw)
			cfg := tensorq.DefaultQuantConfig()
			cfg.TwoLevelCold, cfg.TwoLevelThreshold = true, 1
			two, err := tensorq.QuantizeBits(values, 3, cfg)
			if err != nil {
				t.Fatal(err)
			}
			cfg.TwoLevelCold = false
			one, err := tensorq.QuantizeBits(values, 3, cfg)
			if err != nil {
				t.Fatal(err)
			}
			levels := 0
			for i := range two {
				b := &two[i]
				if b.TwoLevel {
					levels++
				}
				for j, c := range b.Codes {
					x := float64(values[64*i+j])
					scale, second := float64(b.Scale), float64(max(b.Scale, b.SecondaryScale))
					taken := scale
					if b.TwoLevel && b.Flags[j/8]>>(j%8)&1 == 1 {
						taken = second
					}
					// Products of codes and scales are exact in float64; 2⁻¹⁴⁸ is for scales
					// that are subnormal.
					diff := math.Abs(x - float64(c)*taken)
					standard := math.Abs(x - float64(one[i].Codes[j])*float64(one[i].Scale))
					if diff > standard {
						t.Fatalf("%v errs by %v, with one scale by %v", x, diff, standard)
					}
					if diff > second/2*(1+0x1p-20)+0x1p-148 {
						t.Fatalf("%v errs by %v, the second scale is %v", x, diff, second)
					}
					if math.Abs(x) <= 3.5*scale && diff > scale/2*(1+0x1p-20)+0x1p-148 {
						t.Fatalf("%v errs by %v, the first scale is %v", x, diff, scale)
					}
				}
			}
			if levels == 0 && d.name != "uniform" {
				t.Error("no block has two levels")
			}
		})
	}
	t.Run("S3.35/bulk", func(t *testing.T) {
		// One value in 32 is some 30 times as large as the rest.
		r := rand.New(rand.NewPCG(35, 1))
		values := make([]float32, 64_000)
		for i := range values {
			values[i] = float32(r.NormFloat64())
			if i%32 == 31 {
				values[i] = float32(math.Copysign(25+10*r.Float64(), float64(values[i])))
			}
		}
		cfg := tensorq.DefaultQuantConfig()
		rms := func(twoLevel bool) float64 {
			cfg.TwoLevelCold = twoLevel
			blocks, err := tensorq.QuantizeBits(values, 3, cfg)
			if err != nil {
				t.Fatal(err)
			}
			out := make([]float32, len(values))
			if _, err := tensorq.Dequantize(blocks, out); err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for i, v := range values {
				if i%32 != 31 {
					sum += float64(v-out[i]) * float64(v-out[i])
				}
			}
			return math.Sqrt(sum / float64(len(values)*31/32))
		}
		one, two := rms(false), rms(true)
		if !(3*two <= one) {
			t.Errorf("the bulk errs by %v in the root mean square, with one scale by %v: want a third or less", two, one)
		}
		t.Logf("bulk RMS %.4f with two scales, %.4f with one", two, one)
	})
}
