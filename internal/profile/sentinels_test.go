package profile_test

import (
	"slices"
	"testing"

	"boost/dataset"
	"boost/internal/profile"
)

// Features with a number that may mean no value are named; labels, levels and other columns are not.
func TestSentinelsOfFeatures(t *testing.T) {
	const rows = 12_000 // more than are looked at before
	columns := map[string]func(i int) float64{
		"low":    func(i int) float64 { return []float64{float64(i % 60), -999}[i%100/99] },
		"high":   func(i int) float64 { return []float64{float64(i%60) / 3, 9999}[i%100/99] },
		"once":   func(i int) float64 { return []float64{float64(i % 60), -999}[min(1, max(0, i-rows+2))] },
		"normal": func(i int) float64 { return float64(i % 60) },
		"ages":   func(i int) float64 { return float64(i % 100) }, // 99 is one of them
		"y":      func(i int) float64 { return []float64{float64(i % 60), -999}[i%100/99] },
	}
	var data []dataset.ColumnData
	for _, name := range []string{"low", "high", "once", "normal", "ages", "y"} {
		values := make([]float64, rows)
		for i := range values {
			values[i] = columns[name](i)
		}
		data = append(data, dataset.ColumnData{Name: name, Values: values})
	}
	table, err := dataset.FromColumns(data, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`column "low" is -999 in 120 rows, and between 0 and 59 in all others: set missing = ["-999"] if that means no value`,
		`column "high" is 9999 in 120 rows, and between 0 and 19.6667 in all others: set missing = ["9999"] if that means no value`,
	}
	if got := profile.Sentinels(table); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := profile.Sentinels(nil); got != nil {
		t.Errorf("without a table: %q", got)
	}
	var many []dataset.ColumnData
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		many = append(many, dataset.ColumnData{Name: name, Values: data[0].Values})
	}
	if table, err = dataset.FromColumns(many); err != nil {
		t.Fatal(err)
	}
	if got := profile.Sentinels(table); len(got) != 4 || got[3] != "2 columns more with such a number: boost inspect names them" {
		t.Errorf("of five columns: %q", got)
	}
}
