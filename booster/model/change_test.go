package model_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"boost/binning"
	"boost/booster/model"
	"boost/dataset"
	"boost/objectives"
	"boost/tree"
)

func TestPrefixByHand(t *testing.T) {
	c := smallContents()
	c.WideRounds = []model.WideRound{{Round: 1}, {Round: 3}}
	m, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	p := prefix(t, m, 2).Contents()
	if p.BestRound != 2 || len(p.Trees) != 2 || len(p.History[0].Values) != 2 || len(p.WideRounds) != 1 {
		t.Errorf("2 rounds: %d, %d trees, history of %d, %d wide rounds", p.BestRound, len(p.Trees), len(p.History[0].Values), len(p.WideRounds))
	}
	if string(p.Params) != string(m.Contents().Params) || p.Fingerprint != c.Fingerprint {
		t.Error("parameters or fingerprint of a prefix are others")
	}
	again := prefix(t, prefix(t, m, 2), 1)
	if !bytes.Equal(encode(t, again), encode(t, prefix(t, m, 1))) {
		t.Error("the prefix of a prefix differs")
	}
	none := encode(t, prefix(t, m, 0))
	if back, err := model.Decode(none); err != nil || back.Rounds() != 0 {
		t.Errorf("a model without trees does not load: %v", err)
	}
}

