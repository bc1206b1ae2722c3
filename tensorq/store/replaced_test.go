package store_test

import (
	"errors"
	"testing"
	"time"

	"boost/tensorq/store"
)

// meddling does something when values are asked for, and has none.
type meddling func()

func (f meddling) Values(string, []float32) error {
	f()
	return store.ErrNoSource
}

// meddle opens the store again with a source that does something.
func (f *fixture) meddle(what func()) {
	f.t.Helper()
	if err := f.Store.Close(); err != nil {
		f.t.Fatal(err)
	}
	s, err := store.Open(f.dir, f.cfg, store.Options{Clock: f.clock.Now, Source: meddling(what)})
	if err != nil {
		f.t.Fatal(err)
	}
	f.Store = s
}

// What is put while Retire looks at the tensor before is not dropped in its place; nor is a
// tensor dropped whose base is another one by then.
func TestRetireMeetsChanges(t *testing.T) {
	before, after := []float32{1, 2, 3, 4}, []float32{-8, 6, -4, 2}
	for _, c := range []struct {
		name string
		rule store.Rule
		put  string // what is put meanwhile
	}{
		{"the tensor", store.Discard{}, "x"},
		{"the tensor, made from a base", store.Scale{Of: "base", By: 1}, "x"},
		{"the base", store.Scale{Of: "base", By: 1}, "base"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newStore(t)
			f.put("base", before)
			f.put("x", before)
			f.rule("x", c.rule)
			f.old()
			f.meddle(func() { f.put(c.put, after) })
			if err := f.Retire("x"); !errors.Is(err, store.ErrChanged) {
				t.Errorf("Retire = %v, want %v", err, store.ErrChanged)
			}
			want := before
			if c.put == "x" {
				want = after
			}
			for range 2 {
				f.is("x", store.Hot, 8, false)
				f.within("x", want)
				f.reopen()
			}
		})
	}
}

// A tensor that is put while Move looks at the one before stays as it was put.
func TestMoveMeetsChanges(t *testing.T) {
	before, after := []float32{1, 2, 3, 4}, []float32{-8, 6, -4, 2}
	for _, c := range []struct {
		name string
		to   store.Tier
	}{
		{"to a tier of as many bits", store.Warm},
		{"to one of fewer", store.Cold},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newStore(t, func(c *store.Config) { c.WarmBits = c.HotBits })
			f.put("x", before)
			f.meddle(func() { f.put("x", after) })
			if err := f.Move("x", c.to); !errors.Is(err, store.ErrChanged) {
				t.Errorf("Move = %v, want %v", err, store.ErrChanged)
			}
			for range 2 {
				f.is("x", store.Hot, 8, false)
				f.within("x", after)
				f.reopen()
			}
		})
	}
}

// A record of use counts for the tensor that it was written for: not for one that was put
// or changed later, whose own record says more.
func TestUseOfATensorBefore(t *testing.T) {
	t.Run("put anew", func(t *testing.T) {
		f := newStore(t) // its clock stands still: both are created at the same time
		f.put("x", values(1, 10))
		f.read("x")
		f.read("x")
		if err := f.Sync(); err != nil { // writes a record of three accesses
			t.Fatal(err)
		}
		f.put("x", values(2, 10))
		f.reopen()
		if n := f.info("x").Accesses; n != 1 {
			t.Errorf("%d accesses, want that of Put", n)
		}
	})
	t.Run("moved", func(t *testing.T) {
		f := newStore(t)
		f.put("x", values(1, 10))
		f.read("x")
		if err := f.Sync(); err != nil { // writes a record of two accesses
			t.Fatal(err)
		}
		f.clock.pass(time.Second)
		f.read("x")
		last := f.info("x").LastAccess
		if err := f.Move("x", store.Cold); err != nil { // writes the tensor with three
			t.Fatal(err)
		}
		f.reopen()
		if i := f.info("x"); i.Accesses != 3 || !i.LastAccess.Equal(last) {
			t.Errorf("%d accesses, the last at %v; want 3, %v", i.Accesses, i.LastAccess, last)
		}
	})
}
