package booster_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/internal/testenv"
)

// storages are all ways of storing gradients, by what they change.
var storages = []struct {
	name   string
	change func(p *booster.Params)
}{
	{"i16", func(*booster.Params) {}},
	{"i32", func(p *booster.Params) { p.Gradients = "i32" }},
	{"f32", func(p *booster.Params) { p.Gradients = "f32" }},
	{"i8", func(p *booster.Params) { p.Gradients = "i8" }},
	{"i4", func(p *booster.Params) { p.Gradients = "i4" }},
	{"asymmetric", func(p *booster.Params) { p.GradientMode = "asymmetric" }},
	{"stochastic", func(p *booster.Params) { p.Rounding = "stochastic" }},
	{"renewed", func(p *booster.Params) { p.RenewLeaves = "on" }},
}

// small makes a table of numbers with gaps and levels, with weights if asked for. The
// label is a number of 0 … 2.
func small(t *testing.T, seed uint64, rows int, weighted bool) *dataset.Table {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 26))
	a, b, c := make([]float64, rows), make([]float64, rows), make([]string, rows)
	y, w := make([]float64, rows), make([]float64, rows)
	for i := range rows {
		a[i], b[i], c[i] = float64(r.IntN(300)), r.NormFloat64(), string('p'+rune(r.IntN(8)))
		if y[i] = float64(r.IntN(2)); a[i] > 150 != (b[i] > 0) {
			y[i] = 2
		}
		if r.IntN(6) == 0 {
			b[i] = math.NaN()
		}
		w[i] = 0.1 + 3*r.Float64()
	}
	columns := []dataset.ColumnData{{Name: "a", Values: a}, {Name: "b", Values: b}, {Name: "c", Values: c}, {Name: "y", Values: y}}
	options := []dataset.Option{dataset.Label("y")}
	if weighted {
		columns, options = append(columns, dataset.ColumnData{Name: "w", Values: w}), append(options, dataset.Weight("w"))
	}
	table, err := dataset.FromColumns(columns, options...)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// Every node's histogram, total and rows agree whatever is sampled, weighted and stored.
func TestInvariantUnderSampling(t *testing.T) {
	testenv.Unraced(t)
	for _, s := range storages {
		for _, sampling := range []string{"all", "bag", "goss", "mvs"} {
			t.Run("S2.26/"+s.name+"/"+sampling, func(t *testing.T) {
				seeds := []uint64{0, 1, 2, 7} // each objective with weights and without
				switch {
				case testenv.Soak():
					seeds = []uint64{0, 1, 2, 3, 4, 5, 6, 7}
				case testing.Short():
					seeds = []uint64{0, 3, 6}
				}
				for _, seed := range seeds {
					table := small(t, seed, 400+300*int(seed), seed%2 == 1)
					p := booster.Defaults()
					p.Objective, p.Rounds, p.Seed, p.Verify = []string{"regression", "multiclass"}[seed/2%2], 6, seed, true
					p.LearningRate, p.Tree.MinDataInLeaf = 0.5, 1+int(seed)
					s.change(&p)
					sample(&p, sampling)
					m, err := booster.Train(t.Context(), p, table)
					if err != nil {
						t.Fatal(err)
					}
					if m.Contents().Trees[0].NumSplits() == 0 {
						t.Error("nothing was split: nothing was checked")
					}
				}
			})
		}
	}
}

// sample sets a way of sampling rows: with a learning rate of 0.5 by gradients from round 2 on.
func sample(p *booster.Params, way string) {
	switch way {
	case "bag":
		p.RowFraction = 0.6
	case "goss":
		p.GossTop, p.GossOther = 0.2, 0.2
	case "mvs":
		p.MvsFraction = 0.4
	}
}

// The same over more rows than a block holds, which several workers divide and add up.
func TestInvariantUnderSamplingOverBlocks(t *testing.T) {
	testenv.Unraced(t)
	table := small(t, 7, 70_000, true)
	for _, s := range storages {
		for _, sampling := range []string{"all", "bag", "goss", "mvs"} {
			t.Run("S2.26/"+s.name+"/"+sampling, func(t *testing.T) {
				p := booster.Defaults()
				p.Objective, p.Rounds, p.Verify, p.Threads, p.Builder = "regression", 3, true, 3, "row"
				p.LearningRate, p.Tree.Leaves = 0.5, 16
				s.change(&p)
				sample(&p, sampling)
				var report booster.Report
				m := train(t, p, table, booster.WithReport(&report))
				if report.Builder != "row" || report.Threads != 3 {
					t.Errorf("builder %s on %d threads", report.Builder, report.Threads)
				}
				for _, grown := range m.Contents().Trees {
					if grown.NumSplits() < 8 {
						t.Errorf("%d splits: too few to show anything", grown.NumSplits())
					}
				}
			})
		}
	}
}

