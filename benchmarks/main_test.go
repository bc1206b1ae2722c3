package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boost/benchmarks/accuracy"
	"boost/benchmarks/harness"
	"boost/benchmarks/modes"
	"boost/benchmarks/peers"
	"boost/benchmarks/scorers"
	"boost/benchmarks/synth"
)

func run(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, words bytes.Buffer
	c := rootCommand()
	c.SetArgs(args)
	c.SetOut(&out)
	c.SetErr(&words)
	err = c.ExecuteContext(t.Context())
	return out.String(), words.String(), err
}

// Both forms of memory that boost scores from are timed, single rows in one of them.
func TestScore(t *testing.T) {
	folder := t.TempDir()
	if _, _, err := run(t, "generate", "--out", folder, "--rows", "2000", "--test", "600", "--cols", "9"); err != nil {
		t.Fatal(err)
	}
	flags := []string{"--data", folder, "--models", filepath.Join(folder, "models"), "--trees", "3", "--leaves", "4"}
	if _, _, err := run(t, append([]string{"score", "--stage", "prepare"}, flags...)...); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{scorers.Boost, scorers.BoostMatrix} {
		out, _, err := run(t, append([]string{"score", "--name", name, "--rows", "500", "--seconds", "0.01", "--single"}, flags...)...)
		if err != nil {
			t.Fatal(err)
		}
		var r scorers.Run
		if err := json.Unmarshal([]byte(out), &r); err != nil || r.Rows != 500 || r.Seconds <= 0 || r.Passes < 3 || (r.Cold.P99 > 0) != (name == scorers.Boost) {
			t.Errorf("%s printed %s, error %v", name, out, err)
		}
	}
}

