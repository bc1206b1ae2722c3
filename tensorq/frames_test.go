package tensorq_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"boost/tensorq"
)

// decodeFrames reads segments one after another until the end.
func decodeFrames(t *testing.T, data []byte) (frames [][]float32, headers []tensorq.SegmentHeader) {
	t.Helper()
	var reader tensorq.SegmentReader
	in := bytes.NewReader(data)
	for {
		err := reader.Reset(in)
		if err == io.EOF {
			return frames, headers
		}
		if err != nil {
			t.Fatal(err)
		}
		h := reader.Header()
		values := make([]float32, h.Values())
		if err := reader.ReadInto(values); err != nil {
			t.Fatal(err)
		}
		headers = append(headers, h)
		for frame := range slices.Chunk(values, h.TensorLen) {
			frames = append(frames, frame)
		}
	}
}

func TestDrift(t *testing.T) {
	up, down := math.Nextafter32(1.1015625, 2), math.Nextafter32(.8984375, 0)
	cfg := tensorq.DefaultQuantConfig()
	cfg.BlockSize = 8
	for _, c := range []struct {
		name       string
		ref, peak  float32
		fits       bool
		otherGroup bool
	}{
		{"upper_limit", 1, 1.1015625, true, false},
		{"above", 1, up, false, false},
		{"lower_limit", 1, .8984375, true, false},
		{"below", 1, down, false, false},
		{"negative_upper_limit", 1, -1.1015625, true, false},
		{"negative_above", 1, -up, false, false},
		{"same", 1, 1, true, false},
		{"zeros_fit", 1, 0, true, false},
		{"zero_on_zero", 0, 0, true, false},
		{"smallest_on_zero", 0, math.Float32frombits(1), false, false},
		{"one_on_zero", 0, 1, false, false},
		{"second_group", 1, up, false, true},
		{"second_group_fits", 1, 1.1015625, true, true},
	} {
		t.Run("S3.36/"+c.name, func(t *testing.T) {
			frame := func(peak float32) []float32 {
				f := make([]float32, 11)
				f[3] = .25
				if c.otherGroup {
					f[9] = peak
				} else {
					f[3] = peak
				}
				return f
			}
			group, err := tensorq.NewFrameGroup(7, cfg)
			if err != nil {
				t.Fatal(err)
			}
			if err := group.Add(frame(c.ref)); err != nil {
				t.Fatal(err)
			}
			before := group.AppendSegment(nil)
			err = group.Add(frame(c.peak))
			if c.fits {
				if err != nil || group.Frames() != 2 {
					t.Errorf("%v", err)
				}
				return
			}
			want := tensorq.ErrDrift{Max: max(c.peak, -c.peak), Reference: c.ref}
			if c.otherGroup {
				want.Group = 1
			}
			if err != want {
				t.Errorf("%v, want %v", err, want)
			}
			if !bytes.Equal(group.AppendSegment(nil), before) {
				t.Error("a refused frame changed the group")
			}
			// A writer goes on with a new segment.
			var out bytes.Buffer
			w, _ := tensorq.NewFrameWriter(&out, 7, cfg)
			if err := errors.Join(w.Write(frame(c.ref)), w.Write(frame(c.peak)), w.Write(frame(c.peak)), w.Close()); err != nil {
				t.Fatal(err)
			}
			frames, headers := decodeFrames(t, out.Bytes())
			if len(frames) != 3 || len(headers) != 2 || w.Segments() != 2 || headers[0].Frames != 1 || headers[1].Frames != 2 {
				t.Errorf("%d frames, headers %+v", len(frames), headers)
			}
		})
	}
}

// A random walk of a tensor whose maxima wander through the limits.
func walk(seed uint64, n, frames int, draw func(r *rand.Rand) float64) [][]float32 {
	r := rand.New(rand.NewPCG(seed, 7))
	values := make([][]float32, frames)
	values[0] = tensor(seed, n, draw)
	for f := 1; f < frames; f++ {
		values[f] = slices.Clone(values[f-1])
		for i := range values[f] {
			values[f][i] *= float32(1 + .02*r.NormFloat64())
		}
		if f%9 == 0 {
			clear(values[f][:min(n, 64)])
		}
	}
	return values
}

