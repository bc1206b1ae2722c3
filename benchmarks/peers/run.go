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
	"strconv"
	"strings"
	"time"

	"boost/benchmarks/score"
	"boost/benchmarks/synth"
)

// NotInstalled is the exit status of a peer that the environment lacks.
const NotInstalled = 3

// ErrAbsent marks a peer that is not installed.
var ErrAbsent = errors.New("not installed")

// ErrTooSlow marks a run that was ended after Settings.Limit seconds.
var ErrTooSlow = errors.New("not finished in time")

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
	Notes      string  `json:"notes,omitempty"` // what the trainer chose by itself
}

// start runs the contender once on the table in folder and scores its predictions.
func (c Contender) start(ctx context.Context, s Settings, folder string, labels []float64) (Run, error) {
	predictions := filepath.Join(folder, "predictions-"+c.Name+".npy")
	limited, cancel := ctx, context.CancelFunc(func() {})
	if s.Limit > 0 {
		limited, cancel = context.WithTimeout(ctx, time.Duration(s.Limit)*time.Second)
	}
	defer cancel()
	cmd := exec.CommandContext(limited, c.Command[0], c.args(s, folder, predictions)...)
	// Waiting threads of OpenMP sleep: on a machine with other work, spinning ones
	// cost the peers a factor of ten.
	cmd.Env = append(os.Environ(), "OMP_WAIT_POLICY=PASSIVE", "OMP_NUM_THREADS="+strconv.Itoa(s.Threads),
		"PYTHONDONTWRITEBYTECODE=1")
	var out, words bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &words
	var run Run
	if err := cmd.Run(); err != nil {
		if limited.Err() != nil && ctx.Err() == nil {
			return run, fmt.Errorf("%s: %w", c.Name, ErrTooSlow)
		}
		if cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == NotInstalled {
			return run, fmt.Errorf("%s: %w", c.Name, ErrAbsent)
		}
		if cmd.ProcessState != nil && !cmd.ProcessState.Exited() && ctx.Err() == nil {
			return run, fmt.Errorf("%s: %w: %s", c.Name, ErrKilled, cmd.ProcessState)
		}
		return run, fmt.Errorf("%s: %w\n%s", c.Name, err, strings.TrimSpace(words.String()))
	}
	if err := json.Unmarshal(out.Bytes(), &run); err != nil {
		return run, fmt.Errorf("%s printed %q: %w", c.Name, out.String(), err)
	}
	run.PeakBytes = PeakOf(cmd.ProcessState)
	if !c.Trains {
		return run, nil
	}
	p, err := readColumn(predictions)
	if err != nil {
		return run, fmt.Errorf("%s: %w", c.Name, err)
	}
	if len(p) != len(labels) {
		return run, fmt.Errorf("%s predicted %d rows of %d", c.Name, len(p), len(labels))
	}
	run.AUC, run.LogLoss = score.AUC(p, labels), score.LogLoss(p, 1, labels, nil)
	return run, os.Remove(predictions)
}

// readColumn reads the first column of a NumPy file.
func readColumn(path string) ([]float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read from
	columns, err := synth.ReadNPY(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	values := make([]float64, len(columns[0]))
	for i, v := range columns[0] {
		values[i] = float64(v)
	}
	return values, nil
}
