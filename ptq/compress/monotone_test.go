package compress_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/ptq"
	"boost/ptq/compress"
)

// Leaves of a monotone model stay in order when it is pruned and where one scale rounds them. A form of many scales keeps them in
// order or is refused.
func TestMonotoneModels(t *testing.T) {
	for _, method := range []string{"basic", "advanced"} {
		t.Run(method, func(t *testing.T) { checkMonotone(t, method) })
	}
}

func checkMonotone(t *testing.T, method string) {
	ctx := context.Background()
	table := mixed(t, "regression", 1, 4000)
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Tree.Monotone, p.Tree.MonotoneMethod = "regression", 40, map[string]int{}, method
	for _, c := range table.Columns() {
		if c.Role() == dataset.Feature && c.Kind() != dataset.Category {
			p.Tree.Monotone[c.Name()] = 1 - 2*(len(p.Tree.Monotone)%2)
		}
	}
	m, err := booster.Train(ctx, p, table)
	if err != nil {
		t.Fatal(err)
	}
	directions := m.Contents().Directions()
	inOrder := func(what string, m *booster.Model) {
		t.Helper()
		for i := range m.Contents().Trees {
			if at := m.Contents().Trees[i].OutOfOrder(directions); at >= 0 {
				t.Fatalf("%s: split %d of tree %d is out of order", what, at, i)
			}
		}
	}
	inOrder("trained", m)
	for step, err := range compress.PruneSteps(ctx, m, mixed(t, "regression", 2, 3000), compress.PruneParams{Leaves: 60}) {
		if err != nil {
			t.Fatal(err)
		}
		pruned, err := step.Model()
		if err != nil {
			t.Fatal(err)
		}
		inOrder("pruned", pruned)
	}
	for _, name := range ptq.FormNames(ptq.Forms()) {
		form, err := ptq.ParseForm(name)
		if err != nil {
			t.Fatal(err)
		}
		leaves, err := compress.MorphModel(m, form, compress.Calibration{})
		if err != nil {
			continue // of a form that takes no leaves
		}
		narrow, err := leaves.Apply(m)
		if err == nil {
			inOrder(name, narrow)
		} else if _, typed := form.DType(); typed || !errors.As(err, new(model.ErrOrder)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// rising is a model whose predictions rise with two columns. Its trees have more leaves than a block of Q4_0 or of a tier.
func rising(t *testing.T, seed uint64, growth string, rounds, leaves int) *model.Model {
	t.Helper()
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Tree.Leaves, p.Tree.Growth, p.Tree.Monotone = "regression", rounds, leaves, growth, map[string]int{"x0": 1, "x1": 1}
	m, err := booster.Train(context.Background(), p, mixed(t, "regression", seed, 4000))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A search leaves out what breaks the order of a monotone model: forms, feedback, pruned models in a form. What it finds is in order.
func TestQuantizeMonotone(t *testing.T) {
	typed := compress.Format{Form: ptq.FormOf(ptq.I16)}
	for _, c := range []struct {
		name    string
		m       *model.Model
		s       compress.Settings
		wholes  int // at most
		without string
	}{
		{"all forms", rising(t, 1, "leaf", 10, 100), compress.Settings{}, 40, "Q4_0"},
		{"symmetric", rising(t, 1, "symmetric", 30, 31), compress.Settings{}, 40, ", feedback"},
		{"one type", rising(t, 1, "leaf", 10, 100), compress.Settings{Formats: []compress.Format{typed}}, 1, ", feedback"},
		{"beside a tier", rising(t, 1, "leaf", 10, 100), compress.Settings{Formats: []compress.Format{{Form: ptq.FormWarm}, typed}}, 1, "warm"},
		// The whole model keeps its order in blocks; some that are pruned, of all rows and of a part, do not.
		{"pruned", rising(t, 5, "leaf", 2, 100), compress.Settings{Formats: []compress.Format{{Form: ptq.FormHot}}}, 1, ", feedback"},
		{"bytes", rising(t, 1, "leaf", 10, 100), compress.Settings{MaxBytes: 1 << 20, MaxLoss: math.NaN()}, 40, "Q4_0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.s.Data = mixed(t, "regression", 2, 1000); c.s.MaxBytes == 0 {
				c.s.MaxLoss = 0.2
			}
			r, err := compress.Quantize(context.Background(), c.m, c.s)
			if err != nil {
				t.Fatal(err)
			}
			wholes := 0
			for i := range r.Candidates {
				if r.Candidates[i].Kept == 1 {
					wholes++
				}
				if name := r.Candidates[i].Name(); r.Candidates[i].Kept == 1 && strings.Contains(name, c.without) {
					t.Errorf("%s is out of order", name)
				}
			}
			if wholes == 0 || wholes > c.wholes || wholes == len(r.Candidates) {
				t.Errorf("%d of %d candidates are not pruned", wholes, len(r.Candidates))
			}
			for i := range r.Model.Contents().Trees {
				if at := r.Model.Contents().Trees[i].OutOfOrder(r.Model.Contents().Directions()); at >= 0 {
					t.Errorf("split %d of tree %d is out of order", at, i)
				}
			}
		})
	}
}

// Where nothing keeps the order the error says what would, and that does.
func TestQuantizeNothingMonotone(t *testing.T) {
	ctx := context.Background()
	m, data := rising(t, 1, "leaf", 10, 100), mixed(t, "regression", 2, 1000)
	of := func(feedback compress.Feedback, by compress.Granularity, forms ...ptq.Form) compress.Settings {
		s := compress.Settings{MaxLoss: 0.9, Data: data, Feedback: feedback, Prune: compress.PruneOff}
		for _, form := range forms {
			s.Formats = append(s.Formats, compress.Format{Form: form, Calibration: compress.Calibration{By: by}})
		}
		return s
	}
	i4, i16 := ptq.FormOf(ptq.I4), ptq.FormOf(ptq.I16)
	const form, scale, feedback = ": store them in a form that has one scale for each tree or more, such as I16", ": let all leaves of a tree share a scale (by tree, output or model)", ": leave error feedback out"
	for name, c := range map[string]struct {
		s      compress.Settings
		says   string
		better compress.Settings
	}{
		"blocks":              {of(compress.FeedbackAuto, compress.ByOutput, ptq.FormQ4_0, ptq.FormWarm), form, of(compress.FeedbackAuto, compress.ByOutput, i16)},
		"by block":            {of(compress.FeedbackAuto, compress.ByBlock, i4), scale, of(compress.FeedbackAuto, compress.ByTree, i4)},
		"feedback":            {of(compress.FeedbackOn, compress.ByOutput, i4, i16), feedback, of(compress.FeedbackOff, compress.ByOutput, i4, i16)},
		"feedback and blocks": {of(compress.FeedbackOn, compress.ByOutput, ptq.FormQ4_0), feedback + ", and" + form[1:], of(compress.FeedbackOff, compress.ByOutput, i16)},
		"no data":             {compress.Settings{MaxLoss: math.NaN(), Formats: []compress.Format{{Form: ptq.FormQ4_0}}}, form, compress.Settings{MaxLoss: math.NaN(), Formats: []compress.Format{{Form: i16}}}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := compress.Quantize(ctx, m, c.s); !errors.As(err, new(model.ErrOrder)) || !strings.HasSuffix(err.Error(), `"`+c.says) {
				t.Errorf("error %v", err)
			}
			if _, err := compress.Quantize(ctx, m, c.better); err != nil {
				t.Error(err)
			}
		})
	}
}
