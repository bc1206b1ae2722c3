package main

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// column returns the cells of a CSV column.
func column(t *testing.T, csv, name string) []string {
	t.Helper()
	rows := lines(csv)
	for i, head := range strings.Split(rows[0], ",") {
		if head == name {
			var cells []string
			for _, row := range rows[1:] {
				cells = append(cells, strings.Split(row, ",")[i])
			}
			return cells
		}
	}
	t.Fatalf("no column %s in %s", name, rows[0])
	return nil
}

// The first rounds of a model are what a rolled back model has, in every kind and form of
// prediction, and in eval.
func TestRounds(t *testing.T) {
	models(t)
	for _, m := range []string{"y", "b", "c"} {
		must(t, 0, boost(t, "rollback", m+".boost", "--rounds", "3", "-o", m+"3.boost"))
		must(t, 0, boost(t, "rollback", m+".boost", "--rounds", "0", "-o", m+"0.boost"))
		for _, kind := range []string{"value", "raw", "class", "leaf"} {
			if m == "y" && kind == "class" {
				continue
			}
			for _, format := range []string{"csv", "jsonl", "parquet", "arrow"} {
				got := must(t, 0, boost(t, "predict", m+".boost", "t.csv", "--rounds", "3", "--kind", kind, "--format", format))
				if want := must(t, 0, boost(t, "predict", m+"3.boost", "t.csv", "--kind", kind, "--format", format)); got.out != want.out || got.out == "" {
					t.Errorf("%s, %s, %s: 3 rounds are not those of the model that was rolled back", m, kind, format)
				}
			}
		}
		got := must(t, 0, boost(t, "eval", m+".boost", "t.csv", "--rounds", "0", "--json"))
		if want := must(t, 0, boost(t, "eval", m+"0.boost", "t.csv", "--json")); got.out != want.out {
			t.Errorf("%s: metrics without rounds are %s, want %s", m, got.out, want.out)
		}
	}
	must(t, 2, boost(t, "predict", "y0.boost", "t.csv", "--kind", "leaf"))
	says(t, must(t, 0, boost(t, "inspect", "y3.boost")).out, "3 trees in 3 rounds")
}

// A rolled back model is one that training was interrupted at.
func TestRollbackIsReproduced(t *testing.T) {
	models(t)
	must(t, 0, boost(t, "train", "t.csv", "--label", "c", "-q", "-o", "v.boost", "--set", "data.id=id", "--set", "train.rounds=8",
		"--set", "train.early_stopping=0", "--valid", "t.csv"))
	must(t, 0, boost(t, "rollback", "v.boost", "--rounds", "5", "-o", "v5.boost"))
	says(t, must(t, 0, boost(t, "reproduce", "v5.boost", "t.csv", "--valid", "t.csv")).out, "same")
}

func TestStaged(t *testing.T) {
	models(t)
	for _, c := range []struct{ model, kind, header, column, plain string }{
		{"y", "value", "id,prediction_3,prediction_6,prediction_8", "prediction", "prediction"},
		{"b", "class", "id,class_3,class_6,class_8", "class", "class"},
		{"c", "raw", "id,raw_high_3,raw_low_3,raw_mid_3,raw_high_6,raw_low_6,raw_mid_6,raw_high_8,raw_low_8,raw_mid_8", "raw_low", "raw_low"},
	} {
		r := must(t, 0, boost(t, "predict", c.model+".boost", "t.csv", "--kind", c.kind, "--staged", "3"))
		if got := lines(r.out)[0]; got != c.header {
			t.Errorf("%s: header %s, want %s", c.model, got, c.header)
		}
		for _, rounds := range []string{"3", "6", "8"} {
			want := must(t, 0, boost(t, "predict", c.model+".boost", "t.csv", "--kind", c.kind, "--rounds", rounds))
			if got := column(t, r.out, c.column+"_"+rounds); strings.Join(got, " ") != strings.Join(column(t, want.out, c.plain), " ") {
				t.Errorf("%s: the stage of %s rounds is not the prediction of as many", c.model, rounds)
			}
		}
	}
	type metrics map[string]float64
	var staged struct {
		Metrics metrics
		Staged  []struct {
			Rounds  int
			Metrics metrics
		}
	}
	r := must(t, 0, boost(t, "eval", "c.boost", "t.csv", "--staged", "4", "--rounds", "6", "--json"))
	if err := json.Unmarshal([]byte(r.out), &staged); err != nil || len(staged.Staged) != 2 || staged.Staged[1].Rounds != 6 {
		t.Fatalf("%v: %s", err, r.out)
	}
	var whole struct{ Metrics metrics }
	r = must(t, 0, boost(t, "eval", "c.boost", "t.csv", "--rounds", "4", "--json"))
	if err := json.Unmarshal([]byte(r.out), &whole); err != nil || whole.Metrics["multi_logloss"] != staged.Staged[0].Metrics["multi_logloss"] {
		t.Errorf("after 4 rounds %v, staged %v", whole.Metrics, staged.Staged[0].Metrics)
	}
	if staged.Metrics["multi_logloss"] != staged.Staged[1].Metrics["multi_logloss"] {
		t.Errorf("%v are not the metrics of the last stage, %v", staged.Metrics, staged.Staged[1].Metrics)
	}
	says(t, must(t, 0, boost(t, "eval", "y.boost", "t.csv", "--staged", "4", "--metric", "rmse")).out, "rounds    rmse\n     4", "\n     8  ")
}

