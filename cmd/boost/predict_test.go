package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// models trains one model per objective in a new folder.
func models(t *testing.T) {
	t.Helper()
	inFolder(t)
	file(t, "t.csv", table(300))
	for _, label := range []string{"y", "b", "c"} {
		drop := map[string]string{"y": "b,c", "b": "y,c", "c": "y,b"}[label]
		must(t, 0, boost(t, "train", "t.csv", "--label", label, "-q", "-o", label+".boost", "--set", "data.ignore="+drop,
			"--set", "train.effort=quick", "--set", "data.id=id", "--set", "train.rounds=8", "--set", "train.early_stopping=0"))
	}
}

func lines(s string) []string { return strings.Split(strings.TrimSuffix(s, "\n"), "\n") }

// Several kinds stand side by side, and all columns of the table before them.
func TestPredictSeveralKinds(t *testing.T) {
	models(t)
	kinds := map[string][]string{}
	for _, kind := range []string{"class", "value", "raw", "leaf"} {
		kinds[kind] = lines(must(t, 0, boost(t, "predict", "b.boost", "t.csv", "--kind", kind)).out)
	}
	got := lines(must(t, 0, boost(t, "predict", "b.boost", "t.csv", "--kind", "class,value", "--kind", "raw", "--pass-through")).out)
	table := lines(readFile(t, "t.csv"))
	for i := range table {
		want := table[i]
		for _, kind := range []string{"class", "value", "raw"} {
			_, cell, _ := strings.Cut(kinds[kind][i], ",")
			want += "," + cell
		}
		if got[i] != want {
			t.Fatalf("line %d is\n%s, want\n%s", i+1, got[i], want)
		}
	}
	if got := lines(must(t, 0, boost(t, "predict", "b.boost", "t.csv", "--kind", "class,value", "--staged", "5")).out)[0]; got != "id,class_5,probability_yes_5,class_8,probability_yes_8" {
		t.Errorf("the header is %s", got)
	}
	for words, args := range map[string][]string{
		"--kind class is given twice": {"--kind", "class,class"},
		`--kind must be value, raw, class, leaf, interval, contrib, not "clas" (did you mean "class"?)`: {"--kind", "value,clas"},
		"leave --id out":                    {"--id", "id", "--pass-through"},
		"--early-stop means something else": {"--kind", "class,value", "--early-stop", "0"},
	} {
		says(t, must(t, 2, boost(t, append([]string{"predict", "b.boost", "t.csv"}, args...)...)).errors, words)
	}
}

// Of 40 rows those with x = 1 have 8, the others 2: a stump takes 3 from the mean or adds 3 to it, and z, on which it does not split,
// adds nothing.
func TestPredictContributions(t *testing.T) {
	models(t)
	text := "x,z,y\n"
	for i := range 40 {
		text += fmt.Sprintf("%d,%d,%d\n", i%2, i%3, 2+6*(i%2))
	}
	file(t, "s.csv", text)
	train := []string{"train", "s.csv", "--label", "y", "-q", "--effort", "quick", "--objective", "regression", "--rounds", "1", "--set", "train.learning_rate=1", "--set", "train.gradients=f32",
		"--set", "train.early_stopping=0", "--set", "tree.leaves=2"}
	must(t, 0, boost(t, append(train, "-o", "s.boost")...))
	got := lines(must(t, 0, boost(t, "predict", "s.boost", "s.csv", "--kind", "contrib,raw")).out)
	if want := []string{"contribution_x,contribution_z,base_raw,raw", "-3,0,5,2", "3,0,5,8"}; !slices.Equal(got[:3], want) {
		t.Errorf("contributions are %q, want %q", got[:3], want)
	}

	// Those of each class add up to its raw score.
	got = lines(must(t, 0, boost(t, "predict", "c.boost", "t.csv", "--kind", "raw,contrib")).out)
	names, sums := strings.Split(got[0], ","), map[string]float64{}
	for i, cell := range strings.Split(got[7], ",") {
		v, _ := strconv.ParseFloat(cell, 64)
		name, isPart := strings.CutPrefix(names[i], "contribution_")
		if base, isBase := strings.CutPrefix(names[i], "base_raw_"); isBase {
			name, isPart = base, true
		}
		class, _, _ := strings.Cut(name, "_")
		if raw, isRaw := strings.CutPrefix(name, "raw_"); isRaw {
			class, isPart, v = raw, true, -v
		}
		if isPart {
			sums[class] += v
		}
	}
	for class, sum := range sums {
		if sum > 1e-12 || sum < -1e-12 {
			t.Errorf("the contributions to class %s differ from its raw score by %v", class, sum)
		}
	}
	if len(sums) != 3 {
		t.Errorf("contributions to %v, want to 3 classes", sums)
	}

	must(t, 0, boost(t, "quantize", "b.boost", "-o", "small.boost", "-q", "--dtype", "Q4_0"))
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "-q", "--set", "data.ignore=b,c,id", "-o", "linear.boost", "--set", "tree.linear=true"))
	for words, args := range map[string][]string{
		"which has a column for every feature":              {"b.boost", "t.csv", "--staged", "3"},
		"--early-stop skips trees, and --kind contrib":      {"b.boost", "t.csv", "--early-stop", "1"},
		"--kind contrib needs all trees at once":            {"small.boost", "t.csv", "--load", "compact"},
		"small.boost: what each feature contributes follow": {"small.boost", "t.csv"},
		"is not defined for linear leaves":                  {"linear.boost", "t.csv"},
	} {
		says(t, must(t, 2, boost(t, append([]string{"predict", "--kind", "contrib"}, args...)...)).errors, words)
	}
}

