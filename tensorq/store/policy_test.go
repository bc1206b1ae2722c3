package store_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"boost/internal/testenv"
	"boost/tensorq"
	"boost/tensorq/store"
)

func TestTiers(t *testing.T) {
	t.Run("S3.43/names", func(t *testing.T) {
		for tier, name := range map[store.Tier]string{store.Hot: "hot", store.Warm: "warm", store.Cold: "cold", store.Absent: "absent"} {
			if tier.String() != name {
				t.Errorf("%d is called %q, want %q", tier, tier.String(), name)
			}
			if got, err := store.ParseTier(name); err != nil || got != tier {
				t.Errorf("ParseTier(%q) = %v, %v", name, got, err)
			}
		}
		for _, name := range []string{"warm5", "", "Hot"} {
			if tier, err := store.ParseTier(name); err == nil {
				t.Errorf("ParseTier(%q) = %v", name, tier)
			}
		}
	})
	t.Run("S3.43/bits", func(t *testing.T) {
		f := newStore(t)
		for tier, bits := range map[store.Tier]int{store.Hot: 8, store.Warm: 7, store.Cold: 3} {
			f.put("x", values(1, 100), store.PutOptions{Tier: tier})
			f.is("x", tier, bits, false)
			f.within("x", values(1, 100))
		}
	})
}

func TestScore(t *testing.T) {
	t.Run("S3.44/golden", func(t *testing.T) {
		cfg := store.DefaultConfig()
		for _, c := range []struct {
			count, age, score uint64
			tier              store.Tier
		}{
			{1, 0, 1024, store.Hot}, {1, 1, 512, store.Hot}, {1, 2, 341, store.Warm}, {1, 15, 64, store.Warm},
			{1, 16, 60, store.Cold}, {1, 1024, 0, store.Cold}, {0, 0, 0, store.Cold},
			{math.MaxUint64, 0, math.MaxUint64, store.Hot}, {1 << 53, 1, 1 << 62, store.Hot},
			{math.MaxUint64, 1, math.MaxUint64 / 2, store.Hot}, // saturated before it is divided
		} {
			score := store.Score(c.count, cfg.ScoreScale, time.Duration(c.age)*time.Second)
			if score != c.score || cfg.TierOf(score) != c.tier {
				t.Errorf("%d accesses, %d s: score %d, %v; want %d, %v", c.count, c.age, score, cfg.TierOf(score), c.score, c.tier)
			}
		}
	})
	t.Run("S3.44/whole_seconds", func(t *testing.T) {
		if got := store.Score(1, 1024, 2*time.Second-1); got != 512 {
			t.Errorf("score %d a moment before 2 s, want 512", got)
		}
		if got := store.Score(1, 1024, -time.Hour); got != 1024 {
			t.Errorf("score %d when the clock went back, want 1024", got)
		}
	})
	t.Run("S3.44/in_the_store", func(t *testing.T) {
		f := newStore(t)
		f.put("x", values(1, 10))
		f.clock.pass(15 * time.Second)
		if i := f.info("x"); i.Score != 64 || i.Accesses != 1 {
			t.Errorf("score %d after %d accesses, want 64 after 1", i.Score, i.Accesses)
		}
		f.read("x")
		if i := f.info("x"); i.Score != 2048 || i.Accesses != 2 {
			t.Errorf("score %d after %d accesses, want 2048 after 2", i.Score, i.Accesses)
		}
	})
}

