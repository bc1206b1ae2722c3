package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"boost/dataset/write"
)

// forRanks changes the table and its settings to those of any objective, with roles that other campaigns do not have. It returns the
// settings.
func (r *randomTable) forRanks(t *trial, sets []string) []string {
	label := r.columns[0]
	add := func(name string, value func(row int) float64) {
		c := write.Column{Name: name, Stride: 1, Floats: make([]float64, r.rows)}
		for row := range c.Floats {
			c.Floats[row] = value(row)
		}
		r.columns = append(r.columns, c)
	}
	numbers := slices.Clone(label.Floats)
	has := func(set string) bool { return slices.Contains(sets, set) }
	objective := r.objective
	switch {
	case t.IntN(2) == 0, has("objective.scale_pos_weight=3"), has("objective.class_weight=balanced"):
	case objective == "regression":
		objective = []string{"huber", "fair", "log_cosh", "expectile", "l1", "quantile", "mape", "poisson", "gamma", "tweedie", "squared_log", "cross_entropy",
			"cross_entropy_lambda", "lambdarank", "pairwise", "rank_xendcg", "aft", "cox", "regression"}[t.IntN(19)]
		for row, v := range numbers {
			switch objective {
			case "poisson", "gamma", "tweedie", "squared_log", "aft", "cox":
				numbers[row] = math.Exp(min(v, 5))
			case "cross_entropy", "cross_entropy_lambda":
				numbers[row] = 1 / (1 + math.Exp(-v))
			case "lambdarank", "pairwise", "rank_xendcg":
				numbers[row] = math.Floor(4 / (1 + math.Exp(-v)))
			}
		}
		r.columns[0].Floats = numbers
		switch objective {
		case "lambdarank", "pairwise", "rank_xendcg":
			r.grouped = true
			query, size := 0, 1
			add("q", func(row int) float64 {
				if size--; size == 0 {
					query, size = query+1, 1+t.IntN(30)
				}
				return float64(query)
			})
			sets = append(sets, "data.group=q")
		case "aft", "cox":
			add("event", func(int) float64 { return float64(t.IntN(2)) })
			sets = append(sets, "data.event=event")
		case "regression":
			add("label2", func(row int) float64 { return numbers[row] + t.NormFloat64() })
			sets = append(sets, "data.label=label,label2")
		}
	case objective == "binary" && label.Texts == nil:
		objective = []string{"focal", "multi_label", "cross_entropy"}[t.IntN(3)]
		if objective == "multi_label" {
			add("label2", func(row int) float64 { return float64(t.IntN(2)) })
			sets = append(sets, "data.label=label,label2")
		}
	case objective == "multiclass":
		objective = "one_vs_all"
	}
	if r.objective != objective {
		r.objective = objective
		sets = slices.DeleteFunc(sets, func(s string) bool { return strings.HasPrefix(s, "train.objective=") })
		sets = append(sets, "train.objective="+objective)
	}
	if slices.Contains([]string{"regression", "binary", "poisson"}, objective) && !has("data.label=label,label2") && t.IntN(5) == 0 {
		add("start", func(int) float64 { return t.NormFloat64() / 4 })
		sets = append(sets, "data.init_score=start")
	}
	if has("sampling.row_by=unit") {
		add("unit", func(row int) float64 { return float64(t.IntN(40)) })
	}
	if t.IntN(8) == 0 {
		add("held", func(row int) float64 { return float64(min(1, t.IntN(5)/4)) })
		sets = append(sets, "train.valid_by=held", "train.early_stopping=2")
	}
	if !slices.ContainsFunc(sets, func(s string) bool { return strings.HasPrefix(s, "data.label=") }) {
		sets = append(sets, "data.label=label")
	}
	return sets
}

// keyOf returns the key of a setting.
func keyOf(set string) string {
	key, _, _ := strings.Cut(set, "=")
	return key
}

// lastOfEach leaves the last value of each key.
func lastOfEach(sets []string) (kept []string) {
	for i, s := range sets {
		if !slices.ContainsFunc(sets[i+1:], func(later string) bool { return keyOf(later) == keyOf(s) }) {
			kept = append(kept, s)
		}
	}
	return kept
}

// column returns a column by its name.
func (r *randomTable) column(name string) write.Column {
	return r.columns[slices.IndexFunc(r.columns, func(c write.Column) bool { return c.Name == name })]
}

