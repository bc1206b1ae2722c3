package model_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"boost/booster/model"
	"boost/internal/cpu"
	"boost/internal/kernel/predict"
	"boost/internal/testenv"
	"boost/objectives"
	"boost/tree"
)

// firstRounds sums the base score and the leaves of the first k rounds by the plain walk.
func (f *forest) firstRounds(k int) []float64 {
	c := *f.model.Contents()
	c.Trees = c.Trees[:k*c.Outputs]
	features := model.Features(f.cuts)
	out := make([]float64, len(f.codes)*c.Outputs)
	for row, codes := range f.codes {
		for output := range c.Outputs {
			sum := c.BaseScore[output]
			for i := output; i < len(c.Trees); i += c.Outputs {
				sum += c.Trees[i].Leaf[c.Trees[i].LeafIndex(features, codes)]
			}
			out[row*c.Outputs+output] = sum
		}
	}
	return out
}

func prefix(t testing.TB, m *model.Model, k int) *model.Model {
	t.Helper()
	p, err := m.Prefix(k)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The first rounds are what a prefix has, in every way of predicting.
func TestRounds(t *testing.T) {
	testenv.Unraced(t)
	ctx := context.Background()
	for _, shape := range []struct{ rows, outputs, rounds, leaves, levels int }{{1, 1, 4, 5, 50}, {700, 1, 9, 31, 100}, {1300, 3, 7, 40, 100}, {900, 2, 6, 20, 1000}} {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			f := newForestOver(t, shape.rows, shape.outputs, shape.rounds, shape.leaves, 255, shape.levels)
			for _, set := range append(predict.Sets(), cpu.Generic) {
				model.UseSet(f.model, set)
				for k := range shape.rounds + 1 {
					want := f.firstRounds(k)
					got, err := f.model.PredictRaw(ctx, f.table, model.Rounds(k), model.Threads(2))
					if err != nil {
						t.Fatal(err)
					}
					sameBits(t, fmt.Sprintf("S3.53/%d rounds, %v", k, set), got, want)
					cut := prefix(t, f.model, k)
					if got, err = cut.Predict(ctx, f.table); err != nil || cut.Rounds() != k {
						t.Fatal(cut.Rounds(), err)
					}
					sameBits(t, fmt.Sprintf("S3.53/prefix of %d rounds", k), got, want)
					leaves, err := f.model.PredictLeaf(ctx, f.table, model.Rounds(k))
					if err != nil {
						t.Fatal(err)
					}
					wantLeaves, err := cut.PredictLeaf(ctx, f.table)
					if err != nil || !slices.Equal(leaves, wantLeaves) || len(leaves) != shape.rows*k*shape.outputs {
						t.Fatalf("%d leaves in %d rounds, the prefix has %d (%v)", len(leaves), k, len(wantLeaves), err)
					}
				}
			}
		})
	}
	t.Run("what follows", func(t *testing.T) {
		m, tab := newSmall(t), fiveRows(t)
		for k := range 4 {
			got, err := m.PredictClass(ctx, tab, model.Rounds(k))
			if err != nil {
				t.Fatal(err)
			}
			want, err := prefix(t, m, k).PredictClass(ctx, tab)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("classes of %d rounds: %v, want %v (%v)", k, got, want, err)
			}
		}
		values := []float64{1, 5, 0, 3, 20, 1}
		got, err := model.PredictMatrix(ctx, m, values, model.Rounds(1))
		if err != nil {
			t.Fatal(err)
		}
		want, _ := model.PredictMatrix(ctx, prefix(t, m, 1), values)
		sameBits(t, "matrix", got, want)
		for _, k := range []int{-1, 4} {
			want := fmt.Sprintf("%d rounds of a model that has 3", k)
			if _, err := m.Predict(ctx, tab, model.Rounds(k)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("Predict: %v, want %s", err, want)
			}
			if _, err := m.PredictLeaf(ctx, tab, model.Rounds(k)); err == nil {
				t.Error("PredictLeaf takes", k)
			}
			if _, err := m.Prefix(k); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("Prefix: %v, want %s", err, want)
			}
		}
	})
}

