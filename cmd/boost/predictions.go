package main

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"boost/booster/model"
	"boost/booster/trust"
	"boost/dataset"
	"boost/dataset/write"
	"boost/parallel"
)

// predictions writes what a model says about the rows of a table.
type predictions struct {
	model  predictor
	kinds  []string       // value, raw, class or leaf
	format string         // one of write.Formats
	ids    []string       // columns to copy, in this order; empty = the model's id columns
	all    bool           // the table was read with all columns as ids
	pool   *parallel.Pool // nil for the goroutine that asks
	stages stages
	more   []model.Option
}

// options says how the model runs, and on which threads.
func (p *predictions) options() []model.Option {
	opts := append(p.stages.options(), p.more...)
	if p.pool == nil {
		return append(opts, model.Threads(1))
	}
	return append(opts, model.Pool(p.pool))
}

// checkForm refuses a binary format where text is expected.
func checkForm(format, file string, terminal bool) error {
	if write.IsText(format) {
		return nil
	}
	if write.Packing(file) != "" {
		return usagef("%s is compressed inside: name the file without the ending %s", format, write.Packing(file))
	}
	if terminal && (file == "" || file == "-") {
		return usagef("%s is not for a terminal: name a file with -o", format)
	}
	return nil
}

// write writes one line per row of all tables, one after the other: the id columns, then
// the predictions.
func (p *predictions) write(ctx context.Context, w io.Writer, tables ...*dataset.Table) error {
	parts := make([]write.Table, len(tables))
	for i, t := range tables {
		columns, err := p.columns(ctx, t)
		if err != nil {
			return err
		}
		parts[i] = write.Table{Columns: columns, Rows: t.NumRows()}
		if i > 0 && !slices.Equal(write.Names(columns), write.Names(parts[0].Columns)) {
			return tablef("the test sets have different id columns (%s; %s): their predictions cannot be one table",
				strings.Join(write.Names(parts[0].Columns), ", "), strings.Join(write.Names(columns), ", "))
		}
	}
	write.ResolveWhole(parts)
	return write.All(ctx, w, p.format, parts)
}

// columns predicts all rows of a table.
func (p *predictions) columns(ctx context.Context, t *dataset.Table) ([]write.Column, error) {
	predicted, err := p.predict(ctx, t)
	if err != nil {
		return nil, err
	}
	var columns []write.Column
	var taken []string
	for _, c := range p.idColumns(t) {
		texts := make([]string, t.NumRows())
		for row := range texts {
			texts[row] = c.Text(row)
		}
		columns = append(columns, write.Column{Name: c.Name(), Texts: texts})
		taken = append(taken, c.Name())
	}
	for _, c := range predicted {
		c.Name = freeName(c.Name, taken)
		taken = append(taken, c.Name)
		columns = append(columns, c)
	}
	return columns, nil
}

// freeName returns the name of a prediction's column, with a number where an id column
// has that name already: two of one name would hide each other from many readers.
func freeName(name string, taken []string) string {
	free := name
	for n := 2; slices.Contains(taken, free); n++ {
		free = name + "_" + strconv.Itoa(n)
	}
	return free
}

// predict returns the columns of the prediction alone.
func (p *predictions) predict(ctx context.Context, t *dataset.Table) ([]write.Column, error) {
	if p.stages.every > 0 {
		return p.predictStages(ctx, t)
	}
	var all []write.Column
	for _, kind := range p.kinds {
		columns, err := p.predictKind(ctx, t, kind)
		if err != nil {
			return nil, err
		}
		all = append(all, columns...)
	}
	return all, nil
}

func (p *predictions) predictKind(ctx context.Context, t *dataset.Table, kind string) ([]write.Column, error) {
	switch kind {
	case "class":
		classes, err := p.model.PredictClass(ctx, t, p.options()...)
		return p.classColumns(classes), err
	case "leaf":
		leaves, err := p.model.PredictLeaf(ctx, t, p.options()...)
		columns := make([]write.Column, p.stages.trees(p.model))
		for i := range columns {
			columns[i] = write.Column{Name: "tree_" + strconv.Itoa(i), Ints: leaves, Stride: len(columns), At: i}
		}
		return columns, err
	case "interval":
		return p.intervalColumns(ctx, t)
	case "raw":
		values, err := p.model.PredictRaw(ctx, t, p.options()...)
		return p.valueColumns("raw", values), err
	}
	values, err := p.model.Predict(ctx, t, p.options()...)
	return p.valueColumns("value", values), err
}

// intervalColumns returns the bounds of each row, or the classes of its set.
func (p *predictions) intervalColumns(ctx context.Context, t *dataset.Table) ([]write.Column, error) {
	if p.model.Trust().Intervals.Kind != trust.Sets {
		bounds, err := p.model.PredictIntervals(ctx, t, p.options()...)
		return []write.Column{{Name: "lower", Floats: bounds, Stride: 2}, {Name: "upper", Floats: bounds, Stride: 2, At: 1}}, err
	}
	member, err := p.model.PredictSets(ctx, t, p.options()...)
	if err != nil {
		return nil, err
	}
	classes := p.model.Classes()
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
		set := strings.Join(names, setSeparator)
		code, ok := known[set]
		if !ok {
			code = int32(len(c.Levels))
			known[set], c.Levels = code, append(c.Levels, set)
		}
		c.Codes[row] = code
	}
	return []write.Column{c}, nil
}

// setSeparator stands between the classes of a set; no class of a model with sets has it in its name.
const setSeparator = "|"

// predictStages returns the columns of each stage, one after another.
func (p *predictions) predictStages(ctx context.Context, t *dataset.Table) ([]write.Column, error) {
	var all []write.Column
	m, whole := p.model.(*model.Model)
	if !whole {
		return nil, usagef("stages need all trees at once")
	}
	for stage, err := range m.Staged(ctx, t, p.stages.every, p.options()...) {
		if err != nil {
			return nil, err
		}
		for _, kind := range p.kinds {
			var columns []write.Column
			switch kind {
			case "class":
				classes, err := stage.Classes()
				if err != nil {
					return nil, err
				}
				columns = p.classColumns(classes)
			case "raw":
				columns = p.valueColumns(kind, stage.Raw())
			default:
				columns = p.valueColumns(kind, stage.Values())
			}
			for _, c := range columns {
				c.Name += "_" + strconv.Itoa(stage.Rounds())
				all = append(all, c)
			}
		}
	}
	return all, nil
}

func (p *predictions) classColumns(classes []int32) []write.Column {
	names, numbers := p.model.Classes(), p.model.NumericClasses()
	return []write.Column{{Name: "class", Codes: classes, Levels: names, NumericLevels: numbers, Whole: numbers && write.AllWhole(names)}}
}

// valueColumns returns a column for each output, raw or not.
func (p *predictions) valueColumns(kind string, values []float64) []write.Column {
	names, classes := []string{"prediction"}, p.model.Classes()
	switch raw := kind == "raw"; {
	case p.model.Outputs() > 1:
		names = slices.Clone(p.model.OutputNames())
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

// idColumns returns the columns that are copied.
func (p *predictions) idColumns(t *dataset.Table) []*dataset.Column {
	var all, ids []*dataset.Column
	for _, c := range t.Columns() {
		if c.Role() == dataset.IDRole {
			all = append(all, c)
		}
	}
	if len(p.ids) == 0 {
		return all
	}
	for _, name := range p.ids {
		if i := slices.IndexFunc(all, func(c *dataset.Column) bool { return c.Name() == name }); i >= 0 {
			ids = append(ids, all[i])
		}
	}
	return ids
}
