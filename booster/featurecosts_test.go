package booster_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"boost/booster"
	"boost/internal/testenv"
)

// walk calls f for every split of a model, with the number of splits above it.
func walk(m *booster.Model, f func(tree int, column string, depth int)) {
	c := m.Contents()
	for i := range c.Trees {
		made := &c.Trees[i]
		var below func(at int32, depth int)
		below = func(at int32, depth int) {
			if at >= 0 {
				f(i, c.Cuts.Features[made.Feature[at]].Name, depth)
				below(made.Left[at], depth+1)
				below(made.Right[at], depth+1)
			}
		}
		if made.NumSplits() > 0 {
			below(0, 0)
		}
	}
}

// Columns are split on the levels that they may be, in trees of all shapes; penalties and costs keep columns out; models are the same on all threads.
func TestFeatureLevelsAndCosts(t *testing.T) {
	testenv.Unraced(t)
	table, _ := ordered(t)
	for _, growth := range []string{"leaf", "depth", "symmetric"} {
		for _, layout := range []string{"auto", "csr"} {
			p := booster.Defaults()
			p.Objective, p.Rounds, p.Tree.Growth, p.Binning.Layout = "regression", 10, growth, layout
			p.Tree.FirstLevel, p.Tree.LastLevel = map[string]int{"a": 3}, map[string]int{"cat": 2, "b": 4}
			p.Tree.FeaturePenalty = map[string]float64{"c": 0.5}
			m := train(t, p, table, booster.WithPool(pool(t, 1)))
			if !bytes.Equal(bytesOf(t, m), bytesOf(t, train(t, p, table, booster.WithPool(pool(t, 3))))) {
				t.Errorf("%s, %s: 3 threads give another model", growth, layout)
			}
			used := map[string]int{}
			walk(m, func(tree int, column string, depth int) {
				used[column]++
				// A node of a symmetric tree may stay as it is on a level, which counts.
				if column == "a" && (depth < 2 && growth != "symmetric" || depth < 1) || column == "cat" && depth > 1 || column == "b" && depth > 3 {
					t.Errorf("%s, %s: tree %d splits %s below %d splits", growth, layout, tree, column, depth)
				}
			})
			if used["a"] == 0 || used["b"] == 0 || used["c"] == 0 {
				t.Errorf("%s, %s: splits by column: %v", growth, layout, used)
			}
			p.Tree.FeaturePenalty, p.RowFraction, p.Tree.FeatureRowCost = nil, 0.7, map[string]float64{"a": 0.01, "c": 0.1, "cat": 0.02}
			m = train(t, p, table, booster.WithPool(pool(t, 1)))
			if !bytes.Equal(bytesOf(t, m), bytesOf(t, train(t, p, table, booster.WithPool(pool(t, 3))))) {
				t.Errorf("%s, %s: with costs by row, 3 threads give another model", growth, layout)
			}
			p.Tree.FeatureRowCost = map[string]float64{"c": 0, "b": 1e9}
			walk(train(t, p, table), func(tree int, column string, depth int) {
				if column == "b" {
					t.Fatalf("%s, %s: tree %d splits b, which costs more than it gains", growth, layout, tree)
				}
			})
			p.RowFraction, p.Tree.FeatureRowCost = 1, nil
			p.Tree.FeaturePenalty, p.Tree.FeatureCost = map[string]float64{"c": 0}, map[string]float64{"b": 1e12}
			walk(train(t, p, table), func(tree int, column string, depth int) {
				if column == "b" || column == "c" {
					t.Fatalf("%s, %s: tree %d splits %s, which costs more than it gains", growth, layout, tree, column)
				}
			})
		}
	}
}

// Of two columns of which one is drawn at each node, one of weight 3 is drawn three times in four; one of weight 0 never.
func TestColumnWeights(t *testing.T) {
	table, _ := ordered(t)
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Tree.Leaves, p.Tree.ColTree = "regression", 400, 2, 0.25
	p.Tree.ColWeights = map[string]float64{"a": 3, "c": 0, "cat": 0}
	n := map[string]int{}
	walk(train(t, p, table), func(_ int, column string, _ int) { n[column]++ })
	if all := n["a"] + n["b"]; n["c"]+n["cat"] > 0 || all != 400 || n["a"] < 270 || n["a"] > 330 { // 300 ± 3.5 standard deviations
		t.Errorf("columns of the trees: %v", n)
	}
}

func TestFeatureTablesRefuse(t *testing.T) {
	table, _ := ordered(t)
	for want, change := range map[string]func(p *booster.Params){
		`no feature column "z", which tree.feature_penalty names`: func(p *booster.Params) { p.Tree.FeaturePenalty = map[string]float64{"z": 1} },
		`which tree.feature_cost names`:                           func(p *booster.Params) { p.Tree.FeatureCost = map[string]float64{"z": 1} },
		`which tree.feature_row_cost names`:                       func(p *booster.Params) { p.Tree.FeatureRowCost = map[string]float64{"z": 1} },
		`which sampling.col_weights names`:                        func(p *booster.Params) { p.Tree.ColWeights = map[string]float64{"z": 1} },
		`which constraints.first_level names`:                     func(p *booster.Params) { p.Tree.FirstLevel = map[string]int{"z": 1} },
		`constraints.last_level of column "a" = 0`:                func(p *booster.Params) { p.Tree.LastLevel = map[string]int{"a": 0} },
		`tree.feature_penalty of column "a" = -1`:                 func(p *booster.Params) { p.Tree.FeaturePenalty = map[string]float64{"a": -1} },
	} {
		p := booster.Defaults()
		p.Objective = "regression"
		change(&p)
		if _, err := booster.Train(context.Background(), p, table); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
