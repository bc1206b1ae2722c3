package booster_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"boost/booster"
	"boost/booster/internal/crosses"
	"boost/booster/model"
	"boost/dataset"
	"boost/internal/testenv"
)

// Tables of other tests are small.
func init() { crosses.FewestRows = 300 }

// routes makes a table whose label follows pairs of zone and hour, which neither explains alone. Every eleventh zone is
// missing if gaps is set.
func routes(t *testing.T, rows, shift int, gaps bool) *dataset.Table {
	t.Helper()
	zone, kind, hour, x, y := make([]string, rows), make([]string, rows), make([]float64, rows), make([]float64, rows), make([]float64, rows)
	for i := range rows {
		k := i + shift
		level, at := k*7919%100, k*k%24
		zone[i], hour[i], x[i], kind[i] = fmt.Sprintf("z%d", level), float64(at), float64(k*31%1009)/1009, string(rune('a'+k%7))
		y[i] = 2*float64(((level*37+at*101)*2654435761>>7)&1) + x[i] + float64(k*17%101)/101
		if gaps && i%11 == 0 {
			zone[i] = ""
		}
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "zone", Values: zone}, {Name: "kind", Values: kind}, {Name: "hour", Values: hour}, {Name: "x", Values: x}, {Name: "y", Values: y}},
		dataset.Label("y"), dataset.Categorical("zone", "kind"))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func crossedParams() booster.Params {
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Tree.Leaves, p.LevelSplits, p.Combinations, p.Counts = "regression", 30, 8, booster.AutoSplits, 3, true
	return p
}

const zoneHour = "zone × hour"

// rmseOn returns the root of the mean squared error on a table.
func rmseOn(t *testing.T, m *booster.Model, table *dataset.Table) float64 {
	t.Helper()
	got, err := m.Predict(context.Background(), table)
	if err != nil {
		t.Fatal(err)
	}
	labels, err := table.NumericLabels()
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i := range got {
		sum += (got[i] - labels[i]) * (got[i] - labels[i])
	}
	return math.Sqrt(sum / float64(len(got)))
}

// A pair of columns that explains the label is found, its importance has the name of both, and other rows profit.
func TestCrossedColumns(t *testing.T) {
	ctx := context.Background()
	for _, gaps := range []bool{false, true} {
		train, test := routes(t, 12000, 0, gaps), routes(t, 3000, 500_001, gaps)
		p := crossedParams()
		m, err := booster.Train(ctx, p, train)
		if err != nil {
			t.Fatal(err)
		}
		if !m.HasCrossed() {
			t.Fatal("no columns are crossed")
		}
		list, err := m.Importance(model.ByGain)
		if err != nil {
			t.Fatal(err)
		}
		name := slices.MaxFunc(list, func(a, b model.FeatureImportance) int { return cmp.Compare(a.Value, b.Value) }).Name
		if name != zoneHour {
			t.Errorf("gaps %v: the most important feature is %q, want %q", gaps, name, zoneHour)
		}
		p.Combinations, p.Counts = 0, false
		without, err := booster.Train(ctx, p, train)
		if err != nil {
			t.Fatal(err)
		}
		// The noise has a deviation of 0.29, and a missing zone, which hides the pair of one row in eleven, adds to it.
		if with, alone := rmseOn(t, m, test), rmseOn(t, without, test); with > 0.43 || with > 0.85*alone {
			t.Errorf("gaps %v: rmse %v with crossed columns, %v without", gaps, with, alone)
		}
	}
}

