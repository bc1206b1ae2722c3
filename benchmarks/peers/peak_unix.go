//go:build unix

package peers

import (
	"os"
	"runtime"
	"syscall"
)

// peakBytes returns the largest resident set a finished process had. Linux counts the
// moment before exec too, when the child still is this program: it stays small for that.
func peakBytes(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) * 1024
}
