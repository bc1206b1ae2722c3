// Package gcpercent makes the collector of garbage start early while memory is short.
//
// In: a stretch of work. Out: the setting of the whole program, which goes back when the last stretch ends.
package gcpercent

import (
	"runtime/debug"
	"sync"
)

// lowered is the growth of the heap that starts a collection while files are read in chunks. What was decoded of a
// chunk is garbage after it. At the usual 100 % there would be as much garbage as codes in memory.
const lowered = 25

// wide is the number of columns from which what is kept of each column takes more memory than its cells. It is in
// many small objects, and there would be as much garbage of such: wideLowered allows a tenth.
const (
	wide        = 1 << 16
	wideLowered = 10
)

// setting counts the callers of Lower; the last of them puts back what was before.
var setting struct {
	sync.Mutex
	users, before int
}

// Lower makes the collector start early until the function that it returns is called, once. A lower setting, or none,
// stays as it is. Callers may overlap.
func Lower() (done func()) { return lower(lowered) }

func lower(to int) (done func()) {
	setting.Lock()
	defer setting.Unlock()
	now := debug.SetGCPercent(to)
	if now < to {
		debug.SetGCPercent(now)
	}
	if setting.users++; setting.users == 1 {
		setting.before = now
	}
	return func() {
		setting.Lock()
		defer setting.Unlock()
		if setting.users--; setting.users == 0 {
			debug.SetGCPercent(setting.before)
		}
	}
}

// LowerWide is Lower for a table of very many columns, whose garbage goes at the end, back to the system. It does nothing for others.
func LowerWide(columns int) (done func()) {
	if columns < wide {
		return func() {}
	}
	end := lower(wideLowered)
	return func() {
		end()
		debug.FreeOSMemory()
	}
}
