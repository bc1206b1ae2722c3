package main

import (
	"encoding/json"
	"strings"
	"testing"

	"boost/booster/model"
)

func TestInspectTable(t *testing.T) {
	inFolder(t)
	file(t, "odd.csv", "n,city,age\n1,Oslo,1\n2,Rome,2\n,Oslo,3\n2,,4\n1,Oslo,5\n2,Rome,6\n3,Oslo,7\n2,Rome,8\n1,Oslo,9\n2,Rome,10\n"+
		strings.Repeat("4,Rome,11\n", 19)+"5,Oslo,forty\n")
	r := must(t, 0, boost(t, "inspect", "odd.csv"))
	if r.errors != "" {
		t.Errorf("what inspect prints is said again: %q", r.errors)
	}
	says(t, r.out, "30 rows, 3 columns", "city", "category", "number", "problem:", `odd.csv:31`, `"forty"`, "categorical", "missing")
	var s survey
	r = must(t, 0, boost(t, "inspect", "odd.csv", "--json"))
	if err := json.Unmarshal([]byte(r.out), &s); err != nil {
		t.Fatal(err)
	}
	if s.What != "table" || s.Rows != 30 || len(s.Columns) != 3 || len(s.Problems) != 1 {
		t.Errorf("survey is %+v", s)
	}
	n, city := s.Columns[0], s.Columns[1]
	// n: 29 values in 1 … 5; the mean is 3+2+1·… counted by hand: 1×3, 2×5, 3, 4×19, 5 → 97/29.
	if n.Kind != "number" || n.Missing != 1 || n.Distinct != 5 || *n.Min != 1 || *n.Max != 5 || *n.Mean < 3.3448 || *n.Mean > 3.3449 {
		t.Errorf("column n is %+v", n)
	}
	if city.Kind != "category" || city.Missing != 1 || city.Distinct != 2 || city.Levels[0] != (levelSurvey{"Rome", 23}) {
		t.Errorf("column city is %+v", city)
	}
	if got := must(t, 0, boostWith(t, readFile(t, "odd.csv"), "inspect", "-", "--json")).out; !strings.Contains(got, `"rows": 30`) {
		t.Errorf("standard input: %s", got)
	}
	// What inspect reports, train stops at.
	says(t, must(t, 3, boost(t, "train", "odd.csv", "--label", "n")).errors, "odd.csv:31", `"forty"`)
}

func TestInspectModel(t *testing.T) {
	models(t)
	says(t, must(t, 0, boost(t, "inspect", "b.boost")).out, "binary", "yes (positive), no", "2 columns, 1 of them categorical",
		"8 trees in 8 rounds", "x", "city", "%", "train.rounds", "label", "numerics")
	var d struct {
		What       string
		Objective  string
		Trees      int
		SHA256     string
		Importance []importance
		Dump       []treeJSON
	}
	r := must(t, 0, boost(t, "inspect", "c.boost", "--json", "--importance", "split", "--trees"))
	if err := json.Unmarshal([]byte(r.out), &d); err != nil {
		t.Fatal(err)
	}
	if d.What != "model" || d.Objective != "multiclass" || d.Trees != 24 || len(d.Dump) != 24 || len(d.SHA256) != 64 {
		t.Errorf("description is %+v", d)
	}
	splits, total := 0.0, 0.0
	for _, f := range d.Importance {
		total += f.Value
	}
	for _, tree := range d.Dump {
		splits += float64(len(tree.Splits))
		if len(tree.Leaves) != len(tree.Splits)+1 {
			t.Errorf("%d leaves after %d splits", len(tree.Leaves), len(tree.Splits))
		}
		for _, s := range tree.Splits {
			if (s.Feature == "city") != (s.Levels != nil) {
				t.Errorf("split %+v has the wrong kind of condition", s)
			}
		}
	}
	if splits != total || splits == 0 {
		t.Errorf("importances by split sum to %g, the trees have %g splits", total, splits)
	}
	if trees := must(t, 0, boost(t, "inspect", "y.boost", "--trees")).out; strings.Count(trees, "tree ") != 8 {
		t.Errorf("--trees prints:\n%s", trees)
	}
	for _, kind := range model.ImportanceKinds {
		if got := lines(must(t, 0, boost(t, "inspect", "y.boost", "--importance", kind)).out); len(got) != 2 || !strings.Contains(got[0], "%  ████") {
			t.Errorf("--importance %s prints %q", kind, got)
		}
	}
	// A model is known by its beginning, too.
	file(t, "renamed.bin", readFile(t, "y.boost"))
	says(t, must(t, 0, boost(t, "inspect", "renamed.bin")).out, "regression")
	says(t, must(t, 4, boost(t, "inspect", "none.boost")).errors, "none.boost")
	says(t, must(t, 3, boost(t, "inspect", "none.csv")).errors, "none.csv")
}
