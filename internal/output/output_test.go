package output_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boost/internal/output"
)

// Without a name, or with -, bytes go to standard output; an error says so and keeps its kind.
func TestStandardOutput(t *testing.T) {
	for _, path := range []string{"", "-"} {
		var out bytes.Buffer
		if err := output.Write(&out, path, text("rows\n")); err != nil || out.String() != "rows\n" {
			t.Errorf("%q: got %q, %v", path, out.String(), err)
		}
		if output.Replaced(path) {
			t.Errorf("%q counts as a file", path)
		}
	}
	reader, writer := io.Pipe()
	_ = reader.CloseWithError(io.ErrClosedPipe)
	err := output.Write(writer, "-", text("rows\n"))
	if !errors.Is(err, io.ErrClosedPipe) || !strings.HasPrefix(err.Error(), "cannot write to standard output: ") {
		t.Errorf("got %v", err)
	}
}

// A file appears whole or not at all: when writing ends in an error in the middle, the old file is
// as it was, and nothing lies beside it.
func TestWholeOrNotAtAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.csv")
	failed := errors.New("the table ends early")
	for _, before := range []string{"", "old\n"} {
		err := output.Write(nil, path, func(w *bufio.Writer) error {
			if got, _ := os.ReadFile(path); string(got) != before {
				t.Errorf("while it is written the file holds %q, want %q", got, before)
			}
			if _, err := w.WriteString(strings.Repeat("row\n", 1<<16)); err != nil { // more than is buffered
				return err
			}
			return failed
		})
		if !errors.Is(err, failed) {
			t.Errorf("got %v", err)
		}
		holds(t, path, before)
		if err := output.Write(nil, path, text("old\n")); err != nil {
			t.Fatal(err)
		}
		holds(t, path, "old\n")
	}
	if err := output.Write(nil, path, text("new\n")); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "new\n")
}

// What cannot be written is found before the work, and named.
func TestWritable(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "file"), "kept")
	for path, want := range map[string]string{
		dir:                                 "it is a directory",
		filepath.Join(dir, "none", "out"):   "folder " + filepath.Join(dir, "none"),
		filepath.Join(dir, "file", "out"):   filepath.Join(dir, "file"),
		filepath.Join(dir, "out") + "\x00x": "invalid argument",
	} {
		for _, err := range []error{output.Writable(path), output.Write(nil, path, func(*bufio.Writer) error {
			t.Errorf("%q: the work began", path)
			return nil
		})} {
			if err == nil || !strings.HasPrefix(err.Error(), "cannot write ") || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: got %v, want %q", path, err, want)
			}
		}
	}
	for _, name := range []string{"file", "new"} {
		if err := output.Writable(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	holds(t, filepath.Join(dir, "file"), "kept")
}

// A file that is written on keeps what is in it.
func TestAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	for range 2 {
		a, err := output.Append(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Write([]byte("a line\n")); err != nil {
			t.Error(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
	holds(t, path, "a line\na line\n")
	if _, err := output.Append(filepath.Dir(path)); err == nil || !strings.HasPrefix(err.Error(), "cannot write ") {
		t.Errorf("a folder is opened: %v", err)
	}
	if err := (*output.Appended)(nil).Close(); err != nil {
		t.Error(err)
	}
}

func text(s string) func(w *bufio.Writer) error {
	return func(w *bufio.Writer) error {
		_, err := w.WriteString(s)
		return err
	}
}

// holds checks a file's content, "" for none, and that no temporary file is beside it.
func holds(t *testing.T, path, want string) {
	t.Helper()
	if got, _ := os.ReadFile(path); string(got) != want {
		t.Errorf("%s holds %q, want %q", path, got, want)
	}
	names, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*.tmp"))
	hidden, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))
	if err != nil || len(names)+len(hidden) > 0 {
		t.Errorf("left beside it: %q %q, %v", names, hidden, err)
	}
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}
