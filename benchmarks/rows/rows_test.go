package rows_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boost/benchmarks/rows"
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

func TestRead(t *testing.T) {
	got, err := rows.Read(events(t,
		"goos: linux\n", "=== RUN   BenchmarkA\n", "BenchmarkA/S1.20/threads=1\n",
		"BenchmarkA/S1.20/threads=1-2         \t", "       1\t9975370752 ns/op\t         5.174 ns/update\t        50.04 x_search\n",
		"--- FAIL: BenchmarkB/S0.19\n", "    bench_test.go:59: 2 cores are 1.46 times as fast as one, want 1.60\n",
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
	if _, err := rows.Read(events(t, "ok\n")); !errors.Is(err, rows.ErrEmpty) {
		t.Errorf("nothing ran: error %v", err)
	}
}

func TestDocument(t *testing.T) {
	r := rows.Record{Command: "make bench-rows", Results: []rows.Result{
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
