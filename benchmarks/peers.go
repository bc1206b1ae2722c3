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

	"boost/benchmarks/harness"
	"boost/benchmarks/peers"
)

// trainingSettings are those of all trainers.
var trainingSettings = peers.Settings{Rounds: 60, Leaves: 31, Budget: 0.5}

// trainingLimit is what a process may take.
const trainingLimit = 30 * time.Minute

// training is what the flags of `peers` say.
type training struct {
	places
	names []string
	turns int
}

func peersCommand() *cobra.Command {
	var m training
	c := &cobra.Command{
		Use:   "peers",
		Short: "Times training beside LightGBM and XGBoost on real tables and generated shapes",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return m.run(cmd) },
	}
	var shapes []string
	for _, s := range peers.Shapes() {
		shapes = append(shapes, s.Name)
	}
	f := c.Flags()
	m.inputs(c, "peers.py", "tables")
	m.outputs(c, "benchmarks/results/real.json", "docs/performance.md")
	f.StringSliceVar(&m.names, "sets", nil, "these tables only, what is known of the others stays; generated shapes are "+strings.Join(shapes, ", "))
	f.IntVar(&m.turns, "turns", 3, "turns of all trainers on a table; in each a process is run up to three times until the machine is quiet")
	return c
}

func (m *training) run(cmd *cobra.Command) error {
	if m.turns < 1 {
		return errors.New("--turns must be at least 1")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	sets, err := peers.Sets(m.data, m.names...)
	if err != nil {
		return err
	}
	record, err := peers.Open(m.results)
	if err != nil {
		return err
	}
	for _, s := range sets {
		if err := m.measure(cmd, self, record, s); err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		if err := record.Save(m.results); err != nil {
			return err
		}
	}
	record.Table(cmd.OutOrStdout())
	fmt.Fprintf(cmd.OutOrStdout(), "\n%s\n", record.Verdict())
	return m.keep(record)
}

// measure measures one table.
func (m *training) measure(cmd *cobra.Command, self string, record *peers.Record, s peers.Set) error {
	folder, err := m.prepare(cmd, s)
	if err != nil {
		return err
	}
	meta, err := harness.ReadMeta(folder)
	if err != nil {
		return err
	}
	threads := []int{2, 1}
	if runtime.NumCPU() < 2 {
		threads = threads[1:]
	}
	result := &peers.Result{
		Name: s.Name, Generated: s.Shape != nil, Task: meta.Task, Outputs: meta.Outputs(), Machine: harness.ThisMachine(),
		Command: m.command(), Settings: trainingSettings, Wanted: m.turns,
	}
	return record.Measure(cmd.Context(), result, &peers.Plan{
		Commands: peers.Commands{Self: self, Python: m.python, Script: m.script}, Threads: threads, Folder: folder,
		Limit: trainingLimit, Calibrate: peers.Calibrate, Pause: func() { time.Sleep(2 * time.Second) },
		Words: cmd.ErrOrStderr(),
	})
}

// command is what makes the figures again.
func (m *training) command() string {
	command := fmt.Sprintf("make peers ROW=real TURNS=%d", m.turns)
	if len(m.names) > 0 {
		command += " SETS=" + strings.Join(m.names, ",")
	}
	return command
}

// prepare returns the folder of a table as text.
func (m *training) prepare(cmd *cobra.Command, s peers.Set) (string, error) {
	if s.Shape != nil {
		return m.generated(cmd, table{kind: s.Shape.Kind, rows: s.Shape.Rows, columns: s.Shape.Columns, test: 1})
	}
	cache, err := harness.Cache(m.cache)
	if err != nil {
		return "", err
	}
	return peers.Prepare(filepath.Join(m.data, s.Name), cache)
}
