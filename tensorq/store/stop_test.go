package store_test

import (
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"boost/internal/recordlog"
	"boost/internal/testenv"
	"boost/tensorq/store"
)

// A stop at any byte of putting a tensor anew leaves lossless values of the one that is there,
// before or after: it goes up from 3 bits without another source. Of the bytes within a record every
// third is tried.
func TestStopKeepsLosslessValues(t *testing.T) {
	f := newStore(t)
	a, b := values(1, 70), values(2, 70)
	put := func(v []float32, master bool) int64 {
		f.put("x", v, store.PutOptions{Tier: store.Cold, Master: master})
		_, total := f.Log().Size()
		return total
	}
	ends := []int64{put(a, true), put(b, true), put(a, true), put(b, false), put(a, true)}
	log, err := os.ReadFile(filepath.Join(f.dir, "00000001.log"))
	if err != nil {
		t.Fatal(err)
	}
	for n := ends[0]; n <= int64(len(log)); n++ {
		if n%int64(testenv.ByLength(3, 11, 23)) != 0 && !slices.Contains(ends, n) {
			continue
		}
		g := &fixture{t: t, dir: t.TempDir(), cfg: f.cfg, clock: f.clock, source: &source{}}
		if err := os.WriteFile(filepath.Join(g.dir, "00000001.log"), log[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		g.open()
		if g.info("x").Master {
			if r := g.sweep(); r.Raised != 1 || r.Degraded != 0 {
				t.Fatalf("%d of %d bytes: the lossless values are lost: %+v", n, len(log), r)
			}
			if out, bound := g.read("x"), g.info("x").Bound; farthest(out, a) > bound && farthest(out, b) > bound {
				t.Errorf("%d of %d bytes: neither the values before nor those after", n, len(log))
			}
		} else if n < ends[2] || n == ends[4] {
			t.Errorf("%d of %d bytes: no lossless values", n, len(log))
		}
		if err := g.Store.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// What could not be recorded of the use of tensors is recorded the next time.
func TestUseThatWasNotRecorded(t *testing.T) {
	f := newStore(t)
	for _, id := range []string{"x", "y"} {
		f.put(id, values(1, 10))
		f.read(id)
	}
	if err := f.Log().Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); !errors.Is(err, recordlog.ErrClosed) {
		t.Fatalf("Sync of a log that takes nothing: %v", err)
	}
	if n := f.Unrecorded(); n != 2 {
		t.Errorf("the use of %d tensors is still to be recorded, want 2", n)
	}
}

// Flags that say that lossless values are in two records, or that none has a meaning for, are of no store.
func TestTwoMasters(t *testing.T) {
	f := newStore(t)
	f.put("x", values(1, 3))
	e, _ := f.Log().Lookup(store.RecordTensor, "x")
	for flags, ok := range map[byte]bool{0: true, 1: true, 2: true, 3: true, 4: true, 5: true, 6: false, 7: false, 8: true, 13: true, 14: false, 16: false} {
		head := append([]byte(nil), e.Head...)
		head[4] = flags
		again, _, err := store.DecodeHead("x", head, e.Size)
		if (err == nil) != ok || ok && hex.EncodeToString(again) != hex.EncodeToString(head) {
			t.Errorf("flags %d: %v", flags, err)
		}
	}
}

// A record that claims 2³⁰ values is compared with what it is made from before there is memory
// for them.
func TestLargeClaim(t *testing.T) {
	f := newStore(t)
	f.put("one", []float32{1})
	for id, head := range map[string][]byte{"large": store.AbsentCopy("one", 1<<30), "x": store.AbsentPart("large")} {
		if _, err := f.Log().Append(store.RecordTensor, id, head, nil); err != nil {
			t.Fatal(err)
		}
	}
	f.reopen()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := f.Read("x", make([]float32, 1))
	runtime.ReadMemStats(&after)
	var shape *store.ShapeError
	if !errors.As(err, &shape) || shape.ID != "large" {
		t.Errorf("Read: %v, want a ShapeError of the large one", err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("%d bytes were taken", took)
	}
}
