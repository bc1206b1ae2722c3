package configs

import (
	"fmt"
	"slices"
	"strings"

	"boost/booster"
	"boost/internal/near"
	"boost/objectives"
	"boost/objectives/metrics"
)

// ambiguous holds names that two libraries use for two things, or that one uses
// for a penalty and another for a loss. They are refused with both meanings.
var ambiguous = map[string][2]string{
	"alpha": {
		`tree.lambda_l1 (XGBoost's alpha: L1 penalty)`,
		`objective.alpha (LightGBM's and scikit-learn's alpha: level of a quantile; objective.delta is that of huber)`,
	},
	"feature_weights": {
		`sampling.col_weights (XGBoost's: how likely a column is drawn)`,
		`tree.feature_penalty (CatBoost's: what the gain of a column's splits is multiplied by)`,
	},
	"gamma": {
		`tree.min_gain (XGBoost's gamma: least gain of a split)`,
		`train.objective = "gamma" (LightGBM's and XGBoost's gamma loss)`,
	},
	"lambda": {
		`tree.lambda_l2 (XGBoost's and LightGBM's lambda: L2 penalty)`,
		`tree.lambda_l1 (L1 penalty)`,
	},
	"l2": {
		`tree.lambda_l2 (L2 penalty of all leaves)`,
		`categorical.l2 (what is added to it in splits of categories)`,
	},
}

// refusedObjectives holds losses of peers that are not built in, with the reason.
var refusedObjectives = map[string]string{
	"hinge":        "a loss without second derivative, whose predictions are no probabilities: \"binary\" or \"focal\" tell two classes apart",
	"binary:hinge": "a loss without second derivative, whose predictions are no probabilities: \"binary\" or \"focal\" tell two classes apart",
	"custom":       "a loss of your own is a Go function: see booster.WithObjective and objectives.FromFunc",
	"rank:map":     "it is \"lambdarank\" with objective.target = \"map\"",
	"none":         "a loss of your own is a Go function: see booster.WithObjective and objectives.FromFunc",
}

// refusedMetrics holds metrics of peers that are not built in, with the reason.
var refusedMetrics = map[string]string{
	"none":  "some metrics are evaluated always, those of the loss where none are named: leave it out",
	"aucpr": "it draws lines between the points of precision and recall: take average_precision, which does not",
	"prauc": "it draws lines between the points of precision and recall: take average_precision, which does not",
}

// noFormula is the reason why a formula is no metric.
const noFormula = "a metric of your own is a Go function: see booster.WithMetric and metrics.FromFunc"

// catBoostForm is the reason why CatBoost's names of losses with their parameters are none here.
const catBoostForm = "parameters of a loss are keys of their own: give its name alone, and objective.alpha, objective.delta, objective.variance_power … (docs/objectives.md)"

// isFormula reports whether a text computes something: no name of a loss or a metric has such characters.
func isFormula(s string) bool { return strings.ContainsAny(s, "()*+^=<>") }

// boostingAliases translates names of ways of boosting, in lower case.
var boostingAliases = map[string]string{
	"gbrt": booster.PlainBoosting, "gbtree": booster.PlainBoosting, "plain": booster.PlainBoosting,
	"random_forest": booster.RandomForest,
}

// refusedBoosting holds ways of boosting of peers that are no such way here, with the reason.
var refusedBoosting = map[string]string{
	"goss":     "GOSS is a way to sample rows here: leave it out and set sampling.goss_top and sampling.goss_other (LightGBM's defaults are 0.2 and 0.1)",
	"gblinear": "a linear model without trees is not built in",
	"ordered":  "CatBoost's ordered boosting is not built in: leave it out, or set \"gbdt\" (its Plain)",
}

// objectiveAliases and metricAliases translate names of losses and metrics,
// in lower case.
var (
	objectiveAliases = aliasesOf(objectives.Names(), func(name string) []string {
		info, _ := objectives.Lookup(name)
		return info.Aliases
	})
	metricAliases = aliasesOf(metrics.Names(), func(name string) []string {
		info, _ := metrics.Lookup(name)
		return info.Aliases
	})
)

func aliasesOf(names []string, aliases func(name string) []string) map[string]string {
	own := map[string]string{}
	for _, name := range names {
		for _, alias := range aliases(name) {
			own[alias] = name
		}
	}
	return own
}

