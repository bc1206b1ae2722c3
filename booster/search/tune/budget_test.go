package tune_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"boost/booster"
	"boost/booster/search"
	"boost/booster/search/tune"
	"boost/dataset"
)

func bytesOf(t *testing.T, m *booster.Model) []byte {
	t.Helper()
	b, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// asked is a Trainer that trains nothing, but tells with what it was to.
func asked(with *booster.Params) tune.Trainer {
	return func(_ context.Context, p booster.Params, _ func(*booster.Report) bool) (*booster.Model, booster.Report, error) {
		*with = p
		return nil, booster.Report{}, nil
	}
}

// What a budget chooses trains to the same bytes on any number of threads, and again from the model alone.
func TestWithin(t *testing.T) {
	t.Run("all rows", func(t *testing.T) { within(t, false) })
	t.Run("folds", func(t *testing.T) { within(t, true) })
}

// within spends a budget; with folds, trees have random splits, whose models of all rows are not averaged.
func within(t *testing.T, folds bool) {
	table := example(t, 500)
	start := params()
	start.EarlyStopping, start.Rounds, start.Tree.ExtraTrees = 10, 60, folds
	var p booster.Params
	plan, trials := "", 0
	for budget := 2 * time.Second; !strings.Contains(plan, ": a search of about ") && budget < time.Minute; budget *= 4 { // more on a slow machine
		var said bytes.Buffer
		var err error
		b := tune.Budget{Time: budget, Space: space(t), Log: slog.New(slog.NewTextHandler(&said, nil))}
		b.Show = func(time.Duration) (func(tune.Trial, bool), func(int, int)) {
			return func(tune.Trial, bool) { trials++ }, nil
		}
		_, _, err = tune.Train(t.Context(), start, table, b, asked(&p))
		plan = said.String()
		if err != nil {
			t.Fatal(err)
		}
	}
	models := "8 to 12"
	chosen := p.Blend == 12 && p.Retrain && p.EarlyStopping > 0 && p.BagFolds == 0
	if folds {
		models = "10"
		chosen = p.BagFolds == 10 && p.EarlyStopping == 0 && p.Blend == 0
	}
	if trials == 0 || !chosen || p.TimeLimit <= 0 || p.TimeLimit > time.Minute || p.Rounds > 60 {
		t.Fatalf("%d trials, plan %s, %+v", trials, plan, p)
	}
	if !strings.Contains(plan, ": a search of about ") || !strings.Contains(plan, fmt.Sprintf(" trials, then the mean of %s models of about ", models)) {
		t.Error(plan)
	}
	p.TimeLimit = 0
	var want []byte
	for _, threads := range []int{1, 3} {
		p.Threads = threads
		var m *booster.Model
		var err error
		if folds {
			m, err = search.Bag(t.Context(), p, table, search.Bagging{})
		} else {
			m, err = search.Blend(t.Context(), p, booster.InMemory(table), search.Blending{})
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := bytesOf(t, m); want == nil {
			want = got
		} else if !bytes.Equal(got, want) {
			t.Error("other bytes on other threads")
		}
		again, err := search.Reproduce(t.Context(), m, nil, table)
		if err != nil || !bytes.Equal(bytesOf(t, again), want) {
			t.Errorf("reproduced to other bytes, %v", err)
		}
	}
}

// Without time to measure a round there is one model, of what takes the least time. The plan says no time that there is not.
func TestWithinNoTime(t *testing.T) {
	p, quick := params(), params()
	p.LearningRate, p.EarlyStopping, p.Rounds = 0.03, 200, 3000
	quick.LearningRate, quick.EarlyStopping, quick.Rounds = 0.1, 50, 1000
	var plan bytes.Buffer
	var got booster.Params
	_, _, err := tune.Train(t.Context(), p, example(t, 500), tune.Budget{Time: time.Microsecond, Quick: quick, Space: space(t), Log: slog.New(slog.NewTextHandler(&plan, nil))}, asked(&got))
	want := quick.OrDefaults()
	if want.TimeLimit = time.Millisecond; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	if !strings.Contains(plan.String(), "one model with learning rate 0.1, of as many rounds as there is time for") {
		t.Error(plan.String())
	}
}

// Too few rows for folds are trained on at once.
func TestTrainFewRows(t *testing.T) {
	quick := params()
	quick.LearningRate = 0.25
	for _, rows := range []int{1, 3} {
		var got booster.Params
		_, _, err := tune.Train(t.Context(), params(), example(t, rows), tune.Budget{Time: time.Second, Quick: quick, Space: space(t)}, asked(&got))
		if err != nil || got.LearningRate != 0.25 || got.Blend != 0 {
			t.Errorf("%d rows: a rate of %v, %v", rows, got.LearningRate, err)
		}
	}
}

// Without early stopping nothing tells the first models of a blend their rounds: models of folds are averaged.
func TestWithinGivenRounds(t *testing.T) {
	p := params()
	p.EarlyStopping, p.Rounds, p.Retrain = 0, 20, true
	for budget, folds := 2*time.Second, 0; folds == 0; budget *= 4 { // more on a slow machine
		if budget > time.Minute {
			t.Fatal("no models of folds")
		}
		var got booster.Params
		if _, _, err := tune.Train(t.Context(), p, example(t, 500), tune.Budget{Time: budget, Space: space(t)}, asked(&got)); err != nil {
			t.Fatal(err)
		}
		got.TimeLimit = 0 // that of all folds
		if folds = got.BagFolds; got.Blend != 0 || got.Retrain || got.Validate() != nil {
			t.Errorf("%d models, retrain %v: %v", got.Blend, got.Retrain, got.Validate())
		}
	}
}

// Models of folds that end by the clock all have the rounds that the parameters say, and are reproduced by those.
func TestBagLimit(t *testing.T) {
	table := example(t, 2000)
	p := params()
	p.BagFolds, p.Rounds, p.LearningRate, p.EarlyStopping = 4, 100_000, 0.001, 1000
	var report booster.Report
	m, err := search.Bag(t.Context(), p, table, search.Bagging{Limit: 300 * time.Millisecond, Report: &report})
	if err != nil {
		t.Fatal(err)
	}
	of, err := booster.ParamsOf(m)
	if err != nil || report.Stopped != booster.StoppedTimeLimit || of.Rounds != report.BestRound || of.EarlyStopping != 0 || m.Rounds() != 4*of.Rounds {
		t.Fatalf("%d rounds, %+v, %v", m.Rounds(), report, err)
	}
	again, err := search.Reproduce(t.Context(), m, nil, table)
	if err != nil || !bytes.Equal(bytesOf(t, again), bytesOf(t, m)) {
		t.Errorf("reproduced to other bytes, %v", err)
	}
}

// A metric that is undefined in a fold does not keep a table from being trained on.
func TestTrainWithoutSearch(t *testing.T) {
	p := params()
	p.Objective, p.Metrics = "binary", []string{"auc"}
	x, labels := make([]float64, 200), make([]string, 200)
	for i := range x {
		x[i], labels[i] = float64(i%13), strconv.FormatBool(i == 7) // in one fold of five
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "x", Values: x}, {Name: "y", Values: labels}}, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	var got booster.Params
	var said bytes.Buffer
	b := tune.Budget{Time: 10 * time.Second, Space: space(t), Log: slog.New(slog.NewTextHandler(&said, nil))}
	if _, _, err := tune.Train(t.Context(), p, table, b, asked(&got)); err != nil || got.Objective != "binary" {
		t.Errorf("%+v, %v", got.Objective, err)
	}
	if !strings.Contains(said.String(), "no search: ") || !strings.Contains(said.String(), "auc is undefined") {
		t.Error(said.String())
	}
}
