// Package vfs is the part of a file system that files which have to outlive a crash are written through,
// so that a test can put another file system there.
//
// In: paths. Out: files, as package os has them. It must not know what the files hold.
package vfs

import (
	"errors"
	"io"
	"io/fs"
)

// ErrBusy means that another open file holds the lock, in this process or another.
var ErrBusy = errors.New("another process is writing it")

// FS is a file system. Its methods behave as the functions of package os of their names do.
type FS interface {
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	ReadFile(name string) ([]byte, error)
	ReadDir(name string) ([]fs.DirEntry, error)
	Stat(name string) (fs.FileInfo, error)
	Lstat(name string) (fs.FileInfo, error)
	SameFile(a, b fs.FileInfo) bool
	EvalSymlinks(path string) (string, error)
	Mkdir(name string, perm fs.FileMode) error
	Rename(from, to string) error
	Remove(name string) error
	// SyncDir puts the names in a directory on the disk, where the file system can.
	SyncDir(name string) error
}

// File is an open file.
type File interface {
	io.ReadWriteCloser
	io.ReaderAt
	io.WriterAt
	Stat() (fs.FileInfo, error)
	Chmod(mode fs.FileMode) error
	Truncate(size int64) error
	Sync() error
	// TryLock takes the lock of the file, or returns ErrBusy at once. The lock ends when the file is
	// closed or the process ends.
	TryLock() error
}
