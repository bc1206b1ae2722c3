package main

import (
	"os"
	"testing"
)

// A budget says its plan, and leaves a model whose bytes reproduce gives again. What does not go with it is refused.
func TestBudget(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(300))
	train := func(more ...string) []string {
		return append([]string{"train", "t.csv", "--label", "y", "--rounds", "60"}, more...)
	}
	for _, budget := range []string{"30ms", "1s"} {
		_ = os.Remove("t.boost")
		done := boost(t, train("--budget", budget, "--set", "train.early_stopping=5")...)
		if budget == "30ms" && done.code == 5 { // over when the table was read, or before a round, on a slow machine
			says(t, done.errors, "train.budget of 30ms was over ")
			continue
		}
		says(t, must(t, 0, done).errors, "plan for ", "training with learning rate ")
		says(t, must(t, 0, boost(t, "reproduce", "t.boost", "t.csv")).out, "same: ")
	}
	// One model, where several cannot be averaged.
	for _, alone := range [][]string{{"--set", "quantize.dtype=I8", "--set", "quantize.error_feedback=true"}, {"--set", "data.init_score=x"}} {
		says(t, must(t, 0, boost(t, train(append(alone, "--budget", "1s", "--set", "train.early_stopping=5")...)...)).errors, "plan for ")
	}
	// Given rounds, and too few rows for folds.
	says(t, must(t, 0, boost(t, train("--budget", "1s", "--set", "train.early_stopping=0")...)).errors, "plan for ")
	file(t, "few.csv", table(3))
	says(t, must(t, 0, boost(t, "train", "few.csv", "--label", "y", "--budget", "1s")).errors, "one model with learning rate 0.1")
	for _, c := range []struct {
		want string
		more []string
	}{
		{"train.budget judges on parts of the rows, and may average models of folds: leave a validation set or the budget out", []string{"--valid", "t.csv"}},
		{"leave output.checkpoint or the budget out", []string{"--checkpoint", "saved"}},
		{"train.budget says what effort there is: leave one of both out", []string{"--effort", "best"}},
		{"train.budget decides about train.bag_folds", []string{"--set", "train.bag_folds=3"}},
		{"train.budget decides about train.time_limit", []string{"--set", "train.time_limit=3s"}},
		{"train.budget chooses values too", []string{"--set", "train.preset=xgboost"}},
		{"train.budget needs the table in memory", []string{"--set", "data.out_of_core=true"}},
	} {
		says(t, must(t, 2, boost(t, train(append(c.more, "--budget", "5s")...)...)).errors, c.want)
	}
	says(t, must(t, 2, boost(t, "cv", "t.csv", "--label", "y", "--set", "train.budget=5s")).errors, "train.budget is for training")
	says(t, must(t, 5, boost(t, train("--budget", "1us")...)).errors, "train.budget of 1µs was over when the table was read")
}
