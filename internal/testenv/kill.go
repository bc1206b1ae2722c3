package testenv

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Kill starts the test's program once more with a variable in its environment, hands each line
// that it prints to said, and kills it after 1 … lines lines and up to spins steps of a loop more,
// while it writes on; random draws from 0 … n-1. The test fails where the program ends by itself or prints an error.
func Kill(t testing.TB, random func(n int) int, environment string, lines, spins int, said func(line string)) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), environment)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var trouble bytes.Buffer
	c.Stderr = &trouble
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	scanner := bufio.NewScanner(out)
	for range 1 + random(lines) {
		if !scanner.Scan() {
			_ = c.Wait()
			t.Fatalf("the writer stopped by itself: %s", trouble.String())
		}
		said(scanner.Text())
	}
	// The writer runs on while this spins, so that the signal comes within a write, a
	// sync or a step of a compaction.
	for n := random(spins); n > 0; n-- {
		_ = n
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for scanner.Scan() {
		said(scanner.Text())
	}
	_, _ = io.Copy(io.Discard, out)
	_ = c.Wait()
	if words := strings.TrimSpace(trouble.String()); words != "" {
		t.Fatal(words)
	}
}
