//go:build unix

package replace

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"boost/internal/vfs"
)

const removeWhileOpen = true

// openTemp does not follow a link: whoever may write to the directory could lay one
// to a file that is not theirs.
func openTemp(fsys vfs.FS, path string) (vfs.File, error) {
	return fsys.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, newFileMode)
}

// publish gives the finished file its name, and puts the name on the disk too. It
// closes the file; if the name cannot be given, it removes the file.
func publish(fsys vfs.FS, f vfs.File, temp, target string) error {
	if err := fsys.Rename(temp, target); err != nil {
		discard(fsys, f, temp)
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return fsys.SyncDir(filepath.Dir(target))
}
