package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"boost/tensorq"
	"boost/tensorq/store"
)

// limited opens a store whose tensors have limits.
func limited(t *testing.T, limits map[string]store.Limits, change ...func(*store.Config)) *fixture {
	t.Helper()
	f := newStore(t, change...)
	if err := f.Store.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(f.dir, f.cfg, store.Options{Clock: f.clock.Now, Source: f.source, Rules: f.rules, Limits: func(id string) store.Limits { return limits[id] }})
	if err != nil {
		t.Fatal(err)
	}
	f.Store = s
	return f
}

// A tensor never has fewer bits than its limits say, whatever its use and the cap; a move there is
// refused.
func TestLimits(t *testing.T) {
	t.Run("S3.60/sweep", func(t *testing.T) {
		limits := map[string]store.Limits{}
		for bits := range 10 {
			limits[fmt.Sprint(bits)] = store.Limits{MinBits: bits}
		}
		limits["kept"] = store.Limits{Keep: true}
		f := limited(t, limits, func(c *store.Config) { c.WarmByteCap, c.SweepInterval = 1, 0 })
		for id := range limits {
			f.source.set(id, values(1, 200))
			f.put(id, values(1, 200))
		}
		// A single use 15 s ago is warm, where the cap has no room for any; after an hour all are to be cold.
		f.clock.pass(15 * time.Second)
		r := f.sweep()
		if r.OverCap == 0 || len(r.Failures) > 0 {
			t.Errorf("%+v", r)
		}
		for bits, want := range []int{5, 5, 5, 5, 5, 5, 7, 7, 8, 8} {
			if got := f.info(fmt.Sprint(bits)).Bits; got != want {
				t.Errorf("%d bits at least: warm with %d, want %d", bits, got, want)
			}
		}
		f.clock.pass(time.Hour)
		f.sweep()
		for bits, want := range []int{3, 3, 3, 3, 5, 5, 7, 7, 8, 8} {
			if got := f.info(fmt.Sprint(bits)).Bits; got != want {
				t.Errorf("%d bits at least: cold with %d, want %d", bits, got, want)
			}
		}
		f.is("kept", store.Hot, 8, false)
		for bits := range 10 {
			id := fmt.Sprint(bits)
			for tier, width := range map[store.Tier]int{store.Hot: 8, store.Warm: 7, store.Cold: 3} {
				before := f.info(id)
				err := f.Move(id, tier)
				if width < bits && tier != store.Hot {
					if !errors.Is(err, store.ErrQualityFloor) || f.info(id).Bits != before.Bits {
						t.Errorf("%d bits at least: Move to %v: %v", bits, tier, err)
					}
					if err := f.Put("new "+id, nil, []float32{1}, store.PutOptions{Tier: tier}); err != nil {
						t.Error(err) // it has no limits
					}
					if err := f.Put(id, []int{200}, values(1, 200), store.PutOptions{Tier: tier}); !errors.Is(err, store.ErrQualityFloor) {
						t.Errorf("%d bits at least: Put as %v: %v", bits, tier, err)
					}
				} else if err != nil {
					t.Errorf("%d bits at least: Move to %v: %v", bits, tier, err)
				} else {
					f.is(id, tier, width, false)
					f.within(id, values(1, 200))
				}
			}
		}
	})
	t.Run("S3.60/kept", func(t *testing.T) {
		f := limited(t, map[string]store.Limits{"x": {Keep: true}})
		f.put("base", values(1, 50))
		f.put("x", values(1, 50))
		if err := f.SetRule("x", store.Scale{Of: "base", By: 1}, 0); err != nil {
			t.Fatal(err)
		}
		f.clock.pass(100 * time.Hour)
		if r := f.sweep(); r.Retired != 0 {
			t.Errorf("%d became absent", r.Retired)
		}
		f.is("x", store.Hot, 8, false)
		if err := f.Retire("x"); !errors.Is(err, store.ErrKept) {
			t.Errorf("Retire: %v", err)
		}
	})
}

func TestMove(t *testing.T) {
	f := newStore(t)
	truth := values(3, 130)
	f.source.set("x", truth)
	f.put("x", truth)
	f.put("y", truth) // without a source
	for _, step := range []struct {
		tier store.Tier
		bits int
	}{{store.Cold, 3}, {store.Warm, 7}, {store.Hot, 8}, {store.Hot, 8}, {store.Warm, 7}} {
		if err := f.Move("x", step.tier); err != nil {
			t.Fatal(err)
		}
		f.is("x", step.tier, step.bits, false)
		f.within("x", truth)
	}
	if err := f.Move("y", store.Cold); err != nil {
		t.Fatal(err)
	}
	if err := f.Move("y", store.Hot); !errors.Is(err, store.ErrNoSource) {
		t.Errorf("up without a source: %v", err)
	}
	f.is("y", store.Cold, 3, false)
	if err := f.Move("x", store.Absent); err == nil {
		t.Error("it was moved to absent")
	}
	if err := f.Move("none", store.Hot); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Move: %v", err)
	}
	if err := f.Store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Move("x", store.Hot); !errors.Is(err, store.ErrClosed) {
		t.Errorf("Move after Close: %v", err)
	}
	s, err := store.Open(f.dir, f.cfg, store.Options{Clock: f.clock.Now, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Move("x", store.Hot); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Move of a reader: %v", err)
	}
}

