package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Tables that no sane person would train on: an exit code and a message for each,
// never a panic, never a model from nothing.
func TestHostileTables(t *testing.T) {
	cases := []struct {
		name, table, label string
		code               int
		words              []string
	}{
		{"empty file", "", "y", 3, []string{"t.csv", "empty"}},
		{"blank lines", "\n\n\n", "y", 3, []string{"t.csv"}},
		{"no rows", "x,y\n", "y", 3, []string{"t.csv", "no rows"}},
		{"one row", "x,y\n1,2\n", "y", 0, nil},
		{"one row, text label", "x,y\n1,a\n", "y", 3, []string{`error: t.csv: label "y"`, "one class"}},
		{"one column", "y\n1\n2\n3\n", "y", 3, []string{"error: t.csv: no feature"}},
		{"all missing", "x,y\n,1\n,2\n,3\n,4\n", "y", 0, nil},
		{"label all missing", "x,y\n1,\n2,\n", "y", 3, []string{"t.csv:2", `"y"`}},
		{"label missing in one row", "x,y\n1,5\n2,\n", "y", 3, []string{"t.csv:3", `"y"`}},
		{"constant", "x,y\n7,1\n7,2\n7,3\n", "y", 0, nil},
		{"constant label", "x,y\n1,5.5\n2,5.5\n3,5.5\n", "y", 0, []string{"every row has the same label: so will every prediction (label 5.5)"}},
		{"few of every class", "x,y\n1,a\n2,b\n3,c\n4,a\n", "y", 0, []string{"each class has too few rows"}},
		{"one class", "x,y\n1,no\n2,no\n3,no\n", "y", 3, []string{`label "y"`, `"no"`, "nothing to tell apart"}},
		{"infinite label", "x,y\n1,Inf\n2,1.5\n3,2.5\n", "y", 3, []string{"t.csv:2", `column "y"`, "finite"}},
		{"infinities", "x,y\n-Inf,1.5\nInf,2\n+inf,3\n0,4\n", "y", 0, nil},
		{"huge", "x,y\n1e308,1.5\n-1e308,2\n1.7e308,3\n0,4\n", "y", 0, nil},
		{"huge label", "x,y\n1,1e308\n2,-1e308\n3,1.5\n4,2.5\n", "y", 3, []string{"error: t.csv:2: label 1e+308, want"}},
		{"subnormal", "x,y\n5e-324,1.5\n1e-310,2\n-5e-324,3\n0,4\n", "y", 0, nil},
		{"zeros", "x,y\n-0,1.5\n0,2\n-0.0,1.5\n0.0,2\n", "y", 0, nil},
		{"repeated column", "x,x,y\n1,2,3\n", "y", 3, []string{"t.csv", `"x"`, "twice"}},
		{"label absent", "x,z\n1,2\n", "y", 3, []string{`"y"`, `"x", "z"`}},
		{"label misspelt", "x,Y\n1,2\n", "y", 3, []string{`"y"`, `did you mean "Y"?`}},
		{"ragged row", "x,y\n1,2\n1,2,3\n", "y", 3, []string{"t.csv:3"}},
		{"open quote", "x,y\n\"1,2\n3,4\n", "y", 3, []string{"t.csv:2"}},
		{"binary", "\x00\x01\x02\xff\xfe,\x00\n\x00", "y", 3, []string{"t.csv"}},
		{"no weight", "x,y,w\n1,2,0\n1,3,0\n", "y", 3, []string{"error: t.csv: ", "all weights are 0"}},
		{"negative weight", "x,y,w\n1,2,1\n1,2,-1\n", "y", 3, []string{"t.csv:3", `"w"`, "-1"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := inFolder(t)
			file(t, "t.csv", c.table)
			args := []string{"train", "t.csv", "--label", c.label, "--set", "train.rounds=3"}
			if strings.Contains(c.table, ",w\n") {
				args = append(args, "--set", "data.weight=w")
			}
			r := must(t, c.code, boost(t, args...))
			says(t, r.errors, c.words...)
			if strings.Contains(r.errors+r.out, "goroutine") {
				t.Errorf("a panic: %s", r.errors)
			}
			if made := exists(filepath.Join(dir, "t.boost")); made != (c.code == 0) {
				t.Fatalf("exit code %d, and a model: %v", c.code, made)
			}
			if c.code == 0 {
				must(t, 0, boost(t, "predict", "t.boost", "t.csv"))
				must(t, 0, boost(t, "eval", "t.boost", "t.csv"))
				must(t, 0, boost(t, "inspect", "t.boost", "--trees"))
			}
			if left := leftovers(t, dir); len(left) > 0 {
				t.Errorf("left over: %q", left)
			}
		})
	}
}

