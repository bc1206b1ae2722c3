package peers

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"boost/benchmarks/harness"
	"boost/benchmarks/synth"
	"boost/internal/replace"
	"boost/internal/vfs"
)

// Least is the number of training rows from which a real set is taken.
const Least = 900

// Set is one table to measure: a real set, or a generated shape.
type Set struct {
	Name  string
	Shape *Shape // nil for a real set
}

// Shape is a generated table.
type Shape struct {
	Name, Kind    string
	Rows, Columns int
	Extra         bool // measured only where it is named
}

// Shapes lists the generated tables.
func Shapes() []Shape {
	return []Shape{
		{Name: "counts", Kind: synth.Counts, Rows: 50_000, Columns: 93},
		{Name: "zero-heavy", Kind: synth.ZeroHeavy, Rows: 400_000, Columns: 28},
		{Name: "flags", Kind: synth.Flags, Rows: 3_400, Columns: 376},
		{Name: "dense-continuous", Kind: synth.Continuous, Rows: 800_000, Columns: 28},
		{Name: "dense", Kind: synth.Dense, Rows: 1_000_000, Columns: 28, Extra: true},
	}
}

// Sets lists the real sets in a folder that have a task of ours and enough rows, by name, and the
// generated shapes after them. Where names are given it is those alone, whatever their rows.
func Sets(folder string, names ...string) ([]Set, error) {
	var sets []Set
	isShape := func(name string) bool {
		return slices.ContainsFunc(Shapes(), func(s Shape) bool { return s.Name == name })
	}
	real := slices.DeleteFunc(slices.Clone(names), isShape)
	if len(names) == 0 || len(real) > 0 {
		folders, metas, err := harness.Tabular(folder, real...)
		if err != nil {
			return nil, err
		}
		for i, m := range metas {
			if m.TrainRows >= Least || len(names) > 0 {
				sets = append(sets, Set{Name: filepath.Base(folders[i])})
			}
		}
	}
	for _, shape := range Shapes() {
		if slices.Contains(names, shape.Name) || len(names) == 0 && !shape.Extra {
			sets = append(sets, Set{shape.Name, &shape})
		}
	}
	return sets, nil
}

// Prepare writes a real set's training part as plain text into a folder in the cache, unless it is
// there, and returns the folder.
func Prepare(set, cache string) (string, error) {
	source := filepath.Join(set, "train.csv.gz")
	packed, err := os.ReadFile(source)
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, fmt.Sprintf("text-%s-%.4x", filepath.Base(set), sha256.Sum256(packed)))
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", err
	}
	meta, err := os.ReadFile(filepath.Join(set, harness.MetaFile))
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(folder, harness.MetaFile), meta, 0o666); err != nil {
		return "", err
	}
	text := filepath.Join(folder, synth.TrainCSV)
	if _, err := os.Stat(text); err == nil {
		return folder, nil
	}
	return folder, replace.File(vfs.OS, text, func(out vfs.File) error { return harness.Unpack(source, out) })
}
