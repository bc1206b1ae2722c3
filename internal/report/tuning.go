package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"boost/booster/search/tune"
	"boost/internal/format"
)

// Tuning is what tune found.
type Tuning struct {
	*tune.Result
	Seconds float64
	Study   string // file; "" for none
	Config  string // file
	Plot    string // file; "" for none
	Command string // trains with the config
}

// mostTrials is how many trials are shown.
const mostTrials = 10

// stopped are the words for why a search ended.
var stoppedBy = map[string]string{
	tune.StoppedTrials: "", tune.StoppedBudget: ", ended by --budget", tune.StoppedSpace: ", which are all that the space has", tune.StoppedInterrupted: ", interrupted",
}

// JSON returns what is printed as JSON.
func (t *Tuning) JSON() any {
	type trial struct {
		Trial   int               `json:"trial"`
		Values  map[string]string `json:"values"`
		State   tune.State        `json:"state"`
		Value   *float64          `json:"value"`
		SD      *float64          `json:"sd"`
		Folds   []*float64        `json:"folds"`
		Best    int               `json:"best_round"`
		Rounds  int               `json:"rounds"`
		Seconds float64           `json:"seconds"`
		Error   string            `json:"error,omitempty"`
	}
	type heldOut struct {
		Rows  int      `json:"rows"`
		Start *float64 `json:"start"`
		Best  *float64 `json:"best"`
	}
	out := struct {
		Objective string   `json:"objective"`
		Metric    string   `json:"metric"`
		Higher    bool     `json:"higher_is_better"`
		By        string   `json:"by"`
		Folds     int      `json:"folds"`
		Judged    int      `json:"judged"`
		Space     []string `json:"space"`
		Stopped   string   `json:"stopped"`
		Best      int      `json:"best_trial"`
		Trials    []trial  `json:"trials"`
		HeldOut   *heldOut `json:"held_out"`
		Seconds   float64  `json:"seconds"`
		Study     string   `json:"study,omitempty"`
		Config    string   `json:"config,omitempty"`
		Plot      string   `json:"plot,omitempty"`
		Command   string   `json:"command,omitempty"`
	}{
		Objective: t.Objective, Metric: t.Metric, Higher: t.Higher, By: t.By, Folds: t.Folds, Judged: t.Judged, Stopped: t.Stopped, Best: t.Best,
		Seconds: t.Seconds, Study: t.Study, Config: t.Config, Plot: t.Plot, Command: t.Command,
	}
	for i := range t.Space {
		out.Space = append(out.Space, t.Space[i].String())
	}
	for i := range t.Trials {
		from := &t.Trials[i]
		values := map[string]string{}
		for d, v := range from.Values {
			values[t.Space[d].Name] = v
		}
		out.Trials = append(out.Trials, trial{from.Number, values, from.State, format.Finite(from.Value), format.Finite(from.Deviation), finite(from.Folds), from.Best, from.Rounds, from.Seconds, from.Error})
	}
	if h := t.HeldOut; h != nil {
		out.HeldOut = &heldOut{h.Rows, format.Finite(h.Start), format.Finite(h.Best)}
	}
	return out
}

// Write writes the report for people.
func (t *Tuning) Write(w io.Writer) error {
	counts := map[tune.State]int{}
	for i := range t.Trials {
		counts[t.Trials[i].State]++
	}
	ended := ""
	if n := counts[tune.Pruned]; n > 0 {
		ended += ", " + format.Count(n) + " given up early"
	}
	if n := counts[tune.Failed]; n > 0 {
		ended += ", " + format.Count(n) + " failed"
	}
	folds := fmt.Sprintf("%d folds", t.Folds)
	if t.Judged < t.Folds {
		folds = fmt.Sprintf("%d of %d folds", t.Judged, t.Folds)
	}
	if _, err := fmt.Fprintf(w, "%s%s%s, on %s (%s)\n", format.Counted(len(t.Trials), "trial"), ended, stoppedBy[t.Stopped], folds, by[t.By]); err != nil {
		return err
	}
	ranked := t.ranked()
	head := []string{"trial", t.Metric, "sd", "rounds"}
	for i := range t.Space {
		_, leaf, _ := strings.Cut(t.Space[i].Name, ".")
		head = append(head, leaf)
	}
	rows := [][]string{head}
	for rank, trial := range ranked {
		if rank >= mostTrials && trial.Number != 0 {
			continue
		}
		row := []string{strconv.Itoa(trial.Number), orUndefined(format.Finite(trial.Value)), orUndefined(format.Finite(trial.Deviation)), format.Count(trial.Best)}
		rows = append(rows, append(row, trial.Values...))
	}
	if err := format.Table(w, rows, strings.Repeat("r", len(head))); err != nil {
		return err
	}
	facts := [][]string{{"start", "trial 0 has what the search began with"}}
	if h := t.HeldOut; h != nil {
		facts = append(facts, []string{"held out", fmt.Sprintf("%s of %s that the search did not see: %s, at the start %s", t.Metric, format.Counted(h.Rows, "row"), orUndefined(format.Finite(h.Best)), orUndefined(format.Finite(h.Start)))})
	}
	facts = append(facts, []string{"time", format.Seconds(t.Seconds)})
	for _, fact := range [][]string{{"study", t.Study}, {"plot", t.Plot}, {"config", t.Config}} {
		if fact[1] != "" {
			facts = append(facts, []string{fact[0], format.OneLine(fact[1])})
		}
	}
	return format.Table(w, append(facts, []string{"train", t.Command}), "ll")
}

// ranked returns the trials that were not given up, the best first.
func (t *Tuning) ranked() []*tune.Trial {
	var ranked []*tune.Trial
	for i := range t.Trials {
		if t.Trials[i].State == tune.Complete {
			ranked = append(ranked, &t.Trials[i])
		}
	}
	slices.SortStableFunc(ranked, func(a, b *tune.Trial) int {
		if t.Higher {
			a, b = b, a
		}
		return cmp.Compare(a.Value, b.Value)
	})
	return ranked
}
