package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"boost/booster"
	"boost/booster/model"
	"boost/configs"
	"boost/internal/format"
	"boost/ptq/compress"
)

// inspectFlags is the command line of inspect.
type inspectFlags struct {
	reading
	json       bool
	trees      bool
	importance string
	label      string
}

func (a *app) inspectCommand() *cobra.Command {
	var f inspectFlags
	cmd := &cobra.Command{
		Use:   "inspect MODEL|TABLE",
		Short: "Show what is in a model or a table",
		Long: `Show what is in a model or a table.

Of a model: what it was trained on and how, how it did, and which features it uses.

Of a table: every column with its gaps, its distinct values, and the range, quantiles and
mean of its numbers or its most frequent levels; what is worth a look before training, such
as columns that say nothing, name the rows, repeat each other, or give the label away; and
what stands in the way of training. The label is the column that --label names, or one that
is called label, target, y, class, outcome or response.

A file is taken for a model if it begins like one or its name ends in .boost.`,
		Example: `  boost inspect data.csv --label price
  boost inspect price.boost --importance split
  boost inspect price.boost --trees | less`,
		Args: arguments("MODEL or TABLE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.importance != "" {
				if err := oneOf("importance", f.importance, model.ImportanceKinds...); err != nil {
					return err
				}
			}
			if isModel(args[0]) {
				if f.sets != nil || f.noSpool {
					return usagef("--set and --no-spool say how a table is read, and %s is a model", args[0])
				}
				if f.label != "" {
					return usagef("--label names a column of a table, and %s is a model", args[0])
				}
				return a.inspectModel(args[0], &f)
			}
			if f.trees || f.importance != "" {
				return usagef("--trees and --importance are for models, and %s is a table", args[0])
			}
			return a.inspectTable(cmd.Context(), args[0], &f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.StringVar(&f.label, "label", "", "`COLUMN` of a table that is to be predicted (default: one with a telling name)")
	flags.BoolVar(&f.trees, "trees", false, "print the model's trees")
	flags.StringVar(&f.importance, "importance", "", "print the features by importance of a `KIND`: gain, split or cover")
	offer(cmd, "importance", model.ImportanceKinds...)
	f.addSet(cmd, append(slices.Clone(readingKeys), typeKeys...))
	f.addNoSpool(cmd)
	return cmd
}

// isModel reports whether a file is meant to be a model.
func isModel(file string) bool {
	if strings.HasSuffix(file, ".boost") {
		return true
	}
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return false // nothing may be taken from a pipe before its reader comes
	}
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, 8)
	n, _ := io.ReadFull(f, start)
	return model.IsModel(start[:n])
}

// importance is one feature's share in a model.
type importance struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Share float64 `json:"share"`
}

// importances returns the features from the most to the least important.
func importances(m *model.Model, kind string) ([]importance, error) {
	values, err := m.Importance(kind)
	if err != nil {
		return nil, err
	}
	total := 0.0
	for _, v := range values {
		total += v
	}
	list := make([]importance, len(values))
	for i, name := range m.FeatureNames() {
		list[i] = importance{Name: name, Value: values[i]}
		if total > 0 {
			list[i].Share = values[i] / total
		}
	}
	slices.SortStableFunc(list, func(a, b importance) int {
		switch {
		case a.Value > b.Value:
			return -1
		case a.Value < b.Value:
			return 1
		}
		return 0
	})
	return list, nil
}

func (a *app) inspectModel(file string, f *inspectFlags) error {
	m, err := model.Load(file)
	if err != nil {
		return err
	}
	kind := f.importance
	if kind == "" {
		if kind = "gain"; !m.HasStatistics() {
			kind = "split"
		}
	}
	features, err := importances(m, kind)
	if errors.Is(err, model.ErrNoStatistics) {
		return usagef("%s: %v", file, err)
	}
	if err != nil {
		return err
	}
	description, err := m.Describe()
	if err != nil {
		return err
	}
	memory, err := memoryOf(m, file)
	if err != nil {
		return err
	}
	return a.writeOutput("", func(w *bufio.Writer) error {
		switch {
		case f.json:
			return writeModelJSON(w, m, description, memory, kind, features, f.trees)
		case !f.trees && f.importance == "":
			return writeModelText(w, file, description, memory, kind, features)
		}
		if f.importance != "" {
			if err := writeImportance(w, features, len(features)); err != nil {
				return err
			}
		}
		if f.trees {
			return m.DumpTrees(w)
		}
		return nil
	})
}

func writeModelJSON(w io.Writer, m *model.Model, d *model.Description, memory *memoryJSON, kind string, features []importance, trees bool) error {
	out := struct {
		What string `json:"what"`
		*model.Description
		Memory         *memoryJSON  `json:"memory,omitempty"`
		ImportanceKind string       `json:"importance_kind"`
		Importance     []importance `json:"importance"`
		Dump           []treeJSON   `json:"dump,omitempty"`
	}{"model", d, memory, kind, features, nil}
	if trees {
		for i := range m.Contents().Trees {
			out.Dump = append(out.Dump, treeOf(m, i))
		}
	}
	return format.JSON(w, out)
}

