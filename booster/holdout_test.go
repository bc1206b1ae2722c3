package booster_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"boost/booster"
	"boost/dataset"
)

// splitTable has a number, a label and a column that marks rows: every fourth for validation.
func splitTable(t *testing.T, n int, yes, no string) *dataset.Table {
	t.Helper()
	x, y, split := make([]float64, n), make([]float64, n), make([]string, n)
	for i := range x {
		x[i], y[i], split[i] = float64(i%17), float64(i%17)+float64(i%5), no
		if i%4 == 0 {
			split[i] = yes
		}
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "y", Values: y}, {Name: "x", Values: x}, {Name: "split", Values: split}},
		dataset.Label("y"), dataset.ID("split"))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// queryTable has queries of four rows, and a column split that marks rows.
func queryTable(t *testing.T, rows int, marked func(row int) bool) *dataset.Table {
	t.Helper()
	x, q, split := make([]float64, rows), make([]float64, rows), make([]string, rows)
	for i := range rows {
		x[i], q[i], split[i] = float64(i%5), float64(i/4), "train"
		if marked(i) {
			split[i] = "valid"
		}
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "y", Values: x}, {Name: "x", Values: x}, {Name: "q", Values: q}, {Name: "split", Values: split}},
		dataset.Label("y"), dataset.Group("q"), dataset.ID("split"))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// A share of the rows is held out whether or not training stops early: ⌊200·0.29⌋ = 58.
func TestValidShare(t *testing.T) {
	p := booster.Defaults()
	p.Objective, p.Rounds, p.ValidShare = "regression", 2, 0.29
	var report booster.Report
	if _, err := booster.Train(context.Background(), p, splitTable(t, 200, "valid", "train"), booster.WithReport(&report)); err != nil {
		t.Fatal(err)
	}
	if len(report.HeldOut) != 58 || report.Metrics["valid"] == nil {
		t.Errorf("%d rows are held out, metrics %v, want 58 and some of valid", len(report.HeldOut), report.Metrics)
	}
	p.ValidShare, p.EarlyStopping = 0, 5
	if _, err := booster.Train(context.Background(), p, splitTable(t, 200, "valid", "train"), booster.WithReport(&report)); err != nil || len(report.HeldOut) != 20 {
		t.Errorf("%v; %d rows are held out, want a tenth of 200", err, len(report.HeldOut))
	}
}

// Rows that a column marks are held out, by any of the words.
func TestValidBy(t *testing.T) {
	p := booster.Defaults()
	p.Objective, p.Rounds, p.ValidBy = "regression", 2, "split"
	var want []int32
	for row := int32(0); row < 200; row += 4 {
		want = append(want, row)
	}
	for yes, no := range map[string]string{"valid": "train", "TRUE": "False", "1": "0", "yes": "no"} {
		var report booster.Report
		m, err := booster.Train(context.Background(), p, splitTable(t, 200, yes, no), booster.WithReport(&report))
		if err != nil || !slices.Equal(report.HeldOut, want) {
			t.Errorf("%s, %s: %v; rows %v are held out", yes, no, err, report.HeldOut)
			continue
		}
		if again, err := booster.ParamsOf(m); err != nil || again.ValidBy != "split" {
			t.Errorf("the model keeps %q, %v, want split", again.ValidBy, err)
		}
	}
	for words, tables := range map[string]*dataset.Table{
		`"test" is no mark`:     splitTable(t, 200, "test", "train"),
		"marks 200 of 200 rows": splitTable(t, 200, "valid", "valid"),
		"marks 0 of 200 rows":   splitTable(t, 200, "train", "train"),
	} {
		if _, err := booster.Train(context.Background(), p, tables); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), words) {
			t.Errorf("error %v, want %q", err, words)
		}
	}
	p.ValidBy = "split"
	// Queries are held out whole: rows 0 to 3, 4 to 7, … have one mark each, or not.
	for words, marked := range map[string]func(row int) bool{
		"": func(row int) bool { return row/4%3 == 0 },
		`row 7: column "split" has "valid" (train.valid_by), but "train" in the first row of the same query (q 1)`: func(row int) bool { return row/4%3 == 0 || row == 6 },
	} {
		var report booster.Report
		_, err := booster.Train(context.Background(), p, queryTable(t, 60, marked), booster.WithReport(&report))
		switch {
		case words == "" && (err != nil || len(report.HeldOut) != 20):
			t.Errorf("%v; rows %v are held out, want 5 queries of 4 rows", err, report.HeldOut)
		case words != "" && (!errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), words)):
			t.Errorf("error %v, want %q", err, words)
		}
	}
	p.ValidBy = "fold"
	if _, err := booster.Train(context.Background(), p, splitTable(t, 200, "1", "0")); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), `no id column "fold"`) {
		t.Errorf("error %v about a column that is not there", err)
	}
	p.ValidBy = "split"
	table := splitTable(t, 200, "1", "0")
	if _, err := booster.Train(context.Background(), p, table, booster.Valid("valid", table)); !errors.Is(err, booster.ErrParams) {
		t.Errorf("error %v with a validation set too, want ErrParams", err)
	}
}
