package booster_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"boost/booster"
	"boost/dataset"
)

// Columns that are named by their numbers among the features give the model, and its parameters, of their names.
func TestColumnNumbers(t *testing.T) {
	table, columns := ordered(t) // y, a, b, c, cat
	for name, set := range map[string][2]func(p *booster.Params){
		"monotone": {func(p *booster.Params) { p.Tree.Monotone = map[string]int{"#0": 1, "#1": -1, "#2": 0} },
			func(p *booster.Params) { p.Tree.Monotone = map[string]int{"a": 1, "b": -1, "c": 0} }},
		"interaction": {func(p *booster.Params) { p.Tree.Interaction = [][]string{{"#0", "c"}, {"#1", "#3"}} },
			func(p *booster.Params) { p.Tree.Interaction = [][]string{{"a", "c"}, {"b", "cat"}} }},
		"levels": {func(p *booster.Params) {
			p.Tree.FirstLevel, p.Tree.LastLevel = map[string]int{"#0": 2}, map[string]int{"#3": 1}
		},
			func(p *booster.Params) {
				p.Tree.FirstLevel, p.Tree.LastLevel = map[string]int{"a": 2}, map[string]int{"cat": 1}
			}},
		"costs": {func(p *booster.Params) {
			p.Tree.FeaturePenalty, p.Tree.FeatureCost = map[string]float64{"#1": 0.5}, map[string]float64{"#0": 3}
			p.Tree.FeatureRowCost, p.Tree.ColWeights, p.Tree.ColNode = map[string]float64{"#2": 0.01}, map[string]float64{"#2": 4}, 0.5
		}, func(p *booster.Params) {
			p.Tree.FeaturePenalty, p.Tree.FeatureCost = map[string]float64{"b": 0.5}, map[string]float64{"a": 3}
			p.Tree.FeatureRowCost, p.Tree.ColWeights, p.Tree.ColNode = map[string]float64{"c": 0.01}, map[string]float64{"c": 4}, 0.5
		}},
	} {
		p := booster.Defaults()
		p.Objective, p.Rounds, p.Tree.Leaves = "regression", 4, 8
		numbers, names := p, p
		set[0](&numbers)
		set[1](&names)
		if !bytes.Equal(bytesOf(t, train(t, numbers, table)), bytesOf(t, train(t, names, table))) {
			t.Errorf("%s: numbers give another model than names", name)
		}
	}
	for want, monotone := range map[string]map[string]int{
		"constraints.monotone names feature number 4, counted from 0, and the table has 4 features (a, b, c, cat)": {"#4": 1},
		`constraints.monotone names column "b" twice, by name and by number`:                                       {"#1": 1, "b": 1},
		`constraints.monotone: column "cat" is categorical`:                                                        {"#3": 1},
		`the table has no feature column "#x"`:                                                                     {"#x": 1},
	} {
		p := booster.Defaults()
		p.Objective, p.Tree.Monotone = "regression", monotone
		if _, err := booster.Train(t.Context(), p, table); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	// A column whose name is another's number cannot be meant by either.
	columns[2].Name = "#0" // was b, feature 1
	odd, err := dataset.FromColumns(columns, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Tree.Monotone = "regression", 2, map[string]int{"#0": -1}
	if _, err := booster.Train(t.Context(), p, odd); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), `constraints.monotone names "#0", which is the name of feature number 1`) {
		t.Errorf("a name that is a number: error %v", err)
	}
}
