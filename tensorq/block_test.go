package tensorq_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"boost/tensorq"
)

var eight = []float32{127, -127, .5, -.5, 1.5, 2.5, -2.5, .49}

// outliers is the block of S3.32.
var outliers = []float32{1, -2, 3, -1, 0, 5, 30, 3}

func startingWith(first float32, rest ...float32) []float32 {
	return append([]float32{first, -first}, rest...)
}

// goldenBlocks are the blocks of S3.17, S3.18, S3.26 and S3.32.
func goldenBlocks() []goldenBlock {
	cold := tensorq.DefaultQuantConfig()
	cold.TwoLevelCold, cold.OutlierFraction = true, .25
	plain := tensorq.DefaultQuantConfig()
	tail := eight[2:]
	return []goldenBlock{
		{"S3.17/S3.23", 8, plain, eight, []int8{127, -127, 1, -1, 2, 3, -3, 0}, "00 00 80 3f | 7f 81 01 ff 02 03 fd 00"},
		{"S3.18/S3.24", 7, plain, startingWith(63, tail...), []int8{63, -63, 1, -1, 2, 3, -3, 0}, "00 00 80 3f | 7e 00 d0 17 14 f2 7e"},
		{"S3.18/S3.25", 5, plain, startingWith(15, tail...), []int8{15, -15, 1, -1, 2, 3, -3, 0}, "00 00 80 3f | 1e 40 17 25 7b"},
		{"S3.18/S3.26", 3, plain, startingWith(3, tail...), []int8{3, -3, 1, -1, 2, 3, -3, 0}, "00 00 80 3f | 06 55 63"},
		{"S3.26/zeros", 3, cold, make([]float32, 8), make([]int8, 8), "00 00 00 00 | db b6 6d"},
		{"S3.32/S3.27", 3, cold, outliers, []int8{1, -2, 3, -1, 0, 3, 3, 3}, "00 00 80 3f 00 00 20 41 | 40 | 8c 35 db"},
	}
}

type goldenBlock struct {
	name   string
	bits   int
	cfg    tensorq.QuantConfig
	values []float32
	codes  []int8
	bytes  string
}

func TestGoldenBlocks(t *testing.T) {
	for _, g := range goldenBlocks() {
		t.Run(g.name, func(t *testing.T) {
			q, err := tensorq.Quantizer(g.bits)
			if err != nil {
				t.Fatal(err)
			}
			blocks, err := tensorq.Quantize(g.values, q, g.cfg)
			if err != nil || len(blocks) != 1 {
				t.Fatalf("%d blocks, %v", len(blocks), err)
			}
			if !slices.Equal(blocks[0].Codes, g.codes) {
				t.Errorf("codes %v, want %v", blocks[0].Codes, g.codes)
			}
			want := bytesOf(t, g.bytes)
			got, err := tensorq.AppendBlock([]byte("before"), &blocks[0])
			if err != nil || !bytes.Equal(got, append([]byte("before"), want...)) {
				t.Errorf("bytes % x, want % x (%v)", got, want, err)
			}
			var back tensorq.QuantizedBlock
			twoLevel := blocks[0].TwoLevel
			n, err := tensorq.DecodeBlock(append(want, 0xff), len(g.values), g.bits, twoLevel, &back)
			if err != nil || n != len(want) {
				t.Fatalf("decoded %d bytes, %v", n, err)
			}
			if !slices.Equal(back.Codes, g.codes) || back.Scale != blocks[0].Scale || back.SecondaryScale != blocks[0].SecondaryScale ||
				!bytes.Equal(back.Flags, blocks[0].Flags) || back.Bits != g.bits || back.TwoLevel != twoLevel {
				t.Errorf("decoded %+v, want %+v", back, blocks[0])
			}
		})
	}
	t.Run("S3.17/QuantizeS8", func(t *testing.T) {
		blocks, err := tensorq.QuantizeS8(eight, tensorq.DefaultQuantConfig())
		if err != nil || len(blocks) != 1 || blocks[0].Bits != 8 || blocks[0].Scale != 1 {
			t.Fatalf("%+v, %v", blocks, err)
		}
	})
	t.Run("S3.18/widths", func(t *testing.T) {
		for bits := -1; bits <= 9; bits++ {
			blocks, err := tensorq.QuantizeBits(eight, bits, tensorq.DefaultQuantConfig())
			if bits == 7 || bits == 5 || bits == 3 {
				if err != nil || blocks[0].Bits != bits {
					t.Errorf("%d bits: %v", bits, err)
				}
			} else if want := (tensorq.ErrBitWidth{Bits: bits}); err != want {
				t.Errorf("%d bits: %v, want %v", bits, err, want)
			}
		}
	})
	t.Run("S3.23/not_the_stream", func(t *testing.T) {
		out := make([]byte, 8)
		if _, err := tensorq.PackBits([]int8{127, -127, 1, -1, 2, 3, -3, 0}, 8, out); err != nil {
			t.Fatal(err)
		}
		if stored := bytesOf(t, "7f 81 01 ff 02 03 fd 00"); bytes.Equal(out, stored) {
			t.Error("codes of 8-bit blocks are stored as they are, not with 127 added")
		}
	})
}

