package compress_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"testing"

	"boost/booster/model"
	"boost/ptq"
	"boost/ptq/compress"
	"boost/tensorq"
)

func eights() tensorq.QuantConfig {
	cfg := tensorq.DefaultQuantConfig()
	cfg.BlockSize = 8
	return cfg
}

// By hand, 8 bits, leaves up to 1.27: with headroom 26/256 the scale is 1.27·282/256/127 = 0.01101…, rounded up to
// half precision: 0.011016846 (bits 21a4). A frame 10 % larger shares it, one 20 % larger does not. A stream
// of 2 segments of 7 leaves: 2·(26 + 2) bytes, and 7 for each of 3 frames.
func TestFrames(t *testing.T) { t.Run("S3.58/by_hand", checkFrames) }

func checkFrames(t *testing.T) {
	m := forest(t, 1, []float64{1.27, -0.5, 0.25}, []float64{0.1, 0, -1, 0.004})
	scaled := func(by float64) *model.Model {
		leaves := m.Leaves()
		for i := range leaves {
			leaves[i] *= by
		}
		out, err := m.WithLeaves(leaves)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	models := []*model.Model{m, scaled(1.1), scaled(1.2)}
	var stream bytes.Buffer
	w, err := compress.NewFrameWriter(&stream, m, 8, eights())
	if err != nil {
		t.Fatal(err)
	}
	for _, frame := range models {
		if err := w.Write(frame); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w.Segments() != 2 || stream.Len() != 2*28+3*7 {
		t.Errorf("%d segments of %d bytes, want 2 of 77", w.Segments(), stream.Len())
	}
	if got := stream.Bytes()[22:24]; !bytes.Equal(got, []byte{0xa4, 0x21}) {
		t.Errorf("the first scale is % x, want a4 21", got)
	}
	all := bytes.Clone(stream.Bytes())
	frames, err := compress.ReadFrames(&stream, m)
	if err != nil || len(frames) != 3 {
		t.Fatalf("%d frames: %v", len(frames), err)
	}
	const step = 0.011016845703125
	for i, frame := range models[:2] {
		for k, v := range frame.Leaves() {
			if want := step * math.Round(float64(float32(v))/step); math.Abs(frames[i][k]-want) > 1e-9 {
				t.Errorf("frame %d, leaf %d: %v, want %v", i, k, frames[i][k], want)
			}
		}
	}
	if _, err := m.WithLeaves(frames[2]); err != nil {
		t.Error(err)
	}

	var shape compress.ErrShape
	if err := w.Write(forest(t, 1, []float64{1})); !errors.As(err, &shape) {
		t.Errorf("another shape: %v", err)
	}
	if _, err := compress.ReadFrames(bytes.NewReader(all), forest(t, 1, []float64{1})); !errors.As(err, &shape) {
		t.Errorf("frames of another shape: %v", err)
	}
	if _, err := compress.NewFrameWriter(io.Discard, forest(t, 1), 8, eights()); !errors.As(err, &shape) {
		t.Errorf("no trees: %v", err)
	}
	if _, err := compress.NewFrameWriter(io.Discard, m, 9, eights()); err == nil {
		t.Error("9 bits")
	}
	var overflow ptq.ErrOverflow
	if err := w.Write(forest(t, 1, []float64{1, 2, 3}, []float64{1, 1e39, 2, 3})); !errors.As(err, &overflow) || overflow.Index != 4 {
		t.Errorf("beyond float32: %v", err)
	}
	for cut := 1; cut < len(all); cut++ {
		if frames, err := compress.ReadFrames(bytes.NewReader(all[:cut]), m); err == nil && (cut != 42 || len(frames) != 2) {
			t.Errorf("%d frames of a stream cut short at %d", len(frames), cut)
		}
	}
	if frames, err := compress.ReadFrames(bytes.NewReader(nil), m); err != nil || len(frames) != 0 {
		t.Errorf("an empty stream: %v", err)
	}
}
