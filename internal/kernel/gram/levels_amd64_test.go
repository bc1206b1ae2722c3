//go:build amd64 && !purego

package gram_test

import (
	"testing"

	"boost/internal/cpu"
	"boost/internal/kernel/gram"
	"boost/internal/testenv"
)

func TestLevels(t *testing.T) {
	for _, set := range []cpu.Level{cpu.Generic, cpu.AVX2, cpu.AVX512} {
		t.Run(set.String(), func(t *testing.T) {
			testenv.Vectors(t, set)
			defer gram.Use(set)()
			check(t)
		})
	}
}
