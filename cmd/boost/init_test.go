package main

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"boost/configs"
)

func TestInit(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(300))
	r := must(t, 0, boost(t, "init", "t.csv"))
	says(t, r.out, `train = "t.csv"`, `label = "y"`, "from the name", `objective = "regression"`, `id = ["id"]`, "300 rows", `model = "t.boost"`)
	r = must(t, 0, boost(t, "init", "t.csv", "--label", "b"))
	says(t, r.out, `label = "b"`, `"yes" is the positive class; positive_class = "no" makes it the other one.`, `objective = "binary"`)
	says(t, must(t, 0, boostWith(t, "a,b,c\n1,2,x\n3,4,y\n5,6,z\n", "init", "-")).out,
		`train = "-"`, `label = "c"`, "A guess, from its place, the last column: ", `objective = "multiclass"`, `model = "model.boost"`)
	if strings.Contains(r.out, "guess") {
		t.Error("--label is called a guess")
	}
	says(t, r.out, "Without this key train.effort says how many there are at most.\n# rounds = 100\n")
	all := must(t, 0, boost(t, "init", "t.csv", "--all")).out
	says(t, all, "# Keys in comments have the values that hold without train.effort, which chooses many of them otherwise.\n")
	for _, k := range configs.Keys() {
		if !strings.Contains(all, "\n"+k.Leaf()+" = ") && !strings.Contains(all, "\n# "+k.Leaf()+" = ") {
			t.Errorf("--all leaves out %s", k.Name)
		}
	}
	says(t, must(t, 3, boost(t, "init", "t.csv", "--label", "citty")).errors, `no column "citty", which is named as label (did you mean "city"?)`)
	must(t, 3, boost(t, "init", "none.csv"))
	file(t, "inf.csv", "a,y\n1,0\n2,1\ninf,0\n4,1\n")
	says(t, must(t, 0, boost(t, "init", "inf.csv", "--label", "y")).out, `label = "y"`)
}

// The file trains as it is, wherever it lies, to the model that training without a
// config gives.
func TestInitTrains(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(300))
	if err := os.Mkdir("deep", 0o755); err != nil {
		t.Fatal(err)
	}
	must(t, 0, boost(t, "init", "t.csv", "--label", "y", "-o", "deep/run.toml", "--set", "data.missing_only=[\"\"]"))
	says(t, readFile(t, "deep/run.toml"), `train = "../t.csv"`, `missing_only = [""]`)
	again := must(t, 2, boost(t, "init", "t.csv", "--label", "b", "-o", "deep/run.toml"))
	says(t, again.errors, "deep/run.toml is there already, and what it says would be lost: give another name with -o, or remove the file")
	config := trained(t, must(t, 0, boost(t, "train", "deep/run.toml", "--json")))
	if config.Model != "deep/t.boost" {
		t.Errorf("model is %s, want it beside the config", config.Model)
	}
	must(t, 0, boost(t, "init", "t.csv", "--label", "b", "-o", "b.toml"))
	config2 := trained(t, must(t, 0, boost(t, "train", "b.toml", "--json")))
	direct2 := trained(t, must(t, 0, boost(t, "train", "t.csv", "--label", "b", "--json", "--set", "data.id=id")))
	if config2.SHA256 != direct2.SHA256 {
		t.Errorf("binary: sha256 %s with the config, %s without", config2.SHA256, direct2.SHA256)
	}
	// init makes id an id column; training from the table leaves it out as text.
	direct := trained(t, must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--json", "--set", "data.id=id")))
	if config.SHA256 != direct.SHA256 {
		t.Errorf("sha256 %s with the config, %s without", config.SHA256, direct.SHA256)
	}
}

func TestInitSuggests(t *testing.T) {
	inFolder(t)
	var s strings.Builder
	s.WriteString("target,note,age,part\n")
	for i := range 120 {
		age, part := "3", "a"
		if i%40 == 7 {
			age = "unknown"
		}
		if i%3 == 0 {
			part = "b"
		}
		s.WriteString(strings.Join([]string{[]string{"", "1", "2"}[min(i, 1)+i%2*min(i, 1)], "note " + strings.Repeat("x", i), age, part}, ",") + "\n")
	}
	file(t, "odd.csv", s.String())
	r := must(t, 0, boost(t, "init", "odd.csv"))
	says(t, r.out, `label = "target"`, "from the name", `ignore = ["note"]`, "120 different values",
		`categorical = ["age"]`, `"unknown" in line 9`, "data.missing", "1 row without a label", "\non_bad_row = \"skip\"")
	says(t, r.errors, `the label is guessed to be "target", from the name: --label NAME makes sure`)
	file(t, "run.toml", r.out)
	says(t, must(t, 0, boost(t, "train", "run.toml", "--set", "train.rounds=3")).errors, "1 bad row skipped")
	says(t, must(t, 3, boost(t, "train", "run.toml", "--set", "data.on_bad_row=stop")).errors, "odd.csv:2", "target")
	if r = must(t, 0, boost(t, "init", "odd.csv", "--label", "part")); strings.Contains(r.errors, "guess") {
		t.Errorf("--label is called a guess: %s", r.errors)
	}
	// No config is written that training refuses because of its label.
	says(t, must(t, 3, boost(t, "init", "odd.csv", "--label", "age")).errors, `odd.csv:9: column "age": "unknown" is not a number`, "--set data.missing=unknown")
	file(t, "same.csv", "x,y\n1,a\n2,a\n3,a\n")
	says(t, must(t, 3, boost(t, "init", "same.csv", "--label", "y")).errors, `same.csv: label "y" has the same value in every row`)
}

