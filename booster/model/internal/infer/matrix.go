package infer

import (
	"context"
	"fmt"

	"boost/binning"
	"boost/internal/kernel/bin"
)

// PredictMatrix returns the predictions for rows of values that stand one after the other: those that
// PredictValues makes for each, rows × outputs, row-major. Values that do not fill whole rows are an error.
func PredictMatrix[T float32 | float64](ctx context.Context, e *Engine, values []T, opts []Option) ([]float64, error) {
	return predictMatrix(ctx, e, ofValues, values, opts, func(b *block, out []float64) {
		b.link(&e.Head)
		b.transpose(b.values, out)
	})
}

// PredictMatrixRaw is PredictMatrix for the raw scores, before the link.
func PredictMatrixRaw[T float32 | float64](ctx context.Context, e *Engine, values []T, opts []Option) ([]float64, error) {
	return predictMatrix(ctx, e, ofScores, values, opts, func(b *block, out []float64) { b.transpose(b.raw, out) })
}

func predictMatrix[T float32 | float64](ctx context.Context, e *Engine, what kind, values []T, opts []Option, write func(b *block, out []float64)) ([]float64, error) {
	width := len(e.contents.Cuts.Features)
	if width == 0 || len(values)%width != 0 {
		return nil, fmt.Errorf("%d values do not fill rows of %d features: give every row all features of the model's schema, in its order", len(values), width)
	}
	j, err := e.Predictor().newJob(what, opts)
	if err != nil {
		return nil, err
	}
	j.rows = len(values) / width
	out := make([]float64, j.rows*e.contents.Outputs)
	j.source = newMatrixSource(&e.Head, values, width)
	j.visit = func(b *block) { write(b, out) }
	return orNil(out, j.start(ctx))
}

// matrixSource is the rows of a matrix.
type matrixSource[T float32 | float64] struct {
	values   []T
	width    int
	features []matrixFeature[T] // the used ones
	linear   []int              // those whose values leaves need
}

// matrixFeature has one of both.
type matrixFeature[T float32 | float64] struct {
	index   int
	numbers *binning.ValueEncoder[T]
	levels  rowFeature
}

func newMatrixSource[T float32 | float64](h *Head, values []T, width int) *matrixSource[T] {
	s := &matrixSource[T]{values: values, width: width, linear: h.linear}
	for _, f := range h.used {
		feature := matrixFeature[T]{index: f}
		if h.contents.Cuts.Features[f].Kind == binning.Categorical {
			feature.levels = h.rowFeature(f)
		} else {
			feature.numbers = binning.NewValueEncoder[T](h.contents.Cuts, f, len(values)/width)
		}
		s.features = append(s.features, feature)
	}
	return s
}

func (s *matrixSource[T]) rowBytes() int { return 8 * len(s.features) }

// gatherRows is how many rows stay in the first cache while their columns are picked.
const gatherRows = 32

func (s *matrixSource[T]) encode(b *block, lo, hi int) {
	for i, f := range s.linear {
		to := b.ownFloats(i, f)
		for row := range to {
			to[row] = float32(s.values[(lo+row)*s.width+f])
		}
	}
	columns := bufferOf[T](b, b.rows*len(s.features))
	for ; lo < hi; lo += gatherRows {
		first := lo - b.first
		rows := min(gatherRows, hi-lo)
		part := s.values[lo*s.width:][:rows*s.width]
		for i := range s.features {
			to := columns[i*b.rows+first:][:rows]
			at := s.features[i].index
			for row := range to {
				to[row] = part[at]
				at += s.width
			}
		}
	}
	for i := range s.features {
		values := columns[i*b.rows:][:b.rows]
		switch c := &b.columns[i]; c.Bits {
		case 8:
			encodeFeature(&s.features[i], values, c.U8[:b.rows])
		case 16:
			encodeFeature(&s.features[i], values, c.U16[:b.rows])
		default:
			encodeFeature(&s.features[i], values, c.U32[:b.rows])
		}
	}
}

func encodeFeature[T float32 | float64, C bin.Code](f *matrixFeature[T], values []T, codes []C) {
	if f.numbers != nil {
		binning.EncodeValues(f.numbers, values, codes)
		return
	}
	for i, x := range values {
		codes[i] = C(f.levels.code(float64(x)))
	}
}

// bufferOf returns the block's memory for n values.
func bufferOf[T float32 | float64](b *block, n int) []T {
	var list any
	switch any(T(0)).(type) {
	case float32:
		b.singles = sized(b.singles, n)
		list = b.singles
	default:
		b.doubles = sized(b.doubles, n)
		list = b.doubles
	}
	return list.([]T)
}
