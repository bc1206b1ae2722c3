package scorers_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"boost/benchmarks/scorers"
)

// fake is a scorer in the shell: it notes its stages, and fails in one of them.
func fake(t *testing.T, name, failing string) (c scorers.Contender, notes string) {
	t.Helper()
	folder := t.TempDir()
	script, notes := filepath.Join(folder, "scorer"), filepath.Join(folder, "notes")
	text := `#!/bin/sh
stage=$4
echo $stage >> ` + notes + `
[ "$stage" = "` + failing + `" ] && { echo no good >&2; exit 1; }
[ "` + failing + `" = absent ] && exit 3
echo words of the library
echo '{"version": "` + name + ` 1", "rows": 1000, "seconds": 0.002, "passes": 3, "cores": 1, "warm": {"p50": 400, "p99": 900}}'
`
	if err := os.WriteFile(script, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
	return scorers.Contender{Name: name, Command: []string{"sh", script, "--name", name}}, notes
}

func lines(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(b)), " ")
}

func plan(shapes []scorers.Shape, contenders ...scorers.Contender) *scorers.Plan {
	return &scorers.Plan{
		Contenders: contenders, Shapes: shapes, Places: map[scorers.Shape]scorers.Place{}, Limit: time.Minute,
		Words: io.Discard,
	}
}

// A session prepares each scorer once, lets all take turns, and names the ones that fail.
func TestSession(t *testing.T) {
	ours, notes := fake(t, scorers.BoostMatrix, "none")
	broken, brokenNotes := fake(t, "lleaves", scorers.Score)
	absent, _ := fake(t, "ydf", "absent")
	shapes := scorers.Shapes()[:1]
	s := &scorers.Session{Turns: 2}
	if err := s.Measure(t.Context(), plan(shapes, ours, broken, absent)); err != nil {
		t.Fatal(err)
	}
	if got := lines(t, notes); got != "prepare score score" {
		t.Errorf("stages of boost: %s", got)
	}
	if got := lines(t, brokenNotes); got != "prepare score" {
		t.Errorf("stages of what fails: %s", got)
	}
	if len(s.Missing) != 2 || !strings.Contains(s.Missing[0].Why, "no good") || s.Missing[1].Why != "not installed" {
		t.Errorf("missing: %+v", s.Missing)
	}
	if len(s.Runs) != 2 || s.Runs[0].Run.Wait != "passive" || s.Runs[1].Run.Wait != "active" {
		t.Errorf("runs %+v, want one that waits passively and one that waits actively", s.Runs)
	}
}

// Boost itself must not be missing, and a measurement that is called off ends with an error.
func TestSessionFails(t *testing.T) {
	broken, _ := fake(t, scorers.Boost, scorers.Prepare)
	s := &scorers.Session{Turns: 1}
	if err := s.Measure(t.Context(), plan(scorers.Shapes()[:1], broken)); err == nil || !strings.Contains(err.Error(), "no good") {
		t.Errorf("boost fails with %v", err)
	}
	off, cancel := context.WithCancel(t.Context())
	cancel()
	peer, _ := fake(t, "xgboost", "none")
	if err := s.Measure(off, plan(scorers.Shapes()[:1], peer)); err == nil || len(s.Missing) > 0 {
		t.Errorf("called off: %v, missing %v", err, s.Missing)
	}
}

// session has what the scorers of one shape took, in ns a row.
func session(rows map[string]float64) *scorers.Session {
	s := &scorers.Session{Turns: 1}
	for name, ns := range rows {
		s.Runs = append(s.Runs, scorers.Measured{
			Shape: scorers.Shapes()[0], Contender: name, Turn: 1, Run: scorers.Run{Rows: 1000, Seconds: ns * 1e-6, Passes: 3},
		})
	}
	return s
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		rows map[string]float64
		want string
	}{
		{map[string]float64{"boost-matrix": 100, "lightgbm": 500, "xgboost": 300, "onnxruntime": 200, "lleaves": 150, "ydf": 900}, "pass"},
		{map[string]float64{"boost-matrix": 100, "lightgbm": 400, "lleaves": 120, "ydf": 110}, "short: 4.00 × of 5.0 × lightgbm; 1.10 × of 1.5 × ydf"},
		{map[string]float64{"boost-matrix": 100, "lightgbm": 600}, "pass"},
		{map[string]float64{"lightgbm": 600}, "short: not measured"},
	} {
		if got := session(c.rows).Verdict(scorers.Shapes()[0]); got != c.want {
			t.Errorf("%v: %q, want %q", c.rows, got, c.want)
		}
	}
}

// Times of turns are taken as the least of each.
func TestTable(t *testing.T) {
	s := session(map[string]float64{"boost-matrix": 100})
	shape := scorers.Shapes()[0]
	for turn, ns := range []float64{700, 450, 620} {
		s.Runs = append(s.Runs, scorers.Measured{Shape: shape, Contender: "lightgbm", Turn: turn + 1, Run: scorers.Run{Rows: 1000, Seconds: ns * 1e-6}})
	}
	for _, q := range []scorers.Quantiles{{P50: 480, P99: 1500}, {P50: 510, P99: 1200}} {
		s.Runs = append(s.Runs, scorers.Measured{Shape: shape, Contender: "boost", Turn: 1, Run: scorers.Run{Rows: 1000, Seconds: 9e-5, Warm: q}})
	}
	var b bytes.Buffer
	s.Table(&b)
	for _, want := range []string{"450 (4.50 ×)", "4.50 × of 5.0 × lightgbm", "| 100x31x28   |", "p99 1200 ns of 1000 |"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "p50 480 ns of") {
		t.Errorf("480 ns are missed:\n%s", b.String())
	}
}
