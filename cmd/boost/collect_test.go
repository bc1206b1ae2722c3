package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

// gcPercent reads the setting without writing it, as another goroutine may.
func gcPercent() uint64 {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// TestCollectLate holds that the first collection is late and the others are as usual, also
// where a part of the program has another setting during the first.
func TestCollectLate(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(usualPercent))
	t.Setenv("GOGC", "50")
	if collectLate(); gcPercent() != usualPercent {
		t.Errorf("%d %%, though GOGC is set", gcPercent())
	}
	t.Setenv("GOGC", "")
	if collectLate(); gcPercent() != latePercent {
		t.Errorf("%d %% before the first collection, want %d", gcPercent(), latePercent)
	}
	debug.SetGCPercent(25)
	for range 10 {
		runtime.GC()
	}
	if gcPercent() != 25 && gcPercent() != usualPercent { // which the cleanup sets for a moment
		t.Errorf("%d %%, want another part's 25", gcPercent())
	}
	for range 10_000 {
		if gcPercent() == 25 {
			debug.SetGCPercent(latePercent) // what that part found
		}
		if runtime.GC(); gcPercent() == usualPercent {
			return
		}
	}
	t.Errorf("%d %% after collections, want %d", gcPercent(), usualPercent)
}
