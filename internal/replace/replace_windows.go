//go:build windows

package replace

import "os"

// An open file can be neither removed nor renamed here.
const removeWhileOpen = false

func openTemp(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, newFileMode)
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

// SyncDir does nothing: names are on the disk when the call that gave them returns.
func SyncDir(string) error { return nil }
