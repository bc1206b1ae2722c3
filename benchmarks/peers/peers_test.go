package peers_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"boost/benchmarks/machine"
	"boost/benchmarks/peers"
	"boost/benchmarks/synth"
	"boost/parallel"
)

// The test binary plays the contenders: it prints what the real ones would.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "contender" {
		os.Exit(contend(os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}

func contend(role string, args []string) int {
	switch role {
	case "absent":
		return 3
	case "broken":
		fmt.Fprintln(os.Stderr, "no such column")
		return 1
	case "silent":
		return 0
	case "killed":
		if this, err := os.FindProcess(os.Getpid()); err == nil {
			_ = this.Kill()
		}
		time.Sleep(time.Minute)
	case "stuck":
		time.Sleep(time.Minute)
	}
	flags := map[string]string{}
	for i := 0; i+1 < len(args); i += 2 {
		flags[args[i]] = args[i+1]
	}
	if out := flags["--out"]; out != "" {
		if err := predict(role, flags["--data"], out); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	name, seconds, _ := strings.Cut(role, "=")
	if flags["--threads"] == "1" {
		seconds += "00"
	}
	if seconds == "" {
		seconds = "0"
	}
	fmt.Printf(`{"version": "%s 1", "load_seconds": 0.25, "bin_seconds": 0.5, "predict_seconds": 0.1, "train_seconds": %s}`, name, seconds)
	return 0
}

// predict writes the labels themselves, which are perfect predictions; a poor contender
// is wrong about the first row, a useless one predicts the same for every row.
func predict(role, folder, out string) error {
	labels, err := os.ReadFile(filepath.Join(folder, synth.TestY))
	if err != nil {
		return err
	}
	const header = 128
	if strings.HasPrefix(role, "poor") {
		first := math.Float32frombits(binary.LittleEndian.Uint32(labels[header:]))
		binary.LittleEndian.PutUint32(labels[header:], math.Float32bits(1-first))
	}
	if strings.HasPrefix(role, "useless") {
		for i := header; i < len(labels); i += 4 {
			binary.LittleEndian.PutUint32(labels[i:], math.Float32bits(0.5))
		}
	}
	return os.WriteFile(out, labels, 0o666)
}

// contender is one that says it trained for some seconds: "fast=1".
func contender(name, role string) peers.Contender {
	return peers.Contender{Name: name, Command: []string{os.Args[0], "contender", role}}
}

func row(change func(*peers.Row)) peers.Row {
	r := peers.Row{Name: "dense", Title: "a small one", Kind: synth.Dense, Task: peers.Train, Rows: 10, Columns: 3, Test: 40,
		Rounds: 5, Leaves: 3, Threads: 2, Seed: 1, Target: 3, Enough: 2, Fastest: 1.5}
	if change != nil {
		change(&r)
	}
	return r
}

func table(t *testing.T) string {
	t.Helper()
	g, err := synth.New(synth.Dense, 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	pool := parallel.NewPool(1)
	defer pool.Close()
	folder := t.TempDir()
	if err := g.Write(folder, 10, 40, false, pool); err != nil {
		t.Fatal(err)
	}
	return folder
}

func measure(t *testing.T, s *peers.Session, words io.Writer, contenders ...peers.Contender) error {
	t.Helper()
	return s.Measure(t.Context(), &peers.Plan{Contenders: contenders, Folder: table(t), Most: 3, Budget: time.Minute,
		Words: words, Save: func() error { return nil }})
}

// The seconds: boost 2, LightGBM 8 and 5, the others 4, 3 and nothing.
func field(t *testing.T) []peers.Contender {
	return []peers.Contender{
		contender(peers.BoostName, "boost=2"), contender("lightgbm-row", "lightgbm=8"), contender("lightgbm-quantized-row", "lightgbm=5"),
		contender("xgboost-hist", "xgboost=4"), contender("hessboost", "hessboost=3"), contender("catboost", "absent"),
		{Name: "sklearn-hgb", Command: []string{filepath.Join(t.TempDir(), "no-python")}},
		contender("other", "useless=1"), contender("broken", "broken"), contender("large", "killed"),
	}
}

func TestMeasure(t *testing.T) {
	s := &peers.Session{Row: row(nil)}
	var words bytes.Buffer
	if err := measure(t, s, &words, field(t)...); err != nil {
		t.Fatal(err)
	}
	// The two fastest, and LightGBM's best because neither is LightGBM.
	if got := strings.Join(s.Turns, " "); got != "boost hessboost xgboost-hist lightgbm-quantized-row" || !s.Done {
		t.Errorf("turns of %q, done %v", got, s.Done)
	}
	var missing []string
	for _, m := range s.Missing {
		missing = append(missing, m.Contender+": "+m.Why)
	}
	got := strings.Join(missing, "\n")
	for _, want := range []string{"catboost: not installed", "sklearn-hgb: not installed", "other: learned nothing: the same prediction for every row", "broken: failed: no such column", "large: ended by the system, out of memory"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in what is missing:\n%s", want, got)
		}
	}
	order := words.String()
	if strings.Count(order, "turn 3") != 4 || strings.Index(order, "turn 1  lightgbm") > strings.Index(order, "turn 2  boost") {
		t.Errorf("4 contenders take turns 3 times, one after the other:\n%s", order)
	}
	v := s.Verdict()
	if v.ByLightGBM != 2.5 || v.ByFastest != 1.5 || !v.Enough || v.Passes() {
		t.Errorf("LightGBM's 5 s and 3 s by boost's 2 s: %+v", v)
	}
	if run := s.Runs[0].Run; run.AUC != 1 || run.LogLoss > 1e-14 || run.PeakBytes < 1<<20 || run.Wall <= 0 {
		t.Errorf("perfect predictions gave %+v", run)
	}
	var out bytes.Buffer
	s.Table(&out)
	for _, want := range []string{"| hessboost                      |     3 |", "| lightgbm-row                   |  once |", "2.50 × |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in the table\n%s", want, out.String())
		}
	}
}

