package heapsize

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Peak returns the most that the heap holds while do runs, beside what it held before. It is for tests:
// garbage is collected all the time, and what other goroutines do counts too.
func Peak(do func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // garbage counts for little
	runtime.GC()
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	held := func() uint64 {
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	before, peak := held(), make(chan uint64)
	done := make(chan struct{})
	go func() {
		most := uint64(0)
		for {
			select {
			case <-done:
				peak <- max(most, held())
				return
			default:
				most = max(most, held())
				runtime.Gosched()
			}
		}
	}()
	do()
	close(done)
	return max(<-peak, before) - before
}