func TestPredictKinds(t *testing.T) {
	models(t)
	for _, c := range []struct{ model, kind, header string }{
		{"y", "value", "id,prediction"},
		{"y", "raw", "id,raw"},
		{"y", "leaf", "id,tree_0,tree_1,tree_2,tree_3,tree_4,tree_5,tree_6,tree_7"},
		{"b", "value", "id,probability_yes"},
		{"b", "raw", "id,raw_yes"},
		{"b", "class", "id,class"},
		{"c", "value", "id,high,low,mid"},
		{"c", "raw", "id,raw_high,raw_low,raw_mid"},
		{"c", "class", "id,class"},
	} {
		t.Run(c.model+" "+c.kind, func(t *testing.T) {
			r := must(t, 0, boost(t, "predict", c.model+".boost", "t.csv", "--kind", c.kind))
			got := lines(r.out)
			if got[0] != c.header || len(got) != 301 {
				t.Fatalf("header %q, %d lines; want %q, 301", got[0], len(got), c.header)
			}
			for i, line := range got[1:] {
				cells := strings.Split(line, ",")
				if cells[0] != "r"+strconv.Itoa(i) {
					t.Fatalf("line %d begins with %q: the order of rows is lost", i+2, cells[0])
				}
				for _, cell := range cells[1:] {
					v, err := strconv.ParseFloat(cell, 64)
					if c.kind == "class" {
						if err == nil || cell == "" {
							t.Fatalf("class %q", cell)
						}
						continue
					}
					if err != nil || strconv.FormatFloat(v, 'g', -1, 64) != cell {
						t.Fatalf("%q is not the shortest form of a number", cell)
					}
				}
			}
		})
	}
}

// The classes that predict names are those with the highest probability.
func TestPredictClassAgrees(t *testing.T) {
	models(t)
	values := lines(must(t, 0, boost(t, "predict", "c.boost", "t.csv")).out)
	classes := lines(must(t, 0, boost(t, "predict", "c.boost", "t.csv", "--kind", "class")).out)
	names := strings.Split(values[0], ",")
	for i := 1; i < len(values); i++ {
		cells := strings.Split(values[i], ",")
		best, sum, top := "", 0.0, -1.0
		for k := 1; k < len(cells); k++ {
			v, _ := strconv.ParseFloat(cells[k], 64)
			sum += v
			if v > top {
				best, top = names[k], v
			}
		}
		if _, class, _ := strings.Cut(classes[i], ","); class != best || sum < 0.999 || sum > 1.001 {
			t.Fatalf("row %d: class %q, want %q; the probabilities sum to %g", i, class, best, sum)
		}
	}
}