func TestEarlyStop(t *testing.T) {
	models(t)
	for _, m := range []string{"b", "c"} {
		got := must(t, 0, boost(t, "predict", m+".boost", "t.csv", "--kind", "class", "--early-stop", "0"))
		if want := must(t, 0, boost(t, "predict", m+".boost", "t.csv", "--kind", "class")); got.out != want.out {
			t.Errorf("%s: classes change", m)
		}
	}
	got := column(t, must(t, 0, boost(t, "predict", "y.boost", "t.csv", "--early-stop", "0.5")).out, "prediction")
	want := column(t, must(t, 0, boost(t, "predict", "y.boost", "t.csv")).out, "prediction")
	off := 0.0
	for i := range got {
		x, _ := strconv.ParseFloat(got[i], 64)
		y, _ := strconv.ParseFloat(want[i], 64)
		off = max(off, math.Abs(x-y))
	}
	if !(off > 0 && off <= 0.5) {
		t.Errorf("predictions are off by %v, allowed is 0.5", off)
	}
}

// What is made from a compressed model names the form that its leaf values lost in, however often it
// is changed again; eight bytes a leaf lose nothing.
func TestDerived(t *testing.T) {
	models(t)
	train := []string{"--label", "y", "-q", "--set", "data.ignore=b,c", "--set", "data.id=id", "--set", "train.early_stopping=0"}
	t.Run("S4.19/inspect", func(t *testing.T) {
		must(t, 0, boost(t, "quantize", "y.boost", "-o", "i8.boost", "--dtype", "i8"))
		must(t, 0, boost(t, "quantize", "y.boost", "-o", "f64.boost", "--dtype", "f64"))
		must(t, 0, boost(t, "rollback", "i8.boost", "--rounds", "4", "-o", "back.boost"))
		must(t, 0, boost(t, "rollback", "f64.boost", "--rounds", "4", "-o", "back64.boost"))
		must(t, 0, boost(t, "merge", "i8.boost", "y.boost", "-o", "merged.boost"))
		must(t, 0, boost(t, "refit", "back.boost", "t.csv", "-o", "fitted.boost"))
		must(t, 0, boost(t, append([]string{"train", "t.csv", "-o", "on.boost", "--init-model", "fitted.boost", "--set", "train.rounds=2"}, train...)...))
		must(t, 0, boost(t, "quantize", "on.boost", "-o", "q4.boost", "--dtype", "q4_0"))
		must(t, 0, boost(t, "convert", "q4.boost", "q4.json"))
		must(t, 0, boost(t, "convert", "q4.json", "again.boost"))
		must(t, 0, boost(t, "rollback", "again.boost", "--rounds", "3", "-o", "last.boost"))
		for name, forms := range map[string]string{
			"y.boost": "", "i8.boost": "", "f64.boost": "", "back64.boost": "",
			"back.boost": "I8", "merged.boost": "I8", "fitted.boost": "I8", "on.boost": "I8", "q4.boost": "I8", "last.boost": "I8, Q4_0",
		} {
			out := must(t, 0, boost(t, "inspect", name)).out
			if said := "come from a model compressed to " + forms + ", and"; strings.Contains(out, "derived") != (forms != "") || forms != "" && !strings.Contains(out, said) {
				t.Errorf("%s, of %q:\n%s", name, forms, out)
			}
		}
	})
}

