package real

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/gzip"

	"boost/benchmarks/record"
	"boost/benchmarks/synth"
	"boost/dataset"
	"boost/internal/replace"
)

// The files of a prepared table in its folder.
const (
	TextFile = "train.csv"
	MetaFile = "meta.json"
)

// Least is the number of training rows from which a real set is taken.
const Least = 900

// Meta says what the columns of a table are for, as the meta.json of the data sets does.
type Meta struct {
	Task        string          `json:"task"`
	Label       json.RawMessage `json:"label"` // a survival set's is an object
	Weight      string          `json:"weight,omitempty"`
	Categorical []string        `json:"categorical"`
	Ignore      []string        `json:"ignore"`
	Classes     []string        `json:"label_classes,omitempty"`
	Columns     []string        `json:"columns"`
	Rows        int             `json:"rows_train"`
}

// ReadMeta reads the meta.json in a folder.
func ReadMeta(folder string) (*Meta, error) {
	path := filepath.Join(folder, MetaFile)
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m := &Meta{}
	if err := json.Unmarshal(b, m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// Outputs returns how many trees a round grows.
func (m *Meta) Outputs() int {
	if m.Task == "multiclass" {
		return len(m.Classes)
	}
	return 1
}

// Options are those that boost opens the table with.
func (m *Meta) Options() ([]dataset.Option, error) {
	var label string
	if err := json.Unmarshal(m.Label, &label); err != nil {
		return nil, fmt.Errorf("label in %s: %w", MetaFile, err)
	}
	options := []dataset.Option{dataset.Label(label), dataset.Missing("")}
	if m.Weight != "" {
		options = append(options, dataset.Weight(m.Weight))
	}
	if len(m.Ignore) > 0 {
		options = append(options, dataset.Ignore(m.Ignore...))
	}
	if len(m.Categorical) > 0 {
		options = append(options, dataset.Categorical(m.Categorical...))
	}
	return options, nil
}

// Set is one table to measure: a real set, or a generated shape.
type Set struct {
	Name  string
	Shape *Shape // nil for a real set
}

// Shape is a generated table.
type Shape struct {
	Name, Kind, Task string
	Rows, Columns    int
}

// Shapes lists the generated tables.
func Shapes() []Shape {
	return []Shape{
		{"counts", synth.Counts, "multiclass", 50_000, 93},
		{"zero-heavy", synth.ZeroHeavy, "binary", 400_000, 28},
		{"flags", synth.Flags, "regression", 3_400, 376},
		{"dense-continuous", synth.Continuous, "binary", 800_000, 28},
	}
}

// Sets lists the real sets in a folder that have a task of ours and enough rows, by name, and the
// generated shapes after them. Where names are given it is those alone, whatever their rows.
func Sets(folder string, names ...string) ([]Set, error) {
	var sets []Set
	wanted := func(name string) bool { return len(names) == 0 || slices.Contains(names, name) }
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("the real data sets (set BOOST_SHARED to the folder above data): %w", err)
	}
	for _, e := range entries {
		if !e.IsDir() || !wanted(e.Name()) {
			continue
		}
		m, err := ReadMeta(filepath.Join(folder, e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if slices.Contains([]string{"regression", "binary", "multiclass"}, m.Task) && (m.Rows >= Least || len(names) > 0) {
			sets = append(sets, Set{Name: e.Name()})
		}
	}
	for _, shape := range Shapes() {
		if wanted(shape.Name) {
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
	sum, err := sumOf(source)
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "text-"+filepath.Base(set)+"-"+sum[:8])
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", err
	}
	meta, err := os.ReadFile(filepath.Join(set, MetaFile))
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(folder, MetaFile), meta, 0o666); err != nil {
		return "", err
	}
	text := filepath.Join(folder, TextFile)
	if _, err := os.Stat(text); err == nil {
		return folder, nil
	}
	return folder, replace.File(text, func(out *os.File) error { return inflate(source, out) })
}

func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // only read from
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
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

// Describe writes the meta.json of a generated table into its folder.
func (s *Shape) Describe(folder string) error {
	m := Meta{Task: s.Task, Label: json.RawMessage(`"` + synth.Label + `"`), Categorical: []string{}, Ignore: []string{}, Rows: s.Rows}
	for f := range s.Columns {
		m.Columns = append(m.Columns, fmt.Sprintf("f%d", f))
	}
	m.Columns = append(m.Columns, synth.Label)
	if classes := synth.Classes(s.Kind); classes > 1 {
		for class := range classes {
			m.Classes = append(m.Classes, fmt.Sprint(class))
		}
	}
	return record.Write(filepath.Join(folder, MetaFile), m)
}
