package search_test

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"boost/booster"
	"boost/booster/search"
	"boost/dataset"
	"boost/parallel"
)

func bag(t *testing.T, p booster.Params, table *dataset.Table, b search.Bagging) *booster.Model {
	t.Helper()
	m, err := search.Bag(t.Context(), p, table, b)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func encoded(t *testing.T, m *booster.Model) []byte {
	t.Helper()
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A model of folds predicts the mean of what models predict that booster.Train makes of each fold's rows, from cuts of all
// rows. Any number of threads gives the same bytes, and Reproduce gives them again.
func TestBag(t *testing.T) {
	for name, set := range map[string]func(p *booster.Params){
		"plain":  func(*booster.Params) {},
		"stop":   func(p *booster.Params) { p.EarlyStopping = 4 },
		"linear": func(p *booster.Params) { p.Tree.Linear = true },
		"target": func(p *booster.Params) { p.LevelSplits = booster.TargetSplits },
		"dart":   func(p *booster.Params) { p.Boosting = booster.DartBoosting },
		"auto":   func(p *booster.Params) { p.Gradients = "auto" },
	} {
		t.Run(name, func(t *testing.T) {
			table := example(t, 300, "multiclass")
			p := params("multiclass")
			set(&p)
			p.BagFolds, p.Threads = 3, 1
			var told booster.Report
			m := bag(t, p, table, search.Bagging{Report: &told})
			data := encoded(t, m)
			q := p
			q.Threads = 3
			if !bytes.Equal(encoded(t, bag(t, q, table, search.Bagging{})), data) {
				t.Error("3 threads give another model")
			}
			again, err := search.Reproduce(t.Context(), m, nil, table)
			if err != nil || !bytes.Equal(encoded(t, again), data) {
				t.Errorf("reproduced, the model is another one (%v)", err)
			}
			if m.Rounds() != 3*told.BestRound || told.Bagged != 3 || p.EarlyStopping == 0 && told.BestRound != p.Rounds {
				t.Errorf("%d rounds, of %d models of %d rounds", m.Rounds(), told.Bagged, told.BestRound)
			}
			q = p
			q.BagFolds, q.EarlyStopping = 0, 0
			if p.Boosting == booster.PlainBoosting {
				q.Rounds = told.BestRound
			} else if told.BestRound != p.Rounds {
				t.Fatalf("%d rounds", told.BestRound)
			}
			folds, _, err := search.Division{Folds: 3, Seed: p.Seed}.Divide(table, p.Objective)
			if err != nil {
				t.Fatal(err)
			}
			pool := parallel.NewPool(1)
			defer pool.Close()
			binned, _, err := booster.Binned(t.Context(), q, table, pool, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.PredictRaw(t.Context(), table)
			if err != nil {
				t.Fatal(err)
			}
			mean := make([]float64, len(got))
			var first []float64 // of the first rounds alone
			for _, fold := range folds {
				one, err := booster.TrainOn(t.Context(), q, binned, booster.OnRows(fold.Train, fold.Valid))
				if err != nil {
					t.Fatal(err)
				}
				raw, err := one.PredictRaw(t.Context(), table)
				if err != nil {
					t.Fatal(err)
				}
				for i, v := range raw {
					mean[i] += v / 3
				}
				short, err := one.Prefix(1)
				if err != nil {
					t.Fatal(err)
				}
				if raw, err = short.PredictRaw(t.Context(), table); err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = make([]float64, len(raw))
				}
				for i, v := range raw {
					first[i] += v / 3
				}
			}
			near(t, "all rounds", got, mean)
			short, err := m.Prefix(3)
			if err != nil {
				t.Fatal(err)
			}
			if got, err = short.PredictRaw(t.Context(), table); err != nil {
				t.Fatal(err)
			}
			near(t, "the first round of each", got, first)
			rolled, err := search.Reproduce(t.Context(), short, nil, table)
			if err != nil || !bytes.Equal(encoded(t, rolled), encoded(t, short)) {
				t.Errorf("rolled back, the model is reproduced as another one (%v)", err)
			}
		})
	}
}

func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range got {
		if math.Abs(got[i]-want[i]) > 1e-9 {
			t.Errorf("%s: raw score %d is %v, the mean is %v", what, i, got[i], want[i])
			return
		}
	}
}

func TestBagRefuses(t *testing.T) {
	table := example(t, 60, "binary")
	for name, set := range map[string]func(p *booster.Params){
		"0 folds":        func(p *booster.Params) { p.BagFolds = 0 },
		"1 fold":         func(p *booster.Params) { p.BagFolds = 1 },
		"101 folds":      func(p *booster.Params) { p.BagFolds = 101 },
		"valid share":    func(p *booster.Params) { p.ValidShare = 0.2 },
		"valid by":       func(p *booster.Params) { p.ValidBy = "when" },
		"retrain":        func(p *booster.Params) { p.Retrain, p.EarlyStopping = true, 3 },
		"time limit":     func(p *booster.Params) { p.TimeLimit = 1e9 },
		"error feedback": func(p *booster.Params) { p.ErrorFeedback, p.QuantizeDType = true, "Q4_0" },
	} {
		p := params("binary")
		p.BagFolds = 3
		set(&p)
		if m, err := search.Bag(t.Context(), p, table, search.Bagging{}); m != nil || !errors.Is(err, booster.ErrParams) {
			t.Errorf("%s: %v", name, err)
		}
	}
	p := params("binary")
	p.BagFolds = 3
	if _, err := search.Bag(t.Context(), p, nil, search.Bagging{}); !errors.Is(err, booster.ErrParams) {
		t.Errorf("a table in files: %v", err)
	}
	if _, err := booster.Train(t.Context(), p, table); !errors.Is(err, booster.ErrParams) {
		t.Errorf("booster.Train: %v", err)
	}
	if _, err := search.CrossValidate(t.Context(), p, table, search.Params{Division: search.Division{Folds: 3}}); !errors.Is(err, booster.ErrParams) {
		t.Errorf("CrossValidate: %v", err)
	}
	if _, err := booster.Refit(t.Context(), bag(t, p, table, search.Bagging{}), table, 0.5); !errors.Is(err, booster.ErrParams) {
		t.Errorf("Refit: %v", err)
	}
}
