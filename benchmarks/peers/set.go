package peers

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/gzip"

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
		{Name: "columns-100", Kind: synth.Dense, Rows: 1_000_000, Columns: 100, Extra: true},
		{Name: "rows-10k", Kind: synth.Dense, Rows: 10_000, Columns: 20, Extra: true},
		{Name: "rows-10m", Kind: synth.Dense, Rows: 10_000_000, Columns: 28, Extra: true},
		{Name: "wide", Kind: synth.Dense, Rows: 50_000, Columns: 2_000, Extra: true},
		{Name: "airline", Kind: synth.Airline, Rows: 1_000_000, Columns: 8, Extra: true},
		{Name: "covertype", Kind: synth.Covertype, Rows: 400_000, Columns: 54, Extra: true},
	}
}

// Sets lists the real sets in a folder that have a task of ours and enough rows, by name, and the
// generated shapes after them. Where names are given it is those alone, whatever their rows.
func Sets(folder string, names ...string) ([]Set, error) {
	var sets []Set
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("the real data sets (set BOOST_SHARED to the folder above data): %w", err)
	}
	for _, e := range entries {
		if !e.IsDir() || len(names) > 0 && !slices.Contains(names, e.Name()) {
			continue
		}
		m, err := harness.ReadMeta(filepath.Join(folder, e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if m.IsTabular() && (m.TrainRows >= Least || len(names) > 0) {
			sets = append(sets, Set{Name: e.Name()})
		}
	}
	for _, shape := range Shapes() {
		if slices.Contains(names, shape.Name) || len(names) == 0 && !shape.Extra {
			sets = append(sets, Set{shape.Name, &shape})
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(sets, func(s Set) bool { return s.Name == name }) {
			return nil, fmt.Errorf("%s holds no regression, binary or multiclass set %q, and no shape has that name", folder, name)
		}
	}
	return sets, nil
}

// Prepare writes a real set's training part as plain text into a folder in the cache, unless it is
// there, and returns the folder.
func Prepare(set, cache string) (string, error) {
	source := filepath.Join(set, "train.csv.gz")
	sum, err := harness.SumOf(source)
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "text-"+filepath.Base(set)+"-"+sum[:8])
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
	return folder, replace.File(vfs.OS, text, func(out vfs.File) error { return inflate(source, out) })
}

func inflate(path string, out io.Writer) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read from
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	_, err = io.Copy(out, z)
	return err
}
