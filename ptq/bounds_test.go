package ptq_test

import (
	"math"
	"testing"

	"boost/internal/testenv"
	"boost/ptq"
)

// bound is the most by which a value may differ from its version: half a step of a type
// with a scale, half a unit in the last place of a floating-point type, and for those with
// a scale the rounding of it.
func bound(v *ptq.Version, x float64) float64 {
	scale := 1.0
	if v.Scales() != nil {
		scale = v.Scales()[0]
	}
	x = math.Abs(x)
	rounding := 4 * 0x1p-53 * x
	relative := func(digits, smallest int) float64 {
		return math.Max(math.Ldexp(x, -digits), math.Ldexp(scale, smallest-1)) + rounding
	}
	switch d := v.DType(); d {
	case ptq.F64:
		return 0
	case ptq.F32:
		return relative(24, -149)
	case ptq.F16:
		return relative(11, -24)
	case ptq.BF16:
		return relative(8, -133)
	case ptq.FP8E4M3:
		return relative(4, -9)
	case ptq.FP8E5M2:
		return relative(3, -16)
	case ptq.FP4:
		return relative(2, -1)
	case ptq.Binary:
		return math.Abs(x-scale) + rounding
	default:
		if d.Unsigned() {
			rounding += 4 * 0x1p-53 * math.Abs(v.Offsets()[0])
		}
		return scale/2 + rounding
	}
}

func TestMorphBounds(t *testing.T) {
	testenv.Unraced(t)
	for _, d := range ptq.DTypes() {
		t.Run("S4.7/S4.19/bound/"+d.String(), func(t *testing.T) {
			for i := range 10_000 {
				values := draw(uint64(i), 1+i%33, distributions[i%len(distributions)].draw)
				store, err := ptq.NewWeightStore(values, nil)
				if err != nil {
					t.Fatal(err)
				}
				v, err := store.Morph(d, ptq.Calibration{})
				if err != nil {
					t.Fatal(err)
				}
				loaded, err := ptq.OpenWeightStore(v, nil)
				if err != nil {
					t.Fatal(err)
				}
				if err := loaded.Unpack(d, ptq.Calibration{}); err != nil {
					t.Fatal(err)
				}
				master, _ := loaded.Master()
				for k, x := range values {
					got := master.At(k)
					if d == ptq.Binary && x <= 0 {
						x, got = -x, -got
					}
					if e := math.Abs(x - got); e > bound(v, x) {
						t.Fatalf("case %d: %v became %v, which is %v from it; at most %v", i, x, got, e, bound(v, x))
					}
				}
			}
		})
	}
}