func TestPredictForms(t *testing.T) {
	models(t)
	csv := lines(must(t, 0, boost(t, "predict", "c.boost", "t.csv", "--id", "city", "--id", "id")).out)
	if !strings.HasPrefix(csv[0], "city,id,high") {
		t.Errorf("--id columns come as %q", csv[0])
	}
	objects := lines(must(t, 0, boost(t, "predict", "c.boost", "t.csv", "--id", "city", "--id", "id", "--format", "jsonl")).out)
	if len(objects) != len(csv)-1 {
		t.Fatalf("%d objects for %d lines", len(objects), len(csv)-1)
	}
	for i, object := range objects {
		var v struct {
			City, ID       string
			High, Low, Mid float64
		}
		if err := json.Unmarshal([]byte(object), &v); err != nil {
			t.Fatal(err)
		}
		g := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
		if back := strings.Join([]string{v.City, v.ID, g(v.High), g(v.Low), g(v.Mid)}, ","); back != csv[i+1] {
			t.Fatalf("object %d is %s, the CSV line %s", i, back, csv[i+1])
		}
	}

	// To a file, from standard input, without the label: the same bytes.
	want := must(t, 0, boost(t, "predict", "c.boost", "t.csv")).out
	must(t, 0, boost(t, "predict", "c.boost", "t.csv", "-o", "p.csv"))
	if readFile(t, "p.csv") != want {
		t.Error("-o writes something else than standard output")
	}
	if got := must(t, 0, boostWith(t, table(300), "predict", "c.boost", "-")).out; got != want {
		t.Error("standard input predicts otherwise than the file")
	}
	var unlabelled strings.Builder
	for _, line := range lines(table(300)) {
		unlabelled.WriteString(strings.Join(strings.Split(line, ",")[:3], ",") + "\n")
	}
	if got := must(t, 0, boostWith(t, unlabelled.String(), "predict", "c.boost", "-")).out; got != want {
		t.Error("a table without labels predicts otherwise")
	}
	// Columns are found by name: their order does not matter, nor do others.
	var turned strings.Builder
	for _, line := range lines(table(300)) {
		c := strings.Split(line, ",")
		turned.WriteString(strings.Join([]string{c[2], "7", c[1], c[0]}, ",") + "\n")
	}
	shuffled := strings.Replace(turned.String(), "city,7,x,id", "city,more,x,id", 1)
	if got := must(t, 0, boostWith(t, shuffled, "predict", "c.boost", "-")).out; got != want {
		t.Error("the order of columns changes the prediction")
	}
	// Before an existing file is replaced the new one is complete.
	file(t, "keep.csv", "old")
	must(t, 3, boost(t, "predict", "c.boost", "none.csv", "-o", "keep.csv"))
	if readFile(t, "keep.csv") != "old" {
		t.Error("a failed run touched its output")
	}
}

func TestPredictUnseen(t *testing.T) {
	models(t)
	file(t, "new.csv", "id,x,city\n1,0.5,Oslo\n2,0.5,Bern\n3,0.5,\n")
	r := lines(must(t, 0, boost(t, "predict", "y.boost", "new.csv")).out)
	_, bern, _ := strings.Cut(r[2], ",")
	_, none, _ := strings.Cut(r[3], ",")
	if bern != none {
		t.Errorf("an unseen city predicts %s, a missing one %s", bern, none)
	}
	bad := must(t, 3, boost(t, "predict", "y.boost", "new.csv", "--on-unseen", "error"))
	says(t, bad.errors, `new.csv:3: column "city": training did not have "Bern"`)
	if bad.out != "" {
		t.Error("predictions in spite of the error")
	}
}

