//go:build !unix

package mesh

import "time"

// spinning does nothing: a rank that waits sleeps at once.
type spinning struct{}

func (*spinning) begin(any, time.Duration) {}
func (*spinning) wait([]byte) int          { return 0 }
