package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"boost/booster/model"
	"boost/dataset"
	"boost/internal/format"
	"boost/objectives/metrics"
	"boost/ptq/compress"
)

// compareFlags is the command line of compare.
type compareFlags struct {
	reading
	metrics []string
	json    bool
}

func (a *app) compareCommand() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare A B [TABLE]",
		Short: "Compare the leaves of two models, and their predictions for a table",
		Long: `Compare two models of the same shape leaf by leaf, as a model and what became of it when it
was quantized or refitted: the cosine of their leaf vectors, over all and by tree, the mean
squared and the largest difference of two leaves.

With a TABLE also the largest differences of raw scores and predictions, and the metrics of
both where the table has labels; models of other shapes, as pruned ones, are compared by these alone. These decide: a cosine is blind to a common factor, and
counts a leaf that no row reaches like one that all do.`,
		Example: `  boost compare price.boost price.q.boost
  boost compare price.boost price.q.boost test.csv --metric rmse --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 3 {
				return arguments("A", "B")(cmd, args)
			}
			return arguments("A", "B", "TABLE")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 && (f.metrics != nil || f.sets != nil) {
				return usagef("--metric and --set are about a table, and none is given: boost %s", cmd.Use)
			}
			return a.compare(cmd.Context(), args, &f)
		},
	}
	cmd.Flags().StringArrayVar(&f.metrics, "metric", nil, "metric `NAME` to give; can be repeated")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
	f.addSet(cmd, readingKeys)
	offer(cmd, "metric", metrics.Names()...)
	return cmd
}

func (a *app) compare(ctx context.Context, args []string, f *compareFlags) error {
	var models [2]*model.Model
	for i := range models {
		var err error
		if models[i], err = model.Load(args[i]); err != nil {
			return err
		}
	}
	var table *dataset.Table
	var names []string
	if len(args) == 3 {
		var err error
		if table, names, err = a.openCompared(ctx, models, args[2], f); err != nil {
			return err
		}
	}
	pool := a.pool(0)
	defer pool.Close()
	c, err := compress.Compare(ctx, models[0], models[1], table, names, compress.Pool(pool))
	if shape := (compress.ErrShape{}); errors.As(err, &shape) {
		return usagef("%s and %s cannot be compared: %s", args[0], args[1], shape.Text)
	}
	if err != nil {
		return err
	}
	return a.writeOutput("", func(w *bufio.Writer) error {
		if f.json {
			return format.JSON(w, comparisonJSON(c))
		}
		return writeComparison(w, c, args)
	})
}

// openCompared reads the table that two models are compared on, and settles the metrics.
func (a *app) openCompared(ctx context.Context, models [2]*model.Model, file string, f *compareFlags) (*dataset.Table, []string, error) {
	c, err := f.config(a, readingKeys)
	if err != nil {
		return nil, nil, err
	}
	names, err := chooseMetrics(f.metrics, models[0].Objective(), models[0].Link())
	if err != nil {
		return nil, nil, err
	}
	table, err := a.openAs(ctx, file, models[0].Schema(), c)
	if err != nil {
		return nil, nil, atCommandLine(err)
	}
	if f.metrics != nil {
		if err := needLabel(table, file, models[0].Schema()); err != nil {
			return nil, nil, err
		}
	} else if table.LabelColumn() == nil {
		a.log.Info(file + " has no labels: predictions are compared, not metrics")
	}
	if err := a.reportUnseen(table, models[0], false); err != nil {
		return nil, nil, err
	}
	a.reportInitScores(table, models[0], file)
	return table, names, nil
}

func writeComparison(w io.Writer, c *compress.Comparison, args []string) error {
	rows := [][]string{{"leaves are not compared", c.Unlike}}
	if c.Unlike == "" {
		rows = leavesCompared(c)
	}
	if d := c.Data; d != nil {
		rows = append(rows, []string{"rows", format.Count(d.Rows)}, []string{"largest difference of raw scores", format.SixDigits(d.MaxRaw)},
			[]string{"largest difference of predictions", format.SixDigits(d.MaxPrediction)})
	}
	if err := format.Table(w, rows, "lr"); err != nil || c.Data == nil || len(c.Data.Metrics) == 0 {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	rows = [][]string{{"metric", args[0], args[1], "change"}}
	for _, m := range c.Data.Metrics {
		change := format.Metric(m.Change())
		if r := 100 * m.Relative(); !math.IsNaN(r) && !math.IsInf(r, 0) {
			change = fmt.Sprintf("%+.4f %%", r)
		}
		rows = append(rows, []string{m.Name, format.Metric(m.A), format.Metric(m.B), change})
	}
	return format.Table(w, rows, "lrrr")
}

// leavesCompared words how far leaves are apart.
func leavesCompared(c *compress.Comparison) [][]string {
	splits := "the same"
	if !c.SameSplits {
		splits = "different"
	}
	rows := [][]string{
		{"trees", format.Count(c.Trees)}, {"splits", splits}, {"leaves", format.Count(c.Leaves)},
		{"cosine of the leaves", cosineText(c.Cosine)},
	}
	if at, undefined := lowestCosine(c.CosineByTree); at >= 0 {
		rows = append(rows, []string{fmt.Sprintf("lowest of a tree (tree %s)", format.Count(at)), cosineText(c.CosineByTree[at])})
		if undefined > 0 {
			rows = append(rows, []string{"trees of zeros only", format.Count(undefined)})
		}
	}
	return append(rows, []string{"mean squared difference", format.SixDigits(c.MSE)}, []string{"largest difference of leaves", format.SixDigits(c.MaxLeaf)})
}

// cosineText writes a cosine with six decimals, more where they would all be nines.
func cosineText(c float64) string {
	switch {
	case math.IsNaN(c):
		return "undefined"
	case c == 1:
		return "1"
	case c > 0.999999:
		return fmt.Sprintf("1 - %.3g", 1-c)
	}
	return fmt.Sprintf("%.6f", c)
}

// lowestCosine returns the tree with the lowest cosine, −1 where none is defined, and how many
// are not.
func lowestCosine(cosines []float64) (tree, undefined int) {
	tree = -1
	for i, c := range cosines {
		switch {
		case math.IsNaN(c):
			undefined++
		case tree < 0 || c < cosines[tree]:
			tree = i
		}
	}
	return tree, undefined
}

// comparedJSON is what compare prints as JSON; null is undefined.
type comparedJSON struct {
	Unlike       string                    `json:"unlike,omitempty"` // why leaves are not compared
	Trees        int                       `json:"trees"`
	Leaves       int                       `json:"leaves"`
	SameSplits   bool                      `json:"same_splits"`
	Cosine       *float64                  `json:"cosine"`
	CosineByTree []*float64                `json:"cosine_by_tree"`
	MSE          *float64                  `json:"mse"`
	MaxLeaf      *float64                  `json:"max_leaf"`
	Rows         *int                      `json:"rows,omitempty"`
	MaxRaw       *float64                  `json:"max_raw,omitempty"`
	MaxPredict   *float64                  `json:"max_prediction,omitempty"`
	Metrics      map[string]metricsOfModel `json:"metrics,omitempty"`
}

// metricsOfModel is a metric of both models.
type metricsOfModel struct {
	A      *float64 `json:"a"`
	B      *float64 `json:"b"`
	Change *float64 `json:"change"` // b − a
}

func comparisonJSON(c *compress.Comparison) comparedJSON {
	out := comparedJSON{
		Unlike: c.Unlike, Trees: c.Trees, Leaves: c.Leaves, SameSplits: c.SameSplits, Cosine: format.Finite(c.Cosine), CosineByTree: []*float64{},
		MSE: format.Finite(c.MSE), MaxLeaf: format.Finite(c.MaxLeaf),
	}
	for _, cosine := range c.CosineByTree {
		out.CosineByTree = append(out.CosineByTree, format.Finite(cosine))
	}
	if d := c.Data; d != nil {
		out.Rows, out.MaxRaw, out.MaxPredict = &d.Rows, format.Finite(d.MaxRaw), format.Finite(d.MaxPrediction)
		out.Metrics = map[string]metricsOfModel{}
		for _, m := range d.Metrics {
			out.Metrics[m.Name] = metricsOfModel{format.Finite(m.A), format.Finite(m.B), format.Finite(m.Change())}
		}
	}
	return out
}
