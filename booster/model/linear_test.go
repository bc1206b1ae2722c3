package model_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"boost/booster/model"
	"boost/dataset"
	"boost/ptq"
	"boost/tree"
)

// linearModel has the small contents with 0.5 + 2·age − income in the left leaf of the second tree, where income is ≤ 10 or missing.
func linearModel(t *testing.T) *model.Model {
	t.Helper()
	c := smallContents()
	c.Trees[1].Linear = &tree.Linear{Ptrs: []uint32{0, 2, 2}, Feature: []int32{0, 1}, Coef: []float64{2, -1}, Const: []float64{0.5, 0}}
	m, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// All ways of predicting give the scores that are computed by hand.
func TestLinearLeaves(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	rows := []struct {
		age, income float64
		color       string
		want        float64
	}{
		{1, 3, "red", 0.0625 - 1 - 0.5 + 0.125},       // leaf 0, then 0.5 + 2 − 3
		{1.5, 10, "red", 0.0625 - 1 - 6.5 + 0.125},    // 0.5 + 3 − 10
		{2, 3, "green", 0.0625 + 0.5 + 1.5 + 0.125},   // green goes left
		{2, 11, "red", 0.0625 + 2 - 0.75 + 0.125},     // the leaf without a model
		{nan, 3, "red", 0.0625 + 2 + 0.25 + 0.125},    // missing: the leaf's value
		{1, nan, "red", 0.0625 - 1 + 0.25 + 0.125},    // missing
		{-inf, 3, "red", 0.0625 - 1 + 0.25 + 0.125},   // infinite
		{1, -1e300, "red", 0.0625 - 1 + 0.25 + 0.125}, // infinite as float32
		{0.1, 0.3, "red", 0.0625 - 1 + (0.5 + 2*float64(float32(0.1)) - float64(float32(0.3))) + 0.125},
	}
	var age, income, want, flat []float64
	var color []string
	for _, r := range rows {
		age, income, color, want = append(age, r.age), append(income, r.income), append(color, r.color), append(want, r.want)
		flat = append(flat, r.age, r.income, float64(slices.Index([]string{"red", "green", "blue"}, r.color)))
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "age", Values: age}, {Name: "income", Values: income}, {Name: "color", Values: color}})
	if err != nil {
		t.Fatal(err)
	}
	m, ctx := linearModel(t), context.Background()
	near := func(name string, got []float64) {
		t.Helper()
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-15 {
				t.Errorf("%s: row %d has score %v, want %v", name, i, got[i], want[i])
			}
		}
	}
	got, err := m.PredictRaw(ctx, table)
	if err != nil {
		t.Fatal(err)
	}
	near("PredictRaw", got)
	matrix, err := model.PredictMatrixRaw(ctx, m, flat)
	if err != nil {
		t.Fatal(err)
	}
	sameBits(t, "PredictMatrixRaw", matrix, got)
	single := make([]float64, len(rows))
	for i := range rows {
		m.PredictValuesRaw(flat[3*i:3*i+3], single[i:i+1])
	}
	sameBits(t, "PredictValuesRaw", single, got)
	for stage, err := range m.Staged(ctx, table, 1) {
		if err != nil {
			t.Fatal(err)
		}
		if stage.Rounds() == m.Rounds() {
			sameBits(t, "Staged", stage.Raw(), got)
		}
	}
	narrow, err := m.Narrowed(model.AllNames)
	if err != nil {
		t.Fatal(err)
	}
	if of, err := narrow.PredictRaw(ctx, table); err != nil {
		t.Error(err)
	} else {
		sameBits(t, "Narrowed", of, got)
	}
	merged, err := model.Merge(m, m)
	if err != nil {
		t.Fatal(err)
	}
	if of, err := merged.PredictRaw(ctx, table); err != nil || math.Abs(of[1]-2*want[1]) > 1e-12 {
		t.Errorf("the sum of two models gives %v, want %v (%v)", of[1], 2*want[1], err)
	}
	head, err := m.Prefix(2)
	if err != nil {
		t.Fatal(err)
	}
	tail, err := m.Tail(2)
	if err != nil {
		t.Fatal(err)
	}
	if whole, err := head.Append(tail); err != nil || !slices.Equal(encode(t, whole), encode(t, m)) {
		t.Errorf("a prefix and its tail are another model (%v)", err)
	}
	if _, err := m.PredictRaw(ctx, table, model.EarlyStop(0.1)); err == nil || !strings.Contains(err.Error(), "tree.linear") {
		t.Errorf("early stop: %v", err)
	}
	var text strings.Builder
	if err := m.DumpTrees(&text); err != nil || !strings.Contains(text.String(), "leaf 0 = 0.25, linear: 0.5 + 2·age − 1·income  cover 6") {
		t.Errorf("dump (%v):\n%s", err, text.String())
	}
}

// A compressed model keeps coefficients.
func TestCompressedLinearLeaves(t *testing.T) {
	narrow, err := linearModel(t).Narrowed(model.AllNames)
	if err != nil {
		t.Fatal(err)
	}
	small, _ := compressed(t, narrow, ptq.FormOf(ptq.I8), model.GroupModel, true)
	data := encode(t, small)
	again, err := model.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(encode(t, again), data) {
		t.Error("the file that was read is written as another")
	}
	for i := range narrow.Contents().Trees {
		if !again.Contents().Trees[i].Linear.Equal(narrow.Contents().Trees[i].Linear) {
			t.Errorf("tree %d has lost its linear leaves", i)
		}
	}
	if _, err := model.DecodeCompact(data); err == nil || !strings.Contains(err.Error(), "tree.linear") {
		t.Errorf("a compact model of it: %v", err)
	}
	for bit := 0; bit < 8*len(data); bit += 5 {
		spoiled := slices.Clone(data)
		spoiled[bit/8] ^= 1 << (bit % 8)
		decodeAny(t, reseal(spoiled))
	}
}

func TestLinearLeavesAreChecked(t *testing.T) {
	for name, l := range map[string]tree.Linear{
		"pointers":         {Ptrs: []uint32{0, 2}, Feature: []int32{0, 1}, Coef: []float64{2, -1}, Const: []float64{0.5, 0}},
		"none":             {Ptrs: []uint32{0, 0, 0}, Const: []float64{0, 0}},
		"falling":          {Ptrs: []uint32{0, 3, 2}, Feature: []int32{0, 1}, Coef: []float64{2, -1}, Const: []float64{0.5, 0}},
		"order":            {Ptrs: []uint32{0, 2, 2}, Feature: []int32{1, 0}, Coef: []float64{2, -1}, Const: []float64{0.5, 0}},
		"category":         {Ptrs: []uint32{0, 2, 2}, Feature: []int32{0, 2}, Coef: []float64{2, -1}, Const: []float64{0.5, 0}},
		"range":            {Ptrs: []uint32{0, 2, 2}, Feature: []int32{0, 3}, Coef: []float64{2, -1}, Const: []float64{0.5, 0}},
		"NaN":              {Ptrs: []uint32{0, 2, 2}, Feature: []int32{0, 1}, Coef: []float64{2, math.NaN()}, Const: []float64{0.5, 0}},
		"constant":         {Ptrs: []uint32{0, 2, 2}, Feature: []int32{0, 1}, Coef: []float64{2, 1}, Const: []float64{math.Inf(1), 0}},
		"constant of none": {Ptrs: []uint32{0, 2, 2}, Feature: []int32{0, 1}, Coef: []float64{2, 1}, Const: []float64{0.5, 1}},
	} {
		c := smallContents()
		c.Trees[1].Linear = &l
		if _, err := model.New(c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
