package store_test

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"boost/tensorq/store"
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

// source has the values of some tensors.
type source struct {
	mutex  sync.Mutex
	values map[string][]float32
	asked  int
}

func (s *source) Values(id string, out []float32) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.asked++
	v, ok := s.values[id]
	if !ok || len(v) != len(out) {
		return store.ErrNoSource
	}
	copy(out, v)
	return nil
}

func (s *source) set(id string, values []float32) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.values == nil {
		s.values = map[string][]float32{}
	}
	if values == nil {
		delete(s.values, id)
	} else {
		s.values[id] = values
	}
}

// fixture is a store with a clock and a source that a test sets.
type fixture struct {
	*store.Store
	t      *testing.T
	dir    string
	cfg    store.Config
	clock  *clock
	source *source
	rules  map[string]store.CustomRule
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

func newStore(t *testing.T, change ...func(*store.Config)) *fixture {
	t.Helper()
	f := &fixture{t: t, dir: t.TempDir(), cfg: config(change...), clock: newClock(), source: &source{}}
	f.open()
	t.Cleanup(func() { _ = f.Store.Close() })
	return f
}

func (f *fixture) open() {
	f.t.Helper()
	s, err := store.Open(f.dir, f.cfg, store.Options{Clock: f.clock.Now, Source: f.source, Rules: f.rules})
	if err != nil {
		f.t.Fatal(err)
	}
	f.Store = s
}

func (f *fixture) reopen() {
	f.t.Helper()
	if err := f.Store.Close(); err != nil {
		f.t.Fatal(err)
	}
	f.open()
}

func (f *fixture) put(id string, values []float32, options ...store.PutOptions) {
	f.t.Helper()
	if err := f.Put(id, []int{len(values)}, values, append(options, store.PutOptions{})[0]); err != nil {
		f.t.Fatal(err)
	}
}

// warm puts a tensor that is warm and stays so: used a second ago its score is 512·n.
func (f *fixture) warm(id string, values []float32) {
	f.t.Helper()
	f.put(id, values, store.PutOptions{Tier: store.Warm})
}

func (f *fixture) read(id string) []float32 {
	f.t.Helper()
	out := make([]float32, len(f.shaped(id)))
	if _, err := f.Read(id, out); err != nil {
		f.t.Fatal(err)
	}
	return out
}

func (f *fixture) shaped(id string) []float32 {
	n := 1
	for _, d := range f.info(id).Shape {
		n *= d
	}
	return make([]float32, n)
}

func (f *fixture) info(id string) store.Info {
	f.t.Helper()
	i, err := f.Info(id)
	if err != nil {
		f.t.Fatal(err)
	}
	return i
}

func (f *fixture) sweep() store.Report {
	f.t.Helper()
	r, err := f.Sweep()
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

// is checks tier, bits and mark of a tensor.
func (f *fixture) is(id string, tier store.Tier, bits int, degraded bool) {
	f.t.Helper()
	if i := f.info(id); i.Tier != tier || i.Bits != bits || i.Degraded != degraded {
		f.t.Errorf("%s is %v with %d bits, degraded %v; want %v with %d, %v", id, i.Tier, i.Bits, i.Degraded, tier, bits, degraded)
	}
}

// within checks that a tensor reads within its bound of the values put.
func (f *fixture) within(id string, want []float32) {
	f.t.Helper()
	bound := f.info(id).Bound
	if d := farthest(f.read(id), want); d > bound {
		f.t.Errorf("%s is off by %v, and its bound is %v", id, d, bound)
	}
}

func farthest(a, b []float32) float64 {
	worst := 0.0
	for i, v := range a {
		worst = max(worst, math.Abs(float64(v)-float64(b[i])))
	}
	return worst
}

// values returns n numbers, the largest magnitude about 1.
func values(seed uint64, n int) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(2*r.Float64() - 1)
	}
	return v
}
