package booster_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/gradients"
	"boost/internal/testenv"
	"boost/objectives"
	"boost/parallel"
)

// lossesOfNumbers lists the losses of numbers with parameters that fit the shipped prices.
func lossesOfNumbers() (names []string, params map[string]objectives.Params) {
	params = map[string]objectives.Params{
		"quantile": {Alpha: []float64{0.1, 0.5, 0.9}}, "expectile": {Alpha: []float64{0.8}}, "huber": {Delta: 20_000}, "fair": {FairC: 10_000},
	}
	for _, name := range objectives.Names() {
		if info, _ := objectives.Lookup(name); !info.HasClasses() && !info.Queries && !info.Several {
			names = append(names, name)
		}
	}
	return names, params
}

// weightedPrices is the shipped set of prices with uneven weights, some of them 0.
func weightedPrices(t *testing.T, table *dataset.Table) *dataset.Table {
	t.Helper()
	labels, err := table.NumericLabels()
	if err != nil {
		t.Fatal(err)
	}
	n := len(labels)
	weights, area, year := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		weights[i] = float64(i*7%5) / 4
		area[i] = math.Sqrt(labels[i]) + float64(i*31%97)
		year[i] = float64(i * 13 % 11)
	}
	made, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "price", Values: labels}, {Name: "w", Values: weights}, {Name: "area", Values: area}, {Name: "year", Values: year},
	}, dataset.Label("price"), dataset.Weight("w"))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// Every loss of numbers trains to the same bytes on any number of threads and builder, saves and loads, goes on from half of its
// rounds as if never stopped, and predicts what its link says.
func TestLossesOfNumbers(t *testing.T) {
	testenv.Unraced(t)
	table := openShipped(t, "ames_housing")
	names, params := lossesOfNumbers()
	for i, name := range names {
		t.Run(name, func(t *testing.T) {
			for j, mode := range gradients.Names()[1:] {
				if mode != "i16" && (testing.Short() || !testenv.Soak() && i%2 != j%2) {
					continue // half of the losses with each of the others
				}
				table := table
				if strings.HasPrefix(name, "cross_entropy") {
					table = chances(t)
				}
				p := booster.Defaults()
				p.Objective, p.Loss, p.Gradients, p.Rounds, p.Tree.Leaves = name, params[name], mode, 4, 12
				valid := booster.Valid("valid", table.Take(sequence(0, 200)))
				whole := train(t, p, table, valid, booster.WithPool(pool(t, 1)))
				want := bytesOf(t, whole)
				p.Builder = "row"
				if !bytes.Equal(bytesOf(t, train(t, p, table, valid, booster.WithPool(pool(t, 3)))), want) {
					t.Errorf("%s: 3 threads by rows give another model", mode)
				}
				p.Builder, p.Rounds = "auto", 2
				base := train(t, p, table, valid)
				p.Loss = objectives.Params{} // taken from the base
				more := train(t, p, table, valid, booster.From(base))
				if got := unbased(t, more, whole); !bytes.Equal(got, want) {
					t.Errorf("%s: 2 rounds and 2 more are not 4: %s", mode, model.DiffSections(got, want))
				}
			}
		})
	}
}

// chances is a set whose labels lie between 0 and 1.
func chances(t *testing.T) *dataset.Table {
	labels, feature, other := make([]float64, 1500), make([]float64, 1500), make([]float64, 1500)
	for i := range labels {
		feature[i], other[i] = float64(i*31%97), float64(i*i%53)
		labels[i] = math.Abs(math.Sin(feature[i]/20)) * float64(50+i%50) / 99
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "y", Values: labels}, {Name: "a", Values: feature}, {Name: "b", Values: other}}, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// pool returns a pool of the test's.
func pool(t *testing.T, threads int) *parallel.Pool {
	p := parallel.NewPool(threads)
	t.Cleanup(p.Close)
	return p
}

