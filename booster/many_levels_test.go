package booster_test

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/internal/testenv"
)

// manyLevels makes a table of rows rows whose column k has as many levels, "level-0" …,
// each in one row, the column few with levels of 100 rows, and a label from a number
// and from the levels.
func manyLevels(t testing.TB, rows int) *dataset.Table {
	t.Helper()
	k, few, x, y := make([]string, rows), make([]string, rows), make([]float64, rows), make([]float64, rows)
	for i := range rows {
		level := i * 7919 % rows // 7919 is prime to powers of ten: every level once
		k[i], few[i] = "level-"+strconv.Itoa(level), "group-"+strconv.Itoa(level/100)
		x[i] = float64(i*31%1009) / 1009
		y[i] = x[i] + float64(level/100%7)
	}
	tab, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "k", Values: k}, {Name: "few", Values: few}, {Name: "x", Values: x}, {Name: "y", Values: y},
	}, dataset.Label("y"), dataset.Categorical("k", "few"))
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

// TestManyLevels trains on a million levels (under BOOST_SOAK, else on fewer), saves, loads and predicts. Each step is
// linear in the levels, or sorts them: what is quadratic would take 10¹² steps.
func TestManyLevels(t *testing.T) {
	testenv.Unraced(t)
	rows := testenv.ByLength(1_000_000, 250_000, 100_000)
	start, ctx := time.Now(), context.Background()
	tab := manyLevels(t, rows)
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Tree.Leaves, p.Threads = "regression", 2, 8, 2
	for name, change := range map[string]func(p *booster.Params){
		"max_cat shares": func(p *booster.Params) {},
		"every level":    func(p *booster.Params) { p.Binning.MaxCat, p.Binning.Order = 2*rows, "name" },
	} {
		q := p
		change(&q)
		m, err := booster.Train(ctx, q, tab)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "m.boost")
		if err := m.Save(path); err != nil {
			t.Fatal(err)
		}
		loaded, err := model.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := loaded.Schema().Columns[0].Levels, tab.Column("k").Levels(); len(want) != rows || !slices.Equal(got, want) {
			t.Errorf("%s: the dictionary of the loaded model has %d levels, the table %d", name, len(got), len(want))
		}
		own := min(rows, q.Binning.MaxCat)
		if n := loaded.Contents().Cuts.NCodes()[0]; n != uint32(own) && n != uint32(own)+1 {
			t.Errorf("%s: %d codes of %d levels, max_cat %d", name, n, rows, q.Binning.MaxCat)
		}
		want, err := m.Predict(ctx, tab)
		if err != nil {
			t.Fatal(err)
		}
		got, err := loaded.Predict(ctx, tab)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: the loaded model predicts other values (%v)", name, err)
		}
		if unseen, err := loaded.Unseen(tab); len(unseen) > 0 || err != nil {
			t.Errorf("%s: unseen %v, %v", name, unseen, err)
		}
		// A later table: other levels, in another order.
		later, err := dataset.FromColumns([]dataset.ColumnData{
			{Name: "x", Values: []float64{.5, .5}}, {Name: "few", Values: []string{"group-1", "new"}}, {Name: "k", Values: []string{"level-3", "newer"}},
		}, dataset.Categorical("k", "few"))
		if err != nil {
			t.Fatal(err)
		}
		unseen, err := loaded.Unseen(later)
		if err != nil || len(unseen) != 2 || unseen[0].Example != "newer" || unseen[1].Example != "new" {
			t.Errorf("%s: unseen %+v, %v", name, unseen, err)
		}
	}
	// About 10 s on two idle cores for a million levels.
	if spent := time.Since(start); spent > 5*time.Minute {
		t.Errorf("two models of %d levels took %v", rows, spent)
	}
}

// BenchmarkManyLevels times the steps on a million levels.
func BenchmarkManyLevels(b *testing.B) {
	ctx := context.Background()
	tab := manyLevels(b, 1_000_000)
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Threads = "regression", 10, 2
	m, err := booster.Train(ctx, p, tab)
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "m.boost")
	for _, step := range []struct {
		name string
		run  func() error
	}{
		{"train", func() error { _, err := booster.Train(ctx, p, tab); return err }},
		{"save", func() error { return m.Save(path) }},
		{"load", func() error { _, err := model.Load(path); return err }},
		{"predict", func() error { _, err := m.Predict(ctx, tab); return err }},
	} {
		b.Run("step="+step.name, func(b *testing.B) {
			for b.Loop() {
				if err := step.run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
