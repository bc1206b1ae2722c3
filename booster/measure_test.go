package booster_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"boost/booster"
	"boost/dataset"
)

// plansTable is large enough for several threads and blocks of rows, and has columns of
// 4, 8 and 16 bits.
func plansTable(t *testing.T) *dataset.Table {
	t.Helper()
	const rows = 70_000
	r := rand.New(rand.NewPCG(41, 42))
	label := make([]float64, rows)
	var columns []dataset.ColumnData
	for f, values := range []int{10, 200, 9, 250, 1000, 14} {
		column := make([]float64, rows)
		for row := range column {
			column[row] = float64(r.IntN(values))
			label[row] += column[row] / float64(values) * float64(1+f%3)
		}
		columns = append(columns, dataset.ColumnData{Name: fmt.Sprintf("f%d", f), Values: column})
	}
	return mustColumns(t, append(columns, dataset.ColumnData{Name: "y", Values: label}))
}

func plansParams() booster.Params {
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Threads, p.Verify = "regression", 3, 3, true
	p.Tree.Leaves, p.Binning.MaxBin = 12, 1000
	return p
}

// Every plan that may win gives the model that the builder by columns gives.
func TestPlansGiveOneModel(t *testing.T) {
	table := plansTable(t)
	byRows := []string{"row by rows", "row by rows, 2048 at a time", "sequential by rows"}
	byColumns := []string{"row", "row, 2048 at a time", "feature"}
	for _, c := range []struct {
		mode, layout, builder string
		threads               int
		plans                 []string
	}{
		{"i16", "auto", "auto", 3, append(slices.Clone(byRows), byColumns...)},
		{"i32", "auto", "auto", 3, append(slices.Clone(byRows), byColumns...)},
		{"i8", "auto", "auto", 3, append(slices.Clone(byRows), byColumns...)},
		{"f32", "auto", "auto", 3, []string{"row by rows", "sequential by rows", "row", "feature"}},
		{"i16", "auto", "auto", 1, []string{"sequential by rows", "sequential", "feature"}},
		{"i16", "both", "auto", 3, append(slices.Clone(byRows), "feature")},
		{"i16", "col", "auto", 3, append(slices.Clone(byColumns), "sequential")},
		{"i16", "row", "auto", 3, []string{"row", "row, 2048 at a time", "sequential"}},
		{"i16", "csr", "auto", 3, []string{"row", "row, 2048 at a time", "sequential"}},
		{"i16", "auto", "row", 1, []string{"row by rows", "row", "row by rows, 2048 at a time", "row, 2048 at a time"}},
		{"i16", "auto", "sequential", 3, []string{"sequential by rows", "sequential"}},
		{"i16", "auto", "feature", 3, []string{"feature"}},
	} {
		t.Run(fmt.Sprintf("%s/%s/%s/%d", c.mode, c.layout, c.builder, c.threads), func(t *testing.T) {
			p := plansParams()
			p.Gradients, p.Binning.Layout, p.Builder = c.mode, "col", "feature"
			want := hash(t, p, table)
			p.Binning.Layout, p.Builder, p.Threads = c.layout, c.builder, c.threads
			for _, plan := range c.plans {
				var report booster.Report
				undo := booster.SetPlan(plan)
				got := hash(t, p, table, booster.WithReport(&report))
				undo()
				if got != want {
					t.Errorf("%s: another model", plan)
				}
				if strategy := strings.FieldsFunc(plan, func(r rune) bool { return r == ' ' || r == ',' })[0]; report.Builder != strategy {
					t.Errorf("%s: builder %q", plan, report.Builder)
				}
			}
			// No other plan is open.
			defer booster.SetPlan("none")()
			_, err := booster.Train(t.Context(), p, table)
			if !errors.Is(err, booster.ErrParams) {
				t.Fatal(err)
			}
			_, list, _ := strings.Cut(err.Error(), "among ")
			if got := openPlans(list); !slices.Equal(got, sorted(c.plans)) {
				t.Errorf("open are %q, want %q", got, sorted(c.plans))
			}
		})
	}
}

