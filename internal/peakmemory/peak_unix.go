//go:build unix && !linux

package peakmemory

import (
	"runtime"
	"syscall"
)

// Bytes returns the most memory that the process has had in use, in bytes.
func Bytes() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(usage.Maxrss) // bytes there, kilobytes elsewhere
	}
	return int64(usage.Maxrss) << 10
}
