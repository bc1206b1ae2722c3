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
	"boost/objectives"
)

// choice is one option of training that is set to something.
type choice struct {
	name string
	set  func(p *booster.Params)
}

// choices lists options and modes of training that may meet. Two that start with the same word, up to a colon, are one option twice.
func choices() []choice {
	of := func(name string, set func(p *booster.Params)) choice { return choice{name: name, set: set} }
	list := []choice{
		of("gradients: i8", func(p *booster.Params) { p.Gradients = "i8" }),
		of("gradients: i4", func(p *booster.Params) { p.Gradients = "i4" }),
		of("gradients: i32", func(p *booster.Params) { p.Gradients = "i32" }),
		of("gradients: f32", func(p *booster.Params) { p.Gradients = "f32" }),
		of("mode: asymmetric", func(p *booster.Params) { p.GradientMode = "asymmetric" }),
		of("renew: on", func(p *booster.Params) { p.RenewLeaves = "on" }),
		of("rows: bagging", func(p *booster.Params) { p.RowFraction, p.RowEvery = 0.6, 2 }),
		of("rows: goss", func(p *booster.Params) { p.GossTop, p.GossOther, p.LearningRate = 0.3, 0.2, 0.5 }),
		of("rows: mvs", func(p *booster.Params) { p.MvsFraction = 0.5 }),
		of("rows: replace", func(p *booster.Params) { p.Replace, p.RowEvery = true, 2 }),
		of("rows: stratified", func(p *booster.Params) { p.Objective, p.Stratified, p.RowFraction = "binary", true, 0.6 }),
		of("rows: classes", func(p *booster.Params) { p.Objective, p.PositiveFraction, p.NegativeFraction = "binary", 0.9, 0.5 }),
		of("rows: bayesian", func(p *booster.Params) { p.BaggingTemperature = 0.8 }),
		of("rate: cosine", func(p *booster.Params) { p.RateSchedule, p.RateEnd = booster.CosineRate, 0.02 }),
		of("rate: list", func(p *booster.Params) { p.Rates = []float64{0.3, 0.2} }),
		of("columns", func(p *booster.Params) { p.Tree.ColTree, p.Tree.ColNode = 0.8, 0.7 }),
		of("layout: csr", func(p *booster.Params) { p.Binning.Layout = "csr" }),
		of("layout: both", func(p *booster.Params) { p.Binning.Layout = "both" }),
		of("layout: ellpack", func(p *booster.Params) { p.Binning.Layout = "ellpack" }),
		of("builder: row", func(p *booster.Params) { p.Builder = "row" }),
		of("builder: feature", func(p *booster.Params) { p.Builder = "feature" }),
		of("missing: mask", func(p *booster.Params) { p.Binning.MissingAs = "mask" }),
		of("max_bin", func(p *booster.Params) { p.Binning.MaxBin = 12 }),
		of("weighted_cuts", func(p *booster.Params) { p.Binning.WeightedCuts = true }),
		of("early stopping: any", func(p *booster.Params) { p.EarlyStopping = 2 }),
		of("early stopping: least", func(p *booster.Params) { p.EarlyStopping, p.MinDelta = 2, 0.01 }),
		of("reuse", func(p *booster.Params) { p.Tree.ReuseFeature, p.Tree.ReuseCut = 0.2, 0.3 }),
		of("lambda", func(p *booster.Params) { p.Tree.LambdaL1, p.Tree.LambdaL2, p.Tree.MinGain = 0.5, 3, 0.1 }),
		of("max_depth", func(p *booster.Params) { p.Tree.MaxDepth = 3 }),
		of("growth: depth", func(p *booster.Params) { p.Tree.Growth = "depth" }),
		of("growth: symmetric", func(p *booster.Params) { p.Tree.Growth = "symmetric" }),
		of("max_delta_step", func(p *booster.Params) { p.Tree.MaxDeltaStep = 0.4 }),
		of("path_smooth", func(p *booster.Params) { p.Tree.PathSmooth = 8 }),
		of("extra_trees", func(p *booster.Params) { p.Tree.ExtraTrees = true }),
		of("linear", func(p *booster.Params) { p.Tree.Linear, p.Tree.LinearLambda = true, 0.1 }),
		of("monotone: basic", func(p *booster.Params) { p.Tree.Monotone = map[string]int{"a": 1, "b": -1} }),
		of("forced_splits", func(p *booster.Params) {
			p.Tree.ForcedSplits = `{"feature":"b","threshold":11,"left":{"feature":"cat","threshold":["p","r"]},"right":{"feature":0,"threshold":30}}`
		}),
		of("monotone: intermediate", func(p *booster.Params) {
			p.Tree.Monotone, p.Tree.MonotoneMethod = map[string]int{"a": 1, "b": -1}, "intermediate"
		}),
		of("feature_penalty", func(p *booster.Params) { p.Tree.FeaturePenalty = map[string]float64{"a": 0.5, "cat": 2, "c": 0} }),
		of("costs", func(p *booster.Params) {
			p.Tree.FeatureCost, p.Tree.SplitCost = map[string]float64{"a": 1, "cat": 0.5}, 0.001
		}),
		of("row costs", func(p *booster.Params) {
			p.Tree.FeatureRowCost, p.Tree.CostTradeoff = map[string]float64{"a": 0.01, "cat": 0.002, "c": 0.03}, 0.5
		}),
		of("levels", func(p *booster.Params) {
			p.Tree.FirstLevel, p.Tree.LastLevel = map[string]int{"a": 2}, map[string]int{"b": 1}
		}),
		of("col_weights", func(p *booster.Params) {
			p.Tree.ColWeights, p.Tree.ColNode = map[string]float64{"a": 3, "cat": 0}, 0.6
		}),
		of("monotone: penalty", func(p *booster.Params) { p.Tree.Monotone, p.Tree.MonotonePenalty = map[string]int{"a": 1}, 1.5 }),
		of("interaction", func(p *booster.Params) { p.Tree.Interaction = [][]string{{"a", "b"}, {"c", "cat"}} }),
		of("class_weight: balanced", func(p *booster.Params) {
			p.Objective, p.ClassWeight = "binary", map[string]float64{booster.Balanced: 1}
		}),
		of("class_weight: positive", func(p *booster.Params) { p.Objective, p.PositiveWeight = "binary", 2 }),
		of("feedback", func(p *booster.Params) { p.QuantizeDType, p.ErrorFeedback = "I8", true }),
		of("boosting: dart", func(p *booster.Params) { p.Boosting, p.Dart.OneDrop, p.Dart.SkipDrop = "dart", true, 0 }),
		of("boosting: rf", func(p *booster.Params) { p.Boosting, p.RowFraction = "rf", 0.6 }),
		of("early stopping: retrain", func(p *booster.Params) { p.EarlyStopping, p.Retrain = 2, true }),
		of("levels: target", func(p *booster.Params) { p.LevelSplits = booster.TargetSplits }),
		of("levels: hashed", func(p *booster.Params) { p.Binning.MaxCat, p.Binning.HashBuckets = 2, 2 }),
		of("levels: crossed", func(p *booster.Params) { p.LevelSplits, p.Combinations = booster.TargetSplits, 2 }),
		of("levels: counted", func(p *booster.Params) { p.LevelSplits, p.Counts = booster.TargetSplits, true }),
		of("verify", func(p *booster.Params) { p.Verify = true }),
	}
	for _, name := range objectives.Names() {
		list = append(list, of("objective: "+name, func(p *booster.Params) {
			if p.Objective = name; name == "quantile" {
				p.Loss.Alpha = []float64{0.2, 0.7}
			}
		}))
	}
	return list
}

