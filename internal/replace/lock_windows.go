//go:build windows

package replace

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// TryLock takes the lock of an open file, or returns ErrBusy at once. The lock ends when the file is
// closed or the process ends.
func TryLock(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	// The locked byte lies behind any file, or writing it would be refused.
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrBusy
	}
	return err
}
