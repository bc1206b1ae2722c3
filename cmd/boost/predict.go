package main

import (
	"bufio"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"boost/binning"
	"boost/booster/model"
	"boost/dataset"
)

// predictFlags is the command line of predict.
type predictFlags struct {
	reading
	kind     string
	ids      []string
	onUnseen string
	output   string
	format   string
}

func (a *app) predictCommand() *cobra.Command {
	var f predictFlags
	kinds, formats, unseen := []string{"value", "raw", "class", "leaf"}, []string{"csv", "jsonl"}, []string{"missing", "error"}
	cmd := &cobra.Command{
		Use:   "predict MODEL TABLE",
		Short: "Predict every row of a table",
		Long: `Predict every row of a table: one line per input row, in the same order.

  --kind value  the number; of two classes the probability of the positive one; of more
                classes one probability each, in columns named after them
  --kind raw    the sum of the trees, before it becomes a probability
  --kind class  the most probable class
  --kind leaf   the number of the leaf that the row falls into, per tree

Columns are found by name. Columns that were id columns in training come first.`,
		Example: `  boost predict price.boost new.csv -o predictions.csv
  zcat new.csv.gz | boost predict churn.boost - --id customer --kind class`,
		Args: arguments("MODEL", "TABLE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, check := range []error{
				oneOf("kind", f.kind, kinds...), oneOf("format", f.format, formats...), oneOf("on-unseen", f.onUnseen, unseen...),
			} {
				if check != nil {
					return check
				}
			}
			for i, name := range f.ids {
				if slices.Contains(f.ids[:i], name) {
					return usagef("--id %s is given twice", name)
				}
			}
			return a.predict(cmd.Context(), args[0], args[1], &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.kind, "kind", "value", "`KIND` of prediction: value, raw, class or leaf")
	flags.StringArrayVar(&f.ids, "id", nil, "`COLUMN` to copy from the table; can be repeated")
	flags.StringVar(&f.onUnseen, "on-unseen", "missing", "`WHAT` a category is that training did not have: missing or error")
	flags.StringVarP(&f.output, "output", "o", "", "`FILE` to write (default: standard output)")
	flags.StringVar(&f.format, "format", "csv", "`FORMAT`: csv or jsonl")
	f.addSet(cmd, predictKeys)
	offer(cmd, "kind", kinds...)
	offer(cmd, "format", formats...)
	offer(cmd, "on-unseen", unseen...)
	return cmd
}

// predictKeys leaves out on_bad_row: every input row has its line.
var predictKeys = slices.DeleteFunc(slices.Clone(readingKeys), func(k string) bool { return k == "data.on_bad_row" })

func (a *app) predict(ctx context.Context, modelFile, tableFile string, f *predictFlags) error {
	c, err := f.config(a, predictKeys)
	if err != nil {
		return err
	}
	m, err := model.Load(modelFile)
	if err != nil {
		return err
	}
	if f.kind == "class" && m.Classes() == nil {
		return usagef("%s predicts numbers, not classes: --kind class has no meaning", modelFile)
	}
	if f.output != "" && (sameFile(f.output, tableFile) || sameFile(f.output, modelFile)) {
		return usagef("%s is read, and cannot be written over by the same run: give another name with -o", f.output)
	}
	if f.output != "" && f.output != "-" {
		if err := writable(f.output); err != nil {
			return err
		}
	}
	t, err := a.openAs(ctx, tableFile, m.Schema(), c, dataset.ID(f.ids...))
	if bad := (*dataset.ParseError)(nil); errors.As(err, &bad) {
		// Every input row has its line, so the way out by skipping is none here.
		bad.Fix = strings.TrimSuffix(bad.Fix, `, or set on_bad_row = "skip" to leave such rows out`)
		return bad
	}
	if err != nil {
		return err
	}
	if f.onUnseen == "error" {
		if err := refuseUnseen(t, m); err != nil {
			return err
		}
	}
	pool := a.pool(0)
	defer pool.Close()
	p := predictions{model: m, kind: f.kind, format: f.format, ids: f.ids, pool: pool, header: true}
	return a.writeOutput(f.output, func(w *bufio.Writer) error { return p.write(ctx, w, t) })
}

// refuseUnseen finds the first category that the trees have not seen: one that is
// new, or that stood in rows held out of training only.
func refuseUnseen(t *dataset.Table, m *model.Model) error {
	features := m.Contents().Cuts.Features
	for _, c := range t.Features() {
		at := slices.IndexFunc(features, func(f binning.Feature) bool { return f.Name == c.Name() })
		if at < 0 || features[at].Kind != binning.Categorical || c.Kind() != dataset.Category {
			continue
		}
		known := features[at].Codes
		for row, code := range c.Codes() {
			if code >= 0 && (int(code) >= len(known) || known[code] == binning.NoCode) {
				return tablef("%s: column %q: %q was not there in training (--on-unseen missing takes it for a missing value)",
					place(t, row), c.Name(), c.Levels()[code])
			}
		}
	}
	return nil
}
