// Package predictions writes what a model says about the rows of a table: id columns, and columns of predictions.
//
// In: a model, and a table whole or in parts. Out: the bytes of a format. It must not know flags, nor where the bytes go.
package predictions

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"boost/booster/model"
	"boost/booster/trust"
	"boost/dataset"
	"boost/dataset/write"
	"boost/internal/unseen"
	"boost/parallel"
)

// Model is what has to be known of a model, as either load gives it.
type Model interface {
	unseen.Model
	Predict(context.Context, *dataset.Table, ...model.Option) ([]float64, error)
	PredictRaw(context.Context, *dataset.Table, ...model.Option) ([]float64, error)
	PredictClass(context.Context, *dataset.Table, ...model.Option) ([]int32, error)
	PredictLeaf(context.Context, *dataset.Table, ...model.Option) ([]int32, error)
	PredictIntervals(context.Context, *dataset.Table, ...model.Option) ([]float64, error)
	PredictSets(context.Context, *dataset.Table, ...model.Option) ([]bool, error)
	LacksInitScores(*dataset.Table) bool
	Trust() *trust.Trust
	Classes() []string
	NumericClasses() bool
	Outputs() int
	OutputNames() []string
}

// Predictions are what is written of each row.
type Predictions struct {
	Model   Model
	Kinds   []string       // value, raw, class, leaf, interval or contrib
	Format  string         // one of write.Formats
	IDs     []string       // columns to copy, in this order; empty = the model's id columns
	All     bool           // the table was read with all columns as ids
	Every   int            // predictions of stages of so many rounds, of a *model.Model; 0 = after the last round only
	Trees   int            // that are looked at
	Options []model.Option // how the model runs, but for threads
	Pool    *parallel.Pool // nil for the goroutine that asks
}

func (p *Predictions) options() []model.Option {
	threads := model.Threads(1)
	if p.Pool != nil {
		threads = model.Pool(p.Pool)
	}
	return append(slices.Clip(p.Options), threads)
}

// Write writes one line per row of all tables, one after the other: the id columns, then
// the predictions.
func (p *Predictions) Write(ctx context.Context, w io.Writer, tables ...*dataset.Table) error {
	parts := make([]write.Table, len(tables))
	for i, t := range tables {
		columns, err := p.columns(ctx, t)
		if err != nil {
			return err
		}
		parts[i] = write.Table{Columns: columns, Rows: t.NumRows()}
		if i > 0 && !slices.Equal(write.Names(columns), write.Names(parts[0].Columns)) {
			return fmt.Errorf("%w: the test sets have different id columns (%s; %s): their predictions cannot be one table", dataset.ErrTable,
				strings.Join(write.Names(parts[0].Columns), ", "), strings.Join(write.Names(columns), ", "))
		}
	}
	write.ResolveWhole(parts)
	return write.All(ctx, w, p.Format, parts)
}

// columns predicts all rows of a table.
func (p *Predictions) columns(ctx context.Context, t *dataset.Table) ([]write.Column, error) {
	predicted, err := p.predict(ctx, t)
	if err != nil {
		return nil, err
	}
	var columns []write.Column
	var taken []string
	for _, c := range p.IDColumns(t) {
		texts := make([]string, t.NumRows())
		for row := range texts {
			texts[row] = c.Text(row)
		}
		columns = append(columns, write.Column{Name: c.Name(), Texts: texts})
		taken = append(taken, c.Name())
	}
	for _, c := range predicted {
		c.Name = FreeName(c.Name, taken)
		taken = append(taken, c.Name)
		columns = append(columns, c)
	}
	return columns, nil
}

// FreeName returns the name of a prediction's column, with a number where an id column
// has that name already: two of one name would hide each other from many readers.
func FreeName(name string, taken []string) string {
	free := name
	for n := 2; slices.Contains(taken, free); n++ {
		free = name + "_" + strconv.Itoa(n)
	}
	return free
}

// predict returns the columns of the prediction alone.
func (p *Predictions) predict(ctx context.Context, t *dataset.Table) ([]write.Column, error) {
	if p.Every > 0 {
		return p.predictStages(ctx, t)
	}
	var all []write.Column
	for _, kind := range p.Kinds {
		columns, err := p.predictKind(ctx, t, kind)
		if err != nil {
			return nil, err
		}
		all = append(all, columns...)
	}
	return all, nil
}

func (p *Predictions) predictKind(ctx context.Context, t *dataset.Table, kind string) ([]write.Column, error) {
	switch kind {
	case "class":
		classes, err := p.Model.PredictClass(ctx, t, p.options()...)
		return p.classColumns(classes), err
	case "leaf":
		leaves, err := p.Model.PredictLeaf(ctx, t, p.options()...)
		columns := make([]write.Column, p.Trees)
		for i := range columns {
			columns[i] = write.Column{Name: "tree_" + strconv.Itoa(i), Ints: leaves, Stride: len(columns), At: i}
		}
		return columns, err
	case "interval":
		return p.intervalColumns(ctx, t)
	case "contrib":
		return p.contributions(ctx, t)
	case "raw":
		values, err := p.Model.PredictRaw(ctx, t, p.options()...)
		return p.ValueColumns("raw", values), err
	}
	values, err := p.Model.Predict(ctx, t, p.options()...)
	return p.ValueColumns("value", values), err
}