func TestBlocksOfATensor(t *testing.T) {
	cfg := tensorq.DefaultQuantConfig()
	cfg.BlockSize = 3
	for n := range 8 {
		values := []float32{1, 2, 3, -4, 5, 6, 7, 8}[:n]
		t.Run(fmt.Sprintf("S3.16/%d_values", n), func(t *testing.T) {
			blocks, err := tensorq.QuantizeBits(values, 7, cfg)
			if err != nil || len(blocks) != (n+2)/3 {
				t.Fatalf("%d blocks, %v", len(blocks), err)
			}
			for i, b := range blocks {
				part := values[3*i : min(3*i+3, n)]
				if len(b.Codes) != len(part) || b.Bits != 7 || b.TwoLevel || len(b.Flags) != 0 || b.SecondaryScale != 0 {
					t.Errorf("block %d: %+v", i, b)
				}
				if want := float32(float64(tensorq.MaxAbs(part)) / 63); b.Scale != want {
					t.Errorf("block %d: scale %v, want %v", i, b.Scale, want)
				}
			}
			// Codes lie in one array, yet appending to one block must not reach the next.
			if len(blocks) > 1 {
				before := blocks[1].Codes[0]
				_ = append(blocks[0].Codes, before+1)
				if blocks[1].Codes[0] != before {
					t.Error("blocks overlap")
				}
			}
		})
	}
	t.Run("S3.16/reuse", func(t *testing.T) {
		cfg := tensorq.DefaultQuantConfig()
		cfg.TwoLevelCold, cfg.BlockSize = true, 8
		q, _ := tensorq.Quantizer(3)
		blocks, err := tensorq.QuantizeInto(nil, append(slices.Clone(outliers), outliers...), q, cfg)
		if err != nil || len(blocks) != 2 || !blocks[0].TwoLevel || !blocks[1].TwoLevel {
			t.Fatalf("%+v, %v", blocks, err)
		}
		flat := []float32{1, 1, 1, 1, 1}
		blocks, err = tensorq.QuantizeInto(blocks, flat, q, cfg)
		if err != nil || len(blocks) != 1 || blocks[0].TwoLevel || len(blocks[0].Flags) != 0 || blocks[0].SecondaryScale != 0 || len(blocks[0].Codes) != 5 {
			t.Fatalf("%+v, %v", blocks, err)
		}
		if blocks, err = tensorq.QuantizeInto(blocks, append(outliers, flat...), q, cfg); err != nil || len(blocks) != 2 || !blocks[0].TwoLevel || blocks[1].TwoLevel {
			t.Fatalf("%+v, %v", blocks, err)
		}
	})
}

