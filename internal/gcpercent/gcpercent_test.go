package gcpercent

import (
	"runtime/debug"
	"testing"
)

// gcPercent returns the program's setting.
func gcPercent() int {
	percent := debug.SetGCPercent(100)
	debug.SetGCPercent(percent)
	return percent
}

// Reading in chunks leaves the collector as it was, whoever ends first.
func TestLower(t *testing.T) {
	LowerWide(wide - 1)()
	for before, during := range map[int][2]int{100: {25, 10}, 20: {20, 10}, 5: {5, 5}, -1: {-1, -1}} {
		usual := debug.SetGCPercent(before)
		first := Lower()
		if got := gcPercent(); got != during[0] {
			t.Errorf("at %d %%: %d %% while files are read, want %d", before, got, during[0])
		}
		second := LowerWide(wide)
		first()
		if got := gcPercent(); got != during[1] {
			t.Errorf("at %d %%: %d %% with a wide table, want %d", before, got, during[1])
		}
		second()
		if got := gcPercent(); got != before {
			t.Errorf("at %d %%: %d %% are left", before, got)
		}
		debug.SetGCPercent(usual)
	}
}
