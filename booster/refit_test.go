package booster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/internal/testenv"
	"boost/parallel"
)

// By hand: squared loss, from the labels' mean. The base's rows are y = 1, 1, 5, 5 at x = 0, 0,
// 1, 1: base score 3, one split, leaves -2·½ and 2·½. New rows are 2, 2, 2, 10 at x = 0, 0, 1, 1:
// gradients 3-y sum to 2 at the left and to -6 at the right, steps are -2/(2+l2) and
// 6/(2+l2), l1 takes 1 off both sums.
func TestRefitByHand(t *testing.T) {
	testenv.Unraced(t)
	rows := func(y ...float64) *dataset.Table {
		table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "y", Values: y}, {Name: "x", Values: []float64{0, 0, 1, 1}[:len(y)]}}, dataset.Label("y"))
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	for _, c := range []struct {
		l1, l2, decay float64
		y             []float64
		want          []float64
	}{
		{0, 0, 0.75, []float64{2, 2, 2, 10}, []float64{0.75*-1 + 0.25*0.5*-1, 0.75*1 + 0.25*0.5*3}},
		{0, 0, 0, []float64{2, 2, 2, 10}, []float64{-0.5, 1.5}},
		{0, 0, 1, []float64{2, 2, 2, 10}, []float64{-1, 1}},
		{0, 6, 0.5, []float64{2, 2, 2, 10}, []float64{0.5*-0.25 + 0.5*0.5*-0.25, 0.5*0.25 + 0.5*0.5*0.75}},
		{1, 0, 0.5, []float64{2, 2, 2, 10}, []float64{0.5*-0.75 + 0.5*0.5*-0.5, 0.5*0.75 + 0.5*0.5*2.5}},
		{0, 0, 0.5, []float64{2, 2}, []float64{0.5*-1 + 0.5*0.5*-1, 1}}, // no row at the right
	} {
		p := booster.Defaults()
		p.Objective, p.Rounds, p.LearningRate, p.Tree.MinDataInLeaf, p.Tree.MinChildWeight = "regression", 1, 0.5, 1, 0
		p.Tree.LambdaL1, p.Tree.LambdaL2 = c.l1, c.l2
		base := train(t, p, rows(1, 1, 5, 5))
		before := bytesOf(t, base)
		m, err := booster.Refit(context.Background(), base, rows(c.y...), c.decay)
		if err != nil {
			t.Fatal(err)
		}
		for l, want := range c.want {
			if got := m.Leaves()[l]; math.Abs(got-want) > 1e-6 {
				t.Errorf("l1 %v, l2 %v, decay %v: leaf %d is %v, want %v", c.l1, c.l2, c.decay, l, got, want)
			}
		}
		sum, _ := base.SHA256()
		if o := m.Contents().Origin; o == nil || o.How != model.Refitted || o.Decay != c.decay || !slices.Equal(o.Models, []string{sum}) {
			t.Errorf("origin %+v", o)
		}
		if m.Contents().Fingerprint == base.Contents().Fingerprint || len(m.Contents().History) > 0 {
			t.Error("fingerprint or history are the old rows'")
		}
		if !bytes.Equal(bytesOf(t, base), before) {
			t.Error("S4.2/the base has changed")
		}
	}
}

// By hand: squared loss from init scores, learning rate ½. The base's rows have y = 1, 1, 5, 5 and
// start from 1, 1, 3, 3 at x = 0, 0, 1, 1: leaves 0 and ½·2. The new rows have y = 2, 2, 2, 10
// and start from 1, 1, 1, 5: gradients -1, -1 at the left and -1, -5 at the right, steps 1 and
// 3, so that new values are 0.5 and 1.5. A second round starts from what the first has led to: of
// the new leaves steps are 0.5 and 1.5, of the base's leaves (0 and 0.5) it makes 0.25 and 0.75.
func TestRefitFromInitScores(t *testing.T) {
	rows := func(y, s []float64) *dataset.Table {
		table, err := dataset.FromColumns([]dataset.ColumnData{
			{Name: "y", Values: y}, {Name: "s", Values: s}, {Name: "x", Values: []float64{0, 0, 1, 1}},
		}, dataset.Label("y"), dataset.InitScore("s"))
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	p := booster.Defaults()
	p.Objective, p.Rounds, p.LearningRate, p.Tree.MinDataInLeaf, p.Tree.MinChildWeight = "regression", 2, 0.5, 1, 0
	p.Tree.LambdaL2 = 0
	base := train(t, p, rows([]float64{1, 1, 5, 5}, []float64{1, 1, 3, 3}))
	fresh := rows([]float64{2, 2, 2, 10}, []float64{1, 1, 1, 5})
	for _, c := range []struct {
		decay float64
		want  []float64
	}{
		{1, []float64{0, 1, 0, 0.5}},
		{0, []float64{0.5, 1.5, 0.25, 0.75}},
	} {
		m, err := booster.Refit(t.Context(), base, fresh, c.decay)
		if err != nil {
			t.Fatal(err)
		}
		got := m.Leaves()
		if len(got) != len(c.want) {
			t.Fatalf("leaves %v, want %v", got, c.want)
		}
		for l, want := range c.want {
			if math.Abs(got[l]-want) > 1e-4 { // the gradients' 16 bits in training
				t.Errorf("decay %v: leaf %d is %v, want %v", c.decay, l, got[l], want)
			}
		}
	}
	bare, err := dataset.FromColumns([]dataset.ColumnData{{Name: "y", Values: []float64{1, 2}}, {Name: "x", Values: []float64{0, 1}}}, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := booster.Refit(t.Context(), base, bare, 0.5); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), "init scores") {
		t.Errorf("rows without init scores: %v", err)
	}
}