func TestAcceptedFrames(t *testing.T) {
	for _, w := range widths {
		for _, headroom := range []float64{0, .1, tensorq.DefaultHeadroom, .2} {
			for _, d := range distributions[:4] {
				t.Run(fmt.Sprintf("S3.37/S3.40/S3.36/%d_bits/headroom_%.2f/%s", w.bits, headroom, d.name), func(t *testing.T) {
					cfg := tensorq.DefaultQuantConfig()
					cfg.Headroom = headroom
					qmax := float64(qmaxOf(w.bits))
					group, err := tensorq.NewFrameGroup(w.bits, cfg)
					if err != nil {
						t.Fatal(err)
					}
					var accepted [][]float32
					segments, shared := 0, 0
					end := func() {
						if len(accepted) == 0 {
							return
						}
						segments++
						shared += len(accepted) - 1
						segment := group.AppendSegment(nil)
						group.Reset()
						h, values, err := tensorq.DecodeSegment(segment)
						if err != nil || h.Frames != len(accepted) {
							t.Fatalf("%+v %v", h, err)
						}
						for f, frame := range accepted {
							for i, v := range frame {
								from := i / 64 * 64
								to := min(from+64, len(frame))
								ref := float64(tensorq.MaxAbs(accepted[0][from:to]))
								stored := halfAt(segment[22+2*(i/64):])
								if exact := ref * (1 + headroom) / qmax; stored < exact*(1-0x1p-52) || stored > exact*(1+0x1p-10)+0x1p-24 {
									t.Fatalf("scale %v stored for %v", stored, exact)
								}
								diff := math.Abs(float64(v) - float64(values[f*h.TensorLen+i]))
								// Half the stored scale, and the rounding of the result: were a code
								// clamped, the error would be larger.
								if diff > stored/2*(1+0x1p-16) {
									t.Fatalf("frame %d: %v errs by %v, the stored scale is %v", f, v, diff, stored)
								}
								limit := ref*tensorq.DriftBound(w.bits, headroom)*(1+0x1p-9) + 0x1p-24
								if diff > limit {
									t.Fatalf("frame %d: %v errs by %v, the table allows %v", f, v, diff, limit)
								}
							}
						}
						accepted = accepted[:0]
					}
					for _, frame := range walk(36, 300, 40, d.draw) {
						err := group.Add(frame)
						if errors.As(err, new(tensorq.ErrDrift)) {
							end()
							err = group.Add(frame)
						}
						if err != nil {
							t.Fatal(err)
						}
						accepted = append(accepted, frame)
					}
					end()
					if headroom >= .1 && shared < 10 {
						t.Errorf("%d segments for 40 frames: scales are hardly shared", segments)
					}
				})
			}
		}
	}
}

// halfAt reads a half without a sign.
func halfAt(b []byte) float64 {
	bits := int(b[0]) | int(b[1])<<8
	if bits < 1024 {
		return math.Ldexp(float64(bits), -24)
	}
	return math.Ldexp(float64(1024+bits%1024), bits/1024-25)
}

func TestDriftTable(t *testing.T) {
	for bits, shares := range map[int][3]float64{
		8: {.394, .433, .472}, 7: {.794, .873, .952}, 5: {3.333, 3.667, 4}, 3: {16.667, 18.333, 20},
	} {
		t.Run(fmt.Sprintf("S3.37/%d_bits", bits), func(t *testing.T) {
			for i, want := range shares {
				if got := 100 * tensorq.DriftBound(bits, float64(i)/10); math.Round(got*1000)/1000 != want {
					t.Errorf("drift of %d %%: %.4f %%, want %.3f", 10*i, got, want)
				}
			}
		})
	}
	// What the bound is for: a frame at the limit, its values in the middle between two codes.
	t.Run("S3.37/reached", func(t *testing.T) {
		cfg := tensorq.DefaultQuantConfig()
		cfg.BlockSize, cfg.Headroom = 8, .125
		// Scale (1 + 1/8)·56/63 = 1, a half; 0.5 + 2⁻²⁰ lies next to the middle.
		first := []float32{56, 0, 0, 0, 0, 0, 0, 0}
		second := []float32{63, .5 - 0x1p-20, -.5 + 0x1p-20, 7.5 - 0x1p-18, 0, 0, 0, 0}
		group, _ := tensorq.NewFrameGroup(7, cfg)
		if err := errors.Join(group.Add(first), group.Add(second)); err != nil {
			t.Fatal(err)
		}
		_, values, err := tensorq.DecodeSegment(group.AppendSegment(nil))
		if err != nil || !slices.Equal(values[8:], []float32{63, 0, 0, 7, 0, 0, 0, 0}) {
			t.Fatalf("%v %v", values, err)
		}
		if got, want := .5/56, tensorq.DriftBound(7, .125); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("an error of %v of the reference is possible, the bound is %v", got, want)
		}
	})
}

