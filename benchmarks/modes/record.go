package modes

import (
	"fmt"
	"math"
	"strings"

	"boost/benchmarks/harness"
)

// Figure is the least seconds of boosting in one mode, and for boost those of plain training right before it.
type Figure struct {
	Mode    string  `json:"mode"`
	Trees   int     `json:"trees"`
	Leaves  float64 `json:"leaves"` // of a tree, in the mean
	Seconds float64 `json:"seconds"`
	Plain   float64 `json:"plain_seconds,omitempty"` // boost's, of as many rounds, one tree each
	Repeats int     `json:"repeats"`
	Failed  string  `json:"failed,omitempty"`
}

// Process is what a trainer's process prints.
type Process struct {
	Version string   `json:"version"`
	Rows    int      `json:"rows"`
	Columns int      `json:"columns"`
	Modes   []Figure `json:"modes"`
}

// Run is one process.
type Run struct {
	Trainer string  `json:"trainer"`
	Wait    string  `json:"wait,omitempty"` // how idle threads of LightGBM wait
	Process Process `json:"figures"`
}

// Record is what was measured on one table.
type Record struct {
	Table   string          `json:"table"`
	Rows    int             `json:"rows"`
	Columns int             `json:"columns"`
	Rounds  int             `json:"rounds"`
	Leaves  int             `json:"leaves"`
	Threads int             `json:"threads"`
	Command string          `json:"command"`
	Machine harness.Machine `json:"machine"`
	Runs    []Run           `json:"runs"`
}

// Names of trainers.
const (
	Boost    = "boost"
	LightGBM = "lightgbm"
)

// leaves returns how many leaves the trees of a trainer in a mode have in the mean.
func (r *Record) leaves(trainer, mode string) string {
	for _, run := range r.Runs {
		for _, f := range run.Process.Modes {
			if run.Trainer == trainer && f.Mode == mode && f.Trees > 0 {
				return fmt.Sprintf("%.0f", f.Leaves)
			}
		}
	}
	return "—"
}

// best returns the least seconds of a trainer in a mode, and how many times as long that is per tree as the least of plain training that was taken beside it; each is
// 0 where there is no figure.
func (r *Record) best(trainer, mode string) (seconds, times float64) {
	plain, trees := 0.0, 0
	for _, run := range r.Runs {
		for _, f := range run.Process.Modes {
			if run.Trainer != trainer || f.Mode != mode || f.Failed != "" || f.Seconds <= 0 {
				continue
			}
			if seconds == 0 || f.Seconds < seconds {
				seconds = f.Seconds
			}
			if plain == 0 || f.Plain < plain {
				plain = f.Plain
			}
			trees = f.Trees
		}
	}
	if seconds == 0 {
		return 0, 0
	}
	if plain == 0 {
		return seconds, 0
	}
	return seconds, seconds / float64(trees) / (plain / float64(r.Rounds))
}

// least is how many times as fast as LightGBM's same mode one has to be.
const least = 2

// Markdown returns the table of all modes.
func (r *Record) Markdown() string {
	var b strings.Builder
	var versions harness.Names
	for _, run := range r.Runs {
		versions.Add(run.Process.Version)
	}
	fmt.Fprintf(&b, "- `%s`: %v; versions %s. Table: %s, %d rows × %d features; %d rounds, %d leaves, %d threads.\n\n", r.Command, r.Machine, strings.Join(versions, ", "),
		r.Table, r.Rows, r.Columns, r.Rounds, r.Leaves, r.Threads)
	var rows strings.Builder
	near, modes, fast, compared, logs := 0, 0, 0, 0, 0.0
	for _, m := range All() {
		ours, times := r.best(Boost, m.Name)
		theirs, _ := r.best(LightGBM, m.Name)
		if ours == 0 {
			continue
		}
		if m.Name != Plain {
			if modes++; times <= m.Most {
				near++
			}
		}
		beside, seconds := "—", "—"
		if theirs > 0 {
			beside, seconds = fmt.Sprintf("%.2f", theirs/ours), fmt.Sprintf("%.4g", theirs)
			logs += math.Log(theirs / ours)
			if compared++; theirs/ours >= least {
				fast++
			}
		}
		fmt.Fprintf(&rows, "| %s | %.4g | %.2f (%.1f) | %s | %s | %s; %s |\n", m.Name, ours, times, m.Most, seconds, beside,
			r.leaves(Boost, m.Name), r.leaves(LightGBM, m.Name))
	}
	fmt.Fprintf(&b, "%d of %d modes stay within their bound of plain training per tree; %d of %d are %d × as fast as LightGBM's same mode or more", near, modes, fast, compared, least)
	if compared > 0 {
		fmt.Fprintf(&b, ", the mean is %.2f", math.Exp(logs/float64(compared)))
	}
	b.WriteString(".\n\n| mode | boost s | × plain, per tree (bound) | LightGBM s | × LightGBM | leaves of a tree, boost; LightGBM |\n|------|--------:|--------------------------:|-----------:|-----------:|---|\n")
	b.WriteString(rows.String())
	return b.String()
}

// Session is what was measured on several tables.
type Session []Record

// Markdown returns the tables, one after another.
func (s Session) Markdown() string {
	var texts []string
	for i := range s {
		texts = append(texts, s[i].Markdown())
	}
	return strings.Join(texts, "\n")
}

// UpdateDocument puts the tables into a document.
func (s Session) UpdateDocument(path string) error {
	return harness.ReplaceSection(path, "modes", s.Markdown())
}
