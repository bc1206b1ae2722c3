package registry_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"strings"
	"syscall"
	"testing"

	"boost/internal/vfs"
	"boost/ptq/compress/registry"
)

// refusing is a file system that refuses to write some files.
type refusing struct {
	vfs.FS
	refuse func(name string) error // nil: it is written
}

type refusingFile struct {
	vfs.File
	name string
	fsys *refusing
}

func (f *refusing) OpenFile(name string, flag int, perm fs.FileMode) (vfs.File, error) {
	if flag&os.O_CREATE != 0 {
		if err := f.refuse(name); err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
	file, err := f.FS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &refusingFile{file, name, f}, nil
}

func (f *refusing) Mkdir(name string, perm fs.FileMode) error {
	if err := f.refuse(name); err != nil {
		return &fs.PathError{Op: "mkdir", Path: name, Err: err}
	}
	return f.FS.Mkdir(name, perm)
}

func (f *refusing) Rename(from, to string) error {
	if err := f.refuse(to); err != nil {
		return err
	}
	return f.FS.Rename(from, to)
}

func (f *refusing) Remove(name string) error {
	if err := f.refuse(name); err != nil {
		return err
	}
	return f.FS.Remove(name)
}

func (f *refusingFile) WriteAt(b []byte, at int64) (int, error) {
	if err := f.fsys.refuse(f.name); err != nil {
		return 0, err
	}
	return f.File.WriteAt(b, at)
}

func (f *refusingFile) Truncate(size int64) error {
	// Even a full disk takes a file that gets shorter.
	if err := f.fsys.refuse(f.name); err != nil && !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	return f.File.Truncate(size)
}

// Where there is no room for an index, or for the use of models, everything else goes on, and nothing is lost.
func TestNoRoom(t *testing.T) {
	for what, refuse := range map[string]func(name string) error{
		"index": func(name string) error {
			if strings.Contains(name, ".index") {
				return syscall.ENOSPC
			}
			return nil
		},
	} {
		t.Run("S3.59/"+what, func(t *testing.T) {
			f := newFive(t, false)
			o := registry.On(&refusing{vfs.OS, refuse}, registry.Options{Clock: f.clock.Now})
			r, err := registry.Open(f.dir, f.cfg, o)
			if err != nil {
				t.Fatal(err)
			}
			_, got := r.Get("a")
			more := forest(t, 77, 1, 3, 5)
			if err := errors.Join(got, r.Add(context.Background(), "new", more, registry.AddOptions{}), r.Remove("b"), r.Compact(), r.Close()); err != nil {
				t.Fatal(err)
			}
			delete(f.want, "b")
			f.want["new"] = more
			if listed, err := f.ask(f.dir, true); err != nil || listed != len(f.want) {
				t.Errorf("%d models are listed, %v", listed, err)
			}
		})
	}
	t.Run("S3.59/use", func(t *testing.T) {
		f := newFive(t, false)
		full := false
		o := registry.On(&refusing{vfs.OS, func(string) error {
			if full {
				return syscall.ENOSPC
			}
			return nil
		}}, registry.Options{Clock: f.clock.Now})
		r, err := registry.Open(f.dir, f.cfg, o)
		if err != nil {
			t.Fatal(err)
		}
		full = true
		_, got := r.Get("a")
		if err := errors.Join(got, r.Close()); err != nil {
			t.Errorf("a use that cannot be recorded: %v", err)
		}
		if listed, err := f.ask(f.dir, true); err != nil || listed != len(f.want) {
			t.Errorf("%d models are listed, %v", listed, err)
		}
	})
}

// A reader needs nothing that a read-only folder does not give, and a writer is refused.
func TestReadOnlyFolder(t *testing.T) {
	f := newFive(t, true)
	asked := 0
	o := registry.On(&refusing{vfs.OS, func(string) error { asked++; return syscall.EROFS }}, registry.Options{Clock: f.clock.Now, ReadOnly: true})
	r, err := registry.Open(f.dir, f.cfg, o)
	if err != nil {
		t.Fatal(err)
	}
	all, err := r.List()
	if err != nil || len(all) != len(f.want) {
		t.Errorf("%d models, %v", len(all), err)
	}
	for id := range f.want {
		if _, err := r.Get(id); err != nil {
			t.Error(err)
		}
	}
	if err := errors.Join(r.Refresh(), r.Verify(), r.Close()); err != nil {
		t.Error(err)
	}
	if asked > 0 {
		t.Errorf("a reader tried to write %d times", asked)
	}
	o.ReadOnly = false
	if _, err := registry.Open(f.dir, f.cfg, o); !errors.Is(err, syscall.EROFS) {
		t.Errorf("a writer: %v", err)
	}
}

// A use is counted only in a log that nothing has to be cut off of.
func TestUseCutsNothing(t *testing.T) {
	for _, part := range []string{"models", "tensors"} {
		f := newFive(t, false)
		path := log(f.dir, part)
		torn := append(read(t, path), "the first bytes of a record"...)
		if err := os.WriteFile(path, torn, 0o666); err != nil {
			t.Fatal(err)
		}
		before := files(t, f.dir)
		if _, err := registry.Open(f.dir, f.cfg, registry.Options{Clock: f.clock.Now, Intact: true}); err == nil {
			t.Errorf("%s: it opens as if nothing had to be cut off", part)
		}
		if listed, err := f.ask(f.dir, true); err != nil || listed != len(f.want) {
			t.Errorf("%s: %d models are listed, %v", part, listed, err)
		}
		if !maps.Equal(files(t, f.dir), before) {
			t.Errorf("%s: the folder was changed", part)
		}
		if listed, err := f.ask(f.dir, false); err != nil || listed != len(f.want) {
			t.Errorf("%s: for a writer there are %d models, %v", part, listed, err)
		}
	}
}
