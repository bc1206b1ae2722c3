package compress_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/objectives"
	"boost/parallel"
	"boost/ptq/compress"
)

// lastStep returns the model of the last step of PruneSteps, and the step.
func lastStep(ctx context.Context, m *model.Model, t *dataset.Table, p compress.PruneParams, opts ...compress.Option) (*model.Model, *compress.PruneStep, error) {
	var last *compress.PruneStep
	for step, err := range compress.PruneSteps(ctx, m, t, p, opts...) {
		if err != nil {
			return nil, nil, err
		}
		last = step
	}
	pruned, err := last.Model()
	return pruned, last, err
}

func prune(tb testing.TB, m *model.Model, t *dataset.Table, p compress.PruneParams, opts ...compress.Option) (*model.Model, *compress.PruneStep) {
	tb.Helper()
	pruned, step, err := lastStep(context.Background(), m, t, p, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return pruned, step
}

// A tree's values are 9, 5, 1 and 1.2 at x = 0, 1, 2 and 3, with covers 1, 2, 3 and 4. There are
// ten rows of each x. The last two leaves are the cheapest pair.
//
// With squared loss, fitted to the model's own scores, the values of what becomes one leaf are
// weighed by hessians and pulls. All hessians are 40; a leaf's pull is that times 0.99 of its
// share of the covers and 0.01 of a quarter: 40·(0.99·0.3 + 0.0025) = 11.98 and
// 40·(0.99·0.4 + 0.0025) = 15.94. The leaf is (10 + 12 + 11.98 + 15.94·1.2)/(20 + 27.92).
func TestPruneByHand(t *testing.T) {
	m := forest(t, 1, []float64{9, 5, 1, 1.2})
	var x, y []float64
	for i := range 40 {
		x, y = append(x, float64(i%4)), append(y, float64(i%4)*100)
	}
	tab := column(t, x, y)
	pruned, step := prune(t, m, tab, compress.PruneParams{Leaves: 3, Pull: 1})
	want := []float64{9, 5, (22 + 11.98 + 15.94*1.2) / 47.92}
	got := pruned.Leaves()
	if len(got) != 3 || step.Leaves != 3 || step.Splits != 2 {
		t.Fatalf("Prune left %v, %d leaves and %d splits", got, step.Leaves, step.Splits)
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-13 {
			t.Errorf("leaf %d is %v, want %v", i, got[i], want[i])
		}
	}
	if covers := pruned.Contents().Trees[0].LeafCover; !slices.Equal(covers, []float64{1, 2, m.Contents().Trees[0].Cover[2]}) {
		t.Errorf("covers are %v", covers)
	}
	// Labels 0, 100, 200, 300 alone, pulled by the old values: at x = 0 the hessian is 10 and the
	// pull 40·(0.99·0.1 + 0.0025) = 4.06, so that the leaf is 9·4.06/14.06, but for gradients in float32.
	pruned, _ = prune(t, m, tab, compress.PruneParams{Leaves: 3, Pull: 1, Labels: 1, Sweeps: 9})
	if got, want := pruned.Leaves()[0], 9*4.06/14.06; math.Abs(got-want) > 1e-6 {
		t.Errorf("fitted to labels, the first leaf is %v, want %v", got, want)
	}
}

// Trees of one leaf are added to the base score, and rounds of such trees go, with what is said of
// them.
func TestPruneRounds(t *testing.T) {
	m := forest(t, 1, []float64{1, 2, 3}, []float64{5, 5}, []float64{0, 4}, []float64{7})
	c := *m.Contents()
	c.BaseScore = []float64{0.5}
	c.WideRounds = []model.WideRound{{Round: 1}, {Round: 2}}
	c.Segments = []model.Segment{{Rounds: 2, Params: json.RawMessage(`{"a":1}`)}, {Rounds: 1, Params: json.RawMessage(`{"a":2}`)}}
	m, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	x := []float64{0, 1, 2, 0, 1, 2}
	tab := column(t, x, []float64{1, 2, 3, 4, 5, 6})
	sum, err := m.SHA256()
	if err != nil {
		t.Fatal(err)
	}
	for step, err := range compress.PruneSteps(context.Background(), m, tab, compress.PruneParams{}) {
		if err != nil {
			t.Fatal(err)
		}
		if step.Leaves != 8 || step.Loss != step.Before || step.Growth() != 0 || step.Metric != "rmse" {
			t.Errorf("the first step is %+v", step)
		}
		whole, err := step.Model()
		if err != nil {
			t.Fatal(err)
		}
		c := whole.Contents()
		if !slices.Equal(c.BaseScore, []float64{12.5}) || c.BestRound != 2 || len(c.Trees) != 2 {
			t.Errorf("base score %v and %d rounds are left", c.BaseScore, c.BestRound)
		}
		if !slices.Equal(c.WideRounds, []model.WideRound{{Round: 1}}) {
			t.Errorf("wide rounds %v", c.WideRounds)
		}
		if len(c.Segments) != 2 || c.Segments[0].Rounds != 1 || c.Segments[1].Rounds != 1 || string(c.Segments[1].Params) != `{"a":2}` {
			t.Errorf("segments %v", c.Segments)
		}
		if o := c.Origin; o == nil || o.How != model.Pruned || !slices.Equal(o.Models, []string{sum}) {
			t.Errorf("origin %+v", o)
		}
		if !slices.Equal(raw(t, whole, tab), raw(t, m, tab)) { // small whole numbers: exact
			t.Error("scores changed")
		}
		data, err := whole.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := model.Decode(data); err != nil {
			t.Error(err)
		}
		break
	}
	// To the end nothing is left but a base score near the labels' mean, 3.5, or the scores'.
	none, step := prune(t, m, tab, compress.PruneParams{Labels: 1, Pull: 1e-6, Sweeps: 20})
	if step.Splits != 0 || none.Rounds() != 0 || math.Abs(none.Contents().BaseScore[0]-3.5) > 1e-4 {
		t.Errorf("%d splits, %d rounds and base score %v are left", step.Splits, none.Rounds(), none.Contents().BaseScore)
	}
	// Of several outputs a round stays as long as one of its trees has splits.
	two := forest(t, 2, []float64{0, 1}, []float64{3, 3}, []float64{1, 1}, []float64{2, 2})
	labels, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "x", Values: x}, {Name: "y", Values: []string{"class 0", "class 1", "class 0", "class 1", "class 0", "class 1"}},
	}, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	for step, err := range compress.PruneSteps(context.Background(), two, labels, compress.PruneParams{}) {
		if err != nil {
			t.Fatal(err)
		}
		whole, err := step.Model()
		if err != nil {
			t.Fatal(err)
		}
		if c := whole.Contents(); c.BestRound != 1 || !slices.Equal(c.BaseScore, []float64{1, 5}) || !slices.Equal(whole.Leaves(), []float64{0, 1, 0}) {
			t.Errorf("of two outputs %d rounds, base scores %v and leaves %v are left", c.BestRound, c.BaseScore, whole.Leaves())
		}
		break
	}
}

