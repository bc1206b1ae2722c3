package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"boost/dataset"
)

// MetaFile is beside a table's files.
const MetaFile = "meta.json"

// Meta says what the columns of a table are for, as the meta.json of the data sets does.
type Meta struct {
	Task        string          `json:"task"`
	Label       json.RawMessage `json:"label"` // a survival set's is an object
	Weight      string          `json:"weight,omitempty"`
	Group       string          `json:"group,omitempty"`
	Categorical []string        `json:"categorical"`
	Ignore      []string        `json:"ignore"`
	Classes     []string        `json:"label_classes,omitempty"`
	Columns     []string        `json:"columns"`
	TrainRows   int             `json:"rows_train"`
	TestRows    int             `json:"rows_test,omitempty"`
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

// Tabular lists the folders of the regression, binary and multiclass sets under folder, by name. Where
// names are given it is those alone, and one that is not there is an error.
func Tabular(folder string, names ...string) (sets []string, metas []*Meta, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, nil, fmt.Errorf("the real data sets (set BOOST_SHARED to the folder above data): %w", err)
	}
	var found []string
	for _, e := range entries {
		if !e.IsDir() || len(names) > 0 && !slices.Contains(names, e.Name()) {
			continue
		}
		m, err := ReadMeta(filepath.Join(folder, e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if slices.Contains([]string{"regression", "binary", "multiclass"}, m.Task) {
			found = append(found, e.Name())
			sets, metas = append(sets, filepath.Join(folder, e.Name())), append(metas, m)
		}
	}
	for _, name := range names {
		if !slices.Contains(found, name) {
			return nil, nil, fmt.Errorf("%s holds no regression, binary or multiclass set %q", folder, name)
		}
	}
	return sets, metas, nil
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
	var label struct{ Time, Event string } // of a survival set
	var into any = &label
	if m.Task != "survival" {
		into = &label.Time
	}
	if err := json.Unmarshal(m.Label, into); err != nil {
		return nil, fmt.Errorf("label in %s: %w", MetaFile, err)
	}
	options := []dataset.Option{dataset.Label(label.Time), dataset.MissingOnly("")}
	if label.Event != "" {
		options = append(options, dataset.Event(label.Event))
	}
	if m.Group != "" {
		options = append(options, dataset.Group(m.Group))
	}
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
