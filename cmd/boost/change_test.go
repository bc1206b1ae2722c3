package main

import (
	"encoding/json"
	"math"
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
	says(t, must(t, 0, boost(t, "eval", "y.boost", "t.csv", "--staged", "4", "--metric", "rmse")).out, "rounds      rmse\n     4", "\n     8  ")
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
	says(t, must(t, 2, boost(t, "reproduce", "both.boost", "t.csv")).errors, "merged")
	must(t, 4, boost(t, "merge", "y.boost", "none.boost", "-o", "no.boost"))
}
