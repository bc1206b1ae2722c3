//go:build amd64 && !purego

package hist

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"boost/internal/cpu"
	"boost/internal/need"
)

// Sums come apart the same in every form that the machine has, and nothing beside them is
// touched.
func TestUnpackForms(t *testing.T) {
	defer func(set cpu.Level) { unpacking = set }(unpacking)
	r := rand.New(rand.NewPCG(71, 0))
	for _, set := range []cpu.Level{cpu.Generic, cpu.AVX2, cpu.AVX512} {
		t.Run(fmt.Sprint(set), func(t *testing.T) {
			need.Vectors(t, set)
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
			need.Vectors(t, set)
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
			need.Vectors(t, set)
			r := rand.New(rand.NewPCG(74, 0))
			unpacking = set
			for n := range 120 {
				checkSumFloats(t, r, n)
			}
			checkSumFloats(t, r, BlockRows)
		})
	}
}