func TestTailAndAppend(t *testing.T) {
	ctx := context.Background()
	f := newForest(t, 400, 2, 5, 16)
	want := encode(t, f.model)
	for k := 1; k <= 5; k++ {
		tail, err := f.model.Tail(k)
		if err != nil {
			t.Fatal(err)
		}
		if tail, err = model.Decode(encode(t, tail)); err != nil {
			t.Fatal(err)
		}
		head := prefix(t, f.model, k)
		whole, err := head.Append(tail)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(encode(t, whole), want) {
			t.Errorf("S3.52/%d rounds and the rest are another model: %s", k, model.DiffSections(encode(t, whole), want))
		}
		added, err := tail.PredictRaw(ctx, f.table)
		if err != nil {
			t.Fatal(err)
		}
		before, all := f.firstRounds(k), f.firstRounds(5)
		for i := range added {
			if math.Abs(before[i]+added[i]-all[i]) > 1e-12 {
				t.Fatalf("a tail adds %v to %v, which is not %v", added[i], before[i], all[i])
			}
		}
		if k < 4 {
			rest, err := tail.Tail(1)
			if err != nil {
				t.Fatal(err)
			}
			middle := prefix(t, tail, 1)
			if whole, err = middle.Append(rest); err != nil || !bytes.Equal(encode(t, whole), encode(t, tail)) {
				t.Errorf("a tail in two parts: %v", err)
			}
		}
		if _, err := prefix(t, f.model, k-1).Append(tail); err == nil || !strings.Contains(err.Error(), "comes after") {
			t.Errorf("a tail behind one round less: %v", err)
		}
		if _, err := model.Merge(head, tail); err == nil || !strings.Contains(err.Error(), "tail") {
			t.Errorf("a tail is merged: %v", err)
		}
	}
	if _, err := f.model.Append(f.model); err == nil || !strings.Contains(err.Error(), "no tail") {
		t.Errorf("a whole model is appended: %v", err)
	}
	for _, k := range []int{-1, 0, 6} {
		if _, err := f.model.Tail(k); err == nil {
			t.Errorf("a tail after %d rounds", k)
		}
	}
	tail, err := newForest(t, 500, 2, 5, 16).model.Tail(2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := prefix(t, f.model, 2).Append(tail); err == nil || !strings.Contains(err.Error(), "other c") {
		t.Errorf("a tail over other cuts is appended: %v", err)
	}
}

func TestWithLeaves(t *testing.T) {
	m := newSmall(t)
	before := encode(t, m)
	if got := m.Leaves(); !slices.Equal(got, []float64{-1, 0.5, 2, 0.25, -0.75, 0.125}) {
		t.Errorf("leaves %v", got)
	}
	values := []float64{1, 2, 3, 4, 5, 6}
	other, err := m.WithLeaves(values)
	if err != nil {
		t.Fatal(err)
	}
	values[0] = 100
	got, err := other.PredictRaw(context.Background(), fiveRows(t))
	if want := []float64{0.0625 + 1 + 4 + 6, 0.0625 + 2 + 5 + 6, 0.0625 + 3 + 4 + 6, 0.0625 + 2 + 4 + 6, 0.0625 + 2 + 5 + 6}; err != nil || !slices.Equal(got, want) {
		t.Errorf("raw %v, want %v (%v)", got, want, err)
	}
	if d := model.DiffSections(before, encode(t, other)); d != "leaves" {
		t.Errorf("the first difference is in %q, want the leaves", d)
	}
	if back, err := other.WithLeaves(m.Leaves()); err != nil || !bytes.Equal(encode(t, back), before) {
		t.Errorf("S4.2/the leaves put back make another model (%v)", err)
	}
	if !bytes.Equal(encode(t, m), before) {
		t.Error("S4.2/the model itself has changed")
	}
	for _, bad := range [][]float64{nil, {1, 2, 3, 4, 5}, {1, 2, 3, 4, 5, 6, 7}, {1, 2, 3, 4, 5, math.NaN()}, {math.Inf(1), 2, 3, 4, 5, 6}} {
		if _, err := m.WithLeaves(bad); err == nil {
			t.Errorf("%v are taken", bad)
		}
	}
}

// dyadic gives a forest numbers whose sums are exact.
func dyadic(t *testing.T, m *model.Model, seed uint64) *model.Model {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	c := *m.Contents()
	c.BaseScore = slices.Clone(c.BaseScore)
	for k := range c.BaseScore {
		c.BaseScore[k] = float64(r.IntN(2000)-1000) / 256
	}
	m, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	leaves := m.Leaves()
	for i := range leaves {
		leaves[i] = float64(r.IntN(2000)-1000) / 1024
	}
	if m, err = m.WithLeaves(leaves); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMerge(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name string
		a, b *forest
	}{
		{"other cuts and levels", newForestOver(t, 300, 2, 4, 20, 40, 60), newForestOver(t, 900, 2, 3, 20, 255, 500)},
		{"the same cuts", newForest(t, 300, 1, 4, 20), newForest(t, 300, 1, 4, 20)},
		{"few of many", newForestOver(t, 20, 3, 4, 20, 40, 60), newForestOver(t, 4000, 3, 3, 20, 30, 2000)},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := dyadic(t, c.a.model, 1), dyadic(t, c.b.model, 2)
			a, err := model.Decode(encode(t, a)) // as the merged one is
			if err != nil {
				t.Fatal(err)
			}
			merged, err := model.Merge(a, b)
			if err != nil {
				t.Fatal(err)
			}
			if merged, err = model.Decode(encode(t, merged)); err != nil {
				t.Fatal(err)
			}
			if got := merged.Rounds(); got != a.Rounds()+b.Rounds() {
				t.Errorf("%d rounds of %d and %d", got, a.Rounds(), b.Rounds())
			}
			for _, tab := range []*dataset.Table{c.a.table, c.b.table, newForestOver(t, 500, 2, 1, 2, 40, 5000).table} {
				one, err := a.PredictRaw(ctx, tab)
				if err != nil {
					t.Fatal(err)
				}
				other, err := b.PredictRaw(ctx, tab)
				if err != nil {
					t.Fatal(err)
				}
				for i := range one {
					one[i] += other[i]
				}
				got, err := merged.PredictRaw(ctx, tab)
				if err != nil {
					t.Fatal(err)
				}
				sameBits(t, "raw scores of the merged model", got, one)
			}
			if c.name == "the same cuts" {
				for _, section := range []string{"cuts", "dictionaries"} {
					if d := model.DiffSections(encode(t, a), encode(t, merged)); d == section {
						t.Errorf("%s are not the same any more", section)
					}
				}
				if !slices.EqualFunc(merged.Contents().Trees[:4], a.Contents().Trees, func(x, y tree.Tree) bool {
					return slices.Equal(x.Code, y.Code) && slices.Equal(x.Sets, y.Sets) && slices.Equal(x.SetPtrs, y.SetPtrs)
				}) {
					t.Error("trees over the same cuts have changed")
				}
			}
			sum := make([]string, 0, 2)
			for _, m := range []*model.Model{a, b} {
				s, _ := m.SHA256()
				sum = append(sum, s)
			}
			if o := merged.Contents().Origin; o == nil || o.How != model.Merged || !slices.Equal(o.Models, sum) || merged.Contents().Fingerprint != "" {
				t.Errorf("origin %+v, fingerprint %q", o, merged.Contents().Fingerprint)
			}
		})
	}
}

