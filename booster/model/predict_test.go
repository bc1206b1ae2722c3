package model_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"boost/binning"
	"boost/booster/model"
	"boost/dataset"
	"boost/internal/cpu"
	"boost/internal/kernel/predict"
	"boost/objectives"
	"boost/parallel"
	"boost/tree"
)

func table(t testing.TB, columns []dataset.ColumnData, opts ...dataset.Option) *dataset.Table {
	t.Helper()
	tab, err := dataset.FromColumns(columns, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

// fiveRows go through the small model as the comments in TestPredictByHand say.
func fiveRows(t testing.TB) *dataset.Table {
	nan := math.NaN()
	return table(t, []dataset.ColumnData{
		{Name: "color", Values: []string{"red", "green", "red", "blue", "purple"}},
		{Name: "unused", Values: []float64{1, 2, 3, 4, 5}},
		{Name: "income", Values: []float64{5, 20, nan, 10, 10.5}},
		{Name: "age", Values: []float64{1, 2, 3, nan, 2.5}},
	})
}

func TestPredictByHand(t *testing.T) {
	m, ctx, tab := newSmall(t), context.Background(), fiveRows(t)
	raw, err := m.PredictRaw(ctx, tab)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{
		0.0625 + -1 + 0.25 + 0.125,   // age 1; income 5
		0.0625 + 0.5 + -0.75 + 0.125, // age 2, green; income 20
		0.0625 + 2 + 0.25 + 0.125,    // age 3, red; income missing goes left
		0.0625 + 0.5 + 0.25 + 0.125,  // age missing, never so in training, goes right; blue has no code, so it is missing and goes left
		0.0625 + 0.5 + -0.75 + 0.125, // age 2.5, purple unseen, so missing
	}
	if !slices.Equal(raw, want) {
		t.Errorf("PredictRaw = %v, want %v", raw, want)
	}
	values, err := m.Predict(ctx, tab)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range values {
		if p := 1 / (1 + math.Exp(-want[i])); math.Abs(v-p) > 1e-15 {
			t.Errorf("row %d: probability %v, want %v", i, v, p)
		}
	}
	classes, err := m.PredictClass(ctx, tab)
	if err != nil || !slices.Equal(classes, []int32{0, 0, 1, 1, 0}) {
		t.Errorf("PredictClass = %v (%v), want [0 0 1 1 0]", classes, err)
	}
	leaves, err := m.PredictLeaf(ctx, tab)
	if err != nil || !slices.Equal(leaves, []int32{0, 0, 0, 1, 1, 0, 2, 0, 0, 1, 0, 0, 1, 1, 0}) {
		t.Errorf("PredictLeaf = %v (%v)", leaves, err)
	}
}

// A table is matched by name; what it lacks is named.
func TestPredictMissingColumn(t *testing.T) {
	tab := table(t, []dataset.ColumnData{
		{Name: "age", Values: []float64{1}}, {Name: "color", Values: []string{"red"}},
	})
	out, err := newSmall(t).Predict(context.Background(), tab)
	if !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), "income") || out != nil {
		t.Errorf("Predict = %v, %v, want ErrTable that names income", out, err)
	}
}

func TestPredictCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if out, err := newSmall(t).Predict(ctx, fiveRows(t)); !errors.Is(err, context.Canceled) || out != nil {
		t.Errorf("Predict = %v, %v, want context.Canceled", out, err)
	}
}

func TestPredictClassOfNumbers(t *testing.T) {
	c := smallContents()
	c.Objective, c.Link, c.Classes = "regression", objectives.Identity, nil
	m, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.PredictClass(context.Background(), fiveRows(t)); err == nil || !strings.Contains(err.Error(), "no classes") {
		t.Errorf("PredictClass = %v, want an error", err)
	}
}

// forest is a model with random trees over a random table, and the table's codes.
type forest struct {
	table  *dataset.Table
	cuts   *binning.Cuts
	matrix *binning.Matrix
	model  *model.Model
	codes  [][]uint32 // [row][feature]
}

// newForest has columns of one byte and of two.
func newForest(t testing.TB, rows, outputs, rounds, leaves int) *forest {
	t.Helper()
	return newForestOver(t, rows, outputs, rounds, leaves, 400, 1000)
}

