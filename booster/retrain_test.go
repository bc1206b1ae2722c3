package booster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"boost/booster"
	"boost/booster/model"
	"boost/booster/search"
	"boost/dataset"
	"boost/internal/testenv"
	"boost/objectives"
)

// What is trained again on all rows is the model of all rows and as many rounds, whose trees a run without early stopping
// grows. It keeps the parameters and the history of the first training, and can be reproduced.
func TestRetrain(t *testing.T) {
	testenv.Unraced(t)
	ctx := context.Background()
	table := zones(t, 4000, true)
	for _, c := range []struct {
		name   string
		change func(p *booster.Params)
	}{
		{"plain", func(*booster.Params) {}},
		{"levels in order", func(p *booster.Params) { p.LevelSplits = booster.TargetSplits }},
		{"dart", func(p *booster.Params) { p.Boosting = booster.DartBoosting }},
		{"bagging and a schedule", func(p *booster.Params) {
			p.RowFraction, p.RateSchedule, p.RateEnd = 0.7, booster.CosineRate, 0.05
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := booster.Defaults()
			p.Objective, p.Rounds, p.EarlyStopping, p.LearningRate, p.Tree.Leaves = "regression", 60, 5, 0.4, 6
			c.change(&p)
			p.AllRows = true
			first, err := booster.Train(ctx, p, table)
			if err != nil {
				t.Fatal(err)
			}
			p.Retrain = true
			var report booster.Report
			m, err := booster.Train(ctx, p, table, booster.WithReport(&report))
			if err != nil {
				t.Fatal(err)
			}
			if m.Rounds() != first.Rounds() || !report.Retrained || report.Rounds != len(first.Contents().History[0].Values) {
				t.Errorf("%d rounds after a training of %d, report %+v", m.Rounds(), first.Rounds(), report)
			}
			if len(m.Contents().History[0].Values) != len(first.Contents().History[0].Values) {
				t.Error("the history is not that of the first training")
			}
			whole := p
			whole.Retrain, whole.EarlyStopping = false, 0
			all, err := booster.Train(ctx, whole, table)
			if err != nil {
				t.Fatal(err)
			}
			if all, err = all.Prefix(m.Rounds()); err != nil {
				t.Fatal(err)
			}
			if c.name != "dart" { // whose first trees weigh less the more rounds there are
				for i := range m.Contents().Trees {
					if !bytes.Equal(leafBytes(m, i), leafBytes(all, i)) {
						t.Fatalf("tree %d is not that of all rows", i)
					}
				}
			}
			again, err := search.Reproduce(ctx, m, nil, table)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(bytesOf(t, again), bytesOf(t, m)) {
				t.Errorf("it is not reproduced: %s", model.DiffSections(bytesOf(t, again), bytesOf(t, m)))
			}
		})
	}
}

// The seconds of a report are parts of the time that passes, those of both trainings once.
func TestRetrainSeconds(t *testing.T) {
	testenv.Unraced(t)
	const rows, columns = 20_000, 40
	data := make([]dataset.ColumnData, columns+1)
	for f := range data {
		values := make([]float64, rows)
		for i := range values {
			values[i] = float64((i*7919 + f*104_729) % 99_991)
		}
		data[f] = dataset.ColumnData{Name: fmt.Sprintf("x%d", f), Values: values}
	}
	table, err := dataset.FromColumns(data, dataset.Label("x0"))
	if err != nil {
		t.Fatal(err)
	}
	p := booster.Defaults()
	p.Objective, p.Rounds, p.EarlyStopping, p.Retrain, p.AllRows, p.Tree.Leaves = "regression", 2, 1, true, true, 2
	var report booster.Report
	start := time.Now()
	if _, err := booster.Train(context.Background(), p, table, booster.WithReport(&report)); err != nil {
		t.Fatal(err)
	}
	passed := time.Since(start).Seconds()
	if parts := report.BinSeconds + report.TrainSeconds + report.ScoreSeconds; !report.Retrained || report.BinSeconds <= 0 || parts > passed {
		t.Errorf("%g s of %g s: binning %g, training %g, scoring %g", parts, passed, report.BinSeconds, report.TrainSeconds, report.ScoreSeconds)
	}
}

// Where training on all rows is interrupted, in its first step or in a round, the model of the first training is returned.
func TestRetrainInterrupted(t *testing.T) {
	testenv.Unraced(t)
	table := zones(t, 4000, false)
	p := booster.Defaults()
	p.Objective, p.Rounds, p.EarlyStopping, p.LearningRate = "regression", 60, 5, 0.4
	p.AllRows = true
	first, err := booster.Train(context.Background(), p, table)
	if err != nil {
		t.Fatal(err)
	}
	p.Retrain = true
	for name, at := range map[string]int{"before it": len(first.Contents().History[0].Values), "in a round": len(first.Contents().History[0].Values) + 3} {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		rounds := 0
		m, err := booster.Train(ctx, p, table, booster.OnRound(func(booster.Round) {
			if rounds++; rounds == at {
				cancel()
			}
		}))
		if !errors.Is(err, booster.ErrInterrupted) || m == nil || m.Rounds() != first.Rounds() {
			t.Errorf("%s: error %v, model %v", name, err, m)
			continue
		}
		if !bytes.Equal(bytesOf(t, m), bytesOf(t, first)) {
			t.Errorf("%s: it is not the model of the first training: %s", name, model.DiffSections(bytesOf(t, m), bytesOf(t, first)))
		}
	}
}

