package accuracy

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"boost/benchmarks/score"
	"boost/booster"
	"boost/dataset"
)

// Trainer trains on sets with the settings of reference.json.
type Trainer struct {
	Threads   int
	Gradients string // as in train.gradients

	maxBin int             // 0 = 255
	report *booster.Report // of the last training, if not nil
}

// Run trains on the set's training part and takes the loss on its test part; a small
// set is trained on the first n re-splits as well.
func (t Trainer) Run(ctx context.Context, s *Set, n int) (Result, error) {
	began := time.Now()
	r := Result{Set: s.Name, Reference: s.Reference}
	train, test, err := s.Tables(ctx)
	if err != nil {
		return r, err
	}
	if r.Loss, err = t.loss(ctx, s, train, test); err != nil {
		return r, err
	}
	if !s.Reference.Large() {
		if r.Splits, err = t.splits(ctx, s, train, n); err != nil {
			return r, err
		}
	}
	r.Seconds = math.Round(100*time.Since(began).Seconds()) / 100
	return r, nil
}

// Splits returns the losses on the held-out rows of re-splits 0 … n-1.
func (t Trainer) Splits(ctx context.Context, s *Set, n int) ([]float64, error) {
	train, err := s.Open(ctx)
	if err != nil {
		return nil, err
	}
	return t.splits(ctx, s, train, n)
}

func (t Trainer) splits(ctx context.Context, s *Set, train *dataset.Table, n int) ([]float64, error) {
	classes := classKeys(s, train)
	queries, err := train.Groups()
	if err != nil {
		return nil, err
	}
	losses := make([]float64, n)
	for i := range losses {
		var rest, held []int32
		if queries == nil {
			rest, held = Split(i, classes)
		} else {
			rest, held = splitQueries(i, queries)
		}
		if losses[i], err = t.loss(ctx, s, train.Take(rest), train.Take(held)); err != nil {
			return nil, fmt.Errorf("re-split %d: %w", i, err)
		}
	}
	return losses, nil
}

// Open reads the training part.
func (s *Set) Open(ctx context.Context) (*dataset.Table, error) {
	return dataset.Open(ctx, s.Train(), s.options...)
}

// Tables reads both parts.
func (s *Set) Tables(ctx context.Context) (train, test *dataset.Table, err error) {
	if train, err = s.Open(ctx); err != nil {
		return nil, nil, err
	}
	test, err = dataset.Open(ctx, s.Test(), dataset.As(train.Schema()), dataset.MissingOnly(""))
	return train, test, err
}

// classKeys tells the classes of the rows apart; one and the same for regression.
func classKeys(s *Set, t *dataset.Table) []float64 {
	keys := make([]float64, t.NumRows())
	if s.Task != "binary" && s.Task != "multiclass" {
		return keys
	}
	switch label := t.LabelColumn(); label.Kind() {
	case dataset.Float32:
		for row, v := range label.Float32s() {
			keys[row] = float64(v)
		}
	case dataset.Float64:
		copy(keys, label.Float64s())
	default:
		for row, c := range label.Codes() {
			keys[row] = float64(c)
		}
	}
	return keys
}

func (t Trainer) params(s *Set) booster.Params {
	p := booster.Defaults()
	p.Objective, p.Rounds, p.LearningRate = cmp.Or(s.objective, s.Task), s.Rounds, cmp.Or(s.rate, 0.1)
	p.Threads, p.Gradients = t.Threads, t.Gradients
	p.Tree.Leaves, p.Tree.MinDataInLeaf = 31, 20
	p.Binning.MaxBin = 255
	if t.maxBin > 0 {
		p.Binning.MaxBin = t.maxBin
	}
	if s.metric != "" {
		p.Metrics, p.MetricsEvery = []string{s.metric}, 10 // a run that splits nothing ends after 10
		s.change(&p)
	}
	return p
}

// loss trains on one table and returns the loss on the other.
func (t Trainer) loss(ctx context.Context, s *Set, train, test *dataset.Table) (float64, error) {
	report := t.report
	if report == nil {
		report = &booster.Report{}
	}
	if s.metric != "" {
		if _, err := booster.Train(ctx, t.params(s), train, booster.Valid("test", test), booster.WithReport(report)); err != nil {
			return 0, err
		}
		loss, known := report.Metrics["test"][s.metric]
		if !known || math.IsNaN(loss) {
			return 0, fmt.Errorf("there is no %s", s.metric)
		}
		if strings.HasPrefix(s.metric, "ndcg") || strings.HasPrefix(s.metric, "map@") {
			loss = 1 - loss
		}
		return loss, nil
	}
	m, err := booster.Train(ctx, t.params(s), train, booster.WithReport(report))
	if err != nil {
		return 0, err
	}
	return s.LossOf(ctx, m, test)
}

// Train trains on a part of the set, with other settings where change, which may be nil, makes such.
func (t Trainer) Train(ctx context.Context, s *Set, train *dataset.Table, change func(p *booster.Params)) (*booster.Model, error) {
	p := t.params(s)
	p.Metrics, p.MetricsEvery = nil, 0
	if change != nil {
		change(&p)
	}
	return booster.Train(ctx, p, train)
}

// LossOf returns the loss of a model on a table, by Metric.
func (s *Set) LossOf(ctx context.Context, m *booster.Model, test *dataset.Table) (float64, error) {
	values, err := m.Predict(ctx, test)
	if err != nil {
		return 0, err
	}
	weights, err := test.Weights()
	if err != nil {
		return 0, err
	}
	var loss float64
	if s.Task == "regression" {
		labels, err := test.NumericLabels()
		if err != nil {
			return 0, err
		}
		loss = score.RMSE(values, labels, weights)
	} else {
		c := m.Contents()
		labels, err := test.EncodeClasses(c.Classes, c.NumericClasses)
		if err != nil {
			return 0, err
		}
		loss = score.LogLoss(values, len(values)/test.NumRows(), labels, weights)
	}
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return 0, fmt.Errorf("the %s is %v", s.Metric(), loss)
	}
	return loss, nil
}
