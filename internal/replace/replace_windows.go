//go:build windows

package replace

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// An open file can be neither removed nor renamed here.
const removeWhileOpen = false

func openTemp(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, newFileMode)
}

func lock(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	// The locked byte lies behind any file, or writing it would be refused.
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errBusy
	}
	return err
}

// publish gives the finished file its name, for which it has to be closed first. If
// the name cannot be given, it removes the file.
func publish(f *os.File, temp, target string) error {
	err := f.Close()
	if err == nil {
		err = os.Rename(temp, target)
	}
	if err != nil {
		_ = os.Remove(temp)
	}
	return err
}
