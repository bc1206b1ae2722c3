//go:build unix

package main

import (
	"os"
	"syscall"
)

// sleep and wake are the signals that stop a process and let it go on.
var sleep, wake os.Signal = syscall.SIGSTOP, syscall.SIGCONT
