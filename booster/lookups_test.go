package booster_test

import (
	"math"
	"sync/atomic"
	"testing"

	"boost/booster"
	"boost/dataset"
	"boost/internal/kernel/bin"
)

// Every cell is looked up once, when the table is loaded: 50 trees, with gaps, sampled
// rows and a validation set, add nothing.
func TestCellsAreLookedUpOnce(t *testing.T) {
	t.Run("S1.1/50_trees", func(t *testing.T) {
		const rows, validRows, numbers = 3000, 500, 4
		columnsOf := func(rows int) []dataset.ColumnData {
			label, cells := make([]float64, rows), make([][]float64, numbers)
			columns := []dataset.ColumnData{{Name: "y", Values: label}}
			for f := range cells {
				cells[f] = make([]float64, rows)
				for row := range rows {
					if cells[f][row] = float64(row * (f + 7) % 997); row%13 == f {
						cells[f][row] = math.NaN()
					}
					label[row] += math.Abs(float64(row*(f+7)%997) - 500)
				}
				columns = append(columns, dataset.ColumnData{Name: string(rune('a' + f)), Values: cells[f]})
			}
			return columns
		}
		for _, layout := range []string{"auto", "both", "row", "csr", "ellpack"} {
			p := booster.Defaults()
			p.Objective, p.Rounds, p.RowFraction, p.Binning.Layout = "regression", 50, 0.8, layout
			var searched atomic.Int64
			bin.OnSearch = func(cells int) { searched.Add(int64(cells)) }
			hash(t, p, mustColumns(t, columnsOf(rows)))
			if got, want := searched.Load(), int64(rows*numbers); got != want {
				t.Errorf("layout %s: %d look-ups for %d cells", layout, got, want)
			}
			searched.Store(0)
			hash(t, p, mustColumns(t, columnsOf(rows)), booster.Valid("valid", mustColumns(t, columnsOf(validRows))))
			if got, want := searched.Load(), int64((rows+validRows)*numbers); got != want {
				t.Errorf("layout %s with a validation set: %d look-ups for %d cells", layout, got, want)
			}
			bin.OnSearch = nil
		}
	})
}

// A table whose features have one value each, or none at all, trains trees of one leaf;
// one that has a value or none is split into those.
func TestConstantFeatures(t *testing.T) {
	const rows = 200
	fill := func(v float64) []float64 {
		values := make([]float64, rows)
		for row := range values {
			values[row] = v
		}
		return values
	}
	label := fill(0)
	for row := range label {
		label[row] = float64(row % 2)
	}
	useless := []dataset.ColumnData{
		{Name: "y", Values: label}, {Name: "constant", Values: fill(5)}, {Name: "fraction", Values: fill(0.1)}, {Name: "empty", Values: fill(math.NaN())},
		{Name: "level", Values: make([]string, rows)},
	}
	for row := range rows {
		useless[4].Values.([]string)[row] = "only"
	}
	t.Run("S0.9/only_useless_features", func(t *testing.T) {
		p := booster.Defaults()
		p.Objective, p.Rounds, p.Verify = "regression", 3, true
		for _, layout := range []string{"auto", "col", "row", "csr", "ellpack"} {
			p.Binning.Layout = layout
			m, err := booster.Train(t.Context(), p, mustColumns(t, useless))
			if err != nil {
				t.Fatalf("layout %s: %v", layout, err)
			}
			for i := range m.Contents().Trees {
				if n := m.Contents().Trees[i].NumLeaves(); n != 1 {
					t.Errorf("layout %s: tree %d has %d leaves", layout, i, n)
				}
			}
			values, err := m.Predict(t.Context(), mustColumns(t, useless))
			if err != nil || math.Abs(values[0]-0.5) > 1e-6 || math.Abs(values[rows-1]-0.5) > 1e-6 {
				t.Errorf("layout %s: predictions %v … (%v), want the mean, 0.5", layout, values[:1], err)
			}
		}
	})
	t.Run("S0.9/present_against_missing", func(t *testing.T) {
		// The odd rows have the value 5 and the label 1, the even ones neither.
		gaps := fill(5)
		for row := 0; row < rows; row += 2 {
			gaps[row] = math.NaN()
		}
		p := booster.Defaults()
		p.Objective, p.Rounds, p.LearningRate, p.Verify = "regression", 1, 1, true
		for _, layout := range []string{"auto", "col", "row", "csr", "ellpack"} {
			p.Binning.Layout = layout
			table := mustColumns(t, append(useless[:len(useless):len(useless)], dataset.ColumnData{Name: "gaps", Values: gaps}))
			m, err := booster.Train(t.Context(), p, table)
			if err != nil {
				t.Fatalf("layout %s: %v", layout, err)
			}
			values, err := m.Predict(t.Context(), table)
			if err != nil || math.Abs(values[0]) > 1e-3 || math.Abs(values[1]-1) > 1e-3 {
				t.Errorf("layout %s: predictions %v (%v), want 0 where missing and 1 where present", layout, values[:2], err)
			}
		}
	})
}
