package accuracy

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"boost/benchmarks/harness"
	"boost/booster"
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

	// Of a case (cases.go); a set as it is leaves them empty.
	objective, metric string
	rate              float64
	change            func(p *booster.Params)
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

// Sets reads every regression, binary and multiclass set under folder, by name, and what the peers reach on it. Where
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
	sets, err := SetsAlone(folder, names...)
	if err != nil {
		return nil, err
	}
	for _, s := range sets {
		if err := s.refer(reference[s.Name]); err != nil {
			return nil, fmt.Errorf("data set %s: %w", s.Name, err)
		}
	}
	return sets, nil
}

// SetsAlone is Sets without what the peers reach, for folders that have no reference.json.
func SetsAlone(folder string, names ...string) ([]*Set, error) {
	folders, metas, err := harness.Tabular(folder, names...)
	if err != nil {
		return nil, err
	}
	var sets []*Set
	for i, m := range metas {
		s := &Set{Meta: *m, Name: filepath.Base(folders[i]), Folder: folders[i], Rounds: commonRounds}
		if s.options, err = m.Options(); err != nil {
			return nil, fmt.Errorf("data set %s: %w", s.Name, err)
		}
		if n, is := roundExceptions[s.Name]; is {
			s.Rounds = n
		}
		sets = append(sets, s)
	}
	return sets, nil
}

// refer reads what the peers reach on the set from its part of reference.json.
func (s *Set) refer(reference map[string]json.RawMessage) error {
	s.Reference = Reference{Metric: s.Metric(), TestRows: s.TestRows, Peers: map[string]float64{}}
	var err error
	if s.Reference.Constant, err = referenceLoss(reference, "constant", s.Metric()); err != nil {
		return err
	}
	for _, peer := range peerNames {
		if s.Reference.Peers[peer], err = referenceLoss(reference, peer, s.Metric()); err != nil {
			return err
		}
	}
	return nil
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
		return 0, fmt.Errorf("reference.json lacks its loss: %s of %s", metric, program)
	}
	return loss, nil
}