func newForestOver(t testing.TB, rows, outputs, rounds, leaves, bins, levels int) *forest {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(rows), uint64(outputs)))
	small, real, many := make([]float64, rows), make([]float64, rows), make([]string, rows)
	few, label := make([]string, rows), make([]float64, rows)
	for i := range rows {
		small[i] = float64(r.IntN(10))
		real[i] = r.NormFloat64()
		if r.IntN(5) == 0 {
			real[i] = math.NaN()
		}
		many[i] = fmt.Sprintf("level %d", r.IntN(levels))
		few[i] = []string{"a", "b", "c", ""}[r.IntN(4)]
		label[i] = r.Float64()
	}
	f := &forest{table: table(t, []dataset.ColumnData{
		{Name: "small", Values: small}, {Name: "real", Values: real},
		{Name: "many", Values: many}, {Name: "y", Values: label}, {Name: "few", Values: few},
	}, dataset.Label("y"))}
	pool := parallel.NewPool(2)
	defer pool.Close()
	ctx, p := context.Background(), binning.Defaults()
	p.MaxBin = bins
	var err error
	if f.cuts, _, err = binning.Fit(ctx, f.table, nil, p, 1, pool); err != nil {
		t.Fatal(err)
	}
	if f.matrix, err = binning.Build(ctx, f.cuts, f.table, p, pool); err != nil {
		t.Fatal(err)
	}
	c := smallContents()
	c.Objective, c.Link, c.Classes, c.Outputs = "regression", objectives.Identity, nil, outputs
	c.BaseScore = make([]float64, outputs)
	for k := range c.BaseScore {
		c.BaseScore[k] = r.NormFloat64()
	}
	c.Schema, c.Cuts, c.BestRound, c.Trees = f.table.Schema(), f.cuts, rounds, nil
	c.WideRounds = nil
	for range rounds * outputs {
		c.Trees = append(c.Trees, randomTree(r, model.Features(f.cuts), 1+r.IntN(leaves)))
	}
	if f.model, err = model.New(c); err != nil {
		t.Fatal(err)
	}
	for row := range rows {
		codes := make([]uint32, len(f.cuts.Features))
		for feature := range codes {
			codes[feature] = f.matrix.Bin(feature, row)
		}
		f.codes = append(f.codes, codes)
	}
	return f
}

func randomTree(r *rand.Rand, features []tree.Feature, leaves int) tree.Tree {
	t := tree.Tree{SetPtrs: []uint32{0}}
	slots := []*int32{new(int32)} // the reference that points to each leaf
	var links [][2]*int32         // both references of each node
	for node := int32(0); len(slots) < leaves; node++ {
		f := r.IntN(len(features))
		t.Feature = append(t.Feature, int32(f))
		t.Categorical = append(t.Categorical, features[f].Categorical)
		t.MissingLeft = append(t.MissingLeft, r.IntN(2) == 0)
		if features[f].Categorical {
			t.Code = append(t.Code, uint32(len(t.SetPtrs)-1))
			for c := range features[f].Regular {
				if r.IntN(3) == 0 {
					t.Sets = append(t.Sets, c)
				}
			}
			t.SetPtrs = append(t.SetPtrs, uint32(len(t.Sets)))
		} else {
			t.Code = append(t.Code, r.Uint32N(features[f].Regular))
		}
		at := r.IntN(len(slots))
		*slots[at] = node
		left, right := new(int32), new(int32)
		t.Left, t.Right = append(t.Left, 0), append(t.Right, 0)
		links = append(links, [2]*int32{left, right})
		slots[at] = left
		slots = append(slots, right)
	}
	for leaf, s := range slots {
		*s = ^int32(leaf)
		t.Leaf = append(t.Leaf, r.NormFloat64())
	}
	for n := range t.Feature {
		t.Left[n], t.Right[n] = *links[n][0], *links[n][1]
	}
	t.Gain, t.Cover = make([]float32, len(t.Feature)), make([]float64, len(t.Feature))
	t.LeafCover = make([]float64, len(t.Leaf))
	return t
}

// reference sums base score and leaves by the plain walk, in the order of the trees.
func (f *forest) reference() []float64 {
	c := f.model.Contents()
	features := model.Features(f.cuts)
	out := make([]float64, len(f.codes)*c.Outputs)
	for row, codes := range f.codes {
		for k := range c.Outputs {
			sum := c.BaseScore[k]
			for i := k; i < len(c.Trees); i += c.Outputs {
				sum += c.Trees[i].Leaf[c.Trees[i].LeafIndex(features, codes)]
			}
			out[row*c.Outputs+k] = sum
		}
	}
	return out
}

