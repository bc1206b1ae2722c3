package store_test

import (
	"errors"
	"testing"
	"time"

	"boost/tensorq/store"
)

// A record that this program cannot read makes Refresh fail, and reading its tensor too; neither
// waits for ever.
func TestRefreshFails(t *testing.T) {
	f := newStore(t, func(c *store.Config) { c.MemoryCap = 1 })
	f.put("x", values(1, 10))
	f.put("y", values(2, 10))
	r, err := store.Open(f.dir, f.cfg, store.Options{Clock: f.clock.Now, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	e, _ := f.Log().Lookup(store.RecordTensor, "x")
	head := append([]byte{2}, e.Head[1:]...)
	if _, err := f.Log().Append(store.RecordTensor, "x", head, make([]byte, e.Size)); err != nil {
		t.Fatal(err)
	}
	var wrong *store.RecordError
	if err := r.Refresh(); !errors.As(err, &wrong) {
		t.Fatalf("Refresh past a record of version 2: %v", err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := r.Read("x", make([]float32, 10))
		done <- err
	}()
	select {
	case err := <-done:
		if !errors.Is(err, store.ErrChanged) {
			t.Errorf("Read of it: %v, want %v", err, store.ErrChanged)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("Read does not return")
	}
	if _, err := r.Read("y", make([]float32, 10)); err != nil {
		t.Errorf("Read of another: %v", err)
	}
}

// replacing puts a tensor anew when its values are asked for, and has none.
type replacing struct {
	store *store.Store
	put   store.PutOptions
}

func (r *replacing) Values(id string, out []float32) error {
	if err := r.store.Put(id, []int{len(out)}, values(9, len(out)), r.put); err != nil {
		return err
	}
	return store.ErrNoSource
}

// What is put or used while a sweep looks at it is neither a failure nor marked.
func TestSweepMeetsChanges(t *testing.T) {
	start := func() (*fixture, *replacing) {
		f := newStore(t)
		if err := f.Store.Close(); err != nil {
			t.Fatal(err)
		}
		r := &replacing{}
		s, err := store.Open(f.dir, f.cfg, store.Options{Clock: f.clock.Now, Source: r})
		if err != nil {
			t.Fatal(err)
		}
		f.Store, r.store = s, s
		return f, r
	}
	t.Run("raised", func(t *testing.T) {
		f, _ := start()
		f.put("x", values(1, 10), store.PutOptions{Tier: store.Cold})
		r, err := f.Sweep()
		if err != nil || r.Degraded != 0 || r.Raised != 0 || len(r.Failures) != 0 {
			t.Errorf("%+v, %v", r, err)
		}
		f.is("x", store.Hot, 8, false)
	})
	t.Run("lowered", func(t *testing.T) {
		f, source := start()
		f.put("x", values(1, 10))
		source.put.Tier = store.Cold
		f.clock.pass(2 * time.Second) // warm
		r, err := f.Sweep()
		if err != nil || r.Lowered != 0 || len(r.Failures) != 0 {
			t.Errorf("%+v, %v", r, err)
		}
		f.is("x", store.Cold, 3, false)
	})
	t.Run("used", func(t *testing.T) {
		f := newStore(t)
		f.put("x", values(1, 10))
		f.rule("x", store.Discard{})
		f.clock.pass(2 * day)
		if err := f.Store.Close(); err != nil {
			t.Fatal(err)
		}
		var err error
		if f.Store, err = store.Open(f.dir, f.cfg, store.Options{Clock: f.clock.Now, Source: &readingSource{f}}); err != nil {
			t.Fatal(err)
		}
		r, err := f.Sweep()
		if err != nil || r.Retired != 0 || len(r.Failures) != 0 {
			t.Errorf("%+v, %v", r, err)
		}
		if f.info("x").Tier == store.Absent {
			t.Error("a tensor was retired that was just used")
		}
	})
}

// readingSource reads a tensor when its values are asked for, and has none.
type readingSource struct{ f *fixture }

func (r *readingSource) Values(id string, out []float32) error {
	if _, err := r.f.Read(id, out); err != nil {
		return err
	}
	return store.ErrNoSource
}

// The warm cap counts the blocks that are there, also those of a store that was made with
// another block size.
func TestWarmCapOfOtherBlocks(t *testing.T) {
	t.Run("S3.46/other_block_size", func(t *testing.T) {
		f := newStore(t, func(c *store.Config) { c.Quant.BlockSize = 8 })
		f.warm("x", values(1, 640)) // 80 blocks of 4 + 7 bytes
		if err := f.Store.Close(); err != nil {
			t.Fatal(err)
		}
		// In blocks of 64 it would have 10 times 4 + 56.
		f.cfg.Quant.BlockSize, f.cfg.WarmByteCap = 64, 700
		f.open()
		f.clock.pass(2 * time.Second)
		r := f.sweep()
		if r.Narrowed != 1 || r.Warm != 440 || r.OverCap != 0 {
			t.Errorf("%+v, want 1 narrowed to 10 times 4 + 40 bytes", r)
		}
	})
}

// Warm tensors of 3 bits have one scale a block, whatever cold ones have: what the cap counts is what
// there is.
func TestWarmCapOfThreeBits(t *testing.T) {
	t.Run("S3.46/three_bits", func(t *testing.T) {
		f := newStore(t, capped(0), func(c *store.Config) { c.WarmLowBits, c.Quant.TwoLevelCold = 3, true })
		v := values(1, 64)
		v[7] = 100 // more than five times the median
		f.warm("x", v)
		f.clock.pass(2 * time.Second)
		if r := f.sweep(); r.Narrowed != 1 || r.Warm != 28 {
			t.Errorf("%+v, want 1 narrowed to 4 + 24 bytes", r)
		}
		// A segment has 18 bytes, a byte of modes, 4, the block, and 4.
		if i := f.info("x"); i.Tier != store.Warm || i.Bytes != 18+1+4+28+4 {
			t.Errorf("%+v, want 55 bytes", i)
		}
		f.clock.pass(time.Hour)
		f.put("y", v, store.PutOptions{Tier: store.Cold})
		if i := f.info("y"); i.Bytes != 18+1+4+40+4 {
			t.Errorf("%+v, want 67 bytes", i)
		}
	})
}

// A clock that is set back does not let sweeps follow each other at once.
func TestSweepsOfAClockSetBack(t *testing.T) {
	t.Run("S3.48/set_back", func(t *testing.T) {
		f := newStore(t)
		if r := f.sweep(); r.Early {
			t.Fatal("the first sweep is early")
		}
		for _, c := range []struct {
			back  time.Duration
			early bool
		}{{time.Second, true}, {58 * time.Second, true}, {time.Second, false}, {time.Hour, false}, {time.Second, true}} {
			f.clock.pass(-c.back)
			if r := f.sweep(); r.Early != c.early {
				t.Errorf("set back by %v: early %v, want %v", c.back, r.Early, c.early)
			}
		}
	})
}