// Labels that are no numbers cannot be regressed on.
func TestHostileRegressionLabel(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", "x,y\n1,low\n2,high\n3,mid\n")
	r := must(t, 3, boost(t, "train", "t.csv", "--label", "y", "--set", "train.objective=regression"))
	says(t, r.errors, "t.csv:2", `"y"`, `"low"`, "number")
	file(t, "many.csv", "x,y\n1,a\n2,b\n3,c\n")
	r = must(t, 3, boost(t, "train", "many.csv", "--label", "y", "--set", "train.objective=binary"))
	says(t, r.errors, "3 classes", "a, b, c")
}

// A label of very many classes, as ids are, is said to cost a tree a class.
func TestManyClassesAreSaid(t *testing.T) {
	inFolder(t)
	for _, classes := range []int{500, 501} {
		var rows strings.Builder
		rows.WriteString("x,y\n")
		for i := range 2 * classes {
			fmt.Fprintf(&rows, "%d,id%d\n", i%7, i%classes)
		}
		file(t, "t.csv", rows.String())
		r := must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--effort", "quick", "--rounds", "1"))
		if said := strings.Contains(r.errors, `label "y" has 501 classes, and each round grows a tree for each`); said != (classes > 500) {
			t.Errorf("%d classes: said %v:\n%s", classes, said, r.errors)
		}
	}
}

// What is said of labels is said once, though all rows are trained on after those that are not held out.
func TestConstantLabelIsSaidOnce(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", "x,y\n"+strings.Repeat("1,5.5\n2,5.5\n3,5.5\n", 50))
	r := must(t, 0, boost(t, "train", "t.csv", "--label", "y"))
	says(t, r.out, "then trained on all rows")
	if n := strings.Count(r.errors, "every row has the same label"); n != 1 {
		t.Errorf("said %d times:\n%s", n, r.errors)
	}
}

func TestHostileFiles(t *testing.T) {
	inFolder(t)
	if err := os.Mkdir("folder.csv", 0o755); err != nil {
		t.Fatal(err)
	}
	file(t, "t.csv", table(30))
	file(t, "cut.csv.gz", "\x1f\x8b\x08\x00\x00")
	for name, words := range map[string]string{
		"none.csv": "no such file", "folder.csv": "directory", "no*.csv": "no*.csv", "cut.csv.gz": "cut.csv.gz",
	} {
		for _, args := range [][]string{{"train", name, "--label", "y"}, {"inspect", name}, {"init", name}} {
			says(t, must(t, 3, boost(t, args...)).errors, name, words)
		}
	}
	if runtime.GOOS != "windows" && os.Getuid() != 0 {
		file(t, "closed.csv", table(30))
		if err := os.Chmod("closed.csv", 0); err != nil {
			t.Fatal(err)
		}
		says(t, must(t, 3, boost(t, "train", "closed.csv", "--label", "y")).errors, "closed.csv", "permission denied")
		says(t, must(t, 4, boost(t, "predict", "closed.csv", "t.csv")).errors, "closed.csv", "permission denied")
	}
	says(t, must(t, 3, boostWith(t, "", "train", "-", "--label", "y")).errors, "standard input", "empty")
	says(t, must(t, 4, boost(t, "predict", "folder.csv", "t.csv")).errors, "folder.csv", "directory")
	says(t, must(t, 4, boost(t, "predict", "t.csv", "t.csv")).errors, "not a boost model")
}

// 100,000 categories train and predict.
func TestHostileCategories(t *testing.T) {
	if testing.Short() {
		t.Skip("100,000 rows")
	}
	inFolder(t)
	var s strings.Builder
	s.WriteString("c,x,y\n")
	for i := range 100_000 {
		fmt.Fprintf(&s, "name%d,%d,%d\n", i, i%7, i%3+i%7)
	}
	file(t, "t.csv", s.String())
	r := must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--set", "data.categorical=c", "--set", "train.rounds=3",
		"--set", "train.objective=regression"))
	says(t, r.errors, `"c"`)
	if got := lines(must(t, 0, boost(t, "predict", "t.boost", "t.csv")).out); len(got) != 100_001 {
		t.Errorf("%d lines of predictions", len(got))
	}
}

