package booster_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"boost/booster"
	"boost/dataset"
)

// A run without any split ends after ten rounds, or before, and says why; one split is enough to go on.
func TestUnsplit(t *testing.T) {
	for name, c := range map[string]struct {
		rows   int
		x      func(i int) float64
		change func(p *booster.Params)
		rounds int
		why    string
	}{
		"a constant column": {rows: 100, x: func(int) float64 { return 7 }, rounds: 10, why: "no feature has more than one bin"},
		"few rows":          {rows: 39, x: func(i int) float64 { return float64(i) }, rounds: 10, why: "39 rows are fewer than twice tree.min_data_in_leaf = 20: set tree.min_data_in_leaf = 4"},
		"enough rows":       {rows: 40, x: func(i int) float64 { return float64(i) }, rounds: 25},
		"a limit": {rows: 100, x: func(i int) float64 { return float64(i) }, rounds: 10, why: "no split keeps the limits",
			change: func(p *booster.Params) { p.Tree.MinGain = 1e9 }},
		"fewer rounds": {rows: 100, x: func(int) float64 { return 7 }, rounds: 9, why: "no feature has more than one bin",
			change: func(p *booster.Params) { p.Rounds = 9 }},
		"early stopping": {rows: 100, x: func(int) float64 { return 7 }, rounds: 1, why: "no feature has more than one bin",
			change: func(p *booster.Params) { p.ValidShare, p.EarlyStopping = 0.2, 3 }},
	} {
		t.Run(name, func(t *testing.T) {
			rows := make([][]float64, c.rows)
			for i := range rows {
				rows[i] = []float64{c.x(i), float64(i) / 3}
			}
			table, err := dataset.FromRows(rows, "x", "y")
			if err == nil {
				table, err = table.WithLabel("y")
			}
			if err != nil {
				t.Fatal(err)
			}
			p := booster.Defaults()
			p.Objective, p.Rounds = "regression", 25
			if c.change != nil {
				c.change(&p)
			}
			var log strings.Builder
			var report booster.Report
			m, err := booster.Train(context.Background(), p, table, booster.WithReport(&report),
				booster.Logger(slog.New(slog.NewTextHandler(&log, nil))))
			if err != nil {
				t.Fatal(err)
			}
			if m.Rounds() != c.rounds || (report.Stopped == booster.StoppedUnsplit) != (c.rounds == 10) {
				t.Errorf("%d rounds, stopped %q, want %d", m.Rounds(), report.Stopped, c.rounds)
			}
			if !strings.Contains(log.String(), c.why) || strings.Contains(log.String(), "no tree has a split") != (c.why != "") {
				t.Errorf("%q is not said, or is said without a reason, in\n%s", c.why, log.String())
			}
		})
	}
}
