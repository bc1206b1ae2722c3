package search_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"boost/booster"
	"boost/booster/search"
	"boost/dataset"
	"boost/tree/grow"
)

// blended are parameters of models that stop early and see all rows.
func blended(objective string) booster.Params {
	p := params(objective)
	p.Rounds, p.EarlyStopping, p.Retrain, p.Tree.LambdaL2, p.MvsFraction, p.Tree.ColNode = 40, 8, true, 3, 0.7, 0.5
	return p
}

func blend(t *testing.T, p booster.Params, table *dataset.Table, b search.Blending) *booster.Model {
	t.Helper()
	m, err := search.Blend(t.Context(), p, booster.InMemory(table), b)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// separately trains the models that a blend is the mean of, by themselves.
func separately(t *testing.T, p booster.Params, table *dataset.Table) []*booster.Model {
	t.Helper()
	var models []*booster.Model
	for i := range p.Blend {
		q := p
		q.Blend = 0
		if i%2 == 1 {
			q.Tree.Growth, q.Tree.MinDataInLeaf, q.Tree.LambdaL2, q.LearningRate, q.EarlyStopping = grow.Symmetric, 1, 1, 2*p.LearningRate, 4
		}
		if i >= 2 {
			q.Rounds, q.EarlyStopping, q.Retrain, q.Seed = models[i-2].Rounds(), 0, false, p.Seed+uint64(i)
		}
		m, err := booster.Train(t.Context(), q, table)
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, m)
	}
	return models
}