// The raw scores of a merged model are the sums of those of its parts.
func TestMerge(t *testing.T) {
	models(t)
	file(t, "more.csv", strings.ReplaceAll(table(400), "Oslo", "Bern"))
	must(t, 0, boost(t, "train", "more.csv", "--label", "y", "-q", "-o", "more.boost", "--set", "data.ignore=b,c", "--set", "data.id=id",
		"--set", "train.rounds=5", "--set", "train.early_stopping=0"))
	must(t, 0, boost(t, "merge", "y.boost", "more.boost", "-o", "both.boost"))
	var sums [][]string
	for _, m := range []string{"y", "more", "both"} {
		sums = append(sums, column(t, must(t, 0, boost(t, "predict", m+".boost", "more.csv", "--kind", "raw")).out, "raw"))
	}
	for i := range sums[0] {
		x, _ := strconv.ParseFloat(sums[0][i], 64)
		y, _ := strconv.ParseFloat(sums[1][i], 64)
		if z, err := strconv.ParseFloat(sums[2][i], 64); err != nil || math.Abs(x+y-z) > 1e-12 {
			t.Fatalf("row %d: %v and %v make %v", i, x, y, z)
		}
	}
	says(t, must(t, 0, boost(t, "inspect", "both.boost")).out, "merged from", "13 trees in 13 rounds")
	says(t, must(t, 2, boost(t, "merge", "y.boost", "b.boost", "-o", "no.boost")).errors, "objectives are regression and binary")
	if exists("no.boost") {
		t.Error("a model was written all the same")
	}
	says(t, must(t, 2, boost(t, "reproduce", "both.boost", "t.csv", "--init-model", "y.boost")).errors, "merged")
	must(t, 4, boost(t, "merge", "y.boost", "none.boost", "-o", "no.boost"))
}

