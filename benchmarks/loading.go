package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"boost/benchmarks/harness"
	"boost/benchmarks/loading"
)

// measuringLoading is what the flags of `loading` say.
type measuringLoading struct {
	places
	names         []string
	rows, repeats int
	prepare       bool
}

// loadingCommand times all readers of all formats.
func loadingCommand() *cobra.Command {
	var m measuringLoading
	c := &cobra.Command{
		Use:   "loading",
		Short: "Times boost's readers beside those of pyarrow, pandas, scikit-learn and LightGBM",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return m.run(cmd) },
	}
	f := c.Flags()
	m.inputs(c, "loading.py", "generated tables")
	m.outputs(c, "benchmarks/results/loading.json", "benchmarks/results/README.md")
	f.IntVar(&m.rows, "rows", 1_000_000, "rows of the CSV files")
	f.IntVar(&m.repeats, "repeats", 3, "runs of each reader, in turn; the smallest time counts")
	f.StringSliceVar(&m.names, "only", nil, "read only these and write no record: "+strings.Join(loading.Files(), ", "))
	f.BoolVar(&m.prepare, "prepare", false, "make the tables only")
	return c
}

func (m *measuringLoading) run(cmd *cobra.Command) error {
	if m.rows < 1 || m.repeats < 1 {
		return errors.New("--rows and --repeats must be at least 1")
	}
	files := loading.Files()
	for _, name := range m.names {
		if !slices.Contains(files, name) {
			return fmt.Errorf("no table is called %q; there are %s", name, strings.Join(files, ", "))
		}
	}
	if len(m.names) > 0 {
		files = m.names
	}
	cache, err := harness.Cache(m.cache)
	if err != nil {
		return err
	}
	if m.prepare {
		_, err := loading.Generate(cache, m.rows, cmd.ErrOrStderr())
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	// Another process makes the tables: this one must stay small, see generated.
	prepare := harness.Process{Threads: 1, Command: []string{self, "loading", "--prepare", "--cache", cache, "--rows", strconv.Itoa(m.rows)}}
	if _, err := prepare.Run(cmd.Context(), nil); err != nil {
		return fmt.Errorf("making the tables: %w", err)
	}
	commands := loading.Commands{Self: self, Python: m.python, Script: m.script}
	record, err := loading.Measure(cmd.Context(), commands, loading.Folder(cache, m.rows), files, m.repeats, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	record.Rows = m.rows
	record.Command = fmt.Sprintf("make load ROWS=%d REPEATS=%d", m.rows, m.repeats)
	record.Table(cmd.OutOrStdout())
	if len(m.names) == 0 {
		if err := harness.Write(m.results, record); err != nil {
			return err
		}
		if m.document != "" {
			if err := record.UpdateDocument(m.document, m.results); err != nil {
				return err
			}
		}
	}
	return nil
}
