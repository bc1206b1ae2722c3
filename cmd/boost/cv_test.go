package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// The summary, the JSON, the predictions and the averaged model of cv say the same, and the command that it prints works.
func TestCrossValidate(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(600))
	args := []string{"cv", "t.csv", "--label", "y", "--folds", "3", "--leaves", "6", "--rounds", "60", "--set", "early_stopping=10", "--set", "sampling.row_fraction=0.8"}
	text := must(t, 0, boost(t, args...))
	says(t, text.out, "3 folds (rows at random), ", "rmse", "(95 %)", "train  boost train t.csv --label y --leaves 6 --set sampling.row_fraction=0.8 --rounds ", " --learning-rate 0.1 --set train.early_stopping=0")
	says(t, must(t, 0, boost(t, "cv", "t.csv", "--label", "y", "--rounds", "400", "--set", "early_stopping=5")).out, " --learning-rate 0.05 --set train.early_stopping=0")
	says(t, must(t, 0, boost(t, "cv", "t.csv", "--label", "y", "--rounds", "400", "--learning-rate", "0.3")).out, " --learning-rate 0.3 --rounds ")
	var found struct {
		By        string
		BestRound int `json:"best_round"`
		Rounds    int
		Folds     []struct{ Train, Valid int }
		Metrics   map[string]struct{ Mean, SD, Pooled, Low, High float64 }
		Curve     map[string]struct{ Mean []float64 }
		Command   string
	}
	out := must(t, 0, boost(t, append(args, "--json", "-q", "--oof", "oof.csv", "-o", "average.boost", "--threads", "1")...)).out
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		t.Fatal(err)
	}
	rmse := found.Metrics["rmse"]
	if found.By != "rows" || len(found.Folds) != 3 || found.Folds[0].Train != 400 || found.Folds[0].Valid != 200 || found.Rounds < found.BestRound || found.BestRound == 0 ||
		len(found.Curve["rmse"].Mean) != found.Rounds || found.Curve["rmse"].Mean[found.BestRound-1] != rmse.Mean || !(rmse.Low < rmse.Pooled && rmse.Pooled < rmse.High && rmse.SD > 0) {
		t.Errorf("cv found %s", out)
	}
	says(t, text.out, strings.Replace(found.Command, "--threads 1 ", "", 1))
	lines := strings.Split(strings.TrimSpace(readFile(t, "oof.csv")), "\n")
	if len(lines) != 601 || lines[0] != "fold,prediction" {
		t.Errorf("%d lines of predictions, which begin with %q", len(lines), lines[0])
	}
	must(t, 0, boost(t, "eval", "average.boost", "t.csv"))
	says(t, must(t, 2, boost(t, "reproduce", "average.boost", "t.csv")).errors, "merged from 3 models", "the same boost cv makes it again")
	must(t, 0, boost(t, append(strings.Fields(found.Command)[1:], "-q", "-o", "m.boost")...))
	says(t, must(t, 0, boost(t, "inspect", "m.boost")).out, fmt.Sprintf("trees in %d rounds", found.BestRound))
}

// Without files the summary is all that cv makes: quiet, it has it too. With a file it is left out.
func TestQuietCrossValidation(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(60))
	args := []string{"cv", "t.csv", "--label", "y", "--folds", "2", "--rounds", "2", "-q"}
	r := must(t, 0, boost(t, args...))
	says(t, r.out, "2 folds (rows at random), ", "rmse")
	if r.errors != "" {
		t.Errorf("messages: %q", r.errors)
	}
	if r := must(t, 0, boost(t, append(args, "--oof", "oof.csv")...)); r.out != "" || r.errors != "" {
		t.Errorf("with a file: %q %q", r.out, r.errors)
	}
}