// MetricName translates another library's name of a metric, which may carry an argument, and brings it
// into its usual form; a name it does not know comes back in lower case.
func MetricName(name string) string {
	lower := strings.ToLower(name)
	base := metrics.Base(lower)
	if own, ok := metricAliases[base]; ok && !slices.Contains(metrics.Names(), base) {
		lower = own + lower[len(base):]
	}
	if m, err := metrics.New(lower); err == nil {
		return m.Name()
	}
	return lower
}

// byName finds the key with this name, or nil.
func byName(keys []Key, name string) *Key {
	for i := range keys {
		if keys[i].Name == name {
			return &keys[i]
		}
	}
	return nil
}

// KeyOf returns the own name of the key that a written name means.
func KeyOf(written string) (string, error) {
	k, _, err := lookup(keys, written)
	if err != nil {
		return "", err
	}
	return k.Name, nil
}

// lookup finds the key that a written name means: its own name, an alias, bare
// or in any section, or the last part of its name where no other key ends in that. alias is the peer's name used, "" for the key's own.
func lookup(keys []Key, written string) (k *Key, alias string, err error) {
	if k := byName(keys, written); k != nil {
		return k, "", nil
	}
	leaf := written
	if section, last, ok := strings.Cut(written, "."); ok {
		if !slices.Contains(sections, section) {
			return nil, "", unknownSection(section)
		}
		leaf = last
	}
	if m, ok := ambiguous[leaf]; ok {
		return nil, "", fmt.Errorf("%q has two meanings: write %s, or %s", written, m[0], m[1])
	}
	for i := range keys {
		if slices.Contains(keys[i].Aliases, leaf) {
			return &keys[i], leaf, nil
		}
	}
	if written == leaf {
		same := slices.DeleteFunc(slices.Clone(keys), func(k Key) bool { return k.Leaf() != leaf })
		if len(same) == 1 {
			return byName(keys, same[0].Name), "", nil
		}
	}
	section, names := strings.CutSuffix(written, ".name") // which here is no peer's name of a run
	for i := range keys {
		if names && keys[i].Leaf() == section && keys[i].Type() == "choice" {
			return nil, "", fmt.Errorf("unknown key %q: %s is the key that names it, as in %[2]s = \"…\"", written, keys[i].Name)
		}
	}
	if reason, ok := needless[leaf]; ok && !names {
		return nil, "", fmt.Errorf("unknown key %q: %s", written, reason)
	}
	if meant := nearKeys(keys, written, leaf); len(meant) > 0 {
		return nil, "", fmt.Errorf("unknown key %q%s", written, near.Question(meant))
	}
	return nil, "", fmt.Errorf("unknown key %q: boost init TABLE --all lists the keys", written)
}

func unknownSection(name string) error {
	if meant := near.Words(name, sections); len(meant) > 0 {
		return fmt.Errorf("unknown section %q%s", name, near.Question(meant))
	}
	return fmt.Errorf("unknown section %q: the sections are %s", name, strings.Join(sections, ", "))
}

// nearKeys prefers keys with the very same last part in another section.
func nearKeys(keys []Key, written, leaf string) []string {
	var same, names, leaves []string
	for i := range keys {
		k := &keys[i]
		if k.Leaf() == leaf {
			same = append(same, k.Name)
		}
		names = append(names, k.Name)
		leaves = append(append(leaves, k.Leaf()), k.Aliases...)
	}
	if len(same) > 0 {
		return same
	}
	if meant := near.Words(written, names); len(meant) > 0 && strings.Contains(written, ".") {
		return meant
	}
	var meant []string
	for _, word := range near.Words(leaf, leaves) {
		for i := range keys {
			if k := &keys[i]; (k.Leaf() == word || slices.Contains(k.Aliases, word)) && !slices.Contains(meant, k.Name) {
				meant = append(meant, k.Name)
			}
		}
	}
	return meant
}

// unlimitedLeaves stands for "no limit" where a peer has that; it is LightGBM's bound.
const unlimitedLeaves = 131_072

