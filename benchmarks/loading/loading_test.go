package loading_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boost/benchmarks/harness"
	"boost/benchmarks/loading"
	"boost/dataset"
)

// The test binary plays the readers: it prints what the real ones would.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		os.Exit(read(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// read is `SELF read --reader boost|inflate …` or `PYTHON SCRIPT READER …`, where the
// tests pass this binary as both.
func read(args []string) int {
	switch {
	case args[0] == "read":
		fmt.Println(`{"version": "boost (fake)", "seconds": 1, "cpu_seconds": 0.5, "base_bytes": 0, "column_bytes": 4000000, "widest_bytes": 1000000}`)
	case args[1] == "pandas":
		return 3
	case args[1] == "scikit-learn":
		fmt.Fprintln(os.Stderr, "no such format")
		return 1
	case args[1] == "lightgbm" && os.Getenv("OMP_WAIT_POLICY") == "ACTIVE":
		fmt.Println(`{"version": "lightgbm fake", "seconds": 1.25, "cpu_seconds": 2}`)
	default:
		fmt.Println(`{"version": "pyarrow fake", "seconds": 1.5, "cpu_seconds": 0.4}`)
	}
	return 0
}

func commands() loading.Commands {
	return loading.Commands{Self: os.Args[0], Python: os.Args[0], Script: "script"}
}

