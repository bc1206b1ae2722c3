package main

import (
	"strings"

	"github.com/spf13/cobra"

	"boost/benchmarks/synth"
	"boost/parallel"
)

// denseKind is the kind of synth.Generator's table, which resembles HIGGS.
const denseKind = "dense"

// table is what both generators can do.
type table interface {
	Write(folder string, train, test int, pool *parallel.Pool) error
	Fingerprint() string
}

func newTable(kind string, seed uint64, columns int) (table, error) {
	if kind == denseKind {
		return synth.NewGenerator(seed, columns)
	}
	return synth.NewSparseGenerator(kind, seed, columns)
}

func generateCommand() *cobra.Command {
	var folder, kind string
	var rows, test, columns, threads int
	var seed uint64
	c := &cobra.Command{
		Use:   "generate",
		Short: "Writes a seeded table: dense as NumPy arrays and CSV, sparse as LibSVM",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			g, err := newTable(kind, seed, columns)
			if err != nil {
				return err
			}
			pool := parallel.NewPool(threads)
			defer pool.Close()
			return g.Write(folder, rows, test, pool)
		},
	}
	c.Flags().StringVar(&kind, "kind", denseKind, "what kind: "+denseKind+", "+strings.Join(synth.SparseKinds(), ", "))
	c.Flags().StringVar(&folder, "out", "", "folder to write to (made if absent)")
	c.Flags().IntVar(&rows, "rows", 1_000_000, "rows for training")
	c.Flags().IntVar(&test, "test", 200_000, "rows for testing, which follow those for training")
	c.Flags().IntVar(&columns, "cols", 28, "feature columns")
	c.Flags().IntVar(&threads, "threads", 2, "threads to write with")
	c.Flags().Uint64Var(&seed, "seed", 1, "seed")
	_ = c.MarkFlagRequired("out")
	return c
}
