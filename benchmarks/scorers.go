package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"boost/benchmarks/harness"
	"boost/benchmarks/scorers"
	"boost/benchmarks/synth"
)

// scorerLimit is what preparing a model, or scoring with it, may take.
const scorerLimit = 5 * time.Minute

// measuringScorers is what the flags of `scorers` say.
type measuringScorers struct {
	places
	only  []string
	turns int
}

// scorersCommand times the predictions of all shapes.
func scorersCommand() *cobra.Command {
	var m measuringScorers
	c := &cobra.Command{
		Use:   "scorers",
		Short: "Times boost's predictions beside those of other libraries, on one thread",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return m.run(cmd) },
	}
	f := c.Flags()
	m.inputs(c, "scorer.py", "tables and models")
	m.outputs(c, "benchmarks/results/scorers.json", "benchmarks/results/README.md")
	f.StringSliceVar(&m.only, "only", nil, "shapes to measure, trees x leaves x features, and keep nothing: 100x31x28 and others")
	f.IntVar(&m.turns, "turns", 3, "runs of each scorer, in turn; the least time counts")
	return c
}

func (m *measuringScorers) run(cmd *cobra.Command) error {
	if m.turns < 1 {
		return errors.New("--turns must be at least 1")
	}
	shapes, err := shapesNamed(m.only)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if len(m.only) > 0 { // for a look
		m.results, m.document = "", ""
	}
	where := map[scorers.Shape]scorers.Place{}
	for _, s := range shapes {
		folder, err := m.generated(cmd, table{kind: synth.Dense, rows: scorers.TrainRows, test: scorers.TestRows, columns: s.Features})
		if err != nil {
			return err
		}
		where[s] = scorers.Place{Data: folder, Models: filepath.Join(folder, fmt.Sprintf("%dx%d", s.Trees, s.Leaves)), Rows: min(scorers.TestRows, scorers.BatchWork/s.Trees)}
	}
	s := &scorers.Session{Machine: harness.ThisMachine(), Command: fmt.Sprintf("make peers-predict TURNS=%d", m.turns), Turns: m.turns}
	err = s.Measure(cmd.Context(), &scorers.Plan{
		Contenders: scorers.Contenders(self, m.python, m.script), Shapes: shapes, Places: where,
		Limit: scorerLimit, Words: cmd.ErrOrStderr(),
	})
	if err != nil {
		return err
	}
	s.Table(cmd.OutOrStdout())
	return m.keep(s)
}

// shapesNamed returns the shapes of these names, all for no names.
func shapesNamed(names []string) ([]scorers.Shape, error) {
	all := scorers.Shapes()
	if len(names) == 0 {
		return all, nil
	}
	var list []scorers.Shape
	for _, name := range names {
		i := slices.IndexFunc(all, func(s scorers.Shape) bool { return s.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("no shape is called %q; there are %s", name, strings.Trim(fmt.Sprint(all), "[]"))
		}
		list = append(list, all[i])
	}
	return list, nil
}
