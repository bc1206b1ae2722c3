package replace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// File writes a file anew: write makes its whole content, from offset 0. A file that
// is there is replaced only when the new one is complete and on the disk: the bytes
// go to `.<name>.tmp` beside it, which is locked against other writers, then synced,
// then renamed. On failure the old file is as it was and the temporary one is removed.
// A symbolic link is followed. Errors say which path they are about.
func File(path string, write func(f *os.File) error) error {
	return Files(New{path, write})
}

// New is a file to be written anew.
type New struct {
	Path  string
	Write func(f *os.File) error // makes its whole content, from offset 0
}

// Files writes several files as File writes one, all or none: no file is replaced before all
// are on the disk. Only where a rename fails then, as when the folder of one has gone, are files
// before it replaced; those of them that were not there are removed again.
func Files(files ...New) error {
	var all []pending
	for _, n := range files {
		p, err := prepare(n)
		if err != nil {
			for _, other := range all {
				discard(other.file, other.temp)
			}
			return err
		}
		all = append(all, p)
	}
	for i, p := range all {
		err := publish(p.file, p.temp, p.target)
		if err == nil {
			continue
		}
		for _, other := range all[:i] {
			if other.mode == 0 {
				_ = os.Remove(other.target)
			}
		}
		for _, other := range all[i+1:] {
			discard(other.file, other.temp)
		}
		return wrapPath(p.target, linkReason(err))
	}
	return nil
}

// pending is a file that is on the disk under its temporary name.
type pending struct {
	file         *os.File
	temp, target string
	mode         fs.FileMode // of the file that is there; 0: none
}

func prepare(n New) (pending, error) {
	target, mode, err := resolve(n.Path)
	if err != nil {
		return pending{}, err
	}
	p := pending{temp: filepath.Join(filepath.Dir(target), "."+filepath.Base(target)+".tmp"), target: target, mode: mode}
	if p.file, err = lockedFile(p.temp, lockPatience); err != nil {
		return p, err
	}
	if err := fill(p.file, n.Write, mode); err != nil {
		discard(p.file, p.temp)
		return p, wrapPath(n.Path, Reason(err))
	}
	return p, nil
}

// newFileMode is the mode of a file where there was none, before the umask.
const newFileMode fs.FileMode = 0o666

// resolve returns the file that path stands for and the mode it has or shall have; it
// refuses what a rename would destroy: directories, devices, pipes.
func resolve(path string) (string, fs.FileMode, error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	info, err := os.Stat(path)
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

// fill lets write make the whole content of f, on the disk. mode 0 keeps the mode f has.
func fill(f *os.File, write func(*os.File) error, mode fs.FileMode) error {
	if mode != 0 {
		if err := f.Chmod(mode); err != nil {
			return err
		}
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	if err := write(f); err != nil {
		return err
	}
	return f.Sync()
}

// Another writer of the same file is done within a moment unless it hangs.
const (
	lockPatience = 10 * time.Second
	lockInterval = 20 * time.Millisecond
)

// lockedFile opens the temporary file, alone. A file that a stopped run has left is
// taken over. The lock belongs to the file, not to the name: when the holder before
// has renamed it meanwhile, the name is opened anew, or that file would be written over.
func lockedFile(path string, patience time.Duration) (*os.File, error) {
	deadline := time.Now().Add(patience)
	for {
		f, err := openTemp(path)
		if err != nil {
			return nil, wrapPath(path, Reason(err))
		}
		err = TryLock(f)
		if err == nil && sameFile(f, path) {
			return f, nil
		}
		_ = f.Close()
		if err != nil && !errors.Is(err, ErrBusy) {
			return nil, wrapPath(path, err)
		}
		if time.Now().After(deadline) {
			return nil, wrapPath(path, ErrBusy)
		}
		if err != nil {
			time.Sleep(lockInterval)
		}
	}
}

func sameFile(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Lstat(path)
	return err == nil && os.SameFile(mine, now)
}

// discard removes the temporary file. On unix that happens under the lock, so it
// cannot hit a file that another writer has begun.
func discard(f *os.File, temp string) {
	if removeWhileOpen {
		_ = os.Remove(temp)
		_ = f.Close()
		return
	}
	_ = f.Close()
	_ = os.Remove(temp)
}

// linkReason is Reason for the error of a rename.
func linkReason(err error) error {
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return Reason(err)
}

// Reason is what an error says without the operation and the path, which messages
// name in their own words.
func Reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

func wrapPath(path string, err error) error { return fmt.Errorf("%s: %w", path, err) }
