package booster_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"boost/booster"
	"boost/dataset"
)

// The loss of symmetric trees on a real set falls as that of CatBoost's, whose cuts differ (testdata/constraints.py).
func TestSymmetricLikeCatBoost(t *testing.T) {
	text, err := os.ReadFile("testdata/constraints.json")
	if err != nil {
		t.Fatal(err)
	}
	var peer struct {
		Curve struct {
			Set         string
			Rounds      []int
			Train, Test []float64
		}
	}
	if err := json.Unmarshal(text, &peer); err != nil {
		t.Fatal(err)
	}
	table, _ := openShared(t, peer.Curve.Set, "train.csv.gz")
	test, _ := openShared(t, peer.Curve.Set, "test.csv.gz", dataset.As(table.Schema()))
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Tree.Growth, p.Tree.LambdaL2, p.Tree.MinDataInLeaf = "regression", 100, "symmetric", 3, 1
	p.Metrics = []string{"rmse"}
	var report booster.Report
	m := train(t, p, table, booster.Valid("valid", test), booster.WithReport(&report))
	near := func(set string, round int, got, want float64) {
		t.Helper()
		if !(math.Abs(got/want-1) < 0.01) {
			t.Errorf("%s, round %d: rmse %v, CatBoost's is %v", set, round, got, want)
		}
	}
	last := len(peer.Curve.Rounds) - 1
	near("train", 100, report.Metrics["train"]["rmse"], peer.Curve.Train[last])
	for i, round := range peer.Curve.Rounds {
		near("test", round, *m.Contents().History[0].Values[round-1], peer.Curve.Test[i])
	}
}

// All nodes of a level that are divided have the same split, in every storage, layout and builder, with the same bytes on all threads;
// trees have at most 2^max_depth leaves, whatever tree.leaves says.
func TestSymmetricTrees(t *testing.T) {
	table, _ := ordered(t)
	for name, change := range map[string]func(p *booster.Params){
		"plain":      func(p *booster.Params) {},
		"deep":       func(p *booster.Params) { p.Tree.MaxDepth = 9 },
		"i8":         func(p *booster.Params) { p.Gradients = "i8" },
		"asymmetric": func(p *booster.Params) { p.GradientMode = "asymmetric" },
		"csr":        func(p *booster.Params) { p.Binning.Layout = "csr" },
		"columns":    func(p *booster.Params) { p.Tree.ColTree, p.Tree.ColLevel = 0.8, 0.5 },
		"one_hot":    func(p *booster.Params) { p.Tree.OneHotMax = 10 },
		"extra":      func(p *booster.Params) { p.Tree.ExtraTrees = true },
		"monotone":   func(p *booster.Params) { p.Tree.Monotone = map[string]int{"a": 1, "b": -1} },
		"together":   func(p *booster.Params) { p.Tree.Interaction = [][]string{{"a", "c"}, {"b", "cat"}} },
		"bag":        func(p *booster.Params) { p.RowFraction = 0.5 },
	} {
		t.Run(name, func(t *testing.T) {
			p := booster.Defaults()
			p.Objective, p.Rounds, p.Tree.Growth, p.Tree.MinDataInLeaf, p.Tree.Leaves = "regression", 8, "symmetric", 5, 2
			change(&p)
			m := train(t, p, table, booster.WithPool(pool(t, 1)))
			want := bytesOf(t, m)
			if !bytes.Equal(bytesOf(t, train(t, p, table, booster.WithPool(pool(t, 3)))), want) {
				t.Error("3 threads give another model")
			}
			p.Builder = "row"
			if !bytes.Equal(bytesOf(t, train(t, p, table, booster.WithPool(pool(t, 2)))), want) {
				t.Error("another builder gives another model")
			}
			most := 0
			for i := range m.Contents().Trees {
				made := &m.Contents().Trees[i]
				most = max(most, made.NumLeaves())
				if limit := p.Tree.MostLeaves(); made.NumLeaves() > limit {
					t.Errorf("tree %d has %d leaves, at most %d are allowed", i, made.NumLeaves(), limit)
				}
				if splits := distinctSplits(m, i); splits > p.Tree.Depth() {
					t.Errorf("tree %d has %d different splits, one a level are %d at most", i, splits, p.Tree.Depth())
				}
			}
			if most < 16 {
				t.Errorf("the largest tree has %d leaves", most)
			}
		})
	}
	p := booster.Defaults()
	p.Objective, p.Tree.Growth, p.Tree.MaxDepth = "regression", "symmetric", 17
	if _, err := booster.Train(context.Background(), p, table); err == nil || !strings.Contains(err.Error(), "it must be 1 … 16") {
		t.Errorf("depth 17: error %v", err)
	}
}

// distinctSplits counts the different splits of a tree: by feature, cut or set, and side of missing values.
func distinctSplits(m *booster.Model, i int) int {
	made := &m.Contents().Trees[i]
	type split struct {
		feature     int32
		code        uint32
		set         string
		missingLeft bool
	}
	all := map[split]bool{}
	for node, f := range made.Feature {
		s := split{feature: f, code: made.Code[node], missingLeft: made.MissingLeft[node]}
		if made.Categorical[node] {
			s.code = 0
			for _, code := range made.Set(node) {
				s.set += string(rune(code))
			}
		}
		all[s] = true
	}
	return len(all)
}
