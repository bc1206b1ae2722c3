package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

// TestMain lets the test binary be the program, for tests that need a process of
// its own: BOOST_TEST_MAIN runs the arguments as a command line.
func TestMain(m *testing.M) {
	if os.Getenv("BOOST_TEST_MAIN") == "" {
		debug.SetGCPercent(400) // commands in this process hold little and make much garbage; memory is measured in others
		os.Exit(m.Run())
	}
	if limit := os.Getenv("BOOST_TEST_FILE_SIZE"); limit != "" {
		n, err := strconv.ParseUint(limit, 10, 64)
		if err == nil {
			err = limitFileSize(n)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(99)
		}
	}
	main()
}

// program returns a command that runs boost in a process of its own.
func program(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "BOOST_TEST_MAIN=1", "BOOST_CPU=")
	return cmd
}

// result is what a command line came to.
type result struct {
	code        int
	out, errors string
}

// boost runs a command line in this process.
func boost(t *testing.T, args ...string) result {
	t.Helper()
	return boostWith(t, "", args...)
}

// boostWith runs a command line with something on standard input.
func boostWith(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	var out, words bytes.Buffer
	code := run(args, strings.NewReader(stdin), &out, &words)
	return result{code, out.String(), words.String()}
}

// must fails the test unless the command line ended with the code.
func must(t *testing.T, code int, r result) result {
	t.Helper()
	if r.code != code {
		t.Fatalf("exit code %d, want %d\nstdout:\n%s\nstderr:\n%s", r.code, code, r.out, r.errors)
	}
	return r
}

// says fails the test unless the text holds all of the words.
func says(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%q is missing in:\n%s", w, text)
		}
	}
}

// inFolder makes a new folder the current one and returns its name.
func inFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	return dir
}

// file writes a file into the current folder.
func file(t *testing.T, name, content string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// leftovers lists the hidden files of a folder: temporary ones that a run forgot.
func leftovers(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// table makes a CSV table of n rows: x, a number; city, one of four names with some
// missing; id, the row number as text; y, a number; b, yes or no; c, one of three.
func table(n int) string {
	var s strings.Builder
	s.WriteString("id,x,city,y,b,c\n")
	cities := []string{"Oslo", "Rome", "Kyiv", ""}
	state := uint32(12345)
	for i := range n {
		state = state*1664525 + 1013904223
		x := float64(state>>16) / 65536
		city := (state >> 8) % 4
		y := 3*x + float64(city)
		b, c := "no", "low"
		if y > 3 {
			b, c = "yes", "mid"
		}
		if y > 4.5 {
			c = "high"
		}
		fmt.Fprintf(&s, "r%d,%.4f,%s,%.4f,%s,%s\n", i, x, cities[city], y, b, c)
	}
	return s.String()
}

// remove removes a file of the current folder, if it is there.
func remove(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
}
