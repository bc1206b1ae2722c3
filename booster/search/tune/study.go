package tune

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"boost/booster"
	"boost/booster/internal/holdout"
	"boost/booster/search"
	"boost/dataset"
	"boost/internal/cpu"
	"boost/internal/rng"
	"boost/internal/vfs"
	"boost/parallel"
)

// A study is a file of JSON lines: the first says what is searched, each of the others is a trial. A line is on the disk
// before the next trial begins. What a crash left of a last line is cut off.
type study struct {
	path string
	file vfs.File
	end  int64
}

// first is the first line of a study.
type first struct {
	Version int               `json:"boost_study"`
	Search  map[string]string `json:"search"` // what decides the trials, as texts
}

// line is a trial in a study.
type line struct {
	Trial     int               `json:"trial"`
	Values    map[string]string `json:"values"`
	State     State             `json:"state"`
	Metric    string            `json:"metric"`
	Value     *float64          `json:"value"` // null for a failed one
	Deviation float64           `json:"sd"`
	Folds     []float64         `json:"folds,omitempty"`
	Best      int               `json:"best_round"`
	Rounds    int               `json:"rounds"`
	Bracket   int               `json:"bracket"`
	Rungs     []float64         `json:"rungs,omitempty"`
	Seconds   float64           `json:"seconds"`
	Error     string            `json:"error,omitempty"`
}

// describe returns what decides the trials. Studies of older versions may have what older says instead, "" where they lack it and it
// follows from the rest.
func (s *searcher) describe(table *dataset.Table) (d, older map[string]string) {
	pool := parallel.NewPool(max(1, cpu.Threads()))
	defer pool.Close()
	folds, by := s.judge.Folds()
	d = map[string]string{
		"table": table.Fingerprint(pool), "rows": strconv.Itoa(table.NumRows()), "sampler": s.Sampler, "pruning": strconv.FormatBool(!s.NoPrune),
		"seed": strconv.FormatUint(s.Seed, 10), "folds": fmt.Sprintf("%d of %d, %s", len(folds), s.Folds*max(s.Repeats, 1), by),
		"held_out": number(s.HeldOut), "columns of folds": strings.Trim(s.GroupBy+" "+s.Time, " "), "columns": strconv.Itoa(len(table.Columns())),
		rowsOfFolds: identity(folds),
	}
	for _, c := range table.LabelColumns() {
		d["label"] = strings.TrimSpace(d["label"] + " " + c.Name())
	}
	space := make([]string, len(s.Space))
	for i := range space {
		space[i] = s.Space[i].String()
	}
	d["space"] = strings.Join(space, "  ")
	base, usual := s.base, booster.Defaults()
	older = map[string]string{"label": "", "columns": ""}
	settings, defaults := booster.Settings(&base), booster.Settings(&usual)
	for i := range settings {
		value := reflect.ValueOf(settings[i].Value).Elem()
		if text := fmt.Sprint(value); !settings[i].Run && text != fmt.Sprint(reflect.ValueOf(defaults[i].Value).Elem()) {
			d[settings[i].Name] = text
			if value.Kind() == reflect.Map {
				d[settings[i].Name], older[settings[i].Name] = entries(value), text
			}
		}
	}
	if s.dividesAlike(table) {
		older[rowsOfFolds] = ""
	}
	return d, older
}

// entries writes a setting by name, as of columns or classes, in the order of the names.
func entries(table reflect.Value) string {
	var texts []string
	for key, value := range table.Seq2() {
		texts = append(texts, cmp.Or(key.String(), "balanced")+" = "+fmt.Sprint(value))
	}
	slices.Sort(texts)
	return strings.Join(texts, ", ")
}

// rowsOfFolds is the name of the number that tells divisions of one table apart. Studies of older versions lack it.
const rowsOfFolds = "rows of the folds"

// identity returns a number that other folds hardly have.
func identity(folds []search.Fold) string {
	h := uint64(len(folds))
	for _, f := range folds {
		h = rng.Mix(h ^ (&holdout.Lists{Train: f.Train, Valid: f.Valid}).Identity())
	}
	return strconv.FormatUint(h, 16)
}

// dividesAlike reports whether the rows of the folds follow from what studies of older versions say: the hash of the table,
// which has all columns but ids, and the product of folds and repeats.
func (s *searcher) dividesAlike(table *dataset.Table) bool {
	if c := table.Column(s.GroupBy + s.Time); c != nil && c.Role() == dataset.IDRole {
		return false
	}
	return s.Time != "" || big.NewInt(int64(s.Folds*max(s.Repeats, 1))).ProbablyPrime(0) // exact below 2⁶⁴
}

// mostTelling returns the names of what describes a search, first those of which others follow, last the hash of the table
// and the rows of the folds.
func mostTelling(d map[string]string) []string {
	order := []string{"label", "train.objective", "columns", "rows"}
	rank := func(name string) int {
		if last := slices.Index([]string{"table", rowsOfFolds}, name); last >= 0 {
			return len(order) + 1 + last
		}
		if i := slices.Index(order, name); i >= 0 {
			return i
		}
		return len(order)
	}
	return slices.SortedFunc(maps.Keys(d), func(a, b string) int { return cmp.Or(rank(a)-rank(b), cmp.Compare(a, b)) })
}