// kind returns what a choice is of.
func (c choice) kind() string {
	for i, r := range c.name {
		if r == ':' {
			return c.name[:i]
		}
	}
	return c.name
}

// pairTable makes a table of numbers with gaps, levels and weights; the label fits the objective.
func pairTable(t *testing.T, objective string) *dataset.Table {
	t.Helper()
	const n = 400
	y, a, b, c, w, q := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	cat := make([]string, n)
	random := rand.New(rand.NewPCG(8, 15))
	info, _ := objectives.Lookup(objective)
	for i := range n {
		a[i], b[i], c[i] = float64(i*37%61), float64(i*53%29), float64(i*i%13)
		cat[i] = string(rune('p' + i*7%5))
		w[i], q[i] = float64(i%4)/2, float64(i/8)
		y[i] = 0.02*a[i] + 0.3*float64(i*7%5) - 0.01*b[i] + random.Float64() + 0.5
		switch {
		case info.Labels == objectives.TwoClasses:
			y[i] = min(1, float64(int(y[i]/1.4)))
		case info.Labels == objectives.ManyClasses, info.Queries:
			y[i] = min(2, float64(int(y[i]/1.1)))
		case strings.HasPrefix(objective, "cross_entropy"):
			y[i] /= 5
		}
		if i%9 == 0 {
			a[i] = math.NaN()
		}
	}
	event := make([]bool, n)
	for i := range n {
		event[i] = i%5 != 0
	}
	other := make([]float64, n)
	for i := range n {
		if info.Several {
			y[i], other[i] = float64(i*7%5/3), float64(i*37%61/40)
		}
	}
	columns := []dataset.ColumnData{
		{Name: "y", Values: y}, {Name: "a", Values: a}, {Name: "b", Values: b}, {Name: "c", Values: c}, {Name: "cat", Values: cat}, {Name: "w", Values: w},
	}
	opts := []dataset.Option{dataset.Label("y"), dataset.Weight("w")}
	if info.Queries {
		columns, opts = append(columns, dataset.ColumnData{Name: "q", Values: q}), append(opts, dataset.Group("q"))
	}
	if info.Several {
		columns, opts = append(columns, dataset.ColumnData{Name: "other", Values: other}), append(opts, dataset.Label("other", "y"))
	}
	if info.Times {
		columns, opts = append(columns, dataset.ColumnData{Name: "e", Values: event}), append(opts, dataset.Event("e"))
	}
	table, err := dataset.FromColumns(columns, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// sets returns sets of up to size of the numbers 0 … n-1, of which every two may meet, so that every two that may are in one of them.
func sets(n, size int, may func(i, j int) bool) (all [][]int) {
	met := map[[2]int]bool{}
	// joins returns how many of a set a number meets for the first time, 0 if it may not join.
	joins := func(set []int, k int) (first int) {
		for _, other := range set {
			if pair := [2]int{min(other, k), max(other, k)}; other == k || !may(pair[0], pair[1]) {
				return 0
			} else if !met[pair] {
				first++
			}
		}
		return first
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			if met[[2]int{i, j}] || !may(i, j) {
				continue
			}
			set := []int{i, j}
			for len(set) < size {
				best, most := 0, 0
				for k := range n {
					if first := joins(set, k); first > most {
						best, most = k, first
					}
				}
				if most == 0 {
					break
				}
				set = append(set, best)
			}
			slices.Sort(set)
			for at, low := range set {
				for _, high := range set[at+1:] {
					met[[2]int{low, high}] = true
				}
			}
			all = append(all, set)
		}
	}
	return all
}

// Options that meet work together, or are refused with an error about parameters: never a panic, and never another model on more
// threads. What is trained saves, loads, predicts, goes on, and is refitted. Every two options meet: in sets of four, and the two alone
// where more are refused.
func TestOptionsMeet(t *testing.T) {
	all := choices()
	tables := map[string]*dataset.Table{}
	refused, worked := 0, 0
	params := func(set ...int) booster.Params {
		p := booster.Defaults()
		p.Objective, p.Rounds, p.Tree.MinDataInLeaf, p.Tree.Leaves = "regression", 3, 5, 8
		for _, i := range set {
			all[i].set(&p)
		}
		return p
	}
	// try reports whether a set of options is not refused.
	try := func(set ...int) bool {
		p := params(set...)
		table := tables[p.Objective]
		if table == nil {
			table = pairTable(t, p.Objective)
			tables[p.Objective] = table
		}
		err := meets(t, p, table)
		switch {
		case errors.Is(err, booster.ErrParams):
			refused++
			return false
		case err != nil:
			var names []string
			for _, i := range set {
				names = append(names, all[i].name)
			}
			t.Errorf("%s: %v", strings.Join(names, ", "), err)
		default:
			worked++
		}
		return true
	}
	step := testenv.UnlessShort(1, 20)
	valid := map[[2]int]bool{}
	for i := range all {
		if i%step == 0 {
			try(i)
		}
		for j := i + 1; j < len(all); j++ {
			if all[i].kind() == all[j].kind() {
				continue
			}
			p := params(i, j)
			if valid[[2]int{i, j}] = p.Validate() == nil; !valid[[2]int{i, j}] && (i+j)%step == 0 {
				try(i, j)
			}
		}
	}
	for at, set := range sets(len(all), testenv.ByLength(2, 4, 4), func(i, j int) bool { return valid[[2]int{i, j}] }) {
		if at%step != 0 || try(set...) {
			continue
		}
		for i, first := range set {
			for _, second := range set[i+1:] {
				try(first, second)
			}
		}
	}
	p := crossedParams()
	p.LevelSplits, p.Rounds = booster.TargetSplits, 1
	if m, err := booster.Train(context.Background(), p, pairTable(t, "regression")); err != nil || !m.HasCrossed() {
		t.Errorf("the table has no columns to cross (%v)", err)
	}
	if refused == 0 || worked < 2*refused {
		t.Errorf("%d sets of options work, %d are refused", worked, refused)
	}
	t.Logf("%d sets of options work, %d are refused", worked, refused)
}

// meets trains in every way that has to agree, and returns what training says of the parameters.
func meets(t *testing.T, p booster.Params, table *dataset.Table) (err error) {
	ctx := context.Background()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	m, err := booster.Train(ctx, p, table, booster.WithPool(pool(t, 1)))
	if err != nil {
		return err
	}
	file := bytesOf(t, m)
	other, err := booster.Train(ctx, p, table, booster.WithPool(pool(t, 3)))
	if err != nil {
		return fmt.Errorf("3 threads: %w", err)
	}
	if !bytes.Equal(bytesOf(t, other), file) {
		return fmt.Errorf("3 threads give another model: %s", model.DiffSections(bytesOf(t, other), file))
	}
	loaded, err := model.Decode(file)
	if err != nil {
		return fmt.Errorf("the file cannot be read: %v", err)
	}
	want, err := m.Predict(ctx, table)
	if err != nil {
		return fmt.Errorf("predict: %v", err)
	}
	if got, err := loaded.Predict(ctx, table); err != nil || !slices.Equal(got, want) {
		return fmt.Errorf("the loaded model predicts otherwise (%v)", err)
	}
	if slices.ContainsFunc(want, func(v float64) bool { return v != v }) {
		return errors.New("a prediction is NaN")
	}
	q := p
	q.Rounds = 1
	if _, err := booster.Train(ctx, q, table, booster.From(loaded)); err != nil && !errors.Is(err, booster.ErrParams) {
		return fmt.Errorf("going on: %v", err)
	}
	if _, err := booster.Refit(ctx, loaded, table, 0.5); err != nil && !errors.Is(err, booster.ErrParams) {
		return fmt.Errorf("refit: %v", err)
	}
	return nil
}
