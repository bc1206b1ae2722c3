package registry_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"boost/booster/model"
	"boost/ptq/compress/registry"
	"boost/tensorq/store"
)

// made returns what a rule that needs nothing but the base makes.
func (f *fixture) made(rule registry.Rule) *model.Model {
	f.t.Helper()
	m, err := f.Make(rule)
	if err != nil {
		f.t.Fatal(err)
	}
	return m
}

// goes checks that a model becomes absent, keeps next to nothing, reads as the same bytes, and returns when it is
// used.
func (f *fixture) goes(id string, want *model.Model, most int64) {
	f.t.Helper()
	f.idle()
	f.stays(id, want, most)
	f.reopen()
	f.stays(id, want, most)
	bare := f.info(id).Stored
	for range 200 {
		f.get(id)
	}
	f.sweep()
	if i := f.info(id); i.Tier == store.Absent || i.Stored <= bare {
		f.t.Errorf("%s is used and still %v, %d bytes", id, i.Tier, i.Stored)
	}
	f.at(id, store.Warm)
	if got := f.get(id); got.Exact || got.Bits != 7 {
		f.t.Errorf("%s is read with %d bits", id, got.Bits)
	}
	f.idle()
	f.stays(id, want, most)
}

func (f *fixture) stays(id string, want *model.Model, most int64) {
	f.t.Helper()
	i := f.info(id)
	if i.Tier != store.Absent || i.Stored > most {
		f.t.Fatalf("%s is %v and has %d bytes on the disk; want absent and at most %d", id, i.Tier, i.Stored, most)
	}
	full, err := f.Full(id)
	if err != nil {
		f.t.Fatal(err)
	}
	if encoded(f.t, full) != encoded(f.t, want) {
		f.t.Errorf("%s is made as other bytes", id)
	}
	got, table := f.get(id), rows(f.t, 4, 100)
	if !got.Exact || got.Tier != store.Absent {
		f.t.Errorf("%s reads as %v, exact %v", id, got.Tier, got.Exact)
	}
	same(f.t, id, raw(f.t, got.Model, table), raw(f.t, want, table))
}

// aboutBytes is what the metadata of a model takes.
const aboutBytes = 2500

