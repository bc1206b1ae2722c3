package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"boost/benchmarks/harness"
	"boost/benchmarks/modes"
	"boost/benchmarks/peers"
	"boost/benchmarks/synth"
	"boost/booster"
	"boost/dataset"
)

// modesTables are those that modes are measured on where none is named: a large one of few values in each column, where plain training is quickest, and
// a small one of many.
var modesTables = []string{"sgemm", "protein_casp"}

// modesSettings are those of both sides of `modes`.
type modesSettings struct {
	threads, rounds, leaves int
	budget                  float64
	only                    []string
}

func (s *modesSettings) flags(c *cobra.Command) {
	f := c.Flags()
	f.IntVar(&s.threads, "threads", 2, "threads")
	f.IntVar(&s.rounds, "rounds", 40, "boosting rounds")
	f.IntVar(&s.leaves, "leaves", 31, "leaves of a tree")
	f.Float64Var(&s.budget, "budget", 0.5, "seconds to repeat each training for")
	f.StringSliceVar(&s.only, "only", nil, "these modes only")
}

// chosen returns the modes that are asked for.
func (s *modesSettings) chosen() ([]modes.Mode, error) {
	all := modes.All()
	if len(s.only) == 0 {
		return all, nil
	}
	for _, name := range s.only {
		if !slices.ContainsFunc(all, func(m modes.Mode) bool { return m.Name == name }) {
			return nil, fmt.Errorf("no mode %q", name)
		}
	}
	return slices.DeleteFunc(all, func(m modes.Mode) bool { return !slices.Contains(s.only, m.Name) }), nil
}

// ways is what the flags of `modes` say.
type ways struct {
	places
	modesSettings
	sets  []string
	turns int
}

func modesCommand() *cobra.Command {
	var w ways
	c := &cobra.Command{
		Use:   "modes",
		Short: "Times ways of training beside plain training and beside LightGBM's same ways",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return w.run(cmd) },
	}
	w.inputs(c, "modes.py", "tables")
	w.outputs(c, "benchmarks/results/modes.json", "docs/performance.md")
	w.flags(c)
	c.Flags().StringSliceVar(&w.sets, "sets", modesTables, "tables: real sets with a label of numbers")
	c.Flags().IntVar(&w.turns, "turns", 2, "turns of both trainers; the least times of all turns count")
	return c
}

func (w *ways) run(cmd *cobra.Command) error {
	if w.turns < 1 {
		return errors.New("--turns must be at least 1")
	}
	chosen, err := w.chosen()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	sets, err := peers.Sets(w.data, w.sets...)
	if err != nil {
		return err
	}
	var session modes.Session
	for _, set := range sets {
		record, err := w.table(cmd, set, self, chosen)
		if err != nil {
			return err
		}
		session = append(session, *record)
	}
	fmt.Fprint(cmd.OutOrStdout(), session.Markdown())
	return w.keep(session)
}

// table measures the modes on one table.
func (w *ways) table(cmd *cobra.Command, set peers.Set, self string, chosen []modes.Mode) (*modes.Record, error) {
	folder, err := (&training{places: w.places}).prepare(cmd, set)
	if err != nil {
		return nil, err
	}
	table, steps, err := modesInput(cmd, folder, w.threads)
	if err != nil {
		return nil, err
	}
	record := &modes.Record{
		Table: set.Name, Rows: table.NumRows(), Rounds: w.rounds, Leaves: w.leaves, Threads: w.threads, Machine: harness.ThisMachine(),
		Command: fmt.Sprintf("make modes SETS=%s TURNS=%d", strings.Join(w.sets, ","), w.turns),
	}
	common := []string{"--folder", folder, "--threads", strconv.Itoa(w.threads), "--rounds", strconv.Itoa(w.rounds), "--leaves", strconv.Itoa(w.leaves),
		"--budget", strconv.FormatFloat(w.budget, 'g', -1, 64)}
	ours := append([]string{self, "modetrain", "--only", strings.Join(w.only, ",")}, common...)
	theirs, err := lightModes(chosen, numericFeatures(table), steps)
	if err != nil {
		return nil, err
	}
	theirs = append(append([]string{w.python, w.script}, theirs...), common...)
	for turn := range w.turns {
		for _, p := range []struct {
			trainer, wait string
			command       []string
		}{
			{modes.Boost, "", ours}, {modes.LightGBM, harness.Active, theirs}, {modes.Boost, "", ours}, {modes.LightGBM, harness.Passive, theirs},
		} {
			run := modes.Run{Trainer: p.trainer, Wait: p.wait}
			process := harness.Process{Command: p.command, Threads: w.threads, Wait: p.wait, Limit: 2 * trainingLimit}
			if _, err := process.Run(cmd.Context(), &run.Process); err != nil && (p.trainer == modes.Boost || !errors.Is(err, harness.ErrAbsent)) {
				return nil, fmt.Errorf("%s: %w", p.trainer, err)
			} else if err != nil {
				fmt.Fprintf(cmd.ErrOrStderr(), "%s, turn %d  %s: %s\n", set.Name, turn+1, p.trainer, harness.Reason(err))
				continue
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "%s, turn %d  %-8s %s: %d modes\n", set.Name, turn+1, p.trainer, p.wait, len(run.Process.Modes))
			for _, f := range run.Process.Modes {
				if f.Failed != "" {
					fmt.Fprintf(cmd.ErrOrStderr(), "  %s: %s\n", f.Mode, f.Failed)
				}
			}
			record.Columns = run.Process.Columns
			record.Runs = append(record.Runs, run)
		}
	}
	return record, nil
}

