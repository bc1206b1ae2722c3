package tune_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"boost/booster"
	"boost/booster/search"
	"boost/booster/search/tune"
	"boost/dataset"
)

// example makes a table of n rows whose label depends on three columns and noise.
func example(t *testing.T, n int) *dataset.Table {
	t.Helper()
	r := rand.New(rand.NewPCG(7, uint64(n)))
	y, a, b, c := make([]float64, n), make([]float64, n), make([]float64, n), make([]string, n)
	for i := range n {
		a[i], b[i], c[i] = r.NormFloat64(), float64(r.IntN(40)), string('p'+rune(r.IntN(5)))
		y[i] = math.Sin(2*a[i]) + b[i]/20 + r.NormFloat64()*0.5
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "y", Values: y}, {Name: "a", Values: a}, {Name: "b", Values: b}, {Name: "c", Values: c}}, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func params() booster.Params {
	p := booster.Defaults()
	p.Objective, p.Rounds, p.LearningRate, p.Tree.Leaves, p.Tree.MinDataInLeaf = "regression", 30, 0.3, 8, 5
	return p
}

func dimension(t *testing.T, name, values string) tune.Dimension {
	t.Helper()
	d, err := tune.Parse(name, values)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func space(t *testing.T) tune.Space {
	return tune.Space{
		dimension(t, "train.learning_rate", "0.05..0.5:log"), dimension(t, "tree.leaves", "2..40:log"),
		dimension(t, "tree.extra_trees", "false,true"), dimension(t, "sampling.col_node", "0.3..1"),
	}
}

func search5(t *testing.T, trials int) tune.Params {
	return tune.Params{Division: search.Division{Folds: 3, Seed: 5}, Space: space(t), Trials: trials}
}

func find(t *testing.T, p booster.Params, table *dataset.Table, c tune.Params) *tune.Result {
	t.Helper()
	r, err := tune.Search(t.Context(), p, table, c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// described are the trials without their times.
func described(r *tune.Result) string {
	var all strings.Builder
	for _, trial := range r.Trials {
		trial.Seconds = 0
		fmt.Fprintf(&all, "%+v\n", trial)
	}
	return all.String()
}

// The trials are the same for any number of threads.
func TestThreads(t *testing.T) {
	table, c := example(t, 600), search5(t, 25)
	want := ""
	for _, threads := range []int{1, 2, 3, 8} {
		p := params()
		p.Threads = threads
		r := find(t, p, table, c)
		if got := described(r); want == "" {
			want = got
		} else if got != want {
			t.Fatalf("%d threads:\n%s\nwant\n%s", threads, got, want)
		}
	}
	if !strings.Contains(want, "State:pruned") {
		t.Errorf("no trial was given up:\n%s", want)
	}
}

// A trial's value is what cross-validation finds for the same parameters, and the result's parameters are those of the best.
func TestValues(t *testing.T) {
	table, c := example(t, 600), search5(t, 6)
	c.NoPrune = true
	r := find(t, params(), table, c)
	for _, trial := range r.Trials {
		p := params()
		for i, d := range c.Space {
			switch d.Name {
			case "train.learning_rate":
				fmt.Sscan(trial.Values[i], &p.LearningRate)
			case "tree.leaves":
				fmt.Sscan(trial.Values[i], &p.Tree.Leaves)
			case "tree.extra_trees":
				p.Tree.ExtraTrees = trial.Values[i] == "true"
			case "sampling.col_node":
				fmt.Sscan(trial.Values[i], &p.Tree.ColNode)
			}
		}
		cv, err := search.CrossValidate(t.Context(), p, table, search.Params{Division: c.Division})
		if err != nil {
			t.Fatal(err)
		}
		if m := cv.Metrics[0]; m.Mean != trial.Value || m.Deviation != trial.Deviation || cv.Best != trial.Best {
			t.Errorf("trial %d: %v ± %v after %d, cross-validation has %v ± %v after %d", trial.Number, trial.Value, trial.Deviation, trial.Best, m.Mean, m.Deviation, cv.Best)
		}
		if best := r.Trials[r.Best]; trial.Value < best.Value {
			t.Errorf("trial %d with %v is better than the best, %d with %v", trial.Number, trial.Value, best.Number, best.Value)
		}
		if trial.Number == r.Best && (p.LearningRate != r.Params.LearningRate || p.Tree.Leaves != r.Params.Tree.Leaves || r.Params.Rounds != trial.Best) {
			t.Errorf("parameters %+v are not those of trial %d", r.Params, r.Best)
		}
	}
}

// A study that was stopped anywhere, in the middle of a line too, goes on to the same trials.
func TestStudy(t *testing.T) {
	table, c := example(t, 300), search5(t, 14)
	path := filepath.Join(t.TempDir(), "a.study")
	c.Study = path
	want := described(find(t, params(), table, c))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	seconds := regexp.MustCompile(`"seconds":[^,}]*`)
	r := rand.New(rand.NewPCG(1, 2))
	for _, at := range []int{0, 1, bytes.IndexByte(whole, '\n'), bytes.IndexByte(whole, '\n') + 1, len(whole) - 1, len(whole), r.IntN(len(whole)), r.IntN(len(whole)), r.IntN(len(whole)), r.IntN(len(whole))} {
		if err := os.WriteFile(path, whole[:at], 0o600); err != nil {
			t.Fatal(err)
		}
		p := params()
		p.Threads = 1 + at%3
		if got := described(find(t, p, table, c)); got != want {
			t.Fatalf("from byte %d of %d:\n%s\nwant\n%s", at, len(whole), got, want)
		}
		again, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(seconds.ReplaceAll(again, nil), seconds.ReplaceAll(whole, nil)) {
			t.Fatalf("from byte %d of %d the study is\n%s\nwant\n%s", at, len(whole), again, whole)
		}
	}
	c.Trials = 16
	if r := find(t, params(), table, c); len(r.Trials) != 16 || !strings.HasPrefix(described(r), want) {
		t.Errorf("two more trials:\n%s\nwant those before first\n%s", described(r), want)
	}
}

// A study whose folds have other rows is refused, also where nothing else that it says differs. One of an older version, which
// does not say the rows, is gone on from only where they cannot differ.
func TestStudyOfOtherFolds(t *testing.T) {
	grouped := func(of func(row int) int) *dataset.Table {
		plain := example(t, 120)
		g, y, a := make([]string, 120), plain.LabelColumn().Float64s(), plain.Column("a").Float64s()
		for row := range g {
			g[row] = fmt.Sprint(of(row))
		}
		table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "y", Values: y}, {Name: "a", Values: a}, {Name: "g", Values: g}}, dataset.Label("y"), dataset.ID("g"))
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	here, there := grouped(func(row int) int { return row % 12 }), grouped(func(row int) int { return row / 10 })
	older := regexp.MustCompile(`,"rows of the folds":"[0-9a-f]*"`)
	for _, test := range []struct {
		name         string
		first, other search.Division
		table, taken *dataset.Table
		want, old    string
	}{
		{"groups", search.Division{Folds: 3, GroupBy: "g"}, search.Division{Folds: 3, GroupBy: "g"}, here, there, `column "g", which divides them, had other values`, "did not note the rows"},
		{"times", search.Division{Folds: 3, Time: "g"}, search.Division{Folds: 3, Time: "g"}, here, there, `column "g", which divides them, had other values`, "did not note the rows"},
		{"repeats", search.Division{Folds: 2, Repeats: 3}, search.Division{Folds: 3, Repeats: 2}, here, here, "or the numbers of folds and repeats of then", "did not note the rows"},
		{"rows", search.Division{Folds: 3}, search.Division{Folds: 3}, here, there, "", ""},
		{"a feature", search.Division{Folds: 2, Time: "a"}, search.Division{Folds: 2, Time: "a"}, here, there, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := search5(t, 2)
			c.Study, c.Space = filepath.Join(t.TempDir(), "a.study"), c.Space[:2]
			refuse := func(want string) {
				t.Helper()
				switch _, err := tune.Search(t.Context(), params(), test.taken, c); {
				case want == "" && err != nil:
					t.Fatal(err)
				case want != "" && (!errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), want)):
					t.Fatalf("got %v, want an error with %q", err, want)
				}
			}
			c.Division = test.first
			find(t, params(), test.table, c)
			find(t, params(), test.table, c)
			c.Division = test.other
			refuse(test.want)
			content, err := os.ReadFile(c.Study)
			if err != nil || !older.Match(content) {
				t.Fatalf("%v: the study does not say the rows:\n%s", err, content)
			}
			if err := os.WriteFile(c.Study, older.ReplaceAll(content, nil), 0o600); err != nil {
				t.Fatal(err)
			}
			refuse(test.old)
		})
	}
}

