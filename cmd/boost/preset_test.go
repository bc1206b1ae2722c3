package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A preset is said with the values that stand, and the model keeps these: those given on the command line stay.
func TestPreset(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(300))
	file(t, "c.toml", "[data]\ntrain = \"t.csv\"\nlabel = \"b\"\n[train]\npreset = \"fast\"\n")
	r := must(t, 0, boost(t, "train", "c.toml", "-o", "m.boost", "--set", "train.learning_rate=0.3"))
	says(t, r.errors, `preset "fast": train.rounds = 50, train.gradients = "i8"`)
	out := must(t, 0, boost(t, "inspect", "m.boost", "--json")).out
	says(t, out, `"train.gradients": "i8"`, `"train.learning_rate": 0.3`, `"train.rounds": 50`)
	r = must(t, 0, boost(t, "train", "t.csv", "--label", "b", "-o", "n.boost", "--set", "train.preset=fast"))
	says(t, r.errors, `preset "fast": train.rounds = 50, train.learning_rate = 0.2, train.gradients = "i8"`)
	says(t, must(t, 0, boost(t, "inspect", "n.boost", "--json")).out, `"train.rounds": 50`, `"train.early_stopping": 0`)
	r = must(t, 0, boost(t, "train", "t.csv", "--label", "y", "-o", "c.boost", "--set", "train.preset=catboost", "--rounds", "1000"))
	says(t, r.errors, `by the rows of this table, preset "catboost": `, "train.learning_rate = 0.033")
	quantile := []string{"train", "t.csv", "--label", "y", "-o", "q.boost", "--set", "train.preset=lightgbm", "--rounds", "2", "--objective", "quantile"}
	says(t, must(t, 0, boost(t, quantile...)).out, "pinball@0.9")
	says(t, must(t, 0, boost(t, append(quantile, "--set", "objective.alpha=0.3")...)).out, "pinball@0.3")
	says(t, must(t, 2, boost(t, "train", "t.csv", "--label", "b", "--set", "train.preset=slow")).errors, `train.preset must be "", "fast", "lightgbm", "xgboost" or "catboost", not "slow"`)
}

// Of a table with many categories, "default" makes columns of others, the same ones in memory, in files and in a cache.
func TestEffort(t *testing.T) {
	inFolder(t)
	var rows strings.Builder
	rows.WriteString("name,day,y\n")
	for i := range 8000 {
		fmt.Fprintf(&rows, "n%d,%d,%d.5\n", i*7919%113, i%7, (i*7919%113*31+i%7*17)%23)
	}
	file(t, "t.csv", rows.String())
	args := []string{"train", "t.csv", "--label", "y", "--rounds", "8", "-v", "-o"}
	r := must(t, 0, boost(t, append(args, "m.boost")...))
	says(t, r.errors, `effort "default": `, "columns are made of others: ")
	for _, retrain := range []string{"true", "false"} { // the choice of columns comes before the cuts, or after
		args := append(args, "r.boost", "--set", "train.retrain="+retrain)
		must(t, 0, boost(t, args...))
		want := readFile(t, "r.boost")
		for _, set := range []string{"data.out_of_core=true", "data.cache=t.cache", "data.cache=t.cache"} {
			says(t, must(t, 0, boost(t, append(args, "--set", set)...)).errors, "")
			if readFile(t, "r.boost") != want {
				t.Errorf("with %s and train.retrain = %s it is another model", set, retrain)
			}
		}
		// What else is made of others is not in the cache.
		says(t, must(t, 0, boost(t, append(args, "--set", "data.cache=t.cache", "--set", "categorical.combinations=0")...)).errors, "other columns were made of others")
	}
	says(t, must(t, 0, boost(t, "cv", "t.csv", "--label", "y", "--rounds", "3", "--folds", "2")).errors, "columns are made of others: ")
	none := must(t, 0, boost(t, append(args, "n.boost", "--set", "data.cache=v.cache", "--set", "categorical.combinations=0")...)).errors
	if strings.Contains(none, "made of others") {
		t.Errorf("where no columns were asked for: %s", none)
	}
	for _, effort := range []string{"quick", "default"} {
		must(t, 0, boost(t, append(args, "e.boost", "--effort", effort)...))
		if same := readFile(t, "e.boost") == readFile(t, "m.boost"); same != (effort == "default") {
			t.Errorf("effort %s gives the same model: %v", effort, same)
		}
	}
	must(t, 0, boost(t, "reproduce", "m.boost", "t.csv"))
}

