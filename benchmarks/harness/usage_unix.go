//go:build unix

package harness

import (
	"os"
	"runtime"
	"syscall"
)

// Peak returns the largest resident set a finished process had. Linux counts the
// moment before exec too, when the child still is this program: it stays small for that.
func Peak(state *os.ProcessState) int64 {
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		return bytesOf(usage)
	}
	return 0
}

// PeakSoFar returns the largest resident set that this process has had so far.
func PeakSoFar() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return bytesOf(&usage)
}

// ProcessorSeconds returns the processor time that this process has used, of all
// threads, in user and kernel code.
func ProcessorSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

func bytesOf(usage *syscall.Rusage) int64 {
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) * 1024
}