// 4 rounds and 4 more are 8: the same trees, to the same predictions; and the run is reproduced.
func TestInitModel(t *testing.T) {
	models(t)
	more := []string{"--set", "train.rounds=4", "--set", "train.early_stopping=0", "-q"}
	for _, label := range []string{"y", "b", "c"} {
		must(t, 0, boost(t, "rollback", label+".boost", "--rounds", "4", "-o", "half.boost"))
		must(t, 0, boost(t, append(more, "train", "t.csv", "--init-model", "half.boost", "-o", "more.boost")...))
		got := must(t, 0, boost(t, "predict", "more.boost", "t.csv", "--kind", "raw"))
		if want := must(t, 0, boost(t, "predict", label+".boost", "t.csv", "--kind", "raw")); got.out != want.out {
			t.Errorf("%s: 4 rounds and 4 more predict something else than 8", label)
		}
		says(t, must(t, 0, boost(t, "inspect", "more.boost")).out, "continued after 4 rounds of", "in 8 rounds")
		says(t, must(t, 0, boost(t, "reproduce", "more.boost", "t.csv", "--init-model", "half.boost")).out, "same")
		says(t, must(t, 1, boost(t, "reproduce", "more.boost", "t.csv", "--init-model", label+".boost")).out, "is not the model that training began with")
		says(t, must(t, 2, boost(t, "reproduce", "more.boost", "t.csv")).errors, "--init-model", "continued")
	}
	says(t, must(t, 2, boost(t, "reproduce", "y.boost", "t.csv", "--init-model", "half.boost")).errors, "was not continued from another model")
	must(t, 0, boost(t, "rollback", "more.boost", "--rounds", "4", "-o", "none.boost"))
	says(t, must(t, 2, boost(t, "reproduce", "none.boost", "t.csv", "--init-model", "half.boost")).errors, "has only the rounds of the model")

	// By config, with a name of another library's, on new levels, with a test set.
	file(t, "more.csv", strings.ReplaceAll(table(400), "Oslo", "Bern"))
	file(t, "run.toml", "[data]\ntrain = \"more.csv\"\nlabel = \"c\"\ntest = \"t.csv\"\n[train]\nxgb_model = \"c.boost\"\nrounds = 3\n[output]\nmodel = \"c2.boost\"\n")
	r := must(t, 0, boost(t, "train", "run.toml", "--json", "--ignore", "b", "--categorical", "city", "--set", "data.id=id")) // as the base model has them
	says(t, r.errors, `"train.xgb_model" is called train.init_model here`, "levels that the base model has no code for")
	got := must(t, 0, boost(t, "predict", "c2.boost", "more.csv", "--rounds", "8"))
	if want := must(t, 0, boost(t, "predict", "c.boost", "more.csv")); got.out != want.out {
		t.Error("the base's rounds predict something else")
	}
	says(t, must(t, 0, boost(t, "reproduce", "c2.boost", "more.csv", "--init-model", "c.boost")).out, "same")

	for _, c := range []struct {
		code  int
		args  string
		words []string
	}{
		{2, "train t.csv --init-model y.boost -o y.boost", []string{"y.boost is read, and cannot be written over"}},
		{4, "train t.csv --init-model gone.boost", []string{"gone.boost", "no such file"}},
		{4, "train t.csv --init-model t.csv", []string{"not a boost model"}},
		{3, "train t.csv --init-model y.boost --label b", []string{`label = "b" does not agree with the model, whose label is "y"`}},
		{2, "train t.csv --init-model y.boost --set data.init_score=x", []string{"was trained without init scores"}},
		{2, "train t.csv --init-model y.boost --set train.objective=binary", []string{`the base model's is "regression"`}},
		{2, "train t.csv --init-model y.boost --ignore b,x", []string{`data.ignore = ["x"]: column "x" is a feature of the base model`, "leave the column out of the key"}},
		{2, "train t.csv --init-model y.boost --set data.id=x", []string{`data.id = ["x"]: column "x" is a feature of the base model`}},
		{2, "train t.csv --init-model y.boost --categorical city,x", []string{`data.categorical = ["x"]: column "x" has numbers in the base model`}},
		{2, "train t.csv --init-model y.boost --categorical b", []string{`data.categorical = ["b"]: the base model has no column "b"`}},
		{3, "train bare.csv --init-model y.boost", []string{"bare.csv", `"y"`}},
		{3, "train thin.csv --init-model y.boost", []string{"the table lacks column", "city"}},
		{3, "train words.csv --init-model y.boost", []string{"words.csv:2", `"x"`, "many"}},
		{3, "train classes.csv --init-model c.boost", []string{"classes.csv", "huge"}},
	} {
		file(t, "bare.csv", strings.ReplaceAll(table(50), "id,x,city,y", "id,x,city,z"))
		file(t, "thin.csv", "x,y\n1,2\n")
		file(t, "words.csv", "id,x,city,y\nr1,many,Oslo,3\n")
		file(t, "classes.csv", "id,x,city,c\nr1,1,Oslo,huge\n")
		says(t, must(t, c.code, boost(t, strings.Fields(c.args)...)).errors, c.words...)
	}
}