// Effort best makes one model of the mean of ten, which everything that takes models takes, and refuses what needs the rows
// of its folds.
func TestEffortBest(t *testing.T) {
	inFolder(t)
	var rows strings.Builder
	rows.WriteString("a,b,y\n")
	for i := range 400 {
		fmt.Fprintf(&rows, "%d,%d,%d.5\n", i*37%101, i%7, (i*37%101+i%7*17)%23)
	}
	file(t, "t.csv", rows.String())
	args := []string{"train", "t.csv", "--label", "y", "--effort", "best", "--rounds", "8", "-o"}
	said := must(t, 0, boost(t, append(args, "m.boost", "--set", "quantize.dtype=Q4_0")...)).out
	says(t, said, "the mean of 10 models", "valid", "m.q.boost")
	must(t, 0, boost(t, "reproduce", "m.boost", "t.csv"))
	must(t, 0, boost(t, append(args, "one.boost", "--threads", "1", "-q")...))
	if readFile(t, "one.boost") != readFile(t, "m.boost") {
		t.Error("one thread gives another model")
	}
	must(t, 0, boost(t, append(args, "d.boost", "--set", "train.bag_folds=0", "-q")...))
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--effort", "default", "--rounds", "8", "-o", "e.boost", "-q"))
	if readFile(t, "d.boost") != readFile(t, "e.boost") {
		t.Error("without folds it is not effort default")
	}
	for _, with := range [][]string{
		{"--valid", "t.csv"}, {"--valid", "0.2"}, {"--init-model", "m.boost"}, {"--set", "train.time_limit=60"},
		{"--set", "data.cache=t.cache"}, {"--set", "data.out_of_core=true"}, {"--set", "train.retrain=true"}, {"--set", "quantize.max_loss=0.1"},
	} {
		says(t, must(t, 2, boost(t, slices.Concat(args, []string{"x.boost"}, with)...)).errors, "train.bag_folds")
	}
	for _, some := range [][]string{{"eval", "--rounds", "8"}, {"predict", "--rounds", "8"}, {"eval", "--staged", "3"}} {
		says(t, must(t, 2, boost(t, append([]string{some[0], "m.boost", "t.csv"}, some[1:]...)...)).errors, "the rounds of 10 models")
	}
	says(t, must(t, 2, boost(t, "cv", "t.csv", "--label", "y", "--effort", "best")).errors, "cross-validation itself")
	says(t, must(t, 2, boost(t, "refit", "m.boost", "t.csv", "-o", "x.boost")).errors, "the rounds of 10 models")
}

// In a table of few rows "auto" makes columns of others only where a level has few rows, in files as in memory.
func TestAutoInFiles(t *testing.T) {
	inFolder(t)
	for _, rows := range []int{3000, 900} { // 30 and 9 rows a level
		var text strings.Builder
		text.WriteString("name,x,y\n")
		for i := range rows {
			fmt.Fprintf(&text, "n%d,%d,%d.5\n", i*7919%100, i%7, (i*7919%100*31+i%7*17)%23)
		}
		file(t, "t.csv", text.String())
		args := []string{"train", "t.csv", "--label", "y", "--effort", "quick", "--rounds", "3", "--set", "categorical.splits=auto", "-o"}
		must(t, 0, boost(t, append(args, "m.boost")...))
		must(t, 0, boost(t, append(args, "f.boost", "--set", "data.out_of_core=true")...))
		if readFile(t, "m.boost") != readFile(t, "f.boost") {
			t.Error("from files there is another model")
		}
	}
}