// A study of an older version, which wrote settings by column otherwise, is gone on from.
func TestOlderStudy(t *testing.T) {
	table, c, p := example(t, 300), search5(t, 2), params()
	p.Tree.Monotone = map[string]int{"b": 1, "a": -1}
	c.Study = filepath.Join(t.TempDir(), "a.study")
	find(t, p, table, c)
	content, err := os.ReadFile(c.Study)
	if err != nil {
		t.Fatal(err)
	}
	older := bytes.Replace(content, []byte(`"a = -1, b = 1"`), []byte(`"map[a:-1 b:1]"`), 1)
	if err := os.WriteFile(c.Study, older, 0o600); bytes.Equal(older, content) || err != nil {
		t.Fatalf("%v in\n%s", err, content)
	}
	c.Trials = 3
	if r := find(t, p, table, c); len(r.Trials) != 3 {
		t.Errorf("%d trials", len(r.Trials))
	}
}

// A study of another search is refused by what differs, and files that are none are left as they are.
func TestOtherStudy(t *testing.T) {
	table, c := example(t, 300), search5(t, 2)
	c.Study = filepath.Join(t.TempDir(), "a.study")
	find(t, params(), table, c)
	for _, test := range []struct {
		change func(p *booster.Params, c *tune.Params)
		names  string
	}{
		{func(p *booster.Params, c *tune.Params) { p.Tree.LambdaL2 = 4 }, `tree.lambda_l2 was "" and is "4" now`},
		{func(p *booster.Params, c *tune.Params) { p.ClassWeight = map[string]float64{booster.Balanced: 1} }, `objective.class_weight was "" and is "balanced = 1" now`},
		{func(p *booster.Params, c *tune.Params) { p.Tree.Monotone = map[string]int{"b": 1, "a": -1} }, `constraints.monotone was "" and is "a = -1, b = 1" now`},
		{func(p *booster.Params, c *tune.Params) { c.Seed = 6 }, `seed was "5" and is "6" now`},
		{func(p *booster.Params, c *tune.Params) { c.Folds = 4 }, `folds was "3 of 3, rows" and is "4 of 4, rows" now`},
		{func(p *booster.Params, c *tune.Params) { c.Space = c.Space[:2] }, `space was "train.learning_rate=0.05..0.5:log  tree.leaves=2..40:log  tree.extra_trees=false,true  sampling.col_node=0.3..1" and is`},
	} {
		p, other := params(), c
		test.change(&p, &other)
		if _, err := tune.Search(t.Context(), p, table, other); !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), test.names) {
			t.Errorf("%v, want one with %q", err, test.names)
		}
	}
	if _, err := tune.Search(t.Context(), params(), example(t, 301), c); err == nil || !strings.Contains(err.Error(), `rows was "300" and is "301" now`) {
		t.Errorf("another table: %v", err)
	}
	label := table.LabelColumn().Name()
	others := table.Features()
	relabelled, err := table.WithLabel(others[len(others)-1].Name())
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("label was %q and is %q now", label, others[len(others)-1].Name())
	if _, err := tune.Search(t.Context(), params(), relabelled, c); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("another label: %v, want %s", err, want)
	}
	shuffled := make([]int32, table.NumRows())
	for i := range shuffled {
		shuffled[i] = int32(len(shuffled) - 1 - i)
	}
	if _, err := tune.Search(t.Context(), params(), table.Take(shuffled), c); err == nil || !strings.Contains(err.Error(), "of another table, of as many rows and columns") {
		t.Errorf("rows in another order: %v", err)
	}
	for _, content := range []string{"a,b\n1,2\n", "{}\n", "x"} {
		if err := os.WriteFile(c.Study, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := tune.Search(t.Context(), params(), table, c); !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), "not a study") {
			t.Errorf("%q: %v", content, err)
		}
		if now, _ := os.ReadFile(c.Study); string(now) != content {
			t.Errorf("%q became %q", content, now)
		}
	}
}

