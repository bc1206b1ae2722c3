package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"boost/tensorq/store"
)

// Many goroutines read, put, sweep, set rules and compact one store, while another follows
// it for reading.
func TestConcurrentUse(t *testing.T) {
	f := newStore(t, capped(4000), func(c *store.Config) { c.MemoryCap = 6000; c.CompactRatio = 1.5 })
	const tensors, n = 40, 300
	truth := func(id int) []float32 { return values(uint64(id), n) }
	for id := range tensors {
		f.source.set(fmt.Sprint(id), truth(id))
		f.put(fmt.Sprint(id), truth(id))
	}
	follower, err := store.Open(f.dir, f.cfg, store.Options{Clock: f.clock.Now, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer follower.Close()
	rounds := 400
	if testing.Short() {
		rounds = 60
	}
	var group sync.WaitGroup
	check := func(s *store.Store, id int) error {
		out := make([]float32, n)
		if _, err := s.Read(fmt.Sprint(id), out); err != nil {
			return err
		}
		// 3 bits are off by a sixth of the largest value at most, and the rule by nothing.
		if d := farthest(out, truth(id)); d > 0.17 {
			return fmt.Errorf("%d is off by %v", id, d)
		}
		return nil
	}
	run := func(seed uint64, do func(r *rand.Rand, round int) error) {
		group.Go(func() {
			r := rand.New(rand.NewPCG(seed, 5))
			for round := range rounds {
				if err := do(r, round); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for seed := range uint64(3) {
		run(seed, func(r *rand.Rand, _ int) error { return check(f.Store, r.IntN(tensors)) })
	}
	run(10, func(r *rand.Rand, _ int) error {
		id := r.IntN(tensors)
		return f.Put(fmt.Sprint(id), []int{n}, truth(id), store.PutOptions{Tier: store.Tier(1 + r.IntN(3))})
	})
	run(11, func(*rand.Rand, int) error {
		f.clock.pass(30 * time.Second)
		r, err := f.Sweep()
		return errors.Join(append(r.Failures, err)...)
	})
	run(12, func(r *rand.Rand, round int) error {
		if round%50 == 49 {
			return f.Compact()
		}
		f.Stats()
		_, err := f.Info(fmt.Sprint(r.IntN(tensors)))
		return err
	})
	run(13, func(r *rand.Rand, round int) error {
		if round%5 == 0 {
			if err := follower.Refresh(); err != nil {
				return err
			}
		}
		return check(follower, r.IntN(tensors))
	})
	group.Wait()
	for id := range tensors {
		if err := check(f.Store, id); err != nil {
			t.Error(err)
		}
	}
	if err := f.Verify(); err != nil {
		t.Error(err)
	}
}

// A reader in the same or another process sees what was written when it refreshes.
func TestReadOnly(t *testing.T) {
	f := newStore(t)
	f.put("x", values(1, 10))
	r, err := store.Open(f.dir, f.cfg, store.Options{Clock: f.clock.Now, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	f.put("y", values(2, 10))
	if err := f.Remove("x"); err != nil {
		t.Fatal(err)
	}
	out := make([]float32, 10)
	if _, err := r.Read("x", out); err != nil {
		t.Error(err)
	}
	if _, err := r.Read("y", out); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("before Refresh: %v", err)
	}
	if err := f.Compact(); err != nil {
		t.Fatal(err)
	}
	if err := r.Refresh(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read("y", out); err != nil {
		t.Error(err)
	}
	if _, err := r.Read("x", out); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("after Refresh: %v", err)
	}
	if _, err := r.Sweep(); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("a sweep of a store for reading: %v", err)
	}
}

// The use of tensors outlives the process, without a write for every read.
func TestUseIsKept(t *testing.T) {
	f := newStore(t)
	f.put("x", values(1, 10))
	f.clock.pass(time.Minute)
	_, before := f.Log().Size()
	for range 5 {
		f.read("x")
	}
	if _, after := f.Log().Size(); after != before {
		t.Errorf("reading wrote %d bytes", after-before)
	}
	i := f.info("x")
	f.reopen()
	if again := f.info("x"); again.Accesses != 6 || !again.LastAccess.Equal(i.LastAccess) {
		t.Errorf("%d accesses, the last at %v; want 6 and %v", again.Accesses, again.LastAccess, i.LastAccess)
	}
	f.put("x", values(1, 10)) // a new tensor
	f.reopen()
	if again := f.info("x"); again.Accesses != 1 {
		t.Errorf("%d accesses of a tensor that was put anew, want 1", again.Accesses)
	}
}

// A million operations on a store whose tensors do not fit under either cap: both hold at
// every step, nothing is read that was not put, and neither memory nor the file grows.
func TestSoak(t *testing.T) {
	operations := 1_000_000
	if testing.Short() {
		operations = 50_000
	}
	const tensors, n = 400, 512
	f := newStore(t, capped(20_000), func(c *store.Config) {
		c.MemoryCap = 100_000                                                      // all of them have 220,000 bytes at 8 bits
		c.WarmScore, c.HotScore = uint64(operations)/50+1024, uint64(operations)*5 // what was just put is cold
	})
	truth := make([][]float32, tensors)
	names := make([]string, tensors)
	for id := range truth {
		truth[id] = values(uint64(id), n)
		names[id] = fmt.Sprint(id)
		f.source.set(names[id], truth[id])
		f.put(names[id], truth[id])
	}
	var base runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&base)
	workers := 2
	var group sync.WaitGroup
	var sweeps, narrowed, lowered, raised int
	for w := range workers {
		group.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 9))
			out := make([]float32, n)
			for op := range operations / workers {
				id := int(r.ExpFloat64()*40) % tensors // some are used far more than others
				if r.IntN(1000) == 0 {
					if err := f.Put(names[id], []int{n}, truth[id], store.PutOptions{}); err != nil {
						t.Error(err)
						return
					}
				} else if _, err := f.Read(names[id], out); err != nil {
					t.Error(err)
					return
				} else if k := r.IntN(n); out[k]-truth[id][k] > 0.17 || out[k]-truth[id][k] < -0.17 {
					t.Errorf("value %d of %d reads %v, and %v was put", k, id, out[k], truth[id][k])
					return
				}
				if bytes, cap := f.Resident(); bytes > cap {
					t.Errorf("%d bytes in memory after %d operations, and the cap is %d", bytes, op, cap)
					return
				}
				f.clock.pass(10 * time.Second / time.Duration(operations/1000))
				if w == 0 && op%1000 == 0 {
					rep, err := f.Sweep()
					if err != nil || len(rep.Failures) > 0 {
						t.Error(err, rep.Failures)
						return
					}
					if !rep.Early {
						sweeps++
						narrowed, lowered, raised = narrowed+rep.Narrowed, lowered+rep.Lowered, raised+rep.Raised
						if st := f.Stats(); rep.OverCap > 0 && st.Narrow < st.Tensors[store.Warm] {
							t.Errorf("%d bytes over the warm cap with %d of %d warm tensors narrowed", rep.OverCap, st.Narrow, st.Tensors[store.Warm])
						}
					}
				}
			}
		})
	}
	group.Wait()
	var end runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&end)
	grown := int64(end.HeapAlloc) - int64(base.HeapAlloc)
	st := f.Stats()
	t.Logf("%d operations, %d sweeps: %d raised, %d lowered, %d narrowed; heap grew by %d bytes, log of %d bytes for %d live ones",
		operations, sweeps, raised, lowered, narrowed, grown, st.Disk, st.Live)
	if narrowed == 0 || lowered == 0 || raised == 0 {
		t.Error("the tensors did not move, so nothing was shown")
	}
	if grown > 300_000 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	if limit := 2*st.Live + 3<<20; st.Disk > limit {
		t.Errorf("the log has %d bytes for %d live ones, want at most %d", st.Disk, st.Live, limit)
	}
	if err := f.Verify(); err != nil {
		t.Error(err)
	}
}

