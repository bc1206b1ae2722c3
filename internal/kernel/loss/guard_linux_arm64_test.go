//go:build !purego

package loss_test

import (
	"testing"

	"boost/internal/kernel/loss"
)

func TestNEONStaysInItsSlices(t *testing.T) {
	t.Cleanup(loss.UseBest)
	loss.UseNEON(true)
	testStays(t, loss.UseNEON)
}
