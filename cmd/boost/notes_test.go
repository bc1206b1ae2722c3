package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// All odd words of all columns are named in one run, also where a model says what the columns hold.
func TestOddWordsOfPredictions(t *testing.T) {
	models(t)
	file(t, "odd.csv", "id,x,city,y\n1,0.5,Oslo,1\n2,foo,Rome,1\n3,0.25,Rome,two\n4,bar,Rome,2\n")
	for command, place := range map[string]string{"predict": "", "eval": " in line 5"} {
		says(t, must(t, 3, boost(t, command, "y.boost", "odd.csv")).errors,
			`odd.csv:3: column "x": "foo" is not a number, and the model has numbers in this column; nor is "bar"`+place+` (give --set 'data.missing=["foo", "bar"]' if they mean no value)`)
	}
	says(t, must(t, 3, boost(t, "eval", "y.boost", "odd.csv")).errors, `odd.csv:4: column "y": "two" is not a number`)
	must(t, 0, boost(t, "predict", "y.boost", "odd.csv", "--set", `data.missing=["foo", "bar"]`)) // it needs no label
}

// A refused label comes with command lines that go on.
func TestInitOfTextLabel(t *testing.T) {
	inFolder(t)
	var rows strings.Builder
	rows.WriteString("x,size,name\n")
	for i := range 150 {
		fmt.Fprintf(&rows, "%d,%d,name %d\n", i%7, i%3, i)
	}
	file(t, "a table.csv", rows.String())
	r := must(t, 3, boost(t, "init", "a table.csv", "--label", "name"))
	says(t, r.errors, "150 different values", ": boost init 'a table.csv' --label size, or boost train 'a table.csv' --label name --objective multiclass\n")
	must(t, 0, boost(t, "init", "a table.csv", "--label", "size"))
	must(t, 0, boost(t, "train", "a table.csv", "--label", "name", "--objective", "multiclass", "--rounds", "1", "-o", "m.boost"))
}

// Columns of several files are found by their names; those of the first file give the order.
func TestColumnsInAnotherOrder(t *testing.T) {
	inFolder(t)
	whole, first, other := strings.Builder{}, strings.Builder{}, strings.Builder{}
	first.WriteString("x,city,y\n")
	other.WriteString("y,x,city\n")
	whole.WriteString("x,city,y\n")
	for i := range 400 {
		x, city := i*37%101, []string{"Oslo", "Rome", "Kyiv"}[i%3]
		y := float64(x) + float64(i%3)/2
		fmt.Fprintf(&whole, "%d,%s,%v\n", x, city, y)
		if i < 150 {
			fmt.Fprintf(&first, "%d,%s,%v\n", x, city, y)
		} else {
			fmt.Fprintf(&other, "%v,%d,%s\n", y, x, city)
		}
	}
	file(t, "whole.csv", whole.String())
	file(t, "part-1.csv", first.String())
	file(t, "part-2.csv", other.String())
	for _, files := range [][]string{{"whole.csv"}, {"part-1.csv", "part-2.csv"}, {"part-1.csv", "part-2.csv", "--set", "data.out_of_core=true"}} {
		must(t, 0, boost(t, append([]string{"train", "--label", "y", "--rounds", "5", "-q", "-o", files[len(files)-1] + ".boost"}, files...)...))
	}
	want := must(t, 0, boost(t, "predict", "whole.csv.boost", "whole.csv")).out
	for _, model := range []string{"part-2.csv.boost", "data.out_of_core=true.boost"} {
		if readFile(t, model) != readFile(t, "whole.csv.boost") {
			t.Errorf("%s is not the model of the whole table", model)
		}
	}
	if got := must(t, 0, boost(t, "predict", "whole.csv.boost", "part-1.csv", "part-2.csv")).out; got != want {
		t.Error("predictions of the parts are not those of the whole table")
	}
	file(t, "part-3.csv", "y,x,town\n1,2,Oslo\n")
	says(t, must(t, 3, boost(t, "train", "part-1.csv", "part-3.csv", "--label", "y")).errors, `part-3.csv has column "town" where part-1.csv has column "city"; files that are read as one need the same columns`)
}

