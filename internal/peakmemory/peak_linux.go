package peakmemory

import (
	"bytes"
	"os"
	"strconv"
)

// Bytes returns the most memory that the process has had in use, in bytes.
// (Getrusage would also count what the parent had when it started the process.)
func Bytes() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kilobytes, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil {
		return 0
	}
	return kilobytes << 10
}
