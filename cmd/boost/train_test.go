package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boost/internal/output"
	"boost/internal/report"
	"boost/internal/testenv"
)

// trained reads what train --json printed.
func trained(t *testing.T, r result) report.Training {
	t.Helper()
	var s report.Training
	d := json.NewDecoder(strings.NewReader(r.out))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		t.Fatalf("not a summary: %v\n%s", err, r.out)
	}
	return s
}

// Training needs nothing but a table and a label.
func TestTrainTable(t *testing.T) {
	dir := inFolder(t)
	file(t, "cities.v1.csv", table(600))
	r := must(t, 0, boost(t, "train", "cities.v1.csv", "--label", "b", "--json"))
	s := trained(t, r)
	if s.Model != "cities.v1.boost" || !exists("cities.v1.boost") {
		t.Errorf("model is %q, want cities.v1.boost in this folder", s.Model)
	}
	if s.Objective != "binary" || s.Rounds < s.BestRound || s.BestRound < 1 || s.Rounds > 3000 {
		t.Errorf("unlikely summary: %+v", s)
	}
	if s.Stopped != "early_stopping" && s.Stopped != "rounds" {
		t.Errorf("stopped is %q", s.Stopped)
	}
	for _, set := range []string{"train", "valid"} {
		if v := s.Metrics[set]["logloss"]; v == nil || *v <= 0 || *v > 0.3 {
			t.Errorf("%s logloss is %v", set, v)
		}
	}
	if s.Seconds.Total <= 0 || s.Seconds.Total < s.Seconds.Load+s.Seconds.Train || s.PeakMemory < 1e6 || s.ModelBytes < 100 || len(s.SHA256) != 64 {
		t.Errorf("unlikely figures: %+v", s)
	}
	// It says what it chose: the objective, the positive class, held-out rows, the column left out.
	says(t, r.errors, "binary", "yes", `"id"`)
	if left := leftovers(t, dir); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}

	r = must(t, 0, boost(t, "train", "cities.v1.csv", "--label", "b"))
	says(t, r.out, "logloss", "train", "valid", "cities.v1.boost", "rounds")
}

// A table of 200,000 columns, in 1.9 MB, is trained on in 200 MB, those of the program among them.
func TestTrainWide(t *testing.T) {
	testenv.Memory(t)
	inFolder(t)
	var names, cells strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&names, "c%d,", i)
		fmt.Fprintf(&cells, "%d,", i%2)
	}
	file(t, "wide.csv", strings.TrimSuffix(names.String(), ",")+"\n"+strings.TrimSuffix(cells.String(), ",")+"\n")
	out, err := program("train", "wide.csv", "--label", "c0", "-q", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	if s := trained(t, result{out: string(out)}); s.PeakMemory > 200e6 {
		t.Errorf("%d bytes of memory, at most 200 MB allowed", s.PeakMemory)
	}
}

// The bytes do not depend on where settings come from: a config with the same keys,
// --set, or the flags; nor on threads, verification or the builder.
func TestTrainSameBytes(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(400))
	file(t, "v.csv", table(90))
	flags := []string{"train", "t.csv", "--label", "y", "--valid", "v.csv", "--json", "--set", "data.id=id", "--set", "train.rounds=40"}
	file(t, "run.toml", `
[data]
train = "t.csv"
valid = ["v.csv"]
label = "y"
id = ["id"]
[train]
rounds = 40
effort = "default"
`)
	want := trained(t, must(t, 0, boost(t, append(flags, "-o", "a.boost")...)))
	got := map[string]report.Training{
		"config":  trained(t, must(t, 0, boost(t, "train", "run.toml", "--json", "-o", "b.boost"))),
		"threads": trained(t, must(t, 0, boost(t, append(flags, "--threads", "3", "-o", "c.boost")...))),
		"verify":  trained(t, must(t, 0, boost(t, append(flags, "--verify", "-o", "d.boost")...))),
		"builder": trained(t, must(t, 0, boost(t, append(flags, "--set", "train.builder=row", "-o", "e.boost")...))),
		"aliases": trained(t, must(t, 0, boost(t, append(flags, "--set", "n_estimators=40", "--set", "objective=l2", "-o", "f.boost")...))),
		"stdin":   trained(t, must(t, 0, boostWith(t, table(400), "train", "-", "--label", "y", "--valid", "v.csv", "--json", "--set", "data.id=id", "--set", "train.rounds=40", "-o", "g.boost"))),
	}
	for name, s := range got {
		if s.SHA256 != want.SHA256 {
			t.Errorf("%s: sha256 %s, want %s", name, s.SHA256, want.SHA256)
		}
	}
	if readFile(t, "a.boost") != readFile(t, "b.boost") {
		t.Error("the files of flags and config differ")
	}

	// With early stopping off every row trains, as from a config with the same keys.
	off := trained(t, must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--json", "--set", "data.id=id", "--set", "train.early_stopping=0", "--set", "train.rounds=20", "-o", "h.boost")))
	file(t, "off.toml", "[data]\ntrain = \"t.csv\"\nlabel = \"y\"\nid = [\"id\"]\n[train]\nrounds = 20\nearly_stopping = 0\neffort = \"default\"\n")
	config := trained(t, must(t, 0, boost(t, "train", "off.toml", "--json", "-o", "i.boost")))
	if off.SHA256 != config.SHA256 || off.Stopped != "rounds" || off.BestRound != 20 {
		t.Errorf("early_stopping=0: %+v, the config gives %+v", off, config)
	}
	if _, ok := off.Metrics["valid"]; ok {
		t.Error("rows were held out with early stopping off")
	}
}

