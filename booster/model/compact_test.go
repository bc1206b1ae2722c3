package model_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"boost/binning"
	"boost/booster/model"
	"boost/dataset"
	"boost/internal/cpu"
	"boost/internal/kernel/predict"
	"boost/internal/testenv"
	"boost/objectives"
	"boost/parallel"
	"boost/ptq"
)

// bothLoads returns the Model and the Compact of a compressed model's file.
func bothLoads(t testing.TB, data []byte) (*model.Model, *model.Compact) {
	t.Helper()
	fast, err := model.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	compact, err := model.DecodeCompact(data)
	if err != nil {
		t.Fatal(err)
	}
	return fast, compact
}

func compactFor(t *testing.T, data []byte, set cpu.Level) *model.Compact {
	t.Helper()
	c, err := model.DecodeCompactFor(data, set)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// scorer is what both loads can do.
type scorer interface {
	Predict(context.Context, *dataset.Table, ...model.Option) ([]float64, error)
	PredictRaw(context.Context, *dataset.Table, ...model.Option) ([]float64, error)
	PredictClass(context.Context, *dataset.Table, ...model.Option) ([]int32, error)
	PredictLeaf(context.Context, *dataset.Table, ...model.Option) ([]int32, error)
}

// samePredictions compares all kinds of predictions, errors too.
func samePredictions(t *testing.T, want, got scorer, tab *dataset.Table, opts ...model.Option) {
	t.Helper()
	ctx := context.Background()
	for what, of := range map[string]func(s scorer) ([]float64, error){
		"values": func(s scorer) ([]float64, error) { return s.Predict(ctx, tab, opts...) },
		"raw":    func(s scorer) ([]float64, error) { return s.PredictRaw(ctx, tab, opts...) },
		"class": func(s scorer) ([]float64, error) {
			classes, err := s.PredictClass(ctx, tab, opts...)
			return widened(classes), err
		},
		"leaf": func(s scorer) ([]float64, error) {
			leaves, err := s.PredictLeaf(ctx, tab, opts...)
			return widened(leaves), err
		},
	} {
		a, errA := of(want)
		b, errB := of(got)
		if fmt.Sprint(errA) != fmt.Sprint(errB) {
			t.Fatalf("%s: error %v instead of %v", what, errB, errA)
		}
		sameBits(t, what, b, a)
	}
}

func widened(list []int32) []float64 {
	wide := make([]float64, len(list))
	for i, x := range list {
		wide[i] = float64(x)
	}
	return wide
}

// A Compact predicts what the Model of the same file does, whatever the instruction set, the
// threads and the number of rows and rounds.
func TestCompactPredicts(t *testing.T) {
	testenv.Unraced(t)
	for _, shape := range []struct {
		name string
		f    *forest
	}{
		{"one output", newForestOver(t, 5000, 1, 90, 90, 40, 60)},
		{"three outputs, many levels", newForestOver(t, 3000, 3, 5, 31, 255, 2500)},
		{"wide codes, large trees", newForestOver(t, 2500, 1, 3, 3000, 2000, 10)},
		{"leaves alone", newForestOver(t, 50, 1, 3, 1, 10, 5)},
		{"no trees", newForestOver(t, 50, 2, 0, 1, 10, 5)},
	} {
		t.Run("S4.30/compact/"+shape.name, func(t *testing.T) {
			for i, form := range []ptq.Form{ptq.FormQ4_0, ptq.FormCold2, ptq.FormOf(ptq.U4), ptq.FormOf(ptq.F16)}[:testenv.ByLength(4, 3, 1)] {
				small, _ := compressed(t, shape.f.model, form, model.GroupBlock, form == ptq.FormCold2)
				data := encode(t, small)
				fast, compact := bothLoads(t, data)
				samePredictions(t, fast, compact, shape.f.table)
				for _, set := range append(predict.Sets(), cpu.Generic) {
					samePredictions(t, fast, compactFor(t, data, set), shape.f.table, model.Threads(2))
				}
				if i > 1 && !testenv.Soak() {
					continue // how leaves are stored is apart from which rows and rounds are asked for
				}
				for _, rounds := range []int{-1, 0, 1, fast.Rounds() - 1, fast.Rounds(), fast.Rounds() + 1} {
					samePredictions(t, fast, compact, shape.f.table, model.Rounds(rounds))
				}
				for _, rows := range []int{0, 1, 5, 64, 511, 512, 513, 1024, 1025} {
					list := make([]int32, min(rows, shape.f.table.NumRows()))
					for i := range list {
						list[i] = int32(i)
					}
					samePredictions(t, fast, compact, shape.f.table.Take(list))
				}
				if compact.NumTrees() != fast.NumTrees() || compact.Rounds() != fast.Rounds() || compact.Outputs() != fast.Outputs() ||
					compact.Link() != fast.Link() || !slices.Equal(compact.Classes(), fast.Classes()) || compact.NumericClasses() != fast.NumericClasses() {
					t.Error("it is of another shape")
				}
				if a, b := fmt.Sprint(fast.Schema()), fmt.Sprint(compact.Schema()); a != b {
					t.Errorf("schema %s instead of %s", b, a)
				}
				a, errA := fast.Unseen(shape.f.table)
				b, errB := compact.Unseen(shape.f.table)
				if fmt.Sprint(a, errA) != fmt.Sprint(b, errB) {
					t.Errorf("unseen %v instead of %v", b, a)
				}
			}
		})
	}
}

// Classes, and values that comparisons may get wrong, against the definitions.
func TestCompactOnHostileModels(t *testing.T) {
	for name, h := range map[string]*hostile{
		"numbers":    newHostile(t, 1300, 1, 70, 31, 5, nil),
		"categories": newHostile(t, 1300, 1, 40, 31, 3, []string{"a", "b", "c", "d"}),
		"classes":    newHostile(t, 700, 7, 10, 16, 4, nil),
		"256 leaves": newHostile(t, 600, 1, 20, 256, 6, nil),
		"300 leaves": newHostile(t, 600, 1, 20, 600, 6, nil),
	} {
		t.Run(name, func(t *testing.T) {
			small, _ := compressed(t, h.model, ptq.FormOf(ptq.F64), model.GroupModel, false)
			for _, set := range append(predict.Sets(), cpu.Generic) {
				got, err := compactFor(t, encode(t, small), set).PredictRaw(context.Background(), h.table)
				if err != nil {
					t.Fatal(err)
				}
				sameBits(t, set.String(), got, h.want)
			}
		})
	}
}

// One loop predicts with all types: both loads give what the values of a weight store, which
// simulates the type, add up to along the way of each row.
func TestPredictByType(t *testing.T) {
	ctx := context.Background()
	f := newForestOver(t, 600, 2, 6, 31, 100, 30)
	narrow, err := f.model.Narrowed(model.KnownNames)
	if err != nil {
		t.Fatal(err)
	}
	contents := narrow.Contents()
	leaves, err := narrow.PredictLeaf(ctx, f.table)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range ptq.DTypes() {
		small, _ := compressed(t, f.model, ptq.FormOf(d), model.GroupTree, false)
		fast, compact := bothLoads(t, encode(t, small))
		store, err := ptq.NewWeightStore(narrow.Leaves(), nil)
		if err != nil {
			t.Fatal(err)
		}
		k := fast.Compressed().Leaves.(*ptq.Version).Calibration()
		values, err := store.SimulateF64(d, k)
		if err != nil {
			t.Fatal(err)
		}
		single, err := store.SimulateF32(d, k)
		if err != nil {
			t.Fatal(err)
		}
		trees := len(contents.Trees)
		want := make([]float64, f.table.NumRows()*contents.Outputs)
		for i := range want {
			want[i] = contents.BaseScore[i%contents.Outputs]
		}
		first := make([]int, trees)
		for i := 1; i < trees; i++ {
			first[i] = first[i-1] + contents.Trees[i-1].NumLeaves()
		}
		for row := range f.table.NumRows() {
			for i := range trees {
				want[row*contents.Outputs+i%contents.Outputs] += values[first[i]+int(leaves[row*trees+i])]
			}
		}
		for load, m := range map[string]scorer{"fast": fast, "compact": compact} {
			t.Run(fmt.Sprintf("S4.32/%s/%s", d, load), func(t *testing.T) {
				got, err := m.PredictRaw(ctx, f.table)
				if err != nil {
					t.Fatal(err)
				}
				sameBits(t, "raw", got, want)
			})
		}
		t.Run("S4.30/as_stored/"+d.String(), func(t *testing.T) {
			for i, x := range fast.Leaves() {
				if math.Float32bits(float32(x)) != math.Float32bits(single[i]) {
					t.Fatalf("leaf %d is %v, simulated as %v", i, x, single[i])
				}
			}
		})
	}
}

// wordy is a model whose category feature has so many levels, which text makes.
func wordy(t testing.TB, levels int, text func(r *rand.Rand, i int) string) *forest {
	t.Helper()
	r := rand.New(rand.NewPCG(3, uint64(levels)))
	words := make([]string, levels)
	for i := range words {
		words[i] = text(r, i)
	}
	base := newForestOver(t, levels, 1, 0, 1, 20, 5)
	columns := []dataset.ColumnData{
		{Name: "word", Values: words}, {Name: "x", Values: base.table.Column("real").Float64s()},
	}
	tab := table(t, columns)
	c := *base.model.Contents()
	c.Schema, c.BestRound = tab.Schema(), 3
	var err error
	pool := parallel.NewPool(1)
	defer pool.Close()
	if c.Cuts, _, err = binning.Fit(context.Background(), tab, nil, binning.Defaults(), 1, pool); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		c.Trees = append(c.Trees, randomTree(r, model.Features(c.Cuts), 31))
	}
	f := &forest{table: tab}
	if f.model, err = model.New(c); err != nil {
		t.Fatal(err)
	}
	return f
}

