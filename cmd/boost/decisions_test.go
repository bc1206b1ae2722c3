package main

import (
	"encoding/json"
	"math"
	"testing"
)

// evaluated is the JSON of eval.
type evaluated struct {
	Metrics   map[string]float64
	Confusion struct {
		Classes []string
		Rows    [][]float64
	}
	Thresholds struct {
		Positive string
		At       []map[string]float64
		BestF1   map[string]float64 `json:"best_f1"`
		BestMCC  map[string]float64 `json:"best_mcc"`
	}
}

func evalJSON(t *testing.T, args ...string) evaluated {
	t.Helper()
	r := must(t, 0, boost(t, append([]string{"eval", "--json"}, args...)...))
	var e evaluated
	if err := json.Unmarshal([]byte(r.out), &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// The matrix counts what predict --kind class prints, whole or after some rounds.
func TestConfusion(t *testing.T) {
	models(t)
	for _, rounds := range []string{"8", "2"} {
		for _, m := range []string{"b", "c"} {
			e := evalJSON(t, m+".boost", "t.csv", "--confusion", "--rounds", rounds)
			labels := column(t, readFile(t, "t.csv"), m)
			classes := column(t, must(t, 0, boost(t, "predict", m+".boost", "t.csv", "--kind", "class", "--rounds", rounds)).out, "class")
			for i, label := range e.Confusion.Classes {
				for k, class := range e.Confusion.Classes {
					want := 0.0
					for row := range labels {
						if labels[row] == label && classes[row] == class {
							want++
						}
					}
					if got := e.Confusion.Rows[i][k]; got != want {
						t.Errorf("%s, %s rounds: %v rows of %s are predicted to be %s, want %v", m, rounds, got, label, class, want)
					}
				}
			}
		}
	}
	r := must(t, 0, boost(t, "eval", "c.boost", "t.csv", "--confusion", "--staged", "4"))
	says(t, r.out, "rounds", "label \\ predicted  high     low  mid  recall\n", "\nprecision ")
	says(t, must(t, 2, boost(t, "eval", "y.boost", "t.csv", "--confusion")).errors, "--confusion needs classes, and y.boost predicts numbers")
}

func TestThresholds(t *testing.T) {
	models(t)
	e := evalJSON(t, "b.boost", "t.csv", "--thresholds", "--metric", "f1@0.2", "--metric", "precision@0.95", "--metric", "recall@0.2", "--metric", "mcc")
	if e.Thresholds.Positive != "yes" || len(e.Thresholds.At) != 11 {
		t.Fatalf("%+v", e.Thresholds)
	}
	at := map[float64]map[string]float64{}
	for _, d := range e.Thresholds.At {
		at[d["threshold"]] = d
		if d["f1"] > e.Thresholds.BestF1["f1"] || d["mcc"] > e.Thresholds.BestMCC["mcc"] {
			t.Errorf("%v is better than %v or %v", d, e.Thresholds.BestF1, e.Thresholds.BestMCC)
		}
	}
	for metric, got := range map[string]float64{
		"f1@0.2": at[0.2]["f1"], "recall@0.2": at[0.2]["recall"], "precision@0.95": at[0.95]["precision"], "mcc": at[0.5]["mcc"],
	} {
		if want, ok := e.Metrics[metric]; !ok || math.Abs(got-want) > 1e-15 {
			t.Errorf("%s is %v in the table, want %v", metric, got, want)
		}
	}
	r := must(t, 0, boost(t, "eval", "b.boost", "t.csv", "--thresholds"))
	says(t, r.out, "threshold  precision  recall", "predicted yes\n", "\nbest f1 ", "\nbest mcc ")
	says(t, must(t, 2, boost(t, "eval", "c.boost", "t.csv", "--thresholds")).errors, "needs a model of two classes, and c.boost is none: leave it out")
	says(t, must(t, 2, boost(t, "eval", "y.boost", "t.csv", "--thresholds")).errors, "y.boost is none")
}

// A table with one class has no best threshold, and nothing to divide some figures by.
func TestThresholdsOfOneClass(t *testing.T) {
	models(t)
	file(t, "one.csv", "id,x,city,b\nr,0.5,Oslo,no\n")
	r := must(t, 0, boost(t, "eval", "b.boost", "one.csv", "--thresholds", "--confusion", "--json"))
	says(t, r.out, `"best_f1": null`, `"best_mcc": null`, `"recall": null`)
	r = must(t, 0, boost(t, "eval", "b.boost", "one.csv", "--thresholds", "--confusion"))
	says(t, r.out, "undefined")
}
