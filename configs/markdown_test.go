package configs_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"boost/configs"
)

var update = flag.Bool("update", false, "write docs/config.md anew")

func TestMarkdown(t *testing.T) {
	file := "../docs/config.md"
	want := markdown()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the table of keys says: run go test ./configs -run TestMarkdown -update", file)
	}
}

// markdown returns docs/config.md.
func markdown() string {
	var b strings.Builder
	b.WriteString(`# Config

` + "`boost train CONFIG.toml`" + ` reads one TOML file. Every key can be left out, and every key can be given on the
command line as ` + "`--set section.key=value`" + `, which wins over the file. Relative paths in the file are relative
to the file. ` + "`boost init TABLE`" + ` writes a file to start with, ` + "`boost init TABLE --all`" + ` one with every key.

In ` + "`--set`" + ` the value is all after the first ` + "`=`" + `: text as it is (one pair of quotes is removed), a list
as a TOML array or as names separated by commas (one with a comma in it stands in quotes), anything else as a TOML value. The last part of a key's name is
enough where it has one meaning: ` + "`--set encoding=latin1`" + `. Lists and tables that are given several times are joined;
any other key with two values is an error.

The last column has what LightGBM 4.7.0, XGBoost 3.2.0, CatBoost 1.2.10 and scikit-learn 1.9.1 (histogram gradient boosting)
call a key; a trainer that it does not name has no such parameter, "none" is where no trainer has one. All these names are understood, with or
without a section, and reported once. ` + "`alpha`, `feature_weights`, `gamma`, `lambda` and `l2`" + ` mean different things in different places and are
refused with the keys to choose from. Parameters of these trainers that have no key here are refused with the reason, or with what does the same;
where a value asks for what is done anyway, as ` + "`tree_method = \"hist\"` or `device = \"cpu\"`" + `, it is taken, with a note.
-1 means no limit where 0 does. A frequency of 0 in ` + "`bagging_freq`" + `
switches row sampling off, and a ` + "`max_leaves`" + ` of 0 lifts the limit, as they do in LightGBM and XGBoost.
Names of losses (` + "`reg:squarederror`, `l2`, `binary:logistic`, `multi:softprob`, `Logloss`" + `, …) and of metrics
are understood the same way.

The keys of ` + "`[registry]`" + ` are for ` + "`boost registry`" + `, whose models have a tensor of leaves each, and for the store of
tensors that ` + "`boost bench tensorq`" + ` measures; ` + "`boost train`" + ` takes them and leaves them alone.

Where LightGBM, XGBoost and scikit-learn have a list by the number of the column, as of ` + "`monotone_constraints`, `feature_contri`" + `,
the costs of features and ` + "`interaction_constraints`" + `, such a list is taken too: ` + "`monotone_constraints = [1, 0, -1]`, `\"(1,0,-1)\"`" + `.
Numbers count the features from 0 on, in the order of the table, without the label and other roles, where no column is left out; ` + "`\"#0\"`" + ` is the name of the first in a
table by column.

"Acts on" says where a key comes in: reading of tables, bins, row weights, the start score, gradients, the rows or columns of a tree, splits, leaf
values, scores, rounds, metrics, memory and speed (never the model), or files.

This page is made from the settings that stand beside the parameters by ` + "`go test ./configs -run TestMarkdown -update`" + `.
`)
	section := ""
	keys := configs.Keys()
	called := calledElsewhere()
	for i := range keys {
		k := &keys[i]
		if k.Section() != section {
			section = k.Section()
			fmt.Fprintf(&b, "\n## [%s]\n\n| key | type | default | values | acts on | meaning | other names |\n| --- | --- | --- | --- | --- | --- | --- |\n", section)
		}
		fmt.Fprintf(&b, "| `%s` | %s | `%s` | %s | %s | %s | %s |\n", k.Leaf(), k.Type(), k.Default(),
			strings.ReplaceAll(k.Allowed(), "|", `\|`), actsOn(k), k.Doc, called[k.Name])
	}
	return b.String()
}

