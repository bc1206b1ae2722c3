package parallel

import (
	"runtime"
	"sync"
	"testing"
)

// One holds the lock at a time, and none of those who sleep before it is forgotten.
func TestShortLock(t *testing.T) {
	for _, procs := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(procs)
		var lock shortLock
		lock.init()
		var wait sync.WaitGroup
		n := 0
		for range 8 {
			wait.Go(func() {
				for i := range 2000 {
					lock.lock()
					n++
					if i%100 == 0 { // the others begin to sleep
						for range 20 {
							runtime.Gosched()
						}
					}
					lock.unlock()
				}
			})
		}
		wait.Wait()
		if n != 8*2000 {
			t.Errorf("%d processors: %d of %d additions", procs, n, 8*2000)
		}
	}
	runtime.GOMAXPROCS(runtime.NumCPU())
}
