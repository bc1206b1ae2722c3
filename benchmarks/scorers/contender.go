package scorers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"boost/benchmarks/peers"
)

// Names of contenders that the targets name.
const (
	Boost       = "boost"        // a table of columns in memory
	BoostMatrix = "boost-matrix" // rows of a matrix, as the peers have them
	lightGBM    = "lightgbm"
	lightGBMRow = "lightgbm-c" // single rows only
	xgboost     = "xgboost"
	onnx        = "onnxruntime"
)

// Contender is a command that prepares a model, or scores with it.
type Contender struct {
	Name    string
	Command []string // with the stage and the shape to follow
}

// Contenders returns boost and the libraries: self is this program, python the interpreter
// of the peers' environment, script the path of scorer.py. LightGBM leads the libraries,
// since others convert its model.
func Contenders(self, python, script string) []Contender {
	var list []Contender
	for _, name := range []string{Boost, BoostMatrix} {
		list = append(list, Contender{name, []string{self, "score", "--name", name}})
	}
	for _, name := range []string{lightGBM, lightGBMRow, xgboost, "treelite", "treelite-gtil", "lleaves", "ydf", "onedal", onnx} {
		list = append(list, Contender{name, []string{python, script, "--name", name}})
	}
	return list
}

// takes says that the contender has something to do with the shape.
func (c Contender) takes(s Shape) bool { return c.Name != lightGBMRow || s.Single() }

// Run is what a scorer found.
type Run struct {
	Version  string    `json:"version"`
	Rows     int       `json:"rows"`
	Seconds  float64   `json:"seconds"` // of the shortest pass over the rows; 0 where only single rows are scored
	Passes   int       `json:"passes"`
	Cores    float64   `json:"cores"`           // processor seconds by seconds of the passes
	Warm     Quantiles `json:"warm,omitzero"`   // of single rows, in nanoseconds
	Cold     Quantiles `json:"cold,omitzero"`   // the same where each call finds its caches emptied
	Clock    float64   `json:"clock,omitempty"` // nanoseconds that reading the clock adds to each
	Call     float64   `json:"call,omitempty"`  // nanoseconds of a call from Python that does nothing, clock included; 0 = unknown
	Notes    string    `json:"notes,omitempty"` // what the scorer chose by itself
	Wall     float64   `json:"wall_seconds"`    // of the process, start and end included
	LoadMean string    `json:"load,omitempty"`  // the machine's load average before it
	Wait     string    `json:"wait,omitempty"`  // how idle threads of OpenMP waited; "" = passively
}

// Quantiles are those of the times of single rows.
type Quantiles struct {
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
}

// Stages of a contender.
const (
	Prepare = "prepare"
	Score   = "score"
)

// Place says where a shape's table and models lie, and how many rows to score.
type Place struct {
	Data, Models string
	Rows         int
}

// start runs a stage. The processes have one thread to score with, and wait is how those of
// OpenMP would wait for it; models are prepared on all.
func (c Contender) start(ctx context.Context, stage, wait string, s Shape, p Place, limit time.Duration) (Run, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	args := append([]string{}, c.Command[1:]...)
	args = append(args, "--stage", stage, "--data", p.Data, "--models", p.Models, "--trees", strconv.Itoa(s.Trees),
		"--leaves", strconv.Itoa(s.Leaves), "--rows", strconv.Itoa(p.Rows))
	if s.Single() {
		args = append(args, "--single")
	}
	cmd := exec.CommandContext(limited, c.Command[0], args...)
	cmd.Env = peers.Environment(runtime.NumCPU(), "")
	if stage == Score {
		cmd.Env = append(peers.Environment(1, wait), "MKL_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	}
	// What a killed compiler's children hold open is not waited for.
	cmd.WaitDelay = 5 * time.Second
	var out, words bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &words
	var run Run
	begin := time.Now()
	err := cmd.Run()
	run.Wall = time.Since(begin).Seconds()
	switch {
	case err == nil:
	case limited.Err() != nil && ctx.Err() == nil:
		return run, fmt.Errorf("%w of %.0f s", peers.ErrTooSlow, limit.Seconds())
	case cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == peers.NotInstalled,
		errors.Is(err, os.ErrNotExist), errors.Is(err, exec.ErrNotFound):
		return run, peers.ErrAbsent
	default:
		text := strings.TrimSpace(words.String())
		return run, fmt.Errorf("%s: %w: %s", stage, err, text[strings.LastIndexByte(text, '\n')+1:])
	}
	if stage == Prepare {
		return run, nil
	}
	// Libraries write to standard output too: the figures are the last line.
	text := strings.TrimSpace(out.String())
	if err := json.Unmarshal([]byte(text[strings.LastIndexByte(text, '\n')+1:]), &run); err != nil {
		return run, fmt.Errorf("printed %q: %w", text, err)
	}
	run.Wall, run.Wait = time.Since(begin).Seconds(), wait
	if run.Rows < 1 || run.Seconds <= 0 && run.Warm.P50 <= 0 {
		return run, fmt.Errorf("printed %q: no figures in it", text)
	}
	return run, nil
}
