package sizes_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boost/benchmarks/harness"
	"boost/benchmarks/sizes"
	"boost/booster"
	"boost/dataset"
)

// The test binary plays the other programs.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == "contender" {
		os.Exit(contend(os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}

// modelText is of no program.
var modelText = strings.Repeat("tree\n", 100)

// contend takes a role: good, or broken, or absent.
func contend(role string, args []string) int {
	flags := map[string]string{}
	for i := 1; i+1 < len(args); i += 2 {
		flags[args[i]] = args[i+1]
	}
	switch role {
	case "absent":
		return harness.NotInstalled
	case "broken":
		fmt.Fprintln(os.Stderr, "no such column")
		return 1
	}
	if flags["--rounds"] != "3" || flags["--leaves"] != "4" || flags["--threads"] != "2" || flags["--set"] != "folder" {
		return 1
	}
	if err := os.WriteFile(filepath.Join(flags["--out"], "model.txt"), []byte(modelText), 0o666); err != nil {
		return 1
	}
	fmt.Printf(`{"version": "%s 1", "seconds": 2, "loss": 0.5, "trees": 2, "leaves": 3, "files": {"text": "model.txt"}}`, args[0])
	return 0
}

func plan(t *testing.T, trainer string) *sizes.Plan {
	t.Helper()
	return &sizes.Plan{
		Trainers: []sizes.Trainer{{Name: sizes.LightGBM, Command: []string{os.Args[0], "contender", trainer}}},
		Folder:   "folder", Threads: 2,
		Zstd: sizes.NewCompressor(t.Context()), Words: io.Discard, Save: func() error { return nil },
	}
}

func TestMeasurePeers(t *testing.T) {
	s := &sizes.Set{Name: "flights", Rounds: 3, Leaves: 4}
	if err := s.MeasurePeers(t.Context(), plan(t, "absent")); err != nil || len(s.Peers) != 0 {
		t.Errorf("an absent program: %v", err)
	}
	if err := s.MeasurePeers(t.Context(), plan(t, "broken")); err == nil || !strings.Contains(err.Error(), "flights: lightgbm: ") || !strings.Contains(err.Error(), "no such column") {
		t.Errorf("a broken program: %v", err)
	}
	if err := s.MeasurePeers(t.Context(), plan(t, "good")); err != nil {
		t.Fatal(err)
	}
	p := s.Peers[0]
	if p.Name != sizes.LightGBM || p.Version != "lightgbm 1" || p.Leaves != 3 || p.Loss != 0.5 || len(p.Files) != 1 {
		t.Fatalf("%+v", p)
	}
	if f := p.Files[0]; f.Name != sizes.TextFile || f.Bytes != int64(len(modelText)) || f.Zstd <= 0 || f.Zstd >= f.Bytes {
		t.Errorf("%+v, want the %d bytes of the text", f, len(modelText))
	}
	if err := s.MeasurePeers(t.Context(), plan(t, "broken")); err != nil {
		t.Errorf("what is known is measured again: %v", err)
	}
}

// trained is a model on 3,000 rows of numbers and categories, and as many other rows.
func trained(t *testing.T) (*booster.Model, *dataset.Table) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 5))
	rows := func() *dataset.Table {
		n := 3000
		x, z, y := make([]float64, n), make([]string, n), make([]float64, n)
		for i := range n {
			x[i], z[i] = r.NormFloat64(), []string{"p", "q", "r", "s", "t", "u"}[r.IntN(6)]
			y[i] = math.Sin(3*x[i]) + float64(z[i][0]%3) + 0.3*r.NormFloat64()
		}
		table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "x", Values: x}, {Name: "z", Values: z}, {Name: "y", Values: y}}, dataset.Label("y"))
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	p := booster.Defaults()
	p.Objective, p.Rounds = "regression", 20
	train := rows()
	m, err := booster.Train(t.Context(), p, train)
	if err != nil {
		t.Fatal(err)
	}
	other, err := rows().As(train.Schema())
	if err != nil {
		t.Fatal(err)
	}
	return m, other
}

