//go:build !windows

package output_test

import (
	"bufio"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"boost/internal/output"
	"boost/internal/testenv"
)

// A device is written in place, as far as an error lets it.
func TestDevice(t *testing.T) {
	if output.Replaced(os.DevNull) {
		t.Error("the null device would be replaced")
	}
	failed := errors.New("no more rows")
	for _, want := range []error{nil, failed} {
		err := output.Write(nil, os.DevNull, func(w *bufio.Writer) error {
			if _, err := w.WriteString("rows\n"); err != nil {
				return err
			}
			return want
		})
		if !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Error("the null device is a file now")
	}
}

// What is written on says at its end that it could not be, however often it was tried.
func TestAppendToFullDisk(t *testing.T) {
	_, err := os.Stat("/dev/full")
	testenv.Machine(t, err == nil, "/dev/full")
	a, err := output.Append("/dev/full")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := a.Write([]byte("a line\n")); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("writing gives %v", err)
		}
	}
	if err := a.Close(); !errors.Is(err, syscall.ENOSPC) || !strings.HasPrefix(err.Error(), "cannot write /dev/full: ") {
		t.Errorf("closing gives %v", err)
	}
}
