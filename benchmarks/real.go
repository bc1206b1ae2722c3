package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"boost/benchmarks/machine"
	"boost/benchmarks/peers"
	"boost/benchmarks/real"
)

// realPicture is drawn beside the document.
const realPicture = "real.svg"

// measuringReal is what the flags of `real` say.
type measuringReal struct {
	data, python, script, cache, results, document string
	names                                          []string
	turns, patience                                int
	settings                                       real.Settings
	fresh                                          bool
}

func realCommand() *cobra.Command {
	var m measuringReal
	c := &cobra.Command{
		Use:   "real",
		Short: "Times boost beside LightGBM and XGBoost on real tables and generated shapes",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return m.run(cmd) },
	}
	f := c.Flags()
	f.StringVar(&m.data, "data", filepath.Join(os.Getenv("BOOST_SHARED"), "data"), "folder of the real data sets")
	f.StringSliceVar(&m.names, "sets", nil, "these tables only; what is known of the others stays")
	f.IntVar(&m.turns, "turns", 3, "turns of all trainers on a table; in each a process is run up to three times until the machine is quiet")
	f.IntVar(&m.settings.Rounds, "rounds", 60, "boosting rounds")
	f.IntVar(&m.settings.Leaves, "leaves", 31, "leaves of a tree")
	f.Float64Var(&m.settings.Budget, "budget", 0.5, "seconds that one way of a trainer is repeated for in a process")
	f.IntVar(&m.patience, "patience", 1800, "seconds that a process may take")
	f.BoolVar(&m.fresh, "fresh", false, "begin anew where a measurement was interrupted")
	f.StringVar(&m.python, "python", "python3", "interpreter of the environment with the peers")
	f.StringVar(&m.script, "script", "benchmarks/python/real.py", "the peers' side")
	f.StringVar(&m.cache, "cache", "", "folder that tables are kept in as text (default: the user's cache)")
	f.StringVar(&m.results, "results", "benchmarks/results/real.json", "JSON file for the record")
	f.StringVar(&m.document, "document", "docs/performance.md", "document to put the table into, with "+realPicture+" beside it; empty for none")
	return c
}

func (m *measuringReal) run(cmd *cobra.Command) error {
	if m.turns < 1 || m.settings.Rounds < 1 || m.settings.Budget <= 0 {
		return errors.New("--turns and --rounds must be at least 1, --budget above 0")
	}
	self, build, err := program()
	if err != nil {
		return err
	}
	sets, err := real.Sets(m.data, m.names...)
	if err != nil {
		return err
	}
	record, err := real.Open(m.results)
	if err != nil {
		return err
	}
	var names []string
	for _, s := range sets {
		names = append(names, s.Name)
	}
	if record.Begin(time.Now().UTC().Format(time.RFC3339), build, names, m.fresh) {
		fmt.Fprintln(cmd.ErrOrStderr(), "going on with the session of", record.Session)
	}
	for _, s := range sets {
		if err := m.measure(cmd, self, record, s); err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	record.Done = true
	if err := record.Save(m.results); err != nil {
		return err
	}
	record.Table(cmd.OutOrStdout())
	fmt.Fprintf(cmd.OutOrStdout(), "\n%s\n", record.Verdict())
	if m.document == "" {
		return nil
	}
	return drawReal(record, m.document)
}

// measure measures one table.
func (m *measuringReal) measure(cmd *cobra.Command, self string, record *real.Record, s real.Set) error {
	folder, err := m.prepare(cmd, self, s)
	if err != nil {
		return err
	}
	meta, err := real.ReadMeta(folder)
	if err != nil {
		return err
	}
	threads := []int{2, 1}
	if runtime.NumCPU() < 2 {
		threads = threads[1:]
	}
	result := record.Result(real.Result{
		Name: s.Name, Generated: s.Shape != nil, Task: meta.Task, Outputs: meta.Outputs(), Machine: machine.This(),
		Command: m.command(), Settings: m.settings, Wanted: m.turns,
	})
	return record.Measure(cmd.Context(), result, &real.Plan{
		Commands: real.Commands{Self: self, Python: m.python, Script: m.script}, Threads: threads, Folder: folder,
		Patience: time.Duration(m.patience) * time.Second, Calibrate: real.Calibrate, Pause: func() { time.Sleep(2 * time.Second) },
		Words: cmd.ErrOrStderr(), Save: func() error { return record.Save(m.results) },
	})
}

// command is what makes the figures again.
func (m *measuringReal) command() string {
	command := fmt.Sprintf("make peers ROW=real TURNS=%d", m.turns)
	if len(m.names) > 0 {
		command += " SETS=" + strings.Join(m.names, ",")
	}
	return command
}

// prepare returns the folder of a table as text.
func (m *measuringReal) prepare(cmd *cobra.Command, self string, s real.Set) (string, error) {
	if s.Shape == nil {
		cache, err := cacheOf(m.cache)
		if err != nil {
			return "", err
		}
		return real.Prepare(filepath.Join(m.data, s.Name), cache)
	}
	folder, err := generated(cmd, self, m.cache, peers.Row{
		Kind: s.Shape.Kind, Task: peers.Text, Rows: s.Shape.Rows, Columns: s.Shape.Columns, Test: 1, Threads: runtime.NumCPU(), Seed: 1,
	})
	if err != nil {
		return "", err
	}
	return folder, s.Shape.Describe(folder)
}

// cacheOf returns the folder that tables are kept in.
func cacheOf(cache string) (string, error) {
	if cache != "" {
		return cache, nil
	}
	user, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no place for tables, name one with --cache: %w", err)
	}
	return filepath.Join(user, "boost", "tables"), nil
}

// drawReal writes the picture beside a document, and the tables into it.
func drawReal(record *real.Record, document string) error {
	picture, err := os.Create(filepath.Join(filepath.Dir(document), realPicture))
	if err != nil {
		return err
	}
	if err := errors.Join(record.Plot(picture), picture.Close()); err != nil {
		return err
	}
	return record.UpdateDocument(document, realPicture)
}
