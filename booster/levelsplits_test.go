package booster_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"boost/binning"
	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/tree/grow"
)

// zones makes a table whose column zone has levels of 20 rows each, that follow a label which one number does not explain.
// Every seventh zone is missing if gaps is set.
func zones(t *testing.T, rows int, gaps bool) *dataset.Table {
	t.Helper()
	zone, x, y := make([]string, rows), make([]float64, rows), make([]float64, rows)
	for i := range rows {
		level := i * 7919 % (rows / 20)
		zone[i], x[i] = fmt.Sprintf("z%d", level), float64(i*31%1009)/1009
		y[i] = x[i] + math.Sin(float64(level)) + float64(i*17%101)/101
		if gaps && i%7 == 0 {
			zone[i] = ""
		}
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "zone", Values: zone}, {Name: "x", Values: x}, {Name: "y", Values: y}}, dataset.Label("y"), dataset.Categorical("zone"))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func zoneParams() booster.Params {
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Tree.Leaves, p.LevelSplits, p.Combinations = "regression", 20, 8, booster.AutoSplits, 0
	return p
}

// A level that training has not seen stands where the mean of the label does: the prediction is that of a level with
// such a mean, whatever the other columns say.
func TestUnseenLevelOfOrder(t *testing.T) {
	ctx := context.Background()
	for _, gaps := range []bool{false, true} {
		m, err := booster.Train(ctx, zoneParams(), zones(t, 4000, gaps))
		if err != nil {
			t.Fatal(err)
		}
		if !m.Contents().Cuts.Features[0].Ordered {
			t.Fatal("200 levels are not in order")
		}
		var levels []string
		for i := range 200 {
			levels = append(levels, fmt.Sprintf("z%d", i))
		}
		levels = append(levels, "new", "")
		x := slices.Repeat([]float64{0.5}, len(levels))
		table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "zone", Values: levels}, {Name: "x", Values: x}}, dataset.As(m.Schema()))
		if err != nil {
			t.Fatal(err)
		}
		out, err := m.Predict(ctx, table)
		if err != nil {
			t.Fatal(err)
		}
		known := out[:200]
		fresh, missing := out[200], out[201]
		if fresh != missing {
			t.Errorf("gaps %v: a new level predicts %v, a missing one %v", gaps, fresh, missing)
		}
		if spread := slices.Max(known) - slices.Min(known); spread < 1 {
			t.Errorf("gaps %v: levels explain %v of the label, want most of 2", gaps, spread)
		}
		// The label's mean at x = 0.5 is 1 + the mean of sin = 1.
		if !gaps && math.Abs(fresh-1) > 0.25 {
			t.Errorf("a new level predicts %v, want about the mean, 1", fresh)
		}
	}
}

// Ordered levels give one model from memory, from files, and through a cache; what is written is read again in every form.
func TestOrderedLevelsInAllForms(t *testing.T) {
	ctx := context.Background()
	table := zones(t, 3000, true)
	p := zoneParams()
	m, err := booster.Train(ctx, p, table)
	if err != nil {
		t.Fatal(err)
	}
	file := bytesOf(t, m)
	for _, layout := range []string{"row", "csr", "ellpack", "both"} {
		q := p
		q.Binning.Layout, q.Threads = layout, 3
		other, err := booster.Train(ctx, q, table)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bytesOf(t, other), file) {
			t.Errorf("layout %s gives another model", layout)
		}
	}
	again, err := model.DecodeText(m.EncodeText())
	if err != nil || !bytes.Equal(bytesOf(t, again), file) {
		t.Errorf("the JSON form reads as another model (%v)", err)
	}
	var dump strings.Builder
	if err := m.DumpTrees(&dump); err != nil || !strings.Contains(dump.String(), "zone in {") {
		t.Errorf("the trees as text do not name zones (%v)", err)
	}
}

