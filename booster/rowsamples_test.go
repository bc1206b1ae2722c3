package booster_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"boost/binning"
	"boost/booster"
	"boost/dataset"
	"boost/gradients"
	"boost/internal/testenv"
	"boost/parallel"
)

// drawn returns a table of rows with x of 0 and 1, a label, a column g of groups and queries.
func drawn(t testing.TB, rows int, classes bool) *dataset.Table {
	t.Helper()
	x, y, q := make([]float64, rows), make([]float64, rows), make([]float64, rows)
	g := make([]string, rows)
	for i := range rows {
		x[i], q[i], g[i] = float64(i%2), float64(i/7), fmt.Sprint("g", i*5%(rows/4))
		if y[i] = x[i]*10 + float64(i%7); classes {
			y[i] = float64((i*i/3 + i) % 3 / 2)
		}
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "x", Values: x}, {Name: "g", Values: g}, {Name: "q", Values: q}, {Name: "y", Values: y},
	}, dataset.Label("y"), dataset.ID("g"), dataset.Group("q"))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// rowSamples are ways to draw rows, and what package gradients makes of them.
var rowSamples = map[string]struct {
	classes bool
	set     func(p *booster.Params)
	draws   func(pool *parallel.Pool, bag *gradients.Bag, b *gradients.Buffer, class []float64, seed uint64)
}{
	"replace": {false, func(p *booster.Params) { p.Replace, p.RowFraction = true, 0.8 },
		func(pool *parallel.Pool, bag *gradients.Bag, b *gradients.Buffer, _ []float64, seed uint64) {
			set := gradients.BootstrapSettings{Shares: []float64{0.8}, Replace: true}
			gradients.NewBootstrap(len(b.Grad), set).Sample(pool, bag, b, seed, 0)
		}},
	"query": {false, func(p *booster.Params) { p.RowBy, p.RowFraction = booster.ByQuery, 0.5 },
		func(pool *parallel.Pool, bag *gradients.Bag, b *gradients.Buffer, _ []float64, seed uint64) {
			groups := make([]uint32, len(b.Grad))
			for i := range groups {
				groups[i] = uint32(i / 7)
			}
			set := gradients.BootstrapSettings{Shares: []float64{0.5}, Groups: groups}
			gradients.NewBootstrap(len(b.Grad), set).Sample(pool, bag, b, seed, 0)
		}},
	"column": {false, func(p *booster.Params) { p.RowBy, p.RowFraction, p.Replace = "g", 0.5, true },
		func(pool *parallel.Pool, bag *gradients.Bag, b *gradients.Buffer, _ []float64, seed uint64) {
			groups, number := make([]uint32, len(b.Grad)), map[int]uint32{} // by first appearance
			for i := range groups {
				name := i * 5 % (len(groups) / 4)
				if _, ok := number[name]; !ok {
					number[name] = uint32(len(number))
				}
				groups[i] = number[name]
			}
			set := gradients.BootstrapSettings{Shares: []float64{0.5}, Groups: groups, Replace: true}
			gradients.NewBootstrap(len(b.Grad), set).Sample(pool, bag, b, seed, 0)
		}},
	"classes": {true, func(p *booster.Params) { p.PositiveFraction, p.NegativeFraction = 0.9, 0.2 },
		func(pool *parallel.Pool, bag *gradients.Bag, b *gradients.Buffer, class []float64, seed uint64) {
			set := gradients.BootstrapSettings{Shares: []float64{0.2, 0.9}, Class: class}
			gradients.NewBootstrap(len(b.Grad), set).Sample(pool, bag, b, seed, 0)
		}},
	"stratified": {true, func(p *booster.Params) { p.Stratified, p.RowFraction = true, 0.3 },
		func(pool *parallel.Pool, bag *gradients.Bag, b *gradients.Buffer, class []float64, seed uint64) {
			gradients.NewStrata(class, 2, 0.3).Sample(pool, bag, seed, 0)
		}},
	"bayesian": {false, func(p *booster.Params) { p.BaggingTemperature = 1 }, nil},
}

// By hand: a tree with a leaf for each x has the values -Σwg/Σwh over the rows that are drawn, times the learning rate; the
// draws are those of package gradients, whose tests say what they are. Where draws last for two rounds, a second round of
// squared loss at learning rate 1 finds nothing.
func TestRowSamplesByHand(t *testing.T) {
	testenv.Unraced(t)
	const rows = 2100
	for name, c := range rowSamples {
		t.Run(name, func(t *testing.T) {
			table := drawn(t, rows, c.classes)
			p := booster.Defaults()
			p.Objective, p.Rounds, p.LearningRate, p.Gradients, p.RowEvery = "regression", 2, 1, "i32", 2
			if c.classes {
				p.Objective = "binary"
			}
			c.set(&p)
			if p.BaggingTemperature > 0 {
				p.RowEvery = 1
			}
			m := train(t, p, table)
			labels, err := table.NumericLabels()
			if err != nil {
				t.Fatal(err)
			}
			pool := parallel.NewPool(1)
			defer pool.Close()
			bag, b := gradients.NewBag(rows), gradients.NewBuffer(rows, 1)
			base := m.Contents().BaseScore[0]
			for i, y := range labels {
				b.Grad[i], b.Hess[i] = float32(base-y), 1
				if c.classes {
					chance := 1 / (1 + math.Exp(-base))
					b.Grad[i], b.Hess[i] = float32(chance-y), float32(chance*(1-chance))
				}
			}
			in := make([]float64, rows)
			if c.draws == nil {
				gradients.WeighBayesian(pool, b, 1, nil, p.Seed, 0)
			} else {
				c.draws(pool, bag, b, labels, p.Seed)
				for _, row := range bag.Outside(nil) {
					in[row] = -1
				}
			}
			var grad, hess [2]float64
			for i := range rows {
				if in[i] == 0 {
					grad[i%2], hess[i%2] = grad[i%2]+float64(b.Grad[i]), hess[i%2]+float64(b.Hess[i])
				}
			}
			leaves := m.Leaves()
			if len(leaves) < 2 {
				t.Fatalf("leaves %v", leaves)
			}
			for side := range grad {
				if want := -grad[side] / hess[side]; math.Abs(leaves[side]-want) > 1e-5*math.Abs(want) {
					t.Errorf("leaf %d is %v, want %v", side, leaves[side], want)
				}
			}
			if !c.classes && p.RowEvery == 2 {
				for _, leaf := range leaves[2:] {
					if math.Abs(leaf) > 1e-4 {
						t.Errorf("the second round on the same rows has leaves %v", leaves[2:])
					}
				}
			}
		})
	}
}

