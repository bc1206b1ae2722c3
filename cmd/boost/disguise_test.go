package main

import (
	"fmt"
	"strings"
	"testing"
)

// disguised is a table in which every kind of number in disguise stands, and two that can be read in two ways.
func disguised(rows int) string {
	var s strings.Builder
	s.WriteString("money,rate,mass,many,born,seen,age,answer,y\n")
	for i := range rows {
		age := fmt.Sprint(20 + i%60)
		if i%20 == 0 {
			age = "-999"
		}
		fmt.Fprintf(&s, "\"$%d,%03d.50\",%d %%,%d kg,\"%d,%03d\",%02d.12.2020,%d/%d/2020,%s,%s,%d\n", 1+i%9, i%1000, i%100, 40+i%50, 1+i%7, i%900,
			1+i%31, 1+i%12, 1+i%28, age, []string{"Yes", "yes", " Yes", "No"}[i%4], i%100+i%50)
	}
	return s.String()
}

// Numbers in disguise are named with the flag that reads them, which can be pasted; a model reads other tables by what it
// remembers, and names the flag for one that is written in another way.
func TestDisguises(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", disguised(400))
	train := []string{"train", "t.csv", "--label", "y", "--set", "train.rounds=8", "--set", "train.early_stopping=0"}
	named := `columns "rate" (1234.5 %), "mass" (1234.5 kg), "born" (dd/mm/yyyy), "seen" (mm/dd/yyyy) hold numbers or dates and are used as text: --set 'data.parse={born="date", mass="number", rate="number", seen="date"}' reads them`
	ignored := `column "money" (1,234.5 $) holds numbers or dates and is ignored: --set 'data.parse={money="number"}' reads it`
	unclear := `--set 'data.parse={many="1,234.5"}'`
	flagged := []string{`differ only in case or blanks`, `"answer" ("Yes", "yes")`, `blanks around the cells of column "answer"`}
	r := must(t, 0, boost(t, train...))
	says(t, r.errors, append([]string{named, ignored, unclear}, flagged...)...)
	r = must(t, 0, boost(t, "inspect", "t.csv"))
	says(t, r.out, "may mean no value", "age (-999)")
	says(t, r.errors, append([]string{`"rate" (1234.5 %)`, unclear}, flagged...)...)
	must(t, 0, boost(t, "init", "t.csv", "--label", "y", "-o", "t.toml"))
	says(t, readFile(t, "t.toml"), `parse = {"born" = "dd/mm/yyyy", "mass" = "1234.5 kg", "money" = "1,234.5 $", "rate" = "1234.5 %", "seen" = "mm/dd/yyyy"}`, `"age" is -999 in 20 rows`)

	var models []string
	for i, parse := range []string{"auto", `{money="number", rate="number", mass="number", born="date", seen="date"}`} {
		for k, more := range []string{"data.out_of_core=true", "data.out_of_core=false", "data.cache=t.cache", "data.cache=t.cache"} {
			name := fmt.Sprintf("%d%d.boost", i, k)
			must(t, 0, boost(t, append(train, "--set", "data.parse="+parse, "--set", more, "-o", name)...))
			models = append(models, readFile(t, name))
			if models[0] != models[len(models)-1] {
				t.Errorf("parse %s with %s: other bytes", parse, more)
			}
		}
	}
	must(t, 0, boost(t, append([]string{"train", "t.toml", "-o", "toml.boost"}, "--set", "train.rounds=8", "--set", "train.early_stopping=0")...))
	plain := must(t, 0, boost(t, "predict", "00.boost", "t.csv")).out
	if got := must(t, 0, boostWith(t, disguised(400), "predict", "00.boost", "-")).out; got != plain {
		t.Error("standard input is predicted otherwise")
	}
	must(t, 0, boost(t, "eval", "00.boost", "t.csv"))
	must(t, 0, boost(t, "reproduce", "00.boost", "t.csv"))
	must(t, 0, boost(t, "quantize", "00.boost", "-o", "q.boost", "--dtype", "F64"))
	if got := must(t, 0, boost(t, "predict", "q.boost", "t.csv")).out; got != plain {
		t.Error("the compressed model predicts otherwise")
	}
	file(t, "other.csv", strings.ReplaceAll(disguised(400), " kg", " lb"))
	r = must(t, 3, boost(t, "predict", "00.boost", "other.csv"))
	says(t, r.errors, `other.csv:2: column "mass": "40 lb" is not written as "1234.5 kg", as in the table of the model; nor is "41 lb"; nor is "42 lb"`, ` (give --set 'data.parse={mass="1234.5 lb"}'`)
	if got := must(t, 0, boost(t, "predict", "00.boost", "other.csv", "--set", `data.parse={mass="1234.5 lb"}`)).out; got != plain {
		t.Error("the flag reads other numbers")
	}
	says(t, must(t, 3, boost(t, append(train, "--set", `data.parse={many="number"}`)...)).errors, `can be read in two ways: "1,000" is 1000 with --set 'data.parse={many="1,234.5"}', and 1 with`)
	says(t, must(t, 2, boost(t, append(train, "--set", `data.parse={many="numbers"}`)...)).errors, `data.parse of column "many": parse: "numbers" is no way to write numbers`)
}
