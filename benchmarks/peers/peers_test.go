package peers_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"boost/benchmarks/harness"
	"boost/benchmarks/peers"
	"boost/benchmarks/synth"
)

// The test binary plays the trainers: it prints what the real ones would.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && !strings.HasPrefix(os.Args[1], "-") {
		os.Exit(train(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// train is `SELF train …` or `PYTHON SCRIPT PEER …`, where the tests pass this binary as both
// and the script is what happens to the peers. Active waiting is faster on two threads.
func train(args []string) int {
	flags := map[string]string{}
	for i := range len(args) - 1 {
		flags[args[i]] = args[i+1]
	}
	two := flags["--threads"] == "2"
	if args[0] == "train" {
		seconds := 2.0
		if two {
			seconds = 1
		}
		fmt.Printf(`{"version": "boost fake", "rows": 1000, "columns": 10, "read_seconds": 1, "bin_seconds": 1, "file_seconds": 4, "layout": "both", "ways": [{"way": "default", "seconds": %g, "repeats": 3}]}`, seconds)
		return 0
	}
	peer, script := args[1], args[0]
	if script == "absent" {
		return 3
	}
	if script == "broken" && peer == peers.XGBoost {
		fmt.Fprintln(os.Stderr, "Traceback:\nValueError: no such column\n  [bt] (0) somewhere")
		return 1
	}
	var ways []string
	for i, way := range strings.Split(flags["--ways"], ",") {
		seconds := 8.0 + float64(i)
		if peer == peers.XGBoost {
			seconds = 5
		}
		if two && os.Getenv("OMP_WAIT_POLICY") == "ACTIVE" {
			seconds /= 2
		}
		ways = append(ways, fmt.Sprintf(`{"way": %q, "seconds": %g, "repeats": 3}`, way, seconds))
	}
	if flags["--known"] != "0" { // a second process hears of the first
		ways = append(ways, `{"way": "slow", "seconds": 0, "left_out": true}`)
	}
	fmt.Println("words of the library")
	fmt.Printf(`{"version": "%s fake", "rows": 1000, "columns": 10, "read_seconds": 3, "read_engine": "c", "bin_seconds": 1, "ways": [%s]}`, peer, strings.Join(ways, ", "))
	return 0
}

// calibrated calibrates to one of the given figures after the other, the last again and again.
func calibrated(figures ...float64) func() peers.Calibration {
	return func() peers.Calibration {
		now := figures[0]
		if len(figures) > 1 {
			figures = figures[1:]
		}
		return peers.Calibration{One: now, Both: now}
	}
}

func plan(script string, calibrate func() peers.Calibration) *peers.Plan {
	return &peers.Plan{
		Commands: peers.Commands{Self: os.Args[0], Python: os.Args[0], Script: script}, Threads: []int{2, 1}, Limit: time.Minute,
		Calibrate: calibrate, Pause: func() {}, Words: io.Discard,
	}
}

// result is a fresh one of a record.
func result(turns int) (*peers.Record, *peers.Result) {
	return &peers.Record{}, &peers.Result{Name: "houses", Task: "binary", Outputs: 1, Wanted: turns,
		Settings: peers.Settings{Rounds: 60, Leaves: 31, Budget: 0.5}}
}

func TestMeasure(t *testing.T) {
	r, s := result(2)
	p := plan("peers", calibrated(1))
	if err := r.Measure(t.Context(), s, p); err != nil {
		t.Fatal(err)
	}
	if len(s.Turns) != 2 || s.Rows != 1000 || s.Columns != 10 {
		t.Fatalf("%d turns, %d × %d", len(s.Turns), s.Rows, s.Columns)
	}
	// Every trainer in every way of waiting with both numbers of threads, boost before each peer.
	var order []string
	for _, run := range s.Turns[0].Runs {
		order = append(order, fmt.Sprintf("%s:%d:%s", run.Trainer, run.Threads, run.Wait))
	}
	want := "boost:2: lightgbm:2:active lightgbm:2:passive boost:2: xgboost:2:active xgboost:2:passive " +
		"boost:1: lightgbm:1:active lightgbm:1:passive boost:1: xgboost:1:active xgboost:1:passive"
	if got := strings.Join(order, " "); got != want {
		t.Errorf("runs\n%s, want\n%s", got, want)
	}
	// In the second turn only what was near the best goes on: of LightGBM's active 4, 4.5, 5 and 5.5 s
	// those up to 1.4 × 4 = 5.6 s, of its passive 8 s and more none.
	for _, run := range s.Turns[1].Runs {
		if run.Trainer == peers.LightGBM && run.Threads == 2 && (run.Wait == "passive" || len(run.Process.Ways) < 4) {
			t.Errorf("LightGBM goes on %s in %+v", run.Wait, run.Process.Ways)
		}
	}
	var b bytes.Buffer
	r.Table(&b)
	// 4 / 1 and 8 / 2 of LightGBM, 2.5 / 1 and 5 / 2 of XGBoost; 2 / 1; files 3 + 1 + 4 and 3 + 1 + 2.5 by 4.
	if want := "| houses | 1000 × 10 × 1 | 1.000; 2.000 | 4.000 (quantized-row, active); 8.000 (quantized-row, active) | 4.00 | 4.00 | 2.50 | 2.50 | 2.00 | 2.00 | 1.62 |"; !strings.Contains(b.String(), want) {
		t.Errorf("no %q in\n%s", want, &b)
	}
}

// A run of a busy machine is done again, twice at most, and the set is marked where none was quiet.
func TestBusyRuns(t *testing.T) {
	calls := 0
	for name, c := range map[string]struct {
		calibrate func() peers.Calibration
		runs      int
		marked    bool
	}{
		"quiet":        {calibrated(1), 12, false},
		"busy once":    {calibrated(1, 2, 1), 13, false},
		"within bound": {calibrated(1, 1.09, 1.09), 12, false},
		"always busy": {func() peers.Calibration { // after each run
			calls++
			return peers.Calibration{One: 1, Both: float64(2 - calls%2)}
		}, 36, true},
	} {
		r, s := result(1)
		if err := r.Measure(t.Context(), s, plan("peers", c.calibrate)); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		r.Table(&b)
		if marked := strings.Contains(b.String(), "houses (busy)"); len(s.Turns[0].Runs) != c.runs || marked != c.marked {
			t.Errorf("%s: %d runs, marked %v, want %d and %v", name, len(s.Turns[0].Runs), marked, c.runs, c.marked)
		}
	}
}

// A way that was slow on a busy machine only is not given up.
func TestBusyRunsGiveNothingUp(t *testing.T) {
	r, s := result(2)
	calls := 0
	p := plan("peers", func() peers.Calibration { // the first turn's three attempts of 12 runs are busy
		if calls++; calls <= 72 && calls%2 == 0 {
			return peers.Calibration{One: 2, Both: 2}
		}
		return peers.Calibration{One: 1, Both: 1}
	})
	if err := r.Measure(t.Context(), s, p); err != nil {
		t.Fatal(err)
	}
	if len(s.Turns) != 2 || len(s.Turns[0].Runs) != 36 || len(s.Turns[1].Runs) != 12 {
		t.Fatalf("%d turns", len(s.Turns))
	}
	for _, run := range s.Turns[1].Runs {
		if run.Trainer == peers.LightGBM && run.Wait == "passive" && run.Threads == 2 && len(run.Process.Ways) < 4 {
			t.Errorf("only %+v of LightGBM's ways are tried on the quiet machine", run.Process.Ways)
		}
	}
}

// Before a run a quieter moment is waited for.
func TestQuietMoment(t *testing.T) {
	r, s := result(1)
	p := plan("peers", calibrated(3, 3, 1))
	pauses := 0
	p.Pause = func() { pauses++ }
	s.Best = peers.Calibration{One: 1, Both: 1}
	if err := r.Measure(t.Context(), s, p); err != nil || pauses != 2 || len(s.Turns) != 1 {
		t.Errorf("%d pauses and %d turns, want 2 and 1; error %v", pauses, len(s.Turns), err)
	}
}

func TestPeersThatFail(t *testing.T) {
	r, s := result(1)
	if err := r.Measure(t.Context(), s, plan("broken", calibrated(1))); err != nil {
		t.Fatal(err)
	}
	if len(s.Missing) != 4 || s.Missing[0].Why != "ValueError: no such column" {
		t.Errorf("missing %+v, want XGBoost in four ways with the error's line", s.Missing)
	}
	var b bytes.Buffer
	r.Table(&b)
	if want := "| 4.00 | 4.00 | – | – | 2.00 | 2.00 | – |"; !strings.Contains(b.String(), want) {
		t.Errorf("no %q in\n%s", want, &b)
	}

	r, s = result(1)
	if err := r.Measure(t.Context(), s, plan("absent", calibrated(1))); err != nil || len(s.Missing) != 8 || s.Missing[0].Why != "not installed" {
		t.Errorf("missing %+v, error %v", s.Missing, err)
	}

	r, s = result(1)
	p := plan("peers", calibrated(1))
	p.Commands.Self = filepath.Join(t.TempDir(), "nowhere")
	if err := r.Measure(t.Context(), s, p); err == nil || !strings.Contains(err.Error(), "boost: ") {
		t.Errorf("boost fails: error %v", err)
	}
}

// What is measured again takes the place of what was, figures of other sets stay, and a measurement that
// is called off leaves all as it was.
func TestRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results", "real.json")
	r, s := result(1)
	r.Sets = []*peers.Result{{Name: "adult"}, {Name: "houses"}}
	off, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Measure(off, s, plan("peers", calibrated(1))); err == nil || len(r.Sets[1].Turns) != 0 {
		t.Errorf("called off: error %v, %d turns", err, len(r.Sets[1].Turns))
	}
	_, s = result(2)
	if err := r.Measure(t.Context(), s, plan("peers", calibrated(1))); err != nil {
		t.Fatal(err)
	}
	if err := r.Save(path); err != nil {
		t.Fatal(err)
	}
	again, err := peers.Open(path)
	if err != nil || len(again.Sets) != 2 || again.Sets[0].Name != "adult" || len(again.Sets[1].Turns) != 2 {
		t.Errorf("%+v, error %v", again, err)
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

func TestSets(t *testing.T) {
	folder := t.TempDir()
	for name, meta := range map[string]string{
		"large":    `{"task": "binary", "label": "y", "rows_train": 900}`,
		"small":    `{"task": "regression", "label": "y", "rows_train": 899}`,
		"survival": `{"task": "survival", "label": {"time": "t"}, "rows_train": 5000}`,
	} {
		write(t, filepath.Join(folder, name, harness.MetaFile), meta)
	}
	names := func(sets []peers.Set) string {
		var list []string
		for _, s := range sets {
			list = append(list, s.Name)
		}
		return strings.Join(list, " ")
	}
	sets, err := peers.Sets(folder)
	if want := "large counts zero-heavy flags dense-continuous"; err != nil || names(sets) != want {
		t.Errorf("sets %q, error %v, want %q", names(sets), err, want)
	}
	sets, err = peers.Sets(folder, "flags", "small", "dense")
	if err != nil || names(sets) != "small flags dense" || sets[0].Shape != nil || sets[1].Shape == nil {
		t.Errorf("sets %q, error %v", names(sets), err)
	}
	for _, name := range []string{"survival", "nothing"} {
		if _, err := peers.Sets(folder, name); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestPrepare(t *testing.T) {
	set, cache := filepath.Join(t.TempDir(), "houses"), t.TempDir()
	const text = "x,y\n1,2\n"
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(set, "train.csv.gz"), b.String())
	write(t, filepath.Join(set, harness.MetaFile), `{"task": "regression", "label": "y", "label_classes": null, "rows_train": 1}`)
	for range 2 {
		folder, err := peers.Prepare(set, cache)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(folder, synth.TrainCSV))
		if err != nil || string(got) != text {
			t.Errorf("text %q, error %v, want %q", got, err, text)
		}
		if m, err := harness.ReadMeta(folder); err != nil || m.Task != "regression" || m.Outputs() != 1 {
			t.Errorf("meta %+v, error %v", m, err)
		}
	}
	write(t, filepath.Join(set, "train.csv.gz"), "no gzip")
	if _, err := peers.Prepare(set, cache); err == nil {
		t.Error("a broken file was taken for the text of before")
	}
}

func TestRepeat(t *testing.T) {
	seconds := []float64{3, 1, 2}
	next := func() (float64, error) {
		s := seconds[0]
		seconds = append(seconds[1:], s)
		time.Sleep(time.Millisecond)
		return s, nil
	}
	if least, times, err := peers.Repeat(1e-9, next); err != nil || times != 1 || least != 3 {
		t.Errorf("a spent budget: %d times, least %v, error %v, want once", times, least, err)
	}
	if least, times, err := peers.Repeat(0.02, next); err != nil || times < 3 || least != 1 {
		t.Errorf("%d times, least %v, error %v, want 3 at least and 1 s", times, least, err)
	}
	broken := errors.New("broken")
	if _, _, err := peers.Repeat(1, func() (float64, error) { return 0, broken }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

func TestCalibrate(t *testing.T) {
	if c := peers.Calibrate(); c.One <= 0 || c.Both <= 0 {
		t.Errorf("%+v", c)
	}
}
