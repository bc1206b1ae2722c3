// Package output writes what commands make to files, pipes and standard output.
//
// In: a name, and a function that writes. Out: a file whole or not at all, or bytes as they come;
// errors that name the file. It must not know what is written.
package output

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"boost/internal/replace"
	"boost/internal/vfs"
)

// Write hands write a buffered writer to the file, or to standard output
// for "" and "-". A file appears whole or not at all.
func Write(stdout io.Writer, path string, write func(w *bufio.Writer) error) error {
	if path == "" || path == "-" {
		return writeThrough(Stdout(stdout), write)
	}
	if err := Writable(path); err != nil {
		return err
	}
	if !Replaced(path) {
		return writeDevice(path, write)
	}
	d, err := replace.Create(vfs.OS, path)
	if err != nil {
		return fileError(path, errors.Unwrap(err))
	}
	if err := writeThrough(named{d.File, path}, write); err != nil {
		d.Discard()
		return err
	}
	if err := d.Commit(); err != nil {
		return fileError(path, errors.Unwrap(err))
	}
	return nil
}

// writeDevice writes to what cannot be replaced, a pipe or /dev/null.
func writeDevice(path string, write func(w *bufio.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fileError(path, err)
	}
	err = writeThrough(named{f, path}, write)
	if closeErr := f.Close(); err == nil {
		err = fileError(path, closeErr)
	}
	return err
}

// writeThrough hands write a buffered writer to what takes each byte at once and for good.
// What came before an error is written, too: it ends where it should.
func writeThrough(out io.Writer, write func(w *bufio.Writer) error) error {
	w := bufio.NewWriterSize(out, 1<<16)
	err := write(w)
	if flushErr := w.Flush(); err == nil {
		err = flushErr
	}
	return err
}

// Replaced reports whether Write writes a file whole or not at all.
func Replaced(path string) bool {
	if path == "" || path == "-" {
		return false
	}
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular()
}

// Stdout returns standard output, whose errors say what it is.
func Stdout(w io.Writer) io.Writer { return named{w, "to standard output"} }

// named is a writer whose errors say what could not be written, by the name that
// people gave it.
type named struct {
	io.Writer
	name string
}

func (n named) Write(p []byte) (int, error) {
	written, err := n.Writer.Write(p)
	return written, fileError(n.name, err)
}

// fileError names the file that could not be written; nil stays nil.
func fileError(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot write %s: %w", path, replace.Reason(err))
}

// Writable finds out before the work, not after it, whether a file can be put there.
func Writable(path string) error {
	if info, err := os.Stat(path); err == nil {
		if info.IsDir() {
			return fmt.Errorf("cannot write %s: it is a directory", path)
		}
		if !info.Mode().IsRegular() {
			return nil // a device or pipe is written in place: its folder need not be writable
		}
	}
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("cannot write %s: folder %s: %w", path, dir, replace.Reason(err))
	}
	if !info.IsDir() {
		return fmt.Errorf("cannot write %s: %s is not a folder", path, dir)
	}
	// The temporary file of the output itself: what a killed process leaves of it is the next run's.
	d, err := replace.Create(vfs.OS, path)
	if err != nil {
		return fileError(path, errors.Unwrap(err))
	}
	d.Discard()
	return nil
}