// Prediction tables that do not fit the model name the column.
func TestHostilePrediction(t *testing.T) {
	models(t)
	for text, words := range map[string][]string{
		"id,city\n1,Oslo\n":                    {`"x"`},
		"id,x,x,city\n1,2,3,Oslo\n":            {`"x"`, "twice"},
		"id,x,city\n1,0.5,Oslo\n2,warm,Oslo\n": {"t.csv:3", `"x"`, `"warm"`, "number"},
		"id,x,city\n1,0.5,Oslo\n2,0.5\n":       {"t.csv:3", "2 cells, expected 3 as in the header (quote cells that contain the separator)"},
		"":                                     {"t.csv", "empty"},
	} {
		file(t, "t.csv", text)
		r := must(t, 3, boost(t, "predict", "y.boost", "t.csv"))
		says(t, r.errors, words...)
		if r.out != "" {
			t.Errorf("predictions in spite of an error: %q", r.out)
		}
	}
	says(t, must(t, 3, boostWith(t, "id,x,city\n1,2,Oslo\n", "predict", "y.boost", "-", "--id", "name")).errors, `"name"`)
	// No rows: a header and nothing else.
	if r := boostWith(t, "id,x,city\n", "predict", "y.boost", "-"); r.code != 0 && r.code != 3 || r.code == 0 && r.out != "id,prediction\n" {
		t.Errorf("no rows: exit code %d, %q", r.code, r.out)
	}
}

// Every truncation and every flipped byte of a model is refused: exit 4.
func TestDamagedModels(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(60))
	must(t, 0, boost(t, "train", "t.csv", "--label", "b", "-q", "--set", "train.rounds=2"))
	whole := readFile(t, "t.boost")
	try := func(what, content string) {
		file(t, "bad.boost", content)
		r := boost(t, "predict", "bad.boost", "t.csv")
		if r.code != 4 || !strings.HasPrefix(r.errors, "error: bad.boost: ") || r.out != "" {
			t.Errorf("%s: exit code %d, %q", what, r.code, r.errors)
		}
	}
	step := max(1, len(whole)/100)
	for n := 0; n < len(whole); n += step {
		try(fmt.Sprintf("cut to %d bytes", n), whole[:n])
		flipped := []byte(whole)
		flipped[n] ^= 1 << (n % 8)
		try(fmt.Sprintf("bit %d of byte %d flipped", n%8, n), string(flipped))
	}
	try("longer", whole+"x")
	for _, args := range [][]string{{"eval", "bad.boost", "t.csv"}, {"inspect", "bad.boost"}, {"reproduce", "bad.boost", "t.csv"}} {
		must(t, 4, boost(t, args...))
	}
}

// Files that are no tables are called what they are; a header that begins like one is read.
func TestForeignFiles(t *testing.T) {
	inFolder(t)
	for start, name := range map[string]string{
		"PK\x03\x04\x14\x00": "a zip file", "BZh91AY&SY\x00": "a bzip2 file", "\xfd7zXZ\x00": "an xz file", "\xff\xfex\x00,\x00": "UTF-16 text",
		"FEA1\x00\x00\x00\x00": "Feather file of version 1", "%PDF-1.7\n%": "a PDF document", "<!DOCTYPE html>\n<html>": "a web page",
		"<html><body>": "a web page", `[{"x": 1}]`: "a JSON array; jq -c '.[]' ", "<?xml version='1.0'?>": "XML text",
		"SQLite format 3\x00":   "an SQLite database; duckdb -c \"COPY (SELECT * FROM sqlite_scan('",
		"ORC\n\x0b\x00\x08\x00": "an ORC file; python3 -c", "\x01\x02\x03\x04\x05\x06\x07\x08DUCK@\x00\x00\x00": "a DuckDB database; duckdb ", "Obj\x01\x04": "an Avro file",
		"@relation iris\n@attribute a numeric\n@attribute y {u,v}\n@data\n1,u\n2,v\n": "an ARFF file", "\x80\x04\x95\x05": "a Python pickle", "7z\xbc\xaf\x27": "a 7-Zip archive",
	} {
		for form, content := range map[string]string{"plain": start, "gzip": gzipped(t, start), "zstd": zstandard(t, start)} {
			file(t, "t.csv", content)
			for _, args := range [][]string{{"inspect", "t.csv"}, {"train", "t.csv", "--label", "y"}} {
				if r := must(t, 3, boost(t, args...)); !strings.Contains(r.errors, "t.csv is "+name) && !strings.Contains(r.errors, "t.csv is a "+name) {
					t.Errorf("%q, %s: %s", start, form, r.errors)
				}
			}
			says(t, must(t, 3, boostWith(t, content, "inspect", "-")).errors, "standard input is ", name)
		}
	}
	for content, want := range map[string]string{
		`[{"x": 1}]`:         `jq -c '.[]' 'my t.json' writes it`,
		"\xff\xfex\x00,\x00": "iconv -f UTF-16 -t UTF-8 'my t.json' > 'my t.json'.utf8 writes it",
	} {
		says(t, must(t, 3, boost(t, "inspect", file(t, "my t.json", content))).errors, want)
	}
	for _, head := range []string{"FEA1", "PAR1", "ARROW1", "BZh9", "ORC", "Obj", "{x}", "PK"} {
		file(t, "t.csv", head+",y\n1,2\n3,4\n")
		says(t, must(t, 0, boost(t, "inspect", "t.csv")).out, "2 rows, 2 columns", head)
	}
}
