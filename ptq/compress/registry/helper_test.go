package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"boost/binning"
	"boost/booster/model"
	"boost/dataset"
	"boost/objectives"
	"boost/ptq/compress/registry"
	"boost/tensorq/store"
	"boost/tree"
)

// clock is set by hand.
type clock struct {
	mutex sync.Mutex
	now   time.Time
}

func newClock() *clock { return &clock{now: time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.now = c.now.Add(d)
}

// fixture is a registry with a clock that a test sets.
type fixture struct {
	*registry.Registry
	t     testing.TB
	dir   string
	cfg   store.Config
	clock *clock
}

// config is the default without waiting for the disk.
func config(change ...func(*store.Config)) store.Config {
	c := store.DefaultConfig()
	c.SyncWrites = false
	for _, f := range change {
		f(&c)
	}
	return c
}

func newRegistry(t testing.TB, change ...func(*store.Config)) *fixture {
	t.Helper()
	f := &fixture{t: t, dir: t.TempDir(), cfg: config(change...), clock: newClock()}
	f.open()
	t.Cleanup(func() { _ = f.Registry.Close() })
	return f
}

func (f *fixture) open() {
	f.t.Helper()
	r, err := registry.Open(f.dir, f.cfg, registry.Options{Clock: f.clock.Now})
	if err != nil {
		f.t.Fatal(err)
	}
	f.Registry = r
}

func (f *fixture) reopen() {
	f.t.Helper()
	if err := f.Registry.Close(); err != nil {
		f.t.Fatal(err)
	}
	f.open()
}

func (f *fixture) add(id string, m *model.Model, o ...registry.AddOptions) {
	f.t.Helper()
	if err := f.Add(context.Background(), id, m, append(o, registry.AddOptions{})[0]); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) get(id string) *registry.Reading {
	f.t.Helper()
	r, err := f.Get(id)
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

func (f *fixture) info(id string) registry.Info {
	f.t.Helper()
	i, err := f.Info(id)
	if err != nil {
		f.t.Fatal(err)
	}
	return i
}

func (f *fixture) repair() *registry.Repaired {
	f.t.Helper()
	r, err := registry.Repair(context.Background(), f.dir, f.cfg, registry.Options{Clock: f.clock.Now})
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

// sweep sweeps a minute later; nothing may fail.
func (f *fixture) sweep() registry.Report {
	f.t.Helper()
	return f.after(time.Minute)
}

// after sweeps some time later.
func (f *fixture) after(d time.Duration) registry.Report {
	f.t.Helper()
	f.clock.pass(d)
	r, err := f.Sweep()
	if err != nil || len(r.Failures) > 0 || r.Early {
		f.t.Fatalf("Sweep() = %+v, %v", r, err)
	}
	return r
}

// idle lets so much time pass that models that have a rule become absent.
func (f *fixture) idle() registry.Report {
	f.t.Helper()
	f.clock.pass(300 * time.Hour)
	return f.sweep()
}

// at pins a model to a tier and takes the pin away, so that it is there until the next sweep.
func (f *fixture) at(id string, tier store.Tier) {
	f.t.Helper()
	if err := f.Pin(id, tier); err != nil {
		f.t.Fatal(err)
	}
	if err := f.Unpin(id); err != nil {
		f.t.Fatal(err)
	}
}

// columns are how many features the models of tests have.
const columns = 4

// forest makes a model of random trees over a few columns with 20 cuts each.
func forest(tb testing.TB, seed uint64, outputs, rounds, leaves int) *model.Model {
	tb.Helper()
	r := rand.New(rand.NewPCG(seed, 77))
	const cuts = 20
	c := model.Contents{
		Objective: "regression", Link: objectives.Identity, Outputs: outputs,
		Params: json.RawMessage("{}"), NumericsVersion: 1, Fingerprint: fmt.Sprintf("%032x", seed), BestRound: rounds,
		Cuts: &binning.Cuts{Ptrs: []uint32{0}, Ptrs64: []uint32{0}},
	}
	for k := range outputs {
		c.BaseScore = append(c.BaseScore, float64(k)+0.5)
	}
	for f := range columns {
		name := fmt.Sprintf("x%d", f)
		c.Schema.Columns = append(c.Schema.Columns, dataset.ColumnSchema{Name: name, Kind: dataset.Float32, Role: dataset.Feature})
		c.Cuts.Features = append(c.Cuts.Features, binning.Feature{Name: name, Kind: binning.Numeric32, Regular: cuts + 1})
		for i := range cuts {
			c.Cuts.Values = append(c.Cuts.Values, float32(i)/cuts)
		}
		c.Cuts.Ptrs, c.Cuts.Ptrs64 = append(c.Cuts.Ptrs, uint32(len(c.Cuts.Values))), append(c.Cuts.Ptrs64, 0)
	}
	y := dataset.ColumnSchema{Name: "y", Kind: dataset.Float64, Role: dataset.LabelRole}
	if outputs > 1 {
		c.Objective, c.Link = "multiclass", objectives.Softmax
		for k := range outputs {
			c.Classes = append(c.Classes, fmt.Sprintf("class %d", k))
		}
		y.Kind, y.Levels = dataset.Category, c.Classes
	}
	c.Schema.Columns = append(c.Schema.Columns, y)
	for i := range rounds * outputs {
		c.Trees = append(c.Trees, randomTree(r, 1+r.IntN(leaves), cuts, math.Pow(0.95, float64(i/outputs))))
	}
	m, err := model.New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// randomTree splits leaves at random.
func randomTree(r *rand.Rand, leaves, cuts int, scale float64) tree.Tree {
	t := tree.Tree{}
	parent, left := []int{-1}, []bool{false} // of each leaf
	for len(parent) < leaves {
		at, node := r.IntN(len(parent)), len(t.Feature)
		t.Feature, t.Code = append(t.Feature, int32(r.IntN(columns))), append(t.Code, uint32(r.IntN(cuts)))
		t.Categorical, t.MissingLeft = append(t.Categorical, false), append(t.MissingLeft, r.IntN(2) == 0)
		t.Left, t.Right = append(t.Left, ^int32(at)), append(t.Right, ^int32(len(parent)))
		if p := parent[at]; p >= 0 {
			if left[at] {
				t.Left[p] = int32(node)
			} else {
				t.Right[p] = int32(node)
			}
		}
		parent[at], left[at] = node, true
		parent, left = append(parent, node), append(left, false)
	}
	for range leaves {
		t.Leaf, t.LeafCover = append(t.Leaf, scale*r.NormFloat64()), append(t.LeafCover, 1+r.Float64())
	}
	for range t.Feature {
		t.Gain, t.Cover = append(t.Gain, r.Float32()), append(t.Cover, 2)
	}
	return t
}

// rows makes a table of rows with missing values, and no labels.
func rows(tb testing.TB, seed uint64, n int) *dataset.Table { return table(tb, seed, n, false) }

// labelled is the same with labels.
func labelled(tb testing.TB, seed uint64, n int) *dataset.Table { return table(tb, seed, n, true) }

func table(tb testing.TB, seed uint64, n int, labels bool) *dataset.Table {
	tb.Helper()
	r := rand.New(rand.NewPCG(seed, 5))
	var data []dataset.ColumnData
	for f := range columns {
		x := make([]float64, n)
		for i := range x {
			if x[i] = float64(float32(r.Float64()*1.1 - 0.05)); r.IntN(20) == 0 {
				x[i] = math.NaN()
			}
		}
		data = append(data, dataset.ColumnData{Name: fmt.Sprintf("x%d", f), Values: x})
	}
	var options []dataset.Option
	if labels {
		y := make([]float64, n)
		for i := range y {
			y[i] = r.NormFloat64()
		}
		data, options = append(data, dataset.ColumnData{Name: "y", Values: y}), append(options, dataset.Label("y"))
	}
	t, err := dataset.FromColumns(data, options...)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func raw(tb testing.TB, m registry.Predictor, t *dataset.Table) []float64 {
	tb.Helper()
	scores, err := m.PredictRaw(context.Background(), t)
	if err != nil {
		tb.Fatal(err)
	}
	return scores
}

// same fails the test unless scores are equal bit for bit.
func same(tb testing.TB, what string, got, want []float64) {
	tb.Helper()
	if len(got) != len(want) {
		tb.Fatalf("%s: %d scores, want %d", what, len(got), len(want))
	}
	for i := range want {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			tb.Fatalf("%s: score %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func sum(tb testing.TB, m *model.Model) string {
	tb.Helper()
	s, err := m.SHA256()
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func expanded(tb testing.TB, r *registry.Reading) *model.Model {
	tb.Helper()
	m, err := r.Expand()
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func encoded(tb testing.TB, m *model.Model) string {
	tb.Helper()
	data, err := m.Encode()
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

// mentions fails the test unless the text holds all of the words.
func mentions(tb testing.TB, text string, words ...string) {
	tb.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			tb.Errorf("%q is missing in: %s", w, text)
		}
	}
}
