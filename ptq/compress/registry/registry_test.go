package registry_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"boost/booster/model"
	"boost/parallel"
	"boost/ptq"
	"boost/ptq/compress"
	"boost/ptq/compress/registry"
	"boost/tensorq/store"
)

// inForm is the model with the leaves of a form, made without a registry.
func inForm(t testing.TB, m *model.Model, form ptq.Form) *model.Model {
	t.Helper()
	narrow, err := m.Narrowed(model.KnownNames)
	if err != nil {
		t.Fatal(err)
	}
	l, err := compress.MorphModel(narrow, form, compress.Calibration{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := l.Apply(narrow)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var shapes = []struct {
	name                    string
	outputs, rounds, leaves int
}{
	{"small trees", 1, 40, 9},
	{"three outputs", 3, 12, 31},
	{"trees beyond a block", 1, 6, 300},
	{"leaves alone", 1, 5, 1},
	{"no trees", 2, 0, 1},
}

// Every tier reads as the leaves of its form, one block a tree, bit for bit; hot as it was added; and from
// the disk and from memory alike.
func TestTiers(t *testing.T) {
	table := rows(t, 1, 400)
	for _, s := range shapes {
		t.Run("S3.57/"+s.name, func(t *testing.T) {
			f := newRegistry(t)
			m := forest(t, 3, s.outputs, s.rounds, s.leaves)
			f.add("m", m)
			for _, step := range []struct {
				tier store.Tier
				bits int
				form ptq.Form
			}{{store.Hot, 0, 0}, {store.Cold, 3, ptq.FormCold}, {store.Warm, 7, ptq.FormWarm}, {store.Hot, 0, 0}, {store.Warm, 7, ptq.FormWarm}} {
				want := m
				if step.bits > 0 {
					want = inForm(t, m, step.form)
				}
				f.at("m", step.tier)
				for pass := range 3 {
					if pass == 2 {
						f.reopen()
					}
					got := f.get("m")
					if _, packed := got.Model.(*model.Compact); packed != (step.bits > 0) {
						t.Errorf("%v reads as a %T", step.tier, got.Model)
					}
					if got.Tier != step.tier || got.Bits != step.bits || got.Exact != (step.bits == 0) {
						t.Fatalf("it reads as %v with %d bits, want %v with %d", got.Tier, got.Bits, step.tier, step.bits)
					}
					same(t, fmt.Sprint(step.tier), raw(t, got.Model, table), raw(t, want, table))
				}
			}
			full, err := f.Full("m")
			if err != nil || encoded(t, full) != encoded(t, m) {
				t.Errorf("the lossless model is another one: %v", err)
			}
		})
	}
}

// What a tier is read as differs from what was added by no more than is said, on all rows and in every
// sum of leaves, and a tier that may differ by more than the floor allows is not used.
func TestFloor(t *testing.T) {
	t.Run("S3.60/bound", func(t *testing.T) {
		cases := 0
		for seed := range uint64(12) {
			outputs := 1 + int(seed%3)
			m := forest(t, seed, outputs, 20, 4+8*int(seed%5))
			table := rows(t, seed, 300)
			want := raw(t, m, table)
			f := newRegistry(t)
			f.add("m", m)
			for _, tier := range []store.Tier{store.Hot, store.Warm, store.Cold} {
				f.at("m", tier)
				got := f.get("m")
				for i, s := range raw(t, got.Model, table) {
					d := new(big.Float).Sub(big.NewFloat(s), big.NewFloat(want[i]))
					if d.Abs(d).Cmp(big.NewFloat(got.Scores[i%outputs])) > 0 {
						t.Fatalf("seed %d, %v: a score differs by %v, bound %v", seed, tier, d, got.Scores[i%outputs])
					}
					cases++
				}
				for k, b := range got.Bound {
					// Scores as they are computed differ by roundings besides.
					if got.Scores[k] < b || b > 0 && got.Scores[k] == b || tier != store.Hot && !(b > 0) || tier == store.Hot && b != 0 {
						t.Errorf("%v: bounds %v of sums and %v of scores", tier, b, got.Scores[k])
					}
				}
				if (got.Certificate != nil) != (tier != store.Hot) {
					t.Errorf("%v: certificate %s", tier, got.Certificate)
				}
			}
		}
		if cases < 10_000 {
			t.Errorf("%d cases are too few", cases)
		}
	})
	t.Run("S3.60/refused", func(t *testing.T) {
		m := forest(t, 9, 1, 30, 15)
		f := newRegistry(t)
		f.add("free", m)
		all := f.info("free").Certificates
		if len(all) != 4 || all[0].Bits != 8 || all[3].Bits != 3 {
			t.Fatalf("certificates %+v", all)
		}
		for i, c := range all {
			if i > 0 && !(c.Delta() > all[i-1].Delta()) {
				t.Errorf("%d bits change scores by %v, %d by %v", c.Bits, c.Delta(), all[i-1].Bits, all[i-1].Delta())
			}
			id := fmt.Sprint(c.Bits)
			f.add(id, m, registry.AddOptions{Floor: &registry.Floor{MaxDelta: c.Delta(), MaxLoss: math.Inf(1)}})
			if got := f.info(id).MinBits; got != c.Bits {
				t.Errorf("a floor at %d bits allows %d", c.Bits, got)
			}
			under := registry.Floor{MaxDelta: math.Nextafter(c.Delta(), 0), MaxLoss: math.Inf(1)}
			f.add(id+" less", m, registry.AddOptions{Floor: &under})
			want := 9
			if i > 0 {
				want = all[i-1].Bits
			}
			if got := f.info(id + " less").MinBits; got != want {
				t.Errorf("a floor just above %d bits allows %d, want %d", c.Bits, got, want)
			}
		}
		for id, tiers := range map[string]map[store.Tier]bool{
			"8": {store.Hot: true}, "7": {store.Hot: true, store.Warm: true}, "5": {store.Hot: true, store.Warm: true},
			"3": {store.Hot: true, store.Warm: true, store.Cold: true}, "8 less": {store.Hot: true},
		} {
			for _, tier := range []store.Tier{store.Hot, store.Warm, store.Cold} {
				err := f.Pin(id, tier)
				var floor *registry.FloorError
				if tiers[tier] != (err == nil) || err != nil && (!errors.Is(err, registry.ErrQualityFloor) || !errors.As(err, &floor) || !(floor.Delta > floor.Floor.MaxDelta)) {
					t.Errorf("Pin(%q, %v): %v", id, tier, err)
				}
			}
			if err := f.Unpin(id); err != nil {
				t.Fatal(err)
			}
		}
		// Unused for an hour all would be cold.
		f.clock.pass(time.Hour)
		f.sweep()
		for id, want := range map[string]struct {
			tier  store.Tier
			exact bool
		}{"8 less": {store.Hot, true}, "8": {store.Hot, true}, "7": {store.Warm, false}, "5": {store.Warm, false}, "3": {store.Cold, false}, "free": {store.Cold, false}} {
			if i := f.info(id); i.Tier != want.tier || i.Exact != want.exact || !(i.Delta <= i.Floor.MaxDelta) {
				t.Errorf("%s is %v, exact %v, off by %v", id, i.Tier, i.Exact, i.Delta)
			}
		}
		low := registry.AddOptions{Tier: store.Cold, Floor: &registry.Floor{MaxDelta: all[3].Delta() / 2, MaxLoss: math.Inf(1)}}
		err := f.Add(context.Background(), "low", m, low)
		if !errors.Is(err, registry.ErrQualityFloor) {
			t.Errorf("added cold below its floor: %v", err)
		}
		if _, err := f.Info("low"); !errors.Is(err, registry.ErrNotFound) {
			t.Errorf("it is there all the same: %v", err)
		}
	})
	t.Run("S3.60/warm_cap", func(t *testing.T) {
		// The cap of warm bytes narrows those whose floor allows 5 bits, and no others.
		f := newRegistry(t, func(c *store.Config) { c.WarmByteCap, c.SweepInterval = 1, 0 })
		m := forest(t, 4, 1, 30, 15)
		f.add("free", m)
		c := f.info("free").Certificates
		f.add("bound", m, registry.AddOptions{Floor: &registry.Floor{MaxDelta: c[1].Delta(), MaxLoss: math.Inf(1)}})
		f.at("free", store.Warm)
		f.at("bound", store.Warm)
		f.get("free")
		f.get("bound")
		report := f.after(10 * time.Second) // at a score of 186
		if a, b := f.info("free").Bits, f.info("bound").Bits; a != 5 || b != 7 || report.OverCap == 0 {
			t.Errorf("%d and %d bits, %d bytes over the cap; want 5 and 7, and more than none", a, b, report.OverCap)
		}
	})
	t.Run("S3.60/metric", func(t *testing.T) {
		m := forest(t, 11, 1, 30, 31)
		table := labelled(t, 8, 500)
		f := newRegistry(t)
		o := registry.AddOptions{Table: table, Floor: &registry.Floor{MaxDelta: math.Inf(1), MaxLoss: 1e9}}
		f.add("free", m, o)
		loose := f.info("free")
		if loose.MinBits != 3 {
			t.Fatalf("%d bits", loose.MinBits)
		}
		cold := loose.Certificates[3]
		c, err := compress.Compare(context.Background(), m, inForm(t, m, ptq.FormCold), table, []string{cold.Metric})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Data.Metrics[0]; got.A != cold.Before || got.B != cold.After || cold.Rows != 500 {
			t.Errorf("certified %v to %v, measured %+v", cold.Before, cold.After, got)
		}
		worst := 0.0
		for _, c := range loose.Certificates[1:3] {
			worst = max(worst, c.Loss())
		}
		if !(cold.Loss() > max(worst, loose.Certificates[0].Loss())) {
			t.Fatal("3 bits are no worse than others on this table: the test shows nothing")
		}
		o.Floor = &registry.Floor{MaxDelta: math.Inf(1), MaxLoss: math.Nextafter(cold.Loss(), 0)}
		f.add("held", m, o)
		if got := f.info("held").MinBits; got < 5 {
			t.Errorf("%d bits in spite of the metric", got)
		}
		o.Table = nil
		if err := f.Add(context.Background(), "blind", m, o); err == nil {
			t.Error("a floor of the metric without a table")
		}
	})
	t.Run("S3.60/training_rows", func(t *testing.T) {
		// A floor of the metric is not measured on the rows that the model was trained on.
		table := labelled(t, 8, 300)
		c := *forest(t, 11, 1, 10, 15).Contents()
		pool := parallel.NewPool(1)
		defer pool.Close()
		as, err := table.As(c.Schema)
		if err != nil {
			t.Fatal(err)
		}
		c.Fingerprint = as.Fingerprint(pool)
		m, err := model.New(c)
		if err != nil {
			t.Fatal(err)
		}
		f := newRegistry(t)
		o := registry.AddOptions{Table: table, Floor: &registry.Floor{MaxDelta: math.Inf(1), MaxLoss: 0.5}}
		if err := f.Add(t.Context(), "seen", m, o); !errors.Is(err, compress.ErrTrainingData) {
			t.Errorf("a floor on training rows: %v", err)
		}
		o.AllowTrainingData = true
		f.add("allowed", m, o)
		for _, c := range f.info("allowed").Certificates {
			if !c.TrainingData || c.Data != as.Fingerprint(pool) {
				t.Errorf("%d bits: of training rows %v, data %s", c.Bits, c.TrainingData, c.Data)
			}
		}
		o.Table, o.AllowTrainingData = labelled(t, 9, 300), false
		f.add("other", m, o)
		if c := f.info("other").Certificates[0]; c.TrainingData {
			t.Error("other rows are taken for those of the training")
		}
	})
	t.Run("S3.60/certified", func(t *testing.T) {
		// What was compressed under a certificate loses nothing more.
		f := newRegistry(t)
		f.add("m", forest(t, 5, 1, 20, 31))
		f.at("m", store.Cold)
		small := expanded(t, f.get("m"))
		if small.Compressed() == nil || small.Compressed().Certificate == nil {
			t.Fatal("no certificate")
		}
		f.add("small", small)
		f.clock.pass(time.Hour)
		f.sweep()
		got, table := f.get("small"), rows(t, 2, 200)
		same(t, "certified", raw(t, got.Model, table), raw(t, small, table))
		if !got.Exact || string(got.Certificate) != string(small.Compressed().Certificate) {
			t.Errorf("exact %v, certificate %s", got.Exact, got.Certificate)
		}
	})
}

// A model whose lossless form is not kept stays in the tier that it was added in.
func TestDropSource(t *testing.T) {
	f := newRegistry(t)
	m := forest(t, 6, 1, 20, 31)
	table := rows(t, 2, 200)
	f.add("m", m, registry.AddOptions{Tier: store.Warm, DropSource: true})
	f.add("hot", m, registry.AddOptions{DropSource: true})
	f.clock.pass(time.Hour)
	f.sweep()
	got := f.get("m")
	same(t, "warm", raw(t, got.Model, table), raw(t, inForm(t, m, ptq.FormWarm), table))
	hot := f.get("hot")
	same(t, "hot", raw(t, hot.Model, table), raw(t, inForm(t, m, ptq.FormHot), table))
	if hot.Exact || hot.Bits != 8 || !(hot.Scores[0] > 0) {
		t.Errorf("8 bits read as %+v", hot)
	}
	if _, err := f.Full("m"); !errors.Is(err, registry.ErrNoSource) {
		t.Errorf("Full: %v", err)
	}
	if err := f.Pin("m", store.Hot); !errors.Is(err, registry.ErrNoSource) || f.info("m").Pinned {
		t.Errorf("Pin: %v", err)
	}
	err := f.Add(context.Background(), "n", m, registry.AddOptions{DropSource: true, Floor: &registry.Floor{}})
	if !errors.Is(err, registry.ErrQualityFloor) {
		t.Errorf("8 bits where no change is allowed: %v", err)
	}
}

// Use raises a model, time lowers it.
func TestUse(t *testing.T) {
	t.Run("S3.59/tiers", func(t *testing.T) {
		f := newRegistry(t)
		f.add("m", forest(t, 7, 1, 10, 9))
		for _, step := range []struct {
			wait time.Duration
			want store.Tier
		}{{0, store.Cold}, {10 * time.Minute, store.Cold}} {
			f.clock.pass(step.wait)
			f.sweep()
			if i := f.info("m"); i.Tier != step.want {
				t.Errorf("after %v it is %v", step.wait, i.Tier)
			}
		}
		for range 100 {
			f.get("m")
		}
		f.sweep() // 101 uses, 60 s ago: 1,695
		if i := f.info("m"); i.Tier != store.Hot {
			t.Errorf("used a hundred times it is %v", i.Tier)
		}
		f.clock.pass(10 * time.Minute) // 661 s: 156
		f.sweep()
		if i := f.info("m"); i.Tier != store.Warm {
			t.Errorf("later it is %v", i.Tier)
		}
	})
}

// Where memory is short, a pinned model stays in it while others come and go.
func TestPinnedStays(t *testing.T) {
	t.Run("S3.59/pinned_in_memory", func(t *testing.T) {
		f := newRegistry(t)
		for i := range 8 {
			f.add(fmt.Sprint(i), forest(t, uint64(i), 1, 20, 15))
		}
		if err := f.Pin("0", store.Hot); err != nil {
			t.Fatal(err)
		}
		f.get("0")
		f.get("1")
		one, other := f.info("0").Memory, f.info("1").Memory
		f.cfg.MemoryCap = one + 2*other + other/2 // room for it and two others
		f.reopen()
		f.get("0")
		for range 3 {
			for i := range 7 {
				f.get(fmt.Sprint(1 + i))
			}
		}
		if f.info("0").Memory == 0 {
			t.Error("a pinned model went before others")
		}
		before := f.Stats().Misses
		f.get("0")
		if after := f.Stats().Misses; after != before {
			t.Error("a pinned model was not in memory when it was read")
		}
		if s := f.Stats(); s.Memory > s.Cap {
			t.Errorf("%d bytes in memory, the cap is %d", s.Memory, s.Cap)
		}
	})
}

func TestErrors(t *testing.T) {
	ctx := context.Background()
	f := newRegistry(t)
	m := forest(t, 1, 1, 3, 4)
	f.add("m", m)
	for name, c := range map[string]struct {
		err  error
		want error
	}{
		"twice":      {f.Add(ctx, "m", m, registry.AddOptions{}), registry.ErrExists},
		"get":        {second(f.Get("none")), registry.ErrNotFound},
		"full":       {second(f.Full("none")), registry.ErrNotFound},
		"info":       {second(f.Info("none")), registry.ErrNotFound},
		"remove":     {f.Remove("none"), registry.ErrNotFound},
		"pin":        {f.Pin("none", store.Hot), registry.ErrNotFound},
		"unpin":      {f.Unpin("none"), registry.ErrNotFound},
		"rule":       {f.SetRule("none", nil), registry.ErrNotFound},
		"other base": {f.SetRule("m", registry.Prefix{Of: "none", Rounds: 1}), registry.ErrNotFound},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v, want %v", name, c.err, c.want)
		}
	}
	for _, id := range []string{"", "a#b", "a\nb", string(make([]byte, 201)), "\xff"} {
		if err := f.Add(ctx, id, m, registry.AddOptions{}); err == nil {
			t.Errorf("id %q was taken", id)
		}
	}
	t.Chdir(t.TempDir())
	if _, err := registry.Open("", f.cfg, registry.Options{Clock: f.clock.Now}); err == nil || !strings.Contains(err.Error(), "name of the folder is empty") {
		t.Errorf("a folder without a name: %v", err)
	}
	if _, err := registry.Open(f.dir, f.cfg, registry.Options{Clock: f.clock.Now}); !errors.Is(err, registry.ErrBusy) {
		t.Errorf("a second writer: %v", err)
	}
	for _, change := range []func(*store.Config){
		func(c *store.Config) { c.WarmBits = 6 }, func(c *store.Config) { c.Quant.TwoLevelCold = true }, func(c *store.Config) { c.Quant.BlockSize = 32 },
	} {
		if _, err := registry.Config(config(change)); err == nil {
			t.Error("settings that no registry can have were taken")
		}
	}
	reader, err := registry.Open(f.dir, f.cfg, registry.Options{Clock: f.clock.Now, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := reader.Add(ctx, "n", m, registry.AddOptions{}); !errors.Is(err, registry.ErrReadOnly) {
		t.Errorf("Add: %v", err)
	}
	f.add("n", m)
	f.at("m", store.Cold)
	if err := reader.Refresh(); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"m", "n"} {
		got, err := reader.Get(id)
		if err != nil {
			t.Fatal(err)
		}
		if want := f.get(id); encoded(t, expanded(t, got)) != encoded(t, expanded(t, want)) {
			t.Errorf("%s reads otherwise beside the writer", id)
		}
	}
	if err := f.Remove("n"); err != nil {
		t.Fatal(err)
	}
	f.reopen()
	if _, err := f.Get("n"); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("removed, and there: %v", err)
	}
	if err := f.Verify(); err != nil {
		t.Error(err)
	}
	if err := f.Compact(); err != nil {
		t.Error(err)
	}
	f.get("m")
}

func second[T any](_ T, err error) error { return err }

// Fifty models of which the cap holds ten: whatever is read, moved and pinned by whoever, the bytes in memory
// are under the cap after every step, and every reading is that of a form of its model.
func TestManyModels(t *testing.T) {
	t.Run("S3.59/cap", func(t *testing.T) {
		const models, within = 50, 10
		size := int64(0)
		table := rows(t, 3, 60)
		var all [models]*model.Model
		var scores [models][5][]float64 // exact, 8, 7, 5, 3 bits
		for i := range all {
			all[i] = forest(t, uint64(i), 1+i%2, 15, 15)
			scores[i][0] = raw(t, all[i], table)
			for k, form := range []ptq.Form{ptq.FormHot, ptq.FormWarm, ptq.FormWarm5, ptq.FormCold} {
				scores[i][k+1] = raw(t, inForm(t, all[i], form), table)
			}
		}
		probe := newRegistry(t)
		for i, m := range all {
			probe.add(fmt.Sprint(i), m)
			probe.get(fmt.Sprint(i))
		}
		size = probe.Stats().Memory * within / models
		f := newRegistry(t, func(c *store.Config) { c.MemoryCap, c.WarmByteCap, c.SweepInterval = size, 1500, 0 })
		for i, m := range all {
			f.add(fmt.Sprint(i), m)
		}
		under := func() {
			if s := f.Stats(); s.Memory > s.Cap || s.Cap != size {
				t.Errorf("%d bytes in memory, and the cap is %d", s.Memory, s.Cap)
			}
		}
		column := map[int]int{0: 0, 8: 1, 7: 2, 5: 3, 3: 4}
		steps := 150
		if testing.Short() {
			steps = 40
		}
		var seen sync.Map
		var group sync.WaitGroup
		for worker := range 6 {
			group.Go(func() {
				r := rand.New(rand.NewPCG(uint64(worker), 9))
				for range steps {
					i := int(math.Pow(r.Float64(), 3) * models)
					got, err := f.Get(fmt.Sprint(i))
					if err != nil {
						t.Error(err)
						return
					}
					seen.Store(got.Bits, true)
					same(t, fmt.Sprint(i, got.Bits), raw(t, got.Model, table), scores[i][column[got.Bits]])
					under()
				}
			})
		}
		group.Go(func() {
			for step := range steps {
				f.clock.pass(20 * time.Second)
				if r, err := f.Sweep(); err != nil || len(r.Failures) > 0 {
					t.Errorf("%+v %v", r, err)
				}
				under()
				if step%10 == 9 {
					if err := f.Pin("3", store.Tier(1+step/10%3)); err != nil && !errors.Is(err, registry.ErrChanged) {
						t.Error(err)
					}
					under()
				}
			}
		})
		group.Wait()
		// Some uses more, one after the other, so that all tiers are met whatever the scheduler did.
		for step := range 40 {
			for i := range models {
				if step%(1+i) == 0 {
					got := f.get(fmt.Sprint(i))
					seen.Store(got.Bits, true)
					same(t, fmt.Sprint(i, got.Bits), raw(t, got.Model, table), scores[i][column[got.Bits]])
					under()
				}
			}
			f.after(10 * time.Second)
			under()
		}
		// Whatever the scheduler did: a model that is warm alone has 7 bits, a cold one 3.
		f.idle()
		for bits, tier := range map[int]store.Tier{7: store.Warm, 3: store.Cold} {
			f.at("7", tier)
			got := f.get("7")
			seen.Store(got.Bits, true)
			same(t, fmt.Sprint(7, got.Bits), raw(t, got.Model, table), scores[7][column[bits]])
			under()
		}
		for _, bits := range []int{0, 7, 5, 3} {
			if _, ok := seen.Load(bits); !ok {
				t.Errorf("no model was read in %d bits", bits)
			}
		}
	})
	t.Run("S3.59/floors_over_the_cap", func(t *testing.T) {
		f := newRegistry(t, func(c *store.Config) { c.MemoryCap = 100_000 })
		exact := registry.AddOptions{Floor: &registry.Floor{}}
		table := rows(t, 3, 60)
		for i := range 20 {
			f.add(fmt.Sprint(i), forest(t, uint64(i), 1, 15, 15), exact)
		}
		f.clock.pass(time.Hour)
		report := f.sweep()
		s := f.Stats()
		if report.Short <= 0 || s.Short != report.Short || s.Floors != s.Cap+s.Short {
			t.Errorf("20 models that must stay as they are: short by %d of %d", report.Short, s.Floors)
		}
		for i := range 20 {
			got := f.get(fmt.Sprint(i))
			same(t, fmt.Sprint(i), raw(t, got.Model, table), raw(t, forest(t, uint64(i), 1, 15, 15), table))
			if s := f.Stats(); !got.Exact || s.Memory > s.Cap {
				t.Errorf("%d is exact: %v; %d bytes in memory", i, got.Exact, s.Memory)
			}
		}
		if s.Short = f.Stats().Short; s.Short != report.Short {
			t.Errorf("short by %d, then by %d", report.Short, s.Short)
		}
	})
}