func sameBits(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i := range got {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Fatalf("%s: number %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func TestPredictEqualsReferenceWalk(t *testing.T) {
	ctx := context.Background()
	for _, shape := range []struct{ rows, outputs, rounds, leaves int }{
		{1, 1, 3, 4}, {300, 3, 5, 16}, {9000, 1, 20, 31}, {5000, 4, 2, 64}, {50, 2, 0, 1},
	} {
		t.Run(fmt.Sprintf("rows=%d outputs=%d rounds=%d leaves=%d", shape.rows, shape.outputs, shape.rounds, shape.leaves), func(t *testing.T) {
			f := newForest(t, shape.rows, shape.outputs, shape.rounds, shape.leaves)
			want := f.reference()
			for threads := range 5 {
				got, err := f.model.PredictRaw(ctx, f.table, model.Threads(threads))
				if err != nil {
					t.Fatal(err)
				}
				sameBits(t, fmt.Sprintf("%d threads", threads), got, want)
			}
			pool := parallel.NewPool(3)
			defer pool.Close()
			got, err := f.model.Predict(ctx, f.table, model.Pool(pool))
			if err != nil {
				t.Fatal(err)
			}
			sameBits(t, "identity link on a pool", got, want)
			back, err := model.Decode(encode(t, f.model))
			if err != nil {
				t.Fatal(err)
			}
			if got, err = back.PredictRaw(ctx, f.table); err != nil {
				t.Fatal(err)
			}
			sameBits(t, "after save and load", got, want)
		})
	}
}

// The codes that training scores with and the values that prediction starts from
// must lead to the same sums.
func TestAddScores(t *testing.T) {
	pool := parallel.NewPool(2)
	defer pool.Close()
	f := newForest(t, 9000, 1, 12, 31)
	c := f.model.Contents()
	want := f.reference()
	all, listed := make([]float64, len(want)), make([]float64, len(want))
	var odd, even []uint32
	for row := range want {
		all[row], listed[row] = c.BaseScore[0], c.BaseScore[0]
		if row%2 == 0 {
			even = append(even, uint32(row))
		} else {
			odd = append(odd, uint32(row))
		}
	}
	for i := range c.Trees {
		model.AddScores(&c.Trees[i], model.Coded{Cuts: f.cuts, Matrix: f.matrix}, 0, 4097, all)
		model.AddScores(&c.Trees[i], model.Coded{Cuts: f.cuts, Matrix: f.matrix}, 4097, len(all), all)
		model.AddTree(pool, &c.Trees[i], model.Coded{Cuts: f.cuts, Matrix: f.matrix}, odd, listed)
		model.AddTree(pool, &c.Trees[i], model.Coded{Cuts: f.cuts, Matrix: f.matrix}, even, listed)
	}
	sameBits(t, "AddScores", all, want)
	sameBits(t, "AddTree", listed, want)
	together := make([]float64, len(want))
	for row := range together {
		together[row] = c.BaseScore[0]
	}
	model.AddTrees(pool, c.Trees, 1, model.Coded{Cuts: f.cuts, Matrix: f.matrix}, together)
	sameBits(t, "AddTrees", together, want)
}

// Trees over columns of one byte go by plans where there are vectors, others by lists, and
// the rows that a tile lacks by either.
func TestPredictByPlans(t *testing.T) {
	for _, shape := range []struct{ rows, outputs, rounds, leaves, bins, levels int }{
		{1, 1, 5, 31, 255, 100}, {63, 1, 5, 31, 255, 100}, {64, 3, 5, 31, 255, 100}, {511, 1, 9, 256, 255, 200},
		{512, 2, 40, 200, 255, 100}, {513, 1, 5, 31, 255, 254}, {575, 5, 5, 31, 100, 100}, {576, 2, 5, 300, 255, 100},
		{1100, 2, 60, 3, 255, 1000}, {5000, 1, 60, 3, 400, 100},
	} {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			f := newForestOver(t, shape.rows, shape.outputs, shape.rounds, shape.leaves, shape.bins, shape.levels)
			want := f.reference()
			for _, threads := range []int{1, 2} {
				for _, set := range append(predict.Sets(), cpu.Generic) {
					model.UseSet(f.model, set)
					got, err := f.model.PredictRaw(context.Background(), f.table, model.Threads(threads))
					if err != nil {
						t.Fatal(err)
					}
					sameBits(t, fmt.Sprintf("%d threads, %v", threads, set), got, want)
				}
			}
		})
	}
}

func TestPredictConcurrently(t *testing.T) {
	f := newForest(t, 2000, 2, 6, 16)
	want := f.reference()
	var wait sync.WaitGroup
	for range 6 {
		wait.Go(func() {
			got, err := f.model.PredictRaw(context.Background(), f.table, model.Threads(2))
			if err != nil {
				t.Error(err)
				return
			}
			if !slices.Equal(got, want) {
				t.Error("concurrent predictions differ")
			}
		})
	}
	wait.Wait()
}

func TestPredictClassOfMany(t *testing.T) {
	c := smallContents()
	c.Objective, c.Link, c.Outputs = "multiclass", objectives.Softmax, 3
	c.Classes, c.BaseScore, c.BestRound, c.WideRounds = []string{"a", "b", "c"}, []float64{1, 1, 0}, 1, nil
	m, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	// Raw scores of the five rows, output by output, from the leaves of TestPredictByHand:
	// a: 0 1.5 3 1.5 1.5; b: 1.25 0.25 1.25 1.25 0.25; c: 0.125 throughout.
	got, err := m.PredictClass(context.Background(), fiveRows(t))
	if err != nil || !slices.Equal(got, []int32{1, 0, 0, 0, 0}) {
		t.Errorf("PredictClass = %v (%v), want [1 0 0 0 0]", got, err)
	}
	values, err := m.Predict(context.Background(), fiveRows(t))
	if err != nil || len(values) != 15 {
		t.Fatalf("Predict gives %d numbers (%v), want 15", len(values), err)
	}
	for row := range 5 {
		if sum := values[3*row] + values[3*row+1] + values[3*row+2]; math.Abs(sum-1) > 1e-14 {
			t.Errorf("row %d: probabilities sum to %v", row, sum)
		}
	}
}

func BenchmarkPredict(b *testing.B) {
	f := newForest(b, 100_000, 1, 100, 31)
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("rows=100000/trees=100/threads=%d", threads), func(b *testing.B) {
			for b.Loop() {
				if _, err := f.model.PredictRaw(context.Background(), f.table, model.Threads(threads)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
