package booster_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/booster"
	"boost/dataset"
	"boost/internal/testenv"
)

// anyTables are the seeds of random tables: the first ones, and those that have found faults.
var anyTables = append(sequence(0, 150), 310, 1345)

// monotoneOptions go together with constraints. A later one sets aside what an earlier one has set that it does not go together with.
var monotoneOptions = []struct {
	name string
	set  func(p *booster.Params)
}{
	{"penalties", func(p *booster.Params) { p.Tree.LambdaL1, p.Tree.LambdaL2 = 0.4, 2 }},
	{"step", func(p *booster.Params) { p.Tree.MaxDeltaStep = 0.3 }},
	{"smooth", func(p *booster.Params) { p.Tree.PathSmooth = 5 }},
	{"dart", func(p *booster.Params) { p.Boosting, p.Dart.DropRate = booster.DartBoosting, 0.4 }},
	{"forest", func(p *booster.Params) {
		p.Boosting, p.Dart, p.RowFraction = booster.RandomForest, booster.DefaultDart(), 0.6
	}},
	{"depth", func(p *booster.Params) { p.Tree.Growth = "depth" }},
	{"extra", func(p *booster.Params) { p.Tree.ExtraTrees = true }},
	{"columns", func(p *booster.Params) { p.Tree.ColNode = 0.7 }},
	{"reuse", func(p *booster.Params) { p.Tree.ReuseFeature, p.Tree.ReuseCut = 0.2, 0.2 }},
	{"penalty", func(p *booster.Params) { p.Tree.MonotonePenalty = 0.5 }},
	{"forced", func(p *booster.Params) {
		p.Tree.ForcedSplits = `{"feature": "a", "threshold": 1.5, "left": {"feature": "b", "threshold": 0.5}, "right": {"feature": "b", "threshold": 2.5}}`
	}},
	{"few levels", func(p *booster.Params) { p.Tree.MinPerGroup, p.Tree.Smooth = 5, 1 }},
}

// anyTable is a table of random columns: some numeric, with few or many values and some missing, and categories; and random constraints.
type anyTable struct {
	columns    []dataset.ColumnData
	directions map[string]int
}

func drawTable(random *rand.Rand) anyTable {
	n := 60 + random.IntN(500)
	d := anyTable{directions: map[string]int{}}
	y := make([]float64, n)
	for c := range 2 + random.IntN(4) {
		values, kinds, missing, slope := make([]float64, n), 2+random.IntN(30), random.IntN(3) == 0, random.NormFloat64()
		for i := range values {
			values[i] = float64(random.IntN(kinds))
			y[i] += slope*values[i]/float64(kinds) + math.Sin(values[i]*slope)
			if missing && random.IntN(6) == 0 {
				values[i] = math.NaN()
			}
		}
		name := string(rune('a' + c))
		d.columns = append(d.columns, dataset.ColumnData{Name: name, Values: values})
		if direction := random.IntN(4) - 1; c == 0 || direction != 0 {
			d.directions[name] = max(-1, min(1, 2*direction-1))
		}
	}
	for c := range random.IntN(3) {
		values, kinds := make([]string, n), 2+random.IntN(7)
		for i := range values {
			level := random.IntN(kinds)
			values[i] = string(rune('p' + level))
			y[i] += float64(level%3) * random.NormFloat64()
		}
		d.columns = append(d.columns, dataset.ColumnData{Name: fmt.Sprint("cat", c), Values: values})
	}
	median := slices.Sorted(slices.Values(y))[n/2]
	for i := range y {
		if y[i] += random.NormFloat64(); random.IntN(50) == 0 {
			y[i] *= 8
		}
	}
	count := make([]float64, n)
	class := make([]float64, n)
	for i := range y {
		count[i] = math.Floor(math.Abs(y[i]))
		if y[i] > median {
			class[i] = 1
		}
	}
	d.columns = append([]dataset.ColumnData{{Name: "y", Values: y}, {Name: "count", Values: count}, {Name: "class", Values: class}}, d.columns...)
	return d
}

