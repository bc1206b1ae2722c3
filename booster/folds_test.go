package booster_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"boost/booster"
)

// A model keeps the rounds that StopWhen names as the best when it stops, in every way of boosting, and a run that was
// saved and gone on with keeps the same.
func TestStopWhen(t *testing.T) {
	table := pairTable(t, "regression")
	rule := func(r booster.Round) (int, bool) { return min(r.Index+1, 4), r.Index+1 == 6 }
	for _, boosting := range []string{booster.PlainBoosting, booster.DartBoosting, booster.RandomForest} {
		p := booster.Defaults()
		p.Objective, p.Rounds, p.Boosting, p.Tree.ColNode = "regression", 20, boosting, 0.7
		opts := []booster.Option{booster.OnRows(rowsOf(0, 300), rowsOf(300, 400)), booster.StopWhen(rule)}
		var report booster.Report
		m := train(t, p, table, append(opts, booster.WithReport(&report))...)
		if m.Rounds() != 4 || report.Rounds != 6 || report.Stopped != booster.StoppedEarly {
			t.Errorf("%s: %d rounds of %d, stopped by %s", boosting, m.Rounds(), report.Rounds, report.Stopped)
		}
		saves := booster.Checkpoints{Dir: t.TempDir(), Every: booster.CheckpointEvery{Rounds: 1}}
		if err := stopped(t, 5, p, table, append(opts, booster.WithCheckpoints(saves))...); !errors.Is(err, booster.ErrInterrupted) {
			t.Fatal(err)
		}
		for range 2 { // from the fifth round, and from the end
			saves.Resume = true
			if again := train(t, p, table, append(opts, booster.WithCheckpoints(saves))...); !bytes.Equal(bytesOf(t, again), bytesOf(t, m)) {
				t.Errorf("%s: another model after a checkpoint", boosting)
			}
		}
		p.EarlyStopping = 3
		if _, err := booster.Train(t.Context(), p, table, opts...); !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), "leave one of them out") {
			t.Errorf("%s: with early stopping: %v", boosting, err)
		}
	}
}

func TestOnRowsRefuses(t *testing.T) {
	table := pairTable(t, "regression")
	p := booster.Defaults()
	p.Objective = "regression"
	for _, rows := range [][2][]int32{{nil, {1}}, {{1}, nil}, {{2, 1}, {3}}, {{1, 1}, {3}}, {{-1}, {3}}, {{1}, {400}}} {
		if _, err := booster.Train(t.Context(), p, table, booster.OnRows(rows[0], rows[1])); !errors.Is(err, booster.ErrParams) {
			t.Errorf("rows %v: %v", rows, err)
		}
	}
	if _, err := booster.Train(t.Context(), p, table, booster.OnRows(rowsOf(0, 10), rowsOf(10, 20)), booster.Valid("valid", table)); !errors.Is(err, booster.ErrParams) {
		t.Errorf("with a validation set: %v", err)
	}
}
