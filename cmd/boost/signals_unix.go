//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// A write beyond the file-size limit is to fail as one to a full disk does, not to
// end the program.
func init() { signal.Ignore(syscall.SIGXFSZ) }
