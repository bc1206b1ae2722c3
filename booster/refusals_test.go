package booster_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"boost/booster"
	"boost/dataset"
	"boost/objectives"
	"boost/objectives/metrics"
)

// own is a loss of any number of outputs and base scores.
type own struct {
	objectives.Objective
	outputs, bases int
}

func (o own) Outputs() int                                 { return o.outputs }
func (o own) BaseScore(objectives.Rows) ([]float64, error) { return make([]float64, o.bases), nil }

// What would only come out behind the last round is said before the first.
func TestRefusedBeforeTraining(t *testing.T) {
	numbers, err := dataset.FromColumns([]dataset.ColumnData{{Name: "x", Values: sequenceOf(60, 7)}, {Name: "y", Values: sequenceOf(60, 3)}}, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	square := objectives.FromFunc("mine", objectives.Identity, func(score, label float64) (float64, float64) { return score - label, 1 })
	odds := objectives.FromFunc("mine", objectives.Logistic, func(score, label float64) (float64, float64) { return score - label, 1 })
	for name, c := range map[string]struct {
		want string
		opts []booster.Option
	}{
		"a name twice":       {`a validation set is named "v"`, []booster.Option{booster.Valid("v", numbers), booster.Valid("v", numbers)}},
		"no name":            {`a validation set is named ""`, []booster.Option{booster.Valid("", numbers)}},
		"the training set's": {`a validation set is named "train"`, []booster.Option{booster.Valid("train", numbers)}},
		"a built-in metric's name": {"two metrics are called rmse", []booster.Option{booster.WithObjective(square), booster.Valid("v", numbers),
			booster.WithMetric(metrics.FromFunc("rmse", metrics.LowerIsBetter, func(metrics.Input) float64 { return 1 }))}},
		"no outputs":             {"has 0 outputs", []booster.Option{booster.WithObjective(own{square, 0, 0})}},
		"outputs of few classes": {`has 2 outputs for 3 classes of label "y"`, []booster.Option{booster.WithObjective(own{odds, 2, 2})}},
		"an output of classes":   {`has 1 outputs for 3 classes of label "y"`, []booster.Option{booster.WithObjective(odds)}},
		"few base scores":        {"has 0 base scores for 1 outputs", []booster.Option{booster.WithObjective(own{square, 1, 0})}},
		"patience below 0":       {"train.early_stopping", []booster.Option{booster.EarlyStop(-3)}},
	} {
		p := booster.Defaults()
		p.Rounds = 3
		m, err := booster.Train(context.Background(), p, numbers, c.opts...)
		if m != nil || !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// sequenceOf returns 0, 1, … again and again.
func sequenceOf(rows, different int) []float64 {
	values := make([]float64, rows)
	for i := range values {
		values[i] = float64(i % different)
	}
	return values
}

func TestEarlyStopOff(t *testing.T) {
	table := noisy(t, 1, 400, 3, 2)
	p := booster.Defaults()
	p.Objective, p.Rounds, p.EarlyStopping = "regression", 12, 1
	var report booster.Report
	if m := train(t, p, table, booster.EarlyStop(0), booster.WithReport(&report)); m.Rounds() != 12 || len(report.Metrics) != 1 {
		t.Errorf("%d rounds, sets %v: no early stopping was asked for", m.Rounds(), report.Metrics)
	}
}

func TestCancelledBeforeTheFirstRound(t *testing.T) {
	table := noisy(t, 1, 400, 3, 2)
	p := booster.Defaults()
	p.Rounds = 2
	base := train(t, p, table)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if m, err := booster.Train(ctx, p, table); m != nil || !errors.Is(err, booster.ErrInterrupted) || !errors.Is(err, context.Canceled) {
		t.Errorf("training: %v", err)
	}
	if m, err := booster.Refit(ctx, base, table, 0); m != nil || !errors.Is(err, booster.ErrInterrupted) || !errors.Is(err, context.Canceled) {
		t.Errorf("refit: %v", err)
	}
}

// Metrics that tell two classes apart take no other labels, in validation, training and a model's evaluation.
func TestLabelsOfTwoClasses(t *testing.T) {
	labelled := func(u, v float64) *dataset.Table {
		first, second := sequenceOf(60, 2), sequenceOf(60, 3)
		for i := range first {
			first[i], second[i] = first[i]*u, min(second[i], 1)*v
		}
		table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "x", Values: sequenceOf(60, 7)}, {Name: "u", Values: first}, {Name: "v", Values: second}}, dataset.Label("u", "v"))
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	p := booster.Params{Objective: "multi_label", Rounds: 2}
	m := train(t, p, labelled(1, 1))
	const want = "label 2 of 2: 100, want 0 or 1, as metric "
	if _, err := booster.Train(context.Background(), p, labelled(1, 1), booster.Valid("v", labelled(1, 100))); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), want) {
		t.Errorf("validation: %v", err)
	}
	for _, name := range []string{"auc", "logloss", "f1", "ece"} {
		if _, err := m.MetricInput(labelled(1, 100), []string{name}); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), "row 2: "+want+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := m.MetricInput(labelled(1, 0), []string{"auc", "brier"}); err != nil {
		t.Error(err)
	}

	y := sequenceOf(60, 3)
	for i := range y {
		y[i] /= 4
	}
	shares, err := dataset.FromColumns([]dataset.ColumnData{{Name: "x", Values: sequenceOf(60, 7)}, {Name: "y", Values: y}}, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	p = booster.Params{Objective: "cross_entropy", Rounds: 2}
	m = train(t, p, shares, booster.Valid("v", shares))
	if _, err := m.MetricInput(shares, []string{"cross_entropy", "brier", "rmse", "kullback_leibler"}); err != nil {
		t.Error(err)
	}
	if _, err := m.MetricInput(shares, []string{"rmse", "accuracy"}); err == nil || !strings.Contains(err.Error(), "0.25, want 0 or 1, as metric accuracy") {
		t.Errorf("accuracy of shares: %v", err)
	}
	p.Metrics = []string{"logloss"}
	if _, err := booster.Train(context.Background(), p, shares); err == nil || !strings.Contains(err.Error(), "row 2: label 0.25, want 0 or 1, as metric logloss") {
		t.Errorf("logloss of shares: %v", err)
	}

	p = booster.Params{Objective: "quantile", Loss: objectives.Params{Alpha: []float64{0.1, 0.9}}, Metrics: []string{"mae"}}
	if _, err := booster.Train(context.Background(), p, shares); !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), "mae is not defined for objective quantile (there are pinball@0.1/0.9)") {
		t.Errorf("mae of two quantiles: %v", err)
	}
}
