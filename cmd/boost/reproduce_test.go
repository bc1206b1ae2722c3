package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"boost/booster/model"
)

func TestReproduce(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(300))
	file(t, "v.csv", table(80))
	base := []string{"train", "t.csv", "--label", "b", "-q", "-o"}
	for name, more := range map[string][]string{
		"held out": {"--set", "data.id=id"},
		"valid":    {"--valid", "v.csv"},
		"sampled":  {"--set", "sampling.row_fraction=0.5", "--set", "sampling.col_tree=0.5", "--set", "train.rounds=5", "--set", "data.positive_class=no"},
		"variance": {"--set", "sampling.mvs_fraction=0.4", "--set", "sampling.mvs_lambda=0.5"},
		"preset":   {"--set", "train.preset=fast", "--set", "train.rounds=6"},
		"reuse":    {"--set", "tree.reuse_cut=0.3", "--set", "tree.reuse_feature=0.1"},
		"no stop":  {"--set", "train.early_stopping=0", "--set", "train.rounds=4", "--set", "data.weight=y"},
	} {
		t.Run(name, func(t *testing.T) {
			must(t, 0, boost(t, append(append(base, "m.boost"), more...)...))
			args := []string{"reproduce", "m.boost", "t.csv"}
			if name == "valid" {
				must(t, 2, boost(t, args...))
				args = append(args, "--valid", "v.csv")
			}
			says(t, must(t, 0, boost(t, args...)).out, "same: sha256 ")
			var v verdict
			r := must(t, 0, boost(t, append(args, "--json")...))
			if err := json.Unmarshal([]byte(r.out), &v); err != nil || !v.Same || v.SHA256 != v.Retrained || v.Differs != "" {
				t.Errorf("verdict %s", r.out)
			}
		})
	}
	must(t, 0, boost(t, append(base, "m.boost", "--set", "train.early_stopping=0", "--set", "train.rounds=4", "--set", "data.weight=y")...))
	must(t, 0, boost(t, "convert", "m.boost", "m.json"))
	want := fmt.Sprintf("same: sha256 %x\n", sha256.Sum256([]byte(readFile(t, "m.boost"))))
	if got := must(t, 0, boost(t, "reproduce", "m.json", "t.csv")).out; got != want {
		t.Errorf("of the model in JSON it prints %q, want %q", got, want)
	}
}

// Training that a limit ended is trained again for as many rounds.
func TestReproduceLimited(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(3000))
	s := trained(t, must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--json", "--set", "train.early_stopping=0",
		"--set", "train.rounds=100000", "--set", "train.time_limit=0.5")))
	if s.Stopped != "time_limit" {
		t.Fatalf("stopped is %s", s.Stopped)
	}
	must(t, 0, boost(t, "reproduce", "t.boost", "t.csv"))
}

func TestReproduceDiffers(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(300))
	file(t, "v.csv", table(80))
	file(t, "other.csv", strings.Replace(table(300), "Oslo", "Bern", 1))
	must(t, 0, boost(t, "train", "t.csv", "--label", "b", "-q", "--valid", "v.csv", "--set", "train.rounds=5"))
	r := must(t, 1, boost(t, "reproduce", "t.boost", "other.csv", "--valid", "v.csv"))
	says(t, r.out, "different", "other.csv is not the table", "fingerprint")
	r = must(t, 1, boost(t, "reproduce", "t.boost", "t.csv", "--valid", "t.csv", "--json"))
	says(t, r.out, `"same": false`, `"differs": "valid fingerprint"`)
	must(t, 3, boost(t, "reproduce", "t.boost", "none.csv", "--valid", "v.csv"))
	must(t, 4, boost(t, "reproduce", "none.boost", "t.csv"))
}

// What was put together or cut back was not trained: the models that it was made of can be reproduced.
func TestReproduceNotTrained(t *testing.T) {
	models(t)
	from, err := model.Load("y.boost")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := from.SHA256()
	if err != nil {
		t.Fatal(err)
	}
	for how, want := range map[string]string{model.Merged: "merge these again", model.Pruned: "was pruned"} {
		c := *from.Contents()
		c.Origin, c.History = &model.Origin{How: how, Models: []string{sum}}, nil
		m, err := model.New(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Save("made.boost"); err != nil {
			t.Fatal(err)
		}
		says(t, must(t, 2, boost(t, "reproduce", "made.boost", "t.csv")).errors, want)
		says(t, must(t, 0, boost(t, "inspect", "made.boost")).out, how+" from", sum)
	}
}

// With data.on_bad_row = "skip" all commands leave out the rows without a label that training has left out, and predictions keep them.
func TestRowsWithoutLabels(t *testing.T) {
	inFolder(t)
	var text strings.Builder
	text.WriteString("x,z,y\n")
	for i := range 300 {
		label := strconv.Itoa(i * 7 % 13)
		if i%50 == 7 {
			label = ""
		}
		fmt.Fprintf(&text, "%d,%s,%s\n", i, string('a'+rune(i%50)), label)
	}
	file(t, "t.csv", text.String())
	const skipped = "6 bad rows skipped; the first: t.csv:9: column \"y\": the cell has no value"
	skip := func(command string) result {
		t.Helper()
		return must(t, 0, boost(t, append(strings.Fields(command), "--set", "data.on_bad_row=skip")...))
	}
	const rounds = " --objective regression --effort quick --rounds 3 --set train.early_stopping=0"
	skip("train t.csv --label y -o m.boost" + rounds)
	says(t, skip("reproduce m.boost t.csv").errors, skipped)
	says(t, skip("eval m.boost t.csv").out, "294")
	says(t, skip("refit m.boost t.csv -o r.boost").errors, skipped)
	says(t, skip("quantize m.boost --data t.csv --allow-train-data --dtype I8 -o q.boost").errors, skipped)
	says(t, skip("compare m.boost r.boost t.csv").out, "294")
	for _, how := range []string{"true", "false"} {
		says(t, skip("train t.csv --init-model m.boost --valid t.csv --test t.csv -o more.boost --rounds 2 --set train.early_stopping=0 --set data.out_of_core="+how).errors, skipped, "294 rows")
	}
	if lines := strings.Count(must(t, 0, boost(t, "predict", "m.boost", "t.csv")).out, "\n"); lines != 301 {
		t.Errorf("%d lines of predictions, want 301", lines)
	}
	says(t, must(t, 3, boost(t, "eval", "m.boost", "t.csv")).errors, `t.csv:9: column "y": the cell has no value`)
}
