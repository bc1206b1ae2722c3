package tensorbench

import (
	"fmt"

	"boost/tensorq"
)

// blockSizes compares the bytes of real blocks of 1 to 257 values, and of the size that is
// set, with the formula of the source document.
func blockSizes(bits int, twoLevel bool) func(Options) (string, bool, error) {
	return func(o Options) (string, bool, error) {
		cfg := o.Config.Quant
		cfg.TwoLevelCold, cfg.TwoLevelThreshold = twoLevel, 1
		q, err := tensorq.Quantizer(bits)
		if err != nil {
			return "", false, err
		}
		values := make([]float32, max(cfg.BlockSize, 257))
		for i := range values {
			values[i] = 1
		}
		values[0] = 100 // an outlier in every block of two values and more
		var block tensorq.QuantizedBlock
		var data []byte
		sizes := 0
		for n := 1; n <= len(values); n++ {
			if n > 257 && n < cfg.BlockSize || twoLevel && n == 1 {
				continue
			}
			want := 4 + (n*bits+7)/8
			if twoLevel {
				want = 8 + (n+7)/8 + (n*bits+7)/8
			}
			if err := q.QuantizeBlock(values[:n], cfg, &block); err != nil {
				return "", false, err
			}
			if data, err = tensorq.AppendBlock(data[:0], &block); err != nil {
				return "", false, err
			}
			if block.TwoLevel != twoLevel || len(data) != want {
				return fmt.Sprintf("%d values take %d bytes, not %d", n, len(data), want), false, nil
			}
			sizes++
		}
		if err := q.QuantizeBlock(values[:cfg.BlockSize], cfg, &block); err != nil {
			return "", false, err
		}
		return fmt.Sprintf("%d of %d values, and so for %d lengths", block.StorageSize(), cfg.BlockSize, sizes), true, nil
	}
}

// segmentSizes compares the bytes of segments of both versions with the sum of what is in
// them: blocks, and frames that drift as far as the headroom lets them share scales.
func segmentSizes(o Options) (string, bool, error) {
	cfg := o.Config.Quant
	values := drawn(7, 4*cfg.BlockSize+77, heavyTailed)
	segments, bytes := 0, 0
	for _, bits := range []int{8, 7, 5, 3} {
		for _, n := range []int{0, 1, 7, cfg.BlockSize - 1, cfg.BlockSize, cfg.BlockSize + 1, len(values)} {
			q, err := tensorq.Quantizer(bits)
			if err != nil {
				return "", false, err
			}
			blocks, err := tensorq.Quantize(values[:n], q, cfg)
			if err != nil {
				return "", false, err
			}
			want := 4 + 1 + 1 + 4 + 4 + 4 + (len(blocks)+7)/8 + 4 + 4 // all but the blocks
			for i := range blocks {
				want += blocks[i].StorageSize()
			}
			data, err := tensorq.EncodeSegment(values[:n], bits, cfg)
			if err != nil {
				return "", false, err
			}
			if len(data) != want {
				return fmt.Sprintf("%d values of %d bits take %d bytes, not %d", n, bits, len(data), want), false, nil
			}
			segments, bytes = segments+1, bytes+len(data)
		}
	}
	const frames = 8
	cfg.BlockSize = (cfg.BlockSize + 7) &^ 7
	group, err := tensorq.NewFrameGroup(7, cfg)
	if err != nil {
		return "", false, err
	}
	frame := make([]float32, 2*cfg.BlockSize+3)
	drift := min(0.99*cfg.Headroom, 0.99)
	for f := range frames {
		for i := range frame {
			frame[i] = float32(float64(values[i%len(values)]) * (1 + float64(drift*float64((f+1)%3-1))))
		}
		if err := group.Add(frame); err != nil {
			return fmt.Sprintf("frame %d of a drift of %.1f %%: %v", f, 100*drift, err), false, nil
		}
	}
	data := group.AppendSegment(nil)
	want := 26 + 2*((len(frame)-1)/cfg.BlockSize+1) + frames*((7*len(frame)+7)/8)
	if len(data) != want {
		return fmt.Sprintf("%d frames of %d values take %d bytes, not %d", frames, len(frame), len(data), want), false, nil
	}
	return fmt.Sprintf("%d segments of %d bytes, to the byte; %d frames share scales at a drift of %.1f %%", segments+1, bytes+len(data), frames, 100*drift), true, nil
}