func TestFrameScales(t *testing.T) {
	cfg := tensorq.DefaultQuantConfig()
	cfg.Headroom = 0
	t.Run("S3.40/too_large", func(t *testing.T) {
		group, _ := tensorq.NewFrameGroup(3, cfg)
		if err := group.Add([]float32{3 * 65504}); err != nil {
			t.Errorf("a scale of 65504: %v", err)
		}
		group.Reset()
		frame := make([]float32, 100)
		frame[70] = math.Nextafter32(3*65504, math.MaxFloat32)
		err := group.Add(frame)
		var large tensorq.ErrScaleTooLarge
		if !errors.As(err, &large) || large.Group != 1 || !strings.Contains(err.Error(), "version 2") || group.Frames() != 0 {
			t.Errorf("%v", err)
		}
		// Version 2 takes it.
		if _, err := tensorq.EncodeSegment(frame, 3, cfg); err != nil {
			t.Error(err)
		}
	})
	t.Run("S3.40/golden", func(t *testing.T) {
		group, _ := tensorq.NewFrameGroup(8, cfg)
		if err := group.Add([]float32{127, -127, 0}); err != nil {
			t.Fatal(err)
		}
		// Of 8 bits too the stream is biased: 254, 0, 127.
		want := bytesOf(t, "54 51 54 43 01 08 | 40 00 00 00 | 03 00 00 00 | 01 00 00 00 | 01 00 00 00 | 00 3c | 03 00 00 00 | fe 00 7f")
		if got := group.AppendSegment(nil); !bytes.Equal(got, want) {
			t.Errorf("% x\nwant % x", got, want)
		}
	})
	t.Run("S3.40/tiny", func(t *testing.T) {
		// Too small for halves: the scale is the smallest one, and everything becomes 0.
		group, _ := tensorq.NewFrameGroup(3, cfg)
		if err := group.Add([]float32{1e-30, 0}); err != nil {
			t.Fatal(err)
		}
		segment := group.AppendSegment(nil)
		if _, values, err := tensorq.DecodeSegment(segment); err != nil || halfAt(segment[22:]) != 0x1p-24 || values[0] != 0 {
			t.Errorf("% x %v %v", segment, values, err)
		}
	})
}

func TestFrameWriter(t *testing.T) {
	cfg := tensorq.DefaultQuantConfig()
	t.Run("S3.38/sizes", func(t *testing.T) {
		for _, bits := range []int{8, 7, 5, 3} {
			for n := 1; n <= 257; n++ {
				group, _ := tensorq.NewFrameGroup(bits, cfg)
				frame := tensor(uint64(n), n, distributions[0].draw)
				for frames := 1; frames <= 3; frames++ {
					if err := group.Add(frame); err != nil {
						t.Fatal(err)
					}
					got := len(group.AppendSegment(nil))
					if want := 26 + 2*((n+63)/64) + frames*((n*bits+7)/8); got != want {
						t.Fatalf("%d frames of %d values of %d bits: %d bytes, want %d", frames, n, bits, got, want)
					}
				}
			}
		}
	})
	t.Run("S3.38/refused", func(t *testing.T) {
		for _, blockSize := range []int{1, 7, 12, 100} {
			bad := cfg
			bad.BlockSize = blockSize
			if _, err := tensorq.NewFrameGroup(7, bad); !errors.As(err, new(tensorq.ErrShape)) {
				t.Errorf("groups of %d: %v", blockSize, err)
			}
		}
		for _, bits := range []int{0, 1, 2, 9} {
			if _, err := tensorq.NewFrameWriter(io.Discard, bits, cfg); err != (tensorq.ErrBitWidth{Bits: bits}) {
				t.Errorf("%d bits: %v", bits, err)
			}
		}
		group, _ := tensorq.NewFrameGroup(7, cfg)
		if err := group.Add(nil); !errors.As(err, new(tensorq.ErrShape)) {
			t.Errorf("a frame of no values: %v", err)
		}
		if err := errors.Join(group.Add([]float32{1, 2})); err != nil {
			t.Fatal(err)
		}
		if err := group.Add([]float32{1, 2, 2}); !errors.As(err, new(tensorq.ErrShape)) || group.Frames() != 1 {
			t.Errorf("a longer frame: %v", err)
		}
		if got := new(tensorq.FrameGroup).AppendSegment([]byte("x")); string(got) != "x" {
			t.Errorf("no frames made %q", got)
		}
	})
	t.Run("S3.38/writer", func(t *testing.T) {
		var out bytes.Buffer
		w, _ := tensorq.NewFrameWriter(&out, 5, cfg)
		w.MaxData = 130 // three frames of 43 bytes are too much, two fit
		frame := tensor(1, 68, distributions[0].draw)
		for range 5 {
			if err := w.Write(frame); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Write([]float32{float32(math.NaN())}); !errors.As(err, new(tensorq.ErrNotFinite)) {
			t.Errorf("NaN: %v", err)
		}
		if err := errors.Join(w.Write(frame[:9]), w.Close()); err != nil {
			t.Fatal(err)
		}
		frames, headers := decodeFrames(t, out.Bytes())
		var counts []int
		for _, h := range headers {
			counts = append(counts, h.Frames)
		}
		if len(frames) != 6 || !slices.Equal(counts, []int{3, 2, 1}) || headers[2].TensorLen != 9 {
			t.Errorf("%d frames in segments of %v", len(frames), counts)
		}
		if err := w.Write(frame); err == nil {
			t.Error("a closed writer takes frames")
		}
		broken := errors.New("the disk is gone")
		w, _ = tensorq.NewFrameWriter(failing{broken}, 5, cfg)
		if err := errors.Join(w.Write(frame), w.Write(frame[:9])); !errors.Is(err, broken) {
			t.Errorf("%v", err)
		}
		if err := w.Write(frame); !errors.Is(err, broken) {
			t.Errorf("after a failure: %v", err)
		}
	})
}
