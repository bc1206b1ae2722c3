package booster_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"boost/booster"
	"boost/dataset"
)

// layoutChoices are all ways of keeping codes that integer gradients allow.
var layoutChoices = []struct{ layout, missing, bundle, storage string }{
	{"both", "sentinel", "off", "adaptive"}, // what the others are compared with
	{"col", "sentinel", "off", "adaptive"},
	{"row", "sentinel", "off", "adaptive"},
	{"csr", "sentinel", "off", "adaptive"},
	{"ellpack", "sentinel", "off", "adaptive"},
	{"col", "mask", "off", "adaptive"},
	{"auto", "mask", "auto", "uniform"},
	{"auto", "sentinel", "auto", "adaptive"},
	{"col", "sentinel", "on", "adaptive"},
	{"row", "sentinel", "on", "uniform"},
	{"both", "sentinel", "on", "uniform"},
}

// Every layout of the codes gives the same model bytes.
func TestLayoutsGiveOneModel(t *testing.T) {
	tables := map[string]*dataset.Table{"onehot": oneHot(t, 3000, 11)}
	for _, set := range shipped {
		tables[set.name] = gapped(t, openShipped(t, set.name))
	}
	for _, name := range []string{"adult", "ames_housing", "wine_quality", "onehot"} {
		t.Run("S1.18/S1.17/"+name, func(t *testing.T) {
			for _, mode := range []string{"i16", "i32"} {
				for _, fraction := range []float64{1, 0.6} {
					if testing.Short() && (mode == "i32") != (fraction < 1) {
						continue
					}
					want := ""
					for _, c := range layoutChoices {
						p := booster.Defaults()
						p.Rounds, p.Gradients, p.RowFraction, p.EarlyStopping = 4, mode, fraction, 2
						p.Binning.Layout, p.Binning.MissingAs, p.Binning.Bundle, p.Binning.Storage = c.layout, c.missing, c.bundle, c.storage
						p.Verify = true
						got := hash(t, p, tables[name])
						if want == "" {
							want = got
						}
						if got != want {
							t.Errorf("%s, rows %v: %+v gives another model", mode, fraction, c)
						}
					}
				}
			}
		})
	}
}

// oneHot makes a table of categorical columns written as columns of 0 and 1, with gaps in
// one of them, and a label that depends on them.
func oneHot(t *testing.T, rows, levels int) *dataset.Table {
	t.Helper()
	r := rand.New(rand.NewPCG(7, uint64(levels)))
	label := make([]float64, rows)
	var columns []dataset.ColumnData
	for c := range 4 {
		hot := make([][]float64, levels)
		for l := range hot {
			hot[l] = make([]float64, rows)
		}
		for row := range rows {
			l := r.IntN(levels)
			hot[l][row] = 1 + float64(l%3)
			label[row] += float64(l*(c+1)%7) + r.Float64()
		}
		for l := range hot {
			columns = append(columns, dataset.ColumnData{Name: fmt.Sprintf("c%d_%d", c, l), Values: hot[l]})
		}
	}
	table, err := dataset.FromColumns(append(columns, dataset.ColumnData{Name: "y", Values: label}), dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// gapped takes the values of every other feature from some of a table's rows, and adds a
// column that is nearly always missing.
func gapped(t *testing.T, of *dataset.Table) *dataset.Table {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 5))
	rare := make([]float64, of.NumRows())
	for row := range rare {
		if rare[row] = math.NaN(); r.IntN(50) == 0 {
			rare[row] = float64(r.IntN(9))
		}
	}
	columns := []dataset.ColumnData{{Name: "rare", Values: rare}}
	var categorical []string
	for i, c := range of.Columns() {
		share := 0.0
		if c.Role() == dataset.Feature && i%2 == 0 {
			share = []float64{0.02, 0.4, 0.95}[i/2%3]
		}
		data := dataset.ColumnData{Name: c.Name()}
		if c.Kind() == dataset.Category {
			categorical = append(categorical, c.Name())
			texts := make([]string, c.Len())
			for row, code := range c.Codes() {
				if code >= 0 && r.Float64() >= share {
					texts[row] = c.Levels()[code]
				}
			}
			data.Values = texts
		} else {
			values := make([]float64, c.Len())
			for row := range values {
				if values[row] = math.NaN(); r.Float64() >= share {
					values[row] = numberAt(c, row)
				}
			}
			data.Values = values
		}
		columns = append(columns, data)
	}
	table, err := dataset.FromColumns(columns, dataset.Label(of.LabelColumn().Name()), dataset.Categorical(categorical...), dataset.Missing(""))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func numberAt(c *dataset.Column, row int) float64 {
	if c.Kind() == dataset.Float32 {
		return float64(c.Float32s()[row])
	}
	return c.Float64s()[row]
}