// What a tensor that became absent leaves in memory are the bytes of its rule, as the cap counts them, not
// its codes beside them.
func TestRetiredDataIsLetGo(t *testing.T) {
	f := newStore(t)
	const tensors, n = 20, 1 << 18
	v := values(1, n)
	f.put("base", v)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	resident := f.Stats().Resident
	for id := range tensors {
		f.put(fmt.Sprint(id), v)
		f.rule(fmt.Sprint(id), store.Delta{Base: "base", Dense: make([]float32, n)})
	}
	f.old()
	for id := range tensors {
		f.retire(fmt.Sprint(id))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	grown, counted := int64(after.HeapAlloc)-int64(before.HeapAlloc), f.Stats().Resident-resident
	if counted < tensors*n || grown > counted*5/4 {
		t.Errorf("%d bytes in memory are counted as %d", grown, counted)
	}
}

// A read of a tensor in memory allocates its note of what it read, and nothing that grows
// with the tensor.
func TestReadAllocates(t *testing.T) {
	f := newStore(t)
	for _, n := range []int{10, 100_000} {
		f.put("x", values(1, n))
		out := make([]float32, n)
		if _, err := f.Read("x", out); err != nil {
			t.Fatal(err)
		}
		if a := testing.AllocsPerRun(20, func() {
			if _, err := f.Read("x", out); err != nil {
				t.Fatal(err)
			}
		}); a > 2 {
			t.Errorf("a read of %d values allocates %v times, want 2 at most", n, a)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	for _, c := range []struct {
		name string
		cap  int64
	}{{"memory", 0}, {"disk", 1}} {
		b.Run("from="+c.name, func(b *testing.B) {
			dir, err := os.MkdirTemp(b.TempDir(), "")
			if err != nil {
				b.Fatal(err)
			}
			s, err := store.Open(dir, config(func(cfg *store.Config) { cfg.MemoryCap = c.cap }), store.Options{Clock: time.Now})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			v := values(1, 4096)
			if err := s.Put("x", []int{4096}, v, store.PutOptions{}); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(4 * 4096)
			for b.Loop() {
				if _, err := s.Read("x", v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Tensors that take just the bytes of the cap stay in memory, all of them.
func TestMemoryCapIsReached(t *testing.T) {
	free := newStore(t)
	free.put("a", values(1, 100))
	free.put("b", values(2, 100))
	whole := free.Stats().Resident
	f := newStore(t, func(c *store.Config) { c.MemoryCap = whole })
	f.put("a", values(1, 100))
	f.put("b", values(2, 100))
	if got := f.Stats().Resident; got != whole || whole == 0 {
		t.Errorf("%d bytes in memory, want the %d of the cap", got, whole)
	}
}
