package scorers

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"time"

	"boost/benchmarks/harness"
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

// takes reports whether the contender has something to do with the shape.
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
	args := append(append([]string{}, c.Command...), "--stage", stage, "--data", p.Data, "--models", p.Models,
		"--trees", strconv.Itoa(s.Trees), "--leaves", strconv.Itoa(s.Leaves), "--rows", strconv.Itoa(p.Rows))
	if s.Single() {
		args = append(args, "--single")
	}
	process := harness.Process{Command: args, Threads: runtime.NumCPU(), Limit: limit}
	run := Run{Wait: wait}
	if stage == Prepare {
		used, err := process.Run(ctx, nil)
		run.Wall = used.Wall
		return run, err
	}
	process.Threads, process.Wait = 1, wait
	used, err := process.Run(ctx, &run)
	run.Wall = used.Wall
	if err == nil && (run.Rows < 1 || run.Seconds <= 0 && run.Warm.P50 <= 0) {
		err = fmt.Errorf("printed %+v: no figures in it", run)
	}
	return run, err
}