// What init writes trains without a change, whatever it had to guess.
func TestInitGuesses(t *testing.T) {
	inFolder(t)
	var gaps, numbers strings.Builder
	gaps.WriteString("x,kind,port,name\n")
	numbers.WriteString("age,y\n")
	for i := range 150 {
		port, age := []string{"a", "b"}[i%2], strconv.Itoa(i)
		if i == 5 {
			port = ""
		}
		if i%50 == 7 {
			age = "unknown"
		}
		gaps.WriteString(strconv.Itoa(i) + "," + strconv.Itoa(i%3) + "," + port + ",name " + strconv.Itoa(i) + "\n")
		numbers.WriteString(age + "," + strconv.Itoa(i/75) + "\n")
	}
	file(t, "gaps.csv", gaps.String())
	file(t, "numbers.csv", numbers.String())
	// Neither the names nor a column with a gap is a likely label.
	r := must(t, 0, boost(t, "init", "gaps.csv", "-o", "gaps.toml"))
	says(t, r.errors, `"kind"`, `the last column that could be a label ("name" could not)`)
	says(t, readFile(t, "gaps.toml"), `label = "kind"`, `ignore = ["name"]`)
	must(t, 0, boost(t, "train", "gaps.toml", "-q", "--set", "train.rounds=2"))
	// Numbers with a few texts are different in most rows, and no text for all that.
	must(t, 0, boost(t, "init", "numbers.csv", "-o", "numbers.toml"))
	says(t, readFile(t, "numbers.toml"), `categorical = ["age"]`, `"unknown" in line 9`)
	must(t, 0, boost(t, "train", "numbers.toml", "-q", "--set", "train.rounds=2"))
	file(t, "alone.csv", "y\n1\n2\n3\n")
	says(t, must(t, 3, boost(t, "init", "alone.csv")).errors, "alone.csv", `no column is left to predict "y" from`)
}

// Several tables are looked at as the one that training reads, as a shell's glob gives them.
func TestInitOfSeveral(t *testing.T) {
	inFolder(t)
	file(t, "a.jsonl", strings.Repeat("{\"x\": 1, \"y\": 2.5}\n{\"x\": 2, \"y\": 3.5}\n", 40))
	file(t, "b.jsonl", strings.Repeat("{\"x\": 3, \"y\": 4.5}\n", 40))
	must(t, 0, boost(t, "init", "a.jsonl", "b.jsonl", "-o", "run.toml"))
	says(t, readFile(t, "run.toml"), `train = ["a.jsonl", "b.jsonl"]`, "120 rows", `model = "a.boost"`)
	says(t, must(t, 0, boost(t, "train", "run.toml", "--rounds", "3")).errors, "120 rows")
	says(t, must(t, 0, boost(t, "inspect", "a.jsonl", "b.jsonl")).out, "a.jsonl b.jsonl  120 rows")
}

// The index that pandas writes has no name; it counts the rows, and is no feature.
func TestInitOfIndex(t *testing.T) {
	inFolder(t)
	var index, values strings.Builder
	index.WriteString(",x,y\n")
	values.WriteString(",x,y\n")
	for i := range 60 {
		row := "," + strconv.Itoa(i%7) + "," + strconv.Itoa(i%5) + ".5\n"
		index.WriteString(strconv.Itoa(i) + row)
		values.WriteString(strconv.Itoa(i*i) + row)
	}
	file(t, "index.csv", index.String())
	file(t, "values.csv", values.String())
	says(t, must(t, 0, boost(t, "init", "index.csv")).out, `id = ["c1"]`)
	if out := must(t, 0, boost(t, "init", "values.csv")).out; strings.Contains(out, "id = ") {
		t.Errorf("a column of other values is an id:\n%s", out)
	}
}