func TestDequantize(t *testing.T) {
	for _, g := range goldenBlocks() {
		t.Run("S3.19/"+g.name, func(t *testing.T) {
			var block tensorq.QuantizedBlock
			twoLevel := g.name == "S3.32/S3.27"
			if _, err := tensorq.DecodeBlock(bytesOf(t, g.bytes), len(g.values), g.bits, twoLevel, &block); err != nil {
				t.Fatal(err)
			}
			// All scales are 1, save the second of S3.32, which serves code 3 of 30.
			want := make([]float32, len(g.codes))
			for i, c := range g.codes {
				want[i] = float32(c)
			}
			if twoLevel {
				want[6] = 30
			}
			out := make([]float32, 9)
			out[8] = 99
			if n, err := block.Dequantize(out); err != nil || n != 8 || !sameFloats(out[:8], want) || out[8] != 99 {
				t.Errorf("%v %v, want %v", out, err, want)
			}
			q, _ := tensorq.Quantizer(g.bits)
			clear(out)
			if err := q.DequantizeBlock(&block, out); err != nil || !sameFloats(out[:8], want) {
				t.Errorf("by the quantizer: %v %v, want %v", out, err, want)
			}
			clear(out)
			short := tensorq.ErrOutputTooSmall{Required: 8}
			if _, err := block.Dequantize(out[:7]); err != short || out[0] != 0 {
				t.Errorf("7 of 8 values: %v, want %v", err, short)
			}
			if err := q.DequantizeBlock(&block, out[:7]); err != short || out[0] != 0 {
				t.Errorf("7 of 8 values by the quantizer: %v, want %v", err, short)
			}
			blocks := []tensorq.QuantizedBlock{block, block}
			out = make([]float32, 16)
			if n, err := tensorq.Dequantize(blocks, out); err != nil || n != 16 || !sameFloats(out, append(want, want...)) {
				t.Errorf("two blocks: %v %v", out, err)
			}
			if _, err := tensorq.Dequantize(blocks, out[:15]); err != (tensorq.ErrOutputTooSmall{Required: 16}) {
				t.Errorf("15 of 16 values: %v", err)
			}
		})
	}
	t.Run("S3.19/contradictions", func(t *testing.T) {
		out := make([]float32, 8)
		codes := make([]int8, 8)
		for name, b := range map[string]tensorq.QuantizedBlock{
			"width":        {Bits: 9, Codes: codes},
			"no_width":     {Codes: codes},
			"flags":        {Bits: 3, TwoLevel: true, Codes: codes},
			"other_levels": {Bits: 5, TwoLevel: true, Codes: codes, Flags: []byte{0}},
		} {
			if _, err := b.Dequantize(out); err == nil {
				t.Errorf("%s: no error", name)
			}
			if _, err := tensorq.EncodeBlock(&b, make([]byte, 99)); err == nil {
				t.Errorf("%s: encoded without error", name)
			}
		}
		q, _ := tensorq.Quantizer(5)
		if err := q.DequantizeBlock(&tensorq.QuantizedBlock{Bits: 7, Codes: codes}, out); err != (tensorq.ErrBitWidth{Bits: 7}) {
			t.Errorf("7 bits by the quantizer of 5: %v", err)
		}
	})
}