// Parts add up to the file; what another program did stays, and all of boost's forms are made anew.
func TestRecordGoesOn(t *testing.T) {
	m, data := trained(t)
	path := filepath.Join(t.TempDir(), "results", "sizes.json")
	fresh := sizes.Record{Zstd: "z", Command: "make sizes"}
	about := sizes.Set{Name: "flights", Rounds: 3, Leaves: 4}
	open := func(about sizes.Set) (*sizes.Record, *sizes.Set) {
		r, err := sizes.Open(path, fresh)
		if err != nil {
			t.Fatal(err)
		}
		return r, r.Set(about)
	}
	r, s := open(about)
	p := plan(t, "good")
	p.Save = func() error { return r.Save(path) }
	if err := s.MeasurePeers(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	r, s = open(about)
	s.Ours = []sizes.Form{{Name: "of before"}}
	if err := s.MeasureOurs(t.Context(), p, m, data); err != nil {
		t.Fatal(err)
	}
	var names []string
	for i, f := range s.Ours {
		names = append(names, f.Name)
		if f.Short != "" {
			t.Errorf("%s: %s", f.Name, f.Short)
			continue
		}
		q := f.Parts
		sum := q.Structure + q.Leaves + q.Cuts + q.Dictionaries + q.Statistics + q.About + q.Container
		if sum != f.File.Bytes || q.Container < 36 || q.Structure <= 0 || q.Leaves <= 0 || q.About <= 0 || (q.Statistics > 0) != (i < 1) || !f.Pruned && f.Whole() != 620 || f.Nodes != f.Leaves-20 || f.Merged != 0 && f.Certified == nil {
			t.Errorf("%+v", f)
		}
		if wants := f.MaxLoss > 0; wants != (f.Certified != nil) || wants && f.Certified.Bound > f.MaxLoss {
			t.Errorf("%s: certificate %+v", f.Name, f.Certified)
		}
	}
	if want := []string{"full", "lossless", "Q4_0, no data", "≤ 0.1 %", "≤ 0.5 %", "≤ 0.1 %, pruned", "≤ 0.5 %, pruned"}; !slices.Equal(names, want) {
		t.Errorf("forms %q, want %q", names, want)
	}
	if _, s := open(about); len(s.Ours) != 7 || len(s.Peers) != 1 {
		t.Errorf("%d forms and %d programs were kept, want 7 and 1", len(s.Ours), len(s.Peers))
	}
	about.Rounds = 4
	if _, s := open(about); len(s.Ours) != 0 || len(s.Peers) != 0 {
		t.Errorf("%d forms and %d programs of other settings were kept", len(s.Ours), len(s.Peers))
	}
	fresh.Zstd = "another"
	if r, _ := open(about); len(r.Sets) != 1 || len(r.Sets[0].Peers) != 0 {
		t.Error("what another compressor made of files is kept")
	}
}

// By hand: the text has 200,000 bytes, 60,000 compressed; 9,000 bytes at 0.1 % are 22.2 and
// 6.67 times less and 3.6 bytes a leaf of 2,500, of which the file has 2,400; 4,500 bytes at 0.5 % 44.4 times.
func record() *sizes.Record {
	peer := func(name string, files ...sizes.File) sizes.Peer {
		return sizes.Peer{Name: name, Version: name + " 1", Loss: 0.5, Trees: 2, Leaves: 2480, Files: files}
	}
	form := func(name string, loss float64, bytes int64) sizes.Form {
		return sizes.Form{
			Name: name, MaxLoss: loss, Format: "I16", Commit: "abc", File: sizes.File{Bytes: bytes, Zstd: bytes + 13}, Leaves: 2500, Nodes: 2420, NodeBytes: 1.5, SetBytes: 0.25, Seconds: 3,
			Parts:     sizes.Parts{Structure: 4000, Leaves: bytes - 5000, Cuts: 600, Dictionaries: 1, About: 300, Container: 99},
			Certified: &sizes.Certified{Rows: 900, Metric: "rmse", Before: 2, After: 2.001, Bound: 0.0009},
		}
	}
	full := form("full", 0, 50000)
	full.Format, full.Certified = "", nil
	tight := form("≤ 0.1 %", sizes.Tight, 9000)
	tight.Leaves, tight.Merged, tight.Nodes = 2400, 100, 2320
	return &sizes.Record{Command: "make sizes", Zstd: "zstd -19", Threads: 2, Sets: []*sizes.Set{{
		Name: "flights", Metric: "rmse", Rows: 1000, TestRows: 1800, Columns: 7, Rounds: 80, Leaves: 31, Loss: 0.4,
		Peers: []sizes.Peer{
			peer(sizes.LightGBM, sizes.File{Name: sizes.TextFile, Bytes: 200_000, Zstd: 60_000}),
			peer("catboost", sizes.File{Name: "cbm", Bytes: 90_000, Zstd: 40_000}), peer("catboost-lossguide", sizes.File{Name: "cbm", Bytes: 45_000, Zstd: 40_000}),
		},
		Ours: []sizes.Form{full, tight, form("≤ 0.5 %", sizes.Wide, 4500)},
	}, {Name: "half done"}}}
}

func TestWrite(t *testing.T) {
	r := record()
	var b bytes.Buffer
	r.Write(&b)
	for _, want := range []string{
		"| flights | 1800 | 22.2 ×, pass | 6.67 ×, pass | 44.4 ×, **short** | 3.60, **short** | 1.50, pass |",
		"| geometric mean | | 22.2 ×, 1 of 1 pass | 6.67 ×, 1 of 1 pass | 44.4 ×, 0 of 1 pass | 3.60, 0 of 1 pass | 1.50, 1 of 1 pass |",
		"| flights | ≤ 0.1 % | I16 | 9000 | 22.2 | 6.7 | – | 5.0 | rmse 2 | 2.001 | +0.050 % | 0.090 % | 900 | 3.0 |",
		"| flights | ≤ 0.1 % | 9000 | 4000 | 4000 | 600 | 1 | 0 | 300 | 99 | 2500 | 2400 | 3.60 | 1.50 | 0.25 | 9013 |",
		"| flights | full | 50000 | 4000 | 45000 | 600 | 1 | 0 | 300 | 99 | 2500 | 2500 | 20.0 | – | – | 50013 |",
		"| flights | 1000 × 7 (0 of categories) | 80 × 31 | 200000 | 60000 | – | – | – | – | 90000 | 40000 | 45000 | 40000 | 2480 | – | 2480 | 2480 | 2500 |",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
	if strings.Contains(b.String(), "half done") {
		t.Error("a set that is half measured is shown")
	}
	width := 0
	for line := range strings.Lines(b.String()) {
		if !strings.HasPrefix(line, "|") {
			width = 0
		} else if n := strings.Count(line, "|"); width == 0 {
			width = n
		} else if n != width {
			t.Errorf("%q has %d columns, its table %d", line, n-1, width-1)
		}
	}
}

// What is pruned counts, larger or smaller, but not as what is not; a bound that no model keeps
// is said to be short.
func TestChosen(t *testing.T) {
	s := record().Sets[0]
	pruned := s.Ours[1]
	pruned.Name, pruned.Pruned, pruned.File.Bytes = "≤ 0.1 %, pruned", true, 9999
	s.Ours = append(s.Ours, pruned)
	for _, c := range []struct {
		bound  float64
		pruned bool
		bytes  int64
	}{{sizes.Tight, true, 9999}, {sizes.Tight, false, 9000}, {sizes.Wide, true, 4500}} {
		if f := s.Chosen(c.bound, c.pruned); f == nil || f.File.Bytes != c.bytes {
			t.Errorf("≤ %v, pruned %t: %+v, want %d bytes", c.bound, c.pruned, f, c.bytes)
		}
	}
	s = record().Sets[0]
	s.Ours[1] = sizes.Form{Name: "≤ 0.1 %", MaxLoss: sizes.Tight, Short: "the smallest has 7 bytes", Seconds: 2}
	var b bytes.Buffer
	(&sizes.Record{Sets: []*sizes.Set{s}}).Write(&b)
	for _, want := range []string{
		"| flights | 1800 | no such model, short | no such model, short | 44.4 ×, **short** | no such model, short | no such model, short |",
		"| flights | ≤ 0.1 % | none: the smallest has 7 bytes |",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
}

func TestTargets(t *testing.T) {
	for _, c := range []struct {
		target      sizes.Target
		figure      float64
		met, enough bool
	}{
		{sizes.Targets[0], 20, true, true}, {sizes.Targets[0], 19.9, false, true}, {sizes.Targets[0], 9.9, false, false},
		{sizes.Targets[1], 5.9, false, false}, {sizes.Targets[3], 3, true, true}, {sizes.Targets[3], 3.01, false, false},
	} {
		if met, enough := c.target.Met(c.figure); met != c.met || enough != c.enough {
			t.Errorf("%s: %v is %t, %t", c.target.Name, c.figure, met, enough)
		}
	}
	if got, want := sizes.Targets[0].Bound(), "≥ 20 × (done from 10)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestUpdateDocument(t *testing.T) {
	path := filepath.Join(t.TempDir(), "compression.md")
	if err := os.WriteFile(path, []byte("# Small models\n\n<!-- begin sizes -->\nold\n<!-- end sizes -->\n\nafter\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := record().UpdateDocument(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if got := string(text); err != nil || strings.Contains(got, "old") || !strings.HasSuffix(got, "after\n") ||
		!strings.Contains(got, "Versions: lightgbm 1, catboost 1, catboost-lossguide 1. Commits of boost: abc.") || !strings.Contains(got, "`make sizes`") {
		t.Errorf("error %v, document\n%s", err, got)
	}
}

// The record reads back as it was.
func TestRecordJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sizes.json")
	r := record()
	if err := r.Save(path); err != nil {
		t.Fatal(err)
	}
	back, err := sizes.Open(path, sizes.Record{Command: r.Command, Zstd: r.Zstd, Threads: r.Threads})
	if err != nil {
		t.Fatal(err)
	}
	want, _ := json.Marshal(r)
	if got, _ := json.Marshal(back); !bytes.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