// places has where keys act, by key or by section.
var places = map[string]string{
	"data": "reading", "data.label": "gradients", "data.weight": "row weights", "data.group": "gradients", "data.position": "gradients", "data.event": "gradients",
	"data.label_upper": "gradients", "data.init_score": "start score", "data.positive_class": "gradients", "data.cache": "speed", "data.out_of_core": "memory",
	"binning": "bins", "binning.storage": "memory", "binning.layout": "memory, speed", "binning.missing_as": "memory", "binning.bundle": "memory, speed",
	"categorical": "bins", "categorical.onehot_max": "splits", "categorical.smooth": "splits", "categorical.l2": "splits, leaf values",
	"categorical.max_per_side": "splits", "categorical.min_per_group": "splits",
	"train.objective": "gradients, start score, leaf values", "train.rounds": "rounds", "train.learning_rate": "leaf values", "train.seed": "what is drawn",
	"train.threads": "speed", "train.gradients": "gradients", "train.builder": "speed", "train.early_stopping": "rounds",
	"train.early_stopping_min_delta": "rounds", "train.valid_share": "rows", "train.valid_by": "rows", "train.retrain": "rows, rounds", "train.bag_folds": "rows, scores", "train.blend": "rows, scores",
	"train.time_limit": "rounds", "train.memory_limit": "memory", "train.verify": "speed", "train.boosting": "scores, leaf values",
	"train.learning_rate_schedule": "leaf values", "train.learning_rate_end": "leaf values", "train.learning_rates": "leaf values",
	"train.effort": "keys not given", "train.budget": "keys not given", "train.preset": "keys not given", "train.init_model": "start score, bins",
	"dart": "scores, leaf values", "objective": "gradients", "objective.class_weight": "row weights", "objective.scale_pos_weight": "row weights",
	"objective.alpha": "gradients, leaf values", "gradients": "gradients", "gradients.renew_leaves": "leaf values", "gradients.l2_bytes": "speed",
	"tree": "splits", "tree.lambda_l1": "splits, leaf values", "tree.lambda_l2": "splits, leaf values", "tree.max_delta_step": "splits, leaf values",
	"tree.path_smooth": "splits, leaf values", "tree.linear": "leaf values", "tree.linear_lambda": "leaf values",
	"sampling": "rows of a tree", "sampling.bagging_temperature": "row weights of a tree", "sampling.col_tree": "columns of a tree",
	"sampling.col_level": "columns of a level", "sampling.col_node": "columns of a node", "sampling.col_weights": "columns of a tree, level, node",
	"constraints": "splits", "constraints.monotone": "splits, leaf values", "constraints.monotone_method": "splits, leaf values",
	"metrics": "metrics", "output": "files", "quantize": "files", "quantize.error_feedback": "scores", "registry": "files",
}

// actsOn returns where a key acts.
func actsOn(k *configs.Key) string { return cmp.Or(places[k.Name], places[k.Section()]) }

// peerNames has the names of the parameters of each peer, which testdata/peer_names.py asked it for.
func peerNames() map[string][]string {
	text, err := os.ReadFile("testdata/peer_names.json")
	if err != nil {
		panic(err)
	}
	var names struct {
		LightGBM                   map[string][]string
		XGBoost, CatBoost, SKLearn []string
	}
	if err := json.Unmarshal(text, &names); err != nil {
		panic(err)
	}
	var light []string
	for name, aliases := range names.LightGBM {
		light = append(append(light, name), aliases...)
	}
	slices.Sort(light)
	return map[string][]string{"LightGBM": slices.Compact(light), "XGBoost": names.XGBoost, "CatBoost": names.CatBoost, "scikit-learn": names.SKLearn}
}

// peers are in the order in which documents show them.
var peers = []string{"LightGBM", "XGBoost", "CatBoost", "scikit-learn"}