func TestClock(t *testing.T) {
	t.Run("S3.45", func(t *testing.T) {
		f := newStore(t)
		f.clock.now = time.Unix(1000, 5)
		f.put("x", values(1, 10))
		f.clock.now = time.Unix(3000, 7)
		f.read("x")
		if i := f.info("x"); !i.Created.Equal(time.Unix(1000, 5)) || !i.LastAccess.Equal(time.Unix(3000, 7)) {
			t.Errorf("created %v, last access %v", i.Created, i.LastAccess)
		}
		if _, err := store.Open(t.TempDir(), store.DefaultConfig(), store.Options{}); err == nil {
			t.Error("a store without a clock was opened")
		}
		// Nothing else in the package asks for the time.
		sources, err := os.ReadDir(".")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range sources {
			if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
				continue
			}
			b, err := os.ReadFile(e.Name())
			if err != nil {
				t.Fatal(err)
			}
			for _, call := range []string{"time.Now(", "time.Since(", "time.After(", "time.NewT", "time.Tick"} {
				if strings.Contains(string(b), call) {
					t.Errorf("%s calls %s", e.Name(), call)
				}
			}
		}
	})
}

// A tensor of 64 values has 60 bytes of blocks at 7 bits and 44 at 5.
const wide, narrow = 60, 44

func capped(bytes int64) func(*store.Config) {
	return func(c *store.Config) { c.WarmByteCap = bytes }
}

// alwaysWarm keeps what was put as warm there whatever its use: any score of 1 and more is
// warm, and none is hot.
func alwaysWarm(c *store.Config) { c.WarmScore, c.HotScore = 1, math.MaxUint64 }

func TestWarmCap(t *testing.T) {
	t.Run("S3.46/default", func(t *testing.T) {
		if c := store.DefaultConfig().WarmByteCap; c != 67108864 {
			t.Errorf("the cap is %d, want 64 MiB", c)
		}
	})
	for _, sourced := range []bool{true, false} {
		t.Run(fmt.Sprintf("S3.46/order_and_stop/source=%v", sourced), func(t *testing.T) {
			// Five tensors take 300 bytes. 300 − 2·16 = 268 fits, 284 does not.
			f := newStore(t, capped(283), alwaysWarm)
			truth := map[string][]float32{}
			for i, id := range []string{"c", "b", "e", "a", "d"} { // c used longest ago; then b and e alike
				truth[id] = values(uint64(i), 64)
				if sourced {
					f.source.set(id, truth[id])
				}
				f.warm(id, truth[id])
				if id != "b" {
					f.clock.pass(time.Second)
				}
			}
			before := map[string]float64{}
			for id := range truth {
				before[id] = f.info(id).Bound
			}
			if got := f.Stats(); got.Warm != 5*wide || got.OverCap != 5*wide-283 {
				t.Errorf("%d warm bytes, %d over the cap, want 300 and 17", got.Warm, got.OverCap)
			}
			r := f.sweep()
			if r.Narrowed != 2 || r.Warm != 3*wide+2*narrow || r.OverCap != 0 || len(r.Failures) > 0 {
				t.Errorf("report %+v, want 2 narrowed, 268 bytes", r)
			}
			for _, id := range []string{"c", "b"} { // e was used in the same second as b
				f.is(id, store.Warm, 5, false)
				if i := f.info(id); i.Bound <= before[id] {
					t.Errorf("%s: the bound went from %v to %v", id, before[id], i.Bound)
				}
			}
			for _, id := range []string{"a", "d", "e"} {
				f.is(id, store.Warm, 7, false)
			}
			for id, v := range truth {
				f.within(id, v)
			}
		})
	}
	t.Run("S3.46/at_the_cap", func(t *testing.T) {
		f := newStore(t, capped(2*wide), alwaysWarm)
		f.warm("a", values(1, 64))
		f.warm("b", values(2, 64))
		if r := f.sweep(); r.Narrowed != 0 || r.OverCap != 0 {
			t.Errorf("%d narrowed at the cap, want none", r.Narrowed)
		}
		f.warm("c", values(3, 1))
		f.clock.pass(time.Minute)
		if r := f.sweep(); r.Narrowed != 1 {
			t.Errorf("%d narrowed 5 bytes above the cap, want 1", r.Narrowed)
		}
		f.is("c", store.Warm, 7, false) // 5 bytes either way: nothing would be won
	})
	t.Run("S3.46/over_cap", func(t *testing.T) {
		f := newStore(t, capped(80), alwaysWarm)
		f.warm("a", values(1, 64))
		f.warm("b", values(2, 64))
		if r := f.sweep(); r.Narrowed != 2 || r.OverCap != 2*narrow-80 {
			t.Errorf("report %+v, want 2 narrowed and 8 bytes over the cap", r)
		}
		f.clock.pass(time.Minute)
		if r := f.sweep(); r.Narrowed != 0 || r.Lowered != 0 || r.OverCap != 8 {
			t.Errorf("report %+v: nothing sinks further by itself", r)
		}
		f.is("a", store.Warm, 5, false)
	})
	t.Run("S3.48/59_and_60_seconds", func(t *testing.T) {
		f := newStore(t, capped(70), alwaysWarm)
		if r := f.sweep(); r.Early {
			t.Error("the first sweep came too early")
		}
		f.warm("a", values(1, 64))
		f.warm("b", values(2, 64))
		f.clock.pass(59 * time.Second)
		if r := f.sweep(); !r.Early || r.Narrowed != 0 {
			t.Errorf("after 59 s: %+v, want none", r)
		}
		f.is("a", store.Warm, 7, false)
		f.clock.pass(time.Second)
		if r := f.sweep(); r.Early || r.Narrowed != 2 {
			t.Errorf("after 60 s: %+v, want 2 narrowed", r)
		}
	})
}