// S0.14: the width of codes in memory never changes the model.
func TestStorageSameBytes(t *testing.T) {
	t.Run("S0.14/storage", func(t *testing.T) {
		inFolder(t)
		file(t, "t.csv", table(500))
		args := []string{"train", "t.csv", "--label", "c", "--json", "--set", "train.rounds=10", "--set", "binning.storage="}
		hash := map[string]string{}
		for _, storage := range []string{"adaptive", "uniform"} {
			args[len(args)-1] = "binning.storage=" + storage
			hash[storage] = trained(t, must(t, 0, boost(t, args...))).SHA256
		}
		if hash["adaptive"] != hash["uniform"] {
			t.Errorf("sha256 %v", hash)
		}
	})
}

// Test sets are looked at once, and their predictions written.
func TestTrainTestSets(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(300))
	file(t, "u.csv", table(40))
	file(t, "run.toml", `
num_leaves = 7
[data]
train = "t.csv"
test = ["u.csv", "t.csv"]
label = "c"
id = ["id"]
[train]
num_iterations = 5
[metrics]
names = ["mlogloss"]
[output]
model = "out.boost"
predictions = "p.csv"
`)
	r := must(t, 0, boost(t, "train", "run.toml", "--json"))
	s := trained(t, r)
	for _, set := range []string{"train", "test", "test2"} {
		if s.Metrics[set]["multi_logloss"] == nil {
			t.Errorf("no metric of %s in %v", set, s.Metrics)
		}
	}
	lines := strings.Split(readFile(t, "p.csv"), "\n")
	if lines[0] != "id,high,low,mid" || len(lines) != 1+40+300+1 || !strings.HasPrefix(lines[1], "r0,") {
		t.Errorf("predictions begin with %q %q, %d lines", lines[0], lines[1], len(lines))
	}
	if n := strings.Count(r.errors, `"num_leaves" is called tree.leaves here`); n != 1 {
		t.Errorf("alias reported %d times:\n%s", n, r.errors)
	}
	says(t, r.errors, `"train.num_iterations" is called train.rounds here`, `metric "mlogloss" is called "multi_logloss" here`)
	// A test set without labels is predicted only.
	file(t, "new.csv", "id,x,city,y,b\nq,0.5,Oslo,1,no\n")
	r = must(t, 0, boost(t, "train", "run.toml", "--test", "new.csv", "--test", "u.csv"))
	says(t, r.errors, "new.csv has no label: it is predicted, but not evaluated")
	says(t, r.out, "test2")
	says(t, readFile(t, "p.csv"), "id,high,low,mid\nq,")
	must(t, 3, boost(t, "train", "run.toml", "--test", "new.csv", "--set", "output.predictions="))
	// A label that the model cannot know is found before the training, not after it.
	file(t, "odd.csv", strings.ReplaceAll(table(50), ",yes,", ",perhaps,"))
	r = must(t, 3, boost(t, "train", "t.csv", "--label", "b", "--test", "odd.csv", "-o", "odd.boost"))
	says(t, r.errors, "odd.csv:", `"perhaps" is not one of the classes`)
	if exists("odd.boost") {
		t.Error("the model was trained before its test set was looked at")
	}
	if !exists("out.boost") || s.Model != "out.boost" {
		t.Errorf("model is %q", s.Model)
	}
}

