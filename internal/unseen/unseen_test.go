package unseen_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/internal/unseen"
)

// trained returns a model of a column of three levels, and one of numbers.
func trained(t *testing.T) *model.Model {
	t.Helper()
	params := booster.Defaults()
	params.Rounds, params.EarlyStopping = 1, 0
	m, err := booster.Train(context.Background(), params, cities(t, 90, "Oslo", "Rome", "Kyiv"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// cities is a table whose rows have these cities in turn.
func cities(t *testing.T, rows int, names ...string) *dataset.Table {
	t.Helper()
	texts, x, y := make([]string, rows), make([]float64, rows), make([]float64, rows)
	for i := range rows {
		texts[i], x[i], y[i] = names[i%len(names)], float64(i), float64(i%7)
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "city", Values: texts}, {Name: "x", Values: x}, {Name: "y", Values: y}}, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// Tables of which no, some and all rows have a level that training did not have, in one part and in two.
func TestLevels(t *testing.T) {
	m := trained(t)
	for _, c := range []struct {
		parts        []*dataset.Table
		rows         int
		note, refuse string
	}{
		{[]*dataset.Table{cities(t, 12, "Rome", "Oslo")}, 12, "", ""},
		{[]*dataset.Table{cities(t, 12, "Rome", "Oslo", "Bern")}, 12, `column "city": 4 rows (33.3 %) with 1 level that training did not have, such as "Bern": treated as missing`, ""},
		{[]*dataset.Table{cities(t, 3, "Bern", "Riga"), cities(t, 3, "Lima", "Bern")}, 6,
			`column "city": 6 rows (100.0 %) with 3 levels that training did not have, such as "Bern": treated as missing`,
			`t.csv: column "city": training had none of its categories: here "Bern", "Riga", "Lima"; in training "Oslo", "Rome", "Kyiv" `},
		// Only one part has a known level, which is enough.
		{[]*dataset.Table{cities(t, 3, "Bern"), cities(t, 1, "Oslo")}, 4, `column "city": 3 rows (75.0 %) with 1 level that training did not have, such as "Bern": treated as missing`, ""},
		// One row says too little.
		{[]*dataset.Table{cities(t, 1, "Bern")}, 1, `column "city": 1 row (100.0 %) with 1 level that training did not have, such as "Bern": treated as missing`, ""},
	} {
		for _, mode := range []string{"", unseen.Missing} {
			u, err := unseen.New(m, mode)
			if err != nil {
				t.Fatal(err)
			}
			var adds []func()
			for _, part := range c.parts {
				add, err := u.Look(part)
				if err != nil {
					t.Fatal(err)
				}
				adds = append(adds, add)
			}
			if notes := u.Notes(c.rows); len(notes) > 0 {
				t.Errorf("before anything is added: %q", notes)
			}
			for _, add := range adds {
				add()
			}
			if got := strings.Join(u.Notes(c.rows), "\n"); got != c.note {
				t.Errorf("got  %s\nwant %s", got, c.note)
			}
			err = u.Check([]string{"t.csv"})
			switch want := c.refuse; {
			case want == "" || mode == unseen.Missing:
				if err != nil {
					t.Errorf("mode %q: got %v", mode, err)
				}
			case err == nil || !strings.HasPrefix(err.Error(), want) || !errors.Is(err, dataset.ErrTable):
				t.Errorf("got  %v\nwant %s", err, want)
			}
		}
	}
}

// With --on-unseen error the first such row ends the run, with its place.
func TestRefused(t *testing.T) {
	u, err := unseen.New(trained(t), unseen.Error)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := u.Look(cities(t, 12, "Rome", "Oslo")); err != nil {
		t.Error(err)
	}
	_, err = u.Look(cities(t, 12, "Rome", "Oslo", "Bern"))
	if err == nil || !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), `column "city": training did not have "Bern"`) || !strings.Contains(err.Error(), "row 3") {
		t.Errorf("got %v", err)
	}
}

// Names of many levels are cut short; their number is not.
func TestManyLevels(t *testing.T) {
	names := make([]string, 50)
	for i := range names {
		names[i] = fmt.Sprintf("%02d %s", i, strings.Repeat("long ", 20))
	}
	u, err := unseen.New(trained(t), "")
	if err != nil {
		t.Fatal(err)
	}
	add, err := u.Look(cities(t, 100, names...))
	if err != nil {
		t.Fatal(err)
	}
	add()
	if got := u.Notes(200); len(got) != 1 || !strings.Contains(got[0], "100 rows (50.0 %) with 50 levels") || len(got[0]) > 220 {
		t.Errorf("got %q", got)
	}
	if err := u.Check([]string{"t.csv"}); err == nil || !strings.Contains(err.Error(), `", …; in training`) || len(err.Error()) > 400 {
		t.Errorf("got %v", err)
	}
}