// A store that is opened anew remembers its last sweep, also when the process before was killed, and when a
// compaction came after it.
func TestSweepsOfTwoProcesses(t *testing.T) {
	t.Run("S3.48/opened_anew", func(t *testing.T) {
		f := newStore(t)
		f.put("x", values(1, 10))
		if r := f.sweep(); r.Early {
			t.Fatal("the first sweep is early")
		}
		for _, end := range []func(){
			func() { f.reopen() },
			func() {
				g := &fixture{t: t, dir: filepath.Join(t.TempDir(), "copy"), cfg: f.cfg, clock: f.clock, source: f.source}
				if err := os.CopyFS(g.dir, os.DirFS(f.dir)); err != nil {
					t.Fatal(err)
				}
				g.open()
				if r := g.sweep(); !r.Early {
					t.Error("the store of a process that was killed is swept at once")
				}
				if err := g.Store.Close(); err != nil {
					t.Error(err)
				}
			},
			func() {
				if err := f.Compact(); err != nil {
					t.Fatal(err)
				}
				f.reopen()
			},
		} {
			end()
			if r := f.sweep(); !r.Early {
				t.Error("swept again at once")
			}
		}
		f.clock.pass(time.Minute)
		if r := f.sweep(); r.Early {
			t.Error("no sweep after a minute")
		}
	})
}

