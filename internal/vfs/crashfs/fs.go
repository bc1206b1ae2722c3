// Package crashfs is a file system in memory for tests of what a crash leaves. Only tests import it.
//
// In: the calls of a program. Out: every state of the disk that a loss of power could leave at any
// moment between them, and errors where a test wants them. It must not know what the files hold.
package crashfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"boost/internal/vfs"
)

// FS is a disk. The bytes of a file are safe once the file was synced, its name once its folder was.
// Until then each call may have reached the disk or not, a write in part, whatever came after it.
type FS struct {
	// Fault, where it is not nil, is asked before each call that changes something, or opens a file for
	// writing. An error that it returns is the call's. A write that fails has written half, and a sync
	// that fails loses for good what it was to make safe: a later sync does not try again.
	Fault func(Call) error

	mutex sync.Mutex
	nodes []node // the root first
	base  image  // what was on the disk when the log began
	log   []operation
	calls int
	story func() string
}

// Call is a call that changes something.
type Call struct {
	N    int    // 1, 2, …
	Op   string // open, create, write, truncate, chmod, sync, mkdir, rename, remove or syncdir
	Path string
}

// node is a file or a folder as the program sees it.
type node struct {
	names map[string]int // of a folder; nil: a file
	data  []byte
	mode  fs.FileMode
	owner *file // who has the lock
}

var _ vfs.FS = (*FS)(nil)

// New returns an empty disk.
func New() *FS {
	return &FS{nodes: []node{{names: map[string]int{}, mode: 0o777 | fs.ModeDir}}, base: image{names: map[int]map[string]int{0: {}}, data: map[int][]byte{}}}
}

// String says how the disk came to be as it is.
func (f *FS) String() string {
	if f.story == nil {
		return "a disk without a crash"
	}
	return f.story()
}

// Calls returns how many calls have changed something.
func (f *FS) Calls() int {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.calls
}

// Mark notes that the program has told someone that what it did so far is done.
func (f *FS) Mark() {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.log = append(f.log, operation{kind: marked})
}

// before counts a call and returns the error that it is to have.
func (f *FS) before(op, path string) error {
	f.calls++
	if f.Fault == nil {
		return nil
	}
	if err := f.Fault(Call{f.calls, op, path}); err != nil {
		return &fs.PathError{Op: op, Path: path, Err: err}
	}
	return nil
}

// parts returns the names that lead from the root to a path.
func parts(path string) []string {
	path = filepath.Clean(path)
	path = path[len(filepath.VolumeName(path)):]
	return strings.FieldsFunc(path, func(r rune) bool { return r == filepath.Separator })
}

// find returns the node of a path.
func (f *FS) find(op, path string) (int, error) {
	at := 0
	for _, name := range parts(path) {
		next, ok := f.nodes[at].names[name]
		if !ok {
			return 0, &fs.PathError{Op: op, Path: path, Err: syscall.ENOENT}
		}
		at = next
	}
	return at, nil
}

// parent returns the folder that a path lies in, and the path's name there.
func (f *FS) parent(op, path string) (int, string, error) {
	dir, err := f.find(op, filepath.Dir(filepath.Clean(path)))
	if err == nil && f.nodes[dir].names == nil {
		err = &fs.PathError{Op: op, Path: path, Err: syscall.ENOTDIR}
	}
	return dir, filepath.Base(path), err
}

// add makes a node and gives it a name.
func (f *FS) add(dir int, name string, n node) int {
	id := len(f.nodes)
	f.nodes = append(f.nodes, n)
	f.nodes[dir].names[name] = id
	f.log = append(f.log, operation{kind: linked, node: dir, name: name, target: id, folder: n.names != nil})
	return id
}

// OpenFile is that of vfs.FS.
func (f *FS) OpenFile(path string, flag int, perm fs.FileMode) (vfs.File, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	dir, name, err := f.parent("open", path)
	if err != nil {
		return nil, err
	}
	id, there := f.nodes[dir].names[name]
	switch {
	case there && flag&os.O_EXCL != 0:
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.EEXIST}
	case there && f.nodes[id].names != nil:
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.EISDIR}
	case !there && flag&os.O_CREATE == 0:
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.ENOENT}
	case !there:
		if err := f.before("create", path); err != nil {
			return nil, err
		}
		id = f.add(dir, name, node{mode: perm})
	case flag&(os.O_WRONLY|os.O_RDWR) != 0:
		if err := f.before("open", path); err != nil {
			return nil, err
		}
	}
	if there && flag&os.O_TRUNC != 0 {
		f.resize(id, 0)
	}
	return &file{fs: f, node: id, path: path, writes: flag&(os.O_WRONLY|os.O_RDWR) != 0}, nil
}

