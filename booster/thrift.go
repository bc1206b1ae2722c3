package booster

import (
	"runtime/debug"
	"sync"
)

// thriftyPercent is the growth of the heap that starts a collection while files are read
// in chunks: what was decoded of a chunk is garbage after it, and at the usual 100 % as
// much garbage as codes would lie in memory.
const thriftyPercent = 25

// thrift counts those who read in chunks: the setting is the whole program's, and the
// last of them puts it back.
var thrift struct {
	sync.Mutex
	users, before int
}

// thriftily collects garbage early until the function that it returns is called. A
// program that collects earlier still, or never, keeps to that.
func thriftily() (done func()) {
	thrift.Lock()
	defer thrift.Unlock()
	if thrift.users++; thrift.users == 1 {
		if thrift.before = debug.SetGCPercent(thriftyPercent); thrift.before < thriftyPercent {
			debug.SetGCPercent(thrift.before)
		}
	}
	return func() {
		thrift.Lock()
		defer thrift.Unlock()
		if thrift.users--; thrift.users == 0 {
			debug.SetGCPercent(thrift.before)
		}
	}
}