func generate(t *testing.T, rows int) string {
	t.Helper()
	folder, err := loading.Generate(t.TempDir(), rows, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestGeneratedTablesAreRead(t *testing.T) {
	cache := t.TempDir()
	var words bytes.Buffer
	var folder string
	for range 2 {
		var err error
		if folder, err = loading.Generate(cache, 300, &words); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Count(words.String(), "making") != 1 {
		t.Errorf("tables that are there are made again:\n%s", &words)
	}
	columns := map[string]int{loading.FloatsCSV: 28, loading.ShortCSV: 28, loading.StringsCSV: 10, loading.FloatsGzip: 28, loading.FloatsZstd: 28}
	for file, want := range columns {
		table, err := dataset.Open(context.Background(), filepath.Join(folder, file), dataset.ID(loading.IDColumn))
		if file != loading.StringsCSV {
			table, err = dataset.Open(context.Background(), filepath.Join(folder, file))
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(table.Columns()) != want || table.NumRows() != 300 {
			t.Errorf("%s: %d columns, %d rows, want %d and 300", file, len(table.Columns()), table.NumRows(), want)
		}
	}
	strings := map[string]dataset.Kind{"id": dataset.Text, "number": dataset.Float32, "share": dataset.Float64, "s50": dataset.Category}
	table, err := dataset.Open(context.Background(), filepath.Join(folder, loading.StringsCSV), dataset.ID(loading.IDColumn))
	if err != nil {
		t.Fatal(err)
	}
	for name, kind := range strings {
		if c := table.Column(name); c.Kind() != kind || kind != dataset.Text && c.Missing() == 0 {
			t.Errorf("%s is %v with %d gaps, want %v with some", name, c.Kind(), c.Missing(), kind)
		}
	}
}

// TestSVMLines checks the lines by their definition: label, then index:value with
// ascending indices from 1.
func TestSVMLines(t *testing.T) {
	f, err := os.Open(filepath.Join(generate(t, 100), loading.SVM))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	lines := 0
	for s := bufio.NewScanner(f); s.Scan(); lines++ {
		fields := strings.Fields(s.Text())
		if fields[0] != "0" && fields[0] != "1" || len(fields) < 30 {
			t.Fatalf("line %d: %q", lines+1, s.Text())
		}
		last := 0
		for _, field := range fields[1:] {
			var index int
			var value float64
			if n, err := fmt.Sscanf(field, "%d:%g", &index, &value); n != 2 || err != nil || index <= last || index > 2000 {
				t.Fatalf("line %d: %q after index %d (%v)", lines+1, field, last, err)
			}
			last = index
		}
	}
	if lines != 20 {
		t.Errorf("%d lines, want a fifth of 100", lines)
	}
}

func TestMeasure(t *testing.T) {
	folder := generate(t, 30)
	var words bytes.Buffer
	r, err := loading.Measure(context.Background(), commands(), folder, []string{loading.FloatsCSV, loading.FloatsParquet}, 2, &words)
	if err != nil {
		t.Fatal(err)
	}
	if left := strings.Join(r.Left, "; "); !strings.Contains(left, "pandas on floats.csv: not installed") || !strings.Contains(left, "all on floats.parquet") {
		t.Errorf("left out: %q", left)
	}
	var table bytes.Buffer
	r.Table(&table)
	got := map[string]string{}
	for _, v := range r.Verdicts() {
		got[fmt.Sprint(v.File, " ", v.Reader, " ", v.Threads)] = fmt.Sprint(v.Ratio, " ", v.Passes())
	}
	// With one thread processor seconds decide: 0.4 / 0.5; with two those of the clock: 1.5 / 1.
	want := map[string]string{"floats.csv pyarrow 1": "0.8 false", "floats.csv pyarrow 2": "1.5 true"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("verdicts %v, want %v\n%s", got, want, &table)
	}
	// LightGBM reads once with each way of waiting, and the better one is named.
	if want := "| floats.csv      | lightgbm, active   |       2 |   1.250 |"; !strings.Contains(table.String(), want) {
		t.Errorf("no %q in\n%s", want, &table)
	}
	// Columns, the widest again, and two chunks of 1 MiB of text and one as large of cells each.
	if allowed := loading.Allowed(4_000_000, 1_000_000, 1); allowed != 5_000_000+4<<20 {
		t.Errorf("allowed memory %d", allowed)
	}
	if at := strings.Index(words.String(), "2/2 floats.csv       boost"); at < 0 || at < strings.Index(words.String(), "1/2 floats.csv       lightgbm") {
		t.Errorf("readers do not take turns:\n%s", &words)
	}
}

func TestMeasureFails(t *testing.T) {
	_, err := loading.Measure(context.Background(), commands(), generate(t, 30), []string{loading.SVM}, 1, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "scikit-learn on sparse.svm") || !strings.Contains(err.Error(), "no such format") {
		t.Errorf("a peer that fails: error %v", err)
	}
}

func TestRecordIsKept(t *testing.T) {
	r, err := loading.Measure(context.Background(), commands(), generate(t, 30), []string{loading.ShortCSV}, 1, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	path, document := filepath.Join(folder, "results", "loading.json"), filepath.Join(folder, "performance.md")
	if err := os.WriteFile(document, []byte("# Speed\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := harness.Write(path, r); err != nil {
			t.Fatal(err)
		}
		if err := r.UpdateDocument(document, path); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var kept loading.Record
	if err := json.Unmarshal(b, &kept); err != nil || len(kept.Read) != len(r.Read) {
		t.Errorf("%+v, error %v", kept, err)
	}
	for path, want := range map[string]struct {
		begin    string
		readings int
	}{document: {"# Speed\n", 0}, loading.DetailsPath(path): {"", 2}} {
		text, err := os.ReadFile(path)
		if err != nil || strings.Count(string(text), "| short.csv       | boost ") != want.readings ||
			strings.Count(string(text), "| bar ") != 1 || !strings.HasPrefix(string(text), want.begin) {
			t.Errorf("%s, error %v:\n%s", path, err, text)
		}
	}
}

func TestEveryBarIsRun(t *testing.T) {
	for _, bar := range loading.Bars() {
		found := 0
		for _, r := range loading.Readings(bar.File) {
			if r.Threads == bar.Threads && (r.Reader == bar.Reader || r.Reader == loading.Boost) {
				found++
			}
		}
		if found != 2 {
			t.Errorf("%+v: %d of its two readers run", bar, found)
		}
	}
}
