package main

import (
	"strings"

	"github.com/spf13/cobra"

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
		Short: "Writes a seeded table: dense as NumPy arrays and CSV, sparse as LibSVM and CSR",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			g, err := synth.New(kind, seed, columns)
			if err != nil {
				return err
			}
			pool := parallel.NewPool(threads)
			defer pool.Close()
			return g.Write(folder, rows, test, text, pool)
		},
	}
	c.Flags().StringVar(&kind, "kind", synth.Dense, "what kind: "+strings.Join(synth.Kinds(), ", "))
	c.Flags().StringVar(&folder, "out", "", "folder to write to (made if absent)")
	c.Flags().IntVar(&rows, "rows", 1_000_000, "rows for training")
	c.Flags().IntVar(&test, "test", 200_000, "rows for testing, which follow those for training")
	c.Flags().IntVar(&columns, "cols", 28, "feature columns")
	c.Flags().IntVar(&threads, "threads", 2, "threads to write with")
	c.Flags().Uint64Var(&seed, "seed", 1, "seed")
	c.Flags().BoolVar(&text, "text", false, "write the training rows of a dense table as CSV too")
	_ = c.MarkFlagRequired("out")
	return c
}