// Merging keeps the order of levels: a column is there once for each order. Predictions stay, and no split becomes a set.
func TestMergeOrderedLevels(t *testing.T) {
	ctx := context.Background()
	p := zoneParams()
	first := zones(t, 4000, false)
	var models []*model.Model
	for _, table := range []*dataset.Table{first, zones(t, 2000, true)} {
		m, err := booster.Train(ctx, p, table)
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, m)
	}
	a, _ := models[0].PredictRaw(ctx, first)
	b, _ := models[1].PredictRaw(ctx, first)
	for _, c := range []struct {
		name     string
		models   []*model.Model
		other    []float64
		features []string
	}{{"the same order", []*model.Model{models[0], models[0]}, a, []string{"zone", "x"}}, {"different orders", models, b, []string{"zone", "x", "zone #2"}}} {
		t.Run(c.name, func(t *testing.T) {
			merged, err := model.Merge(c.models...)
			if err != nil {
				t.Fatal(err)
			}
			var features []string
			for _, f := range merged.Contents().Cuts.Features {
				features = append(features, f.Name)
				if f.Kind == binning.Categorical && !f.Ordered {
					t.Errorf("%s has no order", f.Name)
				}
			}
			if !slices.Equal(features, c.features) {
				t.Errorf("features are %q, want %q", features, c.features)
			}
			for i := range merged.Contents().Trees {
				if n := merged.Contents().Trees[i].NumSets(); n > 0 {
					t.Errorf("tree %d has %d sets of levels", i, n)
				}
			}
			got, err := merged.PredictRaw(ctx, first)
			if err != nil {
				t.Fatal(err)
			}
			base := merged.Contents().BaseScore[0] - c.models[0].Contents().BaseScore[0] - c.models[1].Contents().BaseScore[0]
			for i := range got {
				if want := a[i] + c.other[i] + base; math.Abs(got[i]-want) > 1e-9 {
					t.Fatalf("row %d: %v instead of %v", i, got[i], want)
				}
			}
		})
	}
}

// Levels with the sign that stands between the values of a pair keep their codes in the copies of their column.
func TestMergeOrderedLevelsWithSigns(t *testing.T) {
	ctx := context.Background()
	p := zoneParams()
	signed := func(rows int, gaps bool) *dataset.Table {
		table := zones(t, rows, gaps)
		zone, x, y := make([]string, rows), table.Column("x").Float64s(), table.Column("y").Float64s()
		for row, code := range table.Column("zone").Codes() {
			if code >= 0 {
				zone[row] = table.Column("zone").Levels()[code] + "×2"
			}
		}
		signs, err := dataset.FromColumns([]dataset.ColumnData{{Name: "zone", Values: zone}, {Name: "x", Values: x}, {Name: "y", Values: y}}, dataset.Label("y"), dataset.Categorical("zone"))
		if err != nil {
			t.Fatal(err)
		}
		return signs
	}
	table := signed(4000, false)
	a, b := train(t, p, table), train(t, p, signed(2000, true))
	merged, err := model.Merge(a, b)
	if err != nil {
		t.Fatal(err)
	}
	one, _ := a.PredictRaw(ctx, table)
	other, _ := b.PredictRaw(ctx, table)
	got, err := merged.PredictRaw(ctx, table)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if want := one[i] + other[i]; math.Abs(got[i]-want) > 1e-9 {
			t.Fatalf("row %d: %v instead of %v", i, got[i], want)
		}
	}
}

