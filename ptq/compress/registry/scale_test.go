package registry_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"boost/booster/model"
	"boost/internal/testenv"
	"boost/ptq/compress/registry"
	"boost/tensorq/store"
)

// heap returns the bytes of what is in use.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// Ten thousand small models (BOOST_SOAK=1; otherwise 500), of 20 rounds of up to 15 leaves, are served from less than
// 64 MiB: their metadata, all forms in memory, and all else that the process has.
func TestTenThousand(t *testing.T) {
	testenv.Unraced(t)
	t.Run("S3.59/ten_thousand", func(t *testing.T) {
		models, memory := 10_000, int64(64<<20)
		if os.Getenv("BOOST_SOAK") == "" {
			models, memory = 500, 16<<20 // much of which is the test's own
		}
		f := newRegistry(t, func(c *store.Config) { c.MemoryCap, c.SweepInterval = 34<<20, 0 })
		empty := heap()
		ctx := context.Background()
		began := time.Now()
		id := func(i int) string { return fmt.Sprintf("customer-%05d", i) }
		for i := range models {
			if err := f.Add(ctx, id(i), forest(t, uint64(i), 1, 20, 15), registry.AddOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		added := time.Since(began)
		f.clock.pass(time.Hour)
		began = time.Now()
		f.sweep()
		swept := time.Since(began)
		bare := heap()
		table := rows(t, 1, 100)
		// How long a model takes from its id to the predictions of a row.
		times := map[string][]time.Duration{}
		ask := func(what string, ids func(k int) int, n int) {
			var took []time.Duration
			for k := range n {
				name := id(ids(k))
				start := time.Now()
				got, err := f.Get(name)
				took = append(took, time.Since(start))
				if err != nil {
					t.Fatal(err)
				}
				if k == 0 {
					raw(t, got.Model, table)
				}
			}
			slices.Sort(took)
			times[what] = took
		}
		ask("cold, from the disk", func(k int) int { return k }, models)
		misses := f.Stats().Misses
		resident := f.Stats()
		ask("cold, in memory as files", func(k int) int { return k }, resident.Packed/2)
		ask("cold, in memory", func(k int) int { return models - 1 - k }, models/2)
		if s := f.Stats(); s.Misses != misses {
			t.Errorf("%d of %d reads of what was read last came from the disk", s.Misses-misses, models/2)
		}
		if resident.Ready+resident.Packed != models {
			t.Errorf("%d models are in memory ready to predict with and %d as files, of %d", resident.Ready, resident.Packed, models)
		}
		used := heap()
		for range 200 {
			for i := range 50 {
				f.get(id(i))
			}
		}
		f.sweep()
		for i := range 50 {
			f.get(id(i))
		}
		ask("hot, in memory", func(k int) int { return k % 50 }, 5000)
		end := heap()
		for what, h := range map[string]int64{"cold": used, "some hot": end} {
			if h > memory {
				t.Errorf("%s: %.1f MiB on the heap, want at most 64", what, float64(h)/(1<<20))
			}
		}
		s := f.Stats()
		if s.Memory > s.Cap || resident.Memory > resident.Cap {
			t.Errorf("%d bytes in memory, the cap is %d", s.Memory, s.Cap)
		}
		var files int64
		for _, i := range []int{0, 1, 2} {
			files += f.info(id(i)).FileBytes
		}
		t.Logf("%d models, %d bytes a file: added in %v, swept in %v", models, files/3, added.Round(time.Second), swept.Round(time.Millisecond))
		t.Logf("a model: %d bytes of metadata, %d in memory when cold, %d on the disk", (bare-empty)/int64(models), resident.Memory/int64(models), s.Live/int64(models))
		t.Logf("heap: %.1f MiB without forms, %.1f with %d cold ones ready and %d as files (%.1f counted), %.1f with hot ones too",
			mib(bare), mib(used), resident.Ready, resident.Packed, mib(resident.Memory), mib(end))
		for _, what := range []string{"cold, from the disk", "cold, in memory as files", "cold, in memory", "hot, in memory"} {
			if took := times[what]; len(took) > 0 {
				t.Logf("%s: p50 %v, p99 %v", what, took[len(took)/2], took[len(took)*99/100])
			}
		}
	})
}

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// What the cap counts for an expanded model is not far below what it takes.
func TestExpandedBytes(t *testing.T) {
	for _, shape := range []struct{ rounds, leaves, models int }{{20, 15, 100}, {200, 31, 10}, {50, 300, 10}} {
		f := newRegistry(t, func(c *store.Config) { c.MemoryCap = 0 })
		table := rows(t, 1, 300)
		var ids []string
		for i := range shape.models {
			ids = append(ids, fmt.Sprint(i))
			f.add(ids[i], forest(t, uint64(i), 1, shape.rounds, shape.leaves))
		}
		before, counted := heap(), f.Stats().Memory
		for _, id := range ids {
			m := expanded(t, f.get(id))
			raw(t, m, table)
			m.PredictValues(make([]float64, columns), make([]float64, 1))
		}
		took := float64(heap() - before)
		said := float64(f.Stats().Memory - counted)
		t.Logf("%d rounds of up to %d leaves: %.0f bytes, counted %.0f", shape.rounds, shape.leaves, took/float64(shape.models), said/float64(shape.models))
		if said < 0.8*took || said > 1.8*took {
			t.Errorf("%+v: %.0f bytes are counted and %.0f taken", shape, said, took)
		}
	}
}

func BenchmarkGet(b *testing.B) {
	f := newRegistry(b)
	var all []*model.Model
	for i := range 2 {
		all = append(all, forest(b, uint64(i), 1, 20, 15))
		f.add(fmt.Sprint(i), all[i])
	}
	f.at("1", store.Cold)
	for _, c := range []struct{ name, id string }{{"hot", "0"}, {"cold", "1"}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				f.get(c.id)
			}
		})
	}
}