// rankSettings draws settings that go together, of more kinds than other campaigns try.
func rankSettings(t *trial, table *randomTable) []string {
	var numbers, all []string
	for _, c := range table.columns {
		if strings.HasPrefix(c.Name, "f") {
			all = append(all, c.Name)
			if c.Texts == nil && !slices.Contains(table.categorical, c.Name) {
				numbers = append(numbers, c.Name)
			}
		}
	}
	feature := func() string { return all[t.IntN(len(all))] }
	one := func(choices ...string) string { return choices[t.IntN(len(choices))] }
	sets := slices.DeleteFunc(settings(t, table), func(s string) bool {
		inOneOnly := s == "train.gradients=f32" || s == "binning.sample=0"
		return inOneOnly && t.IntN(10) > 0 || strings.HasPrefix(s, "sampling.") && !strings.HasPrefix(s, "sampling.col_")
	})
	rows := [][]string{
		{"sampling.row_fraction=0.5"}, {"sampling.row_fraction=0.7", "sampling.row_every=3"}, {"sampling.row_fraction=0.8", "sampling.replace=true"},
		{"sampling.goss_top=0.2", "sampling.goss_other=0.1", "train.learning_rate=1"}, {"sampling.mvs_fraction=0.4"}, {"sampling.mvs_fraction=0.7", "sampling.mvs_lambda=1"},
		{"sampling.bagging_temperature=1"}, {"sampling.row_fraction=0.6", "sampling.row_by=unit"}, {"sampling.row_fraction=0.6", "sampling.stratified=true"},
		{"sampling.positive_fraction=0.5", "sampling.negative_fraction=0.4"}, {"sampling.row_fraction=0.02"},
	}
	if t.IntN(2) == 0 {
		sets = append(sets, rows[t.IntN(len(rows))]...)
	}
	// Each line is drawn one time in five.
	for _, choices := range [][]string{
		{one("tree.growth=depth", "tree.growth=symmetric")},
		{"tree.extra_trees=true"},
		{one("tree.path_smooth=2", "tree.max_delta_step=0.3")},
		{one("tree.split_cost=0.001", "tree.feature_cost={"+feature()+"=2}", "tree.feature_penalty={"+feature()+"=0.3}")},
		{one("constraints.first_level={"+feature()+"=2}", "constraints.last_level={"+feature()+"=2}", `constraints.interaction=[["`+feature()+`"]]`)},
		{one("categorical.splits=target", "categorical.splits=auto")},
		{"categorical.splits=target", one("categorical.combinations=2", "categorical.counts=true")},
		{"train.early_stopping=3", one("train.retrain=true", "train.valid_share=0.3", "train.early_stopping_min_delta=0.01")},
		{one("train.effort=quick", "train.effort=default", "train.preset=fast")},
		{"train.early_stopping=2", "train.retrain=true", "train.blend=3"},
		{one("train.learning_rate_schedule=linear", "train.learning_rates=0.3,0.1")},
		{"binning.bundle=on"},
		{"binning.all_rows=true"},
		{"train.boosting=dart", one("dart.drop_rate=0.6", "dart.normalize=tree", "dart.sample=uniform", "dart.one_drop=true")},
		{"train.boosting=rf", "sampling.row_fraction=0.6"},
		{"gradients.rounding=stochastic"},
		{"metrics.every=2"},
	} {
		if t.IntN(5) == 0 {
			sets = append(sets, choices...)
		}
	}
	switch t.IntN(60) {
	case 0:
		sets = append(sets, "tree.linear=true")
	case 1:
		sets = append(sets, "tree.feature_row_cost={"+feature()+"=0.1}")
	case 2:
		sets = append(sets, "binning.bundle=on", "binning.bundle_conflicts=0.05")
	}
	switch {
	case t.IntN(5) > 0 || table.objective == "regression":
	case table.objective == "binary" && t.IntN(2) == 0:
		sets = append(sets, "objective.scale_pos_weight=3")
	default:
		sets = append(sets, "objective.class_weight=balanced")
	}
	if len(numbers) > 0 && table.objective != "multiclass" && t.IntN(4) == 0 {
		sets = append(sets, fmt.Sprintf("constraints.monotone={%s=%d}", numbers[t.IntN(len(numbers))], 1-2*t.IntN(2)), "constraints.monotone_method="+one("basic", "intermediate", "advanced"))
	}
	if len(numbers) > 0 && t.IntN(8) == 0 {
		sets = append(sets, fmt.Sprintf(`tree.forced_splits={"feature": %q, "threshold": 0.1}`, numbers[t.IntN(len(numbers))]))
	}
	return fitting(lastOfEach(sets), table)
}

// fitting leaves out what the program refuses beside other settings.
func fitting(sets []string, table *randomTable) []string {
	has := func(set string) bool {
		return slices.ContainsFunc(sets, func(s string) bool { return strings.HasPrefix(s, set) })
	}
	without := func(prefixes ...string) {
		sets = slices.DeleteFunc(sets, func(s string) bool {
			return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
		})
	}
	if has("train.boosting=rf") {
		without("train.learning_rate", "sampling.goss", "sampling.mvs", "sampling.bagging", "sampling.positive", "sampling.negative", "sampling.replace", "train.early_stopping", "train.retrain", "dart.", "train.boosting=dart")
	}
	if table.objective != "binary" {
		without("sampling.positive", "sampling.negative")
	}
	if has("sampling.positive") || has("sampling.goss") || has("sampling.mvs") || has("sampling.bagging") {
		without("sampling.row_fraction", "sampling.row_by", "sampling.row_every", "sampling.replace", "sampling.stratified")
	}
	if has("train.gradients=f32") {
		without("binning.bundle", "gradients.rounding")
	}
	if !has("train.gradients=i16") {
		without("gradients.mode")
	}
	if !has("categorical.splits=") {
		without("categorical.combinations", "categorical.counts")
	}
	if has("train.boosting") {
		without("train.blend")
	}
	if has("train.blend") {
		without("tree.growth=symmetric", "constraints.monotone_method")
	}
	if has("tree.growth=symmetric") || has("train.blend") {
		without("tree.forced_splits")
	}
	if has("tree.linear") {
		without("tree.path_smooth")
	}
	return sets
}