// refused has names with two meanings by key and peer.
var refused = map[string]map[string]string{
	"tree.lambda_l1":  {"XGBoost": "alpha"},
	"tree.lambda_l2":  {"XGBoost": "lambda", "LightGBM": "lambda"},
	"tree.min_gain":   {"XGBoost": "gamma"},
	"objective.alpha": {"LightGBM": "alpha"},
	"objective.delta": {"LightGBM": "alpha"},
}

// calledElsewhere returns what peers call each key.
func calledElsewhere() map[string]string {
	called := map[string]string{}
	names := peerNames()
	keys := configs.Keys()
	for i := range keys {
		k := &keys[i]
		var all []string
		left := slices.Clone(k.Aliases)
		for _, peer := range peers {
			var own []string
			for _, name := range append([]string{k.Leaf()}, k.Aliases...) {
				// LightGBM's "test" are validation sets.
				if key, _ := configs.KeyOf(name); key == k.Name && slices.Contains(names[peer], name) && k.Name != "data.test" && !slices.Contains(own, "`"+name+"`") {
					own = append(own, "`"+name+"`")
					left = slices.DeleteFunc(left, func(alias string) bool { return alias == name })
				}
			}
			if name := refused[k.Name][peer]; name != "" {
				own = append(own, "`"+name+"` (refused: two meanings)")
			}
			if len(own) > 0 {
				all = append(all, peer+": "+strings.Join(own, ", "))
			}
		}
		if len(left) > 0 {
			all = append(all, "also: `"+strings.Join(left, "`, `")+"`")
		}
		called[k.Name] = cmp.Or(strings.Join(all, "; "), "none")
	}
	return called
}

// Every key says where it acts, and every place is one of a key or section.
func TestPlaces(t *testing.T) {
	keys := configs.Keys()
	used := map[string]bool{}
	for i := range keys {
		k := &keys[i]
		used[k.Name], used[k.Section()] = true, true
		if actsOn(k) == "" {
			t.Errorf("%s: say in places where it acts", k.Name)
		}
	}
	for name := range places {
		if !used[name] {
			t.Errorf("%s is no key and no section", name)
		}
	}
}

// Every parameter of LightGBM, XGBoost, CatBoost and scikit-learn is a key here under its own name, or is refused or left out with the reason.
func TestPeerNames(t *testing.T) {
	names := peerNames()
	accepted := 0
	for _, peer := range peers {
		for _, name := range names[peer] {
			if _, err := configs.KeyOf(name); err == nil {
				accepted++
				continue
			}
			_, notes, err := read(t, name+" = -7\n")
			if err == nil && len(notes) == 1 && strings.Contains(notes[0], "is left out: ") {
				continue
			}
			if err == nil || strings.Contains(err.Error(), "--all lists the keys") || strings.Contains(err.Error(), "did you mean") {
				t.Errorf("%s's %s: %v", peer, name, err)
			}
		}
	}
	for key, of := range refused {
		for peer, name := range of {
			if _, err := configs.KeyOf(name); err == nil || !slices.Contains(append(names[peer], "alpha", "lambda"), name) {
				t.Errorf("%s of %s is not refused, or none of its names", name, peer)
			}
			if _, _, err := read(t, name+" = 1\n"); err == nil || !strings.Contains(err.Error(), key) {
				t.Errorf("%s: %v does not name %s", name, err, key)
			}
		}
	}
	if accepted < 300 {
		t.Errorf("%d names of peers are understood", accepted)
	}
}

// Every other name of a key takes what the key takes.
func TestOtherNamesTakeValues(t *testing.T) {
	keys := configs.Keys()
	for i := range keys {
		k := &keys[i]
		for _, alias := range k.Aliases {
			c, notes, err := read(t, "["+k.Section()+"]\n"+alias+" = "+k.Default()+"\n")
			if err != nil || !c.Given(k.Name) {
				t.Errorf("%s = %s: %v", alias, k.Default(), err)
			} else if alias != k.Leaf() && !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, alias) && strings.Contains(n, k.Name) }) {
				t.Errorf("%s = %s: notes %q do not say that it is %s", alias, k.Default(), notes, k.Name)
			}
		}
	}
}