// intervalColumns returns the bounds of each row, or the classes of its set.
func (p *Predictions) intervalColumns(ctx context.Context, t *dataset.Table) ([]write.Column, error) {
	if p.Model.Trust().Intervals.Kind != trust.Sets {
		bounds, err := p.Model.PredictIntervals(ctx, t, p.options()...)
		return []write.Column{{Name: "lower", Floats: bounds, Stride: 2}, {Name: "upper", Floats: bounds, Stride: 2, At: 1}}, err
	}
	member, err := p.Model.PredictSets(ctx, t, p.options()...)
	if err != nil {
		return nil, err
	}
	classes := p.Model.Classes()
	c := write.Column{Name: "classes", Codes: make([]int32, t.NumRows())}
	known := map[string]int32{}
	var names []string
	for row := range c.Codes {
		names = names[:0]
		for k, in := range member[row*len(classes) : (row+1)*len(classes)] {
			if in {
				names = append(names, classes[k])
			}
		}
		set := strings.Join(names, SetSeparator)
		code, ok := known[set]
		if !ok {
			code = int32(len(c.Levels))
			known[set], c.Levels = code, append(c.Levels, set)
		}
		c.Codes[row] = code
	}
	return []write.Column{c}, nil
}

// CheckContributions returns why there are no predictions of kind contrib, nil where there are.
func CheckContributions(m Model) error {
	whole, ok := m.(*model.Model)
	if !ok {
		return errNotWhole
	}
	return whole.CheckContributions()
}

var errNotWhole = errors.New("all trees are needed at once")

// contributions returns a column for each feature of each output, and one for what all rows have. Together they are the raw score.
func (p *Predictions) contributions(ctx context.Context, t *dataset.Table) ([]write.Column, error) {
	m, whole := p.Model.(*model.Model)
	if !whole {
		return nil, errNotWhole
	}
	parts, err := m.Contributions(ctx, t, p.options()...)
	if err != nil {
		return nil, err
	}
	outputs := []string{""}
	if m.Outputs() > 1 {
		outputs = m.OutputNames()
	}
	var columns []write.Column
	for _, output := range outputs {
		if output != "" {
			output = "_" + output
		}
		for _, feature := range m.FeatureNames() {
			columns = append(columns, write.Column{Name: "contribution" + output + "_" + feature})
		}
		columns = append(columns, write.Column{Name: "base_raw" + output})
	}
	for i := range columns {
		columns[i].Floats, columns[i].Stride, columns[i].At = parts, len(columns), i
	}
	return columns, nil
}

// UsesTrust reports whether a kind of prediction follows from what calibrate found.
func UsesTrust(t *trust.Trust, kind string) bool {
	switch kind {
	case "value":
		return t != nil && t.Calibration != nil
	case "class":
		return t.ChangesValues()
	}
	return kind == "interval"
}

// SetSeparator stands between the classes of a set; no class of a model with sets has it in its name.
const SetSeparator = "|"

// predictStages returns the columns of each stage, one after another.
func (p *Predictions) predictStages(ctx context.Context, t *dataset.Table) ([]write.Column, error) {
	var all []write.Column
	m, whole := p.Model.(*model.Model)
	if !whole {
		return nil, errNotWhole
	}
	for stage, err := range m.Staged(ctx, t, p.Every, p.options()...) {
		if err != nil {
			return nil, err
		}
		for _, kind := range p.Kinds {
			var columns []write.Column
			switch kind {
			case "class":
				classes, err := stage.Classes()
				if err != nil {
					return nil, err
				}
				columns = p.classColumns(classes)
			case "raw":
				columns = p.ValueColumns(kind, stage.Raw())
			default:
				columns = p.ValueColumns(kind, stage.Values())
			}
			for _, c := range columns {
				c.Name += "_" + strconv.Itoa(stage.Rounds())
				all = append(all, c)
			}
		}
	}
	return all, nil
}

func (p *Predictions) classColumns(classes []int32) []write.Column {
	names, numbers := p.Model.Classes(), p.Model.NumericClasses()
	return []write.Column{{Name: "class", Codes: classes, Levels: names, NumericLevels: numbers, Whole: numbers && write.AllWhole(names)}}
}

// ValueColumns returns a column for each output, raw or not.
func (p *Predictions) ValueColumns(kind string, values []float64) []write.Column {
	names, classes := []string{"prediction"}, p.Model.Classes()
	switch raw := kind == "raw"; {
	case p.Model.Outputs() > 1:
		names = slices.Clone(p.Model.OutputNames())
		for i := range names {
			if raw {
				names[i] = "raw_" + names[i]
			}
		}
	case len(classes) == 2 && raw:
		names[0] = "raw_" + classes[1]
	case len(classes) == 2:
		names[0] = "probability_" + classes[1]
	case raw:
		names[0] = "raw"
	}
	columns := make([]write.Column, len(names))
	for i, name := range names {
		columns[i] = write.Column{Name: name, Floats: values, Stride: len(names), At: i}
	}
	return columns
}

// IDColumns returns the columns that are copied.
func (p *Predictions) IDColumns(t *dataset.Table) []*dataset.Column {
	var all, ids []*dataset.Column
	for _, c := range t.Columns() {
		if c.Role() == dataset.IDRole {
			all = append(all, c)
		}
	}
	if len(p.IDs) == 0 {
		return all
	}
	for _, name := range p.IDs {
		if i := slices.IndexFunc(all, func(c *dataset.Column) bool { return c.Name() == name }); i >= 0 {
			ids = append(ids, all[i])
		}
	}
	return ids
}