func TestTrainOnGeneratedTables(t *testing.T) {
	for _, c := range []struct {
		kind, columns string
		task          string
		outputs       int
	}{{synth.Dense, "9", "binary", 1}, {synth.Counts, "20", "multiclass", 9}, {synth.Flags, "30", "regression", 1}} {
		folder := t.TempDir()
		if _, _, err := run(t, "generate", "--kind", c.kind, "--out", folder, "--rows", "3000", "--test", "1", "--cols", c.columns); err != nil {
			t.Fatal(err)
		}
		m, err := harness.ReadMeta(folder)
		if err != nil || m.Task != c.task || m.Outputs() != c.outputs || fmt.Sprint(len(m.Columns)-1) != c.columns || m.TrainRows != 3000 {
			t.Errorf("%s: %+v, error %v", c.kind, m, err)
		}
		profile := filepath.Join(folder, "profile")
		out, _, err := run(t, "train", "--folder", folder, "--once", "--threads", "1", "--rounds", "3", "--profile", profile)
		if err != nil {
			t.Fatal(err)
		}
		var p peers.Process
		if err := json.Unmarshal([]byte(out), &p); err != nil || p.Rows != 3000 || fmt.Sprint(p.Columns) != c.columns || p.Ways[0].Repeats != 1 || p.Ways[0].Seconds <= 0 || p.File != 0 {
			t.Errorf("%s: train printed %s, error %v", c.kind, out, err)
		}
		if info, err := os.Stat(profile); err != nil || info.Size() == 0 {
			t.Errorf("%s: profile %v, error %v", c.kind, info, err)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// collection makes a folder of one small and one large set, whose label is a step with
// one row in seven turned over, and whose peers all have the given test loss.
func collection(t *testing.T, loss string) string {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	var rows strings.Builder
	rows.WriteString("x,city,y\n")
	for i := range 400 {
		y := i % 50 / 25
		if i%7 == 0 {
			y = 1 - y
		}
		fmt.Fprintf(&rows, "%d,%s,%d\n", i%50, [...]string{"Ulm", "Bonn", ""}[i%3], y)
	}
	for name, test := range map[string]int{"few": 400, "many": 2000} {
		folder := filepath.Join(data, name)
		write(t, filepath.Join(folder, "train.csv.gz"), rows.String())
		write(t, filepath.Join(folder, "test.csv.gz"), rows.String())
		write(t, filepath.Join(folder, "meta.json"), fmt.Sprintf(
			`{"task": "binary", "label": "y", "categorical": ["city"], "ignore": [], "rows_train": 400, "rows_test": %d}`, test))
	}
	losses := strings.ReplaceAll(`{"constant": {"binary_logloss": 0.69}, "lightgbm": {"binary_logloss": L},
		"xgboost": {"binary_logloss": L}, "sklearn": {"binary_logloss": L}}`, "L", loss)
	write(t, filepath.Join(data, "reference.json"), `{"few": `+losses+`, "many": `+losses+`}`)
	write(t, filepath.Join(data, "small.json"),
		`{"rounds": 200, "sets": {"few": {"losses": {"lightgbm": [3, 3], "xgboost": [3, 3], "sklearn": [3, 3]}}}}`)
	return data
}

func flags(data string) []string {
	return []string{"--data", data, "--peers", filepath.Join(data, "small.json"), "--results", filepath.Join(data, ".."),
		"--document", filepath.Join(data, "accuracy.md"), "--threads", "1"}
}

func TestAccuracyCommand(t *testing.T) {
	data := collection(t, "0.6")
	document := filepath.Join(data, "accuracy.md")
	out, words, err := run(t, append([]string{"accuracy", "--splits", "2"}, flags(data)...)...)
	if err != nil || !strings.Contains(out, "all within bounds") {
		t.Fatalf("%v\n%s%s", err, out, words)
	}
	text, err := os.ReadFile(document)
	if err != nil || !strings.Contains(string(text), "| many | binary_logloss |") || !strings.Contains(string(text), "| few | binary_logloss | 2 |") {
		t.Errorf("document: error %v\n%s", err, text)
	}
	// Again for one set: the other's figures stay, and a number of splits that the peers lack is told.
	_, _, err = run(t, append([]string{"accuracy", "--sets", "few", "--splits", "3"}, flags(data)...)...)
	if err == nil || !strings.Contains(err.Error(), "make accuracy-peers") {
		t.Errorf("3 splits beside the peers' 2: error %v", err)
	}
	if text, _ := os.ReadFile(document); !strings.Contains(string(text), "| many |") {
		t.Error("a run of one set drops the others from the document")
	}
}

func TestAccuracyCommandFails(t *testing.T) {
	data := collection(t, "0.01") // out of reach with labels turned over
	_, _, err := run(t, append([]string{"accuracy", "--splits", "2"}, flags(data)...)...)
	if err == nil || !strings.Contains(err.Error(), "many: binary_logloss") || !strings.Contains(err.Error(), "geometric mean") {
		t.Errorf("far above the peers: error %v", err)
	}
}

func TestAccuracyNamesWhatIsMissing(t *testing.T) {
	_, _, err := run(t, "accuracy", "--data", filepath.Join(t.TempDir(), "nowhere"))
	if err == nil || !strings.Contains(err.Error(), "BOOST_SHARED") {
		t.Errorf("no data: error %v", err)
	}
}

// The check of the defaults passes with the losses that the record has, and fails where they were better by more than a hundredth.
func TestDefaultsCheck(t *testing.T) {
	data := collection(t, "0.6")
	var record accuracy.DefaultsRecord
	sets, err := accuracy.Sets(data, "few")
	if err != nil {
		t.Fatal(err)
	}
	table, err := sets[0].Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := study{}
	was, err := sets[0].TrainByDefaults(t.Context(), table, 0, s.parameters("quick"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(data, "defaults.json")
	args := []string{"defaults", "--check", "--data", data, "--sets", "few", "--results", file}
	for factor, fails := range map[float64]bool{1: false, 0.995: false, 0.985: true, 1.1: false} {
		known := was
		known.Loss *= factor
		record.Add("few", "quick", "0", known)
		if err := harness.Write(file, record); err != nil {
			t.Fatal(err)
		}
		out, _, err := run(t, args...)
		if (err != nil) != fails || strings.Count(out, "\n") != 1 {
			t.Errorf("recorded loss × %v: %v, %s", factor, err, out)
		}
	}
	if _, _, err := run(t, append(args, "--efforts", "default")...); err == nil {
		t.Error("an effort without a record passes")
	}
}

// boost's side of modes trains in each that is asked for, with plain training before it.
func TestModeTrain(t *testing.T) {
	folder := t.TempDir()
	var text strings.Builder
	text.WriteString("y,a,b,c,d,e,word\n")
	for i := range 3000 {
		fmt.Fprintf(&text, "%d,%d,%d,%d,%d,%d,w%d\n", i*37%101+i%7*9, i*37%101, i%7, i*53%29, i*i%31, i%2, i%3)
	}
	for name, content := range map[string]string{
		synth.TrainCSV: text.String(), harness.MetaFile: `{"task": "regression", "label": "y", "categorical": ["word"], "columns": ["y", "a", "b", "c", "d", "e", "word"]}`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, _, err := run(t, "modetrain", "--folder", folder, "--threads", "1", "--rounds", "3", "--budget", "0.001", "--only", "dart,lambdarank,multiclass,monotone advanced")
	if err != nil {
		t.Fatal(err)
	}
	var p modes.Process
	if err := json.Unmarshal([]byte(out), &p); err != nil {
		t.Fatal(err)
	}
	if p.Rows != 3000 || p.Columns != 5 || len(p.Modes) != 4 {
		t.Fatalf("printed %+v", p)
	}
	for _, f := range p.Modes {
		want := 3
		if f.Mode == "multiclass" {
			want = 15
		}
		if f.Trees != want || f.Leaves < 2 || f.Seconds <= 0 || f.Plain <= 0 || f.Repeats < 1 {
			t.Errorf("%+v", f)
		}
	}
	if _, _, err := run(t, "modetrain", "--folder", folder, "--only", "darts"); err == nil || !strings.Contains(err.Error(), `no mode "darts"`) {
		t.Errorf("an unknown mode: %v", err)
	}
}
