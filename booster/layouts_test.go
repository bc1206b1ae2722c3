package booster_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"boost/booster"
	"boost/dataset"
	"boost/internal/testenv"
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
	for _, name := range []string{"ames_housing", "onehot", "adult", "wine_quality"}[:testenv.UnlessShort(4, 2)] {
		t.Run("S1.18/S1.17/"+name, func(t *testing.T) {
			for _, mode := range []string{"i16", "i32"} {
				for _, fraction := range []float64{1, 0.6} {
					if !testenv.Soak() && (mode == "i32") != (fraction < 1) {
						continue // each mode with one of the fractions
					}
					want := ""
					for _, c := range layoutChoices {
						p := booster.Defaults()
						p.Rounds, p.Gradients, p.RowFraction, p.EarlyStopping = 4, mode, fraction, 2
						p.Binning.Layout, p.Binning.MissingAs, p.Binning.Bundle, p.Binning.Storage = c.layout, c.missing, c.bundle, c.storage
						if p.Verify = true; fraction < 1 {
							p.Tree.ColTree, p.Tree.ColNode = 0.5, 0.8
						}
						if mode == "i32" {
							p.Tree.ReuseFeature, p.Tree.ReuseCut = 0.2, 0.4
						}
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

// Layouts that restore a slot by subtraction would round floating-point sums another
// way, and are refused with them.
func TestFloatGradientsNeedDenseLayouts(t *testing.T) {
	table := oneHot(t, 200, 5)
	for _, c := range []struct {
		id, layout, bundle, want string
	}{
		{"S1.6/csr", "csr", "auto", `binning.layout = "csr" needs integer gradients`},
		{"S1.25/ellpack", "ellpack", "auto", `binning.layout = "ellpack" needs integer gradients`},
		{"bundles", "col", "on", `binning.bundle = "on"`},
		{"S1.6/auto", "auto", "auto", ""},
	} {
		t.Run(c.id, func(t *testing.T) {
			p := booster.Defaults()
			p.Rounds, p.Gradients, p.Binning.Layout, p.Binning.Bundle = 2, "f32", c.layout, c.bundle
			_, err := booster.Train(t.Context(), p, table)
			if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// A table with so many codes that no histogram is kept gives the model that histograms
// give, and its sparse columns that of dense ones.
func TestDirectSearchGivesOneModel(t *testing.T) {
	testenv.Unraced(t)
	const rows, features = 2500, 900
	r := rand.New(rand.NewPCG(11, 13))
	dense, sparse := []dataset.ColumnData{}, []dataset.ColumnData{}
	label := make([]float64, rows)
	for f := range features {
		stored := dataset.Sparse{F64: []float64{}}
		values := make([]float64, rows)
		share := 0.3 / float64(1+f%40)
		for row := range rows {
			if r.Float64() < share {
				values[row] = r.NormFloat64()
				if f%3 == 0 && r.IntN(20) == 0 {
					values[row] = math.NaN()
				} else {
					label[row] += values[row] * float64(f%5)
				}
				stored.Rows, stored.F64 = append(stored.Rows, int32(row)), append(stored.F64, values[row])
			}
		}
		name := fmt.Sprintf("f%d", f)
		dense = append(dense, dataset.ColumnData{Name: name, Values: values})
		sparse = append(sparse, dataset.ColumnData{Name: name, Values: stored})
	}
	for _, columns := range []*[]dataset.ColumnData{&dense, &sparse} {
		*columns = append(*columns, dataset.ColumnData{Name: "y", Values: label})
	}
	tables := map[string]*dataset.Table{"dense": mustColumns(t, dense), "sparse": mustColumns(t, sparse)}
	cases := []struct {
		mode                   string
		leaves, minData, depth int
		fraction, columns      float64
		reuse                  float64
	}{
		{"i16", 31, 20, 0, 1, 1, 0}, {"i32", 15, 5, 4, 1, 1, 0}, {"i16", 8, 0, 0, 0.5, 0.3, 0}, {"i16", 31, 20, 0, 1, 1, 0.4},
	}
	for _, c := range cases[:testenv.UnlessShort(len(cases), 1)] {
		p := booster.Defaults()
		p.Rounds, p.Gradients, p.RowFraction, p.Verify = 3, c.mode, c.fraction, true
		p.Tree.Leaves, p.Tree.MinDataInLeaf, p.Tree.MaxDepth, p.Tree.ColNode = c.leaves, c.minData, c.depth, c.columns
		p.Tree.ReuseFeature, p.Tree.ReuseCut = c.reuse/2, c.reuse
		p.Binning.Layout = "col"
		want := hash(t, p, tables["dense"])
		for name, table := range tables {
			for _, threads := range []int{1, 3} {
				p.Binning.Layout, p.Threads = "csr", threads
				if got := hash(t, p, table); got != want {
					t.Errorf("%+v, %s columns, %d threads: another model than from columns", c, name, threads)
				}
			}
		}
		for builder, ran := range map[string]string{"auto": "direct", "": "direct", "sequential": "sequential", "row": "row"} {
			var report booster.Report
			p.Builder = builder
			if got := hash(t, p, tables["sparse"], booster.WithReport(&report)); got != want {
				t.Errorf("%+v, builder %q: another model than from columns", c, builder)
			}
			if report.Builder != ran {
				t.Errorf("builder %q: %q ran", builder, report.Builder)
			}
		}
		p.Binning.Layout, p.Builder = "auto", "auto"
		if got := hash(t, p, tables["sparse"]); got != want {
			t.Errorf("%+v, sparse columns, layout auto: another model than from columns", c)
		}
	}
}

func mustColumns(t *testing.T, columns []dataset.ColumnData) *dataset.Table {
	t.Helper()
	table, err := dataset.FromColumns(columns, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	return table
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
	return mustColumns(t, append(columns, dataset.ColumnData{Name: "y", Values: label}))
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
	table, err := dataset.FromColumns(columns, dataset.Label(of.LabelColumn().Name()), dataset.Categorical(categorical...), dataset.MissingOnly(""))
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

// Nodes that have far fewer rows than there are codes keep to the codes of their rows, and
// give the model that is made of whole histograms, which sparse layouts keep.
func TestFewRowsOfManyCodes(t *testing.T) {
	testenv.Unraced(t)
	const rows, features = 12_000, 9
	r := rand.New(rand.NewPCG(71, 72))
	var columns []dataset.ColumnData
	label := make([]float64, rows)
	for f := range features {
		values := make([]float64, rows)
		for row := range values {
			values[row] = r.NormFloat64()
			label[row] += math.Sin(values[row]*float64(f)) + 0.1*r.NormFloat64()
			switch {
			case f%4 == 1 && r.IntN(3) == 0:
				values[row] = math.NaN()
			case f == 2:
				values[row] = math.Round(values[row] * 3) // half a byte
			case f == 3:
				values[row] = math.Round(values[row] * 40)
			}
		}
		columns = append(columns, dataset.ColumnData{Name: fmt.Sprintf("f%d", f), Values: values})
	}
	levels := make([]string, rows)
	for row := range levels {
		levels[row] = fmt.Sprintf("l%d", r.IntN(400))
	}
	columns = append(columns, dataset.ColumnData{Name: "c", Values: levels}, dataset.ColumnData{Name: "y", Values: label})
	table, err := dataset.FromColumns(columns, dataset.Label("y"), dataset.Categorical("c"))
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		mode           string
		minData        int
		rows, features float64
		reuse          float64
	}{{"i16", 20, 1, 1, 0}, {"i32", 0, 1, 1, 0}, {"i16", 1, 0.4, 0.9, 0}, {"i16", 20, 1, 1, 0.6}}
	for _, c := range cases[:testenv.UnlessShort(len(cases), 2)] {
		p := booster.Defaults()
		p.Objective, p.Rounds, p.Gradients, p.RowFraction, p.Verify = "regression", 3, c.mode, c.rows, true
		p.Tree.Leaves, p.Tree.MinDataInLeaf, p.Tree.ColTree, p.Binning.MaxBin = 40, c.minData, c.features, 65_536
		p.Tree.ReuseCut = c.reuse
		p.Binning.Layout, p.Builder = "csr", "row"
		want := hash(t, p, table)
		for _, builder := range []string{"sequential", "feature", "row"} {
			p.Binning.Layout, p.Builder, p.Threads = "col", builder, 3
			if got := hash(t, p, table); got != want {
				t.Errorf("%+v, builder %s: another model than from whole histograms", c, builder)
			}
		}
	}
}
