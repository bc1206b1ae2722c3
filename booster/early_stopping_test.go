package booster_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"boost/booster"
	"boost/internal/testenv"
)

// Early stopping keeps the round that LightGBM's rule keeps: a round is better where its metric beats the best one so far by more than
// the least change.
func TestEarlyStoppingMinDelta(t *testing.T) {
	testenv.Unraced(t)
	table := openShipped(t, "wine_quality")
	n := table.NumRows()
	rows, held := sequence(0, n/2), sequence(n/2, n)
	valid := booster.Valid("valid", table.Take(held))
	p := booster.Params{Objective: "multiclass", Rounds: 40, LearningRate: 0.4, Metrics: []string{"multi_logloss", "accuracy"}}.OrDefaults()
	for _, lead := range []string{"multi_logloss", "accuracy"} {
		slices.SortFunc(p.Metrics, func(a, b string) int { // which of them leads is the first of the list
			if a == lead {
				return -1
			}
			return 1
		})
		p.EarlyStopping, p.MinDelta = 0, 0
		values := train(t, p, table.Take(rows), valid).Contents().History[0].Values
		for _, least := range []float64{0, 0.002, 0.01, 0.05} {
			const patience = 4
			best, stopped := 1, len(values)
			for round := 2; round <= len(values); round++ {
				change := *values[round-1] - *values[best-1]
				if lead == "multi_logloss" {
					change = -change
				}
				if change > least {
					best = round
				}
				if round-best >= patience {
					stopped = round
					break
				}
			}
			var report booster.Report
			p.EarlyStopping, p.MinDelta = patience, least
			m := train(t, p, table.Take(rows), valid, booster.WithReport(&report))
			if m.Rounds() != best || report.Rounds != stopped {
				t.Errorf("%s, least change %v: %d of %d rounds are kept, want %d of %d", lead, least, m.Rounds(), report.Rounds, best, stopped)
			}
			again, err := booster.ParamsOf(m)
			if err != nil || again.MinDelta != least {
				t.Errorf("the model keeps a least change of %v (%v), want %v", again.MinDelta, err, least)
			}
		}
	}
	p.EarlyStopping, p.MinDelta = 0, 0.1
	if _, err := booster.Train(context.Background(), p, table); !errors.Is(err, booster.ErrParams) {
		t.Errorf("a least change without early stopping: %v", err)
	}
}