func TestHysteresis(t *testing.T) {
	testenv.Unraced(t)
	t.Run("S3.47/default", func(t *testing.T) {
		c := store.DefaultConfig()
		if limit := int64(c.Hysteresis * float64(c.WarmByteCap)); limit != 53687091 {
			t.Errorf("the limit is %d, want 53,687,091", limit)
		}
	})
	// narrowed makes k tensors of 5 bits under a cap that they exceeded at 7, and takes
	// them out of the store one by one with drop.
	narrowed := func(t *testing.T, cap int64, ids ...string) *fixture {
		f := newStore(t, capped(cap), alwaysWarm)
		for i, id := range ids {
			f.source.set(id, values(uint64(i), 64))
			f.warm(id, values(uint64(i), 64))
		}
		f.sweep()
		for _, id := range ids {
			f.is(id, store.Warm, 5, false)
		}
		return f
	}
	t.Run("S3.47/both_sides_of_the_limit", func(t *testing.T) {
		// The limit of a cap of 230 is 184. Five narrow tensors have 220 bytes, four 176: below,
		// but 192 with one widened. Three have 132, and 148 with one widened; then 164, 180.
		f := narrowed(t, 230, "a", "b", "c", "d", "e")
		f.read("a")
		f.is("a", store.Warm, 5, false)
		if err := f.Remove("e"); err != nil {
			t.Fatal(err)
		}
		f.read("a")
		f.is("a", store.Warm, 5, false)
		if err := f.Remove("d"); err != nil {
			t.Fatal(err)
		}
		f.read("a")
		f.is("a", store.Warm, 7, false)
		f.is("b", store.Warm, 5, false) // one at a time, and only what is accessed
		f.read("b")
		f.read("c")
		if got := f.Stats().Warm; got != 3*wide {
			t.Errorf("%d bytes, want 180", got)
		}
		// Twice as many bits are the bits that were put.
		f.within("a", values(0, 64))
	})
	t.Run("S3.47/exact_limit", func(t *testing.T) {
		// Two narrow tensors have 88 bytes, one widened makes 104 = 0.8·130.
		f := narrowed(t, 130, "a", "b", "x")
		if err := f.Remove("x"); err != nil {
			t.Fatal(err)
		}
		f.read("a")
		f.is("a", store.Warm, 7, false)
		// 0.8·129 = 103.2, so 104 is too much.
		f = narrowed(t, 129, "a", "b", "x")
		if err := f.Remove("x"); err != nil {
			t.Fatal(err)
		}
		f.read("a")
		f.is("a", store.Warm, 5, false)
	})
	t.Run("S3.47/nothing_moves_between", func(t *testing.T) {
		f := narrowed(t, 100, "a", "b") // 88 bytes: between 80 and 100
		for range 3 {
			f.clock.pass(time.Minute)
			if r := f.sweep(); r.Narrowed+r.Raised+r.Lowered != 0 {
				t.Errorf("a sweep moved something: %+v", r)
			}
			f.read("a")
		}
		f.is("a", store.Warm, 5, false)
	})
	simulate := func(t *testing.T) {
		// 100 tensors are the cap; five more come and go, again and again.
		f := newStore(t, capped(100*wide), alwaysWarm)
		id := func(i int) string { return fmt.Sprintf("%03d", i) }
		add := func(i int) {
			f.source.set(id(i), values(uint64(i), 64))
			f.warm(id(i), values(uint64(i), 64))
		}
		changes, bits := map[string]int{}, map[string]int{}
		look := func() {
			for _, id := range f.IDs() {
				now := f.info(id).Bits
				if was, ok := bits[id]; ok && was != now {
					changes[id]++
				}
				bits[id] = now
			}
		}
		for i := range 95 {
			add(i)
		}
		narrowed := 0
		for round := range 40 {
			for i := 95; i < 105; i++ { // + 5 %
				add(i)
			}
			clear(bits)
			look()
			for range 3 {
				f.clock.pass(30 * time.Second)
				narrowed += f.sweep().Narrowed
				for i := range 105 {
					f.read(id((i*7 + round) % 105))
					look()
				}
			}
			for i := 95; i < 105; i++ { // − 5 %
				if err := f.Remove(id(i)); err != nil {
					t.Fatal(err)
				}
				delete(bits, id(i))
			}
			for i := range 95 {
				f.read(id(i))
				look()
			}
		}
		for id, n := range changes {
			if n > 1 && id < "095" { // the others are new each time
				t.Errorf("tensor %s changed %d times, want once at most", id, n)
			}
		}
		if narrowed == 0 {
			t.Error("nothing was ever narrowed, so nothing was shown")
		}
	}
	t.Run("S3.47/oscillating_around_the_cap", simulate)
	t.Run("S3.65/thrashing", simulate)
}

