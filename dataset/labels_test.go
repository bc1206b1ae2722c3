package dataset_test

import (
	"errors"
	"math"
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
	if !slices.Equal(names, []string{"c", "a"}) || !slices.Equal(targets.Columns[0], []float64{0.5, 1}) || !slices.Equal(targets.Columns[1], []float64{1, 4}) || len(table.Features()) != 2 {
		t.Errorf("labels %q are %v beside %d features", names, targets, len(table.Features()))
	}
	schema := table.Schema()
	same := must(readText(t, "b,c,x,a\n9,8,7,6\n").As(schema))(t)
	if targets := must(same.Targets(2, nil, false))(t); targets.Columns[0][0] != 8 || targets.Columns[1][0] != 6 {
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

// Times in intervals: ends that are open, known times, and what is no interval. Where no row has two ends, they are told by their signs.
func TestIntervals(t *testing.T) {
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		cells        []string // "lower,upper"
		lower, upper []float64
		err          string
	}{
		"intervals": {[]string{"1,2", "3,3", "4,inf", "0,5", "-inf,6", "7,", "0,0"}, []float64{1, 3, 4, 0, 0, 7, 0}, []float64{2, 3, inf, 5, 6, inf, 0}, ""},
		"signs":     {[]string{"3,3", "4,inf", "7,", "0,"}, []float64{3, -4, -7, math.Copysign(0, -1)}, nil, ""},
		"before":    {[]string{"1,2", "-3,4"}, nil, nil, `t.csv:3: column "from": "-3" is not a finite time of 0 or more`},
		"no time":   {[]string{"1,2", ",4"}, nil, nil, `t.csv:3: column "from": the cell has no value`},
		"order":     {[]string{"1,2", "3,2.5"}, nil, nil, `t.csv:3: column "to": "2.5" is not a time that is not before the 3 of column "from"`},
		"never":     {[]string{"1,2", "inf,inf"}, nil, nil, `t.csv:3: column "from": "inf" is not a finite time`},
	} {
		text := "from,to,x\n"
		for _, cell := range c.cells {
			text += cell + ",1\n"
		}
		table, err := dataset.Read(t.Context(), strings.NewReader(text), "t.csv", dataset.Label("from"), dataset.LabelUpper("to"))
		var got dataset.Labels
		if err == nil {
			got, err = table.Targets(1, nil, false)
		}
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %s", name, err, c.err)
			}
			continue
		}
		same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
		if err != nil || !slices.EqualFunc(got.Columns[0], c.lower, same) || !slices.EqualFunc(got.Upper, c.upper, same) || len(table.Features()) != 1 {
			t.Errorf("%s: %v (%v), want %v to %v", name, got, err, c.lower, c.upper)
		}
	}
	schema := readText(t, "from,to,x\n1,2,1\n", dataset.Label("from"), dataset.LabelUpper("to")).Schema()
	if _, err := readText(t, "from,x\n1,2\n").As(schema); err == nil || !strings.Contains(err.Error(), `has the label "from" and lacks column "to", which tells up to when the event came`) {
		t.Errorf("without upper ends: %v", err)
	}
}
