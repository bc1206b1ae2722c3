package profile_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"boost/dataset"
	"boost/internal/profile"
	"boost/parallel"
)

func open(t *testing.T, path string) *dataset.Table {
	t.Helper()
	table, err := dataset.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func of(t *testing.T, table *dataset.Table, p profile.Params, threads int) *profile.Profile {
	t.Helper()
	pool := parallel.NewPool(threads)
	defer pool.Close()
	got, err := profile.Of(context.Background(), table, p, pool)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func columns(t *testing.T, data ...dataset.ColumnData) *dataset.Table {
	t.Helper()
	table, err := dataset.FromColumns(data)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func named(t *testing.T, p *profile.Profile, name string) *profile.Column {
	t.Helper()
	for i := range p.Columns {
		if p.Columns[i].Name == name {
			return &p.Columns[i]
		}
	}
	t.Fatalf("no column %q", name)
	return nil
}

// found lists the findings as code:column or code:column=other.
func found(p *profile.Profile) []string {
	var out []string
	for _, f := range p.Findings {
		text := string(f.Code) + ":" + f.Column
		if f.Other != nil {
			text += "=" + *f.Other
		}
		out = append(out, text)
	}
	return out
}

// The figures are those of pandas 3.1: nunique, mean, quantile(0, .01, .25, .5, .75, .99, 1),
// duplicated().sum() and value_counts() of the same files.
func TestFiguresOfPandas(t *testing.T) {
	for file, want := range map[string]struct {
		repeated int
		columns  map[string][]float64 // distinct, mean, quantiles
	}{
		"wine_quality": {804, map[string][]float64{
			"density":        {950, 0.9947043997691419, 0.98711, 0.9889, 0.9923, 0.9948699999999999, 0.997, 1.0006, 1.03898},
			"residual_sugar": {300, 5.5031069642170065, 0.6, 0.9, 1.8, 3.2, 8.2, 18.2, 65.8},
			"quality":        {7, 5.822816467872259, 3, 4, 5, 6, 6, 8, 9},
		}},
		"adult": {24, map[string][]float64{
			"age":          {73, 38.58164675532078, 17, 17, 28, 37, 48, 74, 90},
			"fnlwgt":       {21648, 189778.36651208502, 12285, 27185.8, 117827, 178356, 237051, 510072, 1484705},
			"capital_gain": {119, 1077.6488437087312, 0, 0, 0, 0, 0, 15024, 99999},
		}},
	} {
		p := of(t, open(t, "../../examples/"+file+"/train.csv.gz"), profile.Params{}, 2)
		if p.DuplicateRows != want.repeated {
			t.Errorf("%s: %d repeated rows, pandas has %d", file, p.DuplicateRows, want.repeated)
		}
		for name, figures := range want.columns {
			c := named(t, p, name)
			got := []*float64{c.Mean, c.Min, c.Q01, c.Q25, c.Median, c.Q75, c.Q99, c.Max}
			if c.Distinct != int(figures[0]) {
				t.Errorf("%s: %d distinct values, pandas has %g", name, c.Distinct, figures[0])
			}
			for i, v := range got {
				if v == nil || math.Abs(*v-figures[i+1]) > 1e-12*math.Abs(figures[i+1]) {
					t.Errorf("%s: figure %d is %v, pandas has %v", name, i, v, figures[i+1])
				}
			}
		}
	}
	p := of(t, open(t, "../../examples/adult/train.csv.gz"), profile.Params{}, 2)
	work := named(t, p, "workclass")
	if work.Missing != 1836 || work.Distinct != 8 || len(work.Levels) != 8 || work.Levels[0].Name != "Private" ||
		work.Levels[0].Rows != 22696 || work.Levels[1].Rows != 2541 || work.Levels[7].Rows != 7 {
		t.Errorf("workclass is %+v", work)
	}
	if gain := named(t, p, "capital_gain"); *gain.Zeros != 29849 || *gain.Infinite != 0 || !*gain.Whole || *gain.Dates {
		t.Errorf("capital_gain is %+v", gain)
	}
}

// The references are means over several random halves with pandas and scikit-learn 1.9:
// labels of one half averaged by value, mapped onto the other, roc_auc_score or R² there.
func TestScoresOfScikitLearn(t *testing.T) {
	near := func(p *profile.Profile, column, measure string, want, tolerance float64) {
		t.Helper()
		s := named(t, p, column).LabelScore
		if s == nil || s.Measure != measure || math.Abs(s.Value-want) > tolerance {
			t.Errorf("%s: score %+v, want %s %g ± %g", column, s, measure, want, tolerance)
		}
	}
	adult := of(t, open(t, "../../examples/adult/train.csv.gz"), profile.Params{Label: "income", Classes: true}, 2)
	near(adult, "relationship", "auc", 0.7794, 0.003)
	near(adult, "education_num", "auc", 0.7170, 0.003)
	near(adult, "sex", "auc", 0.6188, 0.003)
	near(adult, "hours_per_week", "auc", 0.6736, 0.005)
	near(adult, "age", "auc", 0.7091, 0.005)
	if named(t, adult, "income").LabelScore != nil {
		t.Error("the label is scored by itself")
	}
	wine := open(t, "../../examples/wine_quality/train.csv.gz")
	alcohol := of(t, wine, profile.Params{Label: "alcohol"}, 2)
	near(alcohol, "density", "rank_r2", 0.5039, 0.015)
	near(alcohol, "quality", "rank_r2", 0.2053, 0.015)
	near(alcohol, "chlorides", "rank_r2", 0.2025, 0.015)
	quality := of(t, wine, profile.Params{Label: "quality", Classes: true}, 2)
	near(quality, "alcohol", "errors_avoided", 0.1168, 0.03)
}

// A column that gives the label away is found, whatever it is made of; one of names that
// hardly repeat is not taken for such a column, nor is a good one.
func TestLeaks(t *testing.T) {
	const rows = 2000
	label, cost := make([]string, rows), make([]float64, rows)
	coded, shifted, cubed, gaps := make([]int, rows), make([]float64, rows), make([]float64, rows), make([]float64, rows)
	good, names, pairs := make([]float64, rows), make([]string, rows), make([]string, rows)
	state := uint32(7)
	draw := func() float64 { state = state*1664525 + 1013904223; return float64(state>>8) / (1 << 24) }
	for i := range rows {
		second := draw() < 0.3
		label[i], cost[i] = "no", math.Exp(4*draw())
		coded[i] = 40
		good[i] = draw()
		if second {
			label[i], coded[i] = "yes", 7
			good[i] += 0.6
		}
		shifted[i] = good[i]
		if second {
			shifted[i] = -1 - draw()
		}
		cubed[i] = -cost[i] * cost[i] * cost[i]
		gaps[i] = draw()
		if second {
			gaps[i] = math.NaN() // that there is no value says it all
		}
		names[i] = fmt.Sprint("person ", i)
		pairs[i] = fmt.Sprint("pair ", i/2)
	}
	table := columns(t, dataset.ColumnData{Name: "label", Values: label}, dataset.ColumnData{Name: "coded", Values: coded},
		dataset.ColumnData{Name: "shifted", Values: shifted}, dataset.ColumnData{Name: "gaps", Values: gaps},
		dataset.ColumnData{Name: "good", Values: good}, dataset.ColumnData{Name: "names", Values: names},
		dataset.ColumnData{Name: "pairs", Values: pairs}, dataset.ColumnData{Name: "cost", Values: cost},
		dataset.ColumnData{Name: "cubed", Values: cubed})
	want := func(label string, classes bool, want ...string) {
		t.Helper()
		var got []string
		for _, f := range of(t, table, profile.Params{Label: label, Classes: classes}, 2).Findings {
			if f.Code == profile.Leak {
				got = append(got, f.Column)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("label %s: leaks %q, want %q", label, got, want)
		}
	}
	want("label", true, "coded", "shifted", "gaps")
	want("cost", false, "cubed")
	want("coded", true, "label", "shifted", "gaps")
	// The first of some columns has the score that all have together.
	all := []string{"names", "pairs", "good", "shifted", "gaps"}
	name, score := profile.Leaking(table, profile.Params{Label: "label", Classes: true}, all)
	if want := named(t, of(t, table, profile.Params{Label: "label", Classes: true}, 2), "shifted").LabelScore; name != "shifted" || score == nil || *score != *want {
		t.Errorf("%s leaks with score %v, want shifted with %v", name, score, want)
	}
	if name, score := profile.Leaking(table, profile.Params{Label: "label", Classes: true}, all[:3]); score != nil {
		t.Errorf("%s leaks with score %v", name, score)
	}
	named := named(t, of(t, table, profile.Params{Label: "label", Classes: true}, 2), "names")
	if named.LabelScore == nil || named.LabelScore.Value != 0.5 {
		t.Errorf("names that never repeat score %+v, want 0.5 exactly", named.LabelScore)
	}
}

// In a long table a look at some rows says of most columns that they do not leak; those that do are found all the same, by all rows.
func TestLeaksOfLongTables(t *testing.T) {
	const rows = 60_000
	label, price := make([]string, rows), make([]float64, rows)
	noisy, exact, cost, shop, rare := make([]float64, rows), make([]float64, rows), make([]float64, rows), make([]string, rows), make([]float64, rows)
	state := uint32(7)
	draw := func() float64 { state = state*1664525 + 1013904223; return float64(state>>8) / (1 << 24) }
	for i := range rows {
		s := int(draw() * 3000)
		isYes := s*2654435761>>9&1 == 1
		label[i], shop[i], price[i] = "no", fmt.Sprint("shop ", s), draw()
		noisy[i], exact[i], cost[i] = draw(), draw(), price[i]*price[i]+draw()/200
		if isYes {
			label[i], noisy[i], exact[i] = "yes", noisy[i]+0.7, exact[i]+0.95
		}
		if i%3000 == 17 {
			rare[i] = 1
		}
	}
	table := columns(t, dataset.ColumnData{Name: "label", Values: label}, dataset.ColumnData{Name: "price", Values: price}, dataset.ColumnData{Name: "noisy", Values: noisy},
		dataset.ColumnData{Name: "exact", Values: exact}, dataset.ColumnData{Name: "cost", Values: cost}, dataset.ColumnData{Name: "shop", Values: shop},
		dataset.ColumnData{Name: "rare", Values: rare}, dataset.ColumnData{Name: "rarely", Values: rare})
	for _, c := range []struct {
		label   string
		classes bool
		names   []string
		want    string
	}{
		{"label", true, []string{"noisy", "price", "cost"}, ""},
		{"label", true, []string{"noisy", "exact"}, "exact"},
		{"label", true, []string{"noisy", "shop"}, "shop"}, // too many levels for some rows to tell
		{"price", false, []string{"noisy", "shop", "exact"}, ""},
		{"price", false, []string{"noisy", "cost"}, "cost"},
		{"rare", true, []string{"price", "rarely"}, "rarely"}, // some rows may lack a class
	} {
		p := profile.Params{Label: c.label, Classes: c.classes}
		name, score := profile.Leaking(table, p, c.names)
		if name != c.want {
			t.Errorf("%s: %q of %q leaks (%v), want %q", c.label, name, c.names, score, c.want)
		}
		if score != nil {
			if want := named(t, of(t, table, p, 2), name).LabelScore; *score != *want {
				t.Errorf("%s by %s: score %v, want %v as of all rows", c.label, name, score, want)
			}
		}
	}
}

// Scores are left out where they would mean nothing.
func TestNoScores(t *testing.T) {
	few := columns(t, dataset.ColumnData{Name: "x", Values: []int{1, 2, 3}}, dataset.ColumnData{Name: "y", Values: []string{"a", "b", "a"}})
	rare := make([]string, 200)
	x := make([]int, 200)
	for i := range rare {
		rare[i], x[i] = "usual", i%5
	}
	rare[17] = "rare"
	cases := map[string]*profile.Profile{
		"few rows":   of(t, few, profile.Params{Label: "y", Classes: true}, 1),
		"no label":   of(t, few, profile.Params{}, 1),
		"no column":  of(t, few, profile.Params{Label: "z"}, 1),
		"rare class": of(t, columns(t, dataset.ColumnData{Name: "x", Values: x}, dataset.ColumnData{Name: "y", Values: rare}), profile.Params{Label: "y", Classes: true}, 1),
		"constant":   of(t, columns(t, dataset.ColumnData{Name: "x", Values: x}, dataset.ColumnData{Name: "y", Values: make([]int, 200)}), profile.Params{Label: "y"}, 1),
	}
	for name, p := range cases {
		for _, c := range p.Columns {
			if c.LabelScore != nil {
				t.Errorf("%s: %s has the score %+v", name, c.Name, *c.LabelScore)
			}
		}
	}
}

func TestFindings(t *testing.T) {
	const rows = 200
	data := func(name string, of func(i int) any) dataset.ColumnData {
		switch of(0).(type) {
		case string:
			v := make([]string, rows)
			for i := range v {
				v[i] = of(i).(string)
			}
			return dataset.ColumnData{Name: name, Values: v}
		case int:
			v := make([]int, rows)
			for i := range v {
				v[i] = of(i).(int)
			}
			return dataset.ColumnData{Name: name, Values: v}
		}
		v := make([]float64, rows)
		for i := range v {
			v[i] = of(i).(float64)
		}
		return dataset.ColumnData{Name: name, Values: v}
	}
	cities := []string{"Oslo", "Rome", "Kyiv"}
	table := columns(t,
		data("counter", func(i int) any { return 1000 + 3*i }),
		data("ticket", func(i int) any { return (i * 7919) % 100_003 }),
		data("price", func(i int) any { return float64((i*7919)%100_003) / 8 }), // all different, but no whole numbers
		data("person", func(i int) any { return fmt.Sprint("p", i) }),
		data("city", func(i int) any { return cities[i%7%3] }),
		data("town", func(i int) any { return cities[i%7%3] }),
		data("code", func(i int) any { return []int{10, 20, 5}[i%7%3] }),
		data("level", func(i int) any { return i % 7 % 3 }),
		data("seven", func(i int) any { return 7 }),
		data("nothing", func(i int) any { return "" }),
		data("rarely", func(i int) any {
			if i < 4 {
				return float64(i % 2)
			}
			return math.NaN()
		}),
		data("infinite", func(i int) any {
			if i%50 == 3 {
				return math.Inf(i%100 - 50)
			}
			return float64(i%9) / 4
		}),
		data("day", func(i int) any { return fmt.Sprintf("2024-0%d-%02d", 1+i%9, 1+i%28) }),
		data("claims", func(i int) any {
			if i%4 != 0 {
				return 0.0
			}
			return math.Ldexp(1, i/2) / 64
		}),
		data("doubled", func(i int) any { return 2 * float64((i*7919)%100_003) }), // all different: renaming it means nothing
	)
	want := []string{"empty:nothing", "constant:seven", "mostly_missing:rarely", "counter:counter", "id_like:ticket", "id_like:person",
		"id_like:doubled", "duplicate:town=city", "renamed:code=city", "renamed:level=city", "infinite:infinite", "dates:day",
		"zero_inflated:claims", "skewed:claims"}
	p := of(t, table, profile.Params{}, 3)
	// code and level equal each other, too; the first of the three is named.
	if got := found(p); !slices.Equal(got, want) {
		t.Errorf("findings are\n%s, want\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	odd := named(t, p, "infinite")
	if *odd.Infinite != 4 || odd.Max != nil || odd.Mean != nil || odd.Median == nil || odd.Distinct != 11 {
		t.Errorf("infinite is %+v", odd)
	}
	if p.DuplicateRows != 0 {
		t.Errorf("%d rows repeat", p.DuplicateRows)
	}
}

// NaN is no value; minus zero is zero; a quantile between infinities is none.
func TestNumbersAtTheEdge(t *testing.T) {
	inf := math.Inf(1)
	p := of(t, columns(t, dataset.ColumnData{Name: "x", Values: []float64{3, -inf, 1, 2, inf, 5, math.NaN(), -1e308, 1e308, math.Copysign(0, -1), 0}}), profile.Params{}, 1)
	c := p.Columns[0]
	// In order: -Inf -1e308 0 0 1 2 3 5 1e308 Inf. 25 % of 9 steps: 2.25 → 0; 50 %: 4.5 → 1.5;
	// 75 %: 6.75 → 3 + 0.75·2; 1 % lies between -Inf and -1e308, 99 % between 1e308 and Inf.
	if c.Min != nil || c.Max != nil || c.Q01 != nil || c.Q99 != nil || c.Mean != nil ||
		*c.Q25 != 0 || *c.Median != 1.5 || *c.Q75 != 4.5 || *c.Zeros != 2 || *c.Infinite != 2 || *c.Negative != 1 || c.Distinct != 9 || c.Missing != 1 {
		text, _ := json.Marshal(c)
		t.Errorf("got %s", text)
	}
	p = of(t, columns(t, dataset.ColumnData{Name: "x", Values: []float64{-1.5e308, 1.5e308}}), profile.Params{}, 1)
	if q := p.Columns[0].Median; q == nil || *q != 0 {
		t.Errorf("the median between -1.5e308 and 1.5e308 is %v, want 0", q)
	}
}

// A label is guessed beside columns of which one end is infinite.
func TestGuessBesideInfinity(t *testing.T) {
	for _, inf := range []float64{math.Inf(1), math.Inf(-1)} {
		p := of(t, columns(t, dataset.ColumnData{Name: "a", Values: []float64{1, 2, inf, 4}}, dataset.ColumnData{Name: "last", Values: []float64{0, 1, 0, 3}}), profile.Params{}, 1)
		if c := &p.Columns[0]; (c.Min == nil) == (c.Max == nil) || c.NamesRows(p.Rows) {
			t.Errorf("%v: min %v, max %v, names rows: %v", inf, c.Min, c.Max, c.NamesRows(p.Rows))
		}
		if name, _ := p.GuessLabel(func(string) bool { return false }); name != "last" {
			t.Errorf("%v: the label is %q", inf, name)
		}
	}
}

// A sparse column is described as the same column written densely, whatever its implicit
// value is, and the number of workers does not show.
func TestSparseAndThreads(t *testing.T) {
	const rows, n = 3000, 40
	nan := math.NaN()
	label := make([]int, rows)
	for row := range label {
		label[row] = row / 3 % 2
	}
	denseData := []dataset.ColumnData{{Name: "y", Values: label}}
	sparseData := slices.Clone(denseData)
	state := uint32(99)
	draw := func(k uint32) uint32 { state = state*1664525 + 1013904223; return (state >> 8) % k }
	for f := range n {
		fill, dense := 0.0, f%5 == 4 // dense enough that another value is the most frequent one
		if f%3 == 1 {
			fill = nan
		}
		values := make([]float64, rows)
		s := dataset.Sparse{Fill: fill}
		for row := range values {
			values[row] = fill
			if dense && draw(100) < 60 || draw(20) == 0 {
				v := float64(draw(4)) - 1
				switch {
				case f%7 == 0:
					v = float64(draw(1000)) / 3
				case dense && draw(10) > 0:
					v = 1.0 / 3
				}
				if f == n-1 {
					v = float64(1 + row/3%2) // the label, where it is stored
				}
				values[row] = v
				if v != fill {
					s.Rows = append(s.Rows, int32(row))
					s.F64 = append(s.F64, v)
				}
			}
		}
		name := fmt.Sprint("f", f)
		denseData = append(denseData, dataset.ColumnData{Name: name, Values: values})
		sparseData = append(sparseData, dataset.ColumnData{Name: name, Values: s, Rows: rows})
	}
	for _, f := range []int{3, 9, 13, 17} { // some columns twice, and once with other values
		again := denseData[1+f]
		again.Name += " again"
		denseData = append(denseData, again)
		again = sparseData[1+f]
		again.Name += " again"
		sparseData = append(sparseData, again)
	}
	p := profile.Params{Label: "y", Classes: true}
	want := of(t, columns(t, denseData...), p, 1)
	sparse := columns(t, sparseData...)
	isSparse := 0
	for _, c := range sparse.Columns() {
		if c.Sparse() != nil {
			isSparse++
		}
	}
	if isSparse < n/2 {
		t.Fatalf("only %d columns are sparse: the test tests nothing", isSparse)
	}
	for _, threads := range []int{1, 2, 7} {
		for form, table := range map[string]*dataset.Table{"dense": columns(t, denseData...), "sparse": sparse} {
			got := of(t, table, p, threads)
			for i := range want.Columns {
				a, _ := json.Marshal(want.Columns[i])
				b, _ := json.Marshal(got.Columns[i])
				if string(a) != string(b) {
					t.Errorf("%s, %d threads: column\n%s, want\n%s", form, threads, b, a)
				}
			}
			if got.DuplicateRows != want.DuplicateRows || !reflect.DeepEqual(found(got), found(want)) {
				t.Errorf("%s, %d threads: %d repeated rows, findings %q; want %d, %q", form, threads,
					got.DuplicateRows, found(got), want.DuplicateRows, found(want))
			}
		}
	}
	if n := strings.Count(strings.Join(found(want), " "), "duplicate:"); n != 4 {
		t.Errorf("%d duplicates, want 4: %q", n, found(want))
	}
}

// A table with no rows worth describing does not trouble anyone.
func TestTinyTables(t *testing.T) {
	p := of(t, columns(t, dataset.ColumnData{Name: "x", Values: []float64{math.NaN()}}), profile.Params{Label: "x"}, 2)
	if c := p.Columns[0]; c.Distinct != 0 || c.Min != nil || c.Mean != nil || c.Missing != 1 || p.Rows != 1 {
		t.Errorf("got %+v", c)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	pool := parallel.NewPool(1)
	defer pool.Close()
	if _, err := profile.Of(ctx, columns(t, dataset.ColumnData{Name: "x", Values: []int{1, 2}}), profile.Params{}, pool); err != context.Canceled {
		t.Errorf("a cancelled context gives %v", err)
	}
}
