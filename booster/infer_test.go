package booster_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"boost/booster"
	"boost/dataset"
)

// Whole numbers are classes where rows repeat them: two of each on average.
func TestInferObjective(t *testing.T) {
	for _, c := range []struct {
		rows, values int
		want         string
	}{
		{20, 20, "regression"},
		{20, 11, "regression"},
		{20, 10, "multiclass"},
		{3, 3, "regression"},
		{100, 3, "multiclass"},
		{100, 2, "binary"},
		{100, 21, "regression"},
	} {
		rows := make([][]float64, c.rows)
		for i := range rows {
			rows[i] = []float64{float64(i), float64(i % c.values)}
		}
		table, err := dataset.FromRows(rows, "x", "y")
		if err == nil {
			table, err = table.WithLabel("y")
		}
		if err != nil {
			t.Fatal(err)
		}
		got, reason, err := booster.InferObjective(table)
		if err != nil || got != c.want {
			t.Errorf("%d values in %d rows: %s (%s), %v; want %s", c.values, c.rows, got, reason, err, c.want)
		}
	}
}

// A label of texts that mostly differ holds ids: a class a row is nothing that anybody wants. Up to 20 texts are classes
// however few rows they have.
func TestInferObjectiveOfTexts(t *testing.T) {
	for _, c := range []struct {
		rows, values int
		want         string // "" for an error
	}{
		{100, 100, ""},
		{100, 51, ""},
		{100, 50, "multiclass"},
		{20, 20, "multiclass"},
		{21, 21, ""},
		{100, 2, "binary"},
	} {
		var text strings.Builder
		text.WriteString("x,y\n")
		for i := range c.rows {
			fmt.Fprintf(&text, "%d,n%d\n", i, i%c.values)
		}
		table, err := dataset.Read(t.Context(), strings.NewReader(text.String()), "t.csv", dataset.Label("y"))
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := booster.InferObjective(table)
		if got != c.want || (err == nil) != (c.want != "") || err != nil && !errors.Is(err, dataset.ErrTable) {
			t.Errorf("%d texts in %d rows: %q, %v; want %q", c.values, c.rows, got, err, c.want)
		}
	}
}
