package harness_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"boost/benchmarks/harness"
)

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new folder", "figures.json")
	for _, value := range []map[string]int{{"a": 1}, {"b": 22}} {
		if err := harness.Write(path, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := harness.Write(path, math.NaN()); err == nil {
		t.Error("JSON has no NaN, and nobody said so")
	}
	got, err := os.ReadFile(path)
	if want := "{\n \"b\": 22\n}\n"; err != nil || string(got) != want {
		t.Errorf("the file holds %q, want %q: %v", got, want, err)
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Errorf("%d files are left, want one: %v", len(files), err)
	}
}