// Rows are predicted alike from tables, from maps and from structs, with unseen pairs and missing values.
func TestCrossedRows(t *testing.T) {
	ctx := context.Background()
	m, err := booster.Train(ctx, crossedParams(), routes(t, 4000, 0, true))
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Zone *string `boost:"zone"`
		Kind string  `boost:"kind"`
		Hour float64 `boost:"hour"`
		X    float64 `boost:"x"`
	}
	structs, err := model.NewRowPredictor[row](m)
	if err != nil {
		t.Fatal(err)
	}
	zones, hours := []string{"z3", "z3", " z3", "", "z4", "new", "z99"}, []float64{5, 77, 5, 5, math.NaN(), 5, 23}
	n := len(zones)
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "zone", Values: zones}, {Name: "kind", Values: slices.Repeat([]string{"c"}, n)},
		{Name: "hour", Values: hours}, {Name: "x", Values: slices.Repeat([]float64{0.5}, n)}}, dataset.As(m.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.Predict(ctx, table)
	if err != nil {
		t.Fatal(err)
	}
	for i := range zones {
		zone := &zones[i]
		values := map[string]any{"zone": zones[i], "kind": "c", "hour": hours[i], "x": 0.5}
		if zones[i] == "" {
			zone, values["zone"] = nil, nil
		}
		got, err := m.PredictRow(values)
		if err != nil || got[0] != want[i] {
			t.Errorf("zone %q, hour %v: a map predicts %v (%v), the table %v", zones[i], hours[i], got, err, want[i])
		}
		got, err = structs.Predict(&row{zone, "c", hours[i], 0.5})
		if err != nil || got[0] != want[i] {
			t.Errorf("zone %q, hour %v: a struct predicts %v (%v), the table %v", zones[i], hours[i], got, err, want[i])
		}
	}
	if want[0] == want[6] && want[0] == want[1] {
		t.Error("pairs make no difference")
	}
	if unseen, err := m.Unseen(table); err != nil || len(unseen) != 1 || unseen[0].Column != "zone" {
		t.Errorf("unseen levels are told of %+v (%v), want of zone only", unseen, err)
	}
}

// A model with crossed columns has the same bytes from all layouts and threads; it is read again in every form, narrowed
// without a change, merged, gone on from, and judged on other tables.
func TestCrossedInAllForms(t *testing.T) {
	testenv.Unraced(t)
	ctx := context.Background()
	table, more := routes(t, 6000, 0, true), routes(t, 2000, 300_007, true)
	p := crossedParams()
	m, err := booster.Train(ctx, p, table, booster.Valid("valid", more))
	if err != nil {
		t.Fatal(err)
	}
	file := bytesOf(t, m)
	for _, layout := range []string{"row", "csr", "ellpack", "both"} {
		q := p
		q.Binning.Layout, q.Threads = layout, 3
		other, err := booster.Train(ctx, q, table, booster.Valid("valid", more))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bytesOf(t, other), file) {
			t.Errorf("layout %s gives another model", layout)
		}
	}
	loaded, err := model.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	again, err := model.DecodeText(m.EncodeText())
	if err != nil || !bytes.Equal(bytesOf(t, again), file) {
		t.Errorf("the JSON form reads as another model (%v)", err)
	}
	want, err := m.PredictRaw(ctx, more)
	if err != nil {
		t.Fatal(err)
	}
	history := m.Contents().History[0].Values
	if got, want := *history[len(history)-1], rmseOn(t, m, more); math.Abs(got-want) > 1e-9 {
		t.Errorf("training found rmse %v on the validation set, prediction %v", got, want)
	}
	for name, other := range map[string]*booster.Model{"loaded": loaded, "text": again} {
		if got, err := other.PredictRaw(ctx, more); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: predictions differ (%v)", name, err)
		}
	}
	merged, err := model.Merge(m, m)
	if err != nil {
		t.Fatal(err)
	}
	got, err := merged.PredictRaw(ctx, more)
	if err != nil {
		t.Fatal(err)
	}
	base := m.Contents().BaseScore[0]
	for i := range got {
		if sum := 2*(want[i]-base) + merged.Contents().BaseScore[0]; math.Abs(got[i]-sum) > 1e-9 {
			t.Fatalf("row %d: merged with itself the model predicts %v instead of %v", i, got[i], sum)
		}
	}
	q := p
	q.Rounds = 5
	on, err := booster.Train(ctx, q, more, booster.From(loaded))
	if err != nil {
		t.Fatal(err)
	}
	if before, after := rmseOn(t, m, more), rmseOn(t, on, more); after >= before {
		t.Errorf("going on raises rmse from %v to %v", before, after)
	}
	var dump strings.Builder
	if err := m.DumpTrees(&dump); err != nil || !strings.Contains(dump.String(), zoneHour) {
		t.Errorf("the trees as text do not name the pair (%v)", err)
	}
}

