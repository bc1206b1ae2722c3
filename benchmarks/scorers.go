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

// measuringScorers is what the flags of `scorers` say.
type measuringScorers struct {
	places
	only                          []string
	turns, rows, trainRows, limit int
	fresh                         bool
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
	f.IntVar(&m.rows, "rows", scorers.TestRows, "rows of a batch at most; another number keeps nothing")
	f.IntVar(&m.trainRows, "train", scorers.TrainRows, "rows that models are trained on; another number keeps nothing")
	f.IntVar(&m.limit, "limit", 300, "seconds that preparing a model, or scoring with it, may take")
	f.BoolVar(&m.fresh, "fresh", false, "begin anew where a measurement was interrupted")
	return c
}

func (m *measuringScorers) run(cmd *cobra.Command) error {
	if m.turns < 1 || m.rows < 1 || m.trainRows < 1 {
		return errors.New("--turns, --rows and --train must be at least 1")
	}
	shapes, err := shapesNamed(m.only)
	if err != nil {
		return err
	}
	self, build, err := harness.Program()
	if err != nil {
		return err
	}
	if len(m.only) > 0 || m.rows != scorers.TestRows || m.trainRows != scorers.TrainRows { // for a look
		folder, err := os.MkdirTemp("", "scorers")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(folder) }() // nothing in it is wanted
		m.results, m.document = filepath.Join(folder, "scorers.json"), ""
	}
	where := map[scorers.Shape]scorers.Place{}
	for _, s := range shapes {
		folder, err := m.generated(cmd, table{kind: synth.Dense, rows: m.trainRows, test: m.rows, columns: s.Features})
		if err != nil {
			return err
		}
		where[s] = scorers.Place{Data: folder, Models: filepath.Join(folder, fmt.Sprintf("%dx%d", s.Trees, s.Leaves)), Rows: min(m.rows, s.Batch())}
	}
	history, err := scorers.Open(m.results)
	if err != nil {
		return err
	}
	s, resumed := history.Begin(&scorers.Session{
		Machine: harness.ThisMachine(), Build: build, Command: fmt.Sprintf("make peers-predict TURNS=%d", m.turns), Turns: m.turns,
	}, m.fresh)
	if resumed {
		fmt.Fprintf(cmd.ErrOrStderr(), "going on after %d runs\n", len(s.Runs))
	}
	err = s.Measure(cmd.Context(), &scorers.Plan{
		Contenders: scorers.Contenders(self, m.python, m.script), Shapes: shapes, Places: where,
		Limit: time.Duration(m.limit) * time.Second, Words: cmd.ErrOrStderr(), Save: history.Save,
	})
	if err != nil {
		return err
	}
	s.Table(cmd.OutOrStdout())
	if m.document == "" {
		return nil
	}
	return s.UpdateDocument(m.document)
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
