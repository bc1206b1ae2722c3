//go:build !unix

package mesh

import "time"

// spinning does nothing: a rank that waits sleeps at once.
type spinning struct{}

func (*spinning) begin(any, time.Duration)     {}
func (*spinning) spins() bool                  { return false }
func (*spinning) wait([]byte, func() bool) int { return 0 }
func (*spinning) writeNow([]byte) int          { return 0 }