// mixed makes a table of numbers with gaps, levels, weights and labels for an objective.
func mixed(tb testing.TB, objective string, seed uint64, rows int) *dataset.Table {
	tb.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	columns := make([][]float64, 5)
	levels, weights, labels := make([]string, rows), make([]float64, rows), make([]float64, rows)
	for i := range rows {
		for f := range columns {
			columns[f] = append(columns[f], r.NormFloat64())
			if r.IntN(20) == 0 {
				columns[f][i] = math.NaN()
			}
		}
		level := r.IntN(12)
		levels[i], weights[i] = fmt.Sprintf("level %d", level), float64(1+r.IntN(3))
		s := float64(level%4) + 0.5*r.NormFloat64()
		for f, scale := range []float64{2, 1, 0.5} {
			if x := columns[f][i]; x == x {
				s += scale * x * (1 + 0.3*x)
			}
		}
		switch objective {
		case "binary":
			s = min(max(math.Floor(s/4), 0), 1)
		case "multiclass":
			s = min(max(math.Floor(s/2), 0), 2)
		}
		labels[i] = s
	}
	data := []dataset.ColumnData{{Name: "c", Values: levels}, {Name: "w", Values: weights}, {Name: "y", Values: labels}}
	for f, values := range columns {
		data = append(data, dataset.ColumnData{Name: fmt.Sprintf("x%d", f), Values: values})
	}
	t, err := dataset.FromColumns(data, dataset.Label("y"), dataset.Weight("w"))
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// lossOf is the first metric of a model on a table.
func lossOf(tb testing.TB, m *model.Model, t *dataset.Table) float64 {
	tb.Helper()
	c, err := compress.Compare(context.Background(), m, m, t, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return c.Data.Metrics[0].A
}

// On rows that neither training nor pruning saw, a model of half the leaves is far better than one
// of half the rounds, and hardly worse than the whole one.
func TestPruneKeepsLoss(t *testing.T) {
	for _, objective := range []string{"regression", "binary", "multiclass"} {
		t.Run(objective, func(t *testing.T) {
			m := trained(t, objective, mixed(t, objective, 1, 4000), 40)
			seen, held := mixed(t, objective, 2, 3000), mixed(t, objective, 3, 6000)
			before := lossOf(t, m, held)
			half, err := m.Prefix(m.Rounds() / 2)
			if err != nil {
				t.Fatal(err)
			}
			leaves := len(m.Leaves())
			pruned, step := prune(t, m, seen, compress.PruneParams{Leaves: leaves / 2, Labels: 0.05})
			if n := len(pruned.Leaves()); n > leaves/2 || n < leaves*45/100 || step.Leaves > leaves/2 {
				t.Errorf("%d of %d leaves are left", n, leaves)
			}
			rounds, after := lossOf(t, half, held)/before-1, lossOf(t, pruned, held)/before-1
			if after > 0.02 || after > rounds/2 {
				t.Errorf("the loss grows by %.4f, with half the rounds by %.4f", after, rounds)
			}
		})
	}
}

// Neither threads nor what is kept of rows change a bit.
func TestPruneSameBytes(t *testing.T) {
	for _, objective := range []string{"regression", "binary", "multiclass"} {
		t.Run(objective, func(t *testing.T) {
			tab := mixed(t, objective, 1, 9000)
			m := trained(t, objective, tab, 6)
			var want []byte
			for _, c := range []struct{ threads, kept int }{{1, 256 << 20}, {4, 256 << 20}, {3, 0}, {2, 2 * 9000 * 4}} {
				pool := parallel.NewPool(c.threads)
				pruned, _ := prune(t, m, tab, compress.PruneParams{Leaves: m.NumTrees() * 8, Labels: 0.5, MaxLoss: 10}, compress.Pool(pool), compress.KeepPlaces(c.kept))
				pool.Close()
				got, err := pruned.Encode()
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = got
				}
				if !bytes.Equal(got, want) {
					t.Errorf("other bytes with %d threads and %d bytes of leaves", c.threads, c.kept)
				}
			}
		})
	}
}

// Steps have fewer and fewer leaves, and none more loss than is allowed; what a step says of the
// loss is what the model has.
func TestPruneSteps(t *testing.T) {
	tab := mixed(t, "regression", 1, 3000)
	m := trained(t, "regression", tab, 20)
	last := math.MaxInt
	var smallest *compress.PruneStep
	for step, err := range compress.PruneSteps(context.Background(), m, tab, compress.PruneParams{MaxLoss: 0.01}) {
		if err != nil {
			t.Fatal(err)
		}
		if step.Leaves >= last || step.Leaves-step.Splits != m.NumTrees() {
			t.Errorf("%d leaves and %d splits after %d leaves", step.Leaves, step.Splits, last)
		}
		if step.Growth() > 0.01 {
			t.Errorf("the loss has grown by %v", step.Growth())
		}
		last, smallest = step.Leaves, step
		if step.Leaves == len(m.Leaves()) {
			continue
		}
		at, err := step.Model()
		if err != nil {
			t.Fatal(err)
		}
		if got := lossOf(t, at, tab); math.Abs(got/step.Loss-1) > 1e-12 {
			t.Errorf("a step of loss %v has a model of loss %v", step.Loss, got)
		}
	}
	if smallest.Growth() < 0.005 || smallest.Leaves > len(m.Leaves())*9/10 {
		t.Errorf("pruning ends at %d of %d leaves, with a loss grown by %v", smallest.Leaves, len(m.Leaves()), smallest.Growth())
	}
}

// Scores that start from those of a table stay there: there is no base score to add to.
func TestPruneInitScores(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var x, y, s []float64
	for range 500 {
		x, s = append(x, r.Float64()), append(s, r.Float64()*10)
		y = append(y, s[len(s)-1]+math.Floor(4*x[len(x)-1]))
	}
	data := []dataset.ColumnData{{Name: "x", Values: x}, {Name: "y", Values: y}, {Name: "s", Values: s}}
	tab, err := dataset.FromColumns(data, dataset.Label("y"), dataset.InitScore("s"))
	if err != nil {
		t.Fatal(err)
	}
	m := trained(t, "regression", tab, 30)
	pruned, step := prune(t, m, tab, compress.PruneParams{})
	if pruned.Contents().BaseScore[0] != 0 || pruned.Rounds() != 30 || len(pruned.Leaves()) != 30 || step.Splits != 0 {
		t.Errorf("base score %v, %d rounds and %d leaves are left", pruned.Contents().BaseScore, pruned.Rounds(), len(pruned.Leaves()))
	}
	without, err := dataset.FromColumns(data[:2], dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := lastStep(context.Background(), m, without, compress.PruneParams{}); !errors.Is(err, dataset.ErrTable) {
		t.Errorf("without init scores: %v", err)
	}
}

// ownLoss is squared loss under another name.
type ownLoss struct{ objectives.Objective }

func (ownLoss) Name() string { return "own" }

func TestPruneRefuses(t *testing.T) {
	m := forest(t, 1, []float64{1, 2, 3}, []float64{4, 5})
	x := []float64{0, 1, 2}
	tab := column(t, x, []float64{1, 2, 3})
	ctx := context.Background()
	for _, p := range []compress.PruneParams{
		{Leaves: -1}, {MaxLoss: -0.1}, {MaxLoss: math.NaN()}, {Labels: 1.5}, {Labels: math.NaN()}, {Pull: -1}, {Pull: math.Inf(1)},
		{Step: 0.6}, {Step: -0.1}, {Sweeps: -1},
	} {
		if _, _, err := lastStep(ctx, m, tab, p); err == nil || !strings.Contains(err.Error(), "pruning") {
			t.Errorf("%+v: %v", p, err)
		}
	}
	tail, err := m.Tail(1)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := lastStep(ctx, tail, tab, compress.PruneParams{}); err == nil || !strings.Contains(err.Error(), "tail") {
		t.Errorf("a tail: %v", err)
	}
	if _, _, err := lastStep(ctx, m, column(t, x, nil), compress.PruneParams{}); !errors.Is(err, dataset.ErrTable) {
		t.Errorf("without labels: %v", err)
	}
	if _, _, err := lastStep(ctx, m, tab.Take(nil), compress.PruneParams{}); !errors.Is(err, dataset.ErrTable) {
		t.Errorf("without rows: %v", err)
	}
	c := *m.Contents()
	c.Objective = "own"
	own, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := lastStep(ctx, own, tab, compress.PruneParams{}); err == nil {
		t.Error("a loss that is not built in needs to be given")
	}
	squared, err := objectives.New("regression", objectives.Options{})
	if err != nil {
		t.Fatal(err)
	}
	given, _ := prune(t, own, tab, compress.PruneParams{Leaves: 3, Objective: ownLoss{squared}})
	built, _ := prune(t, m, tab, compress.PruneParams{Leaves: 3})
	if !slices.Equal(given.Leaves(), built.Leaves()) {
		t.Errorf("the same loss under another name leaves %v, not %v", given.Leaves(), built.Leaves())
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	if _, _, err := lastStep(stopped, m, tab, compress.PruneParams{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after a stop: %v", err)
	}
}

// A model is pruned as far as the loss on rows that it was not trained on allows.
func ExamplePrune() {
	ctx := context.Background()
	table, err := dataset.Open(ctx, filepath.Join("..", "..", "examples", "wine_quality", "train.csv.gz"), dataset.Label("quality"))
	if err != nil {
		panic(err)
	}
	var learn, rest []int32
	for i := range int32(table.NumRows()) {
		if i%4 > 0 {
			learn = append(learn, i)
		} else {
			rest = append(rest, i)
		}
	}
	p := booster.Defaults()
	p.Objective, p.Rounds = "regression", 30
	m, err := booster.Train(ctx, p, table.Take(learn))
	if err != nil {
		panic(err)
	}
	pruned, step, err := lastStep(ctx, m, table.Take(rest), compress.PruneParams{MaxLoss: 0.001, Labels: 0.05})
	if err != nil {
		panic(err)
	}
	fmt.Println(len(pruned.Leaves()) < len(m.Leaves())*2/3, step.Growth() <= 0.001)
	// Output: true true
}

// From all leaves of 200 trees of 31 to a fifth of them, on 20,000 rows.
func BenchmarkPrune(b *testing.B) {
	tab := mixed(b, "binary", 1, 20_000)
	m := trained(b, "binary", tab, 200)
	for b.Loop() {
		prune(b, m, tab, compress.PruneParams{Leaves: len(m.Leaves()) / 5})
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/path")
}

// A merged model is of no table; what is pruned of it is neither, and can be saved and read.
func TestPruneMerged(t *testing.T) {
	one := forest(t, 1, []float64{1, 2, 3}, []float64{5, 5, 7})
	merged, err := model.Merge(one, one)
	if err != nil {
		t.Fatal(err)
	}
	pruned, _ := prune(t, merged, column(t, []float64{0, 1, 2, 0, 1, 2}, []float64{1, 2, 3, 4, 5, 6}), compress.PruneParams{Leaves: 3})
	data, err := pruned.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := model.Decode(data)
	if err != nil || again.Contents().Fingerprint != "" || len(again.Leaves()) != len(pruned.Leaves()) || len(again.Leaves()) == len(merged.Leaves()) {
		t.Errorf("%v: %d leaves read of %d, %d before", err, len(again.Leaves()), len(pruned.Leaves()), len(merged.Leaves()))
	}
}
