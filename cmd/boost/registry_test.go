package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"boost/booster/model"
	"boost/dataset"
	"boost/internal/report"
	"boost/ptq/compress/registry"
	"boost/tensorq/store"
)

// registryTime sets the clock of registries for a test and returns what moves it on.
func registryTime(t *testing.T) (pass func(time.Duration)) {
	t.Helper()
	now := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	registryClock = func() time.Time { return now }
	t.Cleanup(func() { registryClock = time.Now })
	return func(d time.Duration) { now = now.Add(d) }
}

// listed returns what registry list says of all models, by id.
func listed(t *testing.T, dir string) map[string]report.RegistryEntry {
	t.Helper()
	var all []report.RegistryEntry
	if err := json.Unmarshal([]byte(must(t, 0, boost(t, "registry", "list", dir, "--json")).out), &all); err != nil {
		t.Fatal(err)
	}
	byID := map[string]report.RegistryEntry{}
	for _, i := range all {
		byID[i.ID] = i
	}
	return byID
}

func bytesOf(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The program's way through a registry: a model goes in, sinks while nobody uses it, predicts as its
// certificate says, and comes out as it went in.
func TestRegistry(t *testing.T) {
	models(t)
	pass := registryTime(t)
	must(t, 0, boost(t, "registry", "add", "reg", "y.boost"))
	must(t, 0, boost(t, "registry", "add", "reg", "b.boost", "--id", "yes or no", "--max-delta", "0"))
	must(t, 0, boost(t, "registry", "add", "reg", "c.boost", "--data", "t.csv", "--allow-train-data", "--max-loss", "1000%", "--json"))
	full := must(t, 0, boost(t, "predict", "y.boost", "t.csv", "--kind", "raw")).out
	for _, part := range []string{"models", "tensors"} { // as a process leaves it that is killed when it makes one
		if err := os.MkdirAll("begun/"+part, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"list", "stats", "compact", "repair"} {
			says(t, must(t, 4, boost(t, "registry", command, "begun")).errors, "begun: there is no registry: boost registry add makes one")
		}
		file(t, "begun/"+part+"/lock", "")
	}
	must(t, 0, boost(t, "registry", "add", "begun", "y.boost"))
	must(t, 0, boost(t, "registry", "list", "begun"))
	says(t, must(t, 2, boost(t, "registry", "add", "", "y.boost")).errors, "the name of the folder is empty")
	if _, err := os.Stat("models"); err == nil {
		t.Error("a folder without a name was taken for the current one")
	}
	r := must(t, 5, boost(t, "registry", "pin", "reg", "yes or no", "--tier", "cold"))
	says(t, r.errors, "change raw scores by up to", "its floor allows 0:", "fewer bits than its quality floor allows", "tier of more bits")
	if strings.Contains(r.errors, "Inf") || strings.Contains(r.errors, "metric") {
		t.Errorf("the floor of a score speaks of others: %s", r.errors)
	}
	t.Run("S3.59/tiers", func(t *testing.T) {
		if got := must(t, 0, boost(t, "predict", "reg#y", "t.csv", "--kind", "raw")).out; got != full {
			t.Error("a hot model predicts other than its file")
		}
		pass(time.Hour)
		must(t, 0, boost(t, "registry", "compact", "reg"))
		all := listed(t, "reg")
		if y, b, c := all["y"], all["yes or no"], all["c"]; y.Tier != "cold" || y.Exact || y.Bits != 3 || !(*y.MaxDelta > 0) ||
			!b.Exact || b.MinBits != nil || *b.FloorDelta != 0 || c.Tier != "cold" || len(c.Certificates) != 4 || c.Certificates[3].Metric == "" {
			t.Errorf("%+v\n%+v\n%+v", y, b, c)
		}
		r := must(t, 0, boost(t, "predict", "reg#y", "t.csv", "--kind", "raw"))
		says(t, r.errors, "y in reg is cold: raw scores may be off by")
		most := farthestOf(t, r.out, full)
		if bound := *all["y"].MaxDelta; most == 0 || most > bound {
			t.Errorf("scores are off by %v, certified %v", most, bound)
		}
		must(t, 0, boost(t, "registry", "get", "reg", "y", "-o", "cold.boost"))
		if got := must(t, 0, boost(t, "predict", "cold.boost", "t.csv", "--kind", "raw")).out; got != r.out {
			t.Error("the file of the tier predicts other than the registry")
		}
		m, err := model.Load("cold.boost")
		if err != nil || m.Compressed() == nil || m.Compressed().Leaves.Form().String() != "cold" {
			t.Fatalf("%v %v", m, err)
		}
		says(t, string(m.Compressed().Certificate), `"method":"leaf errors"`, `"raw_bound"`)
		if m.Compressed().Source != all["y"].SHA256 {
			t.Errorf("it is made of %s", m.Compressed().Source)
		}
		must(t, 0, boost(t, "registry", "get", "reg", "y", "--full", "-o", "back.boost"))
		if bytesOf(t, "back.boost") != bytesOf(t, "y.boost") {
			t.Error("the model comes back as other bytes")
		}
		if got := must(t, 0, boost(t, "predict", "reg#y", "t.csv", "--kind", "raw", "--load", "compact")).out; got != r.out {
			t.Error("it predicts otherwise when it is loaded compact")
		}
		if got := must(t, 0, boost(t, "predict", "reg#yes or no", "t.csv", "--load", "compact")).out; got != must(t, 0, boost(t, "predict", "b.boost", "t.csv")).out {
			t.Error("a model as it was added predicts otherwise when it is asked for compact")
		}
		must(t, 0, boost(t, "registry", "get", "reg", "c", "-o", "cold.boost"))
		says(t, must(t, 0, boost(t, "inspect", "cold.boost")).out, "multi_logloss", "rows that the model was trained on")
		var human, machine = must(t, 0, boost(t, "eval", "reg#c", "t.csv")).out, must(t, 0, boost(t, "registry", "list", "reg")).out
		says(t, human, "multi_logloss")
		says(t, machine, "yes or no", "exact", "cold")
	})
	t.Run("S3.60/pin", func(t *testing.T) {
		r := must(t, 5, boost(t, "registry", "pin", "reg", "yes or no", "--tier", "cold"))
		says(t, r.errors, "yes or no", "cold, 3 bits", "quality floor")
		must(t, 0, boost(t, "registry", "pin", "reg", "y", "--tier", "warm"))
		pass(time.Hour)
		must(t, 0, boost(t, "registry", "compact", "reg"))
		if y := listed(t, "reg")["y"]; !y.Pinned || y.Tier != "warm" || y.Bits != 7 {
			t.Errorf("%+v", y)
		}
		must(t, 0, boost(t, "registry", "unpin", "reg", "y"))
		pass(24 * time.Hour)
		must(t, 0, boost(t, "registry", "compact", "reg"))
		if y := listed(t, "reg")["y"]; y.Pinned || y.Tier != "cold" {
			t.Errorf("%+v", y)
		}
		r = must(t, 5, boost(t, "registry", "add", "reg", "y.boost", "--id", "low", "--tier", "cold", "--max-delta", "1e-9"))
		says(t, r.errors, "low", "quality floor")
	})
	t.Run("S3.59/over_the_cap", func(t *testing.T) {
		r := must(t, 0, boost(t, "registry", "stats", "reg", "--set", "registry.memory_cap=1KiB", "--json"))
		var s report.RegistrySums
		if err := json.Unmarshal([]byte(r.out), &s); err != nil {
			t.Fatal(err)
		}
		if s.Short <= 0 || s.Short != s.Floors-1024 || s.Models["cold"] != 2 || s.Models["hot"] != 1 {
			t.Errorf("%+v", s)
		}
		says(t, r.errors, "too small to hold all models at their floors")
		if r := must(t, 0, boost(t, "registry", "stats", "reg")); strings.Contains(r.errors, "too small") {
			t.Error(r.errors)
		}
	})
	t.Run("S3.59/two_processes", func(t *testing.T) {
		// Another process writes: it is seen, predictions go on, and their use is not counted.
		c := store.DefaultConfig()
		c.SyncWrites = false
		other, err := registry.Open("reg", c, registry.Options{Clock: registryClock})
		if err != nil {
			t.Fatal(err)
		}
		before := listed(t, "reg")["yes or no"].Accesses
		says(t, must(t, 1, boost(t, "registry", "add", "reg", "b.boost", "--id", "another")).errors, "reg: another process writes this registry")
		says(t, must(t, 1, boost(t, "registry", "pin", "reg", "y")).errors, "another process writes")
		if got := must(t, 0, boost(t, "predict", "reg#yes or no", "t.csv")).out; got != must(t, 0, boost(t, "predict", "b.boost", "t.csv")).out {
			t.Error("beside a writer a model predicts otherwise")
		}
		must(t, 0, boost(t, "registry", "get", "reg", "yes or no", "-o", "beside.boost"))
		if got := listed(t, "reg")["yes or no"].Accesses; got != before {
			t.Errorf("%d uses, before %d", got, before)
		}
		if err := other.Close(); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("S3.59/own_config", func(t *testing.T) {
		if err := os.Mkdir("own", 0o777); err != nil {
			t.Fatal(err)
		}
		file(t, "own/registry.toml", "[registry]\nwarm_bits = 5\nwarm_low_bits = 3\n")
		must(t, 0, boost(t, "registry", "add", "own", "y.boost", "--tier", "warm"))
		if y := listed(t, "own")["y"]; y.Bits != 5 {
			t.Errorf("%+v", y)
		}
		must(t, 0, boost(t, "registry", "pin", "own", "y", "--tier", "warm", "--set", "registry.warm_bits=7"))
		if y := listed(t, "own")["y"]; y.Bits != 7 {
			t.Errorf("%+v", y)
		}
		file(t, "own/registry.toml", "[registry]\nwarm_bitz = 5\n")
		says(t, must(t, 2, boost(t, "predict", "own#y", "t.csv")).errors, "registry.toml", "warm_bitz")
	})
	t.Run("S3.59/names", func(t *testing.T) {
		want := must(t, 0, boost(t, "predict", "y.boost", "t.csv")).out
		for _, id := range []string{"a/b/../c", "-x", "é ü", strings.Repeat("n", 200), `"quoted", twice`} {
			must(t, 0, boost(t, "registry", "add", "reg", "y.boost", "--id="+id))
			if got := must(t, 0, boost(t, "predict", "reg#"+id, "t.csv")).out; got != want {
				t.Errorf("%q predicts otherwise", id)
			}
			must(t, 0, boost(t, "registry", "get", "-o", "back.boost", "--", "reg", id))
			if _, there := listed(t, "reg")[id]; !there || bytesOf(t, "back.boost") != bytesOf(t, "y.boost") {
				t.Errorf("%q is listed: %v", id, there)
			}
			must(t, 0, boost(t, "registry", "remove", "--", "reg", id))
		}
		for _, id := range []string{"a\tb", "\x1b[2J", strings.Repeat("n", 201), "\xff"} {
			says(t, must(t, 2, boost(t, "registry", "add", "reg", "y.boost", "--id="+id)).errors, "--id")
		}
	})
	t.Run("S3.59/damaged", func(t *testing.T) {
		if err := os.CopyFS("bad", os.DirFS("reg")); err != nil {
			t.Fatal(err)
		}
		logs, err := filepath.Glob("bad/models/*.log")
		if err != nil || len(logs) != 1 {
			t.Fatal(logs, err)
		}
		indexes, err := filepath.Glob("bad/models/*.index")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range indexes {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
		text := []byte(bytesOf(t, logs[0]))
		for i := range text[100:] {
			text[100+i] ^= 0x55
		}
		if err := os.WriteFile(logs[0], text, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"predict", "bad#y", "t.csv"}, {"registry", "get", "bad", "y", "-o", "bad.boost"}, {"eval", "bad#y", "t.csv"}} {
			r := must(t, 4, boost(t, args...))
			if r.out != "" || r.errors == "" {
				t.Errorf("%v: %q %q", args, r.out, r.errors)
			}
		}
		for _, name := range []string{"list", "compact", "stats"} {
			if r := boost(t, "registry", name, "bad"); r.code != 4 && strings.Contains(r.out, "yes or no") {
				t.Errorf("%s: exit code %d, %s", name, r.code, r.out)
			}
		}
	})
	says(t, must(t, 0, boost(t, "registry")).out, "add", "get", "list", "pin", "unpin", "remove", "stats", "compact")
	t.Run("errors", func(t *testing.T) {
		if err := os.Mkdir("other", 0o777); err != nil {
			t.Fatal(err)
		}
		file(t, "other/file", "x")
		for _, c := range []struct {
			code  int
			args  string
			words []string
		}{
			{2, "registry lst", []string{`did you mean "list"?`}},
			{2, "registry add reg", []string{"MODEL is missing"}},
			{2, "registry add reg y.boost", []string{`model "y"`, "there is a model of this id"}},
			{2, "registry add reg y.boost --id a#b", []string{"nor a #", "--id"}},
			{2, "registry add reg y.boost --id z --max-delta -1", []string{"--max-delta must be a number of 0 or more"}},
			{2, "registry add reg y.boost --id z --max-loss 1%", []string{"--max-loss needs labelled rows"}},
			{2, "registry add reg c.boost --id z --max-loss 1% --data t.csv", []string{"trained on", "--allow-train-data"}},
			{2, "registry add reg y.boost --id z --allow-train-data", []string{"--allow-train-data needs --data"}},
			{2, "registry add reg y.boost --id z --max-loss much --data t.csv", []string{"--max-loss must be a share"}},
			{2, "registry add reg y.boost --id z --tier hott", []string{`did you mean "hot"?`}},
			{2, "registry add reg y.boost --id z --base y --no-source", []string{"--base keeps the lossless model"}},
			{2, "registry add reg b.boost --id z --base y", []string{"the rule does not make this model"}},
			{2, "registry add other y.boost", []string{"other is a folder with other files in it"}},
			{2, "registry list reg --set tree.leaves=3", []string{"this command takes keys of [registry]"}},
			{2, "registry list reg --set registry.two_level_cold=true", []string{"two_level_cold: a registry keeps leaves with one scale for each block"}},
			{2, "registry get reg y", []string{"-o is missing"}},
			{3, "registry add reg y.boost --id z --max-loss 1% --data none.csv", []string{"none.csv"}},
			{4, "registry add reg none.boost", []string{"none.boost"}},
			{4, "registry add reg y.boost --id z --base none", []string{`model "none": no such model`}},
			{4, "registry list none", []string{"none: there is no registry"}},
			{4, "registry get reg none -o o.boost", []string{`model "none": no such model`}},
			{4, "registry pin reg none", []string{`model "none": no such model`}},
			{4, "registry remove reg none", []string{`model "none": no such model`}},
			{2, "inspect reg#y", []string{"write it to a file first, as with boost registry get reg y -o y.boost"}},
			{2, "inspect reg#2024/y", []string{"boost registry get reg 2024/y -o y.boost"}}, // in the current folder
			{2, "inspect reg#y --trees", []string{"boost registry get reg y -o y.boost"}},
			{2, "quantize reg#y --dtype I8 -o x.boost", []string{"boost registry get reg y -o y.boost"}},
			{2, "convert reg#y x.json", []string{"boost registry get reg y -o y.boost"}},
			{2, "compare y.boost reg#y", []string{"boost registry get reg y -o y.boost"}},
			{2, "merge y.boost reg#y -o x.boost", []string{"boost registry get reg y -o y.boost"}},
			{2, "calibrate reg#y t.csv", []string{"boost registry get reg y -o y.boost"}},
			{2, "refit reg#y t.csv -o x.boost", []string{"boost registry get reg y -o y.boost"}},
			{2, "reproduce reg#y t.csv", []string{"boost registry get reg y -o y.boost"}},
			{2, "train t.csv --init-model reg#y", []string{"boost registry get reg y -o y.boost"}},
			{4, "predict reg#none t.csv", []string{`model "none": no such model`}},
			{4, "predict other#y t.csv", []string{"other#y"}},
		} {
			says(t, must(t, c.code, boost(t, strings.Fields(c.args)...)).errors, c.words...)
		}
		must(t, 0, boost(t, "registry", "remove", "reg", "c"))
		if _, there := listed(t, "reg")["c"]; there {
			t.Error("c is still there")
		}
	})
}

// farthestOf returns the largest difference of the predictions in two outputs, behind an id.
func farthestOf(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := lines(a), lines(b)
	if len(x) != len(y) {
		t.Fatalf("%d and %d lines", len(x), len(y))
	}
	most := 0.0
	for i := 1; i < len(x); i++ {
		_, first, _ := strings.Cut(x[i], ",")
		_, second, _ := strings.Cut(y[i], ",")
		p, err := strconv.ParseFloat(first, 64)
		q, also := strconv.ParseFloat(second, 64)
		if err != nil || also != nil {
			t.Fatal(err, also)
		}
		most = max(most, math.Abs(p-q))
	}
	return most
}

// Of a model without its lossless form, nothing advises to get that.
func TestRegistryWithoutSource(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(200))
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--rounds", "5", "-q", "-o", "m.boost"))
	must(t, 0, boost(t, "registry", "add", "reg", "m.boost", "--id", "kept", "--tier", "warm"))
	must(t, 0, boost(t, "registry", "add", "reg", "m.boost", "--id", "lost", "--tier", "warm", "--no-source"))
	const advice = "(--full gives it as it was added)"
	says(t, must(t, 0, boost(t, "registry", "get", "reg", "kept", "-o", "g.boost")).errors, "kept is warm: raw scores may be off by", advice)
	r := must(t, 0, boost(t, "registry", "get", "reg", "lost", "-o", "g.boost"))
	if says(t, r.errors, "lost is warm: raw scores may be off by"); strings.Contains(r.errors, advice) {
		t.Errorf("advice that does not help: %s", r.errors)
	}
	says(t, must(t, 4, boost(t, "registry", "get", "reg", "lost", "--full", "-o", "g.boost")).errors, "the lossless model was not kept: leave --full out")
}

// Models that another one makes are kept as what they differ by, become absent when nobody uses them, and are
// the same bytes and the same predictions again: first rounds of a run, its checkpoint, rounds that go on, a refit.
func TestRegistryRules(t *testing.T) {
	models(t)
	pass := registryTime(t)
	train := func(out string, more ...string) {
		args := append([]string{"train", "t.csv", "--label", "y", "-o", out, "-q", "--set", "train.early_stopping=0"}, more...)
		must(t, 0, boost(t, args...))
	}
	train("long.boost", "--set", "train.rounds=12")
	train("asked5.boost", "--set", "train.rounds=5")
	must(t, 0, boost(t, "rollback", "long.boost", "--rounds", "5", "-o", "first5.boost"))
	train("on.boost", "--set", "train.rounds=4", "--init-model", "asked5.boost")
	must(t, 0, boost(t, "refit", "long.boost", "t.csv", "-o", "refit.boost", "-q"))
	for _, name := range []string{"long", "asked5"} {
		must(t, 0, boost(t, "registry", "add", "reg", name+".boost"))
	}
	for name, base := range map[string]string{"first5": "long", "on": "asked5", "refit": "long"} {
		must(t, 0, boost(t, "registry", "add", "reg", name+".boost", "--base", base))
	}
	full := map[string]string{}
	for _, name := range []string{"long", "asked5", "first5", "on", "refit"} {
		full[name] = must(t, 0, boost(t, "predict", name+".boost", "t.csv", "--kind", "raw")).out
	}
	pass(30 * time.Hour)
	must(t, 0, boost(t, "registry", "compact", "reg"))
	all := listed(t, "reg")
	for _, c := range []struct{ row, name, source, of string }{
		{"S3.53/checkpoint", "first5", "prefix", "long"},
		{"S3.52/continued", "on", "append", "asked5"},
		{"S3.52/refitted", "refit", "leaves", "long"},
	} {
		t.Run(c.row, func(t *testing.T) {
			i := all[c.name]
			if i.Tier != "absent" || i.Source != c.source || i.Of != c.of || !i.Exact {
				t.Fatalf("%+v", i)
			}
			must(t, 0, boost(t, "registry", "get", "reg", c.name, "-o", "again.boost"))
			if bytesOf(t, "again.boost") != bytesOf(t, c.name+".boost") {
				t.Error("it is made as other bytes")
			}
			if got := must(t, 0, boost(t, "predict", "reg#"+c.name, "t.csv", "--kind", "raw")).out; got != full[c.name] {
				t.Error("it predicts otherwise")
			}
			r := must(t, 2, boost(t, "registry", "remove", "reg", c.of))
			says(t, r.errors, "is needed", c.name)
		})
	}
	if i := all["first5"]; i.Stored > 3000 || i.Stored >= i.FileBytes/4 {
		t.Errorf("the first rounds take %d bytes, their file %d", i.Stored, i.FileBytes)
	}
	t.Run("S3.53/every_checkpoint", func(t *testing.T) {
		for k := range 13 {
			name := fmt.Sprintf("k%d.boost", k)
			must(t, 0, boost(t, "rollback", "long.boost", "--rounds", fmt.Sprint(k), "-o", name))
			if k < 12 { // the last is the model itself
				must(t, 0, boost(t, "registry", "add", "reg", name, "--base", "long"))
			}
		}
		pass(30 * time.Hour)
		must(t, 0, boost(t, "registry", "compact", "reg"))
		for k := range 12 {
			id := fmt.Sprintf("k%d", k)
			if i := listed(t, "reg")[id]; i.Tier != "absent" || i.Source != "prefix" {
				t.Errorf("%+v", i)
			}
			must(t, 0, boost(t, "registry", "get", "reg", id, "-o", "again.boost"))
			if bytesOf(t, "again.boost") != bytesOf(t, id+".boost") {
				t.Errorf("%s is made as other bytes", id)
			}
		}
	})
	t.Run("S3.51/discarded", func(t *testing.T) {
		must(t, 0, boost(t, "registry", "add", "reg", "y.boost", "--id", "gone", "--set", "registry.fail_fast=false"))
		r, err := registry.Open("reg", store.DefaultConfig(), registry.Options{Clock: registryClock})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.SetRule("gone", registry.Discard{}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Get("gone"); err != nil {
			t.Errorf("it is used, and gone: %v", err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		pass(30 * time.Hour)
		must(t, 0, boost(t, "registry", "compact", "reg", "--set", "registry.fail_fast=false"))
		for _, args := range [][]string{
			{"predict", "reg#gone", "t.csv"}, {"eval", "reg#gone", "t.csv"}, {"registry", "get", "reg", "gone", "-o", "o.boost"},
			{"registry", "get", "reg", "gone", "--full", "-o", "o.boost"},
		} {
			r := must(t, 4, boost(t, args...))
			says(t, r.errors, `model "gone"`, "absent and has no rule")
			if r.out != "" {
				t.Errorf("%v: %q", args, r.out)
			}
		}
	})
}

// Fifty models of a shipped set under a cap that holds ten of them expanded, used by several goroutines while they
// sink and rise: the bytes in memory stay under the cap after every step, and every score within its bound.
// TestRegistryRefitOfContinued: new leaves of a model whose first rounds were found by other parameters are kept as such.
func TestRegistryRefitOfContinued(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(400))
	for _, args := range [][]string{{"-o", "a.boost"}, {"--init-model", "a.boost", "--learning-rate", "0.05", "-o", "c.boost"}} {
		must(t, 0, boost(t, append([]string{"train", "t.csv", "--label", "y", "--rounds", "5", "-q", "--set", "train.effort=", "--set", "train.early_stopping=0"}, args...)...))
	}
	must(t, 0, boost(t, "refit", "c.boost", "t.csv", "-o", "new.boost"))
	must(t, 0, boost(t, "registry", "add", "reg", "c.boost"))
	says(t, must(t, 0, boost(t, "registry", "add", "reg", "new.boost", "--base", "c")).errors, "source leaves of c")
	must(t, 0, boost(t, "registry", "get", "reg", "new", "--full", "-o", "back.boost"))
	if readFile(t, "back.boost") != readFile(t, "new.boost") {
		t.Error("another model came back")
	}
}

func TestRegistryFifty(t *testing.T) {
	t.Run("S3.59/fifty", func(t *testing.T) {
		train := example(t, "wine_quality/train.csv.gz")
		test := example(t, "wine_quality/test.csv.gz")
		inFolder(t)
		must(t, 0, boost(t, "train", train, "--label", "quality", "-o", "wine.boost", "-q", "--set", "train.rounds=30", "--set", "train.early_stopping=0"))
		first, err := model.Load("wine.boost")
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		data, err := dataset.Open(ctx, test, dataset.As(first.Schema()))
		if err != nil {
			t.Fatal(err)
		}
		exact, err := first.PredictRaw(ctx, data)
		if err != nil {
			t.Fatal(err)
		}
		base := first.Contents().BaseScore
		leaves := first.Leaves()
		factor := func(i int) float64 { return 1 + float64(i)/64 }
		add := func(r *registry.Registry, i int) {
			scaled := slices.Clone(leaves)
			for k := range scaled {
				scaled[k] *= factor(i)
			}
			m, err := first.WithLeaves(scaled)
			if err == nil {
				err = r.Add(ctx, fmt.Sprint(i), m, registry.AddOptions{})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		var mutex sync.Mutex
		now := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
		clock := func() time.Time { mutex.Lock(); defer mutex.Unlock(); return now }
		pass := func(d time.Duration) { mutex.Lock(); defer mutex.Unlock(); now = now.Add(d) }
		c := store.DefaultConfig()
		c.SyncWrites, c.SweepInterval = false, 0
		open := func(dir string, limit int64) *registry.Registry {
			c.MemoryCap = limit
			r, err := registry.Open(dir, c, registry.Options{Clock: clock})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = r.Close() })
			return r
		}
		probe := open("probe", 0)
		add(probe, 0)
		if _, err := probe.Get("0"); err != nil {
			t.Fatal(err)
		}
		limit := 10 * probe.Stats().Memory
		r := open("reg", limit)
		under := func() {
			if s := r.Stats(); s.Memory > limit {
				t.Errorf("%d bytes in memory, the cap is %d", s.Memory, limit)
			}
		}
		for i := range 50 {
			add(r, i)
			under()
		}
		steps := 20
		tiers := map[store.Tier]int{}
		var group sync.WaitGroup
		for worker := range 4 {
			group.Go(func() {
				for step := range steps {
					i := (worker*31 + step*step) % 50
					if step%2 == 0 {
						i %= 5 // some are used much
					}
					got, err := r.Get(fmt.Sprint(i))
					if err != nil {
						t.Error(err)
						return
					}
					scores, err := got.Model.PredictRaw(ctx, data)
					if err != nil {
						t.Error(err)
						return
					}
					most := 0.0
					for at, s := range scores {
						start := base[at%len(base)]
						most = max(most, math.Abs(s-start-factor(i)*(exact[at]-start)))
					}
					if room := largestOf(got.Scores) + 1e-9; most > room || got.Exact != (got.Bits == 0) || !got.Exact && most == 0 {
						t.Errorf("%d in %v, %d bits: off by %v, bound %v", i, got.Tier, got.Bits, most, room)
					}
					under()
					mutex.Lock()
					tiers[got.Tier]++
					mutex.Unlock()
					pass(5 * time.Second)
					if step%5 == 4 {
						if report, err := r.Sweep(); err != nil || len(report.Failures) > 0 {
							t.Errorf("%v %v", report.Failures, err)
						}
						under()
					}
				}
			})
		}
		group.Wait()
		if tiers[store.Hot] == 0 || tiers[store.Cold] == 0 {
			t.Errorf("models were read in %v", tiers)
		}
	})
}

// example is the path of a shipped file.
func example(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../../examples", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}
