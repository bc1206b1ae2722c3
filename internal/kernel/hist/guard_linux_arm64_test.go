//go:build !purego

package hist_test

import (
	"testing"

	"boost/internal/kernel/hist"
)

func TestNEONStaysInItsMemory(t *testing.T) {
	defer hist.UseBest()
	hist.UseNEON(true)
	t.Run("low cardinality", lowCardinalityStaysInItsCodes)
	t.Run("sums", TestUnpackStaysInItsSums)
	t.Run("entries", TestPackStaysInItsRows)
	t.Run("subtract", TestSubtractStaysInItsSums)
}
