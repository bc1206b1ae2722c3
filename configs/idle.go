package configs

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"boost/dataset"
)

// idleKey is a key that says nothing unless another one is set.
type idleKey struct {
	name    string
	counts  bool     // it says something here
	with    []string // keys that would make it count
	problem string   // what it is for, and what to do
}

// idleKeys lists those of a config for a table that has weights or not.
func (c *Config) idleKeys(weighted bool) []idleKey {
	p, t := &c.Params, &c.Params.Tree
	isShare := func(v float64) bool { return v > 0 && v < 1 }
	byGradient := isShare(p.MvsFraction) || p.GossTop > 0
	draws := p.RowFraction < 1 || byGradient || isShare(p.PositiveFraction) || isShare(p.NegativeFraction) || p.Replace || p.BaggingTemperature > 0
	const monotone = "is for columns of constraints.monotone, and it names none: set constraints.monotone, or leave the key out"
	return []idleKey{
		{"sampling.row_every", draws, []string{"sampling.row_fraction", "sampling.positive_fraction", "sampling.negative_fraction", "sampling.replace", "sampling.bagging_temperature"},
			"says when rows are drawn anew, and all rows are taken: set sampling.row_fraction below 1, or leave the key out"},
		{"sampling.mvs_lambda", isShare(p.MvsFraction), []string{"sampling.mvs_fraction"}, "is for sampling.mvs_fraction: set that between 0 and 1, or leave the key out"},
		{"constraints.monotone_method", len(t.Monotone) > 0, nil, monotone},
		{"constraints.monotone_penalty", len(t.Monotone) > 0, nil, monotone},
		{"tree.cost_tradeoff", t.SplitCost > 0 || len(t.FeatureCost)+len(t.FeatureRowCost) > 0, []string{"tree.split_cost"},
			"is a factor of costs, and there are none: set tree.split_cost, tree.feature_cost or tree.feature_row_cost, or leave the key out"},
		{"binning.bundle_conflicts", p.Binning.Bundle == "on", nil, `needs binning.bundle = "on": set that, or leave the key out`},
		{"binning.weighted_cuts", weighted, nil, "takes cuts by the weights of rows, and the table has none: name their column in data.weight, or leave the key out"},
		{"train.learning_rate", len(p.Rates) == 0 || c.Data.Position != "", nil, "and train.learning_rates both say what the learning rate is: leave one of them out"}, // positions are learned by it
	}
}

// CheckTable refuses what does not suit a training table: numbers of columns where some are left out, and keys that were given, or that a search
// tries, where they would change nothing. Their defaults may be given anywhere.
func (c *Config) CheckTable(t *dataset.Table, searched ...string) error {
	weighted := slices.ContainsFunc(t.Columns(), func(column *dataset.Column) bool { return column.Role() == dataset.WeightRole })
	if err := c.checkNumbers(t.Dropped()); err != nil {
		return &Problems{[]error{err}}
	}
	keys := keysOf(c)
	var problems []error
	for _, idle := range c.idleKeys(weighted) {
		at, given := c.given[idle.name]
		k := byName(keys, idle.name)
		tried := slices.Contains(searched, idle.name)
		if idle.counts || !tried && (!given || k.format() == k.Default()) || slices.ContainsFunc(idle.with, func(name string) bool { return slices.Contains(searched, name) }) {
			continue
		}
		if tried {
			problems = append(problems, fmt.Errorf("%s, which is searched, %s", idle.name, idle.problem))
		} else {
			problems = append(problems, fmt.Errorf("%v: %s = %s %s", at, idle.name, k.format(), idle.problem))
		}
	}
	if problems == nil {
		return nil
	}
	return &Problems{problems}
}

// checkNumbers refuses numbers of columns where some columns of the table are left out: they would count those that are left.
// Of columns that are left out, entries that say nothing are removed.
func (c *Config) checkNumbers(dropped []string) error {
	t := &c.Params.Tree
	removeEntries(t.Monotone, dropped, 0)
	removeEntries(t.FeatureCost, dropped, 0)
	removeEntries(t.FeatureRowCost, dropped, 0)
	removeEntries(t.FeaturePenalty, dropped, 1)
	removeEntries(t.ColWeights, dropped, 1)
	out := slices.Concat(c.Data.Ignore, dropped)
	if len(out) == 0 {
		return nil
	}
	named := slices.Concat(t.Interaction...)
	for _, floats := range []map[string]float64{t.FeatureCost, t.FeatureRowCost, t.FeaturePenalty, t.ColWeights} {
		named = append(named, slices.Sorted(maps.Keys(floats))...)
	}
	for _, ints := range []map[string]int{t.Monotone, t.FirstLevel, t.LastLevel} {
		named = append(named, slices.Sorted(maps.Keys(ints))...)
	}
	for _, name := range named {
		digits, numbered := strings.CutPrefix(name, "#")
		if number, err := strconv.Atoi(digits); numbered && err == nil {
			return fmt.Errorf("a setting names column number %d, and the columns %q are left out: name columns instead of numbering them", number, out)
		}
	}
	return nil
}

// removeEntries removes entries of a table by column that say nothing, those of some columns.
func removeEntries[V int | float64](table map[string]V, columns []string, nothing V) {
	maps.DeleteFunc(table, func(name string, value V) bool { return value == nothing && slices.Contains(columns, name) })
}

// ResetIdle gives keys that CheckTable would refuse after a search, but for those that go by the table, their defaults: the model
// is the same.
func (c *Config) ResetIdle() {
	usual := Default()
	keys, defaults := keysOf(c), keysOf(&usual)
	for _, idle := range c.idleKeys(true) {
		if !idle.counts {
			reflect.ValueOf(byName(keys, idle.name).Value).Elem().Set(reflect.ValueOf(byName(defaults, idle.name).Value).Elem())
		}
	}
}