// memoryJSON is how many bytes a compressed model takes by either load: sums over all that it
// consists of.
type memoryJSON struct {
	Fast    int64 `json:"fast"`
	Compact int64 `json:"compact"`
}

// memoryOf returns nil for a full model.
func memoryOf(m *model.Model, file string) (*memoryJSON, error) {
	if m.Compressed() == nil {
		return nil, nil
	}
	c, err := model.LoadCompact(file)
	if err != nil {
		return nil, err
	}
	return &memoryJSON{m.Memory(), c.Memory()}, nil
}

// treeJSON is one tree; split i goes to splits[left] or splits[right], or to
// leaf ^child where the number is negative.
type treeJSON struct {
	Round  int         `json:"round"`
	Output int         `json:"output"`
	Splits []splitJSON `json:"splits"`
	Leaves []leafJSON  `json:"leaves"`
}

type splitJSON struct {
	Feature     string   `json:"feature"`
	Cut         *float64 `json:"cut"`                    // numbers: what is not above goes left; null = all
	Levels      []string `json:"levels"`                 // categories: these go left; null for numbers
	OtherLevels bool     `json:"other_levels,omitempty"` // so do those that the model does not name
	MissingLeft bool     `json:"missing_left"`
	Left        int32    `json:"left"`
	Right       int32    `json:"right"`
	Gain        *float32 `json:"gain,omitempty"` // absent of a model without statistics, as cover
	Cover       *float64 `json:"cover,omitempty"`
}

type leafJSON struct {
	Value float64  `json:"value"`
	Cover *float64 `json:"cover,omitempty"`
}

func writeModelText(w io.Writer, file string, d *model.Description, memory *memoryJSON, kind string, features []importance) error {
	categorical := 0
	for _, f := range d.Features {
		if f.Levels > 0 {
			categorical++
		}
	}
	rows := [][]string{
		{"model", format.OneLine(file) + "  " + format.Bytes(int64(d.Bytes))},
		{"sha256", d.SHA256},
		{"objective", d.Objective},
		{"label", format.OneLine(d.Label)},
	}
	if d.Classes != nil {
		classes := make([]string, len(d.Classes))
		for i, c := range d.Classes {
			classes[i] = format.OneLine(c)
		}
		text := strings.Join(classes, ", ")
		if d.Outputs == 1 && len(classes) == 2 {
			text = classes[1] + " (positive), " + classes[0]
		}
		rows = append(rows, []string{"classes", text})
	}
	if d.Weight != "" {
		rows = append(rows, []string{"weight", format.OneLine(d.Weight)})
	}
	if d.Group != "" {
		rows = append(rows, []string{"group", format.OneLine(d.Group)})
	}
	if len(d.InitScores) > 0 {
		rows = append(rows, []string{"init score", format.OneLine(strings.Join(d.InitScores, ", "))})
	}
	if len(d.ID) > 0 {
		ids := make([]string, len(d.ID))
		for i, name := range d.ID {
			ids[i] = format.OneLine(name)
		}
		rows = append(rows, []string{"id", strings.Join(ids, ", ")})
	}
	rows = append(rows,
		[]string{"features", format.Counted(len(d.Features), "column") + ", " + format.Count(categorical) + " of them categorical"},
		[]string{"trees", format.Counted(d.Trees, "tree") + " in " + format.Counted(d.Rounds, "round") + ", " + format.Count(d.Leaves) + " leaves, depth up to " + format.Count(d.Depth)},
	)
	rows = append(rows, originRows(d)...)
	rows = append(rows, compressionRows(d)...)
	if memory != nil {
		rows = append(rows, []string{"memory", format.Bytes(memory.Fast) + " loaded fast, " + format.Bytes(memory.Compact) + " loaded compact"})
	}
	rows = append(rows,
		[]string{"data", d.Fingerprint},
		[]string{"numerics", strconv.Itoa(d.Numerics)},
	)
	for _, h := range d.History {
		rows = append(rows, []string{h.Set, h.Metric + " " + historyText(h, d.Rounds)})
	}
	rows = append(rows, changedParams(d.Params)...)
	if err := format.Table(w, rows, "ll"); err != nil {
		return err
	}
	if len(features) == 0 {
		return nil
	}
	const most = 20
	share := "\nshare of the gain of all splits\n"
	if kind == "split" {
		share = "\nshare of all splits\n"
	}
	if _, err := io.WriteString(w, share); err != nil {
		return err
	}
	return writeImportance(w, features, most)
}

