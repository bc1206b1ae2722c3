package booster

import (
	"runtime/debug"
	"sync"
)

// loweredGCPercent is the growth of the heap that starts a collection while files are read
// in chunks. What was decoded of a chunk is garbage after it. At the usual 100 % there would be as much
// garbage as codes in memory.
const loweredGCPercent = 25

// wideTable is the number of columns from which what is kept of each column takes more memory than its cells. It is in
// many small objects, and there would be as much garbage of such.
const wideTable = 1 << 16

// lowered counts the callers of lowerGCPercent. The setting is that of the whole program, and the last of
// them puts it back.
var lowered struct {
	sync.Mutex
	users, before int
}

// lowerGCPercent makes the collector start early until the function that it returns is called. A lower
// setting, or none, stays as it is.
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
