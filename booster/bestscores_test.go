package booster_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"boost/booster"
	"boost/dataset"
	"boost/internal/testenv"
	"boost/objectives/metrics"
)

// lastRaw is a metric that keeps the raw scores that it was last asked for: those of the
// training rows, once training is over.
type lastRaw struct{ scores []float64 }

func (m *lastRaw) Name() string         { return "last_raw" }
func (m *lastRaw) HigherIsBetter() bool { return false }
func (m *lastRaw) Eval(in metrics.Input) float64 {
	m.scores = append(m.scores[:0], in.Raw...)
	return 0
}

// stoppedEarly trains until rounds do not help some other rows, and returns the raw scores
// that the metrics of the training rows were computed of.
func stoppedEarly(t *testing.T, p booster.Params, train, valid *dataset.Table, opts ...booster.Option) (*booster.Model, *booster.Report, []float64) {
	t.Helper()
	var report booster.Report
	last := &lastRaw{}
	m, err := booster.Train(context.Background(), p, train, append(opts,
		booster.Valid("valid", valid), booster.WithReport(&report), booster.WithMetric(last))...)
	if err != nil {
		t.Fatal(err)
	}
	if report.BestRound >= report.Rounds {
		t.Fatalf("%d rounds, of which %d are kept: training was to go on for longer", report.Rounds, report.BestRound)
	}
	return m, &report, last.scores
}

// mustPredictRaw returns raw predictions output by output, as metrics take them.
func mustPredictRaw(t *testing.T, m *booster.Model, table *dataset.Table) []float64 {
	t.Helper()
	raw, err := m.PredictRaw(context.Background(), table)
	if err != nil {
		t.Fatal(err)
	}
	turned := make([]float64, 0, len(raw))
	for k := range m.Outputs() {
		for at := k; at < len(raw); at += m.Outputs() {
			turned = append(turned, raw[at])
		}
	}
	return turned
}

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// The metrics of the training rows after early stopping are those of what the kept trees
// predict, bit for bit, whether the scores of the best round were kept or are made anew.
func TestMetricsAfterEarlyStopping(t *testing.T) {
	testenv.Unraced(t)
	ways := []struct {
		name   string
		change func(p *booster.Params)
	}{
		{"all rows", func(*booster.Params) {}},
		{"some rows", func(p *booster.Params) { p.RowFraction, p.RowEvery = 0.5, 2 }},
		{"goss", func(p *booster.Params) { p.GossTop, p.GossOther = 0.3, 0.2 }},
		{"mvs", func(p *booster.Params) { p.MvsFraction = 0.4 }},
		{"metrics of every third round", func(p *booster.Params) { p.MetricsEvery = 3 }},
		{"f32", func(p *booster.Params) { p.Gradients = "f32" }},
	}
	for _, set := range shipped {
		table := openShipped(t, set.name)
		// One row in three is learned, one in ten of the others judged by.
		var rows, others []int32
		for row := range int32(min(table.NumRows(), 6000)) {
			if row%3 == 0 {
				rows = append(rows, row)
			} else if row%10 == 1 {
				others = append(others, row)
			}
		}
		train, valid := table.Take(rows), table.Take(others)
		for _, way := range ways {
			t.Run(set.name+"/"+way.name, func(t *testing.T) {
				p := booster.Defaults()
				p.Objective, p.Rounds, p.LearningRate, p.EarlyStopping = set.objective, 200, 0.5, 4
				way.change(&p)
				m, report, scores := stoppedEarly(t, p, train, valid)
				if want := mustPredictRaw(t, m, train); !slices.EqualFunc(scores, want, sameBits) {
					t.Error("the scores are not what the kept trees predict")
				}
				needed := report.PeakBytes - report.ListBytes // lists are left out before the scores are
				p.MemoryLimit = needed - 1
				again, without, anew := stoppedEarly(t, p, train, valid)
				if !slices.Equal(bytesOf(t, again), bytesOf(t, m)) {
					t.Error("a memory limit changes the model")
				}
				if kept := int64(8 * len(scores)); without.PeakBytes != needed-kept {
					t.Errorf("%d bytes with the scores of the best round, %d without: want %d less", needed, without.PeakBytes, kept)
				}
				if !slices.EqualFunc(anew, scores, sameBits) {
					t.Error("scores made anew are others than those kept")
				}
				for name, value := range report.Metrics["train"] {
					if !sameBits(without.Metrics["train"][name], value) {
						t.Errorf("%s is %v of kept scores, %v of those made anew", name, value, without.Metrics["train"][name])
					}
				}
			})
		}
		t.Run(set.name+"/continued", func(t *testing.T) {
			p := booster.Defaults()
			p.Objective, p.Rounds, p.LearningRate = set.objective, 3, 0.5
			base, err := booster.Train(context.Background(), p, train)
			if err != nil {
				t.Fatal(err)
			}
			p.Rounds, p.EarlyStopping = 200, 4
			m, _, scores := stoppedEarly(t, p, train, valid, booster.From(base))
			if want := mustPredictRaw(t, m, train); !slices.EqualFunc(scores, want, sameBits) {
				t.Error("the scores are not what the kept trees predict")
			}
		})
	}
	t.Run("init scores", func(t *testing.T) {
		table := scored(t, 960, dataset.InitScore("s"))
		p := booster.Defaults()
		p.Objective, p.Rounds, p.LearningRate, p.EarlyStopping = "regression", 200, 0.7, 2
		m, _, scores := stoppedEarly(t, p, table, table.Take([]int32{0, 1, 2, 15, 17}))
		if want := mustPredictRaw(t, m, table); !slices.EqualFunc(scores, want, sameBits) {
			t.Error("the scores are not what the kept trees predict")
		}
	})
}
