//go:build !linux

package cpu

// LargePages does nothing: this system has no such wish.
func LargePages([]byte) {}