// A time limit that lets a round be done is no failure; one that lets none is exit 5.
func TestTimeLimit(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(2000))
	s := trained(t, must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--json", "--set", "train.time_limit=1.5",
		"--set", "train.rounds=100000", "--set", "train.early_stopping=0")))
	if s.Stopped != "time_limit" || s.Rounds < 1 || !exists("t.boost") {
		t.Errorf("stopped %q after %d rounds", s.Stopped, s.Rounds)
	}
	must(t, 0, boost(t, "eval", "t.boost", "t.csv"))
	r := must(t, 5, boost(t, "train", "t.csv", "--label", "y", "--set", "train.time_limit=0.000001", "-o", "none.boost"))
	says(t, r.errors, "train.time_limit")
	if exists("none.boost") || r.out != "" {
		t.Error("something was made although there was no time")
	}
}

func TestMemoryLimit(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(2000))
	r := must(t, 5, boost(t, "train", "t.csv", "--label", "y", "--set", "train.memory_limit=10kB"))
	says(t, r.errors, "train.memory_limit", "KiB")
	if exists("t.boost") {
		t.Error("a model was made beyond the memory limit")
	}
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--set", "train.memory_limit=4GB", "--set", "train.rounds=2"))
}

// A table over the memory limit is exit 5 in every format, where it has to be read whole.
func TestMemoryLimitOfTables(t *testing.T) {
	forms, err := filepath.Abs(filepath.Join("..", "..", "dataset", "testdata", "interop", "forms"))
	if err != nil {
		t.Fatal(err)
	}
	inFolder(t)
	file(t, "t.svm", strings.Repeat("1 1:2 2:1\n0 1:1\n", 100))
	for _, name := range []string{"pandas.csv", "pandas.parquet", "pandas.arrow", "pyarrow.arrows", "t.svm"} {
		from, flags := filepath.Join(forms, name), []string{"--label", "y"}
		if name == "t.svm" {
			from, flags = name, nil
		}
		r := must(t, 5, boost(t, append([]string{"train", from, "--set", "train.memory_limit=200", "--set", "data.out_of_core=false", "-o", "m.boost"}, flags...)...))
		says(t, r.errors, name, "memory_limit is 200 bytes")
		if exists("m.boost") {
			t.Error("a model was made beyond the memory limit")
		}
	}
	// 2,000,000 cells of one digit are 4 MB of text and 8 MB in memory.
	var text strings.Builder
	for row := range 20_000 {
		for k := range 100 {
			if k > 0 {
				text.WriteByte(',')
			}
			text.WriteByte('0' + byte((row*(k+3)/7+row)%(k%8+2)))
		}
		text.WriteByte('\n')
	}
	file(t, "digits.csv", text.String())
	train := []string{"train", "digits.csv", "--label", "c100", "--set", "train.rounds=2", "--set", "train.early_stopping=0", "--json"}
	want := trained(t, must(t, 0, boost(t, train...))).SHA256
	r := must(t, 0, boost(t, append(train, "--set", "train.memory_limit=7MB")...))
	says(t, r.errors, "out of core")
	if got := trained(t, r).SHA256; got != want {
		t.Errorf("model %s, want %s", got, want)
	}
	r = must(t, 5, boostWith(t, text.String(), append([]string{"train", "-", "-o", "m.boost", "--set", "train.memory_limit=7MB"}, train[2:]...)...))
	says(t, r.errors, "standard input", "--set data.out_of_core=true")
}

// Finding out whether an output can be written takes over what a killed process left there.
func TestWritableTakesOver(t *testing.T) {
	dir := inFolder(t)
	file(t, ".m.boost.tmp", "half a model")
	if err := output.Writable("m.boost"); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left over: %v, error %v", entries, err)
	}
}