// Models that a rule makes of another become absent, keep next to no bytes, and are read as before.
func TestRules(t *testing.T) {
	base := forest(t, 1, 3, 20, 15)
	for _, c := range []struct {
		name string
		rule registry.Rule
	}{
		{"S3.53/prefix", registry.Prefix{Of: "base", Rounds: 7}},
		{"S3.53/prefix_of_none", registry.Prefix{Of: "base"}},
		{"S3.53/scale", registry.Scale{Of: "base", By: 0.3}},
		{"S3.53/permutation_of_outputs", registry.Permutation{Of: "base", Outputs: []int{2, 0, 1}}},
		{"S3.53/permutation_of_trees", registry.Permutation{Of: "base", Trees: rand.New(rand.NewPCG(1, 1)).Perm(60)}},
		{"S3.53/projection", registry.Projection{Of: "base", Outputs: []int{2, 0}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newRegistry(t)
			f.add("base", base)
			m := f.made(c.rule)
			f.add("m", m)
			if i := f.info("m"); i.Source != "file" {
				t.Fatalf("source %q", i.Source)
			}
			if err := f.SetRule("m", c.rule); err != nil {
				t.Fatal(err)
			}
			if i := f.info("m"); i.Source == "file" || i.Of != "base" || i.Tier != store.Hot {
				t.Errorf("%v, source %q of %q", i.Tier, i.Source, i.Of)
			}
			f.goes("m", m, aboutBytes)
		})
	}
	t.Run("S3.53/meaning", func(t *testing.T) {
		f := newRegistry(t)
		f.add("base", base)
		table := rows(t, 2, 50)
		all := raw(t, base, table)
		var swapped, kept []float64
		for i := range 50 {
			swapped = append(swapped, all[3*i+2], all[3*i], all[3*i+1])
			kept = append(kept, all[3*i+2], all[3*i])
		}
		same(t, "outputs", raw(t, f.made(registry.Permutation{Of: "base", Outputs: []int{2, 0, 1}}), table), swapped)
		same(t, "projection", raw(t, f.made(registry.Projection{Of: "base", Outputs: []int{2, 0}}), table), kept)
		// A factor is one of the leaves and not of the base score; 0.25 is exact.
		scaled := raw(t, f.made(registry.Scale{Of: "base", By: 0.25}), table)
		for i, s := range scaled {
			start := base.Contents().BaseScore[i%3]
			if want := start + (all[i]-start)/4; math.Abs(s-want) > 1e-13 {
				t.Errorf("a quarter: score %d is %v, want %v", i, s, want)
			}
		}
		order := rand.New(rand.NewPCG(1, 1)).Perm(60)
		ordered := f.made(registry.Permutation{Of: "base", Trees: order}).Contents().Trees
		for i, from := range order {
			if was := base.Contents().Trees[from]; !slices.Equal(ordered[i].Leaf, was.Leaf) || !slices.Equal(ordered[i].Code, was.Code) {
				t.Errorf("tree %d is not what tree %d was", i, from)
			}
		}
		first, err := base.PredictRaw(context.Background(), table, model.Rounds(7))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "prefix", raw(t, f.made(registry.Prefix{Of: "base", Rounds: 7}), table), first)
	})
	t.Run("S3.52/append", func(t *testing.T) {
		f := newRegistry(t)
		short, err := base.Prefix(15)
		if err != nil {
			t.Fatal(err)
		}
		f.add("short", short)
		rule, err := f.FindRule("short", base)
		if err != nil || rule != (registry.Append{Of: "short"}) {
			t.Fatalf("%v %v", rule, err)
		}
		f.add("long", base, registry.AddOptions{Rule: rule})
		f.goes("long", base, base5(t, base))
	})
	for _, sparse := range []bool{true, false} {
		t.Run(fmt.Sprintf("S3.52/leaves,sparse=%v", sparse), func(t *testing.T) {
			leaves := base.Leaves()
			for i := range leaves {
				if !sparse || i%10 == 0 {
					leaves[i] = 0.9*leaves[i] + 0.01
				}
			}
			refitted, err := base.WithLeaves(leaves)
			if err != nil {
				t.Fatal(err)
			}
			f := newRegistry(t)
			f.add("base", base)
			rule, err := f.FindRule("base", refitted)
			if err != nil || rule != (registry.Leaves{Of: "base"}) {
				t.Fatalf("%v %v", rule, err)
			}
			f.add("m", refitted, registry.AddOptions{Rule: rule})
			most := int64(aboutBytes + 2000)
			if sparse {
				most += int64(len(leaves))
			} else {
				most += int64(8 * len(leaves))
			}
			f.goes("m", refitted, most)
		})
	}
}

// base5 is what the last 5 of 20 rounds take, generously.
func base5(t *testing.T, m *model.Model) int64 {
	tail, err := m.Tail(15)
	if err != nil {
		t.Fatal(err)
	}
	return int64(len(encoded(t, tail))) + aboutBytes
}