// ReadFile is that of vfs.FS.
func (f *FS) ReadFile(path string) ([]byte, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	id, err := f.find("open", path)
	if err == nil && f.nodes[id].names != nil {
		err = &fs.PathError{Op: "read", Path: path, Err: syscall.EISDIR}
	}
	if err != nil {
		return nil, err
	}
	return slices.Clone(f.nodes[id].data), nil
}

// ReadDir is that of vfs.FS.
func (f *FS) ReadDir(path string) ([]fs.DirEntry, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	id, err := f.find("open", path)
	if err != nil {
		return nil, err
	}
	var all []fs.DirEntry
	for name, child := range f.nodes[id].names {
		all = append(all, fs.FileInfoToDirEntry(f.info(child, name)))
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all, nil
}

// Stat is that of vfs.FS.
func (f *FS) Stat(path string) (fs.FileInfo, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	id, err := f.find("stat", path)
	if err != nil {
		return nil, err
	}
	return f.info(id, filepath.Base(path)), nil
}

// Lstat is Stat: there are no links.
func (f *FS) Lstat(path string) (fs.FileInfo, error) { return f.Stat(path) }

// SameFile is that of vfs.FS.
func (f *FS) SameFile(a, b fs.FileInfo) bool { return a.Sys() == b.Sys() }

// EvalSymlinks is that of vfs.FS: there are no links.
func (f *FS) EvalSymlinks(path string) (string, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	_, err := f.find("lstat", path)
	return filepath.Clean(path), err
}

// Mkdir is that of vfs.FS.
func (f *FS) Mkdir(path string, perm fs.FileMode) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	dir, name, err := f.parent("mkdir", path)
	if err != nil {
		return err
	}
	if _, there := f.nodes[dir].names[name]; there {
		return &fs.PathError{Op: "mkdir", Path: path, Err: syscall.EEXIST}
	}
	if err := f.before("mkdir", path); err != nil {
		return err
	}
	f.add(dir, name, node{names: map[string]int{}, mode: perm | fs.ModeDir})
	return nil
}

// Rename is that of vfs.FS, of files within a folder.
func (f *FS) Rename(from, to string) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	refuse := func(err error) error {
		if path, ok := errors.AsType[*fs.PathError](err); ok {
			err = path.Err
		}
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	id, err := f.find("rename", from)
	if err != nil {
		return refuse(err)
	}
	dir, name, err := f.parent("rename", to)
	if err != nil {
		return refuse(err)
	}
	if old, _, _ := f.parent("rename", from); old != dir {
		return refuse(syscall.EXDEV)
	}
	if target, there := f.nodes[dir].names[name]; there && f.nodes[target].names != nil {
		return refuse(syscall.EISDIR)
	}
	if err := f.before("rename", to); err != nil {
		return refuse(err)
	}
	delete(f.nodes[dir].names, filepath.Base(from))
	f.nodes[dir].names[name] = id
	f.log = append(f.log, operation{kind: renamed, node: dir, old: filepath.Base(from), name: name, target: id})
	return nil
}

// Remove is that of vfs.FS.
func (f *FS) Remove(path string) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	id, err := f.find("remove", path)
	if err != nil {
		return err
	}
	if len(f.nodes[id].names) > 0 {
		return &fs.PathError{Op: "remove", Path: path, Err: syscall.ENOTEMPTY}
	}
	if err := f.before("remove", path); err != nil {
		return err
	}
	dir, name, _ := f.parent("remove", path)
	delete(f.nodes[dir].names, name)
	f.log = append(f.log, operation{kind: unlinked, node: dir, name: name})
	return nil
}

// SyncDir is that of vfs.FS.
func (f *FS) SyncDir(path string) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	id, err := f.find("open", path)
	if err != nil {
		return err
	}
	if err := f.before("syncdir", path); err != nil {
		return err
	}
	f.log = append(f.log, operation{kind: synced, node: id})
	return nil
}

// resize gives a file another length.
func (f *FS) resize(id int, size int64) {
	o := operation{kind: resized, node: id, offset: size}
	f.nodes[id].data = o.resize(f.nodes[id].data)
	f.log = append(f.log, o)
}

