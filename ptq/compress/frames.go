package compress

import (
	"errors"
	"fmt"
	"io"
	"math"

	"boost/booster/model"
	"boost/ptq"
	"boost/tensorq"
)

// FrameWriter writes the leaf tensors of successive refits of a model to a stream of package
// tensorq's segments of version 1 (S3.58): leaves of the same place share a scale in all
// frames of a segment, and a new segment begins with a frame whose largest leaves have drifted too
// far from those of the first (S3.36).
type FrameWriter struct {
	frames *tensorq.FrameWriter
	like   *model.Model
	frame  []float32
}

// NewFrameWriter returns a writer of frames of the model's shape, in 2 to 8 bits of a registered
// width. cfg.BlockSize successive leaves, a multiple of 8, share a scale; they may be those of
// several trees. Errors: those of tensorq.NewFrameWriter; ErrShape for a model without leaves.
func NewFrameWriter(w io.Writer, like *model.Model, bits int, cfg tensorq.QuantConfig) (*FrameWriter, error) {
	if like.NumTrees() == 0 {
		return nil, ErrShape{"a model without trees has no frames"}
	}
	frames, err := tensorq.NewFrameWriter(w, bits, cfg)
	if err != nil {
		return nil, err
	}
	return &FrameWriter{frames: frames, like: like, frame: make([]float32, len(like.Leaves()))}, nil
}

// Write adds the leaves of a model, rounded to float32. Errors: ErrShape for trees with other
// numbers of leaves than the writer's model; ptq.ErrOverflow, with tree and leaf, for one beyond
// float32; those of tensorq.FrameWriter.Write. After the first two other frames may follow.
func (f *FrameWriter) Write(m *model.Model) error {
	if err := sameShape(f.like, m); err != nil {
		return err
	}
	for i, v := range m.Leaves() {
		f.frame[i] = float32(v)
		if math.IsInf(float64(f.frame[i]), 0) {
			tree, leaf := placeOf(treeEnds(m), i)
			return fmt.Errorf("tree %d, leaf %d: %w", tree, leaf, ptq.ErrOverflow{Form: ptq.FormOf(ptq.F32), Index: i, Value: v})
		}
	}
	return f.frames.Write(f.frame)
}

// Segments is how many segments were written.
func (f *FrameWriter) Segments() int { return f.frames.Segments() }

// Close writes the last segment. It does not close the stream.
func (f *FrameWriter) Close() error { return f.frames.Close() }

// ReadFrames returns what a FrameWriter wrote of a model of this shape: for each frame the leaves in
// the order of model.Model.Leaves, for model.Model.WithLeaves. Errors: those of
// tensorq.ReadSegment; ErrShape for frames of another number of leaves.
func ReadFrames(r io.Reader, like *model.Model) ([][]float64, error) {
	n := len(like.Leaves())
	var frames [][]float64
	for {
		header, values, err := tensorq.ReadSegment(r)
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return frames, nil
		}
		if err != nil {
			return nil, fmt.Errorf("segment after frame %d: %w", len(frames), err)
		}
		if header.Version != tensorq.SegmentFrames || header.TensorLen != n {
			return nil, ErrShape{fmt.Sprintf("a segment of version %d has frames of %d leaves, the model has %d", header.Version, header.TensorLen, n)}
		}
		for at := 0; at < len(values); at += n {
			frame := make([]float64, n)
			for i, v := range values[at : at+n] {
				frame[i] = float64(v)
			}
			frames = append(frames, frame)
		}
	}
}
