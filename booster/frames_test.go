package booster_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"boost/booster"
	"boost/internal/testenv"
	"boost/ptq/compress"
	"boost/tensorq"
)

// refits are 20 refits of a model to successive rows of a set that it was not trained on.
func refits(t *testing.T, name, objective string, decay float64) []*booster.Model {
	t.Helper()
	table := openShipped(t, name)
	half := table.NumRows() / 2
	p := booster.Defaults()
	p.Objective, p.Rounds = objective, 30
	m := train(t, p, table.Take(sequence(0, half)))
	var models []*booster.Model
	for i := range 20 {
		var err error
		if m, err = booster.Refit(t.Context(), m, table.Take(sequence(half+i*half/20, half+(i+1)*half/20)), decay); err != nil {
			t.Fatal(err)
		}
		models = append(models, m)
	}
	return models
}

// streamed writes models as frames and returns the bytes and how many segments they are.
func streamed(t *testing.T, bits int, cfg tensorq.QuantConfig, models ...*booster.Model) ([]byte, int) {
	t.Helper()
	var stream bytes.Buffer
	w, err := compress.NewFrameWriter(&stream, models[0], bits, cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range models {
		if err := w.Write(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return stream.Bytes(), w.Segments()
}

// 20 refits to successive rows of real sets, as one stream and as 20 segments of their own. The
// stream is smaller by the heads and scales of the frames that share those of another, and
// every leaf is within half a step of what its block's largest leaf allows.
func TestFramesOfRefits(t *testing.T) {
	testenv.Unraced(t)
	made := map[string][]*booster.Model{}
	for _, c := range []struct {
		set, objective string
		decay          float64
		block          int
		shares         bool
	}{
		{"adult", "binary", 0.9, 64, true}, {"adult", "binary", 0.99, 64, true}, {"adult", "binary", 0.9, 1024, true},
		{"wine_quality", "multiclass", 0.9, 64, false}, // the leaves of rare classes move too far
		{"wine_quality", "multiclass", 0.99, 64, true}, {"wine_quality", "multiclass", 0.9, 8192, true},
	} {
		key := fmt.Sprint(c.set, c.decay)
		models, ok := made[key]
		if !ok {
			models = refits(t, c.set, c.objective, c.decay)
			made[key] = models
		}
		for _, width := range []struct{ bits, qmax int }{{8, 127}, {7, 63}, {5, 15}, {3, 3}} {
			t.Run(fmt.Sprintf("S3.58/%s/decay=%v/block=%d/bits=%d", c.set, c.decay, c.block, width.bits), func(t *testing.T) {
				cfg := tensorq.DefaultQuantConfig()
				cfg.BlockSize = c.block
				stream, segments := streamed(t, width.bits, cfg, models...)
				apart := 0
				for _, m := range models {
					one, _ := streamed(t, width.bits, cfg, m)
					apart += len(one)
				}
				n := len(models[0].Leaves())
				t.Logf("%d leaves, 20 frames in %d segments: %d bytes; 20 segments of their own %d", n, segments, len(stream), apart)
				// Each segment that is not there saves 26 bytes and 2 for each scale.
				if saved := (20 - segments) * (26 + 2*((n+c.block-1)/c.block)); len(stream) != apart-saved {
					t.Errorf("%d bytes, segments of their own %d: %d were to be saved", len(stream), apart, saved)
				}
				if shares := segments < 20; shares != c.shares {
					t.Errorf("%d segments", segments)
				}
				frames, err := compress.ReadFrames(bytes.NewReader(stream), models[0])
				if err != nil || len(frames) != 20 {
					t.Fatalf("%d frames: %v", len(frames), err)
				}
				for i, frame := range frames {
					withinHalfStep(t, frame, models[i].Leaves(), c.block, width.qmax)
				}
			})
		}
	}
}

// withinHalfStep: a block's scale is at most (1+26/256)/(1-26/256) of its largest leaf over qmax,
// and half precision rounds it up by 2⁻¹⁰ at most.
func withinHalfStep(t *testing.T, frame, leaves []float64, block, qmax int) {
	t.Helper()
	for lo := 0; lo < len(leaves); lo += block {
		hi := min(lo+block, len(leaves))
		most := 0.0
		for _, v := range leaves[lo:hi] {
			most = max(most, math.Abs(v))
		}
		step := 282.0 / 230 * most / float64(qmax) * (1 + 0x1p-10)
		for k := lo; k < hi; k++ {
			if d := math.Abs(frame[k] - leaves[k]); d > step/2*(1+1e-6) {
				t.Fatalf("leaf %d: %v instead of %v, step %v", k, frame[k], leaves[k], step)
			}
		}
	}
}
