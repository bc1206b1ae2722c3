//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// tuneArgs searches a small table.
func tuneArgs(more ...string) []string {
	return append([]string{"tune", "t.csv", "--label", "y", "--folds", "3"}, more...)
}

// The summary, the JSON, the study, the picture and the config of tune say the same, and the config trains what was found.
func TestTune(t *testing.T) {
	inFolder(t)
	content := strings.Split(strings.TrimSpace(table(400)), "\n")
	for i := range content {
		content[i] += fmt.Sprintf(",name of row %d", i)
	}
	content[0] = strings.Replace(content[0], "name of row 0", "text", 1)
	file(t, "t.csv", strings.Join(content, "\n")+"\n")
	var found struct {
		Metric string
		Best   int `json:"best_trial"`
		Trials []struct {
			Trial     int
			Values    map[string]string
			State     string
			Value     float64
			BestRound int `json:"best_round"`
		}
		Space   []string
		HeldOut struct {
			Rows        int
			Start, Best float64
		} `json:"held_out"`
		Command string
	}
	args := tuneArgs("--rounds", "30", "--set", "early_stopping=5", "--trials", "12", "--held-out", "25%", "--plot", "p.svg", "--try", "tree.growth=leaf,depth", "--leaves", "9")
	out := must(t, 0, boost(t, append(args, "--json", "-q")...)).out
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		t.Fatal(err)
	}
	if len(found.Trials) != 12 || found.Metric != "rmse" || found.HeldOut.Rows != 100 || found.HeldOut.Best <= 0 || found.Command != "boost train t.tuned.toml" {
		t.Errorf("tune found %s", out)
	}
	if slices.ContainsFunc(found.Space, func(d string) bool { return strings.HasPrefix(d, "tree.leaves=") }) || !slices.Contains(found.Space, "tree.growth=leaf,depth") {
		t.Errorf("searched %q", found.Space)
	}
	best := found.Trials[found.Best]
	for _, trial := range found.Trials {
		if trial.State == "complete" && trial.Value < best.Value {
			t.Errorf("trial %d is better than the best, %d", trial.Trial, best.Trial)
		}
	}
	text := must(t, 0, boost(t, args...)) // from the study, without a trial of its own
	says(t, text.out, "12 trials, ", "given up early, on 3 folds (rows at random)", "learning_rate", "held out", "t.study", "p.svg", "train     boost train t.tuned.toml")
	if lines := strings.Count(readFile(t, "t.study"), "\n"); lines != 13 {
		t.Errorf("%d lines in the study", lines)
	}
	says(t, readFile(t, "p.svg"), "<svg ", "tree.growth", "</svg>")
	says(t, readFile(t, "t.tuned.toml"), fmt.Sprintf("# The best of 12 trials on t.csv: rmse = %.6g.", best.Value), "\nrounds = "+strconv.Itoa(best.BestRound)+"\n", "\nlearning_rate = "+best.Values["train.learning_rate"]+"\n", "\nleaves = 9\n", "\nignore = [\"id\", \"text\"]\n")
	must(t, 0, boost(t, "train", "t.tuned.toml", "-q"))
	says(t, must(t, 0, boost(t, "inspect", "t.boost")).out, fmt.Sprintf("trees in %d rounds", best.BestRound))
	cv := must(t, 0, boost(t, "cv", "t.tuned.toml", "--folds", "4", "--json", "-q")).out
	if !strings.Contains(cv, `"rmse"`) {
		t.Errorf("cv of the config: %s", cv)
	}
	says(t, must(t, 2, boost(t, append(args, "--seed", "2")...)).errors, `t.study: `, `the study is of another search: seed was "1" and is "2" now`)
}

// A search replaces its own result and no other config: of another search, changed, or written by hand.
func TestTuneKeepsConfigs(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(120))
	args := tuneArgs("--rounds", "3", "--only", "--try", "leaves=2,3", "-q")
	must(t, 0, boost(t, args...))
	must(t, 0, boost(t, args...))
	const lost = "t.tuned.toml is there already"
	found := readFile(t, "t.tuned.toml")
	says(t, must(t, 2, boost(t, append(args, "--study", "other.study")...)).errors, lost)
	changed := strings.Replace(found, "\nrounds = ", "\n# mine\nrounds = ", 1)
	file(t, "t.tuned.toml", changed)
	says(t, must(t, 2, boost(t, args...)).errors, lost+": it was changed", "give another name with -o, or remove the file")
	if changed == found || readFile(t, "t.tuned.toml") != changed || exists("other.study") {
		t.Error("a config was lost, or a search began")
	}
	file(t, "mine.toml", "# mine\n")
	says(t, must(t, 2, boost(t, append(args, "-o", "mine.toml")...)).errors, "mine.toml is there already")
	must(t, 0, boost(t, append(args, "-o", "new.toml")...))
}

