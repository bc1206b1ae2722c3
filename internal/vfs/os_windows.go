//go:build windows

package vfs

import (
	"errors"

	"golang.org/x/sys/windows"
)

// SyncDir does nothing: names are on the disk when the call that gave them returns.
func (osFS) SyncDir(string) error { return nil }

func (f osFile) TryLock() error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	// The locked byte lies behind any file, or writing it would be refused.
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrBusy
	}
	return err
}
