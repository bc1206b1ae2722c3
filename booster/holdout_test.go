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
		`"test" says neither`:   splitTable(t, 200, "test", "train"),
		"marks 200 of 200 rows": splitTable(t, 200, "valid", "valid"),
		"marks 0 of 200 rows":   splitTable(t, 200, "train", "train"),
	} {
		if _, err := booster.Train(context.Background(), p, tables); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), words) {
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
