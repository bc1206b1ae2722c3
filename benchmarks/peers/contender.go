package peers

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"boost/benchmarks/harness"
)

// The trainers.
const (
	Boost    = "boost"
	LightGBM = "lightgbm"
	XGBoost  = "xgboost"
)

// waysOf lists the ways of a trainer, those that are usually fast first.
func waysOf(trainer string) []string {
	switch trainer {
	case LightGBM:
		return []string{"quantized-row", "quantized-col", "row", "col"}
	case XGBoost:
		return []string{"hist"}
	}
	return []string{"default"}
}

// waitsOf lists how the idle threads of a trainer wait, "" where there is one way of its own. Active
// threads are first: on a quiet machine they are faster, and what is far slower is then left out.
func waitsOf(trainer string) []string {
	if trainer == Boost {
		return []string{""}
	}
	return []string{harness.Active, harness.Passive}
}

// Commands start trainers: Self is this program, Python and Script the peers' side.
type Commands struct{ Self, Python, Script string }

// Settings are those of every training.
type Settings struct {
	Rounds int     `json:"rounds"`
	Leaves int     `json:"leaves"`
	Budget float64 `json:"budget_seconds"` // of the repeats of one way
}

// Process is what a trainer's process prints: the least seconds of each part.
type Process struct {
	Version string  `json:"version"`
	Rows    int     `json:"rows"`
	Columns int     `json:"columns"` // features
	Read    float64 `json:"read_seconds"`
	Engine  string  `json:"read_engine,omitempty"` // pandas' that was faster
	Bin     float64 `json:"bin_seconds"`
	Ways    []Timed `json:"ways"`

	// Of boost alone.
	File      float64 `json:"file_seconds,omitempty"` // from the file to the model, measured as a whole
	Gradients string  `json:"gradients,omitempty"`
	Model     string  `json:"model_sha256,omitempty"` // of the model's file
}

// Timed is one way of a trainer.
type Timed struct {
	Way     string  `json:"way"`
	Seconds float64 `json:"seconds"` // of boosting alone, the least
	Repeats int     `json:"repeats"`
	Warm    float64 `json:"warm_seconds,omitempty"` // of a tenth of the rounds, before the others
	LeftOut bool    `json:"left_out,omitempty"`     // far slower than another way in a tenth of the rounds: no seconds
}

// Run is one process.
type Run struct {
	Trainer string      `json:"trainer"`
	Threads int         `json:"threads"`
	Wait    string      `json:"wait,omitempty"`
	Load    string      `json:"load,omitempty"` // the machine's load average before it
	Before  Calibration `json:"before"`         // how fast the machine was before and after
	After   Calibration `json:"after"`
	Wall    float64     `json:"wall_seconds"`
	Process Process     `json:"figures"`
}

// start runs a trainer on the table in a folder. known is the least seconds that the trainer took
// so far, 0 = none: ways that are far slower are left out.
func (c Commands) start(ctx context.Context, s Settings, folder, trainer string, threads int, wait string, ways []string, known float64, limit time.Duration) (Run, error) {
	run := Run{Trainer: trainer, Threads: threads, Wait: wait, Load: harness.LoadAverage()}
	process := harness.Process{Command: c.command(s, folder, trainer, threads, ways, known), Threads: threads, Wait: wait, Limit: limit}
	used, err := process.Run(ctx, &run.Process)
	if run.Wall = used.Wall; err != nil {
		return run, fmt.Errorf("%s: %w", trainer, err)
	}
	if len(run.Process.Ways) == 0 || slices.ContainsFunc(run.Process.Ways, func(w Timed) bool { return w.Seconds <= 0 && !w.LeftOut }) {
		return run, fmt.Errorf("%s printed %+v: ways without seconds", trainer, run.Process)
	}
	return run, nil
}

func (c Commands) command(s Settings, folder, trainer string, threads int, ways []string, known float64) []string {
	command := []string{c.Python, c.Script, trainer}
	if trainer == Boost {
		command = []string{c.Self, "train"}
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	command = append(command, "--folder", folder, "--threads", strconv.Itoa(threads), "--rounds", strconv.Itoa(s.Rounds),
		"--leaves", strconv.Itoa(s.Leaves), "--budget", number(s.Budget))
	if trainer != Boost {
		command = append(command, "--ways", strings.Join(ways, ","), "--known", number(known))
	}
	return command
}