func TestSource(t *testing.T) {
	const n = 200
	truth := values(3, n)
	// sink takes x from hot to cold and back to a score that is hot.
	sink := func(t *testing.T, f *fixture) {
		t.Helper()
		f.clock.pass(20 * time.Second)
		f.sweep() // score 51
		f.is("x", store.Cold, 3, false)
		f.clock.pass(time.Minute)
		for range 10 {
			f.read("x")
		}
		f.sweep()
	}
	codes := func(t *testing.T, f *fixture) []byte {
		t.Helper()
		b, _, err := f.Log().Read(store.RecordTensor, "x", nil)
		if err != nil {
			t.Fatal(err)
		}
		return slices.Clone(b)
	}
	for what, have := range map[string]func(*fixture) store.PutOptions{
		"source": func(f *fixture) store.PutOptions { f.source.set("x", truth); return store.PutOptions{} },
		"master": func(*fixture) store.PutOptions { return store.PutOptions{Master: true} },
		"rule": func(f *fixture) store.PutOptions {
			f.rules = map[string]store.CustomRule{"exact": {Gain: 1, Make: func(_ []float32, _ []int, _ []byte, _ []int, out []float32) error {
				copy(out, truth)
				return nil
			}}}
			f.reopen()
			f.put("base", values(1, 1))
			return store.PutOptions{}
		},
	} {
		t.Run("S3.49/down_and_up_with_"+what, func(t *testing.T) {
			f := newStore(t)
			f.put("x", truth, have(f))
			if f.rules != nil {
				if err := f.SetRule("x", store.Custom{Of: "base", Name: "exact"}, 0); err != nil {
					t.Fatal(err)
				}
			}
			hot, bound := codes(t, f), f.info("x").Bound
			sink(t, f)
			f.is("x", store.Hot, 8, false)
			if !slices.Equal(codes(t, f), hot) {
				t.Error("the bytes are not those of the first time")
			}
			if got := f.info("x").Bound; got != bound {
				t.Errorf("the bound is %v, was %v", got, bound)
			}
		})
	}
	t.Run("S3.49/no_source", func(t *testing.T) {
		f := newStore(t)
		f.put("x", truth)
		first := f.info("x").Bound
		_, lowered, err := tensorq.DecodeSegment(codes(t, f))
		if err != nil {
			t.Fatal(err)
		}
		cold, err := tensorq.EncodeSegment(lowered, 3, tensorq.DefaultQuantConfig())
		if err != nil {
			t.Fatal(err)
		}
		_, coldest, err := tensorq.DecodeSegment(cold)
		if err != nil {
			t.Fatal(err)
		}
		sink(t, f)
		f.is("x", store.Cold, 3, true)
		// Both bounds are added: that of the 8 bits, and what 3 bits of these are off by.
		want := first + farthest(coldest, lowered)
		if got := f.info("x").Bound; math.Abs(got-want) > 1e-12 {
			t.Errorf("the bound is %v, want %v", got, want)
		}
		f.within("x", truth)
		if r := f.Stats(); r.Degraded != 1 {
			t.Errorf("%d degraded, want 1", r.Degraded)
		}
		f.reopen()
		f.is("x", store.Cold, 3, true)
		// A source that turns up makes it whole again.
		f.source.set("x", truth)
		f.clock.pass(time.Minute)
		for range 100 {
			f.read("x")
		}
		f.sweep()
		f.is("x", store.Hot, 8, false)
		if got := f.info("x").Bound; got != first {
			t.Errorf("the bound is %v again, want %v", got, first)
		}
	})
	t.Run("S3.49/mark_goes_with_the_use", func(t *testing.T) {
		f := newStore(t)
		f.put("x", truth)
		sink(t, f)
		f.is("x", store.Cold, 3, true)
		f.clock.pass(time.Hour)
		f.sweep()
		f.is("x", store.Cold, 3, false)
	})
	t.Run("S3.49/5_to_7", func(t *testing.T) {
		f := newStore(t, capped(150), alwaysWarm)
		f.warm("a", values(1, 64))
		f.warm("b", values(2, 64))
		f.warm("c", values(3, 64))
		f.sweep()
		for _, id := range []string{"b", "c"} {
			if err := f.Remove(id); err != nil {
				t.Fatal(err)
			}
		}
		bound := f.info("a").Bound
		f.read("a")
		f.is("a", store.Warm, 5, true) // codes of 5 bits do not become better ones of 7
		if got := f.info("a").Bound; got != bound {
			t.Errorf("the bound went from %v to %v", bound, got)
		}
		asked := f.source.asked
		f.read("a")
		if f.source.asked != asked {
			t.Error("the source was asked again at once")
		}
		f.source.set("a", values(1, 64))
		f.clock.pass(time.Minute)
		f.read("a")
		f.is("a", store.Warm, 7, false)
	})
	t.Run("S3.49/lying_source", func(t *testing.T) {
		f := newStore(t)
		f.put("x", truth)
		other := slices.Clone(truth)
		other[7] = math.Nextafter32(other[7], 2)
		f.source.set("x", other)
		sink(t, f)
		f.is("x", store.Cold, 3, true)
		if n := f.Stats().SourceFailures; n == 0 {
			t.Error("no failure of the source was counted")
		}
		f.within("x", truth)
	})
}