// Unseen levels are counted and told once per column, by predict and eval, and never
// become part of the model.
func TestUnseenAreCounted(t *testing.T) {
	inFolder(t)
	var s strings.Builder
	s.WriteString("city,street,x,y\n")
	for i := range 100 {
		fmt.Fprintf(&s, "%s,%s,%d,%d\n", []string{"Oslo", "Rome"}[i%2], []string{"High", "Low", "Mid"}[i%3], i%7, i%2)
	}
	file(t, "t.csv", s.String())
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "-q", "--set", "train.rounds=2", "--set", "train.early_stopping=0"))
	before := readFile(t, "t.boost")
	file(t, "new.csv", "city,street,x,y\nBern,High,1,0\nOslo,Wide,2,1\nZug,Wide,3,0\nBern,Low,4,1\n,Mid,5,0\n")
	// city: Bern twice and Zug once are 3 of 5 rows; street: Wide twice.
	for _, command := range []string{"predict", "eval"} {
		r := must(t, 0, boost(t, command, "t.boost", "new.csv"))
		says(t, r.errors, `column "city": 3 rows (60.0 %) with 2 levels that training did not have, such as "Bern": treated as missing`,
			`column "street": 2 rows (40.0 %) with 1 level that training did not have, such as "Wide": treated as missing`)
		if n := strings.Count(r.errors, "training did not have"); n != 2 {
			t.Errorf("%s: %d messages for two columns:\n%s", command, n, r.errors)
		}
		if r = must(t, 0, boost(t, command, "t.boost", "t.csv")); strings.Contains(r.errors, "training did not have") {
			t.Errorf("%s: %s", command, r.errors)
		}
		if r = must(t, 0, boost(t, command, "t.boost", "new.csv", "-q")); r.errors != "" {
			t.Errorf("%s -q says %s", command, r.errors)
		}
		r = must(t, 3, boost(t, command, "t.boost", "new.csv", "--on-unseen", "error"))
		says(t, r.errors, `new.csv:2: column "city": training did not have "Bern"`)
		if r.out != "" {
			t.Errorf("%s: output in spite of the error: %s", command, r.out)
		}
		must(t, 2, boost(t, command, "t.boost", "new.csv", "--on-unseen", "drop"))
	}
	// The first row counts, not the first column.
	file(t, "new.csv", "city,street,x,y\nOslo,Wide,1,0\nBern,High,2,1\n")
	says(t, must(t, 3, boost(t, "predict", "t.boost", "new.csv", "--on-unseen", "error")).errors, `new.csv:2: column "street": training did not have "Wide"`)
	if readFile(t, "t.boost") != before {
		t.Error("predicting changed the model")
	}
}

// Device files are written, not replaced.
func TestPredictToDevice(t *testing.T) {
	models(t)
	must(t, 0, boost(t, "predict", "y.boost", "t.csv", "-o", os.DevNull))
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatalf("%s is no device any more", os.DevNull)
	}
}

func TestEval(t *testing.T) {
	models(t)
	for model, names := range map[string][]string{
		"y": {"rmse", "mae", "r2"}, "b": {"logloss", "auc", "error"}, "c": {"multi_logloss", "multi_error"},
	} {
		var got struct {
			Rows    int
			Metrics map[string]float64
		}
		r := must(t, 0, boost(t, "eval", model+".boost", "t.csv", "--json"))
		if err := json.Unmarshal([]byte(r.out), &got); err != nil || got.Rows != 300 || len(got.Metrics) != len(names) {
			t.Errorf("%s: %v %s", model, err, r.out)
		}
		human := must(t, 0, boost(t, "eval", model+".boost", "t.csv")).out
		for _, name := range names {
			if _, ok := got.Metrics[name]; !ok {
				t.Errorf("%s: no %s in %s", model, name, r.out)
			}
			says(t, human, name)
		}
	}
	r := must(t, 0, boost(t, "eval", "b.boost", "t.csv", "--metric", "AUC", "--json"))
	if r.out != "{\n  \"rows\": 300,\n  \"metrics\": {\n    \"auc\": "+strings.TrimSuffix(strings.SplitN(r.out, "\"auc\": ", 2)[1], "\n  }\n}\n")+"\n  }\n}\n" {
		t.Errorf("--metric gives %s", r.out)
	}
	file(t, "nolabel.csv", "id,x,city\n1,0.5,Oslo\n")
	says(t, must(t, 3, boost(t, "eval", "b.boost", "nolabel.csv")).errors, `there is no column "b", the label`)
	file(t, "strange.csv", "id,x,city,b\n1,0.5,Oslo,yes\n2,0.5,Oslo,perhaps\n")
	says(t, must(t, 3, boost(t, "eval", "b.boost", "strange.csv")).errors, "strange.csv:3", "perhaps")
	// One class only: the area under the curve is undefined, null in JSON.
	file(t, "one.csv", "id,x,city,b\n1,0.5,Oslo,yes\n2,0.9,Oslo,yes\n")
	says(t, must(t, 0, boost(t, "eval", "b.boost", "one.csv", "--json")).out, `"auc": null`)
	says(t, must(t, 0, boost(t, "eval", "b.boost", "one.csv")).out, "undefined")
}

