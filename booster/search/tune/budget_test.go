package tune_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"boost/booster"
	"boost/booster/search"
	"boost/booster/search/tune"
)

func bytesOf(t *testing.T, m *booster.Model) []byte {
	t.Helper()
	b, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What a budget chooses trains to the same bytes on any number of threads, and again from the model alone.
func TestWithin(t *testing.T) {
	table := example(t, 500)
	start := params()
	start.EarlyStopping, start.Rounds = 10, 60
	var p booster.Params
	plan, trials := "", 0
	for budget := 2 * time.Second; !strings.Contains(plan, ": a search of about ") && budget < time.Minute; budget *= 4 { // more on a slow machine
		var said bytes.Buffer
		var err error
		p, err = tune.Within(t.Context(), start, table, tune.Budget{Time: budget, Space: space(t), Log: slog.New(slog.NewTextHandler(&said, nil)), OnTrial: func(tune.Trial, bool) { trials++ }})
		plan = said.String()
		if err != nil {
			t.Fatal(err)
		}
	}
	if trials == 0 || p.BagFolds != 10 || p.EarlyStopping != 0 || p.TimeLimit <= 0 || p.TimeLimit > time.Minute || p.Rounds > 60 {
		t.Fatalf("%d trials, plan %s, %+v", trials, plan, p)
	}
	if !strings.Contains(plan, ": a search of about ") || !strings.Contains(plan, " trials, then the mean of 10 models of about ") {
		t.Error(plan)
	}
	p.TimeLimit = 0
	var want []byte
	for _, threads := range []int{1, 3} {
		p.Threads = threads
		m, err := search.Bag(t.Context(), p, table, search.Bagging{})
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

// Without time for a search there is one model, with larger steps where those may be chosen.
func TestWithinNoTime(t *testing.T) {
	table := example(t, 500)
	p := params()
	p.LearningRate, p.EarlyStopping, p.Rounds = 0.03, 200, 3000
	for _, c := range []struct {
		space    tune.Space
		rate     float64
		patience int
	}{{space(t), 0.24, 25}, {space(t)[1:], 0.03, 200}} {
		var plan bytes.Buffer
		got, err := tune.Within(t.Context(), p, table, tune.Budget{Time: time.Microsecond, Space: c.space, Log: slog.New(slog.NewTextHandler(&plan, nil))})
		if err != nil || got.BagFolds != 0 || got.LearningRate != c.rate || got.EarlyStopping != c.patience || got.TimeLimit != time.Millisecond || strings.Contains(plan.String(), "search") {
			t.Errorf("%s: %+v, %v", &plan, got, err)
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
