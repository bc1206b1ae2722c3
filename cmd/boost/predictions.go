package main

import (
	"context"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"boost/booster/model"
	"boost/dataset"
	"boost/objectives"
	"boost/parallel"
)

// predictions writes what a model says about the rows of a table.
type predictions struct {
	model  predictor
	kind   string         // value, raw, class or leaf
	format string         // one of outputFormats
	ids    []string       // columns to copy, in this order; empty = the model's id columns
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

// outputFormats are the forms that predictions can take.
var outputFormats = []string{"csv", "jsonl", "parquet", "arrow"}

// formatOf returns the format that a file's name asks for, csv where it says nothing, and
// "" for a name that promises what cannot be written.
func formatOf(file string) string {
	name := strings.TrimSuffix(strings.ToLower(file), packing(file))
	ends := func(with ...string) bool {
		return slices.ContainsFunc(with, func(end string) bool { return strings.HasSuffix(name, end) })
	}
	packed := len(name) < len(file)
	switch {
	case ends(".parquet", ".pq") && !packed:
		return "parquet"
	case ends(".arrow", ".feather", ".ipc") && !packed:
		return "arrow"
	case ends(".jsonl", ".ndjson"):
		return "jsonl"
	case ends(".tsv", ".json", ".xlsx", ".orc", ".avro", ".parquet", ".pq", ".arrow", ".feather", ".ipc"):
		return ""
	}
	return "csv"
}

// outputEndings are the endings of names for them.
const outputEndings = ".csv, .jsonl, .parquet or .arrow"

// checkForm refuses a binary format where text is expected.
func checkForm(format, file string, terminal bool) error {
	if format == "csv" || format == "jsonl" {
		return nil
	}
	if packing(file) != "" {
		return usagef("%s is packed inside already: name the file without the ending %s", format, packing(file))
	}
	if terminal && (file == "" || file == "-") {
		return usagef("%s is nothing for a terminal: name a file with -o", format)
	}
	return nil
}

// packing returns the ending of a name that asks for compression, "" for none.
func packing(file string) string {
	for _, end := range []string{".gz", ".zst"} {
		if strings.HasSuffix(strings.ToLower(file), end) {
			return end
		}
	}
	return ""
}

// outColumn is one column of what is written: copied ids, or predictions of one type.
type outColumn struct {
	name string

	ids []string // of the rows; "" is none

	values []float64 // predictions: that of a row stands at row·stride + at
	leaves []int32   // numbers of leaves, likewise
	stride int
	at     int

	classes []int32  // of the rows, into names
	names   []string // of the classes
	numbers bool     // the names are numbers

	whole bool // ids, or names of classes, that all are whole numbers
}

// write writes one line per row of all tables, one after the other: the id columns, then
// the predictions.
func (p *predictions) write(ctx context.Context, w io.Writer, tables ...*dataset.Table) error {
	parts := make([]outPart, len(tables))
	for i, t := range tables {
		columns, err := p.columns(ctx, t)
		if err != nil {
			return err
		}
		parts[i] = outPart{columns: columns, rows: t.NumRows()}
		if i > 0 && !slices.Equal(headerOf(columns), headerOf(parts[0].columns)) {
			return tablef("the test sets have different id columns (%s; %s): their predictions cannot be one table",
				strings.Join(headerOf(parts[0].columns), ", "), strings.Join(headerOf(columns), ", "))
		}
	}
	settleWhole(parts)
	return writeParts(ctx, w, p.format, parts)
}

// writeParts writes predictions that all are there.
func writeParts(ctx context.Context, w io.Writer, format string, parts []outPart) error {
	if text := textForms[format]; text != nil {
		return text.write(ctx, w, parts)
	}
	return writeGroups(ctx, w, format, parts)
}

// packed hands write what writes to w through the compression that the file's name asks
// for.
func packed(w io.Writer, file string, write func(io.Writer) error) error {
	var packer io.WriteCloser
	switch packing(file) {
	case "":
		return write(w)
	case ".gz":
		packer = gzip.NewWriter(w)
	default:
		z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		packer = z
	}
	if err := write(packer); err != nil {
		return err
	}
	return packer.Close()
}

// outPart is the predictions for one table.
type outPart struct {
	columns []outColumn
	rows    int
}

func headerOf(columns []outColumn) []string {
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].name
	}
	return names
}

// settleWhole finds out which ids are whole numbers in all parts.
func settleWhole(parts []outPart) {
	for i := range parts[0].columns {
		whole := true
		for _, part := range parts {
			whole = whole && allWhole(part.columns[i].ids)
		}
		for _, part := range parts {
			if part.columns[i].ids != nil {
				part.columns[i].whole = whole
			}
		}
	}
}

// allWhole reports whether every text is the usual form of a whole number in 64 bits, or
// empty, and not all are.
func allWhole(texts []string) bool {
	var k idKind
	k.see(texts)
	return k.whole()
}

// idKind is what some ids are.
type idKind struct {
	odd     bool // one is neither empty nor the usual form of a whole number in 64 bits
	numbers bool // one is such a number
}

func (k *idKind) whole() bool { return k.numbers && !k.odd }

func (k *idKind) see(texts []string) {
	for _, text := range texts {
		k.seeOne(text)
	}
}

