package compress_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/parallel"
	"boost/ptq"
	"boost/ptq/compress"
)

func feedback(t *testing.T, m *model.Model, form ptq.Form, c compress.Calibration, rows *dataset.Table, by compress.Weighing, opts ...compress.Option) *compress.Leaves {
	t.Helper()
	l, err := compress.MorphWithFeedback(t.Context(), m, form, c, rows, by, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// By hand, I2 with scales by tree: a tree's largest leaf is its scale, other values become 0 or
// that. Three rows are in leaf 1 of all trees, one row in leaf 2. Tree 0 stores 1, 0.7 → 1, -0.2 → 0:
// residuals -0.3 and -0.2. Tree 1 has targets 1, 0.7-0.3 → 0 (without feedback 1), 0.6-0.2 → 0: residuals
// 0.4 and 0.4. Tree 2 has 1, 0.3+0.4 → 1 (without 0), 0.2+0.4 → 1. No row is in leaf 0.
func TestFeedbackByHand(t *testing.T) { t.Run("S4.27/by_hand", checkFeedbackByHand) }

func checkFeedbackByHand(t *testing.T) {
	m := forest(t, 1, []float64{1, 0.7, -0.2}, []float64{1, 0.7, 0.6}, []float64{1, 0.3, 0.2})
	rows := column(t, []float64{1, 1, 1, 2}, nil)
	form := ptq.FormOf(ptq.I2)
	byTree := compress.Calibration{By: compress.ByTree}
	near(t, "without feedback", stored(morph(t, m, form, byTree)), []float64{1, 1, 0, 1, 1, 1, 1, 0, 0})
	l := feedback(t, m, form, byTree, rows, compress.ByRows)
	near(t, "with feedback", stored(l), []float64{1, 1, 0, 1, 0, 0, 1, 1, 1})
	near(t, "errors are those to the model's leaves", l.Trees, []float64{0.3, 0.7, 0.8})
	// Rows 1 and 2 part in tree 0, not in tree 1, where their mean counts.
	m = forest(t, 1, []float64{1, 0.7, -0.2}, []float64{1, 0.65})
	for _, c := range []struct{ x, want []float64 }{
		{[]float64{1, 1, 1, 2}, []float64{1, 0}}, // 0.65 - (3·0.3 + 0.2)/4 = 0.375
		{[]float64{2, 2}, []float64{1, 0}},       // 0.65 - 0.2 = 0.45
		{[]float64{0, 2}, []float64{1, 0}},       // the same: row 0 is in leaf 0
		{[]float64{0, 0}, []float64{1, 1}},       // no row in leaf 1
	} {
		got := stored(feedback(t, m, form, byTree, column(t, c.x, nil), compress.ByRows))
		near(t, "S4.27/the last tree", got[3:], c.want)
	}
}

// Row weights and hessians weigh the mean: of two rows with residuals -0.3 and +0.3 the heavier
// one says where 0.5 goes.
func TestFeedbackWeights(t *testing.T) {
	m := forest(t, 1, []float64{1, 0.7, 0.3}, []float64{1, 0.5})
	for _, c := range []struct {
		weights []float64
		want    float64
	}{{[]float64{3, 1}, 0}, {[]float64{1, 3}, 1}} {
		rows, err := dataset.FromColumns([]dataset.ColumnData{
			{Name: "x", Values: []float64{1, 2}}, {Name: "y", Values: []float64{0, 0}}, {Name: "w", Values: c.weights},
		}, dataset.Label("y"), dataset.Weight("w"))
		if err != nil {
			t.Fatal(err)
		}
		contents := *m.Contents()
		contents.Schema.Columns = append(slices.Clone(contents.Schema.Columns), dataset.ColumnSchema{Name: "w", Kind: dataset.Float64, Role: dataset.WeightRole})
		weighted, err := model.New(contents)
		if err != nil {
			t.Fatal(err)
		}
		for _, by := range []compress.Weighing{compress.ByRows, compress.ByHessian} { // of squared loss: the weight
			got := stored(feedback(t, weighted, ptq.FormOf(ptq.I2), compress.Calibration{By: compress.ByTree}, rows, by))
			if got[4] != c.want {
				t.Errorf("S4.27/weights %v: leaves %v, want %v at the end", c.weights, got, c.want)
			}
		}
	}
}

// clustered is a model of three classes on 4,000 rows of mixed columns, and the rows.
func clustered(t *testing.T) (*model.Model, *dataset.Table) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 7))
	n := 4000
	x, z, class := make([]float64, n), make([]string, n), make([]string, n)
	for i := range n {
		x[i], z[i] = r.NormFloat64(), []string{"p", "q", "r", "s"}[r.IntN(4)]
		class[i] = []string{"a", "b", "c"}[min(2, max(0, int(1.5+x[i]+0.5*r.NormFloat64())))]
		if r.IntN(20) == 0 {
			x[i] = math.NaN()
		}
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "x", Values: x}, {Name: "z", Values: z}, {Name: "class", Values: class}}, dataset.Label("class"))
	if err != nil {
		t.Fatal(err)
	}
	p := booster.Defaults()
	p.Objective, p.Rounds = "multiclass", 12
	m, err := booster.Train(t.Context(), p, table)
	if err != nil {
		t.Fatal(err)
	}
	return m, table
}

