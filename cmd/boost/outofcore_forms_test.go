package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"boost/dataset"
	"boost/internal/testenv"
)

// Every form that a table has in files gives one model, whether it is read into memory or
// left in its files: with weights, queries kept together, init scores, categories, gaps and
// a word that means no value, a validation set or rows held out, for any number of threads.
func TestEveryFormOutOfCore(t *testing.T) {
	var s strings.Builder
	s.WriteString("id,a,b,word,day,flag,level,w,q,start,y\n")
	state := uint32(7)
	draw := func(n int) int { state = state*1664525 + 1013904223; return int(state>>8) % n }
	for row := range 720 {
		b := fmt.Sprintf("%.3f", float64(draw(9000))/7)
		if draw(5) == 0 {
			b = []string{"", "none"}[draw(2)]
		}
		word := []string{"red", "blue", "dark green", ""}[draw(4)]
		y := draw(3)
		if word == "red" {
			y += 2
		}
		fmt.Fprintf(&s, "r%d,%d,%s,%s,2024-%02d-%02d,%v,%d,%d,%d,%.2f,%d\n", row, draw(60), b, word, 1+draw(12), 1+draw(28), draw(2) == 0, 1+draw(4), 1+draw(3), row/12, float64(draw(100))/10, y)
	}
	settings := map[string][]string{
		"held out, weights":       {"data.weight=w", "data.ignore=q,start", "train.early_stopping=3"},
		"queries, categories":     {"data.group=q", "data.categorical=level,flag", "data.ignore=w,start", "train.early_stopping=3"},
		"init scores, valid set":  {"data.init_score=start", "data.ignore=w,q", "train.early_stopping=4", "binning.sample=200"},
		"everything, all rows in": {"data.weight=w", "data.ignore=q,start", "train.early_stopping=0", "binning.sample=300"},
	}
	for turn, name := range slices.Sorted(maps.Keys(settings)) {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "init scores, valid set" {
				t.Skip("one setting is enough for a short run")
			}
			inFolder(t)
			text := s.String()
			table, err := dataset.Read(context.Background(), strings.NewReader(text), "t.csv", dataset.MissingOnly("", "none"))
			if err != nil {
				t.Fatal(err)
			}
			forms := append(csvForms(t, text), arrowForms(t, table)...)
			for i, f := range forms {
				if i%testenv.ByLength(2, 4, 1) != turn%testenv.ByLength(2, 4, 1) { // each form in one of the settings
					continue
				}
				args := []string{"train", f.args[0], "--label", "y", "--set", "train.objective=regression", "--set", "data.id=id",
					"--set", "data.missing_only=,none", "-o", "form.boost", "--set", "train.rounds=6", "--set", fmt.Sprintf("train.threads=%d", 1+i%3)}
				for _, key := range settings[name] {
					args = append(args, "--set", key)
				}
				if strings.Contains(name, "valid") {
					args = append(args, "--valid", "f.csv")
				}
				must(t, 0, boostWith(t, f.file, append(args, "--set", "data.out_of_core=false")...))
				want := readFile(t, "form.boost")
				must(t, 0, boostWith(t, f.file, append(args, "--set", "data.out_of_core=true")...))
				if readFile(t, "form.boost") != want {
					t.Errorf("%s: another model out of core", f.name)
				}
			}
		})
	}
}

// LibSVM text of numbers gives one model in memory, out of core, and as CSV.
func TestLibSVMOutOfCore(t *testing.T) {
	inFolder(t)
	var s strings.Builder
	s.WriteString("label,f1,f2,f3\n")
	for row := range 600 {
		fmt.Fprintf(&s, "%d,%d,%d,%d\n", row*7%5, row%3*(row%2), row%7, row*13%50*(row%11/9))
	}
	table, err := dataset.Read(context.Background(), strings.NewReader(s.String()), "t.csv")
	if err != nil {
		t.Fatal(err)
	}
	file(t, "f.csv", s.String())
	forms := svmForms(t, table)
	for _, early := range []string{"0", "3"} {
		flags := []string{"--label", "label", "--set", "train.objective=regression", "--set", "train.rounds=6", "-o", "m.boost", "--set", "train.early_stopping=" + early}
		must(t, 0, boost(t, append([]string{"train", "f.csv"}, flags...)...))
		want := readFile(t, "m.boost")
		for _, f := range forms {
			must(t, 0, boostWith(t, f.file, append([]string{"train", f.args[0], "--set", "data.out_of_core=true"}, flags...)...))
			if readFile(t, "m.boost") != want {
				t.Errorf("%s, early stopping %s: another model out of core", f.name, early)
			}
		}
	}
}