// zonesAndAreas returns a table whose label depends on the levels of two columns, in another way for each seed.
func zonesAndAreas(t *testing.T, rows, seed int) *dataset.Table {
	t.Helper()
	zone, area, x, y := make([]string, rows), make([]string, rows), make([]float64, rows), make([]float64, rows)
	for i := range rows {
		a, b := i*7919%150, i*7907%149
		zone[i], area[i], x[i] = fmt.Sprintf("z%d", a), fmt.Sprintf("a%d", b), float64(i*31%1009)/1009
		one, other := math.Sin(float64(seed*a)), math.Sin(float64(seed*b))
		y[i] = one + other + 2*one*other + float64(i*17%101)/101
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "zone", Values: zone}, {Name: "area", Values: area}, {Name: "x", Values: x}, {Name: "y", Values: y}}, dataset.Label("y"), dataset.Categorical("zone", "area"))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// What parameters say of a column holds for its copies, in rounds behind a merged model.
func TestCopiesKeepToParameters(t *testing.T) {
	p := zoneParams()
	merged, err := model.Merge(train(t, p, zonesAndAreas(t, 4000, 1)), train(t, p, zonesAndAreas(t, 4000, 2)))
	if err != nil {
		t.Fatal(err)
	}
	p.Rounds = 60
	copies := func(say func(*grow.Params)) (n, deepest int) {
		p := p
		say(&p.Tree)
		next := train(t, p, zonesAndAreas(t, 4000, 3), booster.From(merged))
		features := next.Contents().Cuts.Features
		for _, made := range next.Contents().Trees[merged.Rounds():] {
			depths := make([]int, len(made.Feature))
			for node, f := range made.Feature {
				for _, below := range []int32{made.Left[node], made.Right[node]} {
					if below >= 0 {
						depths[below] = depths[node] + 1
					}
				}
				if name := features[f].Name; next.Original(name) == "zone" && name != "zone" {
					n, deepest = n+1, max(deepest, depths[node])
				}
			}
		}
		return n, deepest
	}
	if n, deepest := copies(func(*grow.Params) {}); n == 0 || deepest < 2 {
		t.Fatalf("%d splits on copies, down to depth %d: the test shows nothing", n, deepest)
	}
	if _, deepest := copies(func(p *grow.Params) { p.LastLevel = map[string]int{"zone": 2} }); deepest > 1 {
		t.Errorf("constraints.last_level: a split at depth %d", deepest)
	}
	for key, say := range map[string]func(*grow.Params){
		"constraints.first_level": func(p *grow.Params) { p.FirstLevel = map[string]int{"zone": 100} },
		"tree.feature_penalty":    func(p *grow.Params) { p.FeaturePenalty = map[string]float64{"zone": 0} },
		"sampling.col_weights": func(p *grow.Params) {
			p.ColTree, p.ColWeights = 0.4, map[string]float64{"zone": 0} // two of at least five columns
		},
	} {
		if n, _ := copies(say); n > 0 {
			t.Errorf("%s: %d splits on copies", key, n)
		}
	}
}

// A copy of a column for another order of its levels acts together with what the column does, in rounds behind a merged model.
func TestCopiesKeepToInteraction(t *testing.T) {
	p := zoneParams()
	p.Tree.Interaction = [][]string{{"zone", "x"}, {"area"}}
	merged, err := model.Merge(train(t, p, zonesAndAreas(t, 4000, 1)), train(t, p, zonesAndAreas(t, 4000, 2)))
	if err != nil {
		t.Fatal(err)
	}
	p.Rounds = 60
	next := train(t, p, zonesAndAreas(t, 4000, 3), booster.From(merged))
	features, copies := next.Contents().Cuts.Features, 0
	for i, tree := range next.Contents().Trees {
		used := map[string]bool{}
		for _, f := range tree.Feature {
			if name := features[f].Name; i >= merged.Rounds() {
				if next.Original(name) != name {
					copies++
				}
				used[next.Original(name)] = true
			}
		}
		if used["area"] && len(used) > 1 {
			t.Errorf("tree %d splits on %v", i, slices.Sorted(maps.Keys(used)))
		}
	}
	if copies == 0 {
		t.Error("no copy is split on: the test shows nothing")
	}
}

// A merged model whose columns are there once for each order is the one that its text gives.
func TestMergedLevelsAsText(t *testing.T) {
	p := crossedParams()
	p.Combinations = -1
	var models []*model.Model
	for shift := range 2 {
		models = append(models, train(t, p, routes(t, 600, 1000*shift, false)))
	}
	merged, err := model.Merge(models...)
	if err != nil {
		t.Fatal(err)
	}
	if own, all := len(models[0].Contents().Cuts.Features), len(merged.Contents().Cuts.Features); all <= own {
		t.Errorf("%d features of %d: no order differs: the test shows nothing", all, own)
	}
	again, err := model.DecodeText(merged.EncodeText())
	if err != nil || !bytes.Equal(bytesOf(t, again), bytesOf(t, merged)) {
		t.Errorf("the text gives another model (%v)", err)
	}
}
