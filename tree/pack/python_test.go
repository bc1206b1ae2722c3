//go:build !wasm

package pack_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"boost/internal/testenv"
)

// TestInteropPython has Python, its standard library alone, read what this package writes: a
// second reader, written from docs/format.md.
func TestInteropPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	testenv.Machine(t, err == nil, "python3")
	script := filepath.Join("..", "..", "benchmarks", "python", "interop_trees.py")
	files, err := filepath.Glob(filepath.Join("testdata", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no kept files: %v", err)
	}
	folder := t.TempDir()
	save := func(name string, k kept) string {
		text, err := json.Marshal(k)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(folder, strings.ReplaceAll(name, ",", "")+".json")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for _, s := range samples(123) {
		if s.features != nil && s.features[0].Regular == 100_000 { // these take it minutes
			continue
		}
		if len(s.trees) > 10 {
			s.trees = s.trees[:10]
		}
		files = append(files, save(s.name, keep(s)))
	}
	t.Run("S3.57/reads", func(t *testing.T) {
		if words, err := exec.Command(python, append([]string{script}, files...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, words[max(len(words)-2000, 0):])
		}
	})
	// It notices what is not so.
	t.Run("S3.57/tells", func(t *testing.T) {
		s := keptSamples()[1]
		k := keep(s)
		k.Trees[1].MissingLeft[0] ^= 1
		if words, err := exec.Command(python, script, save("other", k)).CombinedOutput(); err == nil || !strings.Contains(string(words), "not the trees") {
			t.Errorf("another tree passed: %v\n%s", err, words[max(len(words)-500, 0):])
		}
	})
}
