//go:build !purego

package quantize_test

import (
	"testing"

	"boost/internal/kernel/quantize"
)

func TestNEONStaysInItsMemory(t *testing.T) {
	defer quantize.UseNEON(quantize.NEON())
	quantize.UseNEON(true)
	testMemory(t, "NEON")
}
