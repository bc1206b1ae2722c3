package booster

import (
	"runtime/debug"
	"sync"
)

// loweredGCPercent is the growth of the heap that starts a collection while files are read
// in chunks: what was decoded of a chunk is garbage after it, and at the usual 100 % as
// much garbage as codes would lie in memory.
const loweredGCPercent = 25

// lowered counts those who read in chunks: the setting is the whole program's, and the
// last of them puts it back.
var lowered struct {
	sync.Mutex
	users, before int
}

// lowerGCPercent collects garbage early until the function that it returns is called. A
// program that collects earlier still, or never, keeps to that.
func lowerGCPercent() (done func()) {
	lowered.Lock()
	defer lowered.Unlock()
	if lowered.users++; lowered.users == 1 {
		if lowered.before = debug.SetGCPercent(loweredGCPercent); lowered.before < loweredGCPercent {
			debug.SetGCPercent(lowered.before)
		}
	}
	return func() {
		lowered.Lock()
		defer lowered.Unlock()
		if lowered.users--; lowered.users == 0 {
			debug.SetGCPercent(lowered.before)
		}
	}
}
