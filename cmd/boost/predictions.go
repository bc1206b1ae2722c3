package main

import (
	"bufio"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"boost/booster/model"
	"boost/dataset"
	"boost/objectives"
	"boost/parallel"
)

// predictions writes what a model says about the rows of a table.
type predictions struct {
	model  *model.Model
	kind   string   // value, raw, class or leaf
	format string   // csv or jsonl
	ids    []string // columns to copy, in this order; empty = the model's id columns
	header bool
	pool   *parallel.Pool
}

// write writes one line per row: the id columns, then the predictions.
func (p *predictions) write(ctx context.Context, w *bufio.Writer, t *dataset.Table) error {
	names, cell, err := p.compute(ctx, t)
	if err != nil {
		return err
	}
	ids := p.idColumns(t)
	header := make([]string, 0, len(ids)+len(names))
	for _, c := range ids {
		header = append(header, c.Name())
	}
	for _, name := range names {
		header = append(header, freeName(name, header))
	}
	line := p.csvLine
	if p.format == "jsonl" {
		line = jsonLine(header)
	} else if p.header {
		if _, err := w.Write(csvHeader(header)); err != nil {
			return err
		}
	}
	var buffer []byte
	for row := range t.NumRows() {
		if row%4096 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		buffer = line(buffer[:0], row, ids, len(names), cell)
		if _, err := w.Write(buffer); err != nil {
			return err
		}
	}
	return nil
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

// cellWriter appends the prediction in a row and column.
type cellWriter func(b []byte, row, column int) []byte

// compute predicts all rows, and returns the names of the prediction's columns and
// a function that writes its cells.
func (p *predictions) compute(ctx context.Context, t *dataset.Table) ([]string, cellWriter, error) {
	c := p.model.Contents()
	switch p.kind {
	case "class":
		classes, err := p.model.PredictClass(ctx, t, model.Pool(p.pool))
		texts := make([][]byte, len(c.Classes))
		for i, name := range c.Classes {
			texts[i] = p.text(name, c.NumericClasses)
		}
		return []string{"class"}, func(b []byte, row, _ int) []byte { return append(b, texts[classes[row]]...) }, err
	case "leaf":
		trees := p.model.NumTrees()
		found, err := p.model.PredictLeaf(ctx, t, model.Pool(p.pool))
		names := make([]string, trees)
		for i := range names {
			names[i] = "tree_" + strconv.Itoa(i)
		}
		return names, func(b []byte, row, i int) []byte {
			return strconv.AppendInt(b, int64(found[row*trees+i]), 10)
		}, err
	}
	predict, names := p.model.Predict, []string{"prediction"}
	if p.kind == "raw" {
		predict, names = p.model.PredictRaw, []string{"raw"}
	}
	if c.Link == objectives.Softmax {
		names = slices.Clone(c.Classes)
		for i := range names {
			if p.kind == "raw" {
				names[i] = "raw_" + names[i]
			}
		}
	}
	values, err := predict(ctx, t, model.Pool(p.pool))
	return names, func(b []byte, row, i int) []byte { return p.number(b, values[row*len(names)+i]) }, err
}

// number appends the shortest text that reads back as v.
func (p *predictions) number(b []byte, v float64) []byte {
	if p.format == "jsonl" && (math.IsNaN(v) || math.IsInf(v, 0)) {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}

// text writes a class name as a cell; classes that are numbers are numbers in JSON, too.
func (p *predictions) text(name string, number bool) []byte {
	if p.format != "jsonl" {
		return csvCell(nil, name)
	}
	if number {
		if v, err := strconv.ParseFloat(name, 64); err == nil && !math.IsInf(v, 0) && !math.IsNaN(v) {
			return []byte(name)
		}
	}
	return jsonText(nil, name)
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

func csvHeader(names []string) []byte {
	var b []byte
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = csvCell(b, name)
	}
	return append(b, '\n')
}

func (p *predictions) csvLine(b []byte, row int, ids []*dataset.Column, n int, cell cellWriter) []byte {
	for i, c := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = csvCell(b, c.Text(row))
	}
	for i := range n {
		if len(ids) > 0 || i > 0 {
			b = append(b, ',')
		}
		b = cell(b, row, i)
	}
	return append(b, '\n')
}

// csvCell appends a cell, in quotes where RFC 4180 asks for them.
func csvCell(b []byte, s string) []byte {
	if !strings.ContainsAny(s, ",\"\r\n") && strings.TrimSpace(s) == s {
		return append(b, s...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(s, `"`, `""`)...)
	return append(b, '"')
}

// jsonLine returns the writer of an object per row with the header's names as keys.
func jsonLine(header []string) func([]byte, int, []*dataset.Column, int, cellWriter) []byte {
	keys := make([][]byte, len(header))
	for i, name := range header {
		keys[i] = append(jsonText(nil, name), ':')
	}
	return func(b []byte, row int, ids []*dataset.Column, n int, cell cellWriter) []byte {
		b = append(b, '{')
		for i, c := range ids {
			if i > 0 {
				b = append(b, ',')
			}
			b = jsonText(append(b, keys[i]...), c.Text(row))
		}
		for i := range n {
			if len(ids) > 0 || i > 0 {
				b = append(b, ',')
			}
			b = cell(append(b, keys[len(ids)+i]...), row, i)
		}
		return append(b, '}', '\n')
	}
}

// jsonText appends s as a JSON string.
func jsonText(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < 0x20:
			b = append(b, '\\', 'u', '0', '0', "0123456789abcdef"[r>>4], "0123456789abcdef"[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