// openStudy opens a study, or begins one, and returns its trials. known and older are those of describe.
func openStudy(path string, known, older map[string]string, space Space) (*study, []Trial, error) {
	file, err := vfs.OS.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, nil, err
	}
	s := &study{path: path, file: file}
	trials, err := s.read(known, older, space)
	if err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, trials, nil
}

func (s *study) close() error { return s.file.Close() }

// read reads the trials of a study, and makes it ready for the next one.
func (s *study) read(known, older map[string]string, space Space) ([]Trial, error) {
	if err := s.file.TryLock(); errors.Is(err, vfs.ErrBusy) {
		return nil, fmt.Errorf("%w: give each search a study of its own", err)
	} else if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(s.file)
	if err != nil {
		return nil, err
	}
	head, err := json.Marshal(first{Version: 1, Search: known})
	if err != nil {
		return nil, err
	}
	head = append(head, '\n')
	if bytes.HasPrefix(head, content) && len(content) < len(head) { // also of a crash in the first line
		if err := s.write(head); err != nil {
			return nil, err
		}
		return nil, vfs.OS.SyncDir(filepath.Dir(s.path))
	}
	top, rest, whole := bytes.Cut(content, []byte("\n"))
	var was first
	if err := json.Unmarshal(top, &was); err != nil || !whole || was.Version == 0 {
		return nil, fmt.Errorf("%w: not a study of boost tune: give another name", booster.ErrParams)
	}
	if was.Version != 1 {
		return nil, fmt.Errorf("%w: a study of version %d, of a newer boost: give another name", booster.ErrParams, was.Version)
	}
	s.end = int64(len(top)) + 1
	if !bytes.Contains(rest, []byte("\n")) && !maps.Equal(was.Search, known) { // of a search that came to no trial
		s.end = 0
		if err := s.file.Truncate(0); err != nil {
			return nil, err
		}
		return nil, s.write(head)
	}
	for _, name := range mostTelling(union(was.Search, known)) {
		there, here := was.Search[name], known[name]
		if instead, ok := older[name]; there != here && (!ok || there != instead) {
			return nil, fmt.Errorf("%w: %s", booster.ErrParams, otherSearch(name, there, here, known["columns of folds"]))
		}
	}
	var trials []Trial
	for len(rest) > 0 {
		text, more, ended := bytes.Cut(rest, []byte("\n"))
		if !ended {
			break
		}
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			return nil, fmt.Errorf("%w: line %d is damaged (%w): give another name", booster.ErrParams, len(trials)+2, err)
		}
		if l.Trial != len(trials) {
			return nil, fmt.Errorf("%w: line %d has trial %d, not %d: it is damaged, give another name", booster.ErrParams, len(trials)+2, l.Trial, len(trials))
		}
		trials = append(trials, l.trial(space))
		s.end += int64(len(text)) + 1
		rest = more
	}
	if len(rest) > 0 {
		return trials, s.file.Truncate(s.end)
	}
	return trials, nil
}

// otherSearch says what is different in a study of another search. by is the column that divides the rows, "" for none.
func otherSearch(name, there, here, by string) string {
	switch {
	case name == "table": // of which the hash alone differs
		return "the study is of another table, of as many rows and columns: give another name, or the table of then"
	case name == rowsOfFolds && there == "":
		return "the study is of an older boost, which did not note the rows of its folds, and they may be others now: give another name"
	case name == rowsOfFolds && by != "":
		return fmt.Sprintf("the study has other rows in its folds: column %q, which divides them, had other values: give another name, or the values of then", by)
	case name == rowsOfFolds:
		return "the study has other rows in its folds: give another name, or the numbers of folds and repeats of then"
	}
	return fmt.Sprintf("the study is of another search: %s was %q and is %q now: give another name, or what there was", name, there, here)
}

func union(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// trial returns what a line says.
func (l *line) trial(space Space) Trial {
	t := Trial{
		Number: l.Trial, State: l.State, Value: math.NaN(), Deviation: l.Deviation, Folds: l.Folds, Best: l.Best, Rounds: l.Rounds,
		Bracket: l.Bracket, Rungs: l.Rungs, Seconds: l.Seconds, Error: l.Error, metric: l.Metric,
	}
	if l.Value != nil {
		t.Value = *l.Value
	}
	for i := range space {
		t.Values = append(t.Values, l.Values[space[i].Name])
	}
	return t
}

// append writes a trial.
func (s *study) append(t *Trial, space Space) error {
	l := line{
		Trial: t.Number, Values: map[string]string{}, State: t.State, Metric: t.metric, Deviation: t.Deviation, Folds: t.Folds, Best: t.Best, Rounds: t.Rounds,
		Bracket: t.Bracket, Rungs: t.Rungs, Seconds: t.Seconds, Error: t.Error,
	}
	for i, value := range t.Values {
		l.Values[space[i].Name] = value
	}
	if t.State != Failed {
		l.Value = &t.Value
	}
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return s.write(append(text, '\n'))
}

// write writes a line behind the others, and waits for the disk.
func (s *study) write(text []byte) error {
	if _, err := s.file.WriteAt(text, s.end); err != nil {
		return err
	}
	s.end += int64(len(text))
	return s.file.Sync()
}