// The label follows how many rows a level has: a level that training has not, as one of a single row, is below all others.
func TestCounts(t *testing.T) {
	ctx := context.Background()
	var names []string
	var y []float64
	for level := range 120 {
		for range 1 + level%40 {
			names, y = append(names, fmt.Sprint("l", level)), append(y, float64(level%40/20))
		}
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "user", Values: names}, {Name: "y", Values: y}}, dataset.Label("y"), dataset.Categorical("user"))
	if err != nil {
		t.Fatal(err)
	}
	p := crossedParams()
	p.Combinations, p.LearningRate, p.LevelSplits = 0, 1, booster.TargetSplits
	m, err := booster.Train(ctx, p, table)
	if err != nil {
		t.Fatal(err)
	}
	if features, want := featuresOf(m), []string{"user", "count(user)"}; !slices.Equal(features, want) {
		t.Fatalf("features %q, want %q", features, want)
	}
	for _, c := range []struct {
		level string
		want  float64
	}{{"l39", 1}, {"l25", 1}, {"l5", 0}, {"new", 0}} {
		got, err := m.PredictRow(map[string]any{"user": c.level})
		if err != nil || math.Abs(got[0]-c.want) > 0.1 {
			t.Errorf("level %s predicts %v (%v), want %v", c.level, got, err, c.want)
		}
	}
}

// byClass makes a table whose class follows the level, of which there are many, without any order.
func byClass(t *testing.T, rows int) *dataset.Table {
	t.Helper()
	names, y := make([]string, rows), make([]string, rows)
	for i := range rows {
		level := i * 7919 % 120
		names[i], y[i] = fmt.Sprint("l", level), string("abcd"[level*level%7%4]) // 0, 1, 2, 4 of 7: a, b, c, a
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "user", Values: names}, {Name: "y", Values: y}}, dataset.Label("y"), dataset.Categorical("user"))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// One order of levels cannot tell three classes apart by a single split for each; one for each class does. Ordered
// statistics shrink towards the share of all rows by one row, so that 20 rows a level leave no doubt.
func TestSharesOfClasses(t *testing.T) {
	ctx := context.Background()
	table := byClass(t, 2400)
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Tree.Leaves, p.LearningRate, p.LevelSplits, p.Counts = "multiclass", 20, 2, 0.5, booster.TargetSplits, true
	p.Combinations = 0
	wrong := func(m *booster.Model) (n int) {
		got, err := m.Predict(ctx, table)
		if err != nil {
			t.Fatal(err)
		}
		labels, err := table.EncodeClasses(m.Contents().Classes, false)
		if err != nil {
			t.Fatal(err)
		}
		for row, label := range labels {
			scores := got[3*row:][:3]
			if slices.Index(scores, slices.Max(scores)) != int(label) {
				n++
			}
		}
		return n
	}
	m, err := booster.Train(ctx, p, table)
	if err != nil {
		t.Fatal(err)
	}
	if features, want := featuresOf(m), []string{"user", "count(user)", "share(user, b)", "share(user, c)"}; !slices.Equal(features, want) {
		t.Fatalf("features %q, want %q", features, want)
	}
	if n := wrong(m); n != 0 {
		t.Errorf("%d rows of 2400 have another class", n)
	}
	q := p
	q.Threads = 3
	other, err := booster.Train(ctx, q, table)
	if err != nil || !bytes.Equal(bytesOf(t, other), bytesOf(t, m)) {
		t.Errorf("three threads give another model (%v)", err)
	}
	row, err := m.PredictRow(map[string]any{"user": "l0"})
	all, _ := m.Predict(ctx, table)
	if err != nil || !slices.Equal(row, all[:3]) {
		t.Errorf("the first row alone predicts %v (%v), in the table %v", row, err, all[:3])
	}
	p.Counts = false
	if m, err = booster.Train(ctx, p, table); err != nil || wrong(m) == 0 {
		t.Errorf("one order tells three classes apart as well (%v): the test shows nothing", err)
	}
	// Few rows, though many of a level: nobody has asked for columns of others, and levels stay sets.
	p.LevelSplits, p.Combinations = booster.AutoSplits, -1
	defer func(was int) { crosses.FewestRows = was }(crosses.FewestRows)
	crosses.FewestRows = 3000
	if m, err = booster.Train(ctx, p, table); err != nil || m.HasCrossed() || m.Contents().Cuts.Features[0].Ordered {
		t.Errorf("few rows: columns are made of others, or levels in order (%v)", err)
	}
}

