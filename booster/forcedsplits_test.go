package booster_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"boost/booster"
)

// Every tree begins with the forced splits, in all storages, layouts and ways to build, also where columns are drawn; the model is the same on
// all threads.
func TestForcedSplits(t *testing.T) {
	table, _ := ordered(t)
	for name, change := range map[string]func(p *booster.Params){
		"plain":      func(p *booster.Params) {},
		"f32":        func(p *booster.Params) { p.Gradients = "f32" },
		"asymmetric": func(p *booster.Params) { p.GradientMode = "asymmetric" },
		"csr":        func(p *booster.Params) { p.Binning.Layout = "csr" },
		"columns":    func(p *booster.Params) { p.Tree.ColTree, p.Tree.ColNode = 0.3, 0.5 },
		"depth":      func(p *booster.Params) { p.Tree.Growth = "depth" },
		"monotone":   func(p *booster.Params) { p.Tree.Monotone = map[string]int{"a": 1, "b": -1} },
	} {
		t.Run(name, func(t *testing.T) {
			p := booster.Defaults()
			p.Objective, p.Rounds, p.Tree.Leaves = "regression", 6, 12
			p.Tree.ForcedSplits = `{"feature": "c", "threshold": 20, "left": {"feature": "cat", "threshold": ["p", "s"]}, "right": {"feature": 0, "threshold": 50}}`
			change(&p)
			m := train(t, p, table, booster.WithPool(pool(t, 1)))
			if want := bytesOf(t, m); !bytes.Equal(bytesOf(t, train(t, p, table, booster.WithPool(pool(t, 3)))), want) {
				t.Error("3 threads give another model")
			}
			c := m.Contents()
			for i := range c.Trees {
				made := &c.Trees[i]
				name := func(node int32) string { return c.Cuts.Features[made.Feature[node]].Name }
				if made.NumSplits() < 3 || name(0) != "c" || made.Left[0] < 0 || made.Right[0] < 0 || name(made.Left[0]) != "cat" || name(made.Right[0]) != "a" {
					t.Fatalf("tree %d does not begin with the forced splits: features %v, children %v %v", i, made.Feature, made.Left, made.Right)
				}
				if set := made.Set(int(made.Left[0])); len(set) != 2 {
					t.Errorf("tree %d: levels %v go left", i, set)
				}
			}
		})
	}
	p := booster.Defaults()
	p.Objective = "regression"
	for text, growth := range map[string]string{`{"feature": "z", "threshold": 1}`: "leaf", `{`: "leaf", `{"feature": "a", "threshold": 1}`: "symmetric"} {
		p.Tree.ForcedSplits, p.Tree.Growth = text, growth
		if _, err := booster.Train(context.Background(), p, table); !errors.Is(err, booster.ErrParams) {
			t.Errorf("%s with growth %s: error %v", text, growth, err)
		}
	}
	// A split that leaves too few rows is left out, with those below it.
	p.Tree.ForcedSplits, p.Tree.Growth, p.Rounds, p.Tree.MinDataInLeaf = `{"feature": "b", "threshold": 0.5, "right": {"feature": "c", "threshold": 1}}`, "leaf", 1, 100
	free := p
	free.Tree.ForcedSplits = ""
	if got, want := train(t, p, table).Contents().Trees[0], train(t, free, table).Contents().Trees[0]; got.Feature[0] != want.Feature[0] || got.Code[0] != want.Code[0] {
		t.Errorf("a tree begins with feature %d, code %d, want %d, %d", got.Feature[0], got.Code[0], want.Feature[0], want.Code[0])
	}
}

// A forced split on a level where its column may not be split is refused, because it could never be made; on others both hold.
func TestForcedSplitsOnLevels(t *testing.T) {
	table, _ := ordered(t)
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Tree.Leaves = "regression", 4, 8
	p.Tree.ForcedSplits = `{"feature": "b", "threshold": 40, "left": {"feature": "c", "threshold": 20}, "right": {"feature": "a", "threshold": 50}}`
	for want, set := range map[string]func(p *booster.Params){
		`a split of column "b" on level 1, and constraints.first_level of "b" is 2`: func(p *booster.Params) { p.Tree.FirstLevel = map[string]int{"b": 2} },
		`a split of column "c" on level 2, and constraints.last_level of "c" is 1`:  func(p *booster.Params) { p.Tree.LastLevel = map[string]int{"c": 1} },
		`a split of column "a" on level 2, and constraints.first_level of "a" is 3`: func(p *booster.Params) { p.Tree.FirstLevel = map[string]int{"a": 3} },
	} {
		q := p
		set(&q)
		if _, err := booster.Train(context.Background(), q, table); !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	p.Tree.FirstLevel, p.Tree.LastLevel = map[string]int{"a": 2, "c": 2}, map[string]int{"b": 1, "c": 2}
	for _, growth := range []string{"leaf", "depth"} {
		p.Tree.Growth = growth
		m := train(t, p, table)
		walk(m, func(tree int, column string, depth int) {
			if column == "b" && depth != 0 || column == "c" && depth != 1 || column == "a" && depth < 1 {
				t.Errorf("growth %s, tree %d: column %s is split on level %d", growth, tree, column, depth+1)
			}
		})
		c := m.Contents()
		if first := c.Trees[0]; c.Cuts.Features[first.Feature[0]].Name != "b" || first.NumSplits() < 3 {
			t.Errorf("growth %s: the first tree does not begin with the forced splits", growth)
		}
	}
}
