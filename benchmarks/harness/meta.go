package harness

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"boost/dataset"
)

// MetaFile is beside a table's files.
const MetaFile = "meta.json"

// Meta says what the columns of a table are for, as the meta.json of the data sets does.
type Meta struct {
	Task        string          `json:"task"`
	Label       json.RawMessage `json:"label"` // a survival set's is an object
	Weight      string          `json:"weight,omitempty"`
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

// IsTabular reports whether the task is regression or classification.
func (m *Meta) IsTabular() bool {
	return m.Task == "regression" || m.Task == "binary" || m.Task == "multiclass"
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