// Outputs that cannot be written are found out before the work, exit 1.
func TestUnwritable(t *testing.T) {
	dir := inFolder(t)
	file(t, "t.csv", table(60))
	for _, c := range []struct{ out, words string }{
		{filepath.Join("no", "m.boost"), "folder no: no such file or directory"},
		{".", "it is a directory"},
		{filepath.Join("t.csv", "m.boost"), "cannot write"},
	} {
		r := must(t, 1, boost(t, "train", "t.csv", "--label", "y", "-o", c.out))
		says(t, r.errors, "cannot write "+c.out, c.words)
	}
	for _, args := range []string{"train t.csv --label y -o ", "train t.csv --label y --set quantize.dtype=I8 --set quantize.output=", "cv t.csv --label y -o "} {
		r := must(t, 1, boost(t, strings.Fields(args+os.DevNull)...))
		says(t, r.errors, "cannot write "+os.DevNull+": it is a device or a pipe")
		if strings.Contains(r.errors, "60 rows") {
			t.Errorf("%s: the table is read before: %s", args, r.errors)
		}
	}
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "-q", "--set", "train.rounds=2"))
	says(t, must(t, 1, boost(t, "quantize", "t.boost", "--dtype", "I8", "-o", os.DevNull)).errors, "it is a device or a pipe")
	r := must(t, 1, boost(t, "predict", "t.boost", "t.csv", "-o", filepath.Join("no", "p.csv")))
	says(t, r.errors, "folder no: no such file or directory")
	if left := leftovers(t, dir); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

// Early stopping by a metric that has no value ends training early, and says why.
func TestTrainUndefinedMetric(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(300))
	file(t, "one.csv", "id,x,city,y,b,c\nq,0.5,Oslo,1,no,low\n")
	r := must(t, 0, boost(t, "train", "t.csv", "--label", "b", "--valid", "one.csv", "--json",
		"--set", "metrics.names=auc", "--set", "train.early_stopping=3"))
	says(t, r.errors, "the metric that early stopping goes by is undefined, and counts as no better (set valid, metric auc)")
	if s := trained(t, r); s.Rounds != 3 || s.Stopped != "early_stopping" || s.Metrics["valid"]["auc"] != nil {
		t.Errorf("unlikely summary: %+v", s)
	}
}

// A column that gives the label away is named, as inspect names it, and nothing else is.
func TestTrainNamesLeaks(t *testing.T) {
	var text strings.Builder
	text.WriteString("x,my leak,y,z\n")
	for i := range 500 {
		fmt.Fprintf(&text, "%d,%d,%s,%d\n", i*7919%500, 3+i%2*4, []string{"no", "yes"}[i%2], i%2*(i%5))
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	const said = "alone predicts \"y\" almost perfectly"
	args := []string{"train", path, "--label", "y", "--rounds", "5", "-o", filepath.Join(t.TempDir(), "m.boost")}
	r := boost(t, args...)
	if want := `column "my leak" ` + said + ` (auc 1.0000)`; r.code != 0 || strings.Count(r.errors, want) != 1 || !strings.Contains(r.errors, "--ignore 'my leak'") {
		t.Errorf("exit code %d, %q with its flag is missing in\n%s", r.code, want, r.errors)
	}
	if r := boost(t, append(args, "--ignore", "my leak")...); r.code != 0 || strings.Contains(r.errors, said) {
		t.Errorf("exit code %d without the leak:\n%s", r.code, r.errors)
	}
}

// A table's file that is named twice is refused, and not read once, except by predict, which has a line for each row.
func TestTableNamedTwice(t *testing.T) {
	models(t)
	file(t, "twice.toml", "[data]\ntrain = [\"t.csv\", \"t.csv\"]\nlabel = \"y\"\n")
	for _, args := range []string{"train t.csv t.csv --label y", "train t.csv ./t.csv --label y", "train twice.toml", "cv twice.toml", "eval y.boost t.csv ./t.csv", "inspect t.csv t.csv"} {
		says(t, must(t, 3, boost(t, strings.Fields(args)...)).errors, "t.csv and t.csv are one file: leave one of them out")
	}
	for _, args := range []string{"predict y.boost t.csv ./t.csv", "predict y.boost t.csv ./t.csv --shard 0/1"} {
		if got := must(t, 0, boost(t, strings.Fields(args)...)).out; strings.Count(got, "\n") != 601 {
			t.Errorf("%s: %d lines, want a header and 600 rows", args, strings.Count(got, "\n"))
		}
	}
}
