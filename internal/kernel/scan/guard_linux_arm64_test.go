//go:build !purego

package scan_test

import (
	"testing"

	"boost/internal/kernel/scan"
)

func TestNEONStaysInItsSlices(t *testing.T) { staysInItsSlices(t, scan.UseNEON) }
