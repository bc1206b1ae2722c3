package peers_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boost/benchmarks/harness"
	"boost/benchmarks/peers"
)

// known is a result whose trainers took so many seconds with two threads, and twice that with one.
func known(name string, boost, light, xg float64) *peers.Result {
	s := &peers.Result{
		Name: name, Task: "binary", Rows: 1000, Columns: 10, Outputs: 1, Command: "make peers ROW=real",
		Machine: harness.Machine{CPU: "A", Commit: "abc"}, Best: peers.Calibration{One: 1, Both: 1},
	}
	turn := peers.Turn{}
	for _, threads := range []int{2, 1} {
		for trainer, seconds := range map[string]float64{peers.Boost: boost, peers.LightGBM: light, peers.XGBoost: xg} {
			run := peers.Run{Trainer: trainer, Threads: threads, Before: s.Best, After: s.Best, Process: peers.Process{Version: trainer + " 1", Read: 1, Bin: 1}}
			if trainer != peers.Boost {
				run.Wait = "active"
			}
			run.Process.Ways = []peers.Timed{{Way: "a", Seconds: seconds * float64(3-threads)}, {Way: "slow", LeftOut: true}}
			turn.Runs = append(turn.Runs, run)
		}
	}
	s.Turns = []peers.Turn{turn}
	return s
}

func fakeRecord() *peers.Record {
	shape := known("flags", 1, 1, 1)
	shape.Generated = true
	return &peers.Record{Sets: []*peers.Result{known("wine", 1, 8, 2), shape, known("adult", 2, 4, 4), known("cars", 1, 1, 9)}}
}

// The geometric mean of 8, 2 and 1 is the third root of 16 = 2.52, of 2, 2 and 9 that of 36 = 3.30.
func TestTable(t *testing.T) {
	var b bytes.Buffer
	fakeRecord().Table(&b)
	text := b.String()
	for _, want := range []string{
		"| wine | 1000 × 10 × 1 | 1.000; 2.000 | 8.000 (a, active); 16.0 (a, active) | 8.00 | 8.00 | 2.00 | 2.00 | 2.00 |",
		"| cars | 1000 × 10 × 1 | 1.000; 2.000 | 1.000 (a, active); 2.000 (a, active) | **1.00** | **1.00** | 9.00 | 9.00 |",
		"| **geometric mean of 3 sets** | | | | 2.52 | 2.52 | 3.30 | 3.30 | 2.00 |",
		"(each ≥ 1.5, mean ≥ 3.0)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	reals, shapes, found := strings.Cut(text, "Generated shapes:")
	if !found || strings.Contains(reals, "flags") || !strings.Contains(shapes, "| flags |") || strings.Contains(shapes, "mean of") {
		t.Errorf("shapes stand below by themselves, without a mean:\n%s", text)
	}
	if strings.Index(text, "| adult") > strings.Index(text, "| cars") || strings.Index(text, "| cars") > strings.Index(text, "| wine") {
		t.Errorf("not by name:\n%s", text)
	}
	lines := strings.Split(strings.TrimSpace(reals), "\n")
	for _, line := range lines {
		if strings.Count(line, "|") != strings.Count(lines[0], "|") {
			t.Errorf("%q has other columns than %q", line, lines[0])
		}
	}
}

func TestVerdict(t *testing.T) {
	want := "On 2 threads 2 of 3 sets reach 1.5 × LightGBM's best, the mean is 2.52 of 3.0, short are cars (1.00); " +
		"on 1 thread 2 of 3 sets reach 1.5 × LightGBM's best, the mean is 2.52 of 3.0, short are cars (1.00)."
	if got := fakeRecord().Verdict(); got != want {
		t.Errorf("verdict\n%s, want\n%s", got, want)
	}
	if got := (&peers.Record{}).Verdict(); got != "No real set was measured." {
		t.Errorf("of nothing: %s", got)
	}
}

// A run of a busy machine does not count beside a quiet one, though it was faster by chance.
func TestBusyRunsDoNotCount(t *testing.T) {
	s, other := known("wine", 2, 8, 8), known("wine", 1, 4, 4)
	for i := range other.Turns[0].Runs {
		other.Turns[0].Runs[i].After = peers.Calibration{One: 1, Both: 1.2}
	}
	s.Turns = append(s.Turns, other.Turns...)
	var b bytes.Buffer
	(&peers.Record{Sets: []*peers.Result{s}}).Table(&b)
	if want := "| wine | 1000 × 10 × 1 | 2.000; 4.000 | 8.000"; !strings.Contains(b.String(), want) {
		t.Errorf("no %q in\n%s", want, &b)
	}
}

func TestUpdateDocument(t *testing.T) {
	path := filepath.Join(t.TempDir(), "performance.md")
	if err := os.WriteFile(path, []byte("# Speed\n\n<!-- begin real -->\nold\n<!-- end real -->\n\nafter\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r := fakeRecord()
	r.Sets[0].Missing = []peers.Missing{{Trainer: "xgboost", Threads: 2, Wait: "active", Why: "not installed"}}
	r.Sets[2].Machine.Commit = "def"
	for range 2 {
		if err := r.UpdateDocument(path); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	got := string(text)
	if err != nil || strings.Contains(got, "old") || !strings.HasSuffix(got, "after\n") || strings.Count(got, "| wine |") != 1 {
		t.Errorf("error %v, document\n%s", err, got)
	}
	for _, want := range []string{"commit abc; versions ", "commit def; versions ", "Sets: adult.", "xgboost on wine, 2 threads, active: not installed"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in the document:\n%s", want, got)
		}
	}
}
