package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// Go collects garbage for the first time at a heap of 4 MiB, for which it takes one thread and
// more: a run on a small table would do so several times within some hundredths of a second.
// latePercent moves the first time to 16 MiB.
const (
	latePercent  = 400
	usualPercent = 100
)

// collectLate puts the first collection of garbage off. From then on the heap grows as
// usual. A user's own setting stays.
func collectLate() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(latePercent)
	afterCollection()
}

// afterCollection goes back to the usual setting after a collection. Where another part of
// the program has a setting of its own meanwhile, it waits for the next one: that part
// puts back what it found.
func afterCollection() {
	runtime.AddCleanup(new([16]byte), func(struct{}) {
		if now := debug.SetGCPercent(usualPercent); now != latePercent {
			debug.SetGCPercent(now)
			afterCollection()
		}
	}, struct{}{})
}
