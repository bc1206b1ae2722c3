package model_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"boost/binning"
	"boost/booster/model"
	"boost/dataset"
	"boost/internal/cpu"
	"boost/internal/kernel/predict"
	"boost/internal/testenv"
	"boost/objectives"
	"boost/parallel"
	"boost/tree"
)

// hostile is a model of random trees, of one leaf some, and a table with the values that
// comparisons may get wrong. want is its raw scores by the definitions: a value's code is
// how many cuts are below it, a level's what Codes says, and LeafIndex walks.
type hostile struct {
	model *model.Model
	table *dataset.Table
	want  []float64
}

func newHostile(t *testing.T, rows, outputs, rounds, leaves, numeric int, levels []string) *hostile {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(outputs), uint64(leaves)))
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, 5e-324, -1e-310, 1e300, -1e300, math.MaxFloat32, 1 << 53}
	draw := func(rows int, levels []string) []dataset.ColumnData {
		var columns []dataset.ColumnData
		for f := range numeric {
			values := make([]float64, rows)
			for i := range values {
				if values[i] = math.Round(r.NormFloat64()*40) / 8; r.IntN(3) == 0 {
					values[i] = special[r.IntN(len(special))]
				}
				if f == 0 && math.IsNaN(values[i]) && rows == trained {
					values[i] = 1 // no gaps in training
				}
			}
			columns = append(columns, dataset.ColumnData{Name: fmt.Sprint("f", f), Values: values})
		}
		if levels != nil {
			values := make([]string, rows)
			for i := range values {
				values[i] = levels[r.IntN(len(levels))]
			}
			columns = append(columns, dataset.ColumnData{Name: "level", Values: values})
		}
		return columns
	}
	train := table(t, draw(trained, levels))
	pool := parallel.NewPool(1)
	defer pool.Close()
	c := smallContents()
	c.Objective, c.Link, c.Classes, c.Outputs, c.WideRounds = "regression", objectives.Identity, nil, outputs, nil
	c.BaseScore, c.Schema, c.BestRound, c.Trees = make([]float64, outputs), train.Schema(), rounds, nil
	var err error
	if c.Cuts, _, err = binning.Fit(context.Background(), train, nil, binning.Defaults(), 1, pool); err != nil {
		t.Fatal(err)
	}
	for range rounds * outputs {
		c.Trees = append(c.Trees, randomTree(r, model.Features(c.Cuts), 1+r.IntN(leaves)))
	}
	h := &hostile{}
	if h.model, err = model.New(c); err != nil {
		t.Fatal(err)
	}
	seen := levels
	if levels != nil {
		seen = append(levels[:len(levels):len(levels)], "never seen", "")
	}
	columns := draw(rows, seen)
	// Some rows stand on a cut or beside one.
	for f := range numeric {
		cuts := cutsOf(c.Cuts, f)
		for i, values := 0, columns[f].Values.([]float64); i < rows && len(cuts) > 0; i += 3 {
			cut := cuts[r.IntN(len(cuts))]
			values[i] = []float64{cut, math.Nextafter(cut, math.Inf(1)), math.Nextafter(cut, math.Inf(-1))}[r.IntN(3)]
		}
	}
	if h.table, err = table(t, columns).As(c.Schema); err != nil {
		t.Fatal(err)
	}
	h.want = h.scores(c)
	return h
}

// trained is how many rows the cuts come from.
const trained = 3000

func cutsOf(c *binning.Cuts, f int) []float64 {
	list := append([]float64{}, c.Of64(f)...)
	for _, cut := range c.Of32(f) {
		list = append(list, float64(cut))
	}
	return list
}

func (h *hostile) scores(c model.Contents) (want []float64) {
	features := model.Features(c.Cuts)
	codes := make([]uint32, len(features))
	for row := range h.table.NumRows() {
		for f, x := range rowOf(h.table, row) {
			codes[f] = c.Cuts.Features[f].MissingCode()
			switch {
			case math.IsNaN(x):
			case c.Cuts.Features[f].Kind == binning.Categorical:
				if levels := c.Cuts.Features[f].Codes; int(x) < len(levels) && levels[int(x)] != binning.NoCode {
					codes[f] = levels[int(x)]
				}
			default:
				codes[f] = 0
				for _, cut := range cutsOf(c.Cuts, f) {
					if cut < x {
						codes[f]++
					}
				}
			}
		}
		sums := append([]float64{}, c.BaseScore...)
		for i := range c.Trees {
			sums[i%c.Outputs] += leafOf(&c.Trees[i], features, codes)
		}
		want = append(want, sums...)
	}
	return want
}

func leafOf(t *tree.Tree, features []tree.Feature, codes []uint32) float64 {
	return t.Leaf[t.LeafIndex(features, codes)]
}

// Every way of a prediction gives the bits of the definitions, whatever the values, and so
// does a prediction that measures which way is fastest.
func TestWaysOnHostileModels(t *testing.T) {
	testenv.Unraced(t)
	abc := []string{"a", "b", "c", "d"}
	for name, h := range map[string]*hostile{
		"numbers":    newHostile(t, 1300, 1, 70, 31, 5, nil),
		"categories": newHostile(t, 1300, 1, 40, 31, 3, abc),
		"classes":    newHostile(t, 700, 7, 10, 16, 4, nil),
		"one leaf":   newHostile(t, 600, 2, 5, 1, 2, nil),
		"256 leaves": newHostile(t, 600, 1, 20, 256, 6, nil),
		"300 leaves": newHostile(t, 600, 1, 20, 600, 6, nil),
		"features":   newHostile(t, 600, 1, 70, 31, 120, nil),
		"too many":   newHostile(t, 600, 1, 10, 31, 140, nil),
	} {
		t.Run(name, func(t *testing.T) {
			for _, set := range append(predict.Sets(), cpu.Generic) {
				model.UseSet(h.model, set)
				got, err := h.model.PredictRaw(context.Background(), h.table)
				if err != nil {
					t.Fatal(err)
				}
				sameBits(t, fmt.Sprint("batch, ", set), got, h.want)
				out := make([]float64, h.model.Outputs())
				for row := range h.table.NumRows() {
					h.model.PredictValuesRaw(rowOf(h.table, row), out)
					sameBits(t, fmt.Sprintf("row %d, %v", row, set), out, h.want[row*len(out):][:len(out)])
				}
			}
		})
	}
}
