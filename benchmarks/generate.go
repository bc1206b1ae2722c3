package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"boost/benchmarks/harness"
	"boost/benchmarks/synth"
	"boost/parallel"
)

func generateCommand() *cobra.Command {
	var folder, kind string
	var rows, test, columns, threads int
	var seed uint64
	var text bool
	c := &cobra.Command{
		Use:   "generate",
		Short: "Writes a seeded table as NumPy arrays, and as CSV with what its columns are for",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			g, err := synth.New(kind, seed, columns)
			if err != nil {
				return err
			}
			pool := parallel.NewPool(threads)
			defer pool.Close()
			if err := g.Write(folder, rows, test, text, pool); err != nil || !text {
				return err
			}
			return harness.Write(filepath.Join(folder, harness.MetaFile), metaOf(kind, rows, columns))
		},
	}
	c.Flags().StringVar(&kind, "kind", synth.Dense, "what kind: "+strings.Join(synth.Kinds(), ", "))
	c.Flags().StringVar(&folder, "out", "", "folder to write to (made if absent)")
	c.Flags().IntVar(&rows, "rows", 1_000_000, "rows for training")
	c.Flags().IntVar(&test, "test", 200_000, "rows for testing, which follow those for training")
	c.Flags().IntVar(&columns, "cols", 28, "feature columns")
	c.Flags().IntVar(&threads, "threads", 2, "threads to write with")
	c.Flags().Uint64Var(&seed, "seed", 1, "seed")
	c.Flags().BoolVar(&text, "text", false, "write the training rows as CSV too")
	_ = c.MarkFlagRequired("out")
	return c
}

// metaOf says what the columns of a generated table are for.
func metaOf(kind string, rows, columns int) harness.Meta {
	m := harness.Meta{Task: "binary", Label: json.RawMessage(`"` + synth.Label + `"`), Categorical: []string{}, Ignore: []string{}, TrainRows: rows}
	for f := range columns {
		name := fmt.Sprintf("f%d", f)
		m.Columns = append(m.Columns, name)
		if slices.Contains(synth.Categorical(kind), f) {
			m.Categorical = append(m.Categorical, name)
		}
	}
	m.Columns = append(m.Columns, synth.Label)
	classes := synth.Classes(kind)
	switch {
	case classes == 1:
		m.Task = "regression"
		return m
	case classes > 2:
		m.Task = "multiclass"
	}
	for class := range classes {
		m.Classes = append(m.Classes, fmt.Sprint(class))
	}
	return m
}
