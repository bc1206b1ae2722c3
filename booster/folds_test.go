package booster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"testing"

	"boost/booster"
	"boost/booster/search"
	"boost/parallel"
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

// Checkpoints of a fold whose cuts are those of all folds are not those of a fold with cuts of its own rows.
func TestCheckpointsOfOtherCuts(t *testing.T) {
	table := pairTable(t, "regression")
	p := booster.Defaults()
	p.Objective, p.Rounds = "regression", 6
	pool := parallel.NewPool(1)
	defer pool.Close()
	once, _, err := booster.Binned(t.Context(), p, table, pool, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := booster.OnRows(rowsOf(0, 300), rowsOf(300, 400))
	for _, pair := range [][2]booster.Data{{once, booster.InMemory(table)}, {booster.InMemory(table), once}} {
		saves := booster.Checkpoints{Dir: t.TempDir(), Every: booster.CheckpointEvery{Rounds: 2}}
		if _, err := booster.TrainOn(t.Context(), p, pair[0], rows, booster.WithCheckpoints(saves)); err != nil {
			t.Fatal(err)
		}
		saves.Resume = true
		if _, err := booster.TrainOn(t.Context(), p, pair[0], rows, booster.WithCheckpoints(saves)); err != nil {
			t.Errorf("the same cuts: %v", err)
		}
		if _, err := booster.TrainOn(t.Context(), p, pair[1], rows, booster.WithCheckpoints(saves)); !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), "cuts are those of all folds") {
			t.Errorf("other cuts: %v", err)
		}
	}
}

// Rates that a function chooses give the model of the same rates as a list, which it keeps, so that it is reproduced.
func TestRateBy(t *testing.T) {
	table := pairTable(t, "regression")
	for _, boosting := range []string{booster.PlainBoosting, booster.DartBoosting} {
		p := booster.Defaults()
		p.Objective, p.Rounds, p.Boosting = "regression", 6, boosting
		asked := 0
		halves := booster.RateBy(func(before booster.Round) float64 {
			if asked > 0 && before.Index != asked-1 {
				t.Errorf("%s: before round %d came round %d", boosting, asked, before.Index)
			}
			asked++
			return 0.4 / float64(asked)
		})
		m := train(t, p, table, halves)
		q := p
		q.Rates = []float64{0.4, 0.4 / 2, 0.4 / 3, 0.4 / 4, 0.4 / 5, 0.4 / 6}
		if !bytes.Equal(bytesOf(t, m), bytesOf(t, train(t, q, table))) {
			t.Errorf("%s: another model than that of the rates as a list", boosting)
		}
		again, err := search.Reproduce(t.Context(), m, nil, table)
		if err != nil || !bytes.Equal(bytesOf(t, again), bytesOf(t, m)) {
			t.Errorf("%s: not reproduced: %v", boosting, err)
		}
		q.Rates = []float64{0.1}
		for name, opts := range map[string][]booster.Option{
			"a list": {halves}, "no rate": {booster.RateBy(func(booster.Round) float64 { return 0 })},
			"checkpoints": {halves, booster.WithCheckpoints(booster.Checkpoints{Dir: t.TempDir()})},
		} {
			of := p
			if name == "a list" {
				of = q
			}
			if _, err := booster.Train(t.Context(), of, table, opts...); !errors.Is(err, booster.ErrParams) {
				t.Errorf("%s, %s: %v", boosting, name, err)
			}
		}
	}
}

// Training that is saved goes on from where it was stopped.
func ExampleWithCheckpoints() {
	ctx := context.Background()
	table, err := steps()
	if err != nil {
		log.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "checkpoints")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	saves := booster.Checkpoints{Dir: folder, Every: booster.CheckpointEvery{Rounds: 10}, Resume: true}
	stopping, stop := context.WithCancel(ctx)
	_, err = booster.Train(stopping, booster.Params{Objective: "binary", Rounds: 50}, table, booster.WithCheckpoints(saves), booster.OnRound(func(r booster.Round) {
		if r.Index == 24 {
			stop()
		}
	}))
	fmt.Println(errors.Is(err, booster.ErrInterrupted))
	var report booster.Report
	m, err := booster.Train(ctx, booster.Params{Objective: "binary", Rounds: 50}, table, booster.WithCheckpoints(saves), booster.WithReport(&report))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Rounds(), "rounds,", report.Resumed, "from the checkpoint")
	// Output:
	// true
	// 50 rounds, 25 from the checkpoint
}