func (k *idKind) seeOne(text string) {
	if text == "" || k.odd {
		return
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || strconv.FormatInt(v, 10) != text {
		k.odd = true
		return
	}
	k.numbers = true
}

// columns predicts all rows of a table.
func (p *predictions) columns(ctx context.Context, t *dataset.Table) ([]outColumn, error) {
	predicted, err := p.predict(ctx, t)
	if err != nil {
		return nil, err
	}
	var columns []outColumn
	var taken []string
	for _, c := range p.idColumns(t) {
		texts := make([]string, t.NumRows())
		for row := range texts {
			texts[row] = c.Text(row)
		}
		columns = append(columns, outColumn{name: c.Name(), ids: texts})
		taken = append(taken, c.Name())
	}
	for _, c := range predicted {
		c.name = freeName(c.name, taken)
		taken = append(taken, c.name)
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
func (p *predictions) predict(ctx context.Context, t *dataset.Table) ([]outColumn, error) {
	if p.stages.every > 0 {
		return p.predictStages(ctx, t)
	}
	switch p.kind {
	case "class":
		classes, err := p.model.PredictClass(ctx, t, p.options()...)
		return p.classColumns(classes), err
	case "leaf":
		leaves, err := p.model.PredictLeaf(ctx, t, p.options()...)
		columns := make([]outColumn, p.stages.trees(p.model))
		for i := range columns {
			columns[i] = outColumn{name: "tree_" + strconv.Itoa(i), leaves: leaves, stride: len(columns), at: i}
		}
		return columns, err
	case "raw":
		values, err := p.model.PredictRaw(ctx, t, p.options()...)
		return p.valueColumns(values), err
	}
	values, err := p.model.Predict(ctx, t, p.options()...)
	return p.valueColumns(values), err
}

// predictStages returns the columns of each stage, one after another.
func (p *predictions) predictStages(ctx context.Context, t *dataset.Table) ([]outColumn, error) {
	var all []outColumn
	m, whole := p.model.(*model.Model)
	if !whole {
		return nil, usagef("stages need all trees at once")
	}
	for stage, err := range m.Staged(ctx, t, p.stages.every, p.options()...) {
		if err != nil {
			return nil, err
		}
		var columns []outColumn
		switch p.kind {
		case "class":
			classes, err := stage.Classes()
			if err != nil {
				return nil, err
			}
			columns = p.classColumns(classes)
		case "raw":
			columns = p.valueColumns(stage.Raw())
		default:
			columns = p.valueColumns(stage.Values())
		}
		for _, c := range columns {
			c.name += after(stage.Rounds())
			all = append(all, c)
		}
	}
	return all, nil
}

func (p *predictions) classColumns(classes []int32) []outColumn {
	names, numbers := p.model.Classes(), p.model.NumericClasses()
	return []outColumn{{name: "class", classes: classes, names: names, numbers: numbers, whole: numbers && allWhole(names)}}
}

// valueColumns returns a column for each output.
func (p *predictions) valueColumns(values []float64) []outColumn {
	names := []string{"prediction"}
	if p.kind == "raw" {
		names = []string{"raw"}
	}
	if p.model.Link() == objectives.Softmax {
		names = slices.Clone(p.model.Classes())
		for i := range names {
			if p.kind == "raw" {
				names[i] = "raw_" + names[i]
			}
		}
	}
	columns := make([]outColumn, len(names))
	for i, name := range names {
		columns[i] = outColumn{name: name, values: values, stride: len(names), at: i}
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
		for _, c := range all {
			if c.Name() == name {
				ids = append(ids, c)
				break
			}
		}
	}
	return ids
}

// outType is what a column is in a format that has types.
type outType uint8

const (
	outFloat outType = iota // float64
	outLeaf                 // int32
	outWhole                // int64, missing where there is no id
	outText                 // text, missing where there is no id
)

func (c *outColumn) typ() outType {
	switch {
	case c.leaves != nil:
		return outLeaf
	case c.whole:
		return outWhole
	case c.ids != nil, c.classes != nil && !c.numbers:
		return outText
	}
	return outFloat
}

// float returns the cell of an outFloat column.
func (c *outColumn) float(row int) float64 {
	if c.classes == nil {
		return c.values[row*c.stride+c.at]
	}
	v, err := strconv.ParseFloat(c.names[c.classes[row]], 64)
	if err != nil {
		return math.NaN() // not so: the model says that its classes are numbers
	}
	return v
}

// leaf returns the cell of an outLeaf column.
func (c *outColumn) leaf(row int) int32 { return c.leaves[row*c.stride+c.at] }

// text returns the cell of an outText or outWhole column as it is written out; "" is none.
func (c *outColumn) text(row int) string {
	if c.ids != nil {
		return c.ids[row]
	}
	return c.names[c.classes[row]]
}

// wholeNumber returns the cell of an outWhole column, and whether there is one.
func (c *outColumn) wholeNumber(row int) (int64, bool) {
	v, err := strconv.ParseInt(c.text(row), 10, 64)
	return v, err == nil
}

// everyBlock calls write for blocks of rows until all are written or the context ends.
func everyBlock(ctx context.Context, rows, size int, write func(lo, hi int) error) error {
	for block := range parallel.Blocks(rows, size) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := write(parallel.Block(block, rows, size)); err != nil {
			return err
		}
	}
	return nil
}