// modesInput reads the table of modes, and how labels are made of its own.
func modesInput(cmd *cobra.Command, folder string, threads int) (*dataset.Table, *modes.Steps, error) {
	meta, err := harness.ReadMeta(folder)
	if err != nil {
		return nil, nil, err
	}
	options, err := meta.Options()
	if err != nil {
		return nil, nil, err
	}
	table, err := dataset.Open(cmd.Context(), filepath.Join(folder, synth.TrainCSV), append(options, dataset.Threads(threads))...)
	if err != nil {
		return nil, nil, err
	}
	values, err := table.NumericLabels()
	if err != nil {
		return nil, nil, err
	}
	steps, err := modes.StepsOf(values)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", folder, err)
	}
	return table, steps, nil
}

// numericFeatures counts the features that modes are trained on.
func numericFeatures(table *dataset.Table) int {
	return len(slices.DeleteFunc(slices.Clone(table.Features()), func(c *dataset.Column) bool { return !c.Kind().Numeric() }))
}

// lightModes returns the flags of LightGBM's side.
func lightModes(chosen []modes.Mode, columns int, steps *modes.Steps) ([]string, error) {
	type told struct {
		Mode       string         `json:"mode"`
		Label      string         `json:"label"`
		Parameters map[string]any `json:"parameters"`
	}
	list := []told{}
	for _, m := range chosen {
		if m.LightGBM != nil {
			list = append(list, told{m.Name, m.Label, m.Columns(columns)})
		}
	}
	text, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	made, err := json.Marshal(steps)
	return []string{"--modes", string(text), "--steps", string(made)}, err
}

// modeTrainCommand is boost's side of `modes`, in a process of its own.
func modeTrainCommand() *cobra.Command {
	var s modesSettings
	var folder string
	c := &cobra.Command{
		Use:   "modetrain",
		Short: "Trains boost in all modes and prints one line of JSON",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			runtime.GOMAXPROCS(s.threads) // the collector of garbage counts as one of the threads
			process, err := s.train(cmd, folder)
			if err != nil {
				return err
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(process)
		},
	}
	s.flags(c)
	c.Flags().StringVar(&folder, "folder", "", "folder of "+synth.TrainCSV+" and "+harness.MetaFile)
	_ = c.MarkFlagRequired("folder")
	return c
}

// train times each mode, and plain training right before it.
func (s *modesSettings) train(cmd *cobra.Command, folder string) (*modes.Process, error) {
	chosen, err := s.chosen()
	if err != nil {
		return nil, err
	}
	table, steps, err := modesInput(cmd, folder, s.threads)
	if err != nil {
		return nil, err
	}
	tables := map[string]*dataset.Table{}
	for _, label := range []string{modes.Number, modes.Amount, modes.Two, modes.Grade, modes.Ranked} {
		if tables[label], err = modes.Table(table, steps, label); err != nil {
			return nil, err
		}
	}
	process := &modes.Process{Version: "boost (" + runtime.Version() + ")", Rows: table.NumRows(), Columns: numericFeatures(table)}
	timed := func(m *modes.Mode) (f modes.Figure, err error) {
		f.Mode = m.Name
		p := booster.Defaults()
		p.Objective, p.Rounds, p.Tree.Leaves, p.Threads = "regression", s.rounds, s.leaves, s.threads
		m.Set(&p)
		f.Seconds, f.Repeats, err = peers.Repeat(s.budget, func() (float64, error) {
			var report booster.Report
			model, err := booster.Train(cmd.Context(), p, tables[m.Label], booster.WithReport(&report))
			if err == nil {
				f.Trees, f.Leaves = model.NumTrees(), float64(len(model.Leaves()))/float64(model.NumTrees())
			}
			return report.TrainSeconds, err
		})
		return f, err
	}
	plain := modes.All()[0]
	for i := range chosen {
		before, err := timed(&plain)
		if err != nil {
			return nil, err
		}
		f, err := timed(&chosen[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", chosen[i].Name, err)
		}
		f.Plain = before.Seconds
		process.Modes = append(process.Modes, f)
	}
	return process, nil
}