// A space of few points is searched to its end, each of them once.
func TestWholeSpace(t *testing.T) {
	c := search5(t, 0)
	c.Space = tune.Space{dimension(t, "tree.leaves", "2..5"), dimension(t, "tree.extra_trees", "true,false")}
	r := find(t, params(), example(t, 300), c)
	points := map[string]bool{}
	for _, trial := range r.Trials {
		points[fmt.Sprint(trial.Values)] = true
	}
	if len(r.Trials) != 9 || len(points) != 9 || r.Stopped != tune.StoppedSpace { // and the one that it begins with, of 8 leaves
		t.Errorf("%d trials of %d points, ended by %q:\n%s", len(r.Trials), len(points), r.Stopped, described(r))
	}
}

// A trial that cannot be trained does not end a search.
func TestFailed(t *testing.T) {
	c := search5(t, 12)
	c.Space = tune.Space{dimension(t, "sampling.goss_top", "0.1..0.9"), dimension(t, "sampling.goss_other", "0.05..0.9")}
	p := params()
	p.GossTop, p.GossOther = 0.2, 0.1
	r := find(t, p, example(t, 300), c)
	failed := 0
	for _, trial := range r.Trials {
		if trial.State == tune.Failed {
			failed++
			if trial.Error == "" || !math.IsNaN(trial.Value) {
				t.Errorf("%+v", trial)
			}
		}
	}
	if failed == 0 || failed > 11 {
		t.Errorf("%d of 12 trials failed:\n%s", failed, described(r))
	}
}

