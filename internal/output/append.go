package output

import (
	"os"
	"sync"
)

// Appended is a file that is written on, after what is in it, by those who cannot act on an error: Close returns the
// first one. It may be written by several at once.
type Appended struct {
	mutex sync.Mutex
	file  *os.File
	path  string
	err   error
}

// Append opens a file to write after what is in it.
func Append(path string) (*Appended, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, fileError(path, err)
	}
	return &Appended{file: file, path: path}, nil
}

// Write writes at the end of the file.
func (a *Appended) Write(p []byte) (int, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	n, err := named{a.file, a.path}.Write(p)
	if a.err == nil {
		a.err = err
	}
	return n, err
}

// Close closes the file, and returns the first error there was. No file, nil, has none.
func (a *Appended) Close() error {
	if a == nil {
		return nil
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if err := a.file.Close(); a.err == nil {
		a.err = fileError(a.path, err)
	}
	return a.err
}
