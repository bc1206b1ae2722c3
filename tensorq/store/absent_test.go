package store_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"boost/internal/recordlog"
	"boost/tensorq"
	"boost/tensorq/store"
)

const day = 24 * time.Hour

// old lets so much time pass that everything may become absent.
func (f *fixture) old() { f.clock.pass(30 * day) }

func (f *fixture) rule(id string, r store.Rule) {
	f.t.Helper()
	if err := f.SetRule(id, r, 0); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) retire(id string) {
	f.t.Helper()
	if err := f.Retire(id); err != nil {
		f.t.Fatal(err)
	}
	f.is(id, store.Absent, 0, false)
}

func TestDiscard(t *testing.T) {
	gone := func(t *testing.T, failFast bool) *fixture {
		f := newStore(t, func(c *store.Config) { c.FailFast = failFast })
		if err := f.Put("gone", []int{2, 3}, []float32{1, 2, 3, 4, 5, -6}, store.PutOptions{Master: true}); err != nil {
			t.Fatal(err)
		}
		f.rule("gone", store.Discard{})
		f.old()
		f.retire("gone")
		return f
	}
	t.Run("S3.51/zeros", func(t *testing.T) {
		f := gone(t, false)
		for range 2 {
			out := []float32{9, 9, 9, 9, 9, 9, 9}
			if n, err := f.Read("gone", out); n != 6 || err != nil || !slices.Equal(out, []float32{0, 0, 0, 0, 0, 0, 9}) {
				t.Errorf("Read() = %d, %v and %v", n, err, out)
			}
			if i := f.info("gone"); i.Bound < 6 || i.Bound > 6.1 || !slices.Equal(i.Shape, []int{2, 3}) || i.DType != "float32" {
				t.Errorf("info %+v, want a bound of 6 and shape [2 3]", i)
			}
			f.reopen()
		}
	})
	t.Run("S3.51/fail_fast", func(t *testing.T) {
		f := gone(t, true)
		_, err := f.Read("gone", make([]float32, 6))
		if !errors.Is(err, store.ErrTierZeroNoPolicy) || !strings.Contains(err.Error(), `"gone"`) {
			t.Errorf("Read() = %v, want ErrTierZeroNoPolicy with the id", err)
		}
	})
	t.Run("S3.50/record", func(t *testing.T) {
		f := gone(t, false)
		if n := f.HeadSize("gone"); n < 32 || n > 128 {
			t.Errorf("the record of a discarded tensor has %d bytes, want 32 to 128", n)
		}
		b, e, err := f.Log().Read(store.RecordTensor, "gone", nil)
		if err != nil || len(b) != 0 || len(e.Head)+len("gone") != f.HeadSize("gone") {
			t.Errorf("%d bytes of data and a head of %d, %v", len(b), len(e.Head), err)
		}
		i := f.info("gone")
		f.reopen()
		if again := f.info("gone"); !slices.Equal(again.Shape, i.Shape) || !again.Created.Equal(i.Created) || !again.LastAccess.Equal(i.LastAccess) ||
			again.DType != i.DType || again.Accesses != i.Accesses || again.Tier != store.Absent {
			t.Errorf("after opening %+v, was %+v", again, i)
		}
	})
	t.Run("S3.56/only_if_said", func(t *testing.T) {
		f := newStore(t)
		f.put("x", values(1, 5))
		f.old()
		if err := f.Retire("x"); !errors.Is(err, store.ErrNoRule) {
			t.Errorf("a tensor without a rule: %v", err)
		}
		f.sweep()
		f.is("x", store.Cold, 3, false)
	})
	t.Run("S3.49/source_brings_back", func(t *testing.T) {
		f := gone(t, false)
		f.source.set("gone", []float32{1, 2, 3, 4, 5, -6})
		f.read("gone")
		f.sweep()
		f.is("gone", store.Hot, 8, false)
		f.within("gone", []float32{1, 2, 3, 4, 5, -6})
	})
}