// Leaves of the losses of distances are the learning rate times the weighted quantile of what their rows lack, whatever the codes of
// gradients and the rows that are sampled; a refit without the old values finds the same.
func TestQuantileLeaves(t *testing.T) {
	testenv.Unraced(t)
	ctx := context.Background()
	table := weightedPrices(t, openShipped(t, "ames_housing"))
	labels, _ := table.NumericLabels()
	weights, _ := table.Weights()
	for _, c := range []struct {
		name   string
		levels []float64
	}{{"l1", []float64{0.5}}, {"quantile", []float64{0.2}}, {"quantile", []float64{0.1, 0.5, 0.95}}, {"mape", []float64{0.5}}} {
		for _, mode := range []string{"i16", "f32", "i4"} {
			t.Run(fmt.Sprint(c.name, c.levels, mode), func(t *testing.T) {
				p := booster.Defaults()
				p.Objective, p.Gradients, p.Rounds, p.LearningRate, p.Tree.Leaves = c.name, mode, 3, 0.3, 8
				if c.name == "quantile" {
					p.Loss.Alpha = c.levels
				}
				m := train(t, p, table)
				k := m.Outputs()
				score := make([][]float64, k)
				for o := range k {
					score[o] = slices.Repeat([]float64{m.Contents().BaseScore[o]}, len(labels))
				}
				leaves, err := m.PredictLeaf(ctx, table)
				if err != nil {
					t.Fatal(err)
				}
				for tree := range m.NumTrees() {
					o := tree % k
					lack, weight := map[int32][]float64{}, map[int32][]float64{} // by leaf
					for row := range labels {
						leaf, w := leaves[row*m.NumTrees()+tree], weights[row]
						if c.name == "mape" {
							w /= max(1, labels[row])
						}
						lack[leaf], weight[leaf] = append(lack[leaf], labels[row]-score[o][row]), append(weight[leaf], w)
					}
					for leaf, value := range m.Contents().Trees[tree].Leaf {
						values, w := lack[int32(leaf)], weight[int32(leaf)]
						least := slices.MinFunc(values, func(a, b float64) int {
							return cmp.Compare(pinball(a, values, w, c.levels[o]), pinball(b, values, w, c.levels[o]))
						})
						if got, want := pinball(value/0.3, values, w, c.levels[o]), pinball(least, values, w, c.levels[o]); got > want*(1+1e-6) {
							t.Fatalf("tree %d, leaf %d of %d rows: %v loses %v, %v only %v", tree, leaf, len(values), value/0.3, got, least, want)
						}
					}
					for row := range labels {
						score[o][row] += m.Contents().Trees[tree].Leaf[leaves[row*m.NumTrees()+tree]]
					}
				}
				again, err := booster.Refit(ctx, m, table, 0)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(again.Leaves(), m.Leaves()) {
					t.Error("a refit to the same rows has other leaves")
				}
			})
		}
	}
}

// pinball is the weighted loss of a number as the quantile of values.
func pinball(at float64, values, weights []float64, level float64) (sum float64) {
	for i, v := range values {
		sum += weights[i] * max(level*(v-at), (level-1)*(v-at))
	}
	return sum
}

// A share of the labels as large as its level lies below each raw score of the training rows. Predictions never cross, and lose no more.
func TestQuantilesDoNotCross(t *testing.T) {
	testenv.Unraced(t)
	ctx := context.Background()
	table := openShipped(t, "ames_housing")
	labels, _ := table.NumericLabels()
	p := booster.Defaults()
	levels := []float64{0.05, 0.25, 0.5, 0.75, 0.95}
	p.Objective, p.Loss.Alpha, p.Rounds, p.LearningRate, p.MvsFraction = "quantile", levels, 60, 0.3, 0.5
	m := train(t, p, table)
	loaded, err := model.Decode(bytesOf(t, m))
	if err != nil {
		t.Fatal(err)
	}
	values, err := loaded.Predict(ctx, table)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := loaded.PredictRaw(ctx, table)
	if err != nil {
		t.Fatal(err)
	}
	crossed := 0
	below := make([]float64, len(levels))
	for row, y := range labels {
		own := values[row*len(levels) : (row+1)*len(levels)]
		if !slices.IsSorted(own) {
			t.Fatalf("row %d: %v", row, own)
		}
		scores := raw[row*len(levels) : (row+1)*len(levels)]
		if !slices.IsSorted(scores) {
			crossed++
		}
		before, after := 0.0, 0.0
		for k, v := range scores {
			if y < v {
				below[k] += 1 / float64(len(labels))
			}
			before += pinball(v, []float64{y}, []float64{1}, levels[k])
			after += pinball(own[k], []float64{y}, []float64{1}, levels[k])
		}
		if after > before*(1+1e-12) {
			t.Errorf("row %d: predictions lose %v, raw scores %v", row, after, before)
		}
	}
	if crossed == 0 {
		t.Error("no raw scores cross: the test shows nothing")
	}
	for k, level := range levels {
		if math.Abs(below[k]-level) > 0.05 {
			t.Errorf("%.3f of the labels lie below the raw score of %v", below[k], level)
		}
	}
	if got := strings.Join(loaded.OutputNames(), " "); got != "quantile_0.05 quantile_0.25 quantile_0.5 quantile_0.75 quantile_0.95" {
		t.Errorf("outputs are called %s", got)
	}
}

