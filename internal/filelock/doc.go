// Package filelock locks open files against other writers.
//
// In: an open file. Out: the lock, which ends when the file is closed or the process
// ends, however it ends. It must not know what the files are for.
package filelock

import "errors"

// ErrBusy says that another open file holds the lock, in this process or another.
var ErrBusy = errors.New("another process is writing it")
