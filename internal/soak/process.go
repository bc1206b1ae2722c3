package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"boost/benchmarks/harness"
)

// scratch is the folder for temporary files of the program, below that of a trial: what a killed process
// leaves there is no matter.
const scratch = "tmp"

// hang is how long no process of a trial may take.
const hang = 3 * time.Minute

// interrupted is the exit code of a run that was asked to stop, which is no error to report.
const interrupted = 130

// ended is how a process ended.
type ended struct {
	code   int // -1 if a signal ended it
	out    string
	errors string
	took   time.Duration
	peak   int64
}

// command makes a command of the program in the trial's folder.
func (t *trial) command(env []string, args ...string) *exec.Cmd {
	cmd := exec.Command(t.boost, args...)
	cmd.Dir = t.dir
	cmd.Env = append(append(os.Environ(), "TMPDIR="+filepath.Join(t.dir, scratch)), env...)
	return cmd
}

// signalled runs a command and sends it a signal after a time, if there is one.
func (t *trial) signalled(cmd *exec.Cmd, signal os.Signal, after time.Duration) (ended, error) {
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return ended{}, err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	limit := time.NewTimer(hang)
	defer limit.Stop()
	var moment <-chan time.Time
	if signal != nil {
		timer := time.NewTimer(after)
		defer timer.Stop()
		moment = timer.C
	}
	for {
		select {
		case err := <-done:
			e := ended{cmd.ProcessState.ExitCode(), out.String(), errs.String(), time.Since(begin), harness.Peak(cmd.ProcessState)}
			if moment != nil && (e.code < 0 || e.code == interrupted) {
				*t.kills++
			}
			if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
				return e, err
			}
			return e, e.panicked(cmd)
		case <-moment:
			_ = cmd.Process.Signal(signal) // it may have ended meanwhile
		case <-t.ctx.Done():
			_ = cmd.Process.Kill()
			<-done
			return ended{}, t.ctx.Err()
		case <-limit.C:
			_ = cmd.Process.Kill()
			<-done
			return ended{}, fmt.Errorf("%s: not finished after %s", said(cmd), hang)
		}
	}
}

// panicked is an error where the program says what only a fault of its own makes it say.
func (e *ended) panicked(cmd *exec.Cmd) error {
	for _, word := range []string{"panic:", "fatal error:", "goroutine 1"} {
		if strings.Contains(e.errors, word) {
			return fmt.Errorf("%s: exit code %d: %s", said(cmd), e.code, e.errors)
		}
	}
	if e.code > 0 && e.code != interrupted && strings.TrimSpace(e.errors) == "" {
		return fmt.Errorf("%s: exit code %d without a message", said(cmd), e.code)
	}
	return nil
}

// end runs a command to its end, whatever that is.
func (t *trial) end(env []string, args ...string) (ended, error) {
	return t.signalled(t.command(env, args...), nil, 0)
}

// succeed runs a command that has to succeed.
func (t *trial) succeed(args ...string) (ended, error) {
	cmd := t.command(nil, args...)
	e, err := t.signalled(cmd, nil, 0)
	if err == nil && e.code != 0 {
		err = fmt.Errorf("%s: exit code %d: %s", said(cmd), e.code, e.errors)
	}
	return e, err
}

// kill runs a command and kills it after a time. It may end before, but only well.
func (t *trial) kill(after time.Duration, args ...string) (ended, error) {
	cmd := t.command(nil, args...)
	e, err := t.signalled(cmd, os.Kill, after)
	if err == nil && e.code > 0 {
		err = fmt.Errorf("%s: exit code %d: %s", said(cmd), e.code, e.errors)
	}
	return e, err
}

// said is a command as a person types it.
func said(cmd *exec.Cmd) string { return "boost " + strings.Join(cmd.Args[1:], " ") }

// pace is how long a command usually takes.
type pace struct{ usual time.Duration }

// add takes in one time of a command that nothing disturbed.
func (p *pace) add(took time.Duration) {
	if p.usual == 0 {
		p.usual = took
	}
	p.usual += (took - p.usual) / 4
}

// moment is a random time between 0 and 1.2 of the usual, half of them above 0.8, where files are written.
func (p *pace) moment(t *trial) time.Duration {
	share := 1.2 * t.Float64()
	if t.IntN(2) == 0 {
		share = 0.8 + share/3
	}
	return time.Duration(share * float64(p.usual))
}

// isRollback is an error where a file is not the model of fewer rounds of a whole one.
func (t *trial) isRollback(name, whole string) error {
	e, err := t.succeed("inspect", name, "--json")
	if err != nil {
		return err
	}
	var about struct{ Rounds int }
	if err := json.Unmarshal([]byte(e.out), &about); err != nil || about.Rounds == 0 {
		return fmt.Errorf("inspect gives %d rounds, error %v", about.Rounds, err)
	}
	if _, err := t.succeed("rollback", whole, "--rounds", strconv.Itoa(about.Rounds), "-q", "-o", "r.boost"); err != nil {
		return err
	}
	rolled, err := t.read("r.boost")
	if err != nil {
		return err
	}
	if err := t.isOneOf(name, rolled); err != nil {
		return fmt.Errorf("not what rollback to round %d makes: %w", about.Rounds, err)
	}
	return t.write("r.boost", nil)
}

// path is that of a file in the trial's folder.
func (t *trial) path(name string) string { return filepath.Join(t.dir, name) }

// read returns the bytes of a file, nil if there is none.
func (t *trial) read(name string) ([]byte, error) {
	b, err := os.ReadFile(t.path(name))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

// write writes a file; nil removes it.
func (t *trial) write(name string, b []byte) error {
	if b == nil {
		return os.RemoveAll(t.path(name))
	}
	return os.WriteFile(t.path(name), b, 0o666)
}

// isOneOf is an error where a file has none of the contents, of which nil is its absence.
func (t *trial) isOneOf(name string, contents ...[]byte) error {
	b, err := t.read(name)
	if err != nil {
		return err
	}
	for _, want := range contents {
		if (b == nil) == (want == nil) && bytes.Equal(b, want) {
			return nil
		}
	}
	return fmt.Errorf("%s has %d bytes that are none of those expected", name, len(b))
}

// onlyHas is an error where the folder has other files than those named. Hidden ones may be there while
// they are what a killed process left.
func (t *trial) onlyHas(hidden bool, names ...string) error {
	entries, err := os.ReadDir(t.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); name != scratch && !slices.Contains(names, name) && !(hidden && strings.HasPrefix(name, ".")) {
			return fmt.Errorf("%s is left over", name)
		}
	}
	return nil
}
