//go:build amd64 && !purego

package hist

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/cpu"
	"boost/internal/testenv"
)

// Sums come apart the same in every form that the machine has, and nothing beside them is
// touched.
func TestUnpackForms(t *testing.T) {
	defer func(set cpu.Level) { unpacking = set }(unpacking)
	r := rand.New(rand.NewPCG(71, 0))
	for _, set := range []cpu.Level{cpu.Generic, cpu.AVX2, cpu.AVX512} {
		t.Run(fmt.Sprint(set), func(t *testing.T) {
			testenv.Vectors(t, set)
			unpacking = set
			for n := range 70 {
				checkUnpack(t, r, n)
			}
		})
	}
}

// Entries are made and added up the same in every form that the machine has, and nothing beside
// them is touched.
func TestPackForms(t *testing.T) {
	defer func(set cpu.Level) { unpacking = set }(unpacking)
	r := rand.New(rand.NewPCG(72, 0))
	extremes := []int16{-32768, 32767, -1, 0}
	for _, set := range []cpu.Level{cpu.Generic, cpu.AVX2, cpu.AVX512} {
		t.Run(fmt.Sprint(set), func(t *testing.T) {
			testenv.Vectors(t, set)
			unpacking = set
			for n := range 90 {
				checkPacking(t, r, n, extremes)
			}
			checkPacking(t, r, BlockRows-3, extremes)
			checkPacking(t, r, BlockRows, extremes[:1])
			checkPacking(t, r, BlockRows, extremes[1:2])
		})
	}
}

// Floats are added up the same in every form that the machine has: rounded as math/big does it.
func TestSumFloatsForms(t *testing.T) {
	defer func(set cpu.Level) { unpacking = set }(unpacking)
	for _, set := range []cpu.Level{cpu.Generic, cpu.AVX2, cpu.AVX512} {
		t.Run(fmt.Sprint(set), func(t *testing.T) {
			testenv.Vectors(t, set)
			r := rand.New(rand.NewPCG(74, 0))
			unpacking = set
			for n := range 120 {
				checkSumFloats(t, r, n)
			}
			checkSumFloats(t, r, BlockRows)
		})
	}
}

// checkSumFloats adds up the floats of n rows.
func checkSumFloats(t *testing.T, r *rand.Rand, n int) {
	t.Helper()
	const unit = 1 << 20
	rows := min(2*n, BlockRows)
	grad, hess := make([]float32, rows), make([]float32, rows)
	for i := range grad {
		grad[i], hess[i] = float32(r.NormFloat64()*100), r.Float32()*1000
		switch i % 5 {
		case 0: // halves
			grad[i], hess[i] = (float32(r.IntN(64)-32)+0.5)/unit, (float32(r.IntN(64))+0.5)/unit
		case 1:
			grad[i], hess[i] = -math.Nextafter32(2048, 0), math.Nextafter32(2048, 0)
		case 2:
			grad[i], hess[i] = -float32(r.Float64()/unit), float32(r.Float64()/unit)
		}
	}
	entries := make([]uint64, n)
	for i, row := range r.Perm(rows)[:n] {
		entries[i] = uint64(row)
	}
	slices.Sort(entries)
	wantGrad, wantHess := new(big.Int), new(big.Int)
	for i, row := range entries {
		wantGrad.Add(wantGrad, toEven(float64(grad[row])*unit))
		wantHess.Add(wantHess, toEven(float64(hess[row])*unit))
		entries[i] = Entry(int16(r.Uint32()), uint16(r.Uint32()), uint16(row))
	}
	g, h := SumFloats(entries, grad, hess, unit, unit)
	if wantGrad.Cmp(big.NewInt(g)) != 0 || wantHess.Cmp(big.NewInt(h)) != 0 {
		t.Fatalf("%d entries add up to (%d, %d), want (%v, %v)", n, g, h, wantGrad, wantHess)
	}
}

// toEven rounds a product that is exact to the nearest whole number, halves to even.
func toEven(x float64) *big.Int {
	twice, _ := new(big.Float).SetFloat64(2 * x).Int(nil) // towards zero
	exact := new(big.Float).SetInt(twice).Cmp(new(big.Float).SetFloat64(2*x)) == 0
	whole := new(big.Int).Quo(twice, big.NewInt(2))
	if twice.Bit(0) == 0 { // less than half a step from it
		return whole
	}
	up := big.NewInt(int64(twice.Sign()))
	if !exact || whole.Bit(0) == 1 {
		return whole.Add(whole, up)
	}
	return whole
}
