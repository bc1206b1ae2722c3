package accuracy

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"boost/benchmarks/harness"
	"boost/dataset"
)

// The trainers that we stand beside, in the order of the tables.
var peerNames = []string{"lightgbm", "xgboost", "sklearn"}

const yardstick = "lightgbm" // whose geometric mean is bounded

// largeTest is the number of test rows from which one figure says enough.
const largeTest = 2000

// Set is one data set: where it is, what its columns are for, what the peers reach.
type Set struct {
	harness.Meta
	Name      string
	Folder    string
	Rounds    int
	Reference Reference

	options []dataset.Option
}

// Metric names the loss as reference.json does.
func (s *Set) Metric() string {
	name := map[string]string{"regression": "rmse", "binary": "binary_logloss", "multiclass": "multi_logloss"}[s.Task]
	if s.Weight != "" {
		name += "_weighted"
	}
	return name
}

// Train and Test return the paths of the set's parts.
func (s *Set) Train() string { return filepath.Join(s.Folder, "train.csv.gz") }

// Test returns the path of the part that is read for the final figure only.
func (s *Set) Test() string { return filepath.Join(s.Folder, "test.csv.gz") }

// commonRounds are those of every set in reference.json but the exceptions there.
const commonRounds = 200

var roundExceptions = map[string]int{"kddcup99_10pct": 30}

// Sets reads every regression, binary and multiclass set under folder, by name. Where
// names are given it is those alone, and one that is not there is an error.
func Sets(folder string, names ...string) ([]*Set, error) {
	reference := map[string]map[string]json.RawMessage{}
	text, err := os.ReadFile(filepath.Join(folder, "reference.json"))
	if err != nil {
		return nil, fmt.Errorf("reference losses (set BOOST_SHARED to the folder above data): %w", err)
	}
	if err := json.Unmarshal(text, &reference); err != nil {
		return nil, fmt.Errorf("reference.json: %w", err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var sets []*Set
	for _, e := range entries {
		if !e.IsDir() || len(names) > 0 && !slices.Contains(names, e.Name()) {
			continue
		}
		s, err := readSet(filepath.Join(folder, e.Name()), reference[e.Name()])
		if err != nil {
			return nil, fmt.Errorf("data set %s: %w", e.Name(), err)
		}
		if s != nil {
			sets = append(sets, s)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(sets, func(s *Set) bool { return s.Name == name }) {
			return nil, fmt.Errorf("%s holds no regression, binary or multiclass set %q", folder, name)
		}
	}
	return sets, nil
}

var errNoReference = errors.New("reference.json lacks its loss")

// readSet returns nil for a set of another task.
func readSet(folder string, reference map[string]json.RawMessage) (*Set, error) {
	m, err := harness.ReadMeta(folder)
	if err != nil || !m.IsTabular() {
		return nil, err
	}
	s := &Set{
		Meta: *m, Name: filepath.Base(folder), Folder: folder, Rounds: commonRounds,
	}
	s.Reference = Reference{Metric: s.Metric(), TestRows: s.TestRows, Peers: map[string]float64{}}
	if s.options, err = m.Options(); err != nil {
		return nil, err
	}
	if n, is := roundExceptions[s.Name]; is {
		s.Rounds = n
	}
	if s.Reference.Constant, err = referenceLoss(reference, "constant", s.Metric()); err != nil {
		return nil, err
	}
	for _, peer := range peerNames {
		if s.Reference.Peers[peer], err = referenceLoss(reference, peer, s.Metric()); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func referenceLoss(reference map[string]json.RawMessage, program, metric string) (float64, error) {
	var losses map[string]float64
	if raw, ok := reference[program]; ok {
		if err := json.Unmarshal(raw, &losses); err != nil {
			return 0, fmt.Errorf("reference.json, %s: %w", program, err)
		}
	}
	loss, ok := losses[metric]
	if !ok {
		return 0, fmt.Errorf("%w: %s of %s", errNoReference, metric, program)
	}
	return loss, nil
}