// What a Compact keeps is at most twice its file and 1 MiB, and Memory says how much.
func TestCompactHeap(t *testing.T) {
	testenv.Memory(t)
	numbers, numbersTable := newNumbers(t, 2000, 200, 31, 28)
	large, largeTable := newNumbers(t, 2000, 3200, 63, 100) // more than are kept while they are checked
	stumps, stumpsTable := newNumbers(t, 500, 20_000, 2, 4)
	random := func(r *rand.Rand, i int) string { return fmt.Sprintf("%x %x", r.Uint64(), i) }
	counted := func(_ *rand.Rand, i int) string { return fmt.Sprintf("a customer's number %012d", i) }
	for _, c := range []struct {
		name string
		f    *forest
		form ptq.Form
		kept bool
	}{
		{"200 trees", &forest{model: numbers, table: numbersTable}, ptq.FormQ4_0, true},
		{"3200 trees", &forest{model: large, table: largeTable}, ptq.FormCold2, true},
		{"20000 stumps", &forest{model: stumps, table: stumpsTable}, ptq.FormOf(ptq.Binary), true},
		{"long dictionary", wordy(t, 20_000, random), ptq.FormOf(ptq.I8), true},
		{"long dictionary that packs well", wordy(t, 60_000, counted), ptq.FormOf(ptq.I8), false},
	}[:testenv.UnlessShort(5, 1)] {
		t.Run("S3.59/heap_of_compact/"+c.name, func(t *testing.T) {
			small, _ := compressed(t, c.f.model, c.form, model.GroupBlock, false)
			data := encode(t, small)
			want, err := small.PredictRaw(context.Background(), c.f.table)
			if err != nil {
				t.Fatal(err)
			}
			before := heapNow()
			compact, err := model.DecodeCompact(data)
			if err != nil {
				t.Fatal(err)
			}
			for _, when := range []string{"loaded", "predicted"} {
				if when == "predicted" {
					got, err := compact.PredictRaw(context.Background(), c.f.table)
					if err != nil {
						t.Fatal(err)
					}
					sameBits(t, "raw", got, want)
				}
				heap, bound := heapNow()-before, int64(2*len(data)+1<<20)
				t.Logf("%s: file %d, heap %d, sum %d", when, len(data), heap, compact.Memory())
				if heap > bound {
					t.Errorf("%s: %d bytes for a file of %d, at most %d", when, heap, len(data), bound)
				}
				if sum := compact.Memory(); float64(heap-sum) > 0.15*float64(sum)+64<<10 || sum-heap > 64<<10 {
					t.Errorf("%s: Memory says %d bytes, measured are %d", when, sum, heap)
				}
			}
			if model.Kept(compact) != c.kept {
				t.Errorf("kept unpacked: %v", model.Kept(compact))
			}
			runtime.KeepAlive(compact)
			runtime.KeepAlive(data)
		})
	}
}