// A single run that took little longer than those of the chosen says nothing: such peers
// take turns too.
func TestNearPeersTakeTurns(t *testing.T) {
	s := &peers.Session{Row: row(nil)}
	err := measure(t, s, io.Discard, contender(peers.BoostName, "boost=2"), contender("hessboost", "h=3"), contender("catboost", "c=4"),
		contender("xgboost-hist", "x=5.5"), contender("sklearn-hgb", "s=5.7"),
		contender("lightgbm-row", "l=8"), contender("lightgbm-col", "l=11"), contender("lightgbm-quantized-row", "l=11.5"))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(s.Turns, " "); got != "boost hessboost catboost lightgbm-row xgboost-hist lightgbm-col" {
		t.Errorf("turns of %q: 5.5 s are near 4, and 11 near LightGBM's 8", got)
	}
}

func TestVerdict(t *testing.T) {
	boost, light := contender(peers.BoostName, "boost=2"), contender("lightgbm-row", "lightgbm=6")
	for name, c := range map[string]struct {
		change     func(*peers.Row)
		contenders []peers.Contender
		want       string
	}{
		"pass":         {nil, []peers.Contender{boost, light}, "3.00 × as fast as lightgbm-row and 3.00 × as fast as lightgbm-row, the fastest; peak memory"},
		"fastest":      {nil, []peers.Contender{boost, light, contender("xgboost-hist", "x=2.5")}, "short (1.25 × of 1.5 × xgboost-hist)"},
		"target":       {nil, []peers.Contender{boost, contender("lightgbm-row", "l=3.5")}, "1.75 × of the target 3.0 × lightgbm-row"},
		"quality":      {nil, []peers.Contender{contender(peers.BoostName, "poor=2"), light}, "AUC behind that of lightgbm-row"},
		"scaling":      {func(r *peers.Row) { r.Scaling = 1.8 }, []peers.Contender{contender(peers.BoostName, "boost=2.0"), light}, "2 threads 1.00 × of 1.8 × one"},
		"no peer":      {nil, []peers.Contender{boost}, "No comparison: no LightGBM"},
		"binning":      {func(r *peers.Row) { r.Task = peers.Bin }, []peers.Contender{boost, light}, "1.00 × of the target 3.0 ×"},
		"text, pandas": {func(r *peers.Row) { r.Task = peers.Text }, []peers.Contender{boost, light, contender("lightgbm-file", "l=5")}, "as fast as lightgbm-row and 2.09 × as fast as lightgbm-file"},
	} {
		s := &peers.Session{Row: row(c.change)}
		if err := measure(t, s, io.Discard, c.contenders...); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if v := s.Verdict(); !strings.Contains(v.String(), c.want) || v.Passes() != (name == "pass") {
			t.Errorf("%s: %s\nwant %q", name, v.String(), c.want)
		}
	}
}

