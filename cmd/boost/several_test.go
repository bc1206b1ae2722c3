package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

// Several labels from the command line: predictions are named after them, metrics are means, and what lacks one is refused.
func TestSeveralLabels(t *testing.T) {
	inFolder(t)
	var whole, part strings.Builder
	whole.WriteString("yes,x,no,z\n")
	part.WriteString("yes,x,z\n")
	for i := range 120 {
		fmt.Fprintf(&whole, "%d,%d,%v,%c\n", i%7/4, i%7, i%3 == 0, "pqr"[i%3])
		fmt.Fprintf(&part, "%d,%d,%c\n", i%7/4, i%7, "pqr"[i%3])
	}
	file(t, "t.csv", whole.String())
	file(t, "part.csv", part.String())
	r := boost(t, "train", "t.csv", "--label", "no,yes", "--rounds", "5", "-o", "m.boost", "--set", "tree.min_data_in_leaf=5")
	says(t, r.errors, `predicting "no", "yes" with objective multi_label, because the labels no, yes are 0 or 1`)
	for _, kind := range []string{"value", "raw"} {
		head, _, _ := strings.Cut(boost(t, "predict", "m.boost", "part.csv", "--kind", kind).out, "\n")
		if want := map[string]string{"value": "no,yes", "raw": "raw_no,raw_yes"}[kind]; strings.TrimSpace(head) != want {
			t.Errorf("--kind %s: columns %q, want %q", kind, head, want)
		}
	}
	says(t, boost(t, "eval", "m.boost", "t.csv").out, "logloss ", "logloss/no ", "logloss/yes ")
	says(t, boost(t, "eval", "m.boost", "part.csv").errors, `there is no column "no", the label that the model predicts`)
	says(t, boost(t, "inspect", "m.boost").out, "no, yes")
	says(t, boost(t, "reproduce", "m.boost", "t.csv").out, "same: ")
	for _, how := range []string{"data.out_of_core=true", "data.cache=c.cache", `data.label=["no", "yes"]`} {
		args := []string{"train", "t.csv", "--label", "no,yes", "--rounds", "5", "-o", "other.boost", "--set", "tree.min_data_in_leaf=5", "--set", how}
		boost(t, args...)
		one, err := os.ReadFile("m.boost")
		other, errOther := os.ReadFile("other.boost")
		if err != nil || errOther != nil || !bytes.Equal(one, other) {
			t.Errorf("%s gives another model", how)
		}
	}
	says(t, boost(t, "init", "t.csv", "--label", "no,yes").out, `label = ["no", "yes"]`, `objective = "multi_label"`)
	says(t, boost(t, "train", "t.csv", "--label", "z,yes", "-o", "x.boost").errors, `label "z" has texts (p, q, r), and several labels have to be numbers`)
	says(t, boost(t, "predict", "m.boost", "part.csv", "--kind", "class").errors, "predicts numbers, not classes")
}
