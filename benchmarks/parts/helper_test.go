package parts_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"boost/benchmarks/synth"
	"boost/binning"
	"boost/dataset"
	"boost/gradients"
	"boost/histogram"
	"boost/internal/kernel/hist"
	"boost/parallel"
)

// data is a generated table, its columns in plain slices too.
type data struct {
	columns [][]float32
	labels  []float32
	table   *dataset.Table
}

// generate makes rows rows of the seeded table of package synth.
func generate(b *testing.B, rows, features int) data {
	b.Helper()
	g, err := synth.NewGenerator(1, features)
	if err != nil {
		b.Fatal(err)
	}
	d := data{columns: make([][]float32, features), labels: make([]float32, rows)}
	for f := range d.columns {
		d.columns[f] = make([]float32, rows)
	}
	const block = 8192
	cells := make([]float32, block*features)
	for lo := 0; lo < rows; lo += block {
		n := min(block, rows-lo)
		g.Fill(lo, lo+n, cells[:n*features], d.labels[lo:lo+n])
		for i := range n {
			for f := range features {
				d.columns[f][lo+i] = cells[i*features+f]
			}
		}
	}
	d.makeTable(b)
	return d
}

// cuts fits the table with the default parameters.
func (d data) cuts(b *testing.B, pool *parallel.Pool) *binning.Cuts {
	b.Helper()
	cuts, _, err := binning.Fit(context.Background(), d.table, nil, binning.Defaults(), 1, pool)
	if err != nil {
		b.Fatal(err)
	}
	return cuts
}

func (d data) matrix(b *testing.B, cuts *binning.Cuts, pool *parallel.Pool) *binning.Matrix {
	b.Helper()
	m, err := binning.Build(context.Background(), cuts, d.table, binning.Defaults(), pool)
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// root quantizes the gradients of a first round, label - 1/2, and lists all rows.
func (d data) root(b *testing.B, pool *parallel.Pool) (*gradients.Storage, []histogram.Run) {
	b.Helper()
	rows := len(d.labels)
	grad, hess := make([]float32, rows), make([]float32, rows)
	for i, y := range d.labels {
		grad[i], hess[i] = 0.5-y, 0.25+float32(i%7)*0.01
	}
	storage := gradients.NewStorage(rows, gradients.Settings{Mode: gradients.I16})
	if _, err := storage.Quantize(pool, grad, hess, nil, 0, 0); err != nil {
		b.Fatal(err)
	}
	g, h := storage.Codes16()
	runs := make([]histogram.Run, parallel.Blocks(rows, hist.BlockRows))
	for i := range runs {
		lo, hi := parallel.Block(i, rows, hist.BlockRows)
		runs[i] = histogram.Run{First: lo, Entries: make([]uint64, hi-lo)}
		hist.Pack(runs[i].Entries, g[lo:hi], h[lo:hi])
	}
	return storage, runs
}

// repeated returns the table with its rows n times over.
func (d data) repeated(b *testing.B, n int) data {
	b.Helper()
	long := data{columns: make([][]float32, len(d.columns)), labels: slices.Repeat(d.labels, n)}
	for f, values := range d.columns {
		long.columns[f] = slices.Repeat(values, n)
	}
	long.makeTable(b)
	return long
}

func (d *data) makeTable(b *testing.B) {
	b.Helper()
	columns := []dataset.ColumnData{{Name: "label", Values: d.labels}}
	for f, values := range d.columns {
		columns = append(columns, dataset.ColumnData{Name: fmt.Sprint("f", f), Values: values})
	}
	var err error
	if d.table, err = dataset.FromColumns(columns, dataset.Label("label")); err != nil {
		b.Fatal(err)
	}
}