// translate turns an alias's value into the key's own, where the peer counts or
// spells it otherwise, and remembers what can only be decided when all keys are known.
func (r *reader) translate(k *Key, alias string, v any) any {
	n, isInt := v.(int64)
	switch {
	case k.Name == "tree.leaves" && alias != "" && isInt && n <= 0:
		r.noLeafLimit = true
		return int64(unlimitedLeaves)
	case k.Name == "tree.leaves":
		r.noLeafLimit = false
	case k.Name == "sampling.row_every":
		// A frequency of 0 switches bagging off whatever the fraction.
		r.noRowSampling = alias != "" && isInt && n <= 0
		if r.noRowSampling {
			return int64(1)
		}
	case k.Name == "objective.norm":
		return pick(v, "off", "on")
	case alias == "bagging_by_query":
		return pick(v, "", booster.ByQuery)
	case alias == "uniform_drop":
		return pick(v, booster.WeightedDrop, booster.UniformDrop)
	case alias == "xgboost_dart_mode":
		return pick(v, booster.PaperNormalize, booster.TreeNormalize)
	case k.Name == "binning.bundle":
		return pick(v, "off", "auto")
	case alias == "stochastic_rounding":
		return pick(v, "nearest", "stochastic")
	case alias == "quant_train_renew_leaf":
		return pick(v, "off", "on")
	case k.Name == "dart.one_drop" && isInt && (n == 0 || n == 1):
		return n == 1
	case k.Name == "tree.growth":
		switch v {
		case "lossguide", "Lossguide":
			return "leaf"
		case "depthwise", "Depthwise":
			return "depth"
		case "SymmetricTree":
			return "symmetric"
		}
	case k.Name == "objective.class_weight":
		switch {
		case v == true || v == "Balanced":
			return "balanced"
		case v == false || v == "None":
			return map[string]any{}
		}
	case alias == "border_count" && isInt:
		return n + 1 // n borders make n+1 bins
	case k.Section() == "data" && strings.Contains(alias, "column") || alias == "categorical_feature":
		if list, ok := v.([]any); ok && len(list) > 0 {
			list[0] = r.translate(k, alias, list[0])
		} else if s, ok := v.(string); ok {
			return strings.TrimPrefix(s, "name:")
		}
	case isInt && n < -1 && k.NoLimit && alias != "":
		return int64(0)
	}
	return v
}

// pick returns a word for false or true, which an assignment to a key of texts gives as a text; other values come back as they are.
func pick(v any, no, yes string) any {
	switch v {
	case false, "false":
		return no
	case true, "true":
		return yes
	}
	return v
}

// translateNames replaces other libraries' names of objectives and metrics.
func (r *reader) translateNames(k *Key, v any) any {
	switch k.Name {
	case "train.objective":
		s, ok := v.(string)
		if !ok {
			return v
		}
		return r.ownName("objective", s, k.Choices, objectiveAliases)
	case "train.boosting":
		s, ok := v.(string)
		if !ok {
			return v
		}
		return r.ownName("boosting", s, k.Choices, boostingAliases)
	case "metrics.names":
		if s, ok := v.(string); ok {
			v = anyList(splitNames(s))
		}
		items, ok := v.([]any)
		if !ok {
			return v
		}
		own := make([]any, 0, len(items))
		for _, e := range items {
			if s, ok := e.(string); ok {
				e = r.ownMetric(s, k.Choices)
			}
			if !slices.Contains(own, e) {
				own = append(own, e)
			}
		}
		return own
	}
	return v
}

// ownMetric is ownName of a metric, which may carry an argument.
func (r *reader) ownMetric(name string, own []string) string {
	base := metrics.Base(name)
	name = r.ownName("metric", base, own, metricAliases) + strings.ToLower(name[len(base):])
	if usual, err := metrics.Canonical(name); err == nil {
		return usual
	}
	return name
}

func (r *reader) ownName(what, name string, own []string, aliases map[string]string) string {
	lower := strings.ToLower(name)
	if slices.Contains(own, lower) {
		return lower
	}
	translated, ok := aliases[lower]
	if !ok {
		return name
	}
	note := fmt.Sprintf("%s %q is called %q here", what, name, translated)
	if isRoot(what, translated) && !strings.Contains(lower, "root") {
		note = fmt.Sprintf("metric %q is given as %q, its square root", name, translated)
	}
	r.note(note)
	return translated
}

// isRoot reports whether a name is that of a metric which is the square root of a mean.
func isRoot(what, name string) bool {
	if what != "metric" {
		return false
	}
	m, err := metrics.New(name)
	if err != nil {
		return false
	}
	mean, ok := m.(metrics.ByRow)
	return ok && mean.Root()
}

func anyList(items []string) []any {
	list := make([]any, len(items))
	for i, s := range items {
		list[i] = s
	}
	return list
}

// splitNames cuts names at commas and trims them; nothing gives no names.
func splitNames(s string) []string {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	names := strings.Split(s, ",")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	return names
}
