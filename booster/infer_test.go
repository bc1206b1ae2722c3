package booster_test

import (
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
