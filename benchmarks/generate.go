package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"boost/benchmarks/harness"
	"boost/benchmarks/synth"
	"boost/parallel"
)

func generateCommand() *cobra.Command {
	var folder, kind string
	var rows, test, columns int
	c := &cobra.Command{
		Use:   "generate",
		Short: "Writes a seeded table as NumPy arrays, its training rows as CSV, and what its columns are for",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			g, err := synth.New(kind, 1, columns)
			if err != nil {
				return err
			}
			pool := parallel.NewPool(runtime.NumCPU())
			defer pool.Close()
			if err := g.Write(folder, rows, test, pool); err != nil {
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
	_ = c.MarkFlagRequired("out")
	return c
}

// metaOf says what the columns of a generated table are for.
func metaOf(kind string, rows, columns int) harness.Meta {
	m := harness.Meta{Task: "binary", Label: json.RawMessage(`"` + synth.Label + `"`), Categorical: []string{}, Ignore: []string{}, TrainRows: rows}
	for f := range columns {
		m.Columns = append(m.Columns, fmt.Sprintf("f%d", f))
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
