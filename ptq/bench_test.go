package ptq_test

import (
	"math/rand/v2"
	"testing"

	"boost/ptq"
)

// trees are 1,000 of 31 leaves, of which each has a scale.
func trees(b *testing.B) ([]float64, *ptq.Groups) {
	b.Helper()
	g, err := ptq.NewBlocks([]int{31_000}, 31)
	if err != nil {
		b.Fatal(err)
	}
	return draw(1, 31_000, (*rand.Rand).NormFloat64), g
}

// BenchmarkQuantizeTypes makes versions of 31,000 values.
func BenchmarkQuantizeTypes(b *testing.B) {
	values, g := trees(b)
	for _, m := range []ptq.Method{ptq.Default, ptq.Percentile, ptq.MSE} {
		for _, d := range ptq.DTypes() {
			c := ptq.Calibration{Method: m, Groups: g}
			if m == ptq.Percentile {
				c.Percent = 99
			}
			if _, err := c.Resolve(d, len(values)); err != nil {
				continue
			}
			b.Run("method="+m.String()+"/dtype="+d.String(), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					quantize(b, d, c, values)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(values)), "ns/value")
			})
		}
	}
}

// BenchmarkDecodeRange reads 1,000 trees one after the other.
func BenchmarkDecodeRange(b *testing.B) {
	values, g := trees(b)
	for _, d := range ptq.DTypes() {
		b.Run("dtype="+d.String(), func(b *testing.B) {
			v := quantize(b, d, ptq.Calibration{Groups: g}, values)
			dst := make([]float64, 31)
			b.ReportAllocs()
			for b.Loop() {
				for first := 0; first < len(values); first += len(dst) {
					v.DecodeRange(dst, first)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(values)), "ns/value")
		})
	}
}

// BenchmarkAt reads single values here and there.
func BenchmarkAt(b *testing.B) {
	values, g := trees(b)
	for _, d := range []ptq.DType{ptq.F64, ptq.BF16, ptq.I8, ptq.U4, ptq.FP8E4M3} {
		b.Run("dtype="+d.String(), func(b *testing.B) {
			v := quantize(b, d, ptq.Calibration{Groups: g}, values)
			i, sum := 0, 0.0
			for b.Loop() {
				sum += v.At(i)
				if i += 7919; i >= len(values) {
					i -= len(values)
				}
			}
			_ = sum
		})
	}
}

// BenchmarkNative packs 31,000 values and reads them back.
func BenchmarkNative(b *testing.B) {
	values, g := trees(b)
	for _, d := range []ptq.DType{ptq.F64, ptq.I16, ptq.I8, ptq.I4, ptq.Binary} {
		v := quantize(b, d, ptq.Calibration{Groups: g}, values)
		s := stored(v)
		b.Run("append/dtype="+d.String(), func(b *testing.B) {
			for b.Loop() {
				s.Native = v.AppendNative(s.Native[:0])
			}
		})
		b.Run("restore/dtype="+d.String(), func(b *testing.B) {
			for b.Loop() {
				if _, err := ptq.Restore(s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
