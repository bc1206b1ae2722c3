package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// NotInstalled is the exit status of a peer that the environment lacks.
const NotInstalled = 3

// ErrAbsent marks a peer that is not installed.
var ErrAbsent = errors.New("not installed")

// ErrTooSlow marks a process that was ended after its time was over.
var ErrTooSlow = errors.New("not finished in a time")

// Process is a command that prints JSON.
type Process struct {
	Command []string
	Threads int           // as OpenMP is told
	Wait    string        // how its idle threads wait: one of Waits, "" = as they do by themselves
	Limit   time.Duration // 0 = none
}

// Usage is what a process took.
type Usage struct {
	Wall float64 // seconds from its start to its end
	Peak int64   // bytes of the largest resident set
}

// Run runs a process and reads what it prints, or the last line where libraries print others before it; a
// nil value reads nothing. The error wraps ErrAbsent or ErrTooSlow where these say it better.
func (p Process) Run(ctx context.Context, value any) (Usage, error) {
	limited, cancel := context.WithCancel(ctx)
	if p.Limit > 0 {
		limited, cancel = context.WithTimeout(ctx, p.Limit)
	}
	defer cancel()
	cmd := exec.CommandContext(limited, p.Command[0], p.Command[1:]...)
	cmd.Env = environment(p.Threads, p.Wait)
	cmd.WaitDelay = 5 * time.Second // what the children of a killed compiler hold open is not waited for
	var out, words bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &words
	begin := time.Now()
	err := cmd.Run()
	used := Usage{Wall: time.Since(begin).Seconds()}
	state := cmd.ProcessState
	switch {
	case err == nil:
	case state != nil && state.ExitCode() == NotInstalled || errors.Is(err, os.ErrNotExist) || errors.Is(err, exec.ErrNotFound):
		return used, ErrAbsent
	case limited.Err() != nil && ctx.Err() == nil:
		return used, fmt.Errorf("%w of %.0f s", ErrTooSlow, p.Limit.Seconds())
	default:
		return used, fmt.Errorf("%w\n%s", err, strings.TrimSpace(words.String()))
	}
	used.Peak = Peak(state)
	if value == nil {
		return used, nil
	}
	text := strings.TrimSpace(out.String())
	if json.Unmarshal([]byte(text), value) == nil {
		return used, nil
	}
	if err := json.Unmarshal([]byte(text[strings.LastIndexByte(text, '\n')+1:]), value); err != nil {
		return used, fmt.Errorf("printed %q: %w", text, err)
	}
	return used, nil
}

// Reason is a short one for a table: of what Python says, the line of the error.
func Reason(err error) string {
	if errors.Is(err, ErrAbsent) {
		return ErrAbsent.Error()
	}
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	for i := len(lines) - 1; i > 0; i-- {
		if strings.Contains(lines[i], "Error: ") {
			return lines[i]
		}
	}
	return lines[len(lines)-1]
}
