package registry_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"boost/booster/model"
	"boost/ptq"
	"boost/ptq/compress/registry"
	"boost/tensorq/store"
)

// log is the file that a log of a registry has after it was made.
func log(dir, name string) string { return filepath.Join(dir, name, "00000001.log") }

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A byte of the logs is another one: the registry, or the model that is concerned, is refused, and whatever
// answers answers as one of the forms of its model.
func TestDamage(t *testing.T) {
	t.Run("S3.59/damage", func(t *testing.T) {
		f := newRegistry(t)
		table := rows(t, 1, 20)
		all := map[string]*model.Model{"hot": forest(t, 1, 1, 4, 5), "cold": forest(t, 2, 1, 4, 5), "base": forest(t, 3, 1, 5, 5)}
		var err error
		if all["part"], err = all["base"].Prefix(2); err != nil {
			t.Fatal(err)
		}
		scores := map[string][][]float64{}
		for id, m := range all {
			if id != "part" {
				f.add(id, m)
			}
		}
		f.add("part", all["part"], registry.AddOptions{Rule: registry.Prefix{Of: "base", Rounds: 2}})
		for id, m := range all {
			scores[id] = append(scores[id], raw(t, m, table))
			for _, form := range []ptq.Form{ptq.FormHot, ptq.FormWarm, ptq.FormWarm5, ptq.FormCold} {
				scores[id] = append(scores[id], raw(t, inForm(t, m, form), table))
			}
		}
		f.idle()
		for range 200 {
			f.get("hot")
		}
		f.sweep()
		if a, b, c := f.info("hot").Tier, f.info("cold").Tier, f.info("part").Tier; a != store.Hot || b != store.Cold || c != store.Absent {
			t.Fatalf("%v %v %v", a, b, c)
		}
		if err := f.Registry.Close(); err != nil {
			t.Fatal(err)
		}
		stride := 53
		if testing.Short() {
			stride = 499
		}
		answers, refusals := 0, 0
		for _, name := range []string{"models", "tensors"} {
			good := read(t, log(f.dir, name))
			for at := 0; at < len(good); at += stride {
				dir := filepath.Join(t.TempDir(), "copy") // with the index: damage is met where it is read
				if err := os.CopyFS(dir, os.DirFS(f.dir)); err != nil {
					t.Fatal(err)
				}
				bad := append([]byte(nil), good...)
				bad[at] ^= byte(1 << (at % 8))
				if err := os.WriteFile(log(dir, name), bad, 0o666); err != nil {
					t.Fatal(err)
				}
				for _, readOnly := range []bool{true, false} {
					r, err := registry.Open(dir, f.cfg, registry.Options{Clock: f.clock.Now, ReadOnly: readOnly})
					if err != nil {
						refusals++
						continue
					}
					for id := range all {
						got, err := r.Get(id)
						if err != nil {
							refusals++
							continue
						}
						answers++
						if !among(raw(t, got.Model, table), scores[id]) {
							t.Errorf("byte %d of %s is another one, and %s predicts what no form of it does", at, name, id)
						}
					}
					if err := r.Close(); err != nil && readOnly {
						t.Error(err)
					}
				}
			}
		}
		if answers == 0 || refusals == 0 {
			t.Errorf("%d answers and %d refusals", answers, refusals)
		}
	})
	// The logs are of two moments, between which the id went to another model with the same splits.
	for _, older := range []string{"models", "tensors"} {
		t.Run("S3.59/older_"+older, func(t *testing.T) {
			f := newRegistry(t)
			first := forest(t, 1, 1, 6, 9)
			leaves := first.Leaves()
			for i := range leaves {
				leaves[i] = 1 - leaves[i]
			}
			second, err := first.WithLeaves(leaves)
			if err != nil {
				t.Fatal(err)
			}
			f.add("x", first, registry.AddOptions{Tier: store.Cold})
			if err := f.Registry.Close(); err != nil {
				t.Fatal(err)
			}
			kept := read(t, log(f.dir, older))
			f.open()
			if err := f.Remove("x"); err != nil {
				t.Fatal(err)
			}
			f.add("x", second, registry.AddOptions{Tier: store.Cold})
			if err := f.Registry.Close(); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			copyFolder(t, f.dir, dir)
			if err := os.WriteFile(log(dir, older), kept, 0o666); err != nil {
				t.Fatal(err)
			}
			f.dir = dir
			if r, err := registry.Open(dir, f.cfg, registry.Options{Clock: f.clock.Now}); !errors.As(err, new(*store.DamageError)) {
				t.Fatalf("%v, %v", r, err)
			}
			r := f.repair()
			f.open()
			want := map[string]*model.Model{"models": first, "tensors": second}[older]
			same(t, "repaired", raw(t, f.get("x").Model, rows(t, 1, 9)), raw(t, want, rows(t, 1, 9)))
			if len(r.Made) != 1 || r.Made[0].ID != "x" || len(r.Lost) != 0 {
				t.Errorf("%+v", r)
			}
			f.add("y", second)
			f.reopen()
			same(t, "added again", raw(t, f.get("y").Model, rows(t, 1, 9)), raw(t, second, rows(t, 1, 9)))
		})
	}
}

