package parts_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boost/benchmarks/harness"
	"boost/benchmarks/parts"
)

// events makes the stream that go test -json prints of these outputs.
func events(t *testing.T, outputs ...string) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	for _, text := range outputs {
		if err := json.NewEncoder(&b).Encode(map[string]string{"Action": "output", "Package": "boost/p", "Output": text}); err != nil {
			t.Fatal(err)
		}
	}
	return &b
}

func TestReadBenchmarks(t *testing.T) {
	got, err := parts.Read(events(t,
		"goos: linux\n", "=== RUN   BenchmarkA\n", "BenchmarkA/S1.20/threads=1\n",
		"BenchmarkA/S1.20/threads=1-2         \t", "       1\t9975370752 ns/op\t         5.174 ns/update\t        50.04 x_search\n",
		"=== RUN   BenchmarkB\n", "BenchmarkB\n", "    bench_test.go:30: what the whole says\n", "=== RUN   BenchmarkB/S0.19\n", "BenchmarkB/S0.19\n",
		"    bench_test.go:59: 2 cores are 1.46 times as fast as one, want 1.60\n", "--- FAIL: BenchmarkB/S0.19\n",
		"--- FAIL: BenchmarkB\n", "FAIL\n"))
	if err != nil || len(got) != 2 {
		t.Fatalf("%+v, error %v", got, err)
	}
	if a := got[0]; a.Name != "A/S1.20/threads=1" || len(a.Figures) != 2 || a.Figures["x_search"] != 50.04 || a.Failed != nil {
		t.Errorf("%+v", a)
	}
	if b := got[1]; b.Name != "B/S0.19" || !slices.Equal(b.Failed, []string{"2 cores are 1.46 times as fast as one, want 1.60"}) {
		t.Errorf("%+v", b)
	}
	if _, err := parts.Read(events(t, "ok\n")); !errors.Is(err, parts.ErrEmpty) {
		t.Errorf("nothing ran: error %v", err)
	}
}

func TestBenchmarksDocument(t *testing.T) {
	r := parts.Benchmarks{Command: "make bench-rows", Results: []parts.Result{
		{Name: "A/S1.20", Figures: map[string]float64{"x_search": 50.04}}, {Name: "B/S0.19", Failed: []string{"too slow"}},
	}}
	document := filepath.Join(t.TempDir(), "performance.md")
	if err := os.WriteFile(document, []byte("# Performance\n\nwords\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := r.UpdateDocument(document); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"words\n", "| `A/S1.20` | x search 50.04 |  |", "| `B/S0.19` |  | missed: too slow |"} {
		if strings.Count(string(text), want) != 1 {
			t.Errorf("%q should stand there once:\n%s", want, text)
		}
	}
}

// What a run leaves out stays as it was recorded, with the machine of that run.
func TestBenchmarksKeep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parts.json")
	result := func(name string, x float64) parts.Result {
		return parts.Result{Name: name, Figures: map[string]float64{"x": x}}
	}
	var all *parts.Benchmarks
	for i, results := range [][]parts.Result{
		{result("A/S1.1/one", 1), result("A/S1.1/two", 2), result("B/S1.2", 3), result("C/S1.3", 4)},
		{result("B/S1.2", 5), result("C/S1.3", 6)},
		{result("C/S1.3", 7), result("D/S1.4", 8)},
	} {
		all = &parts.Benchmarks{Machine: harness.Machine{Commit: "run " + string(rune('1'+i))}, Command: "make", Results: results}
		if err := all.Keep(path); err != nil {
			t.Fatal(err)
		}
		if err := harness.Write(path, &all); err != nil {
			t.Fatal(err)
		}
	}
	document := filepath.Join(t.TempDir(), "performance.md")
	if err := all.UpdateDocument(document); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for l := range strings.Lines(string(text)) {
		if _, commit, ok := strings.Cut(l, "commit run "); ok {
			got = append(got, commit[:1])
		} else if strings.HasPrefix(l, "| `") {
			got = append(got, strings.Fields(l)[1]+strings.Fields(l)[4])
		}
	}
	want := []string{"3", "`C/S1.3`7", "`D/S1.4`8", "2", "`B/S1.2`5", "1", "`A/S1.1/one`1", "`A/S1.1/two`2"}
	if !slices.Equal(got, want) {
		t.Errorf("runs and figures %q, want %q", got, want)
	}
}
