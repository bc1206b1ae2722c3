package peers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"boost/benchmarks/score"
	"boost/benchmarks/synth"
)

// NotInstalled is the exit status of a peer that the environment lacks.
const NotInstalled = 3

// ErrAbsent marks a peer that is not installed.
var ErrAbsent = errors.New("not installed")

// ErrTooSlow marks a run that was ended after its time was over.
var ErrTooSlow = errors.New("not finished in a time")

// ErrUseless marks a model that predicts the same for every row: its time is no figure.
var ErrUseless = errors.New("learned nothing: the same prediction for every row")

// ErrKilled marks a run that the system ended, as it does with one that takes too much memory.
var ErrKilled = errors.New("ended by the system")

// Run is one run of one contender. Seconds are those of the wall clock; a stage that
// the contender does not have, or does inside another, is 0.
type Run struct {
	Version    string  `json:"version"`
	Load       float64 `json:"load_seconds"`
	LoadCPU    float64 `json:"load_cpu_seconds"`
	Bin        float64 `json:"bin_seconds"`
	BinCPU     float64 `json:"bin_cpu_seconds"`
	Train      float64 `json:"train_seconds"`
	TrainCPU   float64 `json:"train_cpu_seconds"`
	Predict    float64 `json:"predict_seconds"`
	PredictCPU float64 `json:"predict_cpu_seconds"`
	BaseBytes  int64   `json:"base_bytes"` // peak before the data is read: program and libraries
	PeakBytes  int64   `json:"peak_bytes"` // of the whole process
	AUC        float64 `json:"auc,omitempty"`
	LogLoss    float64 `json:"logloss,omitempty"`
	Wall       float64 `json:"wall_seconds"`    // of the process, start and end included
	Notes      string  `json:"notes,omitempty"` // what the trainer chose by itself
}

// start runs the contender once on the table in folder and scores its predictions.
// labels may be nil: then nothing is scored.
func (c Contender) start(ctx context.Context, row *Row, rounds int, limit time.Duration, folder string, labels []float64) (Run, error) {
	predictions := ""
	if labels != nil {
		predictions = filepath.Join(folder, "predictions-"+c.Name+".npy")
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var run Run
	begin := time.Now()
	out, state, err := Execute(limited, append(c.Command[:1:1], c.args(row, rounds, folder, predictions)...), c.threads(row), c.Wait)
	if err != nil {
		run.Wall = time.Since(begin).Seconds()
		if limited.Err() != nil && ctx.Err() == nil {
			return run, fmt.Errorf("%s: %w of %.0f s", c.Name, ErrTooSlow, limit.Seconds())
		}
		return run, fmt.Errorf("%s: %w", c.Name, err)
	}
	if err := json.Unmarshal(out, &run); err != nil {
		return run, fmt.Errorf("%s printed %q: %w", c.Name, out, err)
	}
	run.Wall = time.Since(begin).Seconds()
	run.PeakBytes = PeakOf(state)
	if row.Seconds(&run) <= 0 {
		return run, fmt.Errorf("%s printed %q: no seconds of %s in it", c.Name, out, row.Task)
	}
	if labels == nil {
		return run, nil
	}
	err = run.score(row, predictions, labels)
	if e := os.Remove(predictions); err == nil {
		err = e
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", c.Name, err)
	}
	return run, err
}

// Execute runs a trainer's command on so many threads, which wait as Environment has it, and
// returns what it prints. The error wraps ErrAbsent or ErrKilled where these say it better.
func Execute(ctx context.Context, command []string, threads int, wait string) ([]byte, *os.ProcessState, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = Environment(threads, wait)
	var out, words bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &words
	err := cmd.Run()
	state := cmd.ProcessState
	switch {
	case err == nil:
		return out.Bytes(), state, nil
	case state != nil && state.ExitCode() == NotInstalled || errors.Is(err, os.ErrNotExist) || errors.Is(err, exec.ErrNotFound):
		return nil, state, ErrAbsent
	case state != nil && !state.Exited() && ctx.Err() == nil:
		return nil, state, fmt.Errorf("%w: %s", ErrKilled, state)
	}
	return nil, state, fmt.Errorf("%w\n%s", err, strings.TrimSpace(words.String()))
}

// score takes AUC and loss of the predictions in a NumPy file.
func (run *Run) score(row *Row, path string, labels []float64) error {
	columns, err := readColumns(path)
	if err != nil {
		return err
	}
	width := row.Classes()
	if width == 2 {
		width = 1
	}
	if len(columns) != width || len(columns[0]) != len(labels) {
		return fmt.Errorf("%s holds %d × %d predictions, want %d × %d", path, len(columns[0]), len(columns), len(labels), width)
	}
	p := make([]float64, 0, width*len(labels))
	for i := range labels {
		for _, column := range columns {
			p = append(p, float64(column[i]))
		}
	}
	if slices.IndexFunc(columns, varied) < 0 {
		return ErrUseless
	}
	run.LogLoss = score.LogLoss(p, width, labels, nil)
	if !row.byLoss() {
		run.AUC = score.AUC(p, labels)
	}
	return nil
}

// varied says that not all values are the same.
func varied(values []float32) bool { return slices.Min(values) < slices.Max(values) }

func readColumns(path string) ([][]float32, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read from
	columns, err := synth.ReadNPY(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return columns, nil
}

// readLabels reads the labels of the test rows.
func readLabels(folder string) ([]float64, error) {
	columns, err := readColumns(filepath.Join(folder, synth.TestY))
	if err != nil {
		return nil, fmt.Errorf("labels to test on: %w", err)
	}
	labels := make([]float64, len(columns[0]))
	for i, v := range columns[0] {
		labels[i] = float64(v)
	}
	return labels, nil
}
