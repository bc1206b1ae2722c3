package tensorbench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"boost/tensorq"
)

// roundTrip packs and unpacks every code of every width at every place of a word, streams of
// 0 to 257 codes, and long ones.
func roundTrip(Options) (string, bool, error) {
	total := 0
	same := func(in []int8, bits int) bool {
		total += len(in)
		data := make([]byte, tensorq.PackedSize(len(in), bits))
		out := make([]int8, len(in))
		n, err := tensorq.PackBits(in, bits, data)
		if err != nil || n != len(data) {
			return false
		}
		n, err = tensorq.UnpackBits(data, bits, out)
		return err == nil && n == len(data) && slices.Equal(in, out)
	}
	for bits := 1; bits <= 8; bits++ {
		long := codes(1<<20+3, bits)
		if !same(long, bits) {
			return fmt.Sprintf("%d codes of %d bits came back changed", len(long), bits), false, nil
		}
		for n := range 258 {
			if !same(long[n:2*n], bits) {
				return fmt.Sprintf("%d codes of %d bits came back changed", n, bits), false, nil
			}
		}
		most := 1<<(bits-1) - 1
		for code := -most; code <= most; code++ {
			for place := range 64 {
				in := slices.Clone(long[:64])
				in[place] = int8(code)
				if !same(in, bits) {
					return fmt.Sprintf("code %d of %d bits came back changed at place %d", code, bits, place), false, nil
				}
			}
		}
	}
	return fmt.Sprintf("%.1f million codes of 1 to 8 bits, every one at every place of a word", float64(total)/1e6), true, nil
}

// errorBound measures the largest error of a width in blocks of the size that is set.
func errorBound(bits int) func(Options) (string, bool, error) {
	return func(o Options) (string, bool, error) {
		const n = 1 << 18
		cfg := o.Config.Quant
		cfg.TwoLevelCold = false
		q, err := tensorq.Quantizer(bits)
		if err != nil {
			return "", false, err
		}
		out := make([]float32, n)
		worst, share, holds := 0.0, 0.0, true // in half scales, and of the block's largest magnitude
		for i, draw := range draws {
			values := drawn(uint64(i), n, draw)
			blocks, err := tensorq.Quantize(values, q, cfg)
			if err != nil {
				return "", false, err
			}
			if _, err := tensorq.Dequantize(blocks, out); err != nil {
				return "", false, err
			}
			at := 0
			for b := range blocks {
				most := float64(tensorq.MaxAbs(values[at : at+len(blocks[b].Codes)]))
				allowed := blocks[b].ErrorBound() // half a scale and the roundings to float32
				for range blocks[b].Codes {
					if e := math.Abs(float64(values[at]) - float64(out[at])); e > 0 {
						worst, share = max(worst, 2*e/float64(blocks[b].Scale)), max(share, e/most)
						holds = holds && e <= allowed
					}
					at++
				}
			}
		}
		bound := 1 / float64(2*(int(1)<<(bits-1)-1))
		figure := fmt.Sprintf("%.4f of it, %.3f %% of the block's largest magnitude (bound %.3f %%), among %.2f million values",
			worst, 100*share, 100*bound, float64(len(draws)*n)/1e6)
		return figure, holds, nil
	}
}

// twoLevelRule looks on both sides of the threshold, and at blocks in which it follows from
// sorting.
func twoLevelRule(o Options) (string, bool, error) {
	cfg := o.Config.Quant
	cfg.TwoLevelCold, cfg.BlockSize = true, tensorq.MaxBlockSize
	two := func(values []float32) (bool, error) {
		blocks, err := tensorq.QuantizeBits(values, 3, cfg)
		if err != nil {
			return false, err
		}
		return blocks[0].TwoLevel, nil
	}
	at := float32(cfg.TwoLevelThreshold)
	if float64(at) > cfg.TwoLevelThreshold {
		at = math.Nextafter32(at, 0)
	}
	above := math.Nextafter32(at, float32(math.Inf(1)))
	if math.IsInf(float64(above), 0) {
		return fmt.Sprintf("no float32 is more than %v times 1", cfg.TwoLevelThreshold), false, nil
	}
	for _, peak := range []float32{at, above} {
		got, err := two([]float32{1, -1, 1, 1, -peak, 1, 1})
		if err != nil {
			return "", false, err
		}
		if got != (peak == above) {
			return fmt.Sprintf("at a maximum of %v medians: %v", peak, got), false, nil
		}
	}
	const n = 10000
	r := rand.New(rand.NewPCG(6, 5))
	taken := 0
	for range n {
		values := drawn(r.Uint64(), 1+r.IntN(128), heavyTailed)
		sorted := make([]float64, len(values))
		for i, v := range values {
			sorted[i] = math.Abs(float64(v))
		}
		slices.Sort(sorted)
		want := sorted[len(sorted)-1] > float64(cfg.TwoLevelThreshold*sorted[(len(sorted)-1)/2])
		got, err := two(values)
		if err != nil {
			return "", false, err
		}
		if got != want {
			return fmt.Sprintf("%v for a block that sorting says %v of", got, want), false, nil
		}
		if got {
			taken++
		}
	}
	return fmt.Sprintf("not at %v times, at the next float32, and in %d of %d blocks of heavy tails, those that sorting names", at, taken, n), true, nil
}