func TestGradientsByName(t *testing.T) {
	table := small(t, 1, 900, false)
	train := func(t *testing.T, change func(p *booster.Params)) map[string]any {
		t.Helper()
		p := booster.Defaults()
		p.Objective, p.Rounds = "regression", 2
		change(&p)
		m, err := booster.Train(t.Context(), p, table)
		if err != nil {
			t.Fatal(err)
		}
		var stored map[string]any
		if err := json.Unmarshal(m.Contents().Params, &stored); err != nil {
			t.Fatal(err)
		}
		return stored
	}
	t.Run("S2.42/unknown_value_lists_the_six", func(t *testing.T) {
		p := booster.Defaults()
		p.Gradients = "i17"
		err := p.Validate()
		if want := `must be "f32", "i32", "i16", "i8", "i4" or "auto"`; !errors.Is(err, booster.ErrParams) || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	})
	// What the manifest says of each: mode, scales, rounding and where leaf values come from.
	for _, c := range []struct{ gradients, mode, rounding, renewed string }{
		{"f32", "symmetric", "nearest", "off"},
		{"i32", "symmetric", "nearest", "off"},
		{"i16", "symmetric", "nearest", "off"},
		{"i16", "asymmetric", "nearest", "off"},
		{"i8", "symmetric", "stochastic", "on"},
		{"i4", "symmetric", "stochastic", "on"},
	} {
		t.Run("S2.42/manifest/"+c.gradients+"_"+c.mode, func(t *testing.T) {
			stored := train(t, func(p *booster.Params) { p.Gradients, p.GradientMode = c.gradients, c.mode })
			for key, want := range map[string]string{
				"train.gradients": c.gradients, "gradients.mode": c.mode, "gradients.rounding": c.rounding, "gradients.renew_leaves": c.renewed,
			} {
				if stored[key] != want {
					t.Errorf("%s is %v, want %q", key, stored[key], want)
				}
			}
		})
	}
	t.Run("S2.42/auto_is_stored_as_what_it_became", func(t *testing.T) {
		if got := train(t, func(p *booster.Params) { p.Gradients = "auto" })["train.gradients"]; got != "f32" { // 900 rows
			t.Errorf("%v, want f32", got)
		}
	})
}

// The log says what auto chose and why: 900 rows of one output are 7,200 bytes.
func TestAutoIsLogged(t *testing.T) {
	for _, c := range []struct {
		l2   int64
		want string
	}{
		{7201, `msg=gradients chosen=f32 reason="7200 bytes of gradients fit the second cache of 7201"`},
		{7200, `msg=gradients chosen=f32 reason="900 rows are no more than 1000000"`},
	} {
		t.Run(fmt.Sprintf("S0.29/log/l2=%d", c.l2), func(t *testing.T) {
			var log bytes.Buffer
			p := booster.Defaults()
			p.Objective, p.Rounds, p.Gradients, p.L2Bytes = "regression", 1, "auto", c.l2
			train(t, p, small(t, 1, 900, false), booster.Logger(slog.New(slog.NewTextHandler(&log, nil))))
			if !strings.Contains(log.String(), c.want) {
				t.Errorf("the log lacks %q:\n%s", c.want, log.String())
			}
		})
	}
	t.Run("S0.29/only_where_asked_for", func(t *testing.T) {
		var log bytes.Buffer
		p := booster.Defaults()
		p.Objective, p.Rounds = "regression", 1
		train(t, p, small(t, 1, 900, false), booster.Logger(slog.New(slog.NewTextHandler(&log, nil))))
		if strings.Contains(log.String(), "msg=gradients") {
			t.Errorf("something was chosen:\n%s", log.String())
		}
	})
}

