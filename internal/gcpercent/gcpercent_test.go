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
	for before, during := range map[int]int{100: lowered, 10: 10, -1: -1} {
		usual := debug.SetGCPercent(before)
		first, second := Lower(), LowerWide(wide)
		first()
		if got := gcPercent(); got != during {
			t.Errorf("at %d %%: %d %% while files are read, want %d", before, got, during)
		}
		second()
		if got := gcPercent(); got != before {
			t.Errorf("at %d %%: %d %% are left", before, got)
		}
		debug.SetGCPercent(usual)
	}
}
