package quantize_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"boost/internal/kernel/quantize"
)

// round is the code of a value as the source document defines it: divided in float64, rounded half
// away from zero, clamped while still a float.
func round(v float32, scale, lo, hi float64) int64 {
	return int64(min(max(math.Round(float64(v)/scale), lo), hi))
}

// values draws floats of many kinds, many of them on or beside a half code.
func values(r *rand.Rand, n int, scale float64, limit float64) []float32 {
	v := make([]float32, n)
	for i := range v {
		switch r.IntN(5) {
		case 0:
			v[i] = 0
		case 1: // a half
			v[i] = float32((math.Floor(limit*r.Float64()) + 0.5) * scale)
		case 2: // next to a half
			v[i] = math.Nextafter32(float32((math.Floor(limit*r.Float64())+0.5)*scale), float32(r.IntN(2)*2-1)*math.MaxFloat32)
		case 3: // tiny
			v[i] = float32(r.Float64() * scale)
		default:
			v[i] = float32(limit * r.Float64() * scale)
		}
	}
	return v
}

func TestCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	t.Run("S2.8/half_away_from_zero", func(t *testing.T) {
		const n = 97
		for range 500 {
			gs, hs := math.Ldexp(1+r.Float64(), r.IntN(80)-40), math.Ldexp(1+r.Float64(), r.IntN(80)-40)
			grad, hess := values(r, n, gs, 32767), values(r, n, hs, 65535)
			for i := range grad {
				if r.IntN(2) == 0 {
					grad[i] = -grad[i]
				}
			}
			g16, h16 := make([]int16, n), make([]uint16, n)
			g32, h32 := make([]int32, n), make([]uint32, n)
			quantize.Codes(g16, h16, grad, hess, gs, hs, math.MaxInt16, math.MaxUint16)
			quantize.Codes(g32, h32, grad, hess, gs/65536, hs/65536, math.MaxInt32, math.MaxUint32)
			for i := range n {
				if want := round(grad[i], gs, -32767, 32767); int64(g16[i]) != want {
					t.Fatalf("gradient %v of scale %v has code %d, want %d", grad[i], gs, g16[i], want)
				}
				if want := round(hess[i], hs, 0, 65535); int64(h16[i]) != want {
					t.Fatalf("hessian %v of scale %v has code %d, want %d", hess[i], hs, h16[i], want)
				}
				if want := round(grad[i], gs/65536, -math.MaxInt32, math.MaxInt32); int64(g32[i]) != want {
					t.Fatalf("i32: gradient %v of scale %v has code %d, want %d", grad[i], gs/65536, g32[i], want)
				}
				if want := round(hess[i], hs/65536, 0, math.MaxUint32); int64(h32[i]) != want {
					t.Fatalf("i32: hessian %v of scale %v has code %d, want %d", hess[i], hs/65536, h32[i], want)
				}
			}
		}
	})
	t.Run("S2.7/loss_in_fixed_point", func(t *testing.T) {
		for range 300 {
			n := 1 + r.IntN(50)
			gs, hs := 0.25, 0.5 // exact, so that the reference is too
			grad, hess := values(r, n, gs, 300), values(r, n, hs, 3)
			g, h := make([]int16, n), make([]uint16, n)
			got := quantize.Codes(g, h, grad, hess, gs, hs, math.MaxInt16, math.MaxUint16)
			var want quantize.Loss
			for i := range n {
				// |g| in units of scale·2⁻¹⁶, rounded down, and its distance from the code.
				q, _ := new(big.Float).Mul(big.NewFloat(math.Abs(float64(grad[i]))), big.NewFloat(65536/gs)).Int64()
				e := q - int64(math.Abs(float64(g[i])))<<16
				want.Magnitude += uint64(q)
				want.Error += uint64(max(e, -e))
				want.GradRows += count(grad[i] != 0)
				want.GradKept += count(g[i] != 0)
				want.HessRows += count(hess[i] > 0)
				want.HessKept += count(h[i] != 0)
			}
			if got != want {
				t.Fatalf("loss %+v, want %+v", got, want)
			}
		}
	})
	t.Run("rows", func(t *testing.T) {
		const n = 200
		grad, hess := values(r, n, 1, 3000), values(r, n, 1, 3000)
		var rows []uint16
		for i := range n {
			if r.IntN(3) == 0 {
				rows = append(rows, uint16(i))
			}
		}
		g, h := make([]int16, n), make([]uint16, n)
		for i := range n {
			g[i], h[i] = 77, 78
		}
		allG, allH := make([]int16, n), make([]uint16, n)
		quantize.Codes(allG, allH, grad, hess, 1, 1, math.MaxInt16, math.MaxUint16)
		quantize.MakeRows(g, h, grad, hess, 0, rows, &quantize.Rule{GradScale: 1, HessScale: 1, MinGrad: -math.MaxInt16, MaxGrad: math.MaxInt16, MaxHess: math.MaxUint16})
		in := map[uint16]bool{}
		for _, row := range rows {
			in[row] = true
		}
		for i := range n {
			wantG, wantH := int16(77), uint16(78)
			if in[uint16(i)] {
				wantG, wantH = allG[i], allH[i]
			}
			if g[i] != wantG || h[i] != wantH {
				t.Fatalf("row %d: codes (%d, %d), want (%d, %d)", i, g[i], h[i], wantG, wantH)
			}
		}
	})
}