func TestQuantConfig(t *testing.T) {
	t.Run("S3.15/defaults", func(t *testing.T) {
		want := tensorq.QuantConfig{BlockSize: 64, TwoLevelThreshold: 5, OutlierFraction: .05, Headroom: .1015625}
		if got := tensorq.DefaultQuantConfig(); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
	nan, inf := math.NaN(), math.Inf(1)
	for name, change := range map[string]struct {
		ok  bool
		set func(c *tensorq.QuantConfig)
	}{
		"default":          {true, func(c *tensorq.QuantConfig) {}},
		"block_0":          {false, func(c *tensorq.QuantConfig) { c.BlockSize = 0 }},
		"block_negative":   {false, func(c *tensorq.QuantConfig) { c.BlockSize = -64 }},
		"block_1":          {true, func(c *tensorq.QuantConfig) { c.BlockSize = 1 }},
		"block_128":        {true, func(c *tensorq.QuantConfig) { c.BlockSize = 128 }},
		"block_65536":      {true, func(c *tensorq.QuantConfig) { c.BlockSize = 65536 }},
		"block_65537":      {false, func(c *tensorq.QuantConfig) { c.BlockSize = 65537 }},
		"threshold_1":      {true, func(c *tensorq.QuantConfig) { c.TwoLevelThreshold = 1 }},
		"threshold_below":  {false, func(c *tensorq.QuantConfig) { c.TwoLevelThreshold = math.Nextafter(1, 0) }},
		"threshold_nan":    {false, func(c *tensorq.QuantConfig) { c.TwoLevelThreshold = nan }},
		"threshold_inf":    {false, func(c *tensorq.QuantConfig) { c.TwoLevelThreshold = inf }},
		"fraction_0":       {true, func(c *tensorq.QuantConfig) { c.OutlierFraction = 0 }},
		"fraction_1":       {true, func(c *tensorq.QuantConfig) { c.OutlierFraction = 1 }},
		"fraction_above":   {false, func(c *tensorq.QuantConfig) { c.OutlierFraction = 1.01 }},
		"fraction_below":   {false, func(c *tensorq.QuantConfig) { c.OutlierFraction = -.01 }},
		"fraction_nan":     {false, func(c *tensorq.QuantConfig) { c.OutlierFraction = nan }},
		"headroom_0":       {true, func(c *tensorq.QuantConfig) { c.Headroom = 0 }},
		"headroom_1":       {true, func(c *tensorq.QuantConfig) { c.Headroom = 1 }},
		"headroom_above":   {false, func(c *tensorq.QuantConfig) { c.Headroom = 1.01 }},
		"headroom_below":   {false, func(c *tensorq.QuantConfig) { c.Headroom = -.01 }},
		"headroom_nan":     {false, func(c *tensorq.QuantConfig) { c.Headroom = nan }},
		"two_level_opt_in": {true, func(c *tensorq.QuantConfig) { c.TwoLevelCold = true }},
	} {
		t.Run("S3.15/"+name, func(t *testing.T) {
			cfg := tensorq.DefaultQuantConfig()
			change.set(&cfg)
			if err := cfg.Validate(); (err == nil) != change.ok {
				t.Errorf("%+v: %v", cfg, err)
			}
			q, _ := tensorq.Quantizer(7)
			_, err := tensorq.Quantize(eight, q, cfg)
			if (err == nil) != change.ok {
				t.Errorf("Quantize with %+v: %v", cfg, err)
			}
			if err := q.QuantizeBlock(eight, cfg, new(tensorq.QuantizedBlock)); (err == nil) != change.ok {
				t.Errorf("QuantizeBlock with %+v: %v", cfg, err)
			}
			if _, err := tensorq.EncodeSegment(eight, 7, cfg); (err == nil) != change.ok {
				t.Errorf("EncodeSegment with %+v: %v", cfg, err)
			}
		})
	}
}

func TestNotFinite(t *testing.T) {
	cfg := tensorq.DefaultQuantConfig()
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
		for _, at := range []int{0, 1, 63, 64, 150, 199} {
			values := make([]float32, 200)
			values[at] = bad
			if at < 199 {
				values[199] = float32(math.NaN()) // not the first offender
			}
			var e tensorq.ErrNotFinite
			if _, err := tensorq.QuantizeS8(values, cfg); !errors.As(err, &e) || e.Index != at || math.Float32bits(e.Value) != math.Float32bits(bad) {
				t.Errorf("%v at %d: %v", bad, at, err)
			}
			segment := []byte("kept")
			encoder, _ := tensorq.NewSegmentEncoder(5, cfg)
			out, err := encoder.Append(segment, values)
			if !errors.As(err, &e) || e.Index != at || string(out) != "kept" {
				t.Errorf("segment with %v at %d: %v", bad, at, err)
			}
			var written bytes.Buffer
			if err := encoder.Encode(&written, values); !errors.As(err, &e) || e.Index != at || written.Len() > 0 {
				t.Errorf("stream with %v at %d: %v, %d bytes", bad, at, err, written.Len())
			}
			frames, _ := tensorq.NewFrameGroup(5, cfg)
			if err := frames.Add(values); !errors.As(err, &e) || e.Index != at || frames.Frames() != 0 {
				t.Errorf("frame with %v at %d: %v", bad, at, err)
			}
		}
	}
}

func TestExtremeValues(t *testing.T) {
	largest, smallest := float32(math.MaxFloat32), math.Float32frombits(1)
	for _, bits := range []int{2, 3, 4, 5, 6, 7, 8} {
		q, _ := tensorq.Symmetric(bits)
		for _, v := range []float32{largest, math.Nextafter32(largest, 0), 1, smallest, 100 * smallest, 178 * smallest} {
			blocks, err := tensorq.Quantize([]float32{v, -v, 0, v / 2}, q, tensorq.DefaultQuantConfig())
			if err != nil {
				t.Fatal(err)
			}
			out := make([]float32, 4)
			if _, err := tensorq.Dequantize(blocks, out); err != nil {
				t.Fatal(err)
			}
			bound := blocks[0].ErrorBound()
			for i, x := range []float32{v, -v, 0, v / 2} {
				if diff := math.Abs(float64(x) - float64(out[i])); !(diff <= bound) {
					t.Errorf("%d bits: %v came back as %v, off by %v, bound %v", bits, x, out[i], diff, bound)
				}
			}
			if _, err := tensorq.AppendBlock(nil, &blocks[0]); err != nil {
				t.Errorf("%d bits of %v: %v", bits, v, err)
			}
		}
	}
}

func TestAllocations(t *testing.T) {
	values := tensor(1, 1000, heavyTailed)
	cfg := tensorq.DefaultQuantConfig()
	cfg.TwoLevelCold = true
	for _, bits := range []int{8, 7, 5, 3} {
		q, _ := tensorq.Quantizer(bits)
		encoder, _ := tensorq.NewSegmentEncoder(bits, cfg)
		group, _ := tensorq.NewFrameGroup(bits, cfg)
		var (
			blocks  []tensorq.QuantizedBlock
			back    tensorq.QuantizedBlock
			reader  tensorq.SegmentReader
			segment []byte
			frames  []byte
			out     = make([]float32, len(values))
			stream  bytes.Buffer
			source  = new(bytes.Reader)
		)
		check := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		for name, call := range map[string]func(){
			"quantize": func() {
				var err error
				blocks, err = tensorq.QuantizeInto(blocks, values, q, cfg)
				check(err)
				_, err = tensorq.Dequantize(blocks, out)
				check(err)
			},
			"block": func() {
				var err error
				check(q.QuantizeBlock(values[:64], cfg, &back))
				segment, err = tensorq.AppendBlock(segment[:0], &back)
				check(err)
				_, err = tensorq.DecodeBlock(segment, 64, bits, back.TwoLevel, &back)
				check(err)
			},
			"segment": func() {
				var err error
				segment, err = encoder.Append(segment[:0], values)
				check(err)
				check(reader.ResetBytes(segment))
				check(reader.ReadInto(out))
			},
			"stream": func() {
				stream.Reset()
				check(encoder.Encode(&stream, values))
				source.Reset(stream.Bytes())
				check(reader.Reset(source))
				check(reader.ReadInto(out))
			},
			"frames": func() {
				group.Reset()
				check(group.Add(values))
				check(group.Add(values))
				frames = group.AppendSegment(frames[:0])
				check(reader.ResetBytes(frames))
				out = slices.Grow(out, 2*len(values))[:2*len(values)]
				check(reader.ReadInto(out))
			},
		} {
			call()
			if n := testing.AllocsPerRun(20, call); n != 0 {
				t.Errorf("%d bits, %s: %v allocations", bits, name, n)
			}
		}
	}
}