func among(got []float64, all [][]float64) bool {
	for _, want := range all {
		equal := true
		for i := range want {
			equal = equal && got[i] == want[i]
		}
		if equal {
			return true
		}
	}
	return false
}

// A discarded model that a rule made is gone for good too.
func TestDiscardRule(t *testing.T) {
	t.Run("S3.51/rule", func(t *testing.T) {
		f := newRegistry(t)
		f.add("base", forest(t, 1, 1, 10, 9))
		f.add("part", f.made(registry.Prefix{Of: "base", Rounds: 4}), registry.AddOptions{Rule: registry.Prefix{Of: "base", Rounds: 4}})
		if err := f.SetRule("part", registry.Discard{}); err != nil {
			t.Fatal(err)
		}
		f.reopen()
		if i := f.info("part"); !i.Discard || i.Source != "file" {
			t.Errorf("discard %v, source %q", i.Discard, i.Source)
		}
		f.idle()
		f.clock.pass(time.Hour)
		if _, err := f.Get("part"); !errors.Is(err, registry.ErrTierZeroNoPolicy) {
			t.Errorf("Get: %v", err)
		}
		if err := f.Remove("base"); err != nil {
			t.Errorf("nothing needs it: %v", err)
		}
	})
}

// Where not all forms fit as they are ready to predict with, files are kept of those used longest ago, and
// they predict the same.
func TestPacked(t *testing.T) {
	t.Run("S3.59/packed", func(t *testing.T) {
		const models = 40
		f := newRegistry(t, func(c *store.Config) { c.MemoryCap = 100_000 })
		table := rows(t, 1, 30)
		var want [models][]float64
		for i := range models {
			m := forest(t, uint64(i), 1, 20, 15)
			want[i] = raw(t, inForm(t, m, ptq.FormCold), table)
			f.add(id(i), m, registry.AddOptions{Tier: store.Cold})
		}
		ask := func() {
			for i := range models {
				same(t, id(i), raw(t, f.get(id(i)).Model, table), want[i])
				if s := f.Stats(); s.Memory > s.Cap {
					t.Errorf("%d bytes, and the cap is %d", s.Memory, s.Cap)
				}
			}
		}
		ask()
		s := f.Stats()
		if s.Ready == 0 || s.Packed == 0 || s.Ready+s.Packed > models {
			t.Errorf("%d ready and %d packed of %d", s.Ready, s.Packed, models)
		}
		ask()
		if now := f.Stats(); s.Ready+s.Packed == models && now.Misses != s.Misses {
			t.Errorf("%d misses of models that are all in memory", now.Misses-s.Misses)
		}
		if err := f.Pin(id(0), store.Cold); err != nil {
			t.Fatal(err)
		}
		f.get(id(0))
		ask()
		misses := f.Stats().Misses
		f.get(id(0))
		if f.Stats().Misses != misses || f.info(id(0)).Memory == 0 {
			t.Error("a pinned model went before others")
		}
	})
}

func id(i int) string { return string(rune('a'+i/10)) + string(rune('0'+i%10)) }