// Where all trials fail a search ends, and it says each reason once: rows cannot be chosen by goss and by mvs.
func TestAllFailed(t *testing.T) {
	var said bytes.Buffer
	c := search5(t, 1000)
	c.Log = slog.New(slog.NewTextHandler(&said, nil))
	c.Space = tune.Space{dimension(t, "sampling.goss_top", "0.1..0.3"), dimension(t, "sampling.goss_other", "0.05..0.2")}
	p := params()
	p.MvsFraction = 0.5
	_, err := tune.Search(t.Context(), p, example(t, 300), c)
	if !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), "all 20 trials but the first failed") {
		t.Error(err)
	}
	if strings.Count(said.String(), "level=WARN") != 1 || !strings.Contains(said.String(), "20 trials failed: sampling.mvs_fraction and sampling.goss_top both choose rows") {
		t.Error(said.String())
	}
	c.Trials = 3
	said.Reset()
	if r := find(t, p, example(t, 300), c); r.Best != 0 || !strings.Contains(said.String(), "2 trials failed: sampling.mvs_fraction") {
		t.Errorf("the best is trial %d, %s", r.Best, &said)
	}
}

// A metric that leads has to be a number: of three rows of class 1, one or none is in each of five folds.
func TestUndefinedMetric(t *testing.T) {
	y, a := make([]float64, 50), make([]float64, 50)
	for i := range y {
		if a[i] = float64(i % 7); i < 3 {
			y[i] = 1
		}
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "y", Values: y}, {Name: "a", Values: a}}, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	p := params()
	p.Objective, p.Metrics = "binary", []string{"auc"}
	c := search5(t, 3)
	c.Folds = 5
	folds, _, err := c.Divide(table, p.Objective)
	if err != nil {
		t.Fatal(err)
	}
	first := slices.IndexFunc(folds, func(f search.Fold) bool {
		return !slices.ContainsFunc(f.Valid, func(row int32) bool { return row < 3 })
	})
	want := fmt.Sprintf(`auc is undefined on the %d rows of fold %d, whose labels are all "0"`, len(folds[first].Valid), first+1)
	if _, err := tune.Search(t.Context(), p, table, c); !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	found, err := search.CrossValidate(t.Context(), p, table, search.Params{Division: c.Division})
	if err != nil || found.Undefined != want {
		t.Errorf("%q, %v, want %s", found.Undefined, err, want)
	}
	p.Metrics = []string{"logloss", "auc"}
	if found, err := search.CrossValidate(t.Context(), p, table, search.Params{Division: c.Division}); err != nil || found.Undefined != "" {
		t.Errorf("logloss: %q, %v", found.Undefined, err)
	}
}

