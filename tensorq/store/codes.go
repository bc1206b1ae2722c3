package store

import (
	"fmt"
	"math"
	"sync"

	"boost/tensorq"
)

// decoder reads segments of version 2, block by block.
type decoder struct {
	reader tensorq.SegmentReader
	block  []float32
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

// begin checks the segment of a tensor of n values.
func (d *decoder) begin(codes []byte, n int) error {
	if err := d.reader.ResetBytes(codes); err != nil {
		return err
	}
	if h := d.reader.Header(); h.Version != tensorq.SegmentBlocks || h.Values() != n {
		return fmt.Errorf("a segment of version %d with %d values: expected version %d with %d", h.Version, h.Values(), tensorq.SegmentBlocks, n)
	}
	return nil
}

func (d *decoder) next() ([]float32, error) {
	var err error
	d.block, err = d.reader.Next(d.block[:0])
	return d.block, err
}

// decode writes the values of a segment to out, which has as many.
func decode(codes []byte, out []float32) error {
	d := decoders.Get().(*decoder)
	defer decoders.Put(d)
	if err := d.begin(codes, len(out)); err != nil {
		return err
	}
	return d.reader.ReadInto(out)
}

// encode returns the segment of values and the largest difference between them and what
// it decodes to: the error that is there, at most half a scale (S3.33).
func encode(values []float32, width int, quant tensorq.QuantConfig) (codes []byte, worst float64, err error) {
	if codes, err = tensorq.EncodeSegment(values, width, quant); err != nil {
		return nil, 0, err
	}
	d := decoders.Get().(*decoder)
	defer decoders.Put(d)
	if err := d.begin(codes, len(values)); err != nil {
		return nil, 0, err
	}
	for rest := values; len(rest) > 0; {
		block, err := d.next()
		if err != nil {
			return nil, 0, err
		}
		_, w := largestDifference(block, rest[:len(block)])
		worst, rest = max(worst, w), rest[len(block):]
	}
	return codes, worst, nil
}

// largestDifference returns the index and the size of the largest difference, rounded up;
// a NaN is infinitely far from everything.
func largestDifference(a, b []float32) (index int, worst float64) {
	for i, v := range a {
		d := math.Abs(float64(v) - float64(b[i]))
		if math.IsNaN(d) {
			d = math.Inf(1)
		}
		if d > worst {
			index, worst = i, d
		}
	}
	return index, up(worst)
}

// up returns a float64 that is no less than what x was rounded from.
func up(x float64) float64 {
	if x == 0 {
		return 0
	}
	return math.Nextafter(x, math.Inf(1))
}

// blockBytes is what the blocks of n values take at a width with one scale each, scales
// included.
func blockBytes(n, width, size int) int64 {
	full, last := n/size, n%size
	bytes := int64(full) * int64(tensorq.StorageSize(size, width, false))
	if last > 0 {
		bytes += int64(tensorq.StorageSize(last, width, false))
	}
	return bytes
}
