package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/ranks"
)

// interruptible returns a context that ends at the first Ctrl-C or SIGTERM. The
// second one ends the program at once: what is being written stays a temporary file.
// It is heard after the returned function too, since an interrupted command is about to
// end with the same status.
func (a *app) interruptible(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		for count := 0; ; count++ {
			select {
			case <-done:
				return
			case <-signals:
				if count > 0 {
					os.Exit(exit.Interrupted)
				}
				if !ranks.StartedHere() { // who has started it says so
					a.log.Warn("stopping after this step; press Ctrl-C again to stop at once")
				}
				cancel(exit.ErrInterrupted)
			}
		}
	}()
	return ctx, func() {
		if ctx.Err() == nil {
			signal.Stop(signals)
			close(done)
		}
		cancel(nil)
	}
}