func leafBytes(m *model.Model, tree int) []byte {
	var b strings.Builder
	_ = m.Contents().Trees[tree].Dump(&b, nil, nil)
	return []byte(b.String())
}

func TestRetrainRefuses(t *testing.T) {
	testenv.Unraced(t)
	table := zones(t, 400, false)
	p := booster.Defaults()
	p.Objective, p.Rounds, p.EarlyStopping, p.Retrain = "regression", 5, 2, true
	for _, c := range []struct {
		name, want string
		change     func(p *booster.Params)
		opts       []booster.Option
	}{
		{"a validation set", "leave one of both out", func(*booster.Params) {}, []booster.Option{booster.Valid("valid", table)}},
		{"nothing held out", "set train.early_stopping", func(p *booster.Params) { p.EarlyStopping = 0 }, nil},
		{"feedback", "quantize.error_feedback", func(p *booster.Params) { p.QuantizeDType, p.ErrorFeedback = "I8", true }, nil},
	} {
		q := p
		c.change(&q)
		if _, err := booster.Train(context.Background(), q, table, c.opts...); !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	// Where there are too few rows to hold any out, all are trained on at once.
	m, err := booster.Train(context.Background(), p, zones(t, 400, false).Take([]int32{0, 1, 2, 3, 4}))
	if err != nil {
		t.Fatal(err)
	}
	if params, err := booster.ParamsOf(m); err != nil || params.Retrain {
		t.Errorf("retrain is kept where no rows were held out (%v)", err)
	}
}

// A run that is interrupted in either training goes on from its checkpoints to the same bytes.
func TestRetrainResumed(t *testing.T) {
	testenv.Unraced(t)
	table := zones(t, 4000, true)
	p := booster.Defaults()
	p.Objective, p.Rounds, p.EarlyStopping, p.LearningRate, p.Retrain, p.MvsFraction = "regression", 60, 5, 0.4, true, 0.7
	whole, err := booster.Train(context.Background(), p, table)
	if err != nil {
		t.Fatal(err)
	}
	first := len(whole.Contents().History[0].Values)
	for _, at := range []int{2, first - 1, first, first + 3} {
		saves := booster.Checkpoints{Dir: t.TempDir(), Every: booster.CheckpointEvery{Rounds: 1}}
		ctx, cancel := context.WithCancel(context.Background())
		rounds := 0
		_, err := booster.Train(ctx, p, table, booster.WithCheckpoints(saves), booster.OnRound(func(booster.Round) {
			if rounds++; rounds == at {
				cancel()
			}
		}))
		cancel()
		if !errors.Is(err, booster.ErrInterrupted) {
			t.Fatalf("stopped after round %d: error %v", at, err)
		}
		saves.Resume = true
		rounds = 0
		m, err := booster.Train(context.Background(), p, table, booster.WithCheckpoints(saves), booster.OnRound(func(booster.Round) { rounds++ }))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bytesOf(t, m), bytesOf(t, whole)) {
			t.Errorf("stopped after round %d: %s", at, model.DiffSections(bytesOf(t, m), bytesOf(t, whole)))
		}
		if most := first + whole.Rounds() - at + 1; rounds > most {
			t.Errorf("stopped after round %d: %d rounds more, at most %d are left", at, rounds, most)
		}
	}
}

// An objective of the caller's own is trained again on all rows too: for as many rounds as without.
func TestRetrainOwnObjective(t *testing.T) {
	testenv.Unraced(t)
	table := zones(t, 4000, true)
	own := booster.WithObjective(objectives.FromFunc("squared", objectives.Identity, func(score, label float64) (float64, float64) { return score - label, 1 }))
	p := booster.Defaults()
	p.Rounds, p.EarlyStopping, p.LearningRate, p.Tree.Leaves, p.AllRows = 60, 5, 0.4, 6, true
	first, err := booster.Train(t.Context(), p, table, own)
	if err != nil {
		t.Fatal(err)
	}
	p.Retrain = true
	var report booster.Report
	m, err := booster.Train(t.Context(), p, table, own, booster.WithReport(&report))
	if err != nil {
		t.Fatal(err)
	}
	whole := p
	whole.Retrain, whole.EarlyStopping, whole.Rounds = false, 0, first.Rounds()
	all, err := booster.Train(t.Context(), whole, table, own)
	if err != nil {
		t.Fatal(err)
	}
	if !report.Retrained || m.Objective() != "squared" || !reflect.DeepEqual(m.Contents().Trees, all.Contents().Trees) {
		t.Errorf("retrained %v, objective %q, and the trees are those of all rows: %v", report.Retrained, m.Objective(), reflect.DeepEqual(m.Contents().Trees, all.Contents().Trees))
	}
}
