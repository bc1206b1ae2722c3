package compression_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"boost/benchmarks/accuracy"
	"boost/benchmarks/compression"
	"boost/ptq"
	"boost/ptq/compress"
)

// trained keeps the models of a process.
var trained = map[string]*compression.Model{}

func modelOf(b *testing.B, name string) *compression.Model {
	b.Helper()
	folder := os.Getenv("BOOST_SHARED")
	if folder == "" {
		b.Skip("BOOST_SHARED is not set: the real data sets are not here")
	}
	if m := trained[name]; m != nil {
		return m
	}
	sets, err := accuracy.Sets(filepath.Join(folder, "data"), name)
	if err != nil {
		b.Fatal(err)
	}
	m, err := compression.New(context.Background(), sets[0], runtime.GOMAXPROCS(0))
	if err != nil {
		b.Fatal(err)
	}
	trained[name] = m
	return m
}

// unit makes a way the name of a figure.
func unit(figure, way string) string {
	return figure + "_" + strings.NewReplacer(", ", "_", " ", "_").Replace(way)
}

// BenchmarkDTypeTable reports cosine, bytes and change of the loss by type, and holds the cosines
// of F64, BF16 and I8 to their bars on every model (S4.34).
func BenchmarkDTypeTable(b *testing.B) {
	bars := map[string]float64{"F64": 1, "BF16": 0.999, "I8": 0.998}
	for _, name := range compression.Sets {
		b.Run("S4.34/"+name, func(b *testing.B) {
			m := modelOf(b, name)
			for b.Loop() {
				figures, err := m.Forms(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				for _, f := range figures {
					b.ReportMetric(f.Cosine, unit("cosine", f.Way))
					b.ReportMetric(f.Bytes, unit("B", f.Way))
					b.ReportMetric(100*f.Change, unit("%_loss", f.Way))
					if bar, has := bars[f.Way]; has && f.Cosine < bar {
						b.Errorf("the cosine of %s is %.6f: %.3f is the least", f.Way, f.Cosine, bar)
					}
				}
			}
		})
	}
}

// BenchmarkQ40VsI4 compares the squared error of Q4_0 with that of I4 under one scale for all
// values, on the leaves of models, where it has to be lower, and on drawn values (S4.25).
func BenchmarkQ40VsI4(b *testing.B) {
	report := func(b *testing.B, i4, q40 float64) float64 {
		b.ReportMetric(i4/q40, "x_squared_error")
		return i4 / q40
	}
	for _, name := range compression.Sets {
		b.Run("S4.25/"+name, func(b *testing.B) {
			m := modelOf(b, name)
			for b.Loop() {
				one, err := compress.MorphModel(m.Model, ptq.FormOf(ptq.I4), compress.Calibration{By: compress.ByModel})
				if err != nil {
					b.Fatal(err)
				}
				blocks, err := compress.MorphModel(m.Model, ptq.FormQ4_0, compress.Calibration{})
				if err != nil {
					b.Fatal(err)
				}
				if x := report(b, one.Squared, blocks.Squared); x <= 1 {
					b.Errorf("the squared error of I4 is %.3f times that of Q4_0: it has to be above 1", x)
				}
			}
		})
	}
	r := rand.New(rand.NewPCG(4, 25))
	for _, c := range []struct {
		name string
		draw func() float64
	}{
		{"normal", r.NormFloat64},
		{"laplace", func() float64 { return math.Copysign(r.ExpFloat64(), r.Float64()-0.5) }},
		{"student_3", func() float64 { // normal over the root of a third of χ² with 3 degrees
			x, y, z := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
			return r.NormFloat64() / math.Sqrt((x*x+y*y+z*z)/3)
		}},
	} {
		b.Run("S4.25/"+c.name, func(b *testing.B) {
			values := make([]float64, 100_000)
			for i := range values {
				values[i] = c.draw()
			}
			for b.Loop() {
				squared := func(form ptq.Form) float64 {
					v, err := ptq.Encode(form, ptq.Calibration{}, values, nil)
					if err != nil {
						b.Fatal(err)
					}
					e, err := v.Measure(values, nil)
					if err != nil {
						b.Fatal(err)
					}
					return e.Squared
				}
				report(b, squared(ptq.FormOf(ptq.I4)), squared(ptq.FormQ4_0))
			}
		})
	}
}

// BenchmarkCalibration reports what the loss changes by, by the way in which scales are chosen, and
// holds mse to what it is for: a squared error not above absmax's (S4.15).
func BenchmarkCalibration(b *testing.B) {
	for _, name := range compression.Sets {
		b.Run("S4.15/"+name, func(b *testing.B) {
			m := modelOf(b, name)
			for b.Loop() {
				figures, err := m.Calibrations(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				square := map[string]float64{}
				for _, f := range figures {
					square[f.Way] = f.Square
					b.ReportMetric(100*f.Change, unit("%_loss", f.Way))
				}
				for _, d := range compression.Calibrated {
					for _, by := range []string{"", ", tree"} {
						least, most := square[d.String()+" mse"+by], square[d.String()+" absmax"+by]
						if least > most*(1+1e-9) {
							b.Errorf("%s%s: the squared error of mse is %v, of absmax %v", d, by, least, most)
						}
					}
				}
			}
		})
	}
}
