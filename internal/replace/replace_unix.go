//go:build unix

package replace

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const removeWhileOpen = true

// openTemp does not follow a link: whoever may write to the directory could lay one
// to a file that is not theirs.
func openTemp(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, newFileMode)
}

func lock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			return errBusy
		}
		return err
	}
}

// publish gives the finished file its name, and puts the name on the disk too. It
// closes the file; if the name cannot be given, it removes the file.
func publish(f *os.File, temp, target string) error {
	if err := os.Rename(temp, target); err != nil {
		discard(f, temp)
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(target))
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
		return err
	}
	return nil
}
