package main

import (
	"fmt"
	"strings"
	"testing"
)

// sideTable is text without a header line, init scores beside it, and what a person
// would write by hand: the label is the init score plus 1 where the second column is 1.
func sideTable(n int) (rows, init string) {
	var a, b strings.Builder
	for i := range n {
		fmt.Fprintf(&a, "%d\t%d\n", i%5+i%2, i%2)
		fmt.Fprintf(&b, "%d\n", i%5)
	}
	return a.String(), b.String()
}

// A table as LightGBM wants it trains without a word about what is its label.
func TestTrainBesideFiles(t *testing.T) {
	inFolder(t)
	rows, init := sideTable(400)
	file(t, "d.train", rows)
	file(t, "d.train.init", init)
	set := []string{"--set", "train.objective=regression", "--set", "train.rounds=1", "--set", "train.learning_rate=1", "--set", "train.early_stopping=0", "--set", "train.effort=quick"}
	r := must(t, 0, boost(t, append([]string{"train", "d.train", "-o", "m.boost"}, set...)...))
	says(t, r.errors, `init scores are read from "d.train.init"`, "c1, is taken for the label")
	r = must(t, 0, boost(t, "eval", "m.boost", "d.train", "--metric", "rmse", "--json"))
	says(t, r.out, `"rmse": `)
	if strings.Contains(r.errors, "no init scores") {
		t.Errorf("the table has init scores: %s", r.errors)
	}
	r = must(t, 0, boostWith(t, "0\t0\n0\t1\n", "predict", "m.boost", "-"))
	says(t, r.errors, "standard input", "no init scores")
	if lines := strings.Fields(r.out); len(lines) != 3 || !strings.HasPrefix(lines[2], "1.0") && !strings.HasPrefix(lines[2], "0.99") && lines[2] != "1" {
		t.Errorf("without init scores the model gives %q, want 0 and 1", lines)
	}
	says(t, must(t, 0, boost(t, "inspect", "m.boost")).out, "init score")

	r = must(t, 2, boost(t, append([]string{"train", "d.train", "--set", "data.side_files=ignore"}, set...)...))
	says(t, r.errors, "--label NAME")
	file(t, "d.train.init", init+"7\n")
	r = must(t, 3, boost(t, append([]string{"train", "d.train"}, set...)...))
	says(t, r.errors, "d.train.init:401: the file is for 401 rows, d.train has 400")
}

// LibSVM text says itself what its label is; what is absent is 0 unless that is told.
func TestTrainLibSVM(t *testing.T) {
	inFolder(t)
	var text strings.Builder
	for i := range 300 {
		fmt.Fprintf(&text, "%d qid:%d", i%2, i/10)
		if i%2 == 1 {
			fmt.Fprintf(&text, " 2:%d", i%7+1)
		}
		text.WriteString(" 4:1\n")
	}
	file(t, "a.svm", text.String())
	s := trained(t, must(t, 0, boost(t, "train", "a.svm", "--json")))
	if s.Model != "a.boost" || s.Objective != "binary" {
		t.Errorf("%+v", s)
	}
	r := must(t, 0, boost(t, "predict", "a.boost", "a.svm", "--kind", "class"))
	if lines := strings.Fields(r.out); len(lines) != 301 || lines[1] != "0" || lines[2] != "1" {
		t.Errorf("predictions begin with %q", lines[:3])
	}
	says(t, must(t, 0, boost(t, "inspect", "a.boost")).out, "qid")
	r = must(t, 3, boostWith(t, "1 x:1\n", "predict", "a.boost", "-", "--set", "data.format=libsvm"))
	says(t, r.errors, "standard input:1", `"x:1" is not a feature`)
	must(t, 2, boost(t, "train", "a.svm", "--set", "data.index_base=2"))
	absent := trained(t, must(t, 0, boost(t, "train", "a.svm", "--json", "--set", "data.absent=missing", "-o", "b.boost")))
	if absent.SHA256 == s.SHA256 {
		t.Error("absent = missing makes no difference")
	}
}
