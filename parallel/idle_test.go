//go:build unix

package parallel_test

import (
	"syscall"
	"testing"
	"time"

	"boost/parallel"
)

// waiting blocks its first piece until it is told to go on.
type waiting struct{ release chan struct{} }

func (w *waiting) Run(_, index int) {
	if index == 0 {
		<-w.release
	}
}

// Workers without a piece take no processor time: eight of them wait for a tenth of
// a second beside a blocked one.
func TestIdleWorkersDoNotSpin(t *testing.T) {
	pool := parallel.NewPool(9)
	defer pool.Close()
	w := &waiting{make(chan struct{})}
	begin := processorTime(t)
	timer := time.AfterFunc(100*time.Millisecond, func() { close(w.release) })
	defer timer.Stop()
	pool.Do(9, w)
	if used := processorTime(t) - begin; used > 60*time.Millisecond {
		t.Errorf("%v of processor time went by while all workers waited for 100ms", used)
	}
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Skip(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