func TestCrossValidateWords(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(120))
	cv := func(more ...string) []string {
		return append([]string{"cv", "t.csv", "--label", "y", "--rounds", "5", "--set", "tree.min_data_in_leaf=5"}, more...)
	}
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--rounds", "2", "-q", "-o", "m.boost"))
	for _, c := range []struct {
		code int
		want string
		more []string
	}{
		{2, "cross-validation needs 2 folds or more, not 1", []string{"--folds", "1"}},
		{2, "--repeats must be at least 1, not 0", []string{"--repeats", "0"}},
		{2, "--repeats must be at least 1, not -1", []string{"--repeats", "-1"}},
		{3, `no column "nowhere"`, []string{"--group-by", "nowhere"}},
		{2, "a sliding window is of time", []string{"--sliding"}},
		{2, "has seen the rows that cross-validation judges on", []string{"--set", "train.init_model=m.boost"}},
		{2, "t.csv is read, and cannot be written over", []string{"-o", "t.csv"}},
		{2, "are not written in this format", []string{"--oof", "p.xlsx"}},
		{2, "leave train.valid_share", []string{"--set", "train.valid_share=0.2"}},
		{2, "all rows are taken: set sampling.row_fraction below 1", []string{"--set", "sampling.row_every=3", "--effort", "quick"}},
		{2, "unknown flag --valid", []string{"--valid", "t.csv"}},
	} {
		says(t, must(t, c.code, boost(t, cv(c.more...)...)).errors, c.want)
	}
	says(t, must(t, 0, boost(t, cv("--strict", "--repeats", "2", "--confidence", "0.8")...)).out, "5 folds, 2 times, cuts of their own (rows at random)", "(80 %)")
	if _, err := os.Stat("t.boost"); err == nil {
		t.Error("a model was written")
	}
}

// The command that cv prints, and the config that tune writes, keep the learning rates that a schedule of more rounds had: of 40 from 0.4 to
// 0 they go down by 0.01, also where the number of rounds that is best is less.
func TestRatesOfSchedule(t *testing.T) {
	inFolder(t)
	noisy := "x,y\n"
	for i := range 300 {
		noisy += fmt.Sprintf("%d,%d\n", i%5, 10*(i%5)+i*7919%101)
	}
	file(t, "t.csv", noisy)
	file(t, "c.toml", "[data]\ntrain = \"t.csv\"\nlabel = \"y\"\n[train]\nlearning_rate = 0.4\nlearning_rate_schedule = \"linear\"\nrounds = 40\nearly_stopping = 3\nobjective = \"regression\"\n")
	schedule := []string{"--learning-rate", "0.4", "--rounds", "40", "--set", "train.early_stopping=3", "--set", "train.learning_rate_schedule=linear", "--objective", "regression"}
	isSchedule := func(rates string) {
		t.Helper()
		listed := strings.Split(rates, ",")
		if len(listed) < 2 || len(listed) >= 40 {
			t.Errorf("rates %s", rates)
		}
		for i, rate := range listed {
			if v, err := strconv.ParseFloat(strings.TrimSpace(rate), 64); err != nil || math.Abs(v-(0.4-0.01*float64(i))) > 1e-12 {
				t.Errorf("rate %d of %s, %v", i, rates, err)
			}
		}
	}
	for _, args := range [][]string{append([]string{"t.csv", "--label", "y"}, schedule...), {"c.toml"}} {
		_, command, _ := strings.Cut(must(t, 0, boost(t, append([]string{"cv", "-q"}, args...)...)).out, "train  boost ")
		_, rates, _ := strings.Cut(command, "train.learning_rates=")
		rates, _, _ = strings.Cut(rates, " ")
		isSchedule(rates)
		must(t, 0, boost(t, append(strings.Fields(command), "-q", "-o", "m.boost")...))
		says(t, must(t, 0, boost(t, "inspect", "m.boost")).out, fmt.Sprintf("trees in %d rounds", strings.Count(rates, ",")+1))
	}
	must(t, 0, boost(t, append([]string{"tune", "t.csv", "--label", "y", "-q", "--no-study", "--trials", "1", "-o", "x.toml"}, schedule...)...))
	_, rates, _ := strings.Cut(readFile(t, "x.toml"), "\nlearning_rates = [")
	rates, _, _ = strings.Cut(rates, "]")
	isSchedule(rates)
	must(t, 0, boost(t, "train", "x.toml", "-q"))
}

// Where the first metric is undefined in a fold no number of rounds is recommended, and it is said why.
func TestUndefinedMetric(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", "x,y\n1,1\n2,1\n"+strings.Repeat("1,0\n2,0\n3,0\n", 20))
	args := []string{"t.csv", "--label", "y", "--rounds", "3", "--set", "metrics.names=auc"}
	r := must(t, 0, boost(t, append([]string{"cv"}, args...)...))
	says(t, r.errors, "warning: auc is undefined on the ", `whose labels are all "0"`)
	if strings.Contains(r.out, "boost train") {
		t.Errorf("a command is recommended:\n%s", r.out)
	}
	says(t, must(t, 2, boost(t, append([]string{"tune", "--no-study", "--trials", "2"}, args...)...)).errors, "auc is undefined on the ", "let another metric lead")
}
