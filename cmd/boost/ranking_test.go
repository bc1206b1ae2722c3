package main

import (
	"boost/cmd/boost/internal/filename"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Metrics of queries are of the queries of the rows at hand: of the training rows those that are not held out, as eval
// computes them for these rows alone.
func TestMetricsOfQueries(t *testing.T) {
	inFolder(t)
	const head = "q,x,rel,held\n"
	all, kept := strings.Builder{}, strings.Builder{}
	all.WriteString(head)
	kept.WriteString(head)
	for i := range 400 {
		query := i / 10
		line := fmt.Sprintf("%d,%d,%d,%d\n", query, i*7919%101, (i*31+query)%4, (query%5)/4)
		all.WriteString(line)
		if query%5 < 4 {
			kept.WriteString(line)
		}
	}
	file(t, "all.csv", all.String())
	file(t, "kept.csv", kept.String())
	r := must(t, 0, boost(t, "train", "all.csv", "--label", "rel", "--group", "q", "--objective", "lambdarank",
		"--valid-by", "held", "--rounds", "6", "--set", "train.retrain=false", "--test", "kept.csv", "-o", "r.boost", "--json"))
	var trained struct {
		Metrics map[string]map[string]float64
	}
	if err := json.Unmarshal([]byte(r.out), &trained); err != nil {
		t.Fatal(err)
	}
	for metric, want := range evalJSON(t, "r.boost", "kept.csv").Metrics {
		if !(want > 0 && want <= 1) {
			t.Errorf("%s of the rows kept is %v", metric, want)
		}
		for _, set := range []string{"train", "test"} {
			if got := trained.Metrics[set][metric]; got != want {
				t.Errorf("%s of %s is %v, eval says %v", metric, set, got, want)
			}
		}
		c := compared(t, "r.boost", "r.boost", "kept.csv").Metrics[metric]
		if c.A == nil || *c.A != want || *c.B != want {
			t.Errorf("compare gives %+v for %s, eval says %v", c, metric, want)
		}
	}
}

// Sizes are written for people in words, and as numbers in JSON.
func TestWrittenSize(t *testing.T) {
	models(t)
	says(t, must(t, 0, boost(t, "quantize", "y.boost", "--dtype", "I8", "-o", "q.boost")).errors, "q.boost was written (rounds 8, ", "B)")
	must(t, 0, boost(t, "refit", "y.boost", "t.csv", "-o", "f.boost", "-q"))
	says(t, must(t, 0, boost(t, "rollback", "y.boost", "--rounds", "3", "-o", "y3.boost", "--log-format", "json")).errors, fmt.Sprintf(`"bytes":%d`, filename.Size("y3.boost")))
}