// What a loss does not take is refused, before training.
func TestLossRefuses(t *testing.T) {
	table := openShipped(t, "ames_housing")
	for _, c := range []struct {
		change func(p *booster.Params)
		opts   []booster.Option
		want   string
	}{
		{func(p *booster.Params) { p.Objective, p.Loss.Power = "l1", 1.5 }, nil, "objective.power is for objective tweedie, not l1"},
		{func(p *booster.Params) { p.Loss.Power = 1.5 }, nil, "objective.power is for objective tweedie, not regression"},
		{func(p *booster.Params) { p.Objective, p.Loss.Power = "tweedie", 2.5 }, nil, "objective.power = 2.5: must be 0 … 2"},
		{func(p *booster.Params) { p.Loss.Power = 1.5 }, []booster.Option{booster.WithObjective(
			objectives.FromFunc("mine", objectives.Identity, func(s, y float64) (float64, float64) { return s - y, 1 }))},
			"objective mine is your own: parameters of built-in ones (objective.…) have no effect on it"},
	} {
		p := booster.Defaults()
		c.change(&p)
		if _, err := booster.Train(context.Background(), p, table, c.opts...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// Losses of distances learn the same whatever the unit of the labels.
func TestUnitsOfLabels(t *testing.T) {
	testenv.Unraced(t)
	for _, name := range []string{"l1", "mape", "huber", "fair", "log_cosh"} {
		for _, unit := range []float64{1e3, 1e8} {
			labels, feature := make([]float64, 2000), make([]float64, 2000)
			for i := range labels {
				feature[i] = float64(i * 37 % 101)
				labels[i] = unit * (1 + feature[i]/50 + float64(i*7%11)/40)
			}
			table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "y", Values: labels}, {Name: "a", Values: feature}}, dataset.Label("y"))
			if err != nil {
				t.Fatal(err)
			}
			p := booster.Defaults()
			p.Objective, p.Rounds, p.Metrics = name, 60, []string{"mae"}
			var report booster.Report
			train(t, p, table, booster.WithReport(&report))
			if mae := report.Metrics["train"]["mae"] / unit; mae > 0.12 {
				t.Errorf("%s: mae is %v units of %v", name, mae, unit)
			}
		}
	}
}

// Levels are told apart in any unit of the label: the predictions of labels 1024 times as large are 1024 times as large, to the bit.
func TestUnitsOfLabelsWithLevels(t *testing.T) {
	testenv.Unraced(t)
	predict := func(unit float64) []float64 {
		labels, level := make([]float64, 2000), make([]string, 2000)
		for i := range labels {
			level[i] = string(rune('a' + i*37%23))
			labels[i] = unit * (2 + float64(i*37%23*5%23) + float64(i*7%11)/40)
		}
		table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "y", Values: labels}, {Name: "a", Values: level}}, dataset.Label("y"))
		if err != nil {
			t.Fatal(err)
		}
		p := booster.Defaults()
		p.Objective, p.Rounds, p.Tree.MinPerGroup = "mape", 60, 10
		values, err := train(t, p, table).Predict(context.Background(), table)
		if err != nil {
			t.Fatal(err)
		}
		return values
	}
	small, large := predict(1), predict(1024)
	for i, v := range small {
		if large[i] != 1024*v {
			t.Fatalf("row %d: %v and %v, of labels 1024 times as large", i, v, large[i])
		}
	}
}

// Weights may be as small as numbers get.
func TestTinyWeights(t *testing.T) {
	labels, weights := []float64{1, 2, 3, 4}, []float64{1e-310, 2e-310, 1e-310, 1e-310}
	for _, name := range []string{"quantile", "l1", "mape", "huber"} {
		o, err := objectives.New(name, objectives.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if base, err := o.BaseScore(objectives.Rows{Labels: labels, Weights: weights}); err != nil || !(base[0] >= 1 && base[0] <= 3) {
			t.Errorf("%s: start %v (%v)", name, base, err)
		}
	}
}

// Labels whose squares are beyond float32, in which gains of splits are kept, train the trees of the same labels in another unit.
func TestHugeLabels(t *testing.T) {
	const unit = 1 << 60 // a power of two: nothing is rounded otherwise
	rows := make([][]float64, 500)
	for i := range rows {
		x := float64(i * 7919 % 500)
		rows[i] = []float64{x, math.Sin(x/40) + x/500}
	}
	predictions := func(unit float64) []float64 {
		scaled := make([][]float64, len(rows))
		for i, row := range rows {
			scaled[i] = []float64{row[0], row[1] * unit}
		}
		table, err := dataset.FromRows(scaled, "x", "y")
		if err != nil {
			t.Fatal(err)
		}
		if table, err = table.WithLabel("y"); err != nil {
			t.Fatal(err)
		}
		p := booster.Defaults()
		p.Objective, p.Rounds = "regression", 10
		m, err := booster.Train(t.Context(), p, table)
		if err != nil {
			t.Fatalf("labels of %v: %v", unit, err)
		}
		values, err := m.Predict(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		return values
	}
	plain, huge := predictions(1), predictions(unit*unit)
	for i := range plain {
		if huge[i] != plain[i]*unit*unit {
			t.Fatalf("row %d: %v, want %v", i, huge[i], plain[i]*unit*unit)
		}
	}
}