// Touch counts as a read does, and reports whether codes that were taken before still stand; what Codes
// gives decodes to what Read gives.
func TestTouch(t *testing.T) {
	f := newStore(t, capped(300))
	truth := values(5, 200)
	f.source.set("x", truth)
	f.put("x", truth)
	first, err := f.Touch("x")
	if err != nil {
		t.Fatal(err)
	}
	again, err := f.Touch("x")
	if err != nil || again != first || first.Tier != store.Hot || first.Bits != 8 {
		t.Errorf("%+v, then %+v, %v", first, again, err)
	}
	if n := f.info("x").Accesses; n != 3 {
		t.Errorf("%d accesses, want 3", n)
	}
	f.clock.pass(time.Hour)
	f.sweep()
	if i := f.info("x"); i.Accesses != 3 {
		t.Errorf("%d accesses", i.Accesses)
	}
	codes, form, err := f.Codes("x")
	if err != nil || form == first || form.Bits != 3 {
		t.Fatalf("%+v %v", form, err)
	}
	var r tensorq.SegmentReader
	if err := r.ResetBytes(codes); err != nil {
		t.Fatal(err)
	}
	got := make([]float32, 200)
	if err := r.ReadInto(got); err != nil {
		t.Fatal(err)
	}
	if d := farthest(got, f.read("x")); d != 0 {
		t.Errorf("codes and values differ by %v", d)
	}
	if now, err := f.Touch("x"); err != nil || now != form {
		t.Errorf("%+v, then %+v, %v", form, now, err)
	}
	// A narrowed tensor returns to 7 bits on its next use.
	f.is("x", store.Cold, 3, false)
	f.put("warm", values(6, 64), store.PutOptions{Tier: store.Warm})
	f.source.set("warm", values(6, 64))
	if form, err := f.Touch("warm"); err != nil || form.Tier != store.Warm {
		t.Errorf("%+v %v", form, err)
	}
	for _, err := range []error{second(f.Touch("none")), third(f.Codes("none"))} {
		if !errors.Is(err, store.ErrNotFound) {
			t.Error(err)
		}
	}
}

func second[A any](_ A, err error) error      { return err }
func third[A, B any](_ A, _ B, e error) error { return e }

// A block size of a tensor's own stays with it: in every tier, absent and back, and after opening anew.
func TestOwnBlockSize(t *testing.T) {
	f := newStore(t)
	truth := values(7, 90)
	f.source.set("x", truth)
	f.put("base", truth)
	f.source.set("base", truth)
	f.put("x", truth, store.PutOptions{BlockSize: 9})
	size := func() int {
		codes, _, err := f.Codes("x")
		if err != nil {
			t.Fatal(err)
		}
		var r tensorq.SegmentReader
		if err := r.ResetBytes(codes); err != nil {
			t.Fatal(err)
		}
		return r.Header().BlockSize
	}
	for _, tier := range []store.Tier{store.Hot, store.Warm, store.Cold} {
		if err := f.Move("x", tier); err != nil {
			t.Fatal(err)
		}
		f.reopen()
		if got := size(); got != 9 {
			t.Errorf("%v: blocks of %d", tier, got)
		}
		f.within("x", truth)
	}
	if err := f.SetRule("x", store.Scale{Of: "base", By: 1}, 0.1); err != nil {
		t.Fatal(err)
	}
	f.clock.pass(50 * time.Hour)
	f.sweep()
	f.is("x", store.Absent, 0, false)
	if _, _, err := f.Codes("x"); !errors.Is(err, store.ErrAbsent) {
		t.Errorf("Codes of an absent tensor: %v", err)
	}
	f.reopen()
	if err := f.Move("x", store.Warm); err != nil {
		t.Fatal(err)
	}
	if got := size(); got != 9 {
		t.Errorf("back from nothing it has blocks of %d", got)
	}
	if err := f.Put("y", nil, []float32{1}, store.PutOptions{BlockSize: tensorq.MaxBlockSize + 1}); err == nil {
		t.Error("a block size beyond what there is")
	}
}
