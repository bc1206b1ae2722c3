package main

import (
	"strings"
	"testing"
)

// A flag does what --set with its key does.
func TestFlagsAreKeys(t *testing.T) {
	inFolder(t)
	rows := strings.Split(strings.TrimSpace(table(120)), "\n")
	for i, row := range rows {
		w, split := "1", "train"
		switch {
		case i == 0:
			w, split = "w", "split"
		case i%3 == 0:
			w, split = "2", "valid"
		}
		rows[i] = row + "," + w + "," + split
	}
	file(t, "t.csv", strings.Join(rows, "\n")+"\n")
	train := []string{"train", "t.csv", "-q"}
	flags := []string{"--label", "y", "--objective", "l2", "--rounds", "4", "--learning-rate", "0.2", "--leaves", "5", "--weight", "w", "--ignore", "b",
		"--ignore", "c,id", "--categorical", "city", "--seed", "7", "--threads", "1", "--valid-by", "split", "-o", "a.boost"}
	sets := []string{"label=y", "objective=regression", "rounds=4", "learning_rate=0.2", "leaves=5", "weight=w", "ignore=b,c,id", "categorical=city", "seed=7",
		"threads=1", "valid_by=split", "output.model=b.boost"}
	must(t, 0, boost(t, append(train, flags...)...))
	for _, s := range sets {
		train = append(train, "--set", s)
	}
	must(t, 0, boost(t, train...))
	if readFile(t, "a.boost") != readFile(t, "b.boost") {
		t.Error("flags and keys give different models")
	}
	// 40 of 120 rows are marked.
	says(t, must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--valid-by", "split", "--rounds", "3", "-v")).errors, "40", "120")
	bad := must(t, 3, boost(t, "train", "t.csv", "--label", "y", "--valid-by", "city", "--rounds", "3"))
	says(t, bad.errors, "t.csv:2", `column "city"`, "expected valid, true, yes or 1")
	says(t, must(t, 3, boost(t, "train", "t.csv", "--label", "y", "--valid-by", "spilt")).errors, `"spilt"`, `did you mean "split"?`)
}

// A share is held out, a file of that name is read.
func TestValidShare(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(200))
	says(t, must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--rounds", "3", "--valid", "0.2")).out, "3 rounds; 40 rows held out; then trained on all rows\n")
	must(t, 0, boost(t, "reproduce", "t.boost", "t.csv"))
	file(t, "0.2", table(50))
	says(t, must(t, 3, boost(t, "train", "t.csv", "--label", "y", "--valid-by", "fold")).errors, `no column "fold", which is named as valid_by; its columns are`)
	says(t, must(t, 2, boost(t, "train", "t.csv", "--label", "y", "--set", "data.valid=0.3")).errors, `data.valid = "0.3"`, "(--valid 0.3)")
	says(t, must(t, 2, boost(t, "train", "t.csv", "--label", "y", "--valid", "20")).errors, "--valid 20: a share of the rows is less than 1, as 0.2 or 20%")
	if r := must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--rounds", "3", "--valid", "0.2", "-v")); strings.Contains(r.errors, "held out") {
		t.Errorf("rows are held out beside a validation set:\n%s", r.errors)
	}
}

// Tables as a shell's glob gives them are read as one; predictions follow in the order of the tables.
func TestSeveralTables(t *testing.T) {
	inFolder(t)
	lines := strings.SplitAfter(table(200), "\n")
	whole, head := strings.Join(lines, ""), lines[0]
	file(t, "t.csv", whole)
	parts := []string{"p1.csv", "p2.csv", "p3.csv"}
	for i, name := range parts {
		file(t, name, head+strings.Join(lines[1:][i*60:min(i*60+60+i/2*20, 200)], ""))
	}
	train := []string{"--label", "y", "--rounds", "3", "--ignore", "b,c", "--set", "data.id=id", "-q"}
	must(t, 0, boost(t, append(append([]string{"train"}, parts...), append(train, "-o", "p.boost")...)...))
	must(t, 0, boost(t, append([]string{"train", "t.csv", "-o", "t.boost"}, train...)...))
	if readFile(t, "p.boost") != readFile(t, "t.boost") {
		t.Error("parts and the whole table give different models")
	}
	if a, b := must(t, 0, boost(t, append([]string{"eval", "t.boost"}, parts...)...)).out, must(t, 0, boost(t, "eval", "t.boost", "t.csv")).out; a != b {
		t.Errorf("eval gives %s of the parts, %s of the whole", a, b)
	}
	for _, format := range []string{"csv", "parquet"} {
		must(t, 0, boost(t, append([]string{"predict", "t.boost", "-o", "po." + format}, parts...)...))
		must(t, 0, boost(t, "predict", "t.boost", "t.csv", "-o", "to."+format))
		if readFile(t, "po."+format) != readFile(t, "to."+format) {
			t.Errorf("%s of the parts is not that of the whole", format)
		}
	}
	r := must(t, 0, boost(t, "predict", "t.boost", "p2.csv", "p1.csv", "p2.csv"))
	if got := strings.Split(r.out, "\n"); !strings.HasPrefix(got[1], "r60,") || !strings.HasPrefix(got[61], "r0,") || !strings.HasPrefix(got[121], "r60,") {
		t.Errorf("the predictions are not in the order of the tables:\n%s", r.out)
	}
	says(t, must(t, 3, boost(t, "predict", "t.boost", "p1.csv", "-")).errors, "standard input (-) cannot be joined with files")
	says(t, must(t, 2, boost(t, "predict", "t.boost", "p1.csv", "p2.csv", "-o", "p2.csv")).errors, "p2.csv is read")
}

func TestVersionFlag(t *testing.T) {
	if r := must(t, 0, boost(t, "--version")); r.out != "boost "+version+"\n" {
		t.Errorf("--version prints %q", r.out)
	}
}

// inspect and init take the flags for columns.
func TestColumnFlags(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(60))
	out := must(t, 0, boost(t, "init", "t.csv", "--label", "y", "--ignore", "b", "--ignore", "c", "--categorical", "x")).out
	says(t, out, `ignore = ["b", "c"]`, `categorical = ["x"]`)
	says(t, must(t, 0, boost(t, "inspect", "t.csv", "--weight", "x", "--json")).out, `"role": "weight"`)
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "-q", "--rounds", "1"))
	says(t, must(t, 2, boost(t, "inspect", "t.boost", "--ignore", "b")).errors, "--ignore names a column of a table, and t.boost is a model")
}