// Rows count by the model's weight column where the table has it.
func TestEvalWeights(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", "x,y,w\n1,0,1\n1,4,3\n1,0,1\n1,4,3\n")
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "-q", "--set", "data.weight=w", "--set", "train.rounds=1",
		"--set", "train.effort=quick", "--set", "train.early_stopping=0", "--set", "train.objective=regression"))
	// All x are equal, so the model is the weighted mean 3: errors 3 (weight 1) and 1 (weight 3).
	// Weighted: mean |e| = (3·1 + 1·3)/4 = 1.5; unweighted: 2.
	for tableText, want := range map[string]string{"x,y,w\n1,0,1\n1,4,3\n": `"mae": 1.5`, "x,y\n1,0\n1,4\n": `"mae": 2`} {
		says(t, must(t, 0, boostWith(t, tableText, "eval", "t.boost", "-", "--json")).out, want)
	}
	says(t, must(t, 0, boost(t, "eval", "t.boost", "t.csv")).out, "weighted by", "w")
	r := must(t, 3, boostWith(t, "x,y,w\n1,0,-1\n", "eval", "t.boost", "-"))
	says(t, r.errors, "w", "-1")
}

// No two columns of the predictions have one name.
func TestPredictNames(t *testing.T) {
	inFolder(t)
	var s strings.Builder
	s.WriteString("prediction,low,x,y\n")
	for i := range 60 {
		s.WriteString("r" + strconv.Itoa(i) + ",p," + strconv.Itoa(i) + "," + []string{"low", "mid", "high"}[i/20] + "\n")
	}
	file(t, "t.csv", s.String())
	train := []string{"train", "t.csv", "--label", "y", "-q", "--set", "train.rounds=2", "--set", "data.id=prediction,low"}
	must(t, 0, boost(t, train...))
	if got, want := lines(must(t, 0, boost(t, "predict", "t.boost", "t.csv")).out)[0], "prediction,low,high,low_2,mid"; got != want {
		t.Errorf("header %q, want %q", got, want)
	}
	var row map[string]any
	line := lines(must(t, 0, boost(t, "predict", "t.boost", "t.csv", "--format", "jsonl")).out)[0]
	if err := json.Unmarshal([]byte(line), &row); err != nil || len(row) != 5 || row["low"] != "p" {
		t.Errorf("%s (%v): want five keys, low the id", line, err)
	}
	says(t, must(t, 2, boost(t, "predict", "t.boost", "t.csv", "--id", "low", "--id", "low")).errors, "--id low is given twice")
}

// A level that is a usual word for a missing value stays a level without being told so again.
func TestPredictReadsAsTrained(t *testing.T) {
	inFolder(t)
	var s strings.Builder
	s.WriteString("garage,x,y\n")
	for i := range 200 {
		s.WriteString([]string{"None", "Attached"}[i%2] + "," + strconv.Itoa(i%7) + "," + []string{"cheap", "dear"}[i%2] + "\n")
	}
	file(t, "t.csv", s.String())
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--set", `data.missing_only=[""]`, "--set", "train.rounds=5", "--set", "data.decimal=."))
	plain := must(t, 0, boost(t, "predict", "t.boost", "t.csv")).out
	if told := must(t, 0, boost(t, "predict", "t.boost", "t.csv", "--set", `data.missing_only=[""]`)).out; plain != told {
		t.Error("predictions depend on whether data.missing_only is given again")
	}
	must(t, 0, boost(t, "predict", "t.boost", "t.csv", "--on-unseen", "error"))
}

// A level all of whose rows were held out for early stopping is one that the trees
// have not seen.
func TestUnseenIsWhatTheTreesHaveNotSeen(t *testing.T) {
	inFolder(t)
	var s strings.Builder
	s.WriteString("city,x,y\n")
	const rows = 400
	for i := range rows {
		fmt.Fprintf(&s, "%s,%d,%d\n", []string{"Bern", "Basel"}[i%2], i%13, (i*7)%5)
	}
	plain := s.String()
	// Every row in turn is the only one of a city; one in ten of them is held out.
	held := 0
	for row := range 40 {
		lines := strings.Split(plain, "\n")
		_, rest, _ := strings.Cut(lines[row+1], ",")
		lines[row+1] = "Zug," + rest
		file(t, "t.csv", strings.Join(lines, "\n"))
		must(t, 0, boost(t, "train", "t.csv", "--label", "y", "-q", "--set", "train.objective=regression", "--set", "train.effort=quick", "--set", "train.rounds=1", "--set", "train.early_stopping=1", "-o", "t.boost"))
		r := boost(t, "predict", "t.boost", "t.csv", "--on-unseen", "error")
		if r.code == 3 {
			held++
			says(t, r.errors, "Zug", "training did not have")
		} else if r.code != 0 {
			t.Fatalf("exit %d: %s", r.code, r.errors)
		}
	}
	if held == 0 || held > 15 {
		t.Errorf("%d of 40 single rows were held out, want about 4", held)
	}
}

