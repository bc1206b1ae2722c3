package model

import (
	"fmt"

	"boost/internal/replace"
	"boost/internal/vfs"
)

// Save writes the model to path. A file that is there is replaced only when the new
// one is complete and on the disk: the bytes go to `.<name>.tmp` beside it, which is
// locked against other writers, then synced, then renamed. On failure the old file
// is as it was and the temporary one is removed. A symbolic link is followed.
func (m *Model) Save(path string) error { return m.save(vfs.OS, path) }

func (m *Model) save(fsys vfs.FS, path string) error {
	data, err := m.Encode()
	if err != nil {
		return err
	}
	err = replace.File(fsys, path, func(f vfs.File) error {
		_, err := f.WriteAt(data, 0)
		return err
	})
	if err != nil {
		return fmt.Errorf("the model cannot be saved: %w", err)
	}
	m.digestOf(data)
	return nil
}
