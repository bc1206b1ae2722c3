package accuracy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boost/benchmarks/accuracy"
)

// shared returns the folder of the real data sets, or skips the test where this
// checkout has none.
func shared(t testing.TB) string {
	t.Helper()
	folder := os.Getenv("BOOST_SHARED")
	if folder == "" {
		t.Skip("BOOST_SHARED is not set: the real data sets are not here")
	}
	return filepath.Join(folder, "data")
}

func TestSetsOfTheCollection(t *testing.T) {
	sets, err := accuracy.Sets(shared(t))
	if err != nil {
		t.Fatal(err)
	}
	// README of the collection: 11 binary, 9 multiclass, 12 regression sets.
	tasks, byName := map[string]int{}, map[string]*accuracy.Set{}
	for _, s := range sets {
		tasks[s.Task]++
		byName[s.Name] = s
	}
	if tasks["binary"] != 11 || tasks["multiclass"] != 9 || tasks["regression"] != 12 {
		t.Errorf("sets by task: %v", tasks)
	}
	if s := byName["kddcup99_10pct"]; s.Rounds != 30 {
		t.Errorf("kddcup99_10pct has %d rounds, want 30", s.Rounds)
	}
	if s := byName["nass_cds"]; s.Metric() != "binary_logloss_weighted" || s.Reference.Peers["lightgbm"] != 0.03312 || s.Reference.Constant != 0.037384 {
		t.Errorf("nass_cds: %s, %+v", s.Metric(), s)
	}
	if s := byName["titanic"]; s.Reference.Large() || s.Ignore[0] != "name" || s.Rounds != 200 {
		t.Errorf("titanic: %+v", s)
	}
	for _, name := range accuracy.PrecisionSets {
		if s := byName[name]; s == nil || !s.Reference.Large() {
			t.Errorf("S2.28 asks for sets of 2,000 test rows; %s is none: %+v", name, s)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestSetsRefuses(t *testing.T) {
	const whole = `{"a": {"constant": {"rmse": 2}, "lightgbm": {"rmse": 1}, "xgboost": {"rmse": 1}, "sklearn": {"rmse": 1}}}`
	const regression = `{"task": "regression", "label": "y"}`
	for name, c := range map[string]struct {
		reference, meta string
		names           []string
		want            string
	}{
		"no reference":   {"", regression, nil, "BOOST_SHARED"},
		"broken":         {"{", regression, nil, "reference.json"},
		"no loss":        {`{"a": {"constant": {"rmse": 2}}}`, regression, nil, "rmse of lightgbm"},
		"label missing":  {whole, `{"task": "regression"}`, nil, "label"},
		"unknown set":    {whole, regression, []string{"b"}, `"b"`},
		"of other task":  {whole, `{"task": "survival", "label": {"time": "t"}}`, []string{"a"}, `"a"`},
		"meta is broken": {whole, `{"task"`, nil, "meta.json"},
	} {
		folder := t.TempDir()
		if c.reference != "" {
			write(t, filepath.Join(folder, "reference.json"), c.reference)
		}
		write(t, filepath.Join(folder, "a", "meta.json"), c.meta)
		if _, err := accuracy.Sets(folder, c.names...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}