// A budget ends a search with what there is, and an interruption too.
func TestBudget(t *testing.T) {
	c, table := search5(t, 0), example(t, 2000)
	c.Budget = 300 * time.Millisecond
	start := time.Now()
	r := find(t, params(), table, c)
	if r.Stopped != tune.StoppedBudget || len(r.Trials) < 1 || time.Since(start) > 5*time.Second {
		t.Errorf("%d trials in %v, ended by %q", len(r.Trials), time.Since(start), r.Stopped)
	}
	c.Budget = time.Nanosecond
	if _, err := tune.Search(t.Context(), params(), table, c); !errors.Is(err, booster.ErrBudget) || !strings.Contains(err.Error(), "left of the budget, which were over before the first trial") {
		t.Errorf("no time: %v", err)
	}
	// A trial that the time ends is none, though it would be a good one of fewer rounds.
	long, longer := params(), c
	long.Rounds, longer.Budget = 10_000_000, 100*time.Millisecond
	for range 5 {
		if _, err := tune.Search(t.Context(), long, table, longer); err == nil || !strings.Contains(err.Error(), "were over before the first trial") {
			t.Errorf("too little time: %v", err)
		}
	}
	c.Budget, c.Trials = 0, 1000
	ctx, cancel := context.WithCancel(t.Context())
	c.OnTrial = func(trial tune.Trial, _ bool) {
		if trial.Number == 2 {
			cancel()
		}
	}
	if r, err := tune.Search(ctx, params(), table, c); err != nil || r.Stopped != tune.StoppedInterrupted || len(r.Trials) != 3 {
		t.Errorf("interrupted: %v", err)
	}
}

// Rows that are held out are judged by models that did not see them.
func TestHeldOut(t *testing.T) {
	table, c := example(t, 800), search5(t, 8)
	c.HeldOut = 0.25
	r := find(t, params(), table, c)
	if r.HeldOut == nil || r.HeldOut.Rows != 200 {
		t.Fatalf("%+v", r.HeldOut)
	}
	folds, _, err := search.Division{Folds: 4, Seed: 5}.Divide(table, "regression")
	if err != nil {
		t.Fatal(err)
	}
	held := folds[3]
	p := r.Params
	m, err := booster.Train(t.Context(), p, table.Take(held.Train))
	if err != nil {
		t.Fatal(err)
	}
	rest := table.Take(held.Valid)
	values, err := m.Predict(t.Context(), rest)
	if err != nil {
		t.Fatal(err)
	}
	labels, sum := rest.LabelColumn().Float64s(), 0.0
	for i, v := range values {
		d := v - labels[i]
		sum += d * d
	}
	// Cuts are those of all rows there, and of the rows trained on here.
	if rmse := math.Sqrt(sum / float64(len(values))); math.Abs(rmse-r.HeldOut.Best) > 0.03*rmse {
		t.Errorf("held out: %v, a training of one's own has %v", r.HeldOut.Best, rmse)
	}
}

// What cannot be searched is refused with the reason, and a dimension is written as it is read.
func TestParse(t *testing.T) {
	for _, test := range []struct{ name, values, want string }{
		{"tree.leaves", "31..7", "the first bound must be less"},
		{"tree.leaves", "1.5..7", "1.5 is not a whole number"},
		{"tree.leaves", "0..7:log", "begins above 0"},
		{"tree.leaves", "a..7", `"a" is not a number`},
		{"tree.leaves", "7", "one choice is no choice"},
		{"tree.leaves", "7,7", "is there twice"},
		{"tree.leaves", "7,x", `"x" is not a value of tree.leaves`},
		{"tree.growth", "leaf,sideways", `tree.growth = "sideways"`},
		{"sampling.col_node", "0..2", "sampling.col_node = "},
		{"train.rounds", "10..20", "train.rounds is not searched: the best number of rounds is found in each trial"},
		{"train.threads", "1..2", "it never changes the model"},
		{"tree.nothing", "1..2", `"tree.nothing" says nothing of how a model is trained`},
		{"binning.max_bin_by_feature", "1..2", "it is not one number or word"},
		{"objective.alpha", "0.1..0.9", "cannot be compared"},
	} {
		if _, err := tune.Parse(test.name, test.values); !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s=%s: %v, want one with %q", test.name, test.values, err, test.want)
		}
	}
	for _, text := range []string{"tree.leaves=7..255:log", "sampling.col_node=0.2..1", "tree.growth=leaf,depth", "tree.extra_trees=true,false", "binning.max_bin=63,255"} {
		name, values, _ := strings.Cut(text, "=")
		d := dimension(t, name, values)
		if d.String() != text {
			t.Errorf("%s is read as %s", text, &d)
		}
	}
}
