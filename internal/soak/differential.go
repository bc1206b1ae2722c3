package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// variants is how many ways of training are compared with the first one.
const variants = 8

// way is one way of training that must not matter.
type way struct {
	env   []string
	sets  []string
	table string
}

func (w *way) String() string {
	return strings.Join(slices.Concat(w.env, w.sets, []string{w.table}), " ")
}

// dimensions are settings and environments that must not change a model, of which a way takes one of each
// or none.
var dimensions = [][]string{
	{"train.threads=2", "train.threads=3"},
	{"train.builder=sequential", "train.builder=feature", "train.builder=row"},
	{"binning.layout=col", "binning.layout=row", "binning.layout=both", "binning.layout=csr", "binning.layout=ellpack", "binning.missing_as=mask"},
	{"binning.storage=uniform"},
	{"binning.bundle=off", "binning.bundle=on"},
	{"data.out_of_core=true"},
	{"data.cache=t.cache"},
	{"train.memory_limit=256MiB", "train.memory_limit=24MiB"},
	{"train.verify=true"},
	{"BOOST_CPU=generic", "BOOST_CPU=avx2"},
	{"GOGC=off", "GOGC=5"},
	{"GOMAXPROCS=1"},
}

// refusals are what the program says of ways that it does not offer, and the settings that this is
// about: "" for those of the way alone.
var refusals = [][2]string{
	{"reads columns, binning.layout", ""},
	{"cannot go with binning.bundle", ""},
	{"train.memory_limit", ""},
	{"integer gradients without an offset", "train.gradients=f32|train.gradients=auto|gradients.mode=asymmetric"},
	{"in memory", "train.gradients=f32|train.gradients=auto|binning.sample=0"},
}

// mayRefuse reports whether a run that failed says why it had to.
func mayRefuse(e ended, sets []string) bool {
	for _, r := range refusals {
		of := func(set string) bool { return r[1] == "" || slices.Contains(strings.Split(r[1], "|"), set) }
		if (e.code == 2 || e.code == 5) && strings.Contains(e.errors, r[0]) && slices.ContainsFunc(sets, of) {
			return true
		}
	}
	return false
}

func prepareDifferential(*trial) (func(t *trial) error, error) { return differential, nil }

func differential(t *trial) error {
	table := newTable(t, 0)
	names, err := table.formats(t)
	if err != nil {
		return err
	}
	sets := settings(t, table)
	first := way{table: names[0], sets: []string{"train.threads=1"}}
	want, err := train(t, first, sets, "m.boost")
	if err != nil {
		return err
	}
	model, err := t.read("m.boost")
	if err != nil {
		return err
	}
	for range variants {
		w := way{table: names[t.IntN(len(names))]}
		for _, d := range dimensions {
			n := t.IntN(2 * len(d))
			switch {
			case n >= len(d):
			case strings.Contains(d[n], "."):
				w.sets = append(w.sets, d[n])
			default:
				w.env = append(w.env, d[n])
			}
		}
		got, err := train(t, w, sets, "v.boost")
		if err != nil {
			return err
		}
		if got.code != want.code && !mayRefuse(got, sets) {
			return fmt.Errorf("%s: exit code %d, with %s %d:\n%s%s\n  settings %s", &first, want.code, &w, got.code, want.errors, got.errors, sets)
		}
		expected := model
		if got.code != 0 {
			expected = nil
		}
		if err := t.isOneOf("v.boost", expected); err != nil {
			return fmt.Errorf("%s is not %s: %w\n  settings %s", &w, &first, err, sets)
		}
	}
	if want.code != 0 {
		return nil
	}
	return predictions(t, names)
}

// train trains in one way.
func train(t *trial, w way, sets []string, out string) (ended, error) {
	args := []string{"train", w.table, "--label", "label", "-q", "-o", out}
	for _, s := range slices.Concat(w.sets, sets) {
		args = append(args, "--set", s)
	}
	if err := t.write(out, nil); err != nil {
		return ended{}, err
	}
	return t.end(w.env, args...)
}

