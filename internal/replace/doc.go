// Package replace writes files that are there whole or not at all, and locks open files.
//
// In: a path and what writes the content. Out: the file, or the one that was there
// before. It must not know what the files hold.
package replace

import "errors"

// ErrBusy means that another open file holds the lock, in this process or another.
var ErrBusy = errors.New("another process is writing it")
