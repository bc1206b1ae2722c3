package reach_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"boost/benchmarks/reach"
)

// The test binary plays the contenders: it prints what the real ones would.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "contender" {
		os.Exit(contend(os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}

// contend takes a role like "lightgbm=4", the seconds of its training, or "boost=0.5=30",
// the rounds after which its loss is what is asked for.
func contend(role string, args []string) int {
	flags := map[string]string{}
	for i := 0; i+1 < len(args); i += 2 {
		flags[args[i]] = args[i+1]
	}
	parts := strings.Split(role, "=")
	if parts[0] == "broken" || flags["--threads"] != "2" {
		fmt.Fprintln(os.Stderr, "no such column")
		return 1
	}
	loss, rounds := "0.25", flags["--rounds"]
	if until := flags["--until"]; until != "" {
		most, _ := strconv.Atoi(rounds)
		if needs, _ := strconv.Atoi(parts[2]); needs <= most {
			loss, rounds = until, parts[2]
		} else {
			loss = "0.75"
		}
	}
	fmt.Printf(`{"version": "%s 1", "bin_seconds": 1, "train_seconds": %s, "rounds": %s, "loss": %s, "rows": 1000, "columns": 7}`, parts[0], parts[1], rounds, loss)
	return 0
}

func contender(name, role string) reach.Contender {
	return reach.Contender{Name: name, Command: []string{os.Args[0], "contender", role}}
}

func plan(ways ...reach.Contender) *reach.Plan {
	return &reach.Plan{
		Default: contender("lightgbm", "lightgbm=9"),
		Modes:   []reach.Contender{contender("lightgbm-row", "lightgbm=8"), contender("lightgbm-col", "lightgbm=10")},
		Ways:    ways, Threads: 2, Words: io.Discard, Save: func() error { return nil },
	}
}

// LightGBM's best mode takes 8 s and 1 s of binning; one way takes 2 s and 1 s, another is
// not there after 4 times LightGBM's rounds.
func TestMeasure(t *testing.T) {
	r := &reach.Record{Command: "make time-to-metric", Threads: 2}
	table := r.Table("flights", "rmse", 100)
	if err := table.Measure(t.Context(), plan(contender("boost", "boost=2=30"), contender("slow", "boost=1=401"))); err != nil {
		t.Fatal(err)
	}
	if !table.Done || table.Target != 0.25 || table.Best != "lightgbm-row" || table.Rows != 1000 {
		t.Errorf("%+v", table)
	}
	if w := table.Ways; len(w) != 2 || w[0].Rounds != 30 || w[0].Loss != 0.25 || w[1].Rounds != 0 || w[1].Most != 400 {
		t.Errorf("ways %+v", table.Ways)
	}
	order := ""
	for _, run := range table.Runs {
		order += fmt.Sprintf(" %s:%d", run.Contender, run.Turn)
	}
	if want := " lightgbm:0 lightgbm-row:0 lightgbm-col:0 lightgbm-row:1 boost:1 lightgbm-row:2 boost:2 lightgbm-row:3 boost:3"; order != want {
		t.Errorf("runs%s, want%s", order, want)
	}
	var b bytes.Buffer
	for i := range table.Runs {
		if table.Runs[i].Run.Peak < 1<<20 {
			t.Errorf("a peak of %d bytes", table.Runs[i].Run.Peak)
		}
		table.Runs[i].Run.Peak = 41_600_000
	}
	r.Write(&b)
	for _, want := range []string{
		"| flights | 1000 × 7 | rmse | 0.25 | 100 | row | 8.000 | 9.000 | 42 | 30 | 2.000 | 3.000 | 42 | 4.00 × | 3.00 × | not in 400 | – |",
		"| geometric mean | | | | | | | | | 1 tables | | | | 4.00 × | 3.00 × | 0 tables | | | | – | – |",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	for _, line := range lines {
		if strings.Count(line, "|") != strings.Count(lines[0], "|") {
			t.Errorf("%q has other columns than %q", line, lines[0])
		}
	}
}

func TestMeasureFails(t *testing.T) {
	r := &reach.Record{}
	err := r.Table("flights", "rmse", 100).Measure(t.Context(), plan(contender("boost", "broken")))
	if err == nil || !strings.Contains(err.Error(), "boost: ") || !strings.Contains(err.Error(), "no such column") {
		t.Errorf("error %v", err)
	}
}

// A measurement that was interrupted goes on where it was, for the same program only.
func TestRecordGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results", "reach.json")
	r, err := reach.Open(path, reach.Record{Build: "a", Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	table := r.Table("flights", "rmse", 100)
	interrupted := errors.New("interrupted")
	p := plan(contender("boost", "boost=2=30"))
	p.Save = func() error {
		if len(table.Runs) == 5 {
			return errors.Join(r.Save(path), interrupted)
		}
		return r.Save(path)
	}
	if err := table.Measure(t.Context(), p); !errors.Is(err, interrupted) {
		t.Fatal(err)
	}
	if r, err = reach.Open(path, reach.Record{Build: "b", Threads: 2}); err != nil || len(r.Tables) != 0 {
		t.Errorf("another program goes on with %d tables, error %v", len(r.Tables), err)
	}
	if r, err = reach.Open(path, reach.Record{Build: "a", Threads: 2}); err != nil {
		t.Fatal(err)
	}
	table = r.Table("flights", "rmse", 100)
	if len(table.Runs) != 5 {
		t.Fatalf("%d runs were kept, want 5", len(table.Runs))
	}
	p.Save = func() error { return r.Save(path) }
	if err := table.Measure(t.Context(), p); err != nil || len(table.Runs) != 9 {
		t.Errorf("%d runs at the end, want 9; error %v", len(table.Runs), err)
	}
	if r.Table("flights", "rmse", 30) == table || len(r.Tables) != 1 {
		t.Error("figures of 100 rounds are taken for those of 30")
	}
}

func TestUpdateDocument(t *testing.T) {
	path := filepath.Join(t.TempDir(), "performance.md")
	if err := os.WriteFile(path, []byte("# Speed\n\n<!-- begin time to metric -->\nold\n<!-- end time to metric -->\n\nafter\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r := &reach.Record{Command: "make time-to-metric", Threads: 2}
	if err := r.Table("flights", "rmse", 100).Measure(t.Context(), plan(contender("boost", "boost=2=30"))); err != nil {
		t.Fatal(err)
	}
	if err := r.UpdateDocument(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if got := string(text); err != nil || strings.Contains(got, "old") || !strings.HasSuffix(got, "after\n") || !strings.Contains(got, "| flights |") ||
		!strings.Contains(got, "Versions: lightgbm 1, boost 1.") {
		t.Errorf("error %v, document\n%s", err, got)
	}
}