// other changes the small model's contents and makes a model of them.
func other(t *testing.T, change func(c *model.Contents)) *model.Model {
	t.Helper()
	c := smallContents()
	c.Schema.Columns = slices.Clone(c.Schema.Columns)
	change(&c)
	m, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Models of different columns: the small one, and one that knows size and color. The rows of
// the second are a table with all columns.
func TestMergeColumns(t *testing.T) {
	second := other(t, func(c *model.Contents) {
		c.Schema.Columns = []dataset.ColumnSchema{
			{Name: "size", Role: dataset.Feature, Kind: dataset.Float64},
			{Name: "color", Role: dataset.Feature, Kind: dataset.Category, Levels: []string{"violet", "red"}},
			{Name: "age", Role: dataset.Feature, Kind: dataset.Float64},
			{Name: "y", Role: dataset.LabelRole, Kind: dataset.Category, Levels: []string{"no", "yes"}},
			{Name: "w", Role: dataset.WeightRole, Kind: dataset.Float64},
		}
		c.Cuts = &binning.Cuts{
			Features: []binning.Feature{
				{Name: "size", Kind: binning.Numeric64, Regular: 2},
				{Name: "color", Kind: binning.Categorical, Regular: 2, Codes: []uint32{0, 1}},
				{Name: "age", Kind: binning.Numeric64, Regular: 2},
			},
			Ptrs: []uint32{0, 0, 0, 0}, Values64: []float64{7, 2}, Ptrs64: []uint32{0, 1, 1, 2},
		}
		// violet or missing: size ≤ 7 ? 1 : 2; else age ≤ 2 ? 4 : 8
		c.Trees = []tree.Tree{{
			Feature: []int32{1, 0, 2}, Code: []uint32{0, 0, 0}, Categorical: []bool{true, false, false}, MissingLeft: []bool{true, false, false},
			Left: []int32{1, ^0, ^2}, Right: []int32{2, ^1, ^3}, SetPtrs: []uint32{0, 1}, Sets: []uint32{0},
			Leaf: []float64{1, 2, 4, 8}, Gain: make([]float32, 3), Cover: make([]float64, 3), LeafCover: make([]float64, 4),
		}}
		c.BestRound, c.BaseScore, c.WideRounds = 1, []float64{0.5}, nil
		c.Params = json.RawMessage(`{"train.learning_rate":0.5}`)
	})
	first := newSmall(t)
	merged, err := model.Merge(first, second)
	if err != nil {
		t.Fatal(err)
	}
	tab := table(t, []dataset.ColumnData{
		{Name: "color", Values: []string{"red", "green", "violet", "blue", "purple", "red"}},
		{Name: "size", Values: []float64{1, 2, 8, 7, 8, 7}},
		{Name: "income", Values: []float64{5, 20, math.NaN(), 10, 10.5, 11}},
		{Name: "age", Values: []float64{1, 2, 3, math.NaN(), 2.5, 2}},
	})
	got, err := merged.PredictRaw(context.Background(), tab)
	if err != nil {
		t.Fatal(err)
	}
	// Of the second model green, blue and purple are missing, and so go with violet; of the
	// first violet is, and goes with green.
	base := 0.0625 + 0.5
	want := []float64{
		base + -1 + 0.25 + 0.125 + 4, base + 0.5 + -0.75 + 0.125 + 1, base + 0.5 + 0.25 + 0.125 + 2,
		base + 0.5 + 0.25 + 0.125 + 1, base + 0.5 + -0.75 + 0.125 + 2, base + 2 + -0.75 + 0.125 + 4,
	}
	if !slices.Equal(got, want) {
		t.Errorf("raw %v, want %v", got, want)
	}
	c := merged.Contents()
	if w := c.Schema.Columns; w[len(w)-1].Name != "w" || w[0].Kind != dataset.Float64 {
		t.Errorf("columns %+v", w)
	}
	// The first model's parameters name no learning rate, the second's do.
	if s := c.Segments; len(s) != 1 || s[0].Rounds != 3 || string(s[0].Params) != `{"train.learning_rate":null}` {
		t.Errorf("segments %+v", s)
	}
	params, err := c.RoundParams(2)
	if last, _ := c.RoundParams(3); err != nil || string(params) != `{}` || string(last) != `{"train.learning_rate":0.5}` {
		t.Errorf("parameters of round 3 are %s, of round 4 %s", params, last)
	}
}

func TestMergeRefuses(t *testing.T) {
	a := newSmall(t)
	for name, c := range map[string]struct {
		want   string
		change func(c *model.Contents)
	}{
		"objective": {"objectives are binary and mine", func(c *model.Contents) { c.Objective = "mine" }},
		"link":      {"links are logistic and exp", func(c *model.Contents) { c.Link = objectives.Exp }},
		"classes":   {"classes are", func(c *model.Contents) { c.Classes = []string{"yes", "no"} }},
		"outputs": {"1 and 2 outputs", func(c *model.Contents) {
			c.Outputs, c.BaseScore, c.Trees, c.BestRound, c.WideRounds = 2, []float64{0, 0}, nil, 0, nil
		}},
		"label": {`labels are "y" and "z"`, func(c *model.Contents) { c.Schema.Columns[1].Name = "z" }},
		"role": {`"y": it is a label in one model and a feature in another`, func(c *model.Contents) {
			c.Schema.Columns[1].Name = "z"
			c.Schema.Columns[0].Name, c.Cuts.Features[0].Name = "y", "y"
			c.Schema.Columns = slices.Delete(c.Schema.Columns, 1, 2)
		}},
		"kind": {`"color": it has levels that are text in one model and numbers in another`, func(c *model.Contents) {
			c.Schema.Columns[0].Name, c.Cuts.Features[0].Name = "color", "color"
			c.Schema.Columns[3].Name, c.Cuts.Features[2].Name = "age", "age"
		}},
		"words":       {`mean no value are ["" "NA"`, func(c *model.Contents) { c.Schema.Written.Missing = []string{"", "-999"} }},
		"absent":      {"features that a row does not name", func(c *model.Contents) { c.Schema.Written.Absent = "missing" }},
		"constraints": {"constraints.monotone are map[] and map[age:1]", func(c *model.Contents) { c.Params = json.RawMessage(`{"constraints.monotone": {"age": 1}}`) }},
		"loss":        {"the parameters of their objective binary", func(c *model.Contents) { c.Params = json.RawMessage(`{"objective.focal_gamma": 3}`) }},
	} {
		_, err := model.Merge(a, other(t, c.change))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if _, err := model.Merge(a); err == nil {
		t.Error("one model is merged")
	}
	scored := other(t, func(c *model.Contents) {
		c.Schema.Columns = append(c.Schema.Columns, dataset.ColumnSchema{Name: "s", Role: dataset.InitScoreRole, Kind: dataset.Float64})
	})
	if _, err := model.Merge(a, scored); err != nil {
		t.Errorf("one model from init scores: %v", err)
	}
	if _, err := model.Merge(scored, scored); err == nil || !strings.Contains(err.Error(), "init scores") {
		t.Errorf("two models from init scores: %v", err)
	}
}

func TestOriginInTheFile(t *testing.T) {
	sum := strings.Repeat("0123456789abcdef", 4)
	for name, change := range map[string]func(c *model.Contents){
		"continued": func(c *model.Contents) {
			c.Origin = &model.Origin{How: model.Continued, Models: []string{sum}, Rounds: 2}
			c.Segments = []model.Segment{{Rounds: 2, Params: json.RawMessage(`{ "tree.lambda_l2": 1.50, "train.learning_rate": null}`)}}
		},
		"refitted": func(c *model.Contents) {
			c.Origin = &model.Origin{How: model.Refitted, Models: []string{sum}, Decay: 0.9}
		},
		"merged": func(c *model.Contents) {
			c.Origin, c.Fingerprint = &model.Origin{How: model.Merged, Models: []string{sum, sum}}, ""
		},
		"a tail": func(c *model.Contents) { c.After = 7 },
	} {
		m := other(t, change)
		back, err := model.Decode(encode(t, m))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !bytes.Equal(encode(t, back), encode(t, m)) || bytes.Equal(encode(t, m), encode(t, newSmall(t))) {
			t.Errorf("%s is not kept", name)
		}
	}
	for name, c := range map[string]struct {
		want   string
		change func(c *model.Contents)
	}{
		"a sum":     {"64 hex digits", func(c *model.Contents) { c.Origin = &model.Origin{How: model.Merged, Models: []string{"abc"}} }},
		"a way":     {`in the way "borrowed"`, func(c *model.Contents) { c.Origin = &model.Origin{How: "borrowed", Models: []string{sum}} }},
		"no model":  {"from 0 models", func(c *model.Contents) { c.Origin = &model.Origin{How: model.Merged} }},
		"two bases": {"from 2 models", func(c *model.Contents) { c.Origin = &model.Origin{How: model.Continued, Models: []string{sum, sum}} }},
		"decay": {"a decay of 2", func(c *model.Contents) {
			c.Origin = &model.Origin{How: model.Refitted, Models: []string{sum}, Decay: 2}
		}},
		"decay of none": {"a decay of 0.5", func(c *model.Contents) {
			c.Origin = &model.Origin{How: model.Merged, Models: []string{sum}, Decay: 0.5}
		}},
		"rounds of none": {"after 3 rounds", func(c *model.Contents) { c.Origin = &model.Origin{How: model.Merged, Models: []string{sum}, Rounds: 3} }},
		"negative rounds": {"after -1 rounds", func(c *model.Contents) {
			c.Origin = &model.Origin{How: model.Continued, Models: []string{sum}, Rounds: -1}
		}},
		"after":          {"after -1 rounds", func(c *model.Contents) { c.After = -1 }},
		"far after":      {"after 4294967296 rounds", func(c *model.Contents) { c.After = int(int64(1) << 32 & math.MaxInt) }},
		"long segment":   {"segment 0 has 4 rounds of 3", func(c *model.Contents) { c.Segments = []model.Segment{{Rounds: 4, Params: json.RawMessage("{}")}} }},
		"empty segment":  {"segment 0 has 0 rounds", func(c *model.Contents) { c.Segments = []model.Segment{{Params: json.RawMessage("{}")}} }},
		"bare segment":   {"segment 0", func(c *model.Contents) { c.Segments = []model.Segment{{Rounds: 1}} }},
		"no fingerprint": {"fingerprint 0", func(c *model.Contents) { c.Fingerprint = "" }},
	} {
		contents := smallContents()
		c.change(&contents)
		if _, err := model.New(contents); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
