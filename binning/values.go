package binning

import "boost/internal/kernel/bin"

// ValueEncoder gives the codes of numbers that stand in no table, under the cuts of one
// numeric feature. It is immutable and safe for concurrent use.
type ValueEncoder[T float32 | float64] struct{ encoding encoding }

// NewValueEncoder prepares numeric feature f for so many values. They are compared with its
// cuts exactly, and NaN is missing, as an Encoder does.
func NewValueEncoder[T float32 | float64](c *Cuts, f, values int) *ValueEncoder[T] {
	feature := &c.Features[f]
	e := &ValueEncoder[T]{encoding{kind: feature.Kind, missing: feature.MissingCode()}}
	e.encoding.take([]T{})
	e.encoding.takeCuts(c, f, values)
	return e
}

// EncodeValues writes the codes of values to dst, which is at least as long and of a width
// that holds the feature's codes, MissingCode too.
func EncodeValues[T float32 | float64, C bin.Code](e *ValueEncoder[T], values []T, dst []C) {
	own := e.encoding
	own.take(values)
	encodeValues(&own, 0, len(values), dst)
}

// take makes values, a slice of float32 or float64, those of the encoding.
func (e *encoding) take(values any) {
	switch values := values.(type) {
	case []float32:
		e.f32 = values
	case []float64:
		e.f64 = values
	}
}