func TestStaged(t *testing.T) {
	ctx := context.Background()
	f := newForest(t, 5000, 3, 7, 31)
	for _, every := range []int{1, 3, 7, 100} {
		var rounds []int
		for stage, err := range f.model.Staged(ctx, f.table, every, model.Threads(2)) {
			if err != nil {
				t.Fatal(err)
			}
			rounds = append(rounds, stage.Rounds())
			sameBits(t, fmt.Sprintf("every %d, after %d", every, stage.Rounds()), stage.Raw(), f.firstRounds(stage.Rounds()))
		}
		want := map[int][]int{1: {1, 2, 3, 4, 5, 6, 7}, 3: {3, 6, 7}, 7: {7}, 100: {7}}[every]
		if !slices.Equal(rounds, want) {
			t.Errorf("every %d rounds: stages after %v, want %v", every, rounds, want)
		}
	}
	m, tab := newSmall(t), fiveRows(t)
	for stage, err := range m.Staged(ctx, tab, 1, model.Rounds(2)) {
		if err != nil {
			t.Fatal(err)
		}
		cut := prefix(t, m, stage.Rounds())
		want, _ := cut.Predict(ctx, tab)
		sameBits(t, "values", stage.Values(), want)
		wantClasses, _ := cut.PredictClass(ctx, tab)
		if got, err := stage.Classes(); err != nil || !slices.Equal(got, wantClasses) {
			t.Errorf("classes %v, want %v (%v)", got, wantClasses, err)
		}
		if stage.Rounds() > 2 {
			t.Errorf("a stage of %d rounds, asked for 2", stage.Rounds())
		}
	}
	seen := 0
	for range f.model.Staged(ctx, f.table, 1) {
		if seen++; seen == 2 {
			break
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	for name, seq := range map[string]func() (stages int, err error){
		"no rounds":       func() (int, error) { return drain(f.model.Staged(ctx, f.table, 0)) },
		"too many rounds": func() (int, error) { return drain(f.model.Staged(ctx, f.table, 1, model.Rounds(8))) },
		"an early stop":   func() (int, error) { return drain(f.model.Staged(ctx, f.table, 1, model.EarlyStop(1))) },
		"another table":   func() (int, error) { return drain(m.Staged(ctx, f.table, 1)) },
		"a cancelled one": func() (int, error) { return drain(m.Staged(cancelled, tab, 1)) },
		"classes of numbers": func() (n int, err error) {
			for stage := range f.model.Staged(ctx, f.table, 7) {
				_, err = stage.Classes()
			}
			return
		},
	} {
		if stages, err := seq(); err == nil || stages != 0 {
			t.Errorf("%s: %d stages, error %v", name, stages, err)
		}
	}
	empty := prefix(t, m, 0)
	stages, err := drain(empty.Staged(ctx, tab, 5))
	if stages != 1 || err != nil {
		t.Errorf("a model without trees has %d stages (%v), want 1", stages, err)
	}
}

func drain(stages func(func(*model.Stage, error) bool)) (n int, err error) {
	stages(func(s *model.Stage, e error) bool {
		if err = e; e == nil {
			n++
		}
		return true
	})
	return n, err
}

// The small model by hand: before its last two trees a score can still gain 0.25 + 0.125 or
// lose 0.75 - 0.125, so that the middle is 0.125 below it and no score is farther than 0.5
// from that. Before its last tree nothing is open.
func TestEarlyStopByHand(t *testing.T) {
	m, ctx, tab := newSmall(t), context.Background(), fiveRows(t)
	full, err := m.PredictRaw(ctx, tab)
	if err != nil {
		t.Fatal(err)
	}
	one, err := m.PredictRaw(ctx, tab, model.Rounds(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		allowance float64
		want      func(row int) float64
	}{
		{0.5 + 1e-8, func(row int) float64 { return one[row] - 0.125 }},
		// Roundings come on top: rows of scores up to 2²⁰ stop, where each addition is off by up to 2⁻³⁴.
		{0.5 + 0x1p-34, func(row int) float64 { return full[row] }},
		{0.5 - 1e-8, func(row int) float64 { return full[row] }},
		{1e-300, func(row int) float64 { return full[row] }}, // rounding alone could be more
	} {
		got, err := m.PredictRaw(ctx, tab, model.EarlyStop(c.allowance))
		if err != nil {
			t.Fatal(err)
		}
		for row := range got {
			if math.Abs(got[row]-c.want(row)) > 1e-12 {
				t.Errorf("allowance %v, row %d: %v, want %v", c.allowance, row, got[row], c.want(row))
			}
		}
	}
	t.Run("rows far from 0 go on", func(t *testing.T) {
		c := smallContents()
		c.BaseScore = []float64{1 << 21}
		far, err := model.New(c)
		if err != nil {
			t.Fatal(err)
		}
		want, err := far.PredictRaw(ctx, tab)
		if err != nil {
			t.Fatal(err)
		}
		got, err := far.PredictRaw(ctx, tab, model.EarlyStop(1))
		if err != nil {
			t.Fatal(err)
		}
		sameBits(t, "raw scores", got, want)
		wantClasses, _ := far.PredictClass(ctx, tab)
		if classes, err := far.PredictClass(ctx, tab, model.EarlyStop(0)); err != nil || !slices.Equal(classes, wantClasses) {
			t.Errorf("classes %v, want %v (%v)", classes, wantClasses, err)
		}
	})
	for name, f := range map[string]func() error{
		"raw without allowance":     func() error { _, err := m.PredictRaw(ctx, tab, model.EarlyStop(0)); return err },
		"value with a negative one": func() error { _, err := m.Predict(ctx, tab, model.EarlyStop(-1)); return err },
		"value with NaN":            func() error { _, err := m.Predict(ctx, tab, model.EarlyStop(math.NaN())); return err },
		"value with infinity":       func() error { _, err := m.Predict(ctx, tab, model.EarlyStop(math.Inf(1))); return err },
		"classes with an allowance": func() error { _, err := m.PredictClass(ctx, tab, model.EarlyStop(0.1)); return err },
		"leaves":                    func() error { _, err := m.PredictLeaf(ctx, tab, model.EarlyStop(0)); return err },
		"classes of another link": func() error {
			c := smallContents()
			c.Link = objectives.Exp
			other, err := model.New(c)
			if err != nil {
				t.Fatal(err)
			}
			_, err = other.PredictClass(ctx, tab, model.EarlyStop(0))
			return err
		},
	} {
		if f() == nil {
			t.Errorf("%s is not refused", name)
		}
	}
}

// shrunk gives a forest leaves that get smaller from round to round, and classes.
func shrunk(t *testing.T, f *forest, by float64) *model.Model {
	t.Helper()
	c := *f.model.Contents()
	c.Objective, c.Link = "binary", objectives.Logistic
	c.Classes = []string{"no", "yes"}
	if c.Outputs > 1 {
		c.Objective, c.Link, c.Classes = "multiclass", objectives.Softmax, nil
		for k := range c.Outputs {
			c.Classes = append(c.Classes, fmt.Sprint("class ", k))
		}
	}
	c.Trees = slices.Clone(c.Trees)
	scale := 1.0
	for i := range c.Trees {
		if i%c.Outputs == 0 {
			scale *= by
		}
		leaves := slices.Clone(c.Trees[i].Leaf)
		for l := range leaves {
			leaves[l] *= scale
		}
		c.Trees[i].Leaf = leaves
	}
	m, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A row whose class the last trees can still turn, by however little, goes on: eight of 1/16
// bring a lead of ½ to nothing, and somewhat more than these bring it to the other side.
func TestEarlyStopWaitsForTheLast(t *testing.T) {
	ctx, tab := context.Background(), fiveRows(t)
	split := func(left, right float64) tree.Tree { // age <= 1.5 is the first row alone
		return tree.Tree{
			Feature: []int32{0}, Code: []uint32{0}, Categorical: []bool{false}, MissingLeft: []bool{false}, Left: []int32{^0}, Right: []int32{^1},
			Leaf: []float64{left, right}, Gain: []float32{1}, Cover: []float64{9}, LeafCover: []float64{4, 5},
		}
	}
	for outputs := 1; outputs <= 2; outputs++ {
		for _, step := range []float64{1.0 / 16, 1.0/16 + 1e-12, 1.0/16 - 1e-12} {
			c := smallContents()
			c.History, c.WideRounds, c.Trees = nil, nil, nil
			c.Outputs, c.BaseScore = outputs, make([]float64, outputs)
			if outputs == 2 {
				c.Objective, c.Link = "multiclass", objectives.Softmax
			}
			for round := range 16 {
				trees := []tree.Tree{split(0, 0), split(0, 0)}
				switch last := outputs - 1; {
				case round == 0: // leads: class 1 of one output, class 0 of two
					trees[0] = split(0.5, 0.5)
				case round >= 8 && outputs == 1:
					trees[0] = split(-step, 0)
				case round >= 8:
					trees[last] = split(step, 0)
				}
				c.Trees = append(c.Trees, trees[:outputs]...)
			}
			c.BestRound = 16
			m, err := model.New(c)
			if err != nil {
				t.Fatal(err)
			}
			want, err := m.PredictClass(ctx, tab)
			if err != nil {
				t.Fatal(err)
			}
			lead := int32(2 - outputs)
			if turned := want[0] != lead; turned != (step > 1.0/16 || step == 1.0/16 && outputs == 1) || want[1] != lead {
				t.Fatalf("%d outputs, steps of %v: classes %v", outputs, step, want)
			}
			if got, err := m.PredictClass(ctx, tab, model.EarlyStop(0)); err != nil || !slices.Equal(got, want) {
				t.Errorf("%d outputs, steps of %v: classes %v, want %v (%v)", outputs, step, got, want, err)
			}
			first := tab.Take([]int32{0})
			if got, err := m.PredictClass(ctx, first, model.EarlyStop(0)); err != nil || got[0] != want[0] {
				t.Errorf("%d outputs, steps of %v, one row: class %v, want %v (%v)", outputs, step, got, want[0], err)
			}
		}
	}
}

func TestEarlyStop(t *testing.T) {
	testenv.Unraced(t)
	ctx := context.Background()
	for _, outputs := range []int{1, 2, 5} {
		for _, levels := range []int{100, 1000} { // codes of one byte, and of two
			f := newForestOver(t, 3000, outputs, 60, 31, 255, levels)
			m := shrunk(t, f, 0.85)
			want, err := m.PredictClass(ctx, f.table)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := m.PredictRaw(ctx, f.table)
			if err != nil {
				t.Fatal(err)
			}
			var first []float64
			for _, set := range append(predict.Sets(), cpu.Generic) {
				model.UseSet(m, set)
				for threads := 1; threads <= 3; threads++ {
					got, err := m.PredictClass(ctx, f.table, model.EarlyStop(0), model.Threads(threads))
					if err != nil || !slices.Equal(got, want) {
						t.Fatalf("%d outputs, %v: classes change (%v)", outputs, set, err)
					}
					near, err := m.PredictRaw(ctx, f.table, model.EarlyStop(0.01), model.Threads(threads))
					if err != nil {
						t.Fatal(err)
					}
					off := 0.0
					for i := range near {
						off = max(off, math.Abs(near[i]-raw[i]))
					}
					if !(off <= 0.01) || off == 0 {
						t.Fatalf("%d outputs, %v: raw scores are off by %v, allowed is 0.01", outputs, set, off)
					}
					if first == nil {
						first = near
					}
					sameBits(t, fmt.Sprint(set, threads), near, first)
				}
			}
			short, err := m.PredictClass(ctx, f.table, model.EarlyStop(0), model.Rounds(7))
			if err != nil {
				t.Fatal(err)
			}
			if want, _ := m.PredictClass(ctx, f.table, model.Rounds(7)); !slices.Equal(short, want) {
				t.Errorf("%d outputs: classes of the first 7 rounds change", outputs)
			}
		}
	}
}
