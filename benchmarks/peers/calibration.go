package peers

import (
	"sync"
	"sync/atomic"
	"time"
)

// Calibration is how long fixed integer work takes at a moment: in one thread, and in two at once,
// which other work on the machine slows.
type Calibration struct {
	One  float64 `json:"one_seconds"`
	Both float64 `json:"both_seconds"`
}

// sink takes what the work comes to, so that it is done.
var sink atomic.Uint64

// calibrationSteps take about 30 ms.
const calibrationSteps = 20_000_000

// Calibrate runs the work three times in each way; the least time counts.
func Calibrate() Calibration {
	var c Calibration
	for i := range 3 {
		one, both := timed(1), timed(2)
		if i == 0 {
			c = Calibration{one, both}
		}
		c = Calibration{min(c.One, one), min(c.Both, both)}
	}
	return c
}

// timed returns the seconds until so many threads have done the work.
func timed(threads int) float64 {
	var wait sync.WaitGroup
	begin := time.Now()
	for range threads {
		wait.Go(func() { sink.Add(work(calibrationSteps)) })
	}
	wait.Wait()
	return time.Since(begin).Seconds()
}

// work is a chain of integer operations, each of which needs the one before.
func work(steps int) uint64 {
	x := uint64(88172645463325252)
	for range steps {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// known reports whether the calibration was taken.
func (c Calibration) known() bool { return c.One > 0 }

// best returns the lesser seconds of both.
func (c Calibration) best(d Calibration) Calibration {
	if !c.known() {
		return d
	}
	if !d.known() {
		return c
	}
	return Calibration{min(c.One, d.One), min(c.Both, d.Both)}
}

// slower returns by what factor the calibration is slower than the best one.
func (c Calibration) slower(best Calibration) float64 {
	if !c.known() || !best.known() {
		return 1
	}
	return max(c.One/best.One, c.Both/best.Both)
}