// sweep fails where raw predictions leave their order along a column with a direction, from any of the rows.
func (d *anyTable) sweep(t *testing.T, m *booster.Model, random *rand.Rand) {
	t.Helper()
	for _, along := range d.columns[3:] {
		direction := d.directions[along.Name]
		values, numeric := along.Values.([]float64)
		if direction == 0 || !numeric {
			continue
		}
		grid := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
		slices.Sort(grid)
		grid = append(slices.Compact(grid), math.Inf(1))
		grid = append([]float64{-5}, grid...)
		rows := make([]int, 40)
		for i := range rows {
			rows[i] = random.IntN(len(values))
		}
		var table []dataset.ColumnData
		for _, c := range d.columns[3:] {
			switch from := c.Values.(type) {
			case []string:
				var to []string
				for _, row := range rows {
					level := from[row]
					if random.IntN(8) == 0 {
						level = "unseen"
					}
					to = append(to, slices.Repeat([]string{level}, len(grid))...)
				}
				c.Values = to
			case []float64:
				var to []float64
				for _, row := range rows {
					value := from[row]
					if random.IntN(8) == 0 {
						value = math.NaN()
					}
					to = append(to, slices.Repeat([]float64{value}, len(grid))...)
				}
				if c.Name == along.Name {
					to = slices.Repeat(grid, len(rows))
				}
				c.Values = to
			}
			table = append(table, c)
		}
		read, err := dataset.FromColumns(table, dataset.As(m.Schema()))
		if err != nil {
			t.Fatal(err)
		}
		scores, err := m.PredictRaw(context.Background(), read)
		if err != nil {
			t.Fatal(err)
		}
		for i := range scores {
			if i%len(grid) > 0 && float64(direction)*(scores[i]-scores[i-1]) < 0 {
				t.Fatalf("along %s, direction %d, from row %d the score goes from %v to %v between %v and %v",
					along.Name, direction, rows[i/len(grid)], scores[i-1], scores[i], grid[i%len(grid)-1], grid[i%len(grid)])
			}
		}
	}
}

// Along constrained columns no prediction leaves its order, whatever the table, the constraints, the method and what else is set, and
// whatever the values of the others are; nor after a refit to other rows. Layouts and threads make no difference.
func TestMonotoneOfAnyTable(t *testing.T) {
	testenv.Unraced(t)
	for _, seed := range anyTables {
		random := rand.New(rand.NewPCG(uint64(seed), 27))
		d := drawTable(random)
		p := booster.Defaults()
		p.Rounds, p.Tree.MinDataInLeaf, p.Tree.Leaves, p.LearningRate = 8, 1+random.IntN(6), 2+random.IntN(30), 0.3
		p.Tree.Monotone = d.directions
		p.Tree.MonotoneMethod = []string{"basic", "intermediate", "advanced", "advanced", "advanced"}[seed%5]
		label := []string{"y", "y", "class", "count"}[random.IntN(4)]
		objectives := map[string][]string{"y": {"regression", "huber", "fair"}, "class": {"binary"}, "count": {"poisson", "tweedie"}}[label]
		p.Objective = objectives[random.IntN(len(objectives))]
		p.Gradients = []string{"i16", "f32", "i8", "i4", "i32"}[random.IntN(5)]
		name := fmt.Sprint(seed, " ", p.Tree.MonotoneMethod, " ", p.Objective, " ", p.Gradients)
		for _, option := range monotoneOptions {
			if random.IntN(6) == 0 {
				option.set(&p)
				name += " " + option.name
			}
		}
		t.Run(name, func(t *testing.T) {
			table, err := dataset.FromColumns(d.columns, dataset.Label(label), dataset.Ignore(slices.DeleteFunc([]string{"y", "class", "count"}, func(s string) bool { return s == label })...))
			if err != nil {
				t.Fatal(err)
			}
			m := train(t, p, table, booster.WithPool(pool(t, 1)))
			d.sweep(t, m, random)
			want := bytesOf(t, m)
			if p.Gradients != "f32" {
				p.Binning.Layout = "csr"
			}
			if !bytes.Equal(bytesOf(t, train(t, p, table, booster.WithPool(pool(t, 3)))), want) {
				t.Error("3 threads and layout csr give another model")
			}
			if p.Tree.PathSmooth > 0 || p.Boosting == booster.DartBoosting { // is not refitted
				return
			}
			refitted, err := booster.Refit(context.Background(), m, table.Take(sequence(0, 40)), 0.1)
			if err != nil {
				t.Fatal(err)
			}
			d.sweep(t, refitted, random)
		})
	}
}