var planName = regexp.MustCompile(`(sequential|feature|row)( by rows)?(, \d+ at a time)?`)

func openPlans(list string) []string { return sorted(planName.FindAllString(list, -1)) }

func sorted(names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	return names
}

// What was asked for is not measured against other ways, and small tables and short
// trainings not at all.
func TestMeasuredPlans(t *testing.T) {
	table := plansTable(t)
	const cells = 70_000 * 6
	for _, c := range []struct {
		name    string
		worth   int
		change  func(p *booster.Params)
		measure []string // plans, nil for no measuring
	}{
		{"open", cells, func(*booster.Params) {}, []string{
			"row by rows", "row by rows, 2048 at a time", "sequential by rows", "row", "row, 2048 at a time", "feature"}},
		{"builder row", cells, func(p *booster.Params) { p.Builder = "row" }, []string{
			"row by rows", "row by rows, 2048 at a time", "row", "row, 2048 at a time"}},
		{"builder row, layout both", cells, func(p *booster.Params) { p.Builder, p.Binning.Layout = "row", "both" }, []string{
			"row by rows", "row by rows, 2048 at a time"}},
		{"builder feature", cells, func(p *booster.Params) { p.Builder = "feature" }, nil},
		{"builder sequential, layout col", cells, func(p *booster.Params) { p.Builder, p.Binning.Layout = "sequential", "col" }, nil},
		{"too few cells", cells + 1, func(*booster.Params) {}, nil},
		// 1 + 2·6 trees measure in a short training; there have to be three times as many.
		{"few rounds", cells, func(p *booster.Params) { p.Rounds = 39 }, []string{
			"row by rows", "row by rows, 2048 at a time", "sequential by rows", "row", "row, 2048 at a time", "feature"}},
		{"too few rounds", cells, func(p *booster.Params) { p.Rounds = 38 }, nil},
		{"preset fast", cells, func(p *booster.Params) {
			p.Rounds = booster.Defaults().Rounds
			if err := p.UsePreset("fast"); err != nil {
				t.Fatal(err)
			}
		}, []string{
			"row by rows", "row by rows, 2048 at a time", "sequential by rows", "row", "row, 2048 at a time", "feature"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := plansParams()
			p.Rounds = 57
			p.Verify = false
			c.change(&p)
			want := hash(t, p, table)
			defer booster.SetWorthMeasuring(c.worth)()
			var report booster.Report
			said := &bytes.Buffer{}
			got := hash(t, p, table, booster.WithReport(&report), booster.Logger(slog.New(slog.NewTextHandler(said, &slog.HandlerOptions{Level: slog.LevelDebug}))))
			if got != want {
				t.Error("another model than without measuring")
			}
			if measured := measuredPlans(said.String()); !slices.Equal(measured, sorted(c.measure)) {
				t.Errorf("measured are %q, want %q", measured, sorted(c.measure))
			}
			if c.measure != nil && !strings.Contains(said.String(), "strategy="+report.Builder+" plan=") {
				t.Errorf("builder %q is not what won:\n%s", report.Builder, said)
			}
		})
	}
}

var measuredLine = regexp.MustCompile(
	`msg="plan (?:measured" plan="?([^"=]*?)"? ns_per_row_and_feature=\d+\.\d{3}|not measured: its like is far slower" plan="?([^"=]*?)"?)\n`)

// measuredPlans lists the plans that a log has times of, or says why it has not.
func measuredPlans(log string) []string {
	var names []string
	for _, m := range measuredLine.FindAllStringSubmatch(log, -1) {
		names = append(names, m[1]+m[2])
	}
	return sorted(names)
}

