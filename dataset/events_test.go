package dataset_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"boost/dataset"
)

func TestEvents(t *testing.T) {
	for name, c := range map[string]struct {
		times, events []string
		want          []float64
		err           string
	}{
		"numbers": {[]string{"3", "0", "5", "0"}, []string{"1", "0", "0", "1"}, []float64{3, math.Copysign(0, -1), -5, 0}, ""},
		"words":   {[]string{"3", "2"}, []string{"true", "False"}, []float64{3, -2}, ""},
		"two":     {[]string{"3", "2"}, []string{"1", "2"}, nil, `t.csv:3: column "e": "2" is not an event: 1 if it came at the row's time, 0 if the row is censored`},
		"missing": {[]string{"3", "2"}, []string{"", "1"}, nil, `t.csv:2: column "e": the cell has no value, expected an event: 1 if it came at the row's time, 0 if the row is censored`},
		"before":  {[]string{"3", "-2"}, []string{"1", "1"}, nil, `t.csv:3: column "t": "-2" is not a time of 0 or more: the column "e" tells which rows are censored`},
	} {
		t.Run(name, func(t *testing.T) {
			text := "t,e,x\n"
			for i := range c.times {
				text += c.times[i] + "," + c.events[i] + ",1\n"
			}
			table := readText(t, text, dataset.Label("t"), dataset.Event("e"))
			got, err := table.EncodeLabels(nil, false)
			if c.err != "" {
				if err == nil || err.Error() != c.err || !errors.Is(err, dataset.ErrTable) {
					t.Errorf("%v, want %s", err, c.err)
				}
				return
			}
			if err != nil || !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
				t.Errorf("%v (%v), want %v", got, err, c.want)
			}
			if c := table.EventColumn(); c == nil || c.Name() != "e" || c.Role() != dataset.EventRole || len(table.Features()) != 1 {
				t.Errorf("event column %v, %d features", c, len(table.Features()))
			}
		})
	}
}

// A table with the times of a schema, and without its events, is refused: all its rows would count as events.
func TestSchemaNeedsEvents(t *testing.T) {
	schema := readText(t, "t,e,x\n1,1,1\n2,0,2\n", dataset.Label("t"), dataset.Event("e")).Schema()
	if _, err := readText(t, "t,x\n1,1\n2,2\n").As(schema); err == nil || !strings.Contains(err.Error(), `has the label "t" and lacks column "e"`) {
		t.Errorf("error %v", err)
	}
	for _, text := range []string{"x\n1\n", "e,x\n1,1\n", "x,e,t\n1,1,3\n"} {
		if _, err := readText(t, text).As(schema); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	same := must(readText(t, "x,e,t\n1,0,3\n").As(schema))(t)
	if got := must(same.EncodeLabels(nil, false))(t); got[0] != -3 {
		t.Errorf("label %v, want -3", got)
	}
}