// predictions compares what the model gives for all forms of its table, in all ways.
func predictions(t *trial, names []string) error {
	kind := []string{"value", "raw", "leaf", "class"}[t.IntN(4)]
	var want []byte
	for i, name := range append([]string{names[0]}, names...) {
		var env []string
		if i > 0 {
			env = []string{[]string{"BOOST_CPU=generic", "BOOST_CPU=avx2", "GOMAXPROCS=1", "GOGC=off"}[t.IntN(4)]}
		}
		e, err := t.end(env, "predict", "m.boost", name, "--kind", kind, "-q")
		if err != nil {
			return err
		}
		switch {
		case i == 0 && e.code == 2 && kind == "class": // a regression
			kind = "value"
			if e, err = t.succeed("predict", "m.boost", name, "-q"); err != nil {
				return err
			}
		case e.code != 0:
			return fmt.Errorf("predict %s: exit code %d: %s", name, e.code, e.errors)
		}
		if i == 0 {
			want = []byte(e.out)
		} else if !bytes.Equal(want, []byte(e.out)) {
			return fmt.Errorf("%s: predictions of %s with %s are not those of %s", kind, name, env, names[0])
		}
	}
	return nil
}

// settings draws a config that every way of training shares.
func settings(t *trial, table *randomTable) []string {
	sets := []string{"train.objective=" + table.objective, fmt.Sprint("train.rounds=", 1+t.IntN(10)), fmt.Sprint("train.seed=", t.IntN(5))}
	if table.weighted {
		sets = append(sets, "data.weight=w")
	}
	if len(table.categorical) > 0 {
		sets = append(sets, "data.categorical="+strings.Join(table.categorical, ","))
	}
	gradients := []string{"i16", "i16", "i8", "i4", "i32", "f32", "auto"}[t.IntN(7)]
	sets = append(sets, "train.gradients="+gradients)
	if gradients == "auto" {
		sets = append(sets, []string{"gradients.l2_bytes=4KiB", "gradients.l2_bytes=1MiB"}[t.IntN(2)])
	}
	if gradients == "i16" && t.IntN(3) == 0 {
		sets = append(sets, "gradients.mode=asymmetric")
	}
	// Each line is drawn half of the time, one of its words.
	for _, choices := range [][]string{
		{"train.early_stopping=0", "train.early_stopping=2"},
		{"train.learning_rate=0.3", "train.learning_rate=1"},
		{"gradients.renew_leaves=on", "gradients.renew_leaves=off"},
		{"tree.leaves=2", "tree.leaves=7", "tree.leaves=200"},
		{"tree.max_depth=1", "tree.max_depth=4"},
		{"tree.min_data_in_leaf=0", "tree.min_data_in_leaf=1", "tree.min_data_in_leaf=5", "tree.min_data_in_leaf=100"},
		{"tree.min_child_weight=0", "tree.min_child_weight=2"},
		{"tree.lambda_l1=0.5", "tree.lambda_l2=3"},
		{"tree.min_gain=0.1"},
		{"tree.reuse_feature=0.3", "tree.reuse_cut=0.3"},
		{"sampling.row_fraction=0.5", "sampling.mvs_fraction=0.4", "sampling.goss_top=0.2"},
		{"sampling.col_tree=0.6", "sampling.col_level=0.5", "sampling.col_node=0.5"},
		{"binning.max_bin=2", "binning.max_bin=9", "binning.max_bin=16", "binning.max_bin=300", "binning.max_bin=5000"},
		{"binning.min_data_in_bin=3", "binning.placement=value", "binning.weighted_cuts=true"},
		{"binning.sample=50", "binning.sample=1000", "binning.sample=0"},
		{"categorical.max_cat=3", "categorical.min_data_per_cat=3", "categorical.order=name", "categorical.hash_buckets=3"},
		{"categorical.onehot_max=0", "categorical.onehot_max=1000", "categorical.max_per_side=2"},
		{"categorical.smooth=0", "categorical.l2=0"},
		{"categorical.min_per_group=0", "categorical.min_per_group=5"},
		{"metrics.every=3"},
	} {
		if t.IntN(2) == 0 {
			choice := choices[t.IntN(len(choices))]
			if choice == "sampling.goss_top=0.2" {
				sets = append(sets, "sampling.goss_other=0.1")
			}
			sets = append(sets, choice)
		}
	}
	if gradients != "f32" && t.IntN(3) == 0 {
		sets = append(sets, []string{"gradients.rounding=nearest", "gradients.rounding=stochastic"}[t.IntN(2)])
	}
	return sets
}
