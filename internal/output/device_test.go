//go:build !windows

package output_test

import (
	"bufio"
	"errors"
	"os"
	"testing"

	"boost/internal/output"
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