// Where leaf values are renewed from the gradients themselves, refitting to the training rows
// without the old values finds them again, bit for bit: the same sums by the same rule.
func TestRefitIsRenewal(t *testing.T) {
	for _, set := range []string{"wine_quality", "adult"} {
		t.Run(set, func(t *testing.T) {
			table := openShipped(t, set)
			if set == "adult" { // categorical.l2 is no part of a refit
				var numeric []dataset.Option
				for _, c := range table.Columns() {
					if c.Kind() == dataset.Category && c.Role() == dataset.Feature {
						numeric = append(numeric, dataset.Ignore(c.Name()))
					}
				}
				var err error
				if table, err = dataset.Open(context.Background(), "../examples/adult/train.csv.gz", append(numeric, dataset.Label("income"))...); err != nil {
					t.Fatal(err)
				}
			}
			p := booster.Defaults()
			p.Rounds, p.Gradients, p.Tree.CatL2 = 6, "i8", 0
			p.Tree.LambdaL1, p.Tree.LambdaL2 = 0.25, 1.5
			base := train(t, p, table)
			m, err := booster.Refit(context.Background(), base, table, 0)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(m.Leaves(), base.Leaves()) {
				t.Error("the leaves are others")
			}
			half, err := booster.Refit(context.Background(), base, table, 0.5)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range half.Leaves() {
				if old := base.Leaves()[i]; math.Abs(v-old) > 1e-12*math.Abs(old) {
					t.Fatalf("leaf %d: %v and half of itself twice are %v", i, old, v)
				}
			}
		})
	}
}

// Sums do not depend on threads or on the order of the rows.
func TestRefitSameBytes(t *testing.T) {
	ctx := context.Background()
	table := openShipped(t, "adult")
	p := booster.Defaults()
	p.Objective, p.Rounds = "binary", 5
	base := train(t, p, table.Take(sequence(4000, 9000)))
	part := table.Take(sequence(0, 20000))
	shuffled := sequence(0, 20000)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	mixed := table.Take(shuffled)
	var want []byte
	for _, threads := range []int{1, 2, 5} {
		pool := parallel.NewPool(threads)
		defer pool.Close()
		m, err := booster.Refit(ctx, base, part, 0.3, booster.WithPool(pool))
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = bytesOf(t, m)
		}
		if !bytes.Equal(bytesOf(t, m), want) {
			t.Errorf("%d threads: another model", threads)
		}
		if m, err = booster.Refit(ctx, base, mixed, 0.3, booster.WithPool(pool)); err != nil {
			t.Fatal(err)
		}
		if d := model.DiffSections(bytesOf(t, m), want); d != "manifest: fingerprint" {
			t.Errorf("%d threads, rows in another order: the first difference is in %q, want the fingerprint only", threads, d)
		}
		back, _ := base.WithLeaves(m.Leaves())
		other, _ := base.WithLeaves(leavesIn(t, want))
		if !bytes.Equal(bytesOf(t, back), bytesOf(t, other)) {
			t.Errorf("%d threads, rows in another order: other leaves", threads)
		}
	}
}

func leavesIn(t *testing.T, file []byte) []float64 {
	t.Helper()
	m, err := model.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	return m.Leaves()
}

func sequence(lo, hi int) []int32 {
	rows := make([]int32, hi-lo)
	for i := range rows {
		rows[i] = int32(lo + i)
	}
	return rows
}