func (f *FS) info(id int, name string) info {
	n := &f.nodes[id]
	return info{id, name, int64(len(n.data)), n.mode}
}

type info struct {
	node int
	name string
	size int64
	mode fs.FileMode
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return i.node }

// file is an open file.
type file struct {
	fs     *FS
	node   int
	path   string
	writes bool
	at     int64
	closed bool
}

// use locks the disk if the file is open for what is to be done.
func (f *file) use(op string, write bool) (unlock func(), err error) {
	f.fs.mutex.Lock()
	switch {
	case f.closed:
		err = fs.ErrClosed
	case write && !f.writes:
		err = syscall.EBADF
	}
	if err != nil {
		f.fs.mutex.Unlock()
		return nil, &fs.PathError{Op: op, Path: f.path, Err: err}
	}
	return f.fs.mutex.Unlock, nil
}

func (f *file) Read(b []byte) (int, error) {
	unlock, err := f.use("read", false)
	if err != nil {
		return 0, err
	}
	defer unlock()
	n, err := f.read(b, f.at)
	f.at += int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}

func (f *file) ReadAt(b []byte, offset int64) (int, error) {
	unlock, err := f.use("read", false)
	if err != nil {
		return 0, err
	}
	defer unlock()
	return f.read(b, offset)
}

func (f *file) read(b []byte, offset int64) (n int, err error) {
	if data := f.fs.nodes[f.node].data; offset < int64(len(data)) {
		n = copy(b, data[offset:])
	}
	if n < len(b) {
		err = io.EOF
	}
	return n, err
}

func (f *file) Write(b []byte) (int, error) {
	unlock, err := f.use("write", true)
	if err != nil {
		return 0, err
	}
	defer unlock()
	n, err := f.write(b, f.at)
	f.at += int64(n)
	return n, err
}

func (f *file) WriteAt(b []byte, offset int64) (int, error) {
	unlock, err := f.use("write", true)
	if err != nil {
		return 0, err
	}
	defer unlock()
	return f.write(b, offset)
}

func (f *file) write(b []byte, offset int64) (int, error) {
	err := f.fs.before("write", f.path)
	if err != nil {
		b = b[:len(b)/2]
	}
	if len(b) > 0 {
		o := operation{kind: written, node: f.node, offset: offset, data: slices.Clone(b)}
		f.fs.nodes[f.node].data = o.write(f.fs.nodes[f.node].data)
		f.fs.log = append(f.fs.log, o)
	}
	return len(b), err
}

func (f *file) Truncate(size int64) error {
	unlock, err := f.use("truncate", true)
	if err != nil {
		return err
	}
	defer unlock()
	if size == int64(len(f.fs.nodes[f.node].data)) {
		return nil
	}
	if err := f.fs.before("truncate", f.path); err != nil {
		return err
	}
	f.fs.resize(f.node, size)
	return nil
}

func (f *file) Sync() error {
	unlock, err := f.use("sync", false)
	if err != nil {
		return err
	}
	defer unlock()
	if err := f.fs.before("sync", f.path); err != nil {
		f.fs.log = append(f.fs.log, operation{kind: unsynced, node: f.node})
		return err
	}
	f.fs.log = append(f.fs.log, operation{kind: synced, node: f.node})
	return nil
}

func (f *file) Chmod(mode fs.FileMode) error {
	unlock, err := f.use("chmod", false)
	if err != nil {
		return err
	}
	defer unlock()
	if err := f.fs.before("chmod", f.path); err != nil {
		return err
	}
	f.fs.nodes[f.node].mode = mode
	return nil
}

func (f *file) Stat() (fs.FileInfo, error) {
	unlock, err := f.use("stat", false)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return f.fs.info(f.node, filepath.Base(f.path)), nil
}

func (f *file) TryLock() error {
	unlock, err := f.use("lock", false)
	if err != nil {
		return err
	}
	defer unlock()
	n := &f.fs.nodes[f.node]
	if n.owner != nil && n.owner != f {
		return vfs.ErrBusy
	}
	n.owner = f
	return nil
}

func (f *file) Close() error {
	unlock, err := f.use("close", false)
	if err != nil {
		return err
	}
	defer unlock()
	f.closed = true
	if n := &f.fs.nodes[f.node]; n.owner == f {
		n.owner = nil
	}
	return nil
}

// String describes a call in a message.
func (c Call) String() string { return fmt.Sprintf("call %d, %s %s", c.N, c.Op, c.Path) }
