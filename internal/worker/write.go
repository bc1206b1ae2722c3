package worker

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"boost/dataset"
	"boost/dataset/write"
	"boost/internal/output"
)

// writeTable writes columns of a kept table to a file, for commands of the program that read files. Texts stay as they
// are: what they mean depends on the model that the file is read for.
func (r *request) writeTable(ctx context.Context) (any, []byte, error) {
	var head struct {
		Table   uint32   `json:"table"`
		Columns []string `json:"columns"`
		Path    string   `json:"path"`
		Model   uint32   `json:"model"` // that the file is for; 0 for none
	}
	if err := r.parse(&head); err != nil {
		return nil, nil, err
	}
	kept, err := r.server.table(head.Table)
	if err != nil {
		return nil, nil, err
	}
	var texts []write.Column
	var others []dataset.ColumnData
	for _, c := range kept.columns {
		if len(head.Columns) > 0 && !slices.Contains(head.Columns, c.Name) {
			continue
		}
		if t := textsOf(c.Values); t != nil {
			texts = append(texts, write.Column{Name: c.Name, Texts: t})
		} else {
			others = append(others, c)
		}
	}
	columns := texts
	if len(others) > 0 {
		t, err := dataset.FromColumns(others)
		if err != nil {
			return nil, nil, err
		}
		if m, err := r.server.model(head.Model); err == nil {
			r.warnOfDates(t, m.Model) // the file has numbers in their place
		}
		for _, c := range t.Columns() {
			columns = append(columns, columnToWrite(c, t.NumRows()))
		}
	}
	format := write.FormatOf(head.Path)
	err = output.Write(io.Discard, head.Path, func(w *bufio.Writer) error {
		return write.All(ctx, w, format, []write.Table{{Columns: columns, Rows: kept.rows}})
	})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", head.Path, err)
	}
	return nil, nil, nil
}

// textsOf returns the texts of an Arrow array, "" where one is missing, and nil for other values.
func textsOf(values any) []string {
	cells, _ := values.(arrow.Array)
	at := func(i int) int { return i }
	if d, ok := cells.(*array.Dictionary); ok {
		cells, at = d.Dictionary(), d.GetValueIndex
	}
	var text func(i int) string
	switch v := cells.(type) {
	case array.StringLike:
		text = v.Value
	case interface{ ValueString(i int) string }: // bytes
		text = v.ValueString
	default:
		return nil
	}
	whole := values.(arrow.Array)
	texts := make([]string, whole.Len())
	for i := range texts {
		if whole.IsValid(i) && cells.IsValid(at(i)) {
			texts[i] = text(at(i))
		}
	}
	return texts
}

func columnToWrite(c *dataset.Column, rows int) write.Column {
	w := write.Column{Name: c.Name()}
	switch {
	case c.Kind() == dataset.Category:
		w.Texts = make([]string, rows)
		for row, code := range c.Codes() {
			if code >= 0 {
				w.Texts[row] = c.Levels()[code]
			}
		}
	case c.Sparse() != nil:
		w.Floats, w.Stride = c.Sparse().Expand64(rows), 1
	case c.Kind() == dataset.Float64:
		w.Floats, w.Stride = c.Float64s(), 1
	default:
		w.Stride = 1
		for _, v := range c.Float32s() {
			w.Floats = append(w.Floats, float64(v))
		}
	}
	return w
}