func TestTuneWords(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(120))
	for _, c := range []struct {
		code int
		want string
		more []string
	}{
		{2, "expected KEY=LOW..HIGH", []string{"--try", "leaves"}},
		{2, `--try leaves=a..3: `, []string{"--try", "leaves=a..3"}},
		{2, "the best number of rounds is found in each trial", []string{"--try", "rounds=1..3"}},
		{2, "name them", []string{"--only"}},
		{2, `sampler "grid": must be "tpe" or "random"`, []string{"--sampler", "grid"}},
		{2, "leave one of both out", []string{"--no-study", "--study", "s"}},
		{2, "trials that end by the clock cannot be compared", []string{"--set", "time_limit=3s"}},
		{2, "is a cross-validation itself", []string{"--effort", "best"}},
		{2, "5 of 3 folds to judge on", []string{"--judge", "5"}},
		{2, "--trials must be at least 1, not 0", []string{"--trials", "0", "--budget", "1m"}},
		{2, "--trials must be at least 1, not -3", []string{"--trials", "-3"}},
		{2, "--repeats must be at least 1, not 0", []string{"--repeats", "0"}},
		{2, "t.csv is read, and cannot be a study", []string{"--study", "t.csv"}},
		{2, "t.csv is read, and cannot be written over", []string{"--plot", "t.csv"}},
		{2, "--plot p.png: expected a name that ends in .svg", []string{"--plot", "p.png"}},
		{2, "0.7 of the rows held out", []string{"--held-out", "0.7"}},
		{3, `no column "nowhere"`, []string{"--group-by", "nowhere"}},
		{2, "sampling.mvs_lambda, which is searched, is for sampling.mvs_fraction", []string{"--effort", "quick", "--only", "--try", "sampling.mvs_lambda=0..5"}},
	} {
		says(t, must(t, c.code, boost(t, tuneArgs(append([]string{"--trials", "2"}, c.more...)...)...)).errors, c.want)
	}
	if exists("t.tuned.toml") {
		t.Error("a config was written")
	}
	out := must(t, 0, boost(t, tuneArgs("--rounds", "9", "--only", "--try", "leaves=2,3", "--trials", "9", "--no-study", "--judge", "1", "-o", "c.toml")...))
	says(t, out.out, "3 trials", "which are all that the space has", "on 1 of 3 folds")
	if exists("other.study") || exists("c.study") {
		t.Error("a study was written")
	}
}

// A key that counts in some trials only is searched, and the config of a best trial in which it does not trains.
func TestTuneIdle(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(120))
	must(t, 0, boost(t, tuneArgs("--effort", "quick", "--rounds", "9", "--only", "--try", "sampling.row_fraction=1,0.01", "--set", "sampling.row_every=5", "--trials", "2", "--no-study")...))
	if config := readFile(t, "t.tuned.toml"); strings.Contains(config, "\nrow_every") {
		t.Errorf("the best trial takes all rows, and the config has row_every:\n%s", config)
	}
	must(t, 0, boost(t, "train", "t.tuned.toml"))
}

// A search that is killed at random moments goes on to the trials of one that never was.
func TestTuneKilled(t *testing.T) {
	dir := inFolder(t)
	file(t, "t.csv", table(500))
	seconds := regexp.MustCompile(`"seconds":[^,}]*`)
	args := func(name string) []string {
		return tuneArgs("--rounds", "30", "--trials", "16", "--study", name+".study", "-o", "c.toml", "-q")
	}
	takeConfig := func() string { // without its last line, which is of the study
		text := readFile(t, "c.toml")
		if err := os.Remove("c.toml"); err != nil {
			t.Fatal(err)
		}
		return text[:strings.LastIndex(text, "\n# ")]
	}
	began := time.Now()
	must(t, 0, boost(t, args("whole")...))
	took, config := time.Since(began), takeConfig()
	kills := killed(t, 12, took, args("a")...)
	must(t, 0, boost(t, args("a")...))
	want, got := seconds.ReplaceAllString(readFile(t, "whole.study"), ""), seconds.ReplaceAllString(readFile(t, "a.study"), "")
	if got != want || takeConfig() != config {
		t.Errorf("after %d kills:\n%s\nwant\n%s", kills, got, want)
	}
	if left := leftovers(t, dir); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

// Ctrl-C ends a search with the best so far.
func TestTuneInterrupted(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(2000))
	p := start(t, tuneArgs("--trials", "5000", "--rounds", "300")...)
	p.until("the best so far")
	ended := must(t, 130, p.end())
	says(t, ended.errors, "interrupted: the best so far was written to t.tuned.toml", "the same command goes on from t.study")
	says(t, readFile(t, "t.tuned.toml"), "# The best of ")
}