func TestRefit(t *testing.T) {
	models(t)
	file(t, "new.csv", strings.ReplaceAll(table(500), "low", "mid"))
	for _, label := range []string{"y", "b", "c"} {
		r := must(t, 0, boost(t, "refit", label+".boost", "new.csv", "-o", "new.boost", "--decay", "0.25"))
		says(t, r.out, "before", "after")
		says(t, must(t, 0, boost(t, "inspect", "new.boost")).out, "refitted with decay 0.25 from", "8 rounds")
		says(t, must(t, 0, boost(t, "reproduce", "new.boost", "new.csv", "--init-model", label+".boost")).out, "same")
		must(t, 0, boost(t, "rollback", "new.boost", "--rounds", "3", "-o", "new3.boost"))
		says(t, must(t, 0, boost(t, "reproduce", "new3.boost", "new.csv", "--init-model", label+".boost")).out, "same")
		must(t, 0, boost(t, "refit", label+".boost", "new.csv", "-o", "same.boost", "--decay", "1", "-q"))
		got := must(t, 0, boost(t, "predict", "same.boost", "t.csv"))
		if want := must(t, 0, boost(t, "predict", label+".boost", "t.csv")); got.out != want.out {
			t.Errorf("%s: with a decay of 1 predictions change", label)
		}
	}
	var out struct {
		Rows          int
		Before, After map[string]float64
	}
	r := must(t, 0, boost(t, "refit", "c.boost", "new.csv", "-o", "new.boost", "--decay", "0", "--json"))
	if err := json.Unmarshal([]byte(r.out), &out); err != nil || out.Rows != 500 || !(out.After["multi_logloss"] < out.Before["multi_logloss"]) {
		t.Errorf("%v: %s", err, r.out)
	}
	for _, c := range []struct {
		code  int
		args  string
		words []string
	}{
		{2, "refit y.boost new.csv", []string{"-o is missing"}},
		{2, "refit y.boost new.csv -o y.boost", []string{"y.boost is read"}},
		{2, "refit y.boost new.csv -o new.csv", []string{"new.csv is read"}},
		{2, "refit y.boost new.csv -o o.boost --decay 1.5", []string{"--decay must be 0"}},
		{2, "refit y.boost new.csv -o o.boost --threads -1", []string{"--threads must be 0"}},
		{3, "refit y.boost bare.csv -o o.boost", []string{"bare.csv", `"y"`}},
		{4, "refit none.boost new.csv -o o.boost", []string{"none.boost"}},
		{3, "refit y.boost unseen.csv -o o.boost --on-unseen error", []string{"Bern"}},
	} {
		file(t, "bare.csv", strings.ReplaceAll(table(50), "id,x,city,y", "id,x,city,z"))
		file(t, "unseen.csv", strings.ReplaceAll(table(50), "Oslo", "Bern"))
		says(t, must(t, c.code, boost(t, strings.Fields(c.args)...)).errors, c.words...)
	}
	if exists("o.boost") {
		t.Error("a model was written all the same")
	}
}

// A model that is trained on, or refitted, with other texts of missing values remembers these: what eval says is what training said.
func TestMissingWordsAfterwards(t *testing.T) {
	models(t)
	file(t, "gaps.csv", strings.ReplaceAll(table(400), ",Oslo,", ",-999,"))
	must(t, 0, boost(t, "train", "gaps.csv", "--label", "y", "--effort", "quick", "-q", "-o", "base.boost", "--rounds", "5", "--set", "data.ignore=b,c", "--set", "data.id=id"))
	for _, how := range []string{"false", "true"} {
		for _, command := range []string{
			"train gaps.csv --init-model base.boost -q --rounds 3 --set train.early_stopping=0 --set data.out_of_core=" + how,
			"refit base.boost gaps.csv -q",
		} {
			must(t, 0, boost(t, append(strings.Fields(command), "--set", "data.missing=-999", "-o", "more.boost")...))
			got := must(t, 0, boost(t, "eval", "more.boost", "gaps.csv")).out
			if want := must(t, 0, boost(t, "eval", "more.boost", "gaps.csv", "--set", "data.missing=-999")).out; got != want {
				t.Errorf("%s: without the words\n%s, with them\n%s", command, got, want)
			}
			if other := must(t, 0, boost(t, "eval", "more.boost", "gaps.csv", "--set", "data.missing_only=NA")).out; other == got {
				t.Errorf("%s: the words change nothing", command)
			}
			says(t, must(t, 2, boost(t, "merge", "base.boost", "more.boost", "-o", "no.boost")).errors, "mean no value", `"-999"`)
		}
	}
}