// Of boost's ways the fastest counts whose quality is not behind.
func TestBestWayCounts(t *testing.T) {
	for _, c := range []struct{ sixteen, eight, want string }{
		{"boost=2", "boost=3", "boost is 3.00 × as fast as lightgbm-row"},
		{"boost=3", "boost=2", "boost-i8 is 3.00 × as fast as lightgbm-row"},
		{"poor=2", "boost=3", "boost-i8 is 2.00 × as fast as lightgbm-row"},
		{"boost=3", "poor=2", "boost is 2.00 × as fast as lightgbm-row"},
		{"poor=3", "poor=2", "boost is 2.00 × as fast as lightgbm-row"},
	} {
		s := &peers.Session{Row: row(func(r *peers.Row) { r.Scaling = 0.1 })}
		if err := measure(t, s, io.Discard, contender(peers.BoostName, c.sixteen), contender(peers.EightBits, c.eight), contender("lightgbm-row", "lightgbm=6")); err != nil {
			t.Fatal(err)
		}
		if v := s.Verdict(); !strings.HasPrefix(v.String(), c.want) || v.Scaling != 100 { // the contender takes so many times as long on one thread
			t.Errorf("%s, %s: %s\nwant %q, and the scaling of the first", c.sixteen, c.eight, v.String(), c.want)
		}
		if got := strings.Join(s.Turns, " "); got != "boost boost-i8 boost-1-thread lightgbm-row" {
			t.Errorf("turns of %q", got)
		}
	}
}

func TestSlowPeersAreNamed(t *testing.T) {
	s := &peers.Session{Row: row(nil)}
	err := s.Measure(t.Context(), &peers.Plan{Contenders: []peers.Contender{contender(peers.BoostName, "boost=2"), contender("lightgbm-row", "stuck")},
		Folder: table(t), Budget: 2 * time.Second, Words: io.Discard, Save: func() error { return nil }})
	if err != nil || len(s.Missing) != 1 || s.Missing[0].Why != "not finished in a time of 1 s" {
		t.Errorf("missing %+v, error %v", s.Missing, err)
	}
}

func TestMeasureFails(t *testing.T) {
	for role, want := range map[string]string{"broken": "no such column", "silent": "printed", "none=0": "no seconds of train"} {
		err := measure(t, &peers.Session{Row: row(nil)}, io.Discard, contender(peers.BoostName, role))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", role, err, want)
		}
	}
	err := (&peers.Session{Row: row(nil)}).Measure(t.Context(), &peers.Plan{Folder: t.TempDir()})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no table: error %v", err)
	}
}