func TestRules(t *testing.T) {
	base := []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 127} // exact in 8 bits: scale 1
	for _, c := range []struct {
		name  string
		rule  store.Rule
		shape []int
		want  []float32
		small bool // no bytes of its own: S3.50 bounds its size
	}{
		{"S3.53/scale", store.Scale{Of: "base", By: -2}, []int{3, 4}, []float32{-2, -4, -6, -8, -10, -12, -14, -16, -18, -20, -22, -254}, true},
		{"S3.53/permutation_of_rows", store.Permutation{Of: "base", Axis: 0, Order: []int{2, 0, 1}}, []int{3, 4}, []float32{9, 10, 11, 127, 1, 2, 3, 4, 5, 6, 7, 8}, true},
		{"S3.53/permutation_of_columns", store.Permutation{Of: "base", Axis: 1, Order: []int{3, 0, 1, 2}}, []int{3, 4}, []float32{4, 1, 2, 3, 8, 5, 6, 7, 127, 9, 10, 11}, true},
		{"S3.53/projection_of_rows", store.Projection{Of: "base", Axis: 0, Keep: []int{0, 1}}, []int{2, 4}, []float32{1, 2, 3, 4, 5, 6, 7, 8}, true},
		{"S3.53/projection_of_columns", store.Projection{Of: "base", Axis: 1, Keep: []int{3, 1}}, []int{3, 2}, []float32{4, 2, 8, 6, 127, 10}, true},
		{"S3.52/sparse", store.Delta{Base: "base", Index: []int{0, 11}, Value: []float32{0.5, -127}}, []int{3, 4}, []float32{1.5, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0}, false},
		{"S3.52/no_difference", store.Delta{Base: "base"}, []int{3, 4}, base, false},
		{"S3.52/dense", store.Delta{Base: "base", Dense: []float32{127, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, -127}}, []int{3, 4}, []float32{128, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0}, false},
		{"S3.52/dense_3_bits", store.Delta{Base: "base", Bits: 3, Dense: []float32{3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, -3}}, []int{3, 4}, []float32{4, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11, 124}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newStore(t)
			if err := f.Put("base", []int{3, 4}, base, store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
			if err := f.Put("x", c.shape, c.want, store.PutOptions{Master: true}); err != nil {
				t.Fatal(err)
			}
			f.rule("x", c.rule)
			f.within("x", c.want)
			f.old()
			f.retire("x")
			for range 2 {
				if got := f.read("x"); !slices.Equal(got, c.want) {
					t.Errorf("read %v, want %v", got, c.want)
				}
				if i := f.info("x"); i.Bound != 0 || i.Base != "base" || i.Master {
					t.Errorf("info %+v, want no error, and base", i)
				}
				f.reopen()
			}
			if n := f.HeadSize("x"); c.small && (n < 32 || n > 128) {
				t.Errorf("S3.50: the record has %d bytes, want 32 to 128", n)
			}
			// The base in fewer bits: the bound grows, and holds.
			f.clock.pass(time.Hour)
			f.sweep()
			f.is("base", store.Cold, 3, false)
			if i := f.info("x"); i.Bound < f.info("base").Bound/2 || math.IsInf(i.Bound, 1) {
				t.Errorf("the bound is %v, and that of the base %v", i.Bound, f.info("base").Bound)
			}
			f.within("x", c.want)
			// Used again, it is made anew from the rule, with the rule's error and that of its bits.
			f.clock.pass(time.Minute)
			for range 50 {
				f.read("x")
			}
			bound := f.info("x").Bound
			f.sweep()
			f.is("x", store.Hot, 8, false)
			if i := f.info("x"); i.Bound < bound {
				t.Errorf("the bound went from %v to %v without a source", bound, i.Bound)
			}
			f.within("x", c.want)
		})
	}
	t.Run("S3.50/factors", func(t *testing.T) {
		f := newStore(t)
		if err := f.Put("model/leaves", []int{100, 31}, values(1, 3100), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		// The first 40 of 100 parts: what a checkpoint is of the final model.
		if err := f.Put("model/round 40", []int{40, 31}, values(1, 1240), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		keep := make([]int, 40)
		for i := range keep {
			keep[i] = i
		}
		f.rule("model/round 40", store.Projection{Of: "model/leaves", Keep: keep})
		f.old()
		f.retire("model/round 40")
		if n := f.HeadSize("model/round 40"); n < 32 || n > 128 {
			t.Errorf("the record has %d bytes, want 32 to 128", n)
		}
	})
	t.Run("S3.53/custom", func(t *testing.T) {
		f := newStore(t)
		f.rules = map[string]store.CustomRule{"square plus": {Gain: 20, Make: func(base []float32, shape []int, params []byte, _ []int, out []float32) error {
			if string(params) != "7" || !slices.Equal(shape, []int{3}) {
				return fmt.Errorf("params %q, shape %v", params, shape)
			}
			for i, v := range base {
				out[i] = v*v + 7
			}
			return nil
		}}}
		f.reopen()
		f.put("base", []float32{1, 2, 127})
		f.put("x", []float32{8, 11, 16136}, store.PutOptions{Master: true})
		if err := f.SetRule("x", store.Custom{Of: "base", Name: "other"}, 0); err == nil {
			t.Error("a rule without a function was taken")
		}
		f.rule("x", store.Custom{Of: "base", Name: "square plus", Params: []byte("7")})
		f.old()
		f.retire("x")
		f.reopen()
		if got := f.read("x"); !slices.Equal(got, []float32{8, 11, 16136}) {
			t.Errorf("read %v", got)
		}
	})
	t.Run("S3.52/wrong_rules", func(t *testing.T) {
		f := newStore(t)
		f.put("base", base)
		f.put("x", base[:4])
		var shape *store.ShapeError
		for _, r := range []store.Rule{
			store.Scale{Of: "base", By: 1}, // of another shape
			store.Delta{Base: "base"},
			store.Delta{Base: "base", Dense: []float32{1}},
			store.Delta{Base: "base", Index: []int{4}, Value: []float32{1}},
			store.Delta{Base: "base", Index: []int{1, 1}, Value: []float32{1, 1}},
			store.Delta{Base: "base", Index: []int{1}},
			store.Delta{Base: "base", Index: []int{1}, Value: []float32{float32(math.Inf(1))}},
			store.Projection{Of: "base", Keep: []int{1, 2, 3}},
			store.Projection{Of: "base", Keep: []int{1, 2, 3, 12}},
			store.Projection{Of: "base", Keep: []int{1, 2, 3, 3}},
			store.Projection{Of: "base", Keep: []int{1, 2, 3, -1}},
			store.Projection{Of: "base", Axis: 1, Keep: []int{1, 2, 3, 4}},
			store.Permutation{Of: "base", Order: []int{0, 1, 2, 3}},
			store.Permutation{Of: "base", Order: []int{0, 1, 2, 4}},
		} {
			if err := f.SetRule("x", r, 0); !errors.As(err, &shape) {
				t.Errorf("%+v: %v, want a ShapeError", r, err)
			}
		}
		for _, r := range []store.Rule{
			store.Scale{Of: "base", By: float32(math.NaN())}, store.Scale{Of: "", By: 1}, store.Custom{Of: "base"},
			store.Delta{Base: "base", Dense: make([]float32, 4), Bits: 9},
		} {
			if err := f.SetRule("x", r, 0); err == nil {
				t.Errorf("%+v was taken", r)
			}
		}
		if err := f.SetRule("x", store.Discard{}, math.NaN()); err == nil {
			t.Error("a tolerance that is not a number was taken")
		}
		if f.info("x").HasRule {
			t.Error("a wrong rule is there")
		}
	})
}

// The base of a rule sinks, and what the rule makes of it would be infinite.
func TestLargestResults(t *testing.T) {
	for _, c := range []struct {
		name string
		rule store.Rule
	}{
		{"S3.52/dense", store.Delta{Base: "base", Dense: []float32{0, 2.7e38}}},
		{"S3.52/sparse", store.Delta{Base: "base", Index: []int{1}, Value: []float32{2.7e38}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newStore(t)
			// Of 3 bits a step is 10³⁸, and 0.6 of it becomes one: 3.7·10³⁸ is more than there is.
			f.put("base", []float32{3e38, 0.6e38})
			made := []float32{3e38, 3.3e38}
			f.put("x", made, store.PutOptions{Master: true})
			if err := f.SetRule("x", c.rule, 3e36); err != nil {
				t.Fatal(err)
			}
			f.old()
			f.retire("x")
			f.sweep()
			f.is("base", store.Cold, 3, false)
			if got := f.read("x"); got[1] != math.MaxFloat32 {
				t.Errorf("%v, want the largest float32 in place of 3.7e38", got)
			}
			f.within("x", made)
		})
	}
}

// An order is stored as runs of neighbours, as many as a record's head can hold.
func TestLongOrders(t *testing.T) {
	random := rand.New(rand.NewPCG(53, 1))
	for n, fits := range map[int]bool{250_000: true, 280_000: false} {
		t.Run(fmt.Sprintf("S3.53/%d_parts", n), func(t *testing.T) {
			f := newStore(t)
			base, order := values(1, n), random.Perm(n)
			made := make([]float32, n)
			for i, from := range order {
				made[i] = base[from]
			}
			f.put("base", base)
			f.put("x", made)
			err := f.SetRule("x", store.Permutation{Of: "base", Order: order}, 1)
			if !fits {
				if !errors.Is(err, store.ErrTooLong) || f.info("x").HasRule {
					t.Errorf("%v, and the rule is there: %v", err, f.info("x").HasRule)
				}
				// In order it is one run, however long.
				slices.Sort(order)
				f.rule("x", store.Permutation{Of: "base", Order: order})
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			f.old()
			f.retire("x")
			f.reopen()
			f.within("x", made)
		})
	}
}

func TestDepth(t *testing.T) {
	// chain puts tensors 0 … n, each twice the one before by rule.
	chain := func(t *testing.T, n int) *fixture {
		f := newStore(t)
		for i := range n + 1 {
			f.put(fmt.Sprint(i), []float32{127 * float32(int(1)<<i), float32(int(1) << i)})
			if i > 0 {
				f.rule(fmt.Sprint(i), store.Scale{Of: fmt.Sprint(i - 1), By: 2})
			}
		}
		f.old()
		return f
	}
	check := func(t *testing.T) {
		for _, order := range [][]string{{"1", "2", "3", "4"}, {"4", "3", "2", "1"}, {"2", "1", "4", "3"}} {
			f := chain(t, 4)
			for _, id := range order[:3] {
				f.retire(id)
			}
			if err := f.Retire(order[3]); !errors.Is(err, store.ErrReconstructionDepth) {
				t.Errorf("order %v: a chain of 4: %v, want %v", order, err, store.ErrReconstructionDepth)
			}
			for i := range 5 { // its data was kept, and all can be read
				if got := f.read(fmt.Sprint(i)); got[0] != 127*float32(int(1)<<i) {
					t.Errorf("order %v: tensor %d reads %v", order, i, got)
				}
			}
		}
		f := chain(t, 3)
		for _, id := range []string{"1", "2", "3"} {
			f.retire(id)
		}
		if got := f.read("3"); got[0] != 8*127 {
			t.Errorf("a chain of 3 reads %v", got)
		}
	}
	t.Run("S3.54/chains_of_3_and_4", check)
	t.Run("S3.65/rebuild_depth", check)
	t.Run("S3.54/self_and_cycle", func(t *testing.T) {
		f := chain(t, 2)
		for id, r := range map[string]store.Rule{"0": store.Scale{Of: "2", By: 0.25}, "1": store.Delta{Base: "1"}} {
			if err := f.SetRule(id, r, 0); !errors.Is(err, store.ErrCycle) {
				t.Errorf("%s by %+v: %v, want %v", id, r, err, store.ErrCycle)
			}
		}
		if err := f.SetRule("0", store.Scale{Of: "1", By: 0.5}, 0); !errors.Is(err, store.ErrCycle) {
			t.Errorf("a cycle of two: %v, want %v", err, store.ErrCycle)
		}
	})
	t.Run("S3.54/dangling", func(t *testing.T) {
		f := chain(t, 0)
		if err := f.SetRule("0", store.Scale{Of: "none", By: 1}, 0); !errors.Is(err, store.ErrNotFound) || !strings.Contains(err.Error(), `"none"`) {
			t.Errorf("a rule that refers to nothing: %v", err)
		}
	})
	t.Run("S3.54/read_from_disk", func(t *testing.T) {
		// What no store writes is refused when it is read.
		dir := t.TempDir()
		l, err := recordlog.Open(dir, recordlog.Options{Kind: store.LogKind})
		if err != nil {
			t.Fatal(err)
		}
		for id, ref := range map[string]string{
			"two/a": "two/b", "two/b": "two/a", "lost": "none",
			"5/a": "5/b", "5/b": "5/c", "5/c": "5/d", "5/d": "5/e", "5/e": "5/a",
			"1": "0", "2": "1", "3": "2", "4": "3",
		} {
			if _, err := l.Append(store.RecordTensor, id, store.AbsentCopy(ref, 1), nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		s, err := store.Open(dir, config(), store.Options{Clock: newClock().Now})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := s.Put("0", []int{1}, []float32{127}, store.PutOptions{}); err == nil {
			t.Error("a tensor was put that absent ones refer to, which had none")
		}
		for id, want := range map[string]error{
			"two/a": store.ErrCycle, "5/b": store.ErrCycle, "lost": store.ErrNotFound, "1": store.ErrNotFound,
		} {
			if _, err := s.Read(id, make([]float32, 1)); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", id, err, want)
			}
			if i, err := s.Info(id); err != nil || !math.IsInf(i.Bound, 1) {
				t.Errorf("%s has a bound of %v, %v", id, i.Bound, err)
			}
		}
	})
	t.Run("S3.54/deep_on_disk", func(t *testing.T) {
		dir := t.TempDir()
		s, err := store.Open(dir, config(), store.Options{Clock: newClock().Now})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Put("0", []int{1}, []float32{127}, store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		for i := 1; i <= 4; i++ {
			if _, err := s.Log().Append(store.RecordTensor, fmt.Sprint(i), store.AbsentCopy(fmt.Sprint(i-1), 1), nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if s, err = store.Open(dir, config(), store.Options{Clock: newClock().Now}); err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		out := make([]float32, 1)
		if _, err := s.Read("3", out); err != nil || out[0] != 127 {
			t.Errorf("a chain of 3: %v, %v", out, err)
		}
		if _, err := s.Read("4", out); !errors.Is(err, store.ErrReconstructionDepth) {
			t.Errorf("a chain of 4: %v, want %v", err, store.ErrReconstructionDepth)
		}
	})
}

func TestNeeded(t *testing.T) {
	f := newStore(t)
	f.put("base", []float32{1, 127})
	f.put("x", []float32{2, 254})
	f.put("y", []float32{3, 3 * 127})
	f.rule("x", store.Scale{Of: "base", By: 2})
	f.rule("y", store.Scale{Of: "base", By: 3})
	needed := func(err error, by ...string) {
		t.Helper()
		var e *store.NeededError
		if !errors.As(err, &e) || e.ID != "base" || !slices.Equal(e.By, by) {
			t.Errorf("got %v, want that base is needed by %v", err, by)
		}
	}
	needed(f.Remove("base"), "x", "y")
	f.old()
	f.retire("x")
	needed(f.Remove("base"), "x", "y")
	needed(f.Put("base", []int{2}, []float32{5, 5}, store.PutOptions{}), "x") // y has its own data
	f.reopen()
	needed(f.Put("base", []int{2}, []float32{5, 5}, store.PutOptions{}), "x")
	f.rule("base", store.Discard{})
	needed(f.Retire("base"), "x", "y")
	if err := f.SetRule("y", nil, 0); err != nil {
		t.Fatal(err)
	}
	needed(f.Remove("base"), "x")
	if err := f.Remove("x"); err != nil {
		t.Fatal(err)
	}
	if err := f.Remove("base"); err != nil {
		t.Error(err)
	}
	if err := f.SetRule("y", store.Discard{}, 0); err != nil {
		t.Fatal(err)
	}
	f.retire("y")
	if err := f.SetRule("y", store.Discard{}, 0); !errors.Is(err, store.ErrAbsent) {
		t.Errorf("a rule for an absent tensor: %v", err)
	}
	if err := f.Retire("y"); !errors.Is(err, store.ErrAbsent) {
		t.Errorf("an absent tensor became absent: %v", err)
	}
	// Zeros for what is gone are not to become another tensor's values.
	f.put("z", []float32{0, 0})
	f.rule("z", store.Scale{Of: "y", By: 1})
	f.old()
	if err := f.Retire("z"); !errors.Is(err, store.ErrTierZeroNoPolicy) {
		t.Errorf("a rule that refers to what was discarded: %v", err)
	}
}

func TestBecomingAbsent(t *testing.T) {
	// age lets a tensor have so many accesses and so much time since the last.
	age := func(t *testing.T, count int, passed time.Duration) *fixture {
		f := newStore(t)
		f.put("x", values(1, 64))
		for range count - 1 {
			f.read("x")
		}
		f.rule("x", store.Discard{})
		f.clock.pass(passed)
		return f
	}
	for _, c := range []struct {
		name   string
		count  int
		passed time.Duration
		absent bool
	}{
		{"both", 1, day + time.Nanosecond, true},
		{"at_the_age", 1, day, false},
		{"younger", 1, day - time.Second, false},
		// 85 accesses score 85·1024/(86400+1) = 1.007 → 1 after a day, and 0 from 87,040 s on.
		{"score_1", 85, 87038*time.Second + 999*time.Millisecond, false},
		{"score_below_1", 85, 87040 * time.Second, true},
	} {
		t.Run("S3.55/"+c.name, func(t *testing.T) {
			f := age(t, c.count, c.passed)
			i := f.info("x")
			err := f.Retire("x")
			if c.absent && err != nil || !c.absent && err == nil {
				t.Errorf("score %d, age %v: Retire() = %v", i.Score, c.passed, err)
			}
			var early *store.EarlyError
			if !c.absent && (!errors.As(err, &early) || early.Score != i.Score || early.Age != c.passed || early.MinScore != 1 || early.Threshold != day) {
				t.Errorf("%v, want an EarlyError with score %d and age %v", err, i.Score, c.passed)
			}
			f = age(t, c.count, c.passed)
			if r := f.sweep(); (r.Retired == 1) != c.absent || len(r.Failures) > 0 {
				t.Errorf("sweep %+v, want retired %v", r, c.absent)
			}
		})
	}
}

func TestIrreversible(t *testing.T) {
	t.Run("S3.56/failing_rule_keeps_the_data", func(t *testing.T) {
		f := newStore(t)
		broken := errors.New("broken")
		f.rules = map[string]store.CustomRule{"broken": {Make: func([]float32, []int, []byte, []int, []float32) error { return broken }}}
		f.reopen()
		f.put("base", []float32{1, 2, 127})
		f.put("x", []float32{2, 4, 254})
		f.put("y", []float32{1, 1, 1})
		f.put("z", []float32{2, 4, 250})
		f.rule("x", store.Scale{Of: "base", By: 3}) // three times, not twice
		f.rule("y", store.Custom{Of: "base", Name: "broken"})
		if err := f.SetRule("z", store.Scale{Of: "base", By: 2}, 4.5); err != nil {
			t.Fatal(err)
		}
		f.old()
		var mismatch *store.MismatchError
		if err := f.Retire("x"); !errors.As(err, &mismatch) || mismatch.Index != 2 || mismatch.Got != 381 || mismatch.Want != 254 {
			t.Errorf("Retire(x) = %v, want that value 2 is 381 instead of 254", err)
		}
		if err := f.Retire("y"); !errors.Is(err, broken) {
			t.Errorf("Retire(y) = %v, want %v", err, broken)
		}
		f.is("x", store.Hot, 8, false)
		r := f.sweep()
		if len(r.Failures) != 2 || r.Retired != 1 {
			t.Errorf("sweep %+v, want two failures and z retired", r)
		}
		f.reopen()
		f.is("x", store.Cold, 3, false)
		f.within("x", []float32{2, 4, 254})
		f.within("y", []float32{1, 1, 1})
		f.is("z", store.Absent, 0, false)
		f.within("z", []float32{2, 4, 250}) // within the tolerance, which its bound says
		if b := f.info("z").Bound; b < 4 {
			t.Errorf("the bound of z is %v", b)
		}
	})
	t.Run("S3.56/compared_with_the_source", func(t *testing.T) {
		// In 8 bits 0.4 of 127 reads as 0, which is what the rule makes; the source knows better.
		f := newStore(t)
		f.put("base", []float32{0, 127})
		f.put("x", []float32{0.4, 127})
		f.source.set("x", []float32{0.4, 127})
		if err := f.SetRule("x", store.Scale{Of: "base", By: 1}, 0.1); err != nil {
			t.Fatal(err)
		}
		f.old()
		var mismatch *store.MismatchError
		if err := f.Retire("x"); !errors.As(err, &mismatch) || mismatch.Want != 0.4 {
			t.Errorf("Retire(x) = %v, want that value 0 is 0.4", err)
		}
		f.source.set("x", nil)
		f.retire("x")
		if b := f.info("x").Bound; b < 0.4 || b > 0.41 {
			t.Errorf("the bound is %v, want that of the codes it was compared with", b)
		}
	})
	t.Run("S3.56/read_only", func(t *testing.T) {
		f := newStore(t)
		f.put("x", values(1, 3))
		r, err := store.Open(f.dir, f.cfg, store.Options{Clock: f.clock.Now, ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for what, err := range map[string]error{
			"Put": r.Put("y", []int{1}, []float32{1}, store.PutOptions{}), "Remove": r.Remove("x"), "Retire": r.Retire("x"),
			"SetRule": r.SetRule("x", store.Discard{}, 0), "Sync": r.Sync(), "Compact": r.Compact(),
		} {
			if !errors.Is(err, store.ErrReadOnly) {
				t.Errorf("%s of a store for reading: %v", what, err)
			}
		}
	})
}

func TestWidthsOfDeltas(t *testing.T) {
	for _, bits := range tensorq.Widths() {
		f := newStore(t)
		base, change := values(1, 300), values(2, 300)
		sum := make([]float32, 300)
		for i := range sum {
			sum[i] = base[i] + change[i]
		}
		f.put("base", base)
		f.put("x", sum, store.PutOptions{Master: true})
		if err := f.SetRule("x", store.Delta{Base: "base", Dense: change, Bits: bits}, 0.5); err != nil {
			t.Fatal(err)
		}
		f.old()
		f.retire("x")
		f.within("x", sum)
	}
}