func TestConfig(t *testing.T) {
	c := store.DefaultConfig()
	if err := c.Validate(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	if c.HotScore != 512 || c.WarmScore != 64 || c.ScoreScale != 1024 || c.HotBits != 8 || c.WarmBits != 7 || c.WarmLowBits != 5 ||
		c.ColdBits != 3 || c.WarmByteCap != 64<<20 || c.Hysteresis != 0.8 || c.SweepInterval != time.Minute ||
		c.AbsentMinScore != 1 || c.AbsentAgeThreshold != 24*time.Hour || c.MaxDepth != 3 || c.FailFast ||
		c.Quant != (tensorq.QuantConfig{BlockSize: 64, TwoLevelThreshold: 5, OutlierFraction: 0.05, Headroom: 26.0 / 256}) {
		t.Errorf("the defaults are %+v", c)
	}
	var zero store.Config
	err := zero.Validate()
	for _, word := range []string{"score_scale", "warm_score", "hot_score", "hot_bits", "compact_ratio", "block_size"} {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("the zero value: no word of %s in %v", word, err)
		}
	}
	for word, change := range map[string]func(*store.Config){
		"warm_byte_cap":        func(c *store.Config) { c.WarmByteCap = -1 },
		"hysteresis":           func(c *store.Config) { c.Hysteresis = math.NaN() },
		"sweep_interval":       func(c *store.Config) { c.SweepInterval = -1 },
		"absent_age_threshold": func(c *store.Config) { c.AbsentAgeThreshold = -1 },
		"max_depth":            func(c *store.Config) { c.MaxDepth = 65 },
		"memory_cap":           func(c *store.Config) { c.MemoryCap = -1 },
		"compact_ratio":        func(c *store.Config) { c.CompactRatio = 1 },
		"has a quantizer":      func(c *store.Config) { c.HotBits = 9 },
		"hot_bits":             func(c *store.Config) { c.WarmBits = 5 },
	} {
		c := store.DefaultConfig()
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v", word, err)
		}
		if _, err := store.Open(t.TempDir(), c, store.Options{Clock: time.Now}); err == nil {
			t.Errorf("%s: a store was opened", word)
		}
	}
}