// The plain form, for several outputs with weights, over rounds of two learning rates: sums of
// float64, leaves by Model.PredictLeaf.
func TestRefitEqualsPlain(t *testing.T) {
	testenv.Unraced(t)
	ctx := context.Background()
	r := rand.New(rand.NewPCG(5, 5))
	n := 3000
	x, z, w, class := make([]float64, n), make([]string, n), make([]float64, n), make([]string, n)
	for i := range n {
		x[i], z[i], w[i] = r.NormFloat64(), fmt.Sprint("level ", r.IntN(12)), float64(r.IntN(4))
		class[i] = []string{"a", "b", "c"}[min(2, max(0, int(x[i]+float64(len(z[i])-6)+r.NormFloat64())))]
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "x", Values: x}, {Name: "z", Values: z}, {Name: "w", Values: w}, {Name: "class", Values: class},
	}, dataset.Label("class"), dataset.Weight("w"))
	if err != nil {
		t.Fatal(err)
	}
	p := booster.Defaults()
	p.Objective, p.Rounds, p.LearningRate, p.Tree.LambdaL2 = "multiclass", 3, 0.2, 1
	first := train(t, p, table.Take(sequence(0, 1000)))
	p.LearningRate, p.Tree.LambdaL2 = 0.05, 0
	base := train(t, p, table.Take(sequence(1000, 2000)), booster.From(first))
	if s := base.Contents().Segments; len(s) != 1 || s[0].Rounds != 3 || string(s[0].Params) != `{"train.learning_rate":0.2,"tree.lambda_l2":1}` {
		t.Fatalf("segments %+v", s)
	}
	part := table.Take(sequence(2000, 3000))
	const decay = 0.4
	m, err := booster.Refit(ctx, base, part, decay)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := base.PredictLeaf(ctx, part)
	if err != nil {
		t.Fatal(err)
	}
	weights, _ := part.Weights()
	c := base.Contents()
	y, err := part.EncodeClasses(c.Classes, c.NumericClasses)
	if err != nil {
		t.Fatal(err)
	}
	rows, trees := part.NumRows(), base.NumTrees()
	scores := make([][3]float64, rows)
	for i := range scores {
		copy(scores[i][:], c.BaseScore)
	}
	var want []float64
	for round := range base.Rounds() {
		rate, l2 := 0.2, 1.0
		if round >= 3 {
			rate, l2 = 0.05, 0
		}
		start := slices.Clone(scores)
		for k := range 3 {
			tr := round*3 + k
			g, h := make([]float64, c.Trees[tr].NumLeaves()), make([]float64, c.Trees[tr].NumLeaves())
			for i := range rows {
				total := 0.0
				for _, s := range start[i] {
					total += math.Exp(s)
				}
				prob := math.Exp(start[i][k]) / total
				at := leaf[i*trees+tr]
				d := prob
				if int(y[i]) == k {
					d--
				}
				g[at] += weights[i] * d
				h[at] += weights[i] * 1.5 * prob * (1 - prob)
			}
			values := make([]float64, len(g))
			for l, old := range c.Trees[tr].Leaf {
				values[l] = old
				if h[l] > 0 {
					values[l] = decay*old - (1-decay)*rate*g[l]/(h[l]+l2)
				}
			}
			want = append(want, values...)
			for i := range rows {
				scores[i][k] += values[leaf[i*trees+tr]]
			}
		}
	}
	for i, v := range m.Leaves() {
		if math.Abs(v-want[i]) > 1e-5*max(1, math.Abs(want[i])) {
			t.Fatalf("leaf %d: %v, want %v", i, v, want[i])
		}
	}
}

func TestRefitRefuses(t *testing.T) {
	ctx := context.Background()
	table := shops(t, 300, "a", "b", "c")
	p := booster.Defaults()
	p.Objective, p.Rounds = "regression", 2
	base := train(t, p, table)
	tail, err := base.Tail(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, decay := range []float64{-0.1, 1.1, math.NaN(), math.Inf(1)} {
		if _, err := booster.Refit(ctx, base, table, decay); !errors.Is(err, booster.ErrParams) {
			t.Errorf("decay %v: %v", decay, err)
		}
	}
	if _, err := booster.Refit(ctx, tail, table, 0.5); err == nil || !strings.Contains(err.Error(), "tail") {
		t.Errorf("a tail: %v", err)
	}
	bare, err := dataset.FromColumns([]dataset.ColumnData{{Name: "x", Values: []float64{1}}, {Name: "shop", Values: []string{"a"}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := booster.Refit(ctx, base, bare, 0.5); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), `"y"`) {
		t.Errorf("no label: %v", err)
	}
	if _, err := booster.Refit(ctx, base, table.Take(nil), 0.5); !errors.Is(err, dataset.ErrTable) {
		t.Errorf("no rows: %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if m, err := booster.Refit(cancelled, base, table, 0.5); m != nil || err == nil {
		t.Errorf("cancelled: %v", err)
	}
	// New levels are missing values, and a model without trees stays as it is.
	if _, err := booster.Refit(ctx, base, shops(t, 300, "a", "new", "b", "c"), 0.5); err != nil {
		t.Errorf("new levels: %v", err)
	}
	none, _ := base.Prefix(0)
	if m, err := booster.Refit(ctx, none, table, 0.5); err != nil || m.NumTrees() != 0 {
		t.Errorf("no trees: %v", err)
	}
}