// heapNow returns the bytes of the heap that are in use; two collections empty pools.
func heapNow() int64 {
	var s runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// Predictions at the same time share the model, also one that unpacks its dictionaries.
func TestCompactConcurrently(t *testing.T) {
	for _, f := range []*forest{
		newForestOver(t, 3000, 2, 20, 31, 100, 60),
		wordy(t, testenv.UnlessShort(30_000, 2000), func(_ *rand.Rand, i int) string { return fmt.Sprintf("a customer's number %012d", i) }),
	} {
		small, _ := compressed(t, f.model, ptq.FormQ4_0, model.GroupBlock, false)
		fast, compact := bothLoads(t, encode(t, small))
		want, err := fast.PredictRaw(context.Background(), f.table)
		if err != nil {
			t.Fatal(err)
		}
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				for range 2 {
					got, err := compact.PredictRaw(context.Background(), f.table, model.Threads(2))
					if err != nil {
						t.Error(err)
						return
					}
					if !slices.Equal(got, want) {
						t.Error("other predictions")
					}
					runtime.GC()
				}
			})
		}
		wait.Wait()
	}
}

// What outputs are called and which metrics are printed depends on the parameters of the loss, in both loads.
func TestCompactKnowsTheLoss(t *testing.T) {
	for _, c := range []struct {
		objective string
		link      objectives.Link
		outputs   int
		params    string
	}{
		{"quantile", objectives.Sorted, 3, `{"objective.alpha":[0.1,0.5,0.9],"train.seed":1}`},
		{"expectile", objectives.Identity, 1, `{"objective.alpha":[0.8],"train.seed":1}`},
		{"tweedie", objectives.Exp, 1, `{"objective.power":1.2,"train.seed":1}`},
		{"huber", objectives.Identity, 1, `{"objective.delta":7,"train.seed":1}`},
		{"regression", objectives.Identity, 2, `{"train.seed":1}`},
	} {
		f := newForest(t, 100, c.outputs, 2, 5)
		contents := *f.model.Contents()
		contents.Objective, contents.Link, contents.Params = c.objective, c.link, json.RawMessage(c.params)
		m, err := model.New(contents)
		if err != nil {
			t.Fatal(err)
		}
		small, _ := compressed(t, m, ptq.FormOf(ptq.I8), model.GroupOutput, false)
		fast, compact := bothLoads(t, encode(t, small))
		want, err := fast.DefaultMetrics()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := compact.DefaultMetrics(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: metrics %v, %v instead of %v", c.objective, got, err, want)
		}
		if got, want := compact.OutputNames(), fast.OutputNames(); !slices.Equal(got, want) {
			t.Errorf("%s: outputs %v instead of %v", c.objective, got, want)
		}
	}
}