// Against the plain form: leaves by Model.PredictLeaf, sums of float64, each tree stored by
// itself.
func TestFeedbackEqualsPlain(t *testing.T) { t.Run("S4.27/plain", checkFeedbackEqualsPlain) }

func checkFeedbackEqualsPlain(t *testing.T) {
	m, table := clustered(t)
	leaf, err := m.PredictLeaf(t.Context(), table)
	if err != nil {
		t.Fatal(err)
	}
	trees := m.NumTrees()
	for _, form := range []ptq.Form{ptq.FormQ4_0, ptq.FormWarm5, ptq.FormCold, ptq.FormCold2, ptq.FormOf(ptq.I4), ptq.FormOf(ptq.U4), ptq.FormOf(ptq.FP4), ptq.FormOf(ptq.BF16)} {
		c := compress.Calibration{}
		if _, typed := form.DType(); typed {
			c.By = compress.ByTree
		}
		got := stored(feedback(t, m, form, c, table, compress.ByRows))
		residual := make([][3]float64, table.NumRows())
		first := 0
		for i := range m.Contents().Trees {
			old := m.Contents().Trees[i].Leaf
			sum, count := make([]float64, len(old)), make([]float64, len(old))
			for row := range residual {
				l := leaf[row*trees+i]
				sum[l] += residual[row][i%3]
				count[l]++
			}
			target := slices.Clone(old)
			for l := range target {
				if count[l] > 0 {
					target[l] += sum[l] / count[l]
				}
			}
			want, err := ptq.Encode(form, ptq.Calibration{}, target, nil)
			if err != nil {
				t.Fatal(err)
			}
			values := make([]float64, len(old))
			want.DecodeRange(values, 0)
			for l, v := range values {
				if math.Abs(v-got[first+l]) > 1e-9 {
					t.Fatalf("%s: leaf %d of tree %d is %v, want %v", form, l, i, got[first+l], v)
				}
				values[l] = got[first+l]
			}
			for row := range residual {
				l := leaf[row*trees+i]
				residual[row][i%3] += old[l] - values[l]
			}
			first += len(old)
		}
	}
}

// What every granularity stores is what residuals were taken of: the rows' scores by the model that
// comes out are nearer to its own than without feedback, in the mean of squares that it works on.
func TestFeedbackComesNearer(t *testing.T) {
	m, table := clustered(t)
	before := raw(t, m, table)
	square := func(l *compress.Leaves) float64 {
		out, err := l.Apply(m)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i, v := range raw(t, out, table) {
			sum += (v - before[i]) * (v - before[i])
			k := i % 3
			if d, bound := math.Abs(v-before[i]), l.ScoreBound(k, m.Contents().BaseScore[k]); d > bound {
				t.Fatalf("S3.60/a score moves by %v, bound %v", d, bound)
			}
		}
		return sum
	}
	for _, form := range []ptq.Form{ptq.FormOf(ptq.I4), ptq.FormOf(ptq.U4), ptq.FormOf(ptq.FP4), ptq.FormOf(ptq.I2), ptq.FormOf(ptq.FP8E5M2), ptq.FormQ4_0, ptq.FormWarm5, ptq.FormCold} {
		_, typed := form.DType()
		for _, c := range []compress.Calibration{
			{}, {By: compress.ByModel}, {By: compress.ByTree}, {By: compress.ByBlock},
			{By: compress.ByTree, Method: ptq.MSE, Weights: slices.Repeat([]float64{1, 2}, len(m.Leaves()))[:len(m.Leaves())]},
		} {
			if !typed && (c.By != compress.ByOutput || c.Method != ptq.Default) {
				continue
			}
			plain := square(morph(t, m, form, c))
			for _, by := range []compress.Weighing{compress.ByRows, compress.ByHessian} {
				if with := square(feedback(t, m, form, c, table, by)); with >= plain {
					t.Errorf("%s by %s, weighed by %d: squared residuals %v, without feedback %v", form, c.By, by, with, plain)
				}
			}
		}
	}
}