// Labels so large that the codes of few bits would lose all others: such rounds take more
// bits, are named in the model, and the log says so once.
func TestCoarseModesWidenOnce(t *testing.T) {
	const rows, outlier = 3000, 1234
	for _, c := range []struct {
		label float64
		want  string
	}{
		// Beside gradients of ±25 around the mean: a step of 63 in 8 bits, and of 0.24 in 16.
		{8000, model.WideI16},
		{1e8, model.WideI32}, // a step of 3,000 in 16 bits
	} {
		for _, mode := range []string{"i8", "i4"} {
			t.Run(fmt.Sprintf("S2.7/%s/label=%g", mode, c.label), func(t *testing.T) {
				x, y := make([]float64, rows), make([]float64, rows)
				for i := range rows {
					x[i], y[i] = float64(i%50), float64(i%50)
				}
				y[outlier], y[outlier+1] = -c.label, c.label // whose mean is that of the others
				table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "x", Values: x}, {Name: "y", Values: y}}, dataset.Label("y"))
				if err != nil {
					t.Fatal(err)
				}
				var log bytes.Buffer
				p := booster.Defaults()
				p.Objective, p.Rounds, p.LearningRate, p.Gradients = "regression", 3, 0.01, mode
				m, err := booster.Train(t.Context(), p, table, booster.Logger(slog.New(slog.NewTextHandler(&log, nil))))
				if err != nil {
					t.Fatal(err)
				}
				if wide := m.Contents().WideRounds; len(wide) != 3 || wide[0] != (model.WideRound{Gradients: c.want}) || wide[2].Round != 2 {
					t.Errorf("wide rounds %+v, want rounds 0 … 2 with %q", wide, c.want)
				}
				if n := strings.Count(log.String(), "level=WARN"); n != 1 || !strings.Contains(log.String(), fmt.Sprintf("row=%d", outlier)) {
					t.Errorf("%d warnings, want one that names row %d:\n%s", n, outlier, log.String())
				}
			})
		}
	}
}