// Rounds of averaged models stay such in what is made of the model, in any order.
func TestPartsOfAMean(t *testing.T) {
	models(t)
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--effort", "quick", "-q", "-o", "mean.boost", "--rounds", "4", "--set", "train.bag_folds=3", "--set", "data.ignore=b,c", "--set", "data.id=id"))
	must(t, 0, boost(t, "train", "t.csv", "--init-model", "mean.boost", "-q", "--rounds", "3", "--set", "train.early_stopping=0", "-o", "more.boost"))
	must(t, 0, boost(t, "merge", "mean.boost", "y.boost", "-o", "first.boost"))
	must(t, 0, boost(t, "merge", "y.boost", "mean.boost", "-o", "last.boost"))
	for _, m := range []string{"mean", "more", "first", "last"} {
		says(t, must(t, 2, boost(t, "rollback", m+".boost", "--rounds", "2", "-o", "no.boost")).errors, "the rounds of 3 models")
		says(t, must(t, 2, boost(t, "predict", m+".boost", "t.csv", "--rounds", "2")).errors, "the rounds of 3 models")
		says(t, must(t, 2, boost(t, "refit", m+".boost", "t.csv", "-o", "no.boost")).errors, "the rounds of 3 models")
		must(t, 0, boost(t, "quantize", m+".boost", "--dtype", "I8", "-o", "small.boost"))
		for _, load := range []string{"fast", "compact"} {
			for _, command := range []string{"predict", "eval"} {
				says(t, must(t, 2, boost(t, command, "small.boost", "t.csv", "--rounds", "2", "--load", load)).errors, "the rounds of 3 models")
			}
		}
	}
	// By a schedule, too: leaf values after it are of another rate.
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--effort", "quick", "-q", "-o", "wave.boost", "--rounds", "4", "--set", "train.early_stopping=0", "--set", "train.learning_rate_schedule=cosine", "--set", "data.ignore=b,c", "--set", "data.id=id"))
	must(t, 0, boost(t, "refit", "wave.boost", "t.csv", "-q", "-o", "no.boost"))
	must(t, 0, boost(t, "train", "t.csv", "--init-model", "wave.boost", "-q", "--rounds", "3", "--set", "train.early_stopping=0", "-o", "more.boost"))
	says(t, must(t, 2, boost(t, "refit", "more.boost", "t.csv", "-o", "no.boost")).errors, "schedule of learning rates")
}

// Rounds of random forests, of dropout and of merged models are not parted, in whatever is made of them: leaf values follow from all, and
// the base score is that of all.
func TestPartsOfEnsembles(t *testing.T) {
	models(t)
	train := []string{"train", "t.csv", "--label", "y", "--rounds", "5", "--set", "train.early_stopping=0", "--set", "data.ignore=b,c", "--set", "data.id=id", "-q"}
	must(t, 0, boost(t, append(train, "--set", "train.boosting=rf", "--set", "sampling.row_fraction=0.7", "-o", "rf.boost")...))
	must(t, 0, boost(t, append(train, "--set", "train.boosting=dart", "-o", "dart.boost")...))
	must(t, 0, boost(t, "train", "t.csv", "--init-model", "dart.boost", "--rounds", "4", "--set", "train.early_stopping=0", "--set", "train.boosting=dart", "-q", "-o", "more.boost"))
	must(t, 0, boost(t, "merge", "y.boost", "rf.boost", "-o", "merged.boost"))
	must(t, 0, boost(t, "cv", "t.csv", "--label", "y", "--rounds", "3", "--folds", "3", "--set", "train.early_stopping=0", "--set", "data.ignore=b,c", "--set", "data.id=id", "-q", "-o", "mean.boost"))
	must(t, 0, boost(t, "refit", "mean.boost", "t.csv", "-o", "fitted.boost"))
	must(t, 0, boost(t, "train", "t.csv", "--init-model", "fitted.boost", "--rounds", "2", "--set", "train.early_stopping=0", "-q", "-o", "meanmore.boost"))
	must(t, 0, boost(t, "quantize", "meanmore.boost", "--prune", "on", "--max-loss", "0.5%", "--data", "t.csv", "--allow-train-data", "-o", "pruned.boost"))
	for _, c := range []struct {
		model string
		parts []string // of rounds
		whole []string
		says  string
	}{
		{"rf", []string{"1", "4"}, []string{"0", "5"}, `train.boosting = "rf"`},
		{"dart", []string{"1", "4"}, []string{"0", "5"}, `train.boosting = "dart"`},
		{"more", []string{"4", "6", "8"}, []string{"0", "5", "9"}, `train.boosting = "dart"`},
		{"merged", []string{"1", "8", "9", "12"}, []string{"0", "13"}, "several models that were merged"},
		{"mean", []string{"1", "3", "8"}, []string{"0", "9"}, "several models that were merged"},
		{"fitted", []string{"1", "3", "8"}, []string{"0", "9"}, "several models that were merged"},
		{"meanmore", []string{"1", "3", "8"}, []string{"0", "9", "10", "11"}, "several models that were merged"},
	} {
		file := c.model + ".boost"
		must(t, 0, boost(t, "quantize", file, "--dtype", "I8", "-o", "small.boost"))
		for _, k := range c.parts {
			want := []string{c.says, "the first " + k + " rounds are no model of " + k + " rounds"}
			says(t, must(t, 2, boost(t, "rollback", file, "--rounds", k, "-o", "no.boost")).errors, want...)
			for _, load := range []string{"fast", "compact"} {
				says(t, must(t, 2, boost(t, "predict", "small.boost", "t.csv", "--rounds", k, "--load", load)).errors, want...)
				says(t, must(t, 2, boost(t, "eval", "small.boost", "t.csv", "--rounds", k, "--load", load)).errors, want...)
			}
		}
		for _, k := range c.whole {
			must(t, 0, boost(t, "rollback", file, "--rounds", k, "-o", "part.boost"))
			must(t, 0, boost(t, "eval", file, "t.csv", "--rounds", k))
			if got := must(t, 0, boost(t, "predict", file, "t.csv", "--rounds", k)).out; got != must(t, 0, boost(t, "predict", "part.boost", "t.csv")).out {
				t.Errorf("%s: %s rounds predict something else than their model", file, k)
			}
		}
		says(t, must(t, 2, boost(t, "eval", file, "t.csv", "--staged", "4")).errors, c.says)
		says(t, must(t, 2, boost(t, "predict", file, "t.csv", "--staged", "3")).errors, c.says)
		must(t, 0, boost(t, "eval", file, "t.csv", "--staged", "100"))
	}
	must(t, 0, boost(t, "eval", "more.boost", "t.csv", "--staged", "5"))
	says(t, must(t, 2, boost(t, "eval", "pruned.boost", "t.csv", "--rounds", "1")).errors, "several models that were merged")
}

