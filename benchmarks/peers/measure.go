package peers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"boost/benchmarks/machine"
	"boost/benchmarks/synth"
)

// Record is everything one measurement found; it is kept as JSON.
type Record struct {
	Machine  machine.Info `json:"machine"`
	Settings Settings     `json:"settings"`
	Command  string       `json:"command"`
	Absent   []string     `json:"absent,omitempty"` // peers that are not installed
	// Unfinished lists the contenders that one run of Settings.Limit seconds was not enough for.
	Unfinished []string         `json:"unfinished,omitempty"`
	Killed     []string         `json:"killed,omitempty"` // contenders that the system ended: out of memory
	Runs       map[string][]Run `json:"runs"`             // by contender, in the order they ran
	order      []string
}

// Measure runs every contender Repeats times on the table in folder, one after the
// other and round after round, so that a slow minute of the machine hits all alike.
// Progress goes to words.
func Measure(ctx context.Context, contenders []Contender, s Settings, folder string, words io.Writer) (*Record, error) {
	labels, err := readColumn(filepath.Join(folder, synth.TestY))
	if err != nil {
		return nil, fmt.Errorf("labels to test on: %w", err)
	}
	r := &Record{Machine: machine.This(), Settings: s, Runs: map[string][]Run{}}
	out := map[string]bool{} // absent, too slow or too large
	for repeat := range s.Repeats {
		for _, c := range contenders {
			if out[c.Name] {
				continue
			}
			run, err := c.start(ctx, s, folder, labels)
			if errors.Is(err, ErrAbsent) || errors.Is(err, os.ErrNotExist) {
				out[c.Name] = true
				r.Absent = append(r.Absent, c.Name)
				fmt.Fprintf(words, "%-24s not installed\n", c.Name)
				continue
			}
			if errors.Is(err, ErrTooSlow) {
				out[c.Name] = true
				r.Unfinished = append(r.Unfinished, c.Name)
				fmt.Fprintf(words, "%-24s not finished in %d s\n", c.Name, s.Limit)
				continue
			}
			if errors.Is(err, ErrKilled) && c.Name != BoostName {
				out[c.Name] = true
				r.Killed = append(r.Killed, c.Name)
				fmt.Fprintln(words, err)
				continue
			}
			if err != nil {
				return nil, err
			}
			if repeat == 0 {
				r.order = append(r.order, c.Name)
			}
			r.Runs[c.Name] = append(r.Runs[c.Name], run)
			fmt.Fprintf(words, "%d/%d %-24s load %.2f  bin %.2f  train %.2f s\n",
				repeat+1, s.Repeats, c.Name, run.Load, run.Bin, run.Train)
		}
	}
	return r, nil
}