// A model reads tables as its own was written, without a flag; a table that is written in the usual way is refused with
// the flag that reads it, or read with a note.
func TestPredictRemembersHowTablesAreWritten(t *testing.T) {
	inFolder(t)
	var comma, latin, dash, point, quoted, quotedComma, utf8 strings.Builder
	comma.WriteString("x;c;y\n")
	point.WriteString("x,c,y\n")
	quoted.WriteString("x,c,y\n")
	quotedComma.WriteString("x,c,y\n")
	latin.WriteString("x,c,y\n")
	utf8.WriteString("x,c,y\n")
	dash.WriteString("x^c^y\n")
	for i := range 90 {
		fmt.Fprintf(&comma, "%d,5;a%d;%d\n", i%17, i%2, i%3)
		fmt.Fprintf(&point, "%d.5,a%d,%d\n", i%17, i%2, i%3)
		fmt.Fprintf(&quoted, "%d.5,\"a%d\",%d\n", i%17, i%2, i%3)
		fmt.Fprintf(&quotedComma, "\"%d,5\",\"a%d\",%d\n", i%17, i%2, i%3)
		fmt.Fprintf(&latin, "%d,caf\xe9%d,%d\n", i%17, i%2, i%3)
		fmt.Fprintf(&utf8, "%d,café%d,%d\n", i%17, i%2, i%3)
		fmt.Fprintf(&dash, "%s^a%d^%d\n", []string{"-", strconv.Itoa(i % 17)}[min(i%9, 1)], i%2, i%3)
	}
	for _, c := range []struct {
		flags          []string
		written, other string // the same table, written as the flags say and in the usual way
		said           string // of the other
	}{
		{[]string{"data.decimal=,"}, comma.String(), point.String(), "read with decimal points"},
		{[]string{"data.decimal=,"}, comma.String(), quoted.String(), "read with decimal points"},
		{[]string{"data.decimal=,"}, comma.String(), quotedComma.String(), ""},
		{[]string{"data.encoding=latin1"}, latin.String(), utf8.String(), "text in UTF-8"},
		{[]string{`data.missing=["-"]`, "data.separator=^"}, dash.String(), strings.ReplaceAll(strings.ReplaceAll(dash.String(), "-", "NA"), "^", ","), ""},
		{[]string{`data.missing_only=["-"]`, "data.separator=^", "data.header=true"}, dash.String(), "", ""},
	} {
		flags := []string{"train", "t.csv", "--label", "y", "-q", "--set", "train.rounds=2", "--set", "train.early_stopping=0"}
		for _, flag := range c.flags {
			flags = append(flags, "--set", flag)
		}
		file(t, "t.csv", c.written)
		file(t, "other.csv", c.other)
		must(t, 0, boost(t, flags...))
		must(t, 0, boost(t, append(slices.Clone(flags), "-o", "chunked.boost", "--set", "data.out_of_core=true")...))
		must(t, 0, boost(t, append(slices.Clone(flags), "-o", "cached.boost", "--set", "data.cache=t.cache")...))
		must(t, 0, boost(t, append(slices.Clone(flags), "-o", "cached.boost", "--set", "data.cache=t.cache")...))
		for _, name := range []string{"chunked.boost", "cached.boost"} {
			if readFile(t, name) != readFile(t, "t.boost") {
				t.Errorf("%s: %s has other bytes", c.flags, name)
			}
		}
		if err := os.Remove("t.cache"); err != nil {
			t.Fatal(err)
		}
		want := must(t, 0, boost(t, "predict", "t.boost", "t.csv", "--on-unseen", "error")).out
		must(t, 0, boost(t, "eval", "t.boost", "t.csv", "--on-unseen", "error"))
		must(t, 0, boost(t, "reproduce", "t.boost", "t.csv"))
		must(t, 0, boost(t, "train", "t.csv", "--label", "y", "-q", "--init-model", "t.boost", "--set", "train.rounds=2", "--set", "train.early_stopping=0", "-o", "more.boost"))
		if got := must(t, 0, boost(t, "predict", "more.boost", "t.csv", "--rounds", "2", "--on-unseen", "error")).out; got != want {
			t.Errorf("%s: a continued model predicts otherwise", c.flags)
		}
		must(t, 0, boost(t, "quantize", "t.boost", "-o", "q.boost", "--dtype", "F64"))
		if got := must(t, 0, boost(t, "predict", "q.boost", "t.csv")).out; got != want {
			t.Errorf("%s: a compressed model predicts otherwise", c.flags)
		}
		if c.other == "" {
			continue
		}
		r := must(t, 0, boost(t, "predict", "t.boost", "other.csv", "--on-unseen", "error"))
		if says(t, r.errors, c.said); r.out != want {
			t.Errorf("%s: the table in the usual form is predicted otherwise", c.flags)
		}
	}
}