func TestCompactRefuses(t *testing.T) {
	f := newForest(t, 300, 1, 3, 10)
	full := filepath.Join(t.TempDir(), "full.boost")
	if err := f.model.Save(full); err != nil {
		t.Fatal(err)
	}
	if _, err := model.LoadCompact(full); !errors.Is(err, model.ErrNotCompressed) || !errors.Is(err, model.ErrModel) || !strings.HasPrefix(err.Error(), full) {
		t.Errorf("a full model: %v", err)
	}
	if _, err := model.LoadCompact(full + "x"); !errors.Is(err, model.ErrModel) || errors.Is(err, model.ErrNotCompressed) {
		t.Errorf("no file: %v", err)
	}
	small, _ := compressed(t, f.model, ptq.FormQ4_0, model.GroupBlock, false)
	path := filepath.Join(t.TempDir(), "small.boost")
	if err := os.WriteFile(path, encode(t, small), 0o600); err != nil {
		t.Fatal(err)
	}
	compact, err := model.LoadCompact(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := compact.PredictRaw(context.Background(), f.table, model.EarlyStop(1)); err == nil || !strings.Contains(err.Error(), "Load") {
		t.Errorf("an early stop: %v", err)
	}
	if _, err := compact.Predict(context.Background(), f.table.WithoutFeatures()); !errors.Is(err, dataset.ErrTable) {
		t.Errorf("a table without features: %v", err)
	}
}

// What Decode refuses DecodeCompact refuses with the same words, and what it takes it takes.
func sameVerdict(t *testing.T, data []byte) {
	t.Helper()
	_, want := model.Decode(data)
	_, got := model.DecodeCompact(data)
	if errors.Is(got, model.ErrNotCompressed) {
		return
	}
	if fmt.Sprint(want) != fmt.Sprint(got) || want != nil && !errors.Is(got, model.ErrModel) {
		t.Fatalf("DecodeCompact = %v, Decode = %v", got, want)
	}
}

func TestCompactDamage(t *testing.T) {
	f := newForestOver(t, 200, 1, 3, 12, 20, 30)
	small, _ := compressed(t, f.model, ptq.FormOf(ptq.U4), model.GroupBlock, true)
	data := encode(t, small)
	for n := 0; n < len(data); n += 7 {
		sameVerdict(t, data[:n])
	}
	for i := range data {
		spoiled := bytes.Clone(data)
		spoiled[i] ^= 1 << (i % 8)
		sameVerdict(t, spoiled)
		if i < len(data)-4 {
			sameVerdict(t, reseal(spoiled))
		}
	}
}