func meanRaw(t *testing.T, models []*booster.Model, table *dataset.Table) []float64 {
	t.Helper()
	var mean []float64
	for _, m := range models {
		raw, err := m.PredictRaw(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		if mean == nil {
			mean = make([]float64, len(raw))
		}
		for i, v := range raw {
			mean[i] += v / float64(len(models))
		}
	}
	return mean
}

// A blend predicts the mean of what models predict that booster.Train makes by themselves. Any number of threads gives the same bytes,
// rows in files too, and Reproduce gives them again; Refit is the mean of the refitted ones.
func TestBlend(t *testing.T) {
	for _, objective := range []string{"regression", "binary", "multiclass"} {
		for models := 2; models <= 4; models++ {
			t.Run(fmt.Sprintf("%s of %d", objective, models), func(t *testing.T) {
				table := example(t, 600, objective)
				p := blended(objective)
				p.Blend, p.Threads = models, 1
				if models == 4 {
					p.Gradients = "auto"
				}
				var told booster.Report
				m := blend(t, p, table, search.Blending{Report: &told})
				data := encoded(t, m)
				alone := separately(t, p, table)
				rounds := 0
				for _, one := range alone {
					rounds += one.Rounds()
				}
				if m.Rounds() != rounds || told.Blended != models || told.BestRound != alone[0].Rounds() || !told.Retrained {
					t.Errorf("%d rounds of %d models, the first has %d; by themselves %d and %d", m.Rounds(), told.Blended, told.BestRound, rounds, alone[0].Rounds())
				}
				got, err := m.PredictRaw(t.Context(), table)
				if err != nil {
					t.Fatal(err)
				}
				near(t, "the blend", got, meanRaw(t, alone, table))
				for _, threads := range []int{2, 3} {
					q := p
					q.Threads = threads
					if !bytes.Equal(encoded(t, blend(t, q, table, search.Blending{})), data) {
						t.Errorf("%d threads give another model", threads)
					}
				}
				if !bytes.Equal(encoded(t, blend(t, p, table, search.Blending{Spread: true})), data) {
					t.Error("binned for each model, it is another one")
				}
				again, err := search.Reproduce(t.Context(), m, nil, table)
				if err != nil || !bytes.Equal(encoded(t, again), data) {
					t.Errorf("reproduced, the model is another one (%v)", err)
				}
				other := example(t, 500, objective)
				refitted, err := search.Refit(t.Context(), m, other, 0.3)
				if err != nil {
					t.Fatal(err)
				}
				for i := range alone {
					if alone[i], err = booster.Refit(t.Context(), alone[i], other, 0.3); err != nil {
						t.Fatal(err)
					}
				}
				if got, err = refitted.PredictRaw(t.Context(), table); err != nil {
					t.Fatal(err)
				}
				near(t, "refitted", got, meanRaw(t, alone, table))
				if o := refitted.Contents().Origin; refitted.Contents().Fingerprint != alone[0].Contents().Fingerprint || o.Decay != 0.3 || len(o.Models) != 1 {
					t.Errorf("refitted, it comes from %+v", o)
				}
				if again, err = search.Reproduce(t.Context(), refitted, m, other); err != nil || !bytes.Equal(encoded(t, again), encoded(t, refitted)) {
					t.Errorf("reproduced, the refitted model is another one (%v)", err)
				}
			})
		}
	}
}

// Symmetric trees cannot follow a label that asks one column after the other: their models are left out, and the mean is that of the others.
func TestBlendLeavesOut(t *testing.T) {
	const columns, rows = 12, 3000
	texts := make([]string, 0, rows+1)
	var header []string
	for c := range columns {
		header = append(header, fmt.Sprintf("x%d", c))
	}
	texts = append(texts, strings.Join(append(header, "y"), ","))
	for i := range rows {
		bits, y := i*2654435761>>7, columns
		var cells []string
		for c := range columns {
			bit := bits >> c & 1
			if bit == 0 && c < y {
				y = c
			}
			cells = append(cells, fmt.Sprint(bit))
		}
		texts = append(texts, strings.Join(append(cells, fmt.Sprint(y*y)), ","))
	}
	table, err := dataset.Read(t.Context(), strings.NewReader(strings.Join(texts, "\n")), "ladder.csv", dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	p := blended("regression")
	p.Blend, p.Rounds, p.LearningRate, p.Tree.Leaves, p.MvsFraction, p.Tree.ColNode = 4, 12, 0.5, 31, 0, 1
	var told booster.Report
	m := blend(t, p, table, search.Blending{Report: &told})
	alone := separately(t, p, table)
	if told.Blended != 2 || m.Rounds() != alone[0].Rounds()+alone[2].Rounds() {
		t.Fatalf("%d models are averaged, %d rounds", told.Blended, m.Rounds())
	}
	got, err := m.PredictRaw(t.Context(), table)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the blend", got, meanRaw(t, []*booster.Model{alone[0], alone[2]}, table))
	if again, err := search.Reproduce(t.Context(), m, nil, table); err != nil || !bytes.Equal(encoded(t, again), encoded(t, m)) {
		t.Errorf("reproduced, the model is another one (%v)", err)
	}
	p.Blend = 2
	if m = blend(t, p, table, search.Blending{}); !bytes.Equal(encoded(t, m), encoded(t, alone[0])) {
		t.Error("the first model alone is another one")
	}
}

// A blend that is interrupted is the mean of the models that there are. The same command goes on from the checkpoints, and gives the bytes of
// a run that was never interrupted.
func TestBlendInterrupted(t *testing.T) {
	table := example(t, 600, "regression")
	p := blended("regression")
	p.Blend, p.Threads = 4, 1
	whole := encoded(t, blend(t, p, table, search.Blending{}))
	alone := separately(t, p, table)
	for stop, want := range map[int][]*booster.Model{0: nil, 1: alone[:1], 2: alone[:2], 3: alone[:3]} {
		saves := booster.Checkpoints{Dir: t.TempDir(), Every: booster.CheckpointEvery{Rounds: 3}}
		ctx, cancel := context.WithCancel(t.Context())
		at, last := -1, 1000
		m, err := search.Blend(ctx, p, booster.InMemory(table), search.Blending{Checkpoints: saves, OnRound: func(r booster.Round) {
			if r.Index <= last { // the first round of a training: two of each of the first models
				at++
			}
			last = r.Index
			if at == []int{0, 2, 4, 5}[stop] && r.Index == 4 {
				cancel()
			}
		}})
		cancel()
		if !errors.Is(err, booster.ErrInterrupted) || m == nil {
			t.Fatalf("stopped in model %d: model %v, error %v", stop, m, err)
		}
		if want != nil {
			got, err := m.PredictRaw(t.Context(), table)
			if err != nil {
				t.Fatal(err)
			}
			near(t, fmt.Sprintf("stopped in model %d", stop), got, meanRaw(t, want, table))
		}
		saves.Resume = true
		if m = blend(t, p, table, search.Blending{Checkpoints: saves}); !bytes.Equal(encoded(t, m), whole) {
			t.Errorf("stopped in model %d, the run that goes on gives another model", stop)
		}
	}
}

// A model that has no time for a round does not interrupt the one beside it.
func TestBlendLimit(t *testing.T) {
	table := example(t, 600, "regression")
	p := blended("regression")
	p.Blend, p.Threads = 4, 2
	for limit := range 60 {
		p.TimeLimit = time.Duration(limit+1) * time.Millisecond
		m, err := search.Blend(t.Context(), p, booster.InMemory(table), search.Blending{})
		if err != nil && !errors.Is(err, booster.ErrBudget) {
			t.Fatalf("within %v: %v", p.TimeLimit, err)
		}
		if err == nil && m.Rounds() == 0 {
			t.Errorf("within %v: no rounds", p.TimeLimit)
		}
	}
}

func TestBlendRefuses(t *testing.T) {
	table := example(t, 100, "regression")
	for want, set := range map[string]func(p *booster.Params){
		"of 2 models or more": func(p *booster.Params) { p.Blend = 1 },
		"train.retrain":       func(p *booster.Params) { p.Retrain = false },
		"tree.growth":         func(p *booster.Params) { p.Tree.Growth = grow.Symmetric },
		"train.valid_by":      func(p *booster.Params) { p.ValidBy = "b" },
		"train.boosting":      func(p *booster.Params) { p.Boosting = booster.DartBoosting },
		"train.bag_folds":     func(p *booster.Params) { p.BagFolds = 3 },
		"tree.forced_splits":  func(p *booster.Params) { p.Tree.ForcedSplits = `{"feature": "b", "threshold": 6.5}` },
		"constraints.monotone_met": func(p *booster.Params) {
			p.Tree.Monotone, p.Tree.MonotoneMethod = map[string]int{"b": 1}, grow.AdvancedBounds
		},
	} {
		p := blended("regression")
		p.Blend = 2
		set(&p)
		if _, err := search.Blend(t.Context(), p, booster.InMemory(table), search.Blending{}); !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
	p := blended("regression")
	p.Blend = 2
	if _, err := booster.Train(t.Context(), p, table); !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), "search.Blend") {
		t.Errorf("booster.Train: error %v", err)
	}
	if _, err := search.CrossValidate(t.Context(), p, table, search.Params{Division: search.Division{Folds: 2}}); !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), "train.blend") {
		t.Errorf("CrossValidate: error %v", err)
	}
}
