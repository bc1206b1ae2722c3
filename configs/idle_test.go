package configs_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"boost/configs"
	"boost/dataset"
)

// Keys that would change nothing are refused where they were given, in one error; their defaults, and those that another key makes
// count, are taken. After a search they have their defaults.
func TestIdleKeys(t *testing.T) {
	table := func(opts ...dataset.Option) *dataset.Table {
		table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "y", Values: []float64{1, 2}}, {Name: "w", Values: []float64{1, 2}}}, append(opts, dataset.Label("y"))...)
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	plain, weighted := table(), table(dataset.Weight("w"))
	for _, c := range []struct {
		key, value, with string // with makes the key count
		searched, want   string
	}{
		{"sampling.row_every", "5", "sampling.row_fraction=0.5", "sampling.row_fraction", "all rows are taken: set sampling.row_fraction below 1"},
		{"sampling.row_every", "5", "sampling.negative_fraction=0.5", "", "all rows are taken"},
		{"sampling.row_every", "5", "sampling.bagging_temperature=1", "", "all rows are taken"},
		{"bagging_freq", "5", "bagging_fraction=0.5", "", "all rows are taken"},
		{"sampling.mvs_lambda", "2", "sampling.mvs_fraction=0.5", "sampling.mvs_fraction", "is for sampling.mvs_fraction"},
		{"mvs_reg", "2", "train.preset=catboost", "", "is for sampling.mvs_fraction"},
		{"constraints.monotone_method", "advanced", "constraints.monotone={a=1}", "", "it names none: set constraints.monotone"},
		{"monotone_penalty", "2", "monotone_constraints={a=1}", "", "it names none: set constraints.monotone"},
		{"tree.cost_tradeoff", "2", "tree.split_cost=0.1", "tree.split_cost", "there are none: set tree.split_cost"},
		{"cegb_tradeoff", "2", "tree.feature_cost={a=1}", "", "there are none: set tree.split_cost"},
		{"binning.bundle_conflicts", "0.1", "binning.bundle=on", "", `needs binning.bundle = "on"`},
		{"binning.weighted_cuts", "true", "data.weight=w", "", "the table has none: name their column in data.weight"},
		{"train.learning_rate", "0.5", "data.position=p", "", ""},
	} {
		read := func(settings ...string) *configs.Config {
			t.Helper()
			config, _, err := configs.Read(configs.Default(), "", settings)
			if err != nil {
				t.Fatal(err)
			}
			return config
		}
		given, rows := c.key+"="+c.value, plain
		if c.want != "" {
			var problems *configs.Problems
			if err := read(given).CheckTable(plain); !errors.As(err, &problems) || !errors.Is(err, configs.ErrConfig) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "--set "+given+": ") {
				t.Errorf("%s: got %v, want %q", given, err, c.want)
			}
		}
		if strings.HasPrefix(c.with, "data.weight") {
			rows = weighted
		}
		if err := read(given, c.with).CheckTable(rows); err != nil {
			t.Errorf("%s with %s: %v", given, c.with, err)
		}
		if err := read(given).CheckTable(rows, c.searched); c.searched != "" && err != nil {
			t.Errorf("%s where %s is searched: %v", given, c.searched, err)
		}
		if c.key != "binning.weighted_cuts" {
			config := read(given)
			config.ResetIdle()
			if err := config.CheckTable(plain); err != nil {
				t.Errorf("%s after a search: %v", given, err)
			}
		}
	}
	if err := new(configs.Config).CheckTable(plain, "sampling.mvs_lambda"); err == nil || !strings.Contains(err.Error(), "sampling.mvs_lambda, which is searched, is for sampling.mvs_fraction") {
		t.Errorf("a search: %v", err)
	}
	twice := []string{"train.learning_rates=[0.3, 0.1]", "train.learning_rate=0.5", "sampling.mvs_lambda=2"}
	config, _, err := configs.Read(configs.Default(), "", twice)
	if err != nil {
		t.Fatal(err)
	}
	if err := config.CheckTable(plain); err == nil || strings.Count(err.Error(), "\n") != 1 || !strings.Contains(err.Error(), "train.learning_rate = 0.5 and train.learning_rates both say") {
		t.Errorf("two problems: %v", err)
	}
	config, _, err = configs.Read(configs.Default(), "", []string{"sampling.row_every=1", "sampling.mvs_lambda=-1", "constraints.monotone_method=basic", "constraints.monotone_penalty=0",
		"tree.cost_tradeoff=1", "binning.bundle_conflicts=0", "binning.weighted_cuts=false", "train.learning_rate=0.1", "train.learning_rates=[0.3]"})
	if err != nil {
		t.Fatal(err)
	}
	if err := config.CheckTable(plain); err != nil {
		t.Errorf("defaults: %v", err)
	}
}

// A number of a column is clear only where no column is left out.
func TestColumnNumbersBesideLeftOut(t *testing.T) {
	const rows = 200
	numbers, texts := make([]float64, rows), make([]string, rows)
	for i := range rows {
		numbers[i], texts[i] = float64(i), fmt.Sprint("text ", i)
	}
	table := func(names ...string) *dataset.Table {
		columns := []dataset.ColumnData{{Name: "y", Values: numbers}, {Name: "a", Values: numbers}}
		for _, name := range names {
			columns = append(columns, dataset.ColumnData{Name: name, Values: texts})
		}
		table, err := dataset.FromColumns(columns, dataset.Label("y"), dataset.DropTextLike())
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	for _, c := range []struct {
		settings []string
		table    *dataset.Table
		refused  bool
	}{
		{[]string{"monotone_constraints=[1]"}, table(), false},
		{[]string{"monotone_constraints=[1]"}, table("text"), true},
		{[]string{"constraints.monotone={a=1}"}, table("text"), false},
		{[]string{"interaction_constraints=[[0]]"}, table("text"), true},
		{[]string{"feature_contri=[0.5]", "ignore_column=name:b"}, table(), true},
		{[]string{"constraints.last_level={\"#0\"=1}"}, table("text"), true},
	} {
		config, _, err := configs.Read(configs.Default(), "", c.settings)
		if err != nil {
			t.Fatal(err)
		}
		if err := config.CheckTable(c.table); (err != nil) != c.refused || c.refused && !strings.Contains(err.Error(), "are left out: name columns") {
			t.Errorf("%v: %v", c.settings, err)
		}
	}
	for range 30 { // always the same number is named
		config, _, err := configs.Read(configs.Default(), "", []string{"monotone_constraints=[1, 1, 1]"})
		if err != nil {
			t.Fatal(err)
		}
		if err := config.CheckTable(table("text")); err == nil || !strings.Contains(err.Error(), "column number 0,") {
			t.Fatalf("of three numbers: %v", err)
		}
	}
}
