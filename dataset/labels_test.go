package dataset_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"boost/dataset"
)

// Several labels stand in the order in which they were named, and all rows need all of them.
func TestSeveralLabels(t *testing.T) {
	const text = "a,x,b,c\n1,2,3,0.5\n4,5,6,1\n"
	table := readText(t, text, dataset.Label("c", "a"))
	var names []string
	for _, c := range table.LabelColumns() {
		names = append(names, c.Name())
	}
	targets := must(table.Targets(2, nil, false))(t)
	if !slices.Equal(names, []string{"c", "a"}) || !slices.Equal(targets[0], []float64{0.5, 1}) || !slices.Equal(targets[1], []float64{1, 4}) || len(table.Features()) != 2 {
		t.Errorf("labels %q are %v beside %d features", names, targets, len(table.Features()))
	}
	schema := table.Schema()
	same := must(readText(t, "b,c,x,a\n9,8,7,6\n").As(schema))(t)
	if targets := must(same.Targets(2, nil, false))(t); targets[0][0] != 8 || targets[1][0] != 6 {
		t.Errorf("by the schema the labels are %v", targets)
	}
	one := must(readText(t, "b,x,a\n9,7,6\n").As(schema))(t)
	if _, err := one.Targets(2, nil, false); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), `has 1 of the 2 label columns ("a")`) {
		t.Errorf("one of two labels: %v", err)
	}
	if _, err := readText(t, "a,x,b\n1,2,3\n,1,1\n", dataset.Label("b", "a"), dataset.Categorical("a")).Targets(2, nil, false); err == nil ||
		!strings.Contains(err.Error(), `t.csv:3: column "a": the cell has no value`) {
		t.Errorf("a missing label: %v", err)
	}
	for want, names := range map[string][]string{`label names a column twice`: {"a", "b", "a"}, `"y"`: {"a", "y"}} {
		if _, err := dataset.Read(t.Context(), strings.NewReader(text), "t.csv", dataset.Label(names...)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", names, err, want)
		}
	}
}