// A list that gives every column the usual weight changes nothing; columns whose name is taken are left out, or refused where they
// are asked for; where none can be made, several classes keep sets of levels.
func TestMadeColumnsInTheWay(t *testing.T) {
	ctx := context.Background()
	table := byClass(t, 2400)
	p := booster.Defaults()
	p.Objective, p.Rounds, p.LevelSplits = "multiclass", 2, booster.AutoSplits
	made := func(p booster.Params, table *dataset.Table) ([]string, error) {
		m, err := booster.Train(ctx, p, table)
		if err != nil {
			return nil, err
		}
		return madeOf(m), nil
	}
	all := []string{"count(user)", "share(user, a)", "share(user, b)", "share(user, c)"}
	q := p
	q.Tree.FeaturePenalty, q.Tree.ColWeights, q.Tree.FeatureCost = map[string]float64{"user": 1}, map[string]float64{"user": 1}, map[string]float64{"user": 0}
	if got, err := made(q, table); err != nil || !slices.Equal(got, all) {
		t.Errorf("usual weights: made are %q (%v), want %q", got, err, all)
	}
	with := func(names ...string) *dataset.Table {
		columns := []dataset.ColumnData{{Name: "user", Values: textsOf(table.Column("user"))}, {Name: "y", Values: textsOf(table.Column("y"))}}
		for _, name := range names {
			columns = append(columns, dataset.ColumnData{Name: name, Values: make([]float64, table.NumRows())})
		}
		wider, err := dataset.FromColumns(columns, dataset.Label("y"), dataset.Categorical("user"))
		if err != nil {
			t.Fatal(err)
		}
		return wider
	}
	if got, err := made(p, with("share(user, a)")); err != nil || !slices.Equal(got, []string{"count(user)", "share(user, b)", "share(user, c)"}) {
		t.Errorf("a name that is taken: made are %q (%v)", got, err)
	}
	q = p
	q.Counts, q.Combinations = true, 0
	if _, err := made(q, with("count(user)")); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), "leave categorical.combinations and categorical.counts out") {
		t.Errorf("a name that is taken, and asked for: error %v", err)
	}
	q = p
	q.Tree.Interaction = [][]string{{"user"}}
	m, err := booster.Train(ctx, q, table)
	if err != nil || m.Contents().Cuts.Features[0].Ordered {
		t.Errorf("without made columns levels of three classes are in one order (%v)", err)
	}
}

// featuresOf returns the names of a model's features, and madeOf of those that are made of others.
func featuresOf(m *booster.Model) (names []string) {
	for _, c := range m.Contents().FeatureColumns() {
		names = append(names, c.Name)
	}
	return names
}

func madeOf(m *booster.Model) (names []string) {
	for _, c := range m.Contents().FeatureColumns() {
		if c.Crossed != nil {
			names = append(names, c.Name)
		}
	}
	return names
}

// textsOf returns the levels of a column by row.
func textsOf(c *dataset.Column) []string {
	texts := make([]string, c.Len())
	for i, code := range c.Codes() {
		texts[i] = c.Levels()[code]
	}
	return texts
}

