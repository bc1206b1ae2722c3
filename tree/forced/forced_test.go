package forced_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"boost/binning"
	"boost/dataset"
	"boost/parallel"
	"boost/tree/forced"
)

// fitted returns cuts of a = 1, 2, 3, 10 (1.5, 2.5, 6.5), of a constant, and of levels p, q, r.
func fitted(t *testing.T) (*binning.Cuts, dataset.Schema) {
	t.Helper()
	table, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "y", Values: []float64{0, 1, 0, 1}}, {Name: "a", Values: []float64{1, 2, 3, 10}}, {Name: "one", Values: []float64{7, 7, 7, 7}},
		{Name: "cat", Values: []string{"p", "q", "r", "p"}},
	}, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	pool := parallel.NewPool(1)
	defer pool.Close()
	cuts, _, err := binning.Fit(context.Background(), table, nil, binning.Defaults(), 1, pool)
	if err != nil {
		t.Fatal(err)
	}
	return cuts, table.Schema()
}

func TestResolve(t *testing.T) {
	cuts, schema := fitted(t)
	nodes, notes, err := forced.Resolve(`{"feature": "cat", "threshold": ["r", "p"], "left": {"feature": 0, "threshold": 2.5, "right": {"feature": "a", "threshold": 99}},
		"right": {"feature": "a", "threshold": 2}}`, cuts, schema)
	if err != nil {
		t.Fatal(err)
	}
	codes := cuts.Features[2].Codes // of p, q, r
	want := []forced.Node{
		{Feature: 2, Categorical: true, Set: slices.Sorted(slices.Values([]uint32{codes[0], codes[2]})), Left: 1, Right: 3},
		{Code: 1, Left: -1, Right: 2}, {Code: 2, Left: -1, Right: -1}, {Code: 0, Left: -1, Right: -1},
	}
	if !reflect.DeepEqual(nodes, want) {
		t.Errorf("%+v, want %+v", nodes, want)
	}
	if len(notes) != 2 || !strings.Contains(notes[0], `no cut at 99: the nearest one, 6.5, is taken; binning.forced_cuts = {"a" = [99]}`) || !strings.Contains(notes[1], "no cut at 2: the nearest one, 1.5") {
		t.Errorf("notes %q", notes)
	}
	if nodes, _, err := forced.Resolve("", cuts, schema); nodes != nil || err != nil {
		t.Errorf("no text: %v, %v", nodes, err)
	}
}

func TestRefuse(t *testing.T) {
	cuts, schema := fitted(t)
	for text, want := range map[string]string{
		`{"feature": "b", "threshold": 1}`:                           `there is no feature "b"`,
		`{"feature": 3, "threshold": 1}`:                             "its number among the 3 features from 0 on",
		`{"feature": -1, "threshold": 1}`:                            "from 0 on",
		`{"feature": 0.5, "threshold": 1}`:                           "from 0 on",
		`{"feature": "a", "threshold": "x"}`:                         "want a number, because the column holds numbers",
		`{"feature": "a", "threshold": null}`:                        "want a number",
		`{"feature": "one", "threshold": 7}`:                         `column "one" has no cuts`,
		`{"feature": "cat", "threshold": "s"}`:                       `column "cat" has no level "s" in training`,
		`{"feature": "cat", "threshold": 3}`:                         `no level "3"`,
		`{"feature": "a"}`:                                           `the first split needs a "feature" and a "threshold"`,
		`{"feature": "a", "threshold": 1, "left": {"threshold": 1}}`: `the first split, "left" needs`,
		`{"feature": "a", "threshold": 1, "Links": {}}`:              "unknown field",
		`{"feature": "a", "threshold": 1} {}`:                        "something follows",
		`null`:                                                       "null",
		`[1]`:                                                        "want JSON like",
		`{"feature": "cat", "threshold": "p", "right": {"feature": "a", "threshold": []}}`: "want a number",
	} {
		if _, _, err := forced.Resolve(text, cuts, schema); !errors.Is(err, forced.ErrForced) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}