// A cache keeps what was measured: a later run takes it over, under the same
// circumstances only, and the same model comes out. A cache with a damaged plan is made
// anew as any damaged one.
func TestCachedPlan(t *testing.T) {
	defer booster.SetWorthMeasuring(1)()
	r := &cacheRun{params: waysParams(func(p *booster.Params) { p.Rounds, p.Threads, p.Builder = 60, 2, "row" }), input: booster.Input{
		Train: mixedFiles(t, 5, 12_000, false), Options: []dataset.Option{dataset.Label("y"), dataset.ID("id")}}}
	want := r.train(t)
	const measured, kept = "measured on the first trees", "was the fastest in an earlier run, says the cache"
	says := func(what, reason string, cached bool) {
		t.Helper()
		got := r.train(t)
		said := r.log.String()
		if got != want || r.cached != cached {
			t.Fatalf("%s: model %s, want %s (cached %v)", what, got, want, r.cached)
		}
		if strings.Contains(said, measured) != (reason == measured) || strings.Contains(said, kept) != (reason == kept) {
			t.Fatalf("%s: want %q; log:\n%s", what, reason, said)
		}
	}
	says("no cache", measured, false)
	r.input.Cache = filepath.Join(t.TempDir(), "c.cache")
	says("written", measured, false)
	says("used", kept, true)
	r.params.Threads = 3
	says("other threads", measured, true)
	says("other threads again", kept, true)
	r.params.Threads = 2
	says("the first number of threads", kept, true)
	r.params.Builder = "feature"
	says("another builder asked for", "", true)
	r.params.Builder = "row"
	change := func(edit func(b []byte) []byte) {
		t.Helper()
		b, err := os.ReadFile(r.input.Cache)
		if err == nil {
			err = os.WriteFile(r.input.Cache, edit(b), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var plans []byte
	change(func(b []byte) []byte {
		plans = bytes.Clone(b[booster.PlansStart:booster.PlansEnd])
		if n := bytes.Count(plans, []byte(`"plan":`)); n != 2 {
			t.Errorf("%d plans are kept, want 2: %q", n, plans)
		}
		b[booster.PlansStart+20] ^= 1
		return b
	})
	says("damaged", measured, false)
	if !strings.Contains(r.log.String(), "the checksum of the measured plans does not match") {
		t.Errorf("the log does not say why:\n%s", &r.log)
	}
	says("made anew", kept, true)
	// A name that no plan of this program has: nothing is wrong with the rest.
	change(func(b []byte) []byte {
		copy(b[booster.PlansStart:], booster.PlansWith(plans, "mystery"))
		return b
	})
	says("an unknown plan", measured, true)
	says("written over", kept, true)
	if err := os.Chmod(r.input.Cache, 0o400); err != nil {
		t.Fatal(err)
	}
	r.params.Threads = 4
	if os.Getuid() != 0 {
		says("a cache that cannot be written", measured, true)
		if !strings.Contains(r.log.String(), "is not kept in the cache") {
			t.Errorf("that is not said:\n%s", &r.log)
		}
	}
}

// The plans of as many runs as there is room for are kept, the latest ones.
func TestManyPlans(t *testing.T) {
	defer booster.SetWorthMeasuring(1)()
	r := &cacheRun{params: waysParams(func(p *booster.Params) { p.Rounds = 60 }), input: booster.Input{
		Train: mixedFiles(t, 5, 90, false), Options: []dataset.Option{dataset.Label("y"), dataset.ID("id")}, Cache: filepath.Join(t.TempDir(), "c.cache")}}
	r.train(t)
	for i := range 40 { // 97 bytes each
		if err := booster.KeepPlan(r.input.Cache, fmt.Sprintf("%d threads, and much else that makes the words for a run rather long", i), "feature"); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(r.input.Cache)
	if err != nil {
		t.Fatal(err)
	}
	plans := b[booster.PlansStart:booster.PlansEnd]
	if !bytes.Contains(plans, []byte(`"39 threads`)) || !bytes.Contains(plans, []byte(`"21 threads`)) || bytes.Contains(plans, []byte(`"18 threads`)) {
		t.Errorf("kept are %q", plans)
	}
	if r.train(t); !r.cached {
		t.Errorf("the cache is not used:\n%s", &r.log)
	}
	if err := booster.KeepPlan(filepath.Join(t.TempDir(), "absent"), "", ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a cache: %v", err)
	}
}