func TestPut(t *testing.T) {
	f := newStore(t)
	var shape *store.ShapeError
	for _, c := range []struct {
		id    string
		shape []int
		n     int
	}{
		{"", []int{1}, 1}, {strings.Repeat("x", 256), []int{1}, 1}, {"x", []int{2}, 1}, {"x", []int{0}, 0}, {"x", []int{-1, -1}, 1},
		{"x", []int{1 << 30, 1 << 30}, 1}, {"x", slices.Repeat([]int{1}, 9), 1},
	} {
		if err := f.Put(c.id, c.shape, make([]float32, c.n), store.PutOptions{}); !errors.As(err, &shape) {
			t.Errorf("id of %d bytes, shape %v, %d values: %v, want a ShapeError", len(c.id), c.shape, c.n, err)
		}
	}
	var finite tensorq.ErrNotFinite
	if err := f.Put("x", []int{2}, []float32{1, float32(math.NaN())}, store.PutOptions{}); !errors.As(err, &finite) || finite.Index != 1 {
		t.Errorf("a NaN: %v", err)
	}
	if len(f.IDs()) != 0 {
		t.Errorf("%v is there", f.IDs())
	}
	if err := f.Put("scalar", nil, []float32{3}, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := f.read("scalar"); got[0] != 3 {
		t.Errorf("the scalar is %v", got)
	}
	var small tensorq.ErrOutputTooSmall
	f.put("x", values(1, 10))
	if _, err := f.Read("x", make([]float32, 9)); !errors.As(err, &small) || small.Required != 10 {
		t.Errorf("an output of 9: %v", err)
	}
	if n, err := f.Read("x", make([]float32, 12)); n != 10 || err != nil {
		t.Errorf("an output of 12: %d, %v", n, err)
	}
	if _, err := f.Read("y", nil); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an unknown id: %v", err)
	}
	if err := f.Remove("y"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an unknown id: %v", err)
	}
	if err := f.Remove("x"); err != nil {
		t.Fatal(err)
	}
	f.reopen()
	if ids := f.IDs(); !slices.Equal(ids, []string{"scalar"}) {
		t.Errorf("%v is there, want scalar", ids)
	}
}

// A tensor that nothing could raise and that is then narrowed lacks bits all the same.
func TestDegradedStaysSo(t *testing.T) {
	t.Run("S3.49/narrowed", func(t *testing.T) {
		f := newStore(t, capped(50))
		f.warm("x", values(1, 64)) // its score is hot
		if r := f.sweep(); r.Degraded != 1 || r.Narrowed != 1 {
			t.Errorf("sweep %+v, want one tensor degraded and narrowed", r)
		}
		f.is("x", store.Warm, 5, true)
	})
}

// Tiers may have the same bits: a tensor then changes its tier with the codes that it has, and lacks
// nothing.
func TestTiersOfOneWidth(t *testing.T) {
	f := newStore(t, func(c *store.Config) { c.HotBits, c.ColdBits = 7, 5 })
	f.put("a", []float32{1, -2, 3, 0.3}, store.PutOptions{Tier: store.Warm})
	before := f.read("a") // 2 accesses at age 0: 2048, hot
	step := func(tier store.Tier, bits int) float64 {
		t.Helper()
		if report := f.sweep(); len(report.Failures) > 0 {
			t.Error(report.Failures)
		}
		f.is("a", tier, bits, false)
		return f.info("a").Bound
	}
	hot := step(store.Hot, 7)
	if got := f.read("a"); !slices.Equal(got, before) {
		t.Errorf("hot: %v, want %v", got, before)
	}
	f.clock.pass(60 * time.Second) // 3 accesses: 3·1024/61 is 50, cold
	cold := step(store.Cold, 5)
	if cold <= hot {
		t.Errorf("the bound went from %v to %v", hot, cold)
	}
	narrow := newStore(t, func(c *store.Config) { c.ColdBits, c.WarmByteCap = 5, 0 })
	narrow.put("b", values(1, 640), store.PutOptions{Tier: store.Warm})
	narrow.clock.pass(10 * time.Second)
	narrow.sweep()
	narrow.is("b", store.Warm, 5, false)
	before = narrow.read("b")
	narrow.clock.pass(time.Hour)
	if report := narrow.sweep(); len(report.Failures) > 0 || report.Lowered != 1 {
		t.Errorf("%+v", report)
	}
	narrow.is("b", store.Cold, 5, false)
	if got := narrow.read("b"); !slices.Equal(got, before) {
		t.Error("the codes changed with the tier")
	}
}
