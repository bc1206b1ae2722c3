package replace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"boost/internal/vfs"
)

// File writes a file anew: write makes its whole content, from offset 0. A file that
// is there is replaced only when the new one is complete and on the disk: the bytes
// go to `.<name>.tmp` beside it, which is locked against other writers, then synced,
// then renamed, and the folder is synced. On failure the old file is as it was and the temporary one is
// removed; an error that wraps ErrUnsafe is the exception. A symbolic link is followed. Errors say which
// path they are about.
func File(fsys vfs.FS, path string, write func(f vfs.File) error) error {
	return Files(fsys, New{path, write})
}

// ErrUnsafe means that the new file is in its place, whole, but that its folder could not be synced:
// after a loss of power the old file may be back.
var ErrUnsafe = errors.New("the file is in its place, but its folder cannot be synced, so that a loss of power may bring the old one back")

// New is a file to be written anew.
type New struct {
	Path  string
	Write func(f vfs.File) error // makes its whole content, from offset 0
}

// Files writes several files as File writes one, all or none: no file is replaced before all
// are on the disk. Only where a rename fails then, as when the folder of one has gone, are files
// before it replaced; those of them that were not there are removed again. A crash among the renames leaves
// the first files new and the others old, each whole.
func Files(fsys vfs.FS, files ...New) error {
	var all []*Draft
	for _, n := range files {
		d, err := written(fsys, n)
		if err != nil {
			for _, other := range all {
				other.Discard()
			}
			return err
		}
		all = append(all, d)
	}
	var unsafe error
	for i, d := range all {
		err := d.publish()
		if err == nil {
			continue
		}
		if errors.Is(err, ErrUnsafe) {
			unsafe = errors.Join(unsafe, err)
			continue
		}
		for _, other := range all[:i] {
			if other.mode == 0 {
				_ = fsys.Remove(other.target)
			}
		}
		for _, other := range all[i+1:] {
			other.Discard()
		}
		return err
	}
	return unsafe
}

// written returns a draft with its whole content, on the disk.
func written(fsys vfs.FS, n New) (*Draft, error) {
	d, err := Create(fsys, n.Path)
	if err != nil {
		return nil, err
	}
	if err := n.Write(d.File); err != nil {
		d.Discard()
		return nil, wrapPath(n.Path, Reason(err))
	}
	return d, d.sync()
}

// Draft is a new file under its temporary name. It ends with Commit or Discard.
type Draft struct {
	File         vfs.File // empty at first; written from offset 0
	fsys         vfs.FS
	temp, target string
	mode         fs.FileMode // of the file that is there; 0: none
}

// Create begins a file that File would write, for callers that write it in steps.
func Create(fsys vfs.FS, path string) (*Draft, error) {
	target, mode, err := resolve(fsys, path)
	if err != nil {
		return nil, err
	}
	d := &Draft{fsys: fsys, temp: filepath.Join(filepath.Dir(target), "."+filepath.Base(target)+".tmp"), target: target, mode: mode}
	if d.File, err = lockedFile(fsys, d.temp, lockPatience); err != nil {
		return nil, err
	}
	if mode != 0 {
		err = d.File.Chmod(mode)
	}
	if err == nil {
		err = d.File.Truncate(0)
	}
	if err != nil {
		d.Discard()
		return nil, wrapPath(path, Reason(err))
	}
	return d, nil
}

// Commit puts the file in its place. On failure the old file is as it was, and the draft is gone;
// ErrUnsafe is the exception.
func (d *Draft) Commit() error {
	if err := d.sync(); err != nil {
		return err
	}
	return d.publish()
}

// sync puts the content on the disk, or discards the draft.
func (d *Draft) sync() error {
	if err := d.File.Sync(); err != nil {
		d.Discard()
		return wrapPath(d.target, Reason(err))
	}
	return nil
}

// Discard removes the draft. On unix that happens under the lock, so it cannot hit a file that
// another writer has begun.
func (d *Draft) Discard() {
	if removeWhileOpen {
		_ = d.fsys.Remove(d.temp)
		_ = d.File.Close()
		return
	}
	_ = d.File.Close()
	_ = d.fsys.Remove(d.temp)
}

// publish gives the finished file its name, and puts the name on the disk too. If the name cannot be
// given, it removes the file.
func (d *Draft) publish() error {
	var err error
	if !removeWhileOpen {
		err = d.File.Close()
	}
	if err == nil {
		err = d.fsys.Rename(d.temp, d.target)
	}
	if err != nil {
		d.Discard()
		return wrapPath(d.target, Reason(err))
	}
	if removeWhileOpen {
		_ = d.File.Close() // its bytes are on the disk
	}
	if err := d.fsys.SyncDir(filepath.Dir(d.target)); err != nil {
		return wrapPath(d.target, fmt.Errorf("%w: %w", ErrUnsafe, Reason(err)))
	}
	return nil
}

// newFileMode is the mode of a file where there was none, before the umask.
const newFileMode fs.FileMode = 0o666

// resolve returns the file that path stands for and the mode it has or shall have; it
// refuses what a rename would destroy: directories, devices, pipes.
func resolve(fsys vfs.FS, path string) (string, fs.FileMode, error) {
	if target, err := fsys.EvalSymlinks(path); err == nil {
		path = target
	}
	info, err := fsys.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, 0, nil
	case err != nil:
		return "", 0, wrapPath(path, Reason(err))
	case info.IsDir():
		return "", 0, wrapPath(path, errors.New("is a directory, name a file"))
	case !info.Mode().IsRegular():
		return "", 0, wrapPath(path, errors.New("is not a regular file, name a file"))
	}
	return path, info.Mode().Perm(), nil
}

// Another writer of the same file is done within a moment unless it hangs.
const (
	lockPatience = 10 * time.Second
	lockInterval = 20 * time.Millisecond
)

// lockedFile opens the temporary file, alone. A file that a stopped run has left is
// taken over. The lock belongs to the file, not to the name: when the holder before
// has renamed it meanwhile, the name is opened anew, or that file would be written over.
func lockedFile(fsys vfs.FS, path string, patience time.Duration) (vfs.File, error) {
	deadline := time.Now().Add(patience)
	for {
		f, err := openTemp(fsys, path)
		if err != nil {
			return nil, wrapPath(path, Reason(err))
		}
		err = f.TryLock()
		if err == nil && sameFile(fsys, f, path) {
			return f, nil
		}
		_ = f.Close()
		if err != nil && !errors.Is(err, vfs.ErrBusy) {
			return nil, wrapPath(path, err)
		}
		if time.Now().After(deadline) {
			return nil, wrapPath(path, vfs.ErrBusy)
		}
		if err != nil {
			time.Sleep(lockInterval)
		}
	}
}

// openTemp does not follow a link: whoever may write to the directory could lay one
// to a file that is not theirs.
func openTemp(fsys vfs.FS, path string) (vfs.File, error) {
	return fsys.OpenFile(path, os.O_RDWR|os.O_CREATE|noFollow, newFileMode)
}

func sameFile(fsys vfs.FS, f vfs.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := fsys.Lstat(path)
	return err == nil && fsys.SameFile(mine, now)
}

// Reason is what an error of package os says without the operation and the paths, which messages
// name in their own words.
func Reason(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}

func wrapPath(path string, err error) error { return fmt.Errorf("%s: %w", path, err) }