func count(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func TestScan(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, c := range map[string]struct {
		grad, hess []float32
		suspicious bool
	}{
		"plain":             {[]float32{-3, 2}, []float32{1, 0}, false},
		"denormal":          {[]float32{1e-45, -1e-45}, []float32{1e-45, 0}, false},
		"largest":           {[]float32{-math.MaxFloat32}, []float32{math.MaxFloat32}, false},
		"negative zero g":   {[]float32{float32(math.Copysign(0, -1))}, []float32{1}, false},
		"negative zero h":   {[]float32{1}, []float32{float32(math.Copysign(0, -1))}, true},
		"negative hessian":  {[]float32{1}, []float32{-1e-45}, true},
		"NaN gradient":      {[]float32{1, nan}, []float32{1, 1}, true},
		"−NaN gradient":     {[]float32{1, float32(math.Copysign(math.NaN(), -1))}, []float32{1, 1}, true},
		"infinite gradient": {[]float32{-inf}, []float32{1}, true},
		"NaN hessian":       {[]float32{1}, []float32{nan}, true},
		"−NaN hessian":      {[]float32{1}, []float32{float32(math.Copysign(math.NaN(), -1))}, true},
		"infinite hessian":  {[]float32{1}, []float32{inf}, true},
		"none":              {nil, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			all := make([]uint16, len(c.grad))
			for i := range all {
				all[i] = uint16(i)
			}
			got := quantize.Scan(c.grad, c.hess)
			if got.Suspicious() != c.suspicious {
				t.Errorf("Suspicious() = %v", got.Suspicious())
			}
			if byRows := quantize.ScanRows(c.grad, c.hess, all); byRows != got {
				t.Errorf("ScanRows gives %+v, Scan %+v", byRows, got)
			}
			merged := quantize.Empty()
			for i := range c.grad {
				merged = merged.Merge(quantize.Scan(c.grad[i:i+1], c.hess[i:i+1]))
			}
			if merged != got {
				t.Errorf("merged row by row: %+v, at once: %+v", merged, got)
			}
		})
	}
	r := quantize.Scan([]float32{-3, 2}, []float32{5, 0.5})
	if math.Float32frombits(r.MaxGrad) != 3 || math.Float32frombits(uint32(r.MinHess)) != 0.5 || math.Float32frombits(uint32(r.MaxHess)) != 5 {
		t.Errorf("range of (−3, 2), (5, 0.5) is %+v", r)
	}
}