func TestGradientsRefuse(t *testing.T) {
	table := small(t, 1, 300, false)
	for _, c := range []struct {
		id, want string
		change   func(p *booster.Params)
	}{
		{"S2.5/csr", `binning.layout = "csr" needs integer gradients without an offset, gradients.mode is "asymmetric"`,
			func(p *booster.Params) { p.GradientMode, p.Binning.Layout = "asymmetric", "csr" }},
		{"S2.5/ellpack", `binning.layout = "ellpack" needs integer gradients without an offset`,
			func(p *booster.Params) { p.GradientMode, p.Binning.Layout = "asymmetric", "ellpack" }},
		{"S2.5/bundles", `binning.bundle = "on"`,
			func(p *booster.Params) { p.GradientMode, p.Binning.Bundle = "asymmetric", "on" }},
		{"S2.5/i8", `is made for train.gradients = "i16", which is "i8"`,
			func(p *booster.Params) { p.GradientMode, p.Gradients = "asymmetric", "i8" }},
		{"S2.5/auto", `is made for train.gradients = "i16", which is "auto"`,
			func(p *booster.Params) { p.GradientMode, p.Gradients = "asymmetric", "auto" }},
		{"S2.5/unknown", `must be "symmetric" or "asymmetric"`, func(p *booster.Params) { p.GradientMode = "lopsided" }},
		{"S2.13/floats", `nothing is rounded with train.gradients = "f32"`,
			func(p *booster.Params) { p.Rounding, p.Gradients = "stochastic", "f32" }},
		{"S2.13/unknown", `must be "auto", "nearest" or "stochastic"`, func(p *booster.Params) { p.Rounding = "up" }},
		{"S2.14/unknown", `must be "auto", "on" or "off"`, func(p *booster.Params) { p.RenewLeaves = "yes" }},
		{"S0.29/csr", `train.gradients = "auto" became f32`,
			func(p *booster.Params) { p.Gradients, p.Binning.Layout = "auto", "csr" }},
		{"goss_and_bagging", "both choose rows", func(p *booster.Params) { p.GossTop, p.GossOther, p.RowFraction = 0.2, 0.1, 0.5 }},
		{"goss_and_row_every", "sampling.row_every", func(p *booster.Params) { p.GossTop, p.GossOther, p.RowEvery = 0.2, 0.1, 2 }},
		{"goss_without_others", "both must be above 0", func(p *booster.Params) { p.GossTop = 0.2 }},
		{"goss_of_more_than_all", "together at most 1", func(p *booster.Params) { p.GossTop, p.GossOther = 0.8, 0.3 }},
		{"goss_NaN", "both must be above 0", func(p *booster.Params) { p.GossTop, p.GossOther = math.NaN(), 0.3 }},
		{"mvs_and_bagging", "sampling.mvs_fraction and sampling.row_fraction both choose rows", func(p *booster.Params) { p.MvsFraction, p.RowFraction = 0.3, 0.5 }},
		{"mvs_and_goss", "sampling.mvs_fraction and sampling.goss_top both choose rows", func(p *booster.Params) { p.MvsFraction, p.GossTop, p.GossOther = 0.3, 0.2, 0.1 }},
		{"mvs_and_row_every", "sampling.row_every", func(p *booster.Params) { p.MvsFraction, p.RowEvery = 0.3, 2 }},
		{"mvs_NaN", "sampling.mvs_fraction = NaN: must be 0 … 1", func(p *booster.Params) { p.MvsFraction = math.NaN() }},
		{"mvs_of_more_than_all", "sampling.mvs_fraction = 1.5: must be 0 … 1", func(p *booster.Params) { p.MvsFraction = 1.5 }},
		{"mvs_lambda", "sampling.mvs_lambda = -0.5: must be a finite number, 0 or more", func(p *booster.Params) { p.MvsFraction, p.MvsLambda = 0.3, -0.5 }},
	} {
		t.Run(c.id, func(t *testing.T) {
			p := booster.Defaults()
			p.Objective, p.Rounds = "regression", 1
			c.change(&p)
			_, err := booster.Train(t.Context(), p, table)
			if !errors.Is(err, booster.ErrParams) || !strings.Contains(fmt.Sprint(err), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	t.Run("S0.29/out_of_core", func(t *testing.T) {
		s, err := dataset.OpenChunked(t.Context(), mixedFiles(t, 1, 90, false), dataset.Label("y"))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		p := booster.Defaults()
		p.Gradients = "auto"
		want := `train.gradients = "auto", which is "f32" here`
		if _, err := booster.TrainOn(t.Context(), p, booster.OutOfCore(s)); !errors.Is(err, booster.ErrParams) || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	})
}

// Where all hessians are the same their codes are not read, and sums count rows: the model
// has the same bytes without this.
func TestEqualHessiansAreAShortcut(t *testing.T) {
	testenv.Unraced(t)
	for _, s := range storages {
		for _, fraction := range []float64{1, 0.6} {
			t.Run(fmt.Sprintf("S2.41/%s/rows=%v", s.name, fraction), func(t *testing.T) {
				for seed := range uint64(3) {
					p := booster.Defaults()
					p.Objective, p.Rounds, p.RowFraction, p.Verify, p.Tree.MinDataInLeaf = "regression", 6, fraction, true, 1+10*int(seed)
					s.change(&p)
					table := small(t, seed, 700, false)
					short := hash(t, p, table)
					long := hash(t, p, table, booster.EveryHessian())
					if short != long {
						t.Errorf("seed %d: model %s with the shortcut, %s without", seed, short, long)
					}
				}
			})
		}
	}
}

// openShared reads a table of a real set; what is the name of a file in its folder.
func openShared(t *testing.T, name, what string, options ...dataset.Option) (*dataset.Table, sharedSet) {
	t.Helper()
	shared := os.Getenv("BOOST_SHARED")
	if shared == "" {
		t.Skip("BOOST_SHARED is not set: the real sets are not here")
	}
	b, err := os.ReadFile(filepath.Join(shared, "data", name, "meta.json"))
	if err != nil {
		t.Fatal(err)
	}
	var set sharedSet
	if err := json.Unmarshal(b, &set); err != nil {
		t.Fatal(err)
	}
	options = append([]dataset.Option{dataset.Label(set.Label.(string)), dataset.Categorical(set.Categorical...),
		dataset.Ignore(set.Ignore...), dataset.MissingOnly("")}, options...)
	table, err := dataset.Open(context.Background(), filepath.Join(shared, "data", name, what), options...)
	if err != nil {
		t.Fatal(err)
	}
	return table, set
}

// With 15 gradient codes leaf values from full precision are better than those from the
// codes on at least 4 of 5 real sets, at the rounds of the sets' reference. (After few
// rounds, before the noise of the draws has added up, they differ by chance.)
func TestRenewedLeavesAreBetter(t *testing.T) {
	testenv.Unraced(t)
	if testing.Short() {
		t.Skip("ten trainings on real sets")
	}
	t.Run("S2.14/i4", func(t *testing.T) {
		better := 0
		for _, name := range []string{"adult", "california_housing", "cps_earnings", "diamonds", "insteval"} {
			table, set := openShared(t, name, "train.csv.gz")
			test, _ := openShared(t, name, "test.csv.gz", dataset.As(table.Schema()))
			var losses [2]float64
			for i, renew := range []string{"off", "on"} {
				p := booster.Defaults()
				p.Objective, p.Rounds, p.Gradients, p.RenewLeaves = set.Task, 200, "i4", renew
				losses[i] = lossOn(t, p, table, test)
			}
			t.Logf("%s: %.6g with leaf values from codes, %.6g from the gradients", name, losses[0], losses[1])
			if losses[1] < losses[0] {
				better++
			}
		}
		if better < 4 {
			t.Errorf("renewed leaf values are better on %d of 5 sets, want at least 4", better)
		}
	})
}

// lossOn trains and returns the objective's own metric on the test table.
func lossOn(t *testing.T, p booster.Params, table, test *dataset.Table) float64 {
	t.Helper()
	var report booster.Report
	p.MetricsEvery = p.Rounds
	metric := map[string]string{"binary": "logloss", "multiclass": "multi_logloss", "regression": "rmse", "lambdarank": "ndcg@10"}[p.Objective]
	p.Metrics = []string{metric}
	train(t, p, table, booster.Valid("valid", test), booster.WithReport(&report))
	v, ok := report.Metrics["valid"][metric]
	if !ok {
		t.Fatalf("no %s in %v", metric, report.Metrics)
	}
	if p.Objective == "lambdarank" {
		return 1 - v
	}
	return v
}

// 16-bit gradients cost no more of the metric than S2.28 allows, whatever the loss: over
// five re-splits of a set at most 0.1 % plus two standard errors of the paired difference.
func TestQualityOf16Bits(t *testing.T) {
	cases := []struct {
		name, set, weight string
		rounds            int
	}{
		{"constant_hessian", "california_housing", "", 60},
		{"regression_weighted", "california_housing", "households", 60},
		{"binary", "spambase", "", 30},
		{"binary_weighted", "nass_cds", "weight", 60},
		{"multiclass", "covtype_15k", "", 10},
		{"multiclass_weighted", "covtype_15k", "Elevation", 10},
		{"ranking", "car_choice", "", 60},
	}
	if testing.Short() {
		t.Skip("trainings on real sets")
	}
	for _, c := range cases {
		t.Run("S2.36/"+c.name, func(t *testing.T) {
			var options []dataset.Option
			if c.name == "ranking" {
				options = append(options, dataset.Group("qid"))
			}
			if c.weight != "" {
				options = append(options, dataset.Weight(c.weight))
			}
			table, set := openShared(t, c.set, "train.csv.gz", options...)
			if weights, err := table.Weights(); err != nil || (weights != nil) != (c.weight != "") {
				t.Fatalf("%d weights, error %v", len(weights), err)
			}
			queries, err := table.Groups()
			if err != nil {
				t.Fatal(err)
			}
			const splits = 5
			var sum, squares float64
			for split := range int32(splits) {
				var rest, held []int32
				query := int32(0)
				for row := range int32(table.NumRows()) {
					part := row
					if queries != nil { // they stay whole
						if int(row) == queries[query+1] {
							query++
						}
						part = query
					}
					if part%splits == split {
						held = append(held, row)
					} else {
						rest = append(rest, row)
					}
				}
				var loss [2]float64
				for i, mode := range []string{"f32", "i16"} {
					p := booster.Defaults()
					p.Objective, p.Gradients = strings.ReplaceAll(set.Task, "ranking", "lambdarank"), mode
					p.Rounds = testenv.ByLength(c.rounds, c.rounds/2, c.rounds/2)
					loss[i] = lossOn(t, p, table.Take(rest), table.Take(held))
				}
				d := (loss[1] - loss[0]) / loss[0]
				sum, squares = sum+d, squares+d*d
			}
			mean := sum / splits
			deviation := math.Sqrt((squares - splits*mean*mean) / (splits - 1) / splits)
			t.Logf("i16 is %+.4f %% ± %.4f %% from f32", 100*mean, 100*deviation)
			if !(mean <= 0.001+2*deviation) {
				t.Errorf("i16 costs %.4f %% ± %.4f %% of the metric", 100*mean, 100*deviation)
			}
		})
	}
}
