package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"boost/benchmarks/accuracy"
)

// reuseSets are those of docs/design/062: all tasks, few features and many, with categories
// and without.
var reuseSets = []string{"adult", "ames_housing", "california_housing", "diamonds", "lightgbm_binary", "protein_casp", "spambase", "wine_quality"}

func reuseCommand() *cobra.Command {
	var data string
	var names []string
	var features, cuts []float64
	var rounds, shown []int
	var threads, splits int
	c := &cobra.Command{
		Use:   "reuse",
		Short: "Trains for size (tree.reuse_feature, tree.reuse_cut): cuts, bytes and held-out losses, and bytes at equal loss",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			sets, err := accuracy.Sets(data, names...)
			if err != nil {
				return err
			}
			var ways []accuracy.Reuse
			for _, feature := range features {
				for _, cut := range cuts {
					ways = append(ways, accuracy.Reuse{Feature: feature, Cut: cut})
				}
			}
			if len(ways) == 0 || ways[0] != (accuracy.Reuse{}) || len(rounds) == 0 || splits < 1 {
				return fmt.Errorf("--feature and --cut must begin with 0, --rounds must name some, --splits must be at least 1")
			}
			trainer := accuracy.Trainer{Threads: threads, Gradients: "i16"}
			equal := map[string]string{}
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "| set | reuse_feature | reuse_cut | rounds | features | cuts | bytes | loss | loss in Q4_0 |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
			for _, s := range sets {
				var plain []accuracy.Sized
				for _, way := range ways {
					found, err := trainer.Reuse(cmd.Context(), s, way, rounds, splits)
					if err != nil {
						return fmt.Errorf("%s: %w", s.Name, err)
					}
					if plain == nil {
						plain = found
					}
					for _, m := range found {
						if slices.Contains(shown, m.Rounds) {
							fmt.Fprintf(out, "| %s | %g | %g | %d | %.0f | %.0f | %.0f | %.5g | %.5g |\n", s.Name, way.Feature, way.Cut,
								m.Rounds, m.Features, m.Cuts, m.Bytes, m.Full, m.Loss)
						}
					}
					ratio, missed, all := accuracy.AtEqualLoss(plain, found)
					equal[fmt.Sprint(s.Name, way)] = fmt.Sprintf("%.2f (%d of %d)", ratio, all-missed, all)
				}
			}
			writeEqual(out, sets, ways, equal)
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&data, "data", filepath.Join(os.Getenv("BOOST_SHARED"), "data"), "folder of the data sets")
	f.StringSliceVar(&names, "sets", reuseSets, "data sets")
	f.Float64SliceVar(&features, "feature", []float64{0}, "values of tree.reuse_feature, 0 first, below 1")
	f.Float64SliceVar(&cuts, "cut", []float64{0, 0.05, 0.1, 0.2, 0.3, 0.5}, "values of tree.reuse_cut, 0 first, below 1")
	f.IntSliceVar(&rounds, "rounds", []int{10, 20, 30, 40, 50, 60, 80, 100, 125, 150, 200}, "first rounds of each model that are looked at, ascending")
	f.IntSliceVar(&shown, "shown", []int{50, 200}, "those of which a line is shown")
	f.IntVar(&splits, "splits", 4, "re-splits of the training part")
	f.IntVar(&threads, "threads", 2, "threads to train with")
	return c
}

// writeEqual writes the bytes at equal loss, as shares of those without reuse.
func writeEqual(out io.Writer, sets []*accuracy.Set, ways []accuracy.Reuse, equal map[string]string) {
	fmt.Fprint(out, "\n| set |")
	for _, way := range ways[1:] {
		fmt.Fprintf(out, " %g, %g |", way.Feature, way.Cut)
	}
	fmt.Fprint(out, "\n|---|")
	for range ways[1:] {
		fmt.Fprint(out, "--:|")
	}
	for _, s := range sets {
		fmt.Fprintf(out, "\n| %s |", s.Name)
		for _, way := range ways[1:] {
			fmt.Fprintf(out, " %s |", equal[fmt.Sprint(s.Name, way)])
		}
	}
	fmt.Fprintln(out)
}
