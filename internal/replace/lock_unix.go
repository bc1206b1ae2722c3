//go:build unix

package replace

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// TryLock takes the lock of an open file, or returns ErrBusy at once. The lock ends when the file is
// closed or the process ends.
func TryLock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrBusy
		}
		return err
	}
}
