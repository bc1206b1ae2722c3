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
	return SyncDir(filepath.Dir(target))
}

// SyncDir puts the names in a directory on the disk, where the file system can.
func SyncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
		return err
	}
	return nil
}