// An interrupted session goes on where it was, and only for the same program and row.
func TestSessionGoesOn(t *testing.T) {
	folder, data := t.TempDir(), table(t)
	fresh := func() *peers.Session {
		return &peers.Session{Build: "a", Row: row(nil), Command: "make peers ROW=dense"}
	}
	h, err := peers.Open(folder, "dense")
	if err != nil {
		t.Fatal(err)
	}
	s, resumed := h.Begin(fresh(), false)
	if resumed {
		t.Error("there was nothing to go on with")
	}
	interrupted := errors.New("interrupted")
	plan := peers.Plan{Contenders: []peers.Contender{contender(peers.BoostName, "boost=2"), contender("lightgbm-row", "lightgbm=6")},
		Folder: data, Budget: time.Minute, Words: io.Discard}
	plan.Save = func() error {
		if len(s.Runs) == 4 {
			return errors.Join(h.Save(), interrupted)
		}
		return h.Save()
	}
	if err := s.Measure(t.Context(), &plan); !errors.Is(err, interrupted) {
		t.Fatal(err)
	}
	before := s.Runs

	if h, err = peers.Open(folder, "dense"); err != nil {
		t.Fatal(err)
	}
	if h.Latest() != nil {
		t.Error("an interrupted session counts as done")
	}
	other := fresh()
	other.Build = "b"
	if _, resumed := (&peers.History{Sessions: []*peers.Session{h.Sessions[0]}}).Begin(other, false); resumed {
		t.Error("another program goes on with the session")
	}
	if s, resumed = h.Begin(fresh(), false); !resumed {
		t.Fatal("the session was not taken up")
	}
	plan.Save = h.Save
	if err := s.Measure(t.Context(), &plan); err != nil {
		t.Fatal(err)
	}
	if len(s.Runs) != 1+2*peers.Least || !slices.Equal(s.Runs[:4], before) {
		t.Errorf("%d runs, want 1 of the first part and 2 in each of %d turns, the first four as before", len(s.Runs), peers.Least)
	}
	h.Begin(fresh(), false)
	if len(h.Sessions) != 2 || h.Latest() != s {
		t.Errorf("a new session is added to %d", len(h.Sessions))
	}

	document := filepath.Join(folder, "performance.md")
	if err := os.WriteFile(document, []byte("# Speed\n\nText.\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.UpdateDocument(document, folder); err != nil {
			t.Fatal(err)
		}
	}
	for path, wants := range map[string][]string{
		document:                  {"# Speed\n\nText.\n", "| 3.0 × | 2.000 | 6.000 (lightgbm-row) | 3.00 × |", "`wide` (dense 50k × 2,000)"},
		peers.DetailsPath(folder): {"# Training beside", "### a small one", "`make peers ROW=dense`", "Versions: lightgbm 1, boost 1.", "begin peers machines", "begin peers quality"},
	} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if strings.Count(string(text), want) != 1 {
				t.Errorf("%q should stand once in %s:\n%s", want, path, text)
			}
		}
	}
}

// A row measured on several processors has its last session on each in the table of machines.
func TestMachines(t *testing.T) {
	session := func(cpu, commit string, contenders ...peers.Contender) *peers.Session {
		s := &peers.Session{Row: row(nil), Machine: machine.Info{CPU: cpu, Commit: commit}}
		if err := measure(t, s, io.Discard, contenders...); err != nil {
			t.Fatal(err)
		}
		return s
	}
	fast := func(cpu, commit string) *peers.Session {
		return session(cpu, commit, contender(peers.BoostName, "train=2"), contender("lightgbm-row", "lightgbm=6"))
	}
	interrupted := fast("A", "five")
	interrupted.Done = false
	one, several := &peers.History{Sessions: []*peers.Session{fast("A", "one")}}, &peers.History{
		Sessions: []*peers.Session{fast("A", "two"), fast("B", "three"), fast("A", "four"), interrupted},
	}
	var out bytes.Buffer
	peers.Machines(&out, []*peers.History{one, several})
	_, body, _ := strings.Cut(out.String(), "--:|\n")
	want := "| `dense` | A | four | 2.000 | 6.000 (lightgbm-row) | 3.00 × | 6.000 (lightgbm-row) | 3.00 × | – |\n" +
		"| `dense` | B | three | 2.000 | 6.000 (lightgbm-row) | 3.00 × | 6.000 (lightgbm-row) | 3.00 × | – |\n"
	if body != want {
		t.Errorf("lines\n%swant\n%s", body, want)
	}
}

func TestRows(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range peers.Rows() {
		if seen[r.Name] {
			t.Errorf("two rows are called %s", r.Name)
		}
		seen[r.Name] = true
		if _, err := synth.New(r.Kind, r.Seed, r.Columns); err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
		if r.Trial >= r.Rounds || r.Target < 1 || r.Title == "" || !slices.Contains(peers.Tasks(), r.Task) || r.Fits > 0 && (r.Rows%r.Fits > 0 || r.Test%r.Fits > 0) {
			t.Errorf("%+v", r)
		}
		list := peers.Contenders(r, "self", "python", "peer.py")
		ours := []string{peers.BoostName, peers.EightBits}
		if r.Task == peers.Bin { // whose time has no gradients
			ours = ours[:1]
		}
		for i, c := range list {
			if i < len(ours) && (c.Name != ours[i] || c.Command[0] != "self") || i >= len(ours) && strings.Join(c.Command[:2], " ") != "python peer.py" {
				t.Errorf("%s: contender %d is %+v", r.Name, i, c)
			}
		}
	}
	if _, err := peers.RowNamed("higgs"); err == nil || !strings.Contains(err.Error(), "airline") {
		t.Errorf("an unknown row: error %v, want one that lists the names", err)
	}
}
