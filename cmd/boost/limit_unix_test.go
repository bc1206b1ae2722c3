//go:build unix

package main

import "syscall"

// limitFileSize lets no file grow beyond n bytes, as a full disk would.
func limitFileSize(n uint64) error {
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n})
}