// A rule that does not make its model is refused, and so is one that leads nowhere, back or too far.
func TestRuleErrors(t *testing.T) {
	f := newRegistry(t)
	a, b := forest(t, 1, 1, 10, 9), forest(t, 2, 1, 10, 9)
	f.add("a", a)
	f.add("b", b)
	for _, rule := range []registry.Rule{
		registry.Prefix{Of: "a", Rounds: 10}, registry.Prefix{Of: "a", Rounds: 11}, registry.Append{Of: "a"}, registry.Leaves{Of: "a"},
		registry.Scale{Of: "a", By: 2}, registry.Permutation{Of: "a", Outputs: []int{0}}, registry.Permutation{Of: "a"},
		registry.Permutation{Of: "a", Trees: []int{0, 0}}, registry.Projection{Of: "a"}, registry.Projection{Of: "a", Outputs: []int{1}},
	} {
		if err := f.SetRule("b", rule); !errors.Is(err, registry.ErrRule) {
			t.Errorf("%+v: %v", rule, err)
		}
		if i := f.info("b"); i.Source != "file" {
			t.Fatalf("%+v: the file is gone", rule)
		}
	}
	if _, err := f.FindRule("a", b); !errors.Is(err, registry.ErrRule) {
		t.Errorf("FindRule: %v", err)
	}
	t.Run("S3.54/chains", func(t *testing.T) {
		before := "a"
		for k, rounds := range []int{9, 8, 7, 6} {
			id := fmt.Sprint("a", rounds)
			rule := registry.Prefix{Of: before, Rounds: rounds}
			m := f.made(rule)
			err := f.Add(context.Background(), id, m, registry.AddOptions{Rule: rule})
			if k == 3 {
				if !errors.Is(err, registry.ErrReconstructionDepth) {
					t.Errorf("a chain of 4: %v", err)
				}
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			before = id
		}
		m, err := a.Prefix(7)
		if err != nil {
			t.Fatal(err)
		}
		f.goes("a7", m, aboutBytes)
		for _, id := range []string{"a", "a9", "a8"} {
			var needed *registry.NeededError
			if err := f.Remove(id); !errors.As(err, &needed) || needed.ID != id || len(needed.By) != 1 {
				t.Errorf("Remove(%q): %v", id, err)
			}
			if err := f.SetRule(id, registry.Discard{}); err == nil {
				t.Errorf("%q is to be discarded, and others need it", id)
			}
		}
		for _, of := range []string{"a9", "a"} {
			if err := f.SetRule("a", registry.Prefix{Of: of, Rounds: 9}); !errors.Is(err, registry.ErrCycle) {
				t.Errorf("a of %s: %v", of, err)
			}
		}
		// Without its rule a model stands alone again.
		f.at("a9", store.Hot)
		if err := f.SetRule("a9", nil); err != nil {
			t.Fatal(err)
		}
		if i := f.info("a9"); i.Source != "file" {
			t.Errorf("source %q", i.Source)
		}
		if err := f.Remove("a"); err != nil {
			t.Errorf("nothing needs it: %v", err)
		}
		f.reopen()
		f.stays("a7", m, aboutBytes)
	})
}

// A model that was discarded has no predictions, and the error says which.
func TestDiscard(t *testing.T) {
	t.Run("S3.51/library", func(t *testing.T) {
		// fail_fast = false is for tensors: models fail fast whatever it says.
		f := newRegistry(t, func(c *store.Config) { c.FailFast = false })
		f.add("gone model", forest(t, 1, 1, 10, 9))
		if err := f.SetRule("gone model", registry.Discard{}); err != nil {
			t.Fatal(err)
		}
		f.sweep()
		f.get("gone model") // it is used, and stays
		f.idle()
		for range 2 {
			_, err := f.Get("gone model")
			if !errors.Is(err, registry.ErrTierZeroNoPolicy) {
				t.Fatalf("Get: %v", err)
			}
			mentions(t, err.Error(), "gone model")
			if _, err := f.Predict(context.Background(), "gone model", rows(t, 1, 5)); !errors.Is(err, registry.ErrTierZeroNoPolicy) {
				t.Errorf("Predict: %v", err)
			}
			if _, err := f.Full("gone model"); !errors.Is(err, registry.ErrTierZeroNoPolicy) {
				t.Errorf("Full: %v", err)
			}
			f.reopen()
		}
		if i := f.info("gone model"); i.Stored > aboutBytes || i.Source != "" {
			t.Errorf("%d bytes are left of it, source %q", i.Stored, i.Source)
		}
		for range 1000 {
			_, _ = f.Get("gone model")
		}
		f.clock.pass(time.Minute)
		if _, err := f.Sweep(); err != nil {
			t.Error(err)
		}
		if _, err := f.Get("gone model"); !errors.Is(err, registry.ErrTierZeroNoPolicy) {
			t.Errorf("asking for it made one: %v", err)
		}
		if err := f.Remove("gone model"); err != nil {
			t.Error(err)
		}
	})
}