// Threads and the order of the rows change nothing.
func TestFeedbackSameBytes(t *testing.T) {
	m, table := clustered(t)
	order := make([]int32, table.NumRows())
	for i := range order {
		order[i] = int32(i)
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	mixed := table.Take(order)
	for _, by := range []compress.Weighing{compress.ByRows, compress.ByHessian} {
		want := feedback(t, m, ptq.FormQ4_0, compress.Calibration{}, table, by).Values.AppendNative(nil)
		for _, threads := range []int{1, 2, 5} {
			pool := parallel.NewPool(threads)
			for _, rows := range []*dataset.Table{table, mixed} {
				if got := feedback(t, m, ptq.FormQ4_0, compress.Calibration{}, rows, by, compress.Pool(pool)).Values.AppendNative(nil); !slices.Equal(got, want) {
					t.Errorf("%d threads: other bytes", threads)
				}
			}
			pool.Close()
		}
	}
}

func TestFeedbackHostile(t *testing.T) {
	ctx := context.Background()
	rows := column(t, []float64{0, 1, 2}, nil)
	for name, m := range map[string]*model.Model{"no trees": forest(t, 1), "zeros": forest(t, 1, []float64{0, 0}, []float64{0}), "one leaf": forest(t, 1, []float64{0.3}, []float64{0.4})} {
		for _, form := range ptq.Forms() {
			l := feedback(t, m, form, compress.Calibration{}, rows, compress.ByRows)
			if name != "one leaf" && !slices.Equal(stored(l), m.Leaves()) {
				t.Errorf("%s, %s: leaves %v", name, form, stored(l))
			}
			if _, err := l.Apply(m); err != nil {
				t.Errorf("%s, %s: %v", name, form, err)
			}
		}
	}
	// One output of two has zeros only: its scale is 0.
	half := forest(t, 2, []float64{0, 0}, []float64{1, 0.3}, []float64{0}, []float64{1, 0.3})
	if got := stored(feedback(t, half, ptq.FormOf(ptq.I4), compress.Calibration{}, rows, compress.ByRows)); got[0] != 0 || got[1] != 0 || got[4] != 0 {
		t.Errorf("an output of zeros: %v", got)
	}
	m := forest(t, 1, []float64{1, 0.7})
	if _, err := compress.MorphWithFeedback(ctx, m, ptq.FormQ4_0, compress.Calibration{}, rows, compress.ByHessian); !errors.Is(err, dataset.ErrTable) {
		t.Errorf("hessians without labels: %v", err)
	}
	if _, err := compress.MorphWithRefit(m, ptq.FormQ4_0, compress.Calibration{}, refit(ctx, m, rows, 0.5)); !errors.Is(err, dataset.ErrTable) {
		t.Errorf("refit without labels: %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := compress.MorphWithFeedback(cancelled, m, ptq.FormQ4_0, compress.Calibration{}, rows, compress.ByRows); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	// Leaves near the end of float32: 3.4e38 fits, with a residual on top it does not.
	var overflow ptq.ErrOverflow
	high := forest(t, 1, []float64{3.4e38, 1.7e38}, []float64{1, 3.4e38}, []float64{1, 3.4e38})
	_, err := compress.MorphWithFeedback(ctx, high, ptq.FormCold, compress.Calibration{}, rows, compress.ByRows)
	if err != nil && !errors.As(err, &overflow) {
		t.Errorf("beyond float32: %v", err)
	}
}

// refit refits a model to a table while its leaves are stored.
func refit(ctx context.Context, m *model.Model, rows *dataset.Table, decay float64) func(func(int, []float64) error) error {
	return func(store func(int, []float64) error) error {
		_, err := booster.Refit(ctx, m, rows, decay, booster.StoreLeaves(store))
		return err
	}
}

// Refitted leaves are stored as they are made: the model has what the form holds of them, and
// decay 1 without error gives the old leaves.
func TestMorphWithRefit(t *testing.T) {
	m, table := clustered(t)
	l, err := compress.MorphWithRefit(m, ptq.FormOf(ptq.F64), compress.Calibration{}, refit(t.Context(), m, table, 1))
	if err != nil || !slices.Equal(stored(l), m.Leaves()) {
		t.Errorf("decay 1 in F64: %v", err)
	}
	for _, form := range []ptq.Form{ptq.FormQ4_0, ptq.FormOf(ptq.I8), ptq.FormCold} {
		l, err := compress.MorphWithRefit(m, form, compress.Calibration{}, refit(t.Context(), m, table, 0.5))
		if err != nil {
			t.Fatal(err)
		}
		// The same by hand through booster.Refit.
		first := 0
		got := stored(l)
		_, err = booster.Refit(t.Context(), m, table, 0.5, booster.StoreLeaves(func(tree int, values []float64) error {
			copy(values, got[first:first+len(values)])
			first += len(values)
			return nil
		}))
		if err != nil || first != len(got) {
			t.Errorf("%s: %d leaves of %d: %v", form, first, len(got), err)
		}
		plain := morph(t, m, form, compress.Calibration{})
		if slices.Equal(stored(plain), got) {
			t.Errorf("%s: nothing was refitted", form)
		}
	}
	stop := errors.New("stop")
	if _, err := booster.Refit(t.Context(), m, table, 0.5, booster.StoreLeaves(func(int, []float64) error { return stop })); !errors.Is(err, stop) {
		t.Errorf("an error of the caller's: %v", err)
	}
	nan := booster.StoreLeaves(func(_ int, values []float64) error { values[0] = math.NaN(); return nil })
	if _, err := booster.Refit(t.Context(), m, table, 0.5, nan); err == nil {
		t.Error("a leaf that is NaN")
	}
}

// A compressed model's leaves stand in canonical order, and so are compared: with the full model
// it was made of.
func TestCompareCompressed(t *testing.T) {
	m, table := clustered(t)
	narrow, err := m.Narrowed(model.KnownNames)
	if err != nil {
		t.Fatal(err)
	}
	l := morph(t, narrow, ptq.FormQ4_0, compress.Calibration{})
	sum, err := m.SHA256()
	if err != nil {
		t.Fatal(err)
	}
	small, err := narrow.Compress(model.Compression{Leaves: l.Values, Grouping: l.Grouping, Source: sum})
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range ptq.Forms() {
		for _, by := range []compress.Granularity{compress.ByOutput, compress.ByModel, compress.ByTree, compress.ByBlock} {
			if _, typed := form.DType(); !typed && by != compress.ByOutput {
				continue
			}
			l := morph(t, narrow, form, compress.Calibration{By: by})
			z, err := narrow.Compress(model.Compression{Leaves: l.Values, Grouping: l.Grouping, Source: sum})
			if err != nil {
				t.Fatalf("%s by %s: %v", form, by, err)
			}
			file, err := z.Encode()
			if err != nil {
				t.Fatalf("%s by %s: %v", form, by, err)
			}
			if z, err = model.Decode(file); err != nil || !slices.Equal(z.Leaves(), stored(l)) {
				t.Errorf("%s by %s: the file has other leaves: %v", form, by, err)
			}
		}
	}
	c := compare(t, m, small, table)
	if !c.SameSplits || !(c.Cosine > 0.97) || c.MaxLeaf > slices.Max(l.Trees) {
		t.Errorf("%+v", c)
	}
	for k := range l.Bound {
		if bound := l.ScoreBound(k, m.Contents().BaseScore[k]); k == 0 && c.Data.MaxRaw > 3*bound {
			t.Errorf("S4.33/raw scores differ by %v, bound %v", c.Data.MaxRaw, bound)
		}
	}
}