// Where a table is written otherwise than usual, predict and eval name the flag that reads it,
// and with that flag they do.
func TestPredictNamesTheFlag(t *testing.T) {
	inFolder(t)
	var comma, latin, dash strings.Builder
	usual := "x,c,y\n" + strings.Repeat("1.5,a,1\n2,b,0\n3,b,2\n", 30)
	comma.WriteString("x;c;y\n")
	latin.WriteString("x,c,y\n")
	dash.WriteString("x,c,y\n")
	for i := range 90 {
		fmt.Fprintf(&comma, "%d,5;a%d;%d\n", i%17, i%2, i%3)
		fmt.Fprintf(&latin, "%d,caf\xe9%d,%d\n", i%17, i%2, i%3)
		fmt.Fprintf(&dash, "%s,a%d,%d\n", []string{"-", strconv.Itoa(i % 17)}[min(i%9, 1)], i%2, i%3)
	}
	for flag, text := range map[string]string{
		"data.decimal=,": comma.String(), "data.encoding=latin1": latin.String(), "data.missing=-": dash.String(),
	} {
		file(t, "t.csv", usual)
		must(t, 0, boost(t, "train", "t.csv", "--label", "y", "-q", "--set", "train.rounds=2"))
		file(t, "t.csv", text)
		for _, command := range []string{"predict", "eval"} {
			says(t, must(t, 3, boost(t, command, "t.boost", "t.csv")).errors, "t.csv:2: ", "give --set", flag)
			must(t, 0, boost(t, command, "t.boost", "t.csv", "--set", flag, "--on-unseen", "missing"))
		}
	}
}

// A table whose categories are all unknown is no evidence of a model.
func TestEvidenceOfUnknownCategories(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", "x,c,y\n"+strings.Repeat("1.5,a,1\n2,b,0\n3,b,2.5\n", 60))
	file(t, "new.csv", "x,c,y\n"+strings.Repeat("1.5,k,1\n2,l,0\n3,l,2.5\n", 60))
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "-q", "--rounds", "2"))
	for _, command := range []string{"quantize t.boost -o q.boost --data new.csv --max-loss 90%", "compare t.boost t.boost new.csv", "registry add reg t.boost --data new.csv --max-loss 90%"} {
		says(t, must(t, 3, boost(t, strings.Fields(command)...)).errors, `column "c": training had none of its categories`, "--on-unseen missing")
		must(t, 0, boost(t, append(strings.Fields(command), "--on-unseen", "missing")...))
		must(t, 2, boost(t, append(strings.Fields(command), "--on-unseen", "drop")...))
	}
}

// Columns that cannot be copied, or are not wanted, are left out of those that --pass-through copies.
func TestPassThroughLess(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", "x,c,y\n"+strings.Repeat("1.5,a,1\n2,b,0\n3,b,2.5\n", 30))
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "-q", "--rounds", "2"))
	got := lines(must(t, 0, boost(t, "predict", "t.boost", "t.csv", "--pass-through", "--set", "data.ignore=c,y")).out)
	if got[0] != "x,prediction" || !strings.HasPrefix(got[1], "1.5,") {
		t.Errorf("got %q", got[:2])
	}
	says(t, must(t, 3, boost(t, "predict", "t.boost", "t.csv", "--pass-through", "--set", "data.ignore=z")).errors, `no column "z", which is named as ignore`)
	says(t, must(t, 2, boost(t, "predict", "t.boost", "t.csv", "--set", "data.ignore=c")).errors, "--pass-through")
}