// Codes with zeros before them are read as numbers, and named with the flag that keeps them.
func TestCodesWithZeros(t *testing.T) {
	inFolder(t)
	var rows strings.Builder
	rows.WriteString("zip,share,plain,y\n")
	for i := range 200 {
		fmt.Fprintf(&rows, "%05d,0.%d,%d,%d\n", i*97%12000, 10+i%80, i%9+10, i%7)
	}
	file(t, "t.csv", rows.String())
	const note = `column "zip" is read as numbers, without the zeros that its cells begin with (give --categorical zip if they are names, of which 01 and 1 are one)`
	for _, args := range [][]string{{"inspect"}, {"init", "--label", "y"}, {"train", "--label", "y", "--rounds", "2", "-o", "m.boost"}} {
		args = append(args, "t.csv")
		if said := must(t, 0, boost(t, args...)).errors; strings.Count(said, "zeros") != 1 {
			t.Errorf("%s says %q, want one note about zeros", args[0], said)
		} else {
			says(t, said, note)
		}
		if said := must(t, 0, boost(t, append(args, "--categorical", "zip")...)).errors; strings.Contains(said, "zeros") {
			t.Errorf("%s says of a categorical column: %s", args[0], said)
		}
	}
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--rounds", "2", "-o", "m.boost"))
	if said := must(t, 0, boost(t, "eval", "m.boost", "t.csv")).errors; said != "" {
		t.Errorf("eval says %q", said)
	}
}

// A feature that is called like an id, and is different in every row, is named by training, as init takes it for one.
func TestFeatureLikeID(t *testing.T) {
	inFolder(t)
	var rows strings.Builder
	rows.WriteString("user_id,shop_id,x,y\n")
	for i := range 200 {
		fmt.Fprintf(&rows, "%d,%d,%d,%d\n", 1000+i, i%20, i, i*7%11)
	}
	file(t, "t.csv", rows.String())
	args := []string{"train", "t.csv", "--label", "y", "--rounds", "2", "-o", "m.boost"}
	r := must(t, 0, boost(t, args...))
	says(t, r.errors, `column "user_id" is different in every row, as ids are, and is used as a feature: give --set data.id=user_id if it names the rows`)
	if n := strings.Count(r.errors, "as ids are"); n != 1 {
		t.Errorf("%d columns are taken for ids: %s", n, r.errors)
	}
	if said := must(t, 0, boost(t, append(args, "--set", "data.id=user_id")...)).errors; strings.Contains(said, "as ids are") {
		t.Errorf("an id is taken for a feature: %s", said)
	}
	says(t, must(t, 0, boost(t, "init", "t.csv", "--label", "y")).out, `id = ["user_id"]`)
}

// Infinite cells are named by training, in memory and out of core, and by predict and eval, once each.
func TestInfiniteCells(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", "x,y\n"+strings.Repeat("1,2\n2,3\n3,5\n", 30)+"1e400,5\n-inf,2\n")
	const note = `column "x" has 2 infinite cells, the first in t.csv:92: the text inf and numbers beyond ±1.8e308 are read so`
	train := []string{"train", "t.csv", "--label", "y", "--rounds", "2", "--set", "early_stopping=0", "-o", "m.boost"}
	for _, args := range [][]string{
		train, append(slices.Clip(train), "--set", "data.out_of_core=true"), append(slices.Clip(train), "--valid", "t.csv"),
		{"predict", "m.boost", "t.csv"}, {"predict", "m.boost", "t.csv", "--shard", "1/2"}, {"predict", "m.boost", "t.csv", "--pass-through", "-o", "p.parquet"},
		{"eval", "m.boost", "t.csv"},
	} {
		if said := must(t, 0, boost(t, args...)).errors; strings.Count(said, note) != 1 && !slices.Contains(args, "--shard") || strings.Count(said, "infinite") != 1 {
			t.Errorf("%q says %s", args, said)
		}
	}
}
