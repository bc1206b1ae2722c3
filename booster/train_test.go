package booster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"boost/booster"
	"boost/dataset"
	"boost/internal/testenv"
	"boost/objectives"
)

// openShipped reads a shipped training table.
func openShipped(t testing.TB, name string) *dataset.Table {
	t.Helper()
	if name == rankedSet {
		return rankedPrices(t)
	}
	for _, set := range shipped {
		if set.name != name {
			continue
		}
		opts := append([]dataset.Option{dataset.Label(set.label)}, set.options...)
		table, err := dataset.Open(context.Background(), filepath.Join("..", "examples", name, "train.csv.gz"), opts...)
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	t.Fatalf("no shipped set %s", name)
	return nil
}

func TestOneQuantizationPerRoundAndOutput(t *testing.T) {
	t.Run("S2.1,S2.12/trace", func(t *testing.T) {
		var log bytes.Buffer
		p := booster.Defaults()
		p.Objective, p.Rounds = "multiclass", 3
		_, err := booster.Train(context.Background(), p, openShipped(t, "wine_quality"),
			booster.Logger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
		if err != nil {
			t.Fatal(err)
		}
		const outputs = 7
		for round := range p.Rounds {
			for k := range outputs {
				line := fmt.Sprintf("msg=quantized round=%d output=%d ", round, k)
				if n := strings.Count(log.String(), line); n != 1 {
					t.Errorf("%q is logged %d times, want once", line, n)
				}
			}
		}
		if n := strings.Count(log.String(), "msg=quantized"); n != p.Rounds*outputs {
			t.Errorf("%d quantizations in %d rounds of %d outputs", n, p.Rounds, outputs)
		}
	})
}

func TestVerifyHoldsOnRealData(t *testing.T) {
	testenv.Unraced(t)
	for _, set := range shipped {
		for _, mode := range []string{"i16", "i32", "f32"} {
			t.Run("S2.26/"+set.name+"/"+mode, func(t *testing.T) {
				p := booster.Defaults()
				p.Objective, p.Rounds, p.Gradients, p.Verify, p.RowFraction = set.objective, 2, mode, true, 0.6
				if _, err := booster.Train(context.Background(), p, openShipped(t, set.name)); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

func TestEarlyStoppingKeepsTheBestRound(t *testing.T) {
	var report booster.Report
	p := booster.Defaults()
	p.Objective, p.Rounds, p.LearningRate, p.EarlyStopping = "binary", 200, 0.5, 5
	m, err := booster.Train(context.Background(), p, openShipped(t, "adult"), booster.WithReport(&report))
	if err != nil {
		t.Fatal(err)
	}
	c := m.Contents()
	if report.Stopped != booster.StoppedEarly || c.BestRound != report.BestRound || len(c.Trees) != c.BestRound {
		t.Fatalf("stopped %q, best round %d/%d, %d trees", report.Stopped, report.BestRound, c.BestRound, len(c.Trees))
	}
	if report.Rounds != report.BestRound+p.EarlyStopping {
		t.Errorf("%d rounds trained, best %d, early stopping %d", report.Rounds, report.BestRound, p.EarlyStopping)
	}
	h := c.History[0]
	if h.Set != "valid" || len(h.Values) != report.Rounds {
		t.Fatalf("history of %s/%s has %d values, want %d", h.Set, h.Metric, len(h.Values), report.Rounds)
	}
	for i, v := range h.Values {
		if best := *h.Values[c.BestRound-1]; i < c.BestRound-1 && *v <= best || i >= c.BestRound && *v < best {
			t.Errorf("round %d has %v, the best round %d has %v", i+1, *v, c.BestRound, best)
		}
	}
	if got := report.Metrics["valid"][h.Metric]; got != *h.Values[c.BestRound-1] {
		t.Errorf("report says %v, history %v", got, *h.Values[c.BestRound-1])
	}
}

func TestHoldoutIsATenthOfEachClass(t *testing.T) {
	const n = 1000
	labels, x := make([]string, n), make([]float64, n)
	for i := range labels {
		labels[i], x[i] = "no", float64(i%17)
		if i%4 == 0 {
			labels[i] = "yes"
		}
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "y", Values: labels}, {Name: "x", Values: x}}, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	p := booster.Defaults()
	p.Rounds = 3
	_, err = booster.Train(context.Background(), p, table, booster.EarlyStop(2), booster.Logger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	if err != nil {
		t.Fatal(err)
	}
	// 750 of class no and 250 of class yes: ⌊750/10⌋ + ⌊250/10⌋.
	if !strings.Contains(log.String(), "rows=100 of=1000") {
		t.Errorf("the log does not say that 100 of 1000 rows were held out:\n%s", log.String())
	}
}

func TestLimits(t *testing.T) {
	table := openShipped(t, "ames_housing")
	p := booster.Defaults()
	p.Objective = "regression"

	t.Run("time before the first round", func(t *testing.T) {
		q := p
		q.TimeLimit = time.Nanosecond
		if m, err := booster.Train(context.Background(), q, table); m != nil || !errors.Is(err, booster.ErrBudget) {
			t.Errorf("Train = %v, %v, want ErrBudget", m, err)
		}
	})
	t.Run("time after some rounds", func(t *testing.T) {
		q := p
		q.Rounds, q.TimeLimit = 1_000_000, time.Second
		var report booster.Report
		m, err := booster.Train(context.Background(), q, table, booster.WithReport(&report))
		if err != nil || report.Stopped != booster.StoppedTimeLimit || m.Contents().BestRound < 1 {
			t.Errorf("Train: %v, stopped %q", err, report.Stopped)
		}
	})
	t.Run("memory", func(t *testing.T) {
		q := p
		q.MemoryLimit = 1000
		if m, err := booster.Train(context.Background(), q, table); m != nil || !errors.Is(err, booster.ErrBudget) {
			t.Errorf("Train = %v, %v, want ErrBudget", m, err)
		}
	})
	t.Run("memory of the rows", func(t *testing.T) {
		// Score, gradient, hessian, label, entry and 16-bit codes of them are 36 bytes a row.
		q := p
		q.EarlyStopping, q.MemoryLimit = 0, int64(36*table.NumRows()-1)
		var log bytes.Buffer
		_, err := booster.Train(context.Background(), q, table, booster.Logger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
		if !errors.Is(err, booster.ErrBudget) || !strings.Contains(err.Error(), "its rows alone") || !strings.Contains(err.Error(), "fewer rows") {
			t.Errorf("Train: %v, want ErrBudget by the rows alone", err)
		}
		if strings.Contains(log.String(), "bin matrix") {
			t.Errorf("the table was binned before that:\n%s", log.String())
		}
		q.MemoryLimit++
		if _, err := booster.Train(context.Background(), q, table); err == nil || strings.Contains(err.Error(), "its rows alone") {
			t.Errorf("Train: %v, want a refusal by more than the rows", err)
		}
	})
	t.Run("interrupted", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		q := p
		q.Rounds = 1000
		m, err := booster.Train(ctx, q, table, booster.OnRound(func(r booster.Round) {
			if r.Index == 4 {
				cancel()
			}
		}))
		if !errors.Is(err, booster.ErrInterrupted) || !errors.Is(err, context.Canceled) {
			t.Fatalf("Train: %v, want ErrInterrupted and context.Canceled", err)
		}
		if m == nil || m.Contents().BestRound != 5 {
			t.Errorf("the model so far does not hold the 5 finished rounds")
		}
	})
	t.Run("interrupted before the first round", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if m, err := booster.Train(ctx, p, table); m != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("Train = %v, %v", m, err)
		}
	})
}

// TestPredictionsEqualTrainingScores checks that descending by raw values adds up to
// the very scores that training saw (S0.6).
func TestPredictionsEqualTrainingScores(t *testing.T) {
	for _, set := range shipped {
		t.Run("S0.6/"+set.name, func(t *testing.T) {
			table := openShipped(t, set.name)
			p := booster.Defaults()
			p.Objective, p.Rounds = set.objective, 10
			var report booster.Report
			m, err := booster.Train(context.Background(), p, table, booster.Valid("valid", table), booster.WithReport(&report))
			if err != nil {
				t.Fatal(err)
			}
			for name, value := range report.Metrics["train"] {
				if valid := report.Metrics["valid"][name]; math.Float64bits(valid) != math.Float64bits(value) {
					t.Errorf("%s: %v on the rows as training set, %v as validation set", name, value, valid)
				}
			}
			if _, err := m.Predict(context.Background(), table); err != nil {
				t.Error(err)
			}
		})
	}
}

// A weight or label that cannot be learned from is named once, by its place in the table.
func TestRefusedRowsHavePlaces(t *testing.T) {
	y, x, w := make([]float64, 30), make([]float64, 30), make([]float64, 30)
	for i := range y {
		y[i], x[i], w[i] = float64(i%2), float64(i), 1
	}
	for name, c := range map[string]struct {
		weight, label float64
		want          string
	}{
		"weight": {1e38, 1, "bad table: row 21: weight 1e+38, want a number from 0 to 1e30 (divide all by one number, and tree.min_child_weight too)"},
		"label":  {1, 3, "bad table: row 21: label 3, want a chance from 0 to 1"},
	} {
		y[20], w[20] = c.label, c.weight
		table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "y", Values: y}, {Name: "x", Values: x}, {Name: "w", Values: w}},
			dataset.Label("y"), dataset.Weight("w"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = booster.Train(context.Background(), booster.Params{Objective: "cross_entropy"}, table)
		var row *objectives.RowError
		if err == nil || err.Error() != c.want || !errors.Is(err, dataset.ErrTable) || !errors.As(err, &row) || row.Row != 20 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
