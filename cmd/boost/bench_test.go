package main

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// benchQuickly lets bench take its times in moments, which says nothing about speed.
func benchQuickly(t *testing.T) {
	t.Helper()
	budget := benchBudget
	benchBudget = time.Millisecond
	t.Cleanup(func() { benchBudget = budget })
}

// benchLine is a line of the list; no other line has its verdict's words.
var benchLine = regexp.MustCompile(`^5\.[1-4]\.\d+  \S.*: .*\d.*  (pass|FAIL)$`)

// Times depend on what else the machine does, so only the rest of the list is held to its bars.
var benchTimed = regexp.MustCompile(`^5\.2\.[1-4] `)

func TestBenchTensorq(t *testing.T) {
	benchQuickly(t)
	inFolder(t)
	small := []string{"bench", "tensorq", "--set", "registry.warm_byte_cap=1MiB", "--set", "registry.sync_writes=false"}
	r := boost(t, small...)
	lines, failed := 0, false
	for line := range strings.Lines(r.out) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.Contains(line, "pass") && !strings.Contains(line, "FAIL") {
			continue
		}
		lines++
		if !benchLine.MatchString(line) {
			t.Errorf("%q is no line of the list", line)
		}
		if strings.HasSuffix(line, "FAIL") {
			failed = true
			if !benchTimed.MatchString(line) {
				t.Error(line)
			}
		}
	}
	if want := 8 + 5 + 6 + 2; lines != want {
		t.Errorf("%d lines for the %d items of the list:\n%s", lines, want, r.out)
	}
	if want := map[bool]int{false: 0, true: 1}[failed]; r.code != want {
		t.Errorf("exit code %d, want %d\n%s", r.code, want, r.errors)
	}
	says(t, r.out, "hot ", "warm ", "cold ", "bytes a value", "over a cap of 1.0 MiB")

	// With a hysteresis of 0 nothing returns, and that is said.
	var result struct {
		Passed, Failed int
		Lines          []struct {
			Item, Text, Figure string
			Pass               bool
		}
		Store struct{ Tiers []struct{ Bits int } }
	}
	file(t, "run.toml", "[train]\nrounds = 3\n[registry]\nhysteresis = 0\n")
	r = must(t, 1, boost(t, append(small, "--config", "run.toml", "--json")...))
	if err := json.Unmarshal([]byte(r.out), &result); err != nil {
		t.Fatalf("%v\n%s", err, r.out)
	}
	if len(result.Lines) != lines || result.Passed+result.Failed != lines || len(result.Store.Tiers) != 3 {
		t.Errorf("%+v", result)
	}
	for _, l := range result.Lines {
		if l.Item == "5.4.2" && (l.Pass || !strings.Contains(l.Figure, "the limit is 0.0 MiB")) {
			t.Errorf("%+v", l)
		}
	}
	if r.errors != "" {
		t.Errorf("words beside the list: %q", r.errors)
	}
}

// The keys of [registry] may stand in a config for training, which is none of their business.
func TestTrainLeavesRegistryAlone(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(200))
	const training = "[data]\ntrain = \"t.csv\"\nlabel = \"y\"\n[train]\nrounds = 3\n"
	file(t, "without.toml", training)
	file(t, "with.toml", training+"[registry]\nblock_size = 128\nwarm_byte_cap = \"1MiB\"\n")
	for _, name := range []string{"with", "without"} {
		must(t, 0, boost(t, "train", name+".toml", "-q", "-o", name+".boost"))
	}
	with, err := os.ReadFile("with.boost")
	if err != nil {
		t.Fatal(err)
	}
	without, err := os.ReadFile("without.boost")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(with, without) {
		t.Error("the model differs")
	}
	must(t, 2, boost(t, "train", "with.toml", "--set", "registry.hot_score=1"))
}
