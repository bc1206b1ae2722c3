package tensorbench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"boost/tensorq/store"
)

// small are options whose stores are made in a moment.
func small(t *testing.T) Options {
	t.Helper()
	o := Options{Config: store.DefaultConfig(), Dir: t.TempDir(), Budget: time.Millisecond}
	o.Config.WarmByteCap, o.Config.SyncWrites = 1<<18, false
	return o
}

// figures are those of the lines that stores have a part in, and the tiers without their
// speeds.
func figures(t *testing.T, o Options) string {
	t.Helper()
	var b strings.Builder
	for _, i := range list() {
		if !strings.HasPrefix(i.number, "5.3") && !strings.HasPrefix(i.number, "5.4") && i.number != "5.1.6" && i.number != "5.1.7" && i.number != "5.1.8" {
			continue
		}
		figure, ok, err := i.measure(o)
		if err != nil {
			t.Fatalf("%s: %v", i.number, err)
		}
		fmt.Fprintln(&b, figure, ok)
	}
	s, err := Tiers(o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Tiers {
		s.Tiers[i].PutMBs, s.Tiers[i].ReadMBs = 0, 0
	}
	fmt.Fprintf(&b, "%+v", s)
	return b.String()
}

// keys returns the names of all settings, without their section.
func keys() []string {
	var c store.Config
	var names []string
	for _, s := range store.Settings(&c) {
		names = append(names, s.Leaf())
	}
	return names
}

// Every setting of a store shows in what is measured, but for sync_writes, which shows in the
// speed of writing alone.
func TestSettingsShow(t *testing.T) {
	usual := figures(t, small(t))
	for line := range strings.Lines(usual) {
		if strings.HasSuffix(line, "false\n") {
			t.Errorf("with the defaults: %s", line)
		}
	}
	changes := map[string]func(c *store.Config){
		"hot_bits":             func(c *store.Config) { c.HotBits = 7 },
		"warm_bits":            func(c *store.Config) { c.WarmBits = 8 },
		"warm_low_bits":        func(c *store.Config) { c.WarmLowBits = 3 },
		"cold_bits":            func(c *store.Config) { c.ColdBits = 5 },
		"hot_score":            func(c *store.Config) { c.HotScore = 200 },
		"warm_score":           func(c *store.Config) { c.WarmScore = 10 },
		"score_scale":          func(c *store.Config) { c.ScoreScale = 10_000 },
		"warm_byte_cap":        func(c *store.Config) { c.WarmByteCap = 1 << 19 },
		"hysteresis":           func(c *store.Config) { c.Hysteresis = 0.5 },
		"sweep_interval":       func(c *store.Config) { c.SweepInterval = 0 },
		"absent_min_score":     func(c *store.Config) { c.AbsentMinScore = 0 },
		"absent_age_threshold": func(c *store.Config) { c.AbsentAgeThreshold = 100 * time.Hour },
		"max_depth":            func(c *store.Config) { c.MaxDepth = 5 },
		"fail_fast":            func(c *store.Config) { c.FailFast = true },
		"memory_cap":           func(c *store.Config) { c.MemoryCap = 1 << 18 },
		"sync_writes":          nil,
		"compact_ratio":        func(c *store.Config) { c.CompactRatio = 100 },
		"block_size":           func(c *store.Config) { c.Quant.BlockSize = 100 },
		"two_level_cold":       func(c *store.Config) { c.Quant.TwoLevelCold = true },
		"two_level_threshold":  func(c *store.Config) { c.Quant.TwoLevelThreshold = 7 },
		"outlier_fraction":     func(c *store.Config) { c.Quant.TwoLevelCold, c.Quant.OutlierFraction = true, 0.2 },
		"headroom":             func(c *store.Config) { c.Quant.Headroom = 0.5 },
	}
	for _, key := range keys() {
		change, known := changes[key]
		if !known {
			t.Errorf("registry.%s: the test has no other value for it", key)
		}
		if change == nil {
			continue
		}
		t.Run(key, func(t *testing.T) {
			o := small(t)
			before := usual
			if key == "outlier_fraction" {
				o.Config.Quant.TwoLevelCold = true
				before = figures(t, o)
			}
			change(&o.Config)
			if err := o.Config.Validate(); err != nil {
				t.Fatal(err)
			}
			if figures(t, o) == before {
				t.Errorf("nothing that is measured changes:\n%s", before)
			}
		})
	}
}

// A line ends in its verdict, and has the word nowhere else.
func TestLine(t *testing.T) {
	for ok, want := range map[bool]string{
		true:  "5.1.1  nothing is lost: 3 of 3  pass",
		false: "5.1.1  nothing is lost: 3 of 3  FAIL",
	} {
		if got := (Line{Item: "5.1.1", Text: "nothing is lost", Figure: "3 of 3", OK: ok}).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Run ends with the error of its caller, and when it is called off.
func TestRunEnds(t *testing.T) {
	full := errors.New("no room for a line")
	if err := Run(context.Background(), small(t), func(Line) error { return full }); !errors.Is(err, full) {
		t.Errorf("got %v, want %v", err, full)
	}
	ctx, cancel := context.WithCancel(context.Background())
	lines := 0
	err := Run(ctx, small(t), func(Line) error { lines++; cancel(); return nil })
	if !errors.Is(err, context.Canceled) || lines != 1 {
		t.Errorf("%v after %d lines", err, lines)
	}
}
