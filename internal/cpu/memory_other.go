//go:build !darwin

package cpu

// physicalMemory is 0: Linux says it in /proc, elsewhere it is unknown.
func physicalMemory() int64 { return 0 }
