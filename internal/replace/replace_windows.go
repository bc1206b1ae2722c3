//go:build windows

package replace

import (
	"os"

	"boost/internal/vfs"
)

// An open file can be neither removed nor renamed here.
const removeWhileOpen = false

func openTemp(fsys vfs.FS, path string) (vfs.File, error) {
	return fsys.OpenFile(path, os.O_RDWR|os.O_CREATE, newFileMode)
}

// publish gives the finished file its name, for which it has to be closed first. If
// the name cannot be given, it removes the file.
func publish(fsys vfs.FS, f vfs.File, temp, target string) error {
	err := f.Close()
	if err == nil {
		err = fsys.Rename(temp, target)
	}
	if err != nil {
		_ = fsys.Remove(temp)
	}
	return err
}