// With "auto" columns are made of others where nothing speaks against it.
func TestAutoCrosses(t *testing.T) {
	testenv.Unraced(t)
	ctx := context.Background()
	for _, c := range []struct {
		name   string
		change func(p *booster.Params)
		rows   int
		want   []string
	}{
		{"auto", func(*booster.Params) {}, 4000, []string{"count(zone)", "mean(zone)", zoneHour}},
		{"few rows", func(*booster.Params) { crosses.FewestRows = 2000 }, 1500, nil},
		{"few rows of a level", func(*booster.Params) {}, 290, []string{"count(zone)", "mean(zone)"}},
		{"rows held out count", func(p *booster.Params) { p.EarlyStopping = 2 }, 310, []string{"count(zone)", "mean(zone)"}},
		{"none", func(p *booster.Params) { p.Combinations = 0 }, 4000, nil},
		{"counts only", func(p *booster.Params) { p.Combinations, p.Counts = 0, true }, 4000, []string{"count(zone)"}},
		{"interaction", func(p *booster.Params) { p.Tree.Interaction = [][]string{{"zone", "x"}, {"hour"}} }, 4000, nil},
		{"target", func(p *booster.Params) { p.LevelSplits = booster.TargetSplits }, 4000, nil},
		{"left out", func(p *booster.Params) { *p = booster.Params{LevelSplits: booster.AutoSplits, Objective: "regression"} }, 4000, []string{"count(zone)", zoneHour}},
	} {
		p, fewest := booster.Defaults(), crosses.FewestRows
		p.Objective, p.LevelSplits, p.Rounds = "regression", booster.AutoSplits, 2
		c.change(&p)
		m, err := booster.Train(ctx, p, routes(t, c.rows, 0, false))
		crosses.FewestRows = fewest
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		made := madeOf(m)
		for _, name := range c.want {
			if !slices.Contains(made, name) {
				t.Errorf("%s: columns %q, want %q among them", c.name, made, name)
			}
		}
		if len(made) > 0 && c.want == nil {
			t.Errorf("%s: columns %q, want none", c.name, made)
		}
		if c.rows < crosses.FewestRows && slices.Contains(made, zoneHour) {
			t.Errorf("%s: columns %q, want no pair of so few rows", c.name, made)
		}
	}
}

func TestCrossedRefused(t *testing.T) {
	ctx := context.Background()
	table := routes(t, 4000, 0, false)
	for _, c := range []struct {
		change func(p *booster.Params)
		want   string
	}{
		{func(p *booster.Params) { p.LevelSplits = booster.SetSplits }, "categorical.splits"},
		{func(p *booster.Params) { p.Tree.Interaction = [][]string{{"zone", "x"}, {"hour"}} }, "constraints.interaction"},
		{func(p *booster.Params) { p.Combinations, p.LevelSplits = 0, booster.SetSplits }, "categorical.counts"},
		{func(p *booster.Params) { p.Combinations = -2 }, "categorical.combinations = -2"},
	} {
		p := crossedParams()
		c.change(&p)
		if _, err := booster.Train(ctx, p, table); !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want an error about %s", err, c.want)
		}
	}
	// A column with a rule of its own is not crossed: it would act by another name.
	for name, change := range map[string]func(p *booster.Params){
		"none":     func(*booster.Params) {},
		"monotone": func(p *booster.Params) { p.Tree.Monotone = map[string]int{"hour": 1} },
		"penalty":  func(p *booster.Params) { p.Tree.FeaturePenalty = map[string]float64{"hour": 0.5} },
		"cost":     func(p *booster.Params) { p.Tree.FeatureCost = map[string]float64{"hour": 1} },
		"row cost": func(p *booster.Params) { p.Tree.FeatureRowCost = map[string]float64{"hour": 1} },
		"level":    func(p *booster.Params) { p.Tree.LastLevel = map[string]int{"hour": 1} },
		"weight":   func(p *booster.Params) { p.Tree.ColWeights, p.Tree.ColNode = map[string]float64{"hour": 2}, 0.5 },
	} {
		p := crossedParams()
		change(&p)
		m, err := booster.Train(ctx, p, table)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		crossed := slices.ContainsFunc(m.Schema().Columns, func(c dataset.ColumnSchema) bool { return slices.Contains(c.Crossed, "hour") })
		if want := name == "none"; crossed != want {
			t.Errorf("%s: the column is crossed = %v, want %v", name, crossed, want)
		}
	}
}