// originRows says how a model was made of others.
func originRows(d *model.Description) [][]string {
	var rows [][]string
	if d.After > 0 {
		rows = append(rows, []string{"tail", "of a model, after its first " + format.Counted(d.After, "round")})
	}
	o := d.Origin
	if o == nil {
		return rows
	}
	how := o.How + " from"
	switch o.How {
	case model.Continued:
		how = "continued after " + format.Counted(o.Rounds, "round") + " of"
	case model.Refitted:
		how = "refitted with decay " + strconv.FormatFloat(o.Decay, 'g', -1, 64) + " from"
	}
	for _, sum := range o.Models {
		rows = append(rows, []string{how, sum})
		how = ""
	}
	for _, s := range d.Segments {
		rows = append(rows, []string{"in " + format.Counted(s.Rounds, "round"), string(s.Params)})
	}
	return rows
}

// compressionRows says how a compressed model keeps its leaf values.
func compressionRows(d *model.Description) [][]string {
	z := d.Compression
	if z == nil {
		return nil
	}
	how := z.Form + ", " + z.Calibration
	if z.Calibration == "" {
		how = z.Form
	}
	rows := [][]string{
		{"leaf values", how},
		{"compressed from", z.Source},
	}
	if !z.Statistics {
		rows = append(rows, []string{"statistics", "left out: no covers and gains"})
	}
	return append(rows, certificateRows(z.Certificate)...)
}

// certificateRows says what a compression costs.
func certificateRows(text json.RawMessage) [][]string {
	var c compress.Certificate
	if text == nil || json.Unmarshal(text, &c) != nil {
		return nil
	}
	var rows [][]string
	if c.LeavesBefore > 0 {
		rows = append(rows, []string{"pruned", "there were " + format.Count(c.LeavesBefore) + " leaves"})
	}
	switch {
	case c.Method == compress.ByBootstrap:
		rows = append(rows, []string{"certified", fmt.Sprintf("%s %s, before %s, on %s; worse by at most %s with %.4g %% confidence",
			c.Metric, format.Metric(c.After), format.Metric(c.Before), format.Counted(c.Rows, "row"), format.Share(c.LossBound), 100*c.Confidence)})
		if c.Reference != "" {
			rows = append(rows, []string{"", "before is model " + c.Reference})
		}
	case c.Metric != "":
		rows = append(rows, []string{"measured", fmt.Sprintf("%s %s, before %s, on %s", c.Metric, format.Metric(c.After), format.Metric(c.Before), format.Counted(c.Rows, "row"))})
	default:
		rows = append(rows, []string{"certified", "what the metric loses is not known"})
	}
	if c.TrainingData {
		rows = append(rows, []string{"", "these are rows that the model was trained on"})
	}
	if words := markedWords(&c); words != "" {
		rows = append(rows, []string{"levels", words})
	}
	bounds := make([]string, len(c.RawBound))
	for i, bound := range c.RawBound {
		bounds[i] = format.Significant(bound, 3)
	}
	return append(rows, []string{"raw scores", "± " + strings.Join(bounds, ", ± ")})
}

// historyText words how a metric went.
func historyText(h model.History, best int) string {
	var first, kept *float64
	for i, v := range h.Values {
		if v == nil {
			continue
		}
		if first == nil {
			first = v
		}
		if i < best {
			kept = v
		}
	}
	if first == nil || kept == nil {
		return "undefined"
	}
	return format.Metric(*kept) + ", after the first round " + format.Metric(*first) + ", " + format.Counted(len(h.Values), "round") + " in all"
}

// changedParams lists the parameters that are not at their default.
func changedParams(stored json.RawMessage) [][]string {
	var have, usual map[string]json.RawMessage
	defaults, err := booster.Defaults().ModelParams()
	if err != nil || json.Unmarshal(stored, &have) != nil || json.Unmarshal(defaults, &usual) != nil {
		return nil
	}
	var rows [][]string
	for _, k := range configs.Keys() {
		v, ok := have[k.Name]
		if ok && k.Name != "train.objective" && string(v) != string(usual[k.Name]) {
			rows = append(rows, []string{k.Name, string(v)})
		}
	}
	return rows
}

// writeImportance prints features with their share as a bar.
func writeImportance(w io.Writer, features []importance, most int) error {
	const width = 30
	rows := make([][]string, 0, len(features))
	for i, f := range features {
		if i == most {
			break
		}
		bar := ""
		if features[0].Value > 0 {
			bar = strings.Repeat("█", int(f.Value/features[0].Value*width+0.5))
		}
		rows = append(rows, []string{format.OneLine(f.Name), format.Metric(f.Value), strconv.FormatFloat(100*f.Share, 'f', 1, 64) + " %", bar})
	}
	if err := format.Table(w, rows, "lrrl"); err != nil || len(features) <= most {
		return err
	}
	_, err := io.WriteString(w, "and "+format.Counted(len(features)-most, "feature")+" more: boost inspect MODEL --importance gain\n")
	return err
}

// inspectTable reads a table as training would, but reports what stands in its way.
func (a *app) inspectTable(ctx context.Context, file string, f *inspectFlags) error {
	s, err := a.surveyTable(ctx, file, &f.reading, f.label, true)
	if err != nil {
		return err
	}
	return a.writeOutput("", func(w *bufio.Writer) error {
		if f.json {
			return format.JSON(w, s)
		}
		return s.write(w, a.width())
	})
}