// Draws depend neither on threads nor on layouts, with every way of boosting and every storage of gradients.
func TestRowSamplesGiveTheSameBytes(t *testing.T) {
	tables := map[bool]*dataset.Table{false: drawn(t, 70_000, false), true: drawn(t, 70_000, true)}
	for name, c := range rowSamples {
		for i, boosting := range []string{"gbdt", "dart", "rf"}[:testenv.UnlessShort(3, 1)] {
			t.Run(name+"/"+boosting, func(t *testing.T) {
				p := booster.Defaults()
				p.Objective, p.Rounds, p.Tree.Leaves, p.Boosting = "regression", 4, 4, boosting
				p.Gradients = []string{"i16", "i8", "f32"}[i]
				if c.classes {
					p.Objective = "binary"
				}
				c.set(&p)
				want := ""
				for at, layout := range []string{binning.Auto, binning.LayoutCol, binning.LayoutRow}[:testenv.UnlessShort(3, 1)] {
					for _, threads := range []int{1, 3} {
						if at > 0 && threads != 3 && !testenv.Soak() {
							continue
						}
						pool := parallel.NewPool(threads)
						q := p
						q.Binning.Layout = layout
						got := hash(t, q, tables[c.classes], booster.WithPool(pool))
						pool.Close()
						if want == "" {
							want = got
						}
						if got != want {
							t.Errorf("layout %s, %d threads: model %s, want %s", layout, threads, got, want)
						}
					}
				}
				for key, value := range map[string]float64{"row_every": 2, "seed": 2} { // they matter
					q := p
					if key == "seed" {
						q.Seed = uint64(value)
					} else if q.RowEvery = int(value); boosting == "rf" {
						continue
					}
					if hash(t, q, tables[c.classes]) == want {
						t.Errorf("%s = %v gives the same model", key, value)
					}
				}
			})
		}
	}
}

func TestRowSamplesRefuse(t *testing.T) {
	for _, c := range []struct {
		set  func(p *booster.Params)
		want string
	}{
		{func(p *booster.Params) { p.PositiveFraction, p.RowFraction = 0.5, 0.5 }, "sampling.positive_fraction and negative_fraction and row_fraction do not go together"},
		{func(p *booster.Params) { p.RowBy, p.RowFraction, p.Stratified = "g", 0.5, true }, "sampling.row_by and stratified do not go together"},
		{func(p *booster.Params) { p.Replace, p.MvsFraction = true, 0.5 }, "sampling.replace and goss_top or mvs_fraction do not go together"},
		{func(p *booster.Params) { p.BaggingTemperature, p.RowFraction = 1, 0.5 }, "sampling.bagging_temperature and what else draws rows do not go together"},
		{func(p *booster.Params) { p.RowBy = "g" }, "set sampling.row_fraction below 1"},
		{func(p *booster.Params) { p.Stratified = true }, "set sampling.row_fraction below 1"},
	} {
		p := booster.Defaults()
		c.set(&p)
		if err := p.Validate(); !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: want %q", err, c.want)
		}
	}
	for _, c := range []struct {
		set   func(p *booster.Params)
		class error
		want  string
	}{
		{func(p *booster.Params) { p.PositiveFraction = 0.5 }, booster.ErrParams, "are for two classes"},
		{func(p *booster.Params) { p.Stratified, p.RowFraction = true, 0.5 }, booster.ErrParams, "has none"},
		{func(p *booster.Params) { p.RowBy, p.RowFraction = "h", 0.5 }, dataset.ErrTable, `no id column "h"`},
		{func(p *booster.Params) { p.RowBy, p.RowFraction = "x", 0.5 }, dataset.ErrTable, `no id column "x"`},
	} {
		p := booster.Defaults()
		p.Objective = "regression"
		c.set(&p)
		if _, err := booster.Train(t.Context(), p, drawn(t, 700, false)); !errors.Is(err, c.class) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: want %q", err, c.want)
		}
	}
	p := booster.Defaults()
	p.Objective, p.RowBy, p.RowFraction = "regression", booster.ByQuery, 0.5
	if _, err := booster.Train(t.Context(), p, small(t, 1, 100, false)); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), "no queries") {
		t.Errorf("no queries: %v", err)
	}
}