// Columns stand in one order, wherever the rows are: also with an id before the label, and columns made of others.
func TestInitModelWithID(t *testing.T) {
	inFolder(t)
	var rows strings.Builder
	rows.WriteString("id,c,y\n")
	for i := range 200 {
		fmt.Fprintf(&rows, "r%d,%d,%d\n", i, i*37%101, i*37%11+i%3)
	}
	file(t, "t.csv", rows.String())
	train := []string{"train", "t.csv", "--label", "y", "--set", "data.id=id", "--objective", "regression", "--categorical", "c", "-q", "--rounds", "3"}
	must(t, 0, boost(t, append(train, "-o", "base.boost")...))
	must(t, 0, boost(t, append(train, "--init-model", "base.boost", "-o", "memory.boost")...))
	must(t, 0, boost(t, append(train, "--init-model", "base.boost", "-o", "files.boost", "--set", "data.out_of_core=true")...))
	if readFile(t, "memory.boost") != readFile(t, "files.boost") {
		t.Error("out of core another model is trained")
	}
}

// A model is not written under the name of a table, which another program would take for one.
func TestModelNamedAsTable(t *testing.T) {
	inFolder(t)
	var rows strings.Builder
	rows.WriteString("x,y\n")
	for i := range 80 {
		fmt.Fprintf(&rows, "%d,%d.5\n", i%9, i%7)
	}
	file(t, "rows.csv", rows.String())
	must(t, 0, boost(t, "train", "rows.csv", "--label", "y", "-q", "--rounds", "3", "-o", "m.txt"))
	for _, args := range [][]string{
		{"train", "rows.csv", "--label", "y", "-o", "m.csv"},
		{"train", "rows.csv", "--label", "y", "--set", "quantize.dtype=I8", "--set", "quantize.output=m.csv.gz"},
		{"cv", "rows.csv", "--label", "y", "-o", "m.parquet"},
		{"quantize", "m.txt", "--dtype", "I8", "-o", "m.jsonl"},
		{"rollback", "m.txt", "--rounds", "2", "-o", "m.xlsx"},
	} {
		r := must(t, 2, boost(t, args...))
		says(t, r.errors, "is the name of a table", "m.boost")
	}
	for _, args := range []string{"train rows.csv --label y", "cv rows.csv --label y", "quantize m.txt --dtype I8", "rollback m.txt --rounds 2", "refit m.txt rows.csv"} {
		r := must(t, 2, boost(t, append(strings.Fields(args), "-o", "m.json")...))
		says(t, r.errors, "m.json is the name of a model as text", "name it m.boost here, then boost convert m.boost m.json")
	}
	if found, err := filepath.Glob("m.*"); err != nil || !slices.Equal(found, []string{"m.txt"}) {
		t.Errorf("left %q (%v), want the model alone", found, err)
	}
}
