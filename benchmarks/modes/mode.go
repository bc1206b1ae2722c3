package modes

import "boost/booster"

// Mode is one way of training, and how LightGBM is told the same.
type Mode struct {
	Name  string
	Label string // one of Labels
	// Most is how many times as long as plain training it may take per tree.
	Most float64
	// LightGBM are its parameters beside those of plain training; nil where it has nothing like it.
	LightGBM map[string]any
	Set      func(p *booster.Params)
}

// The labels that modes are trained on, all made from a column of numbers.
const (
	Number = "number" // the column itself, scaled
	Amount = "amount" // its distance from its least value, scaled, plus 1: above 0
	Two    = "two"    // whether it is above its median
	Grade  = "grade"  // its fifth, 0 … 4
	Ranked = "ranked" // its fifth, in queries of QueryRows rows that follow each other
)

// QueryRows is the number of rows of a query.
const QueryRows = 100

const (
	usual   = 1.3 // of plain training, per tree
	renewed = 1.5 // where leaf values are found in a second step, or rows are ranked
)

// Plain is the name of the mode that others are compared with.
const Plain = "plain"

// All lists the modes, plain training first.
func All() []Mode {
	of := func(name string, light map[string]any, set func(p *booster.Params)) Mode {
		return Mode{Name: name, Label: Number, Most: usual, LightGBM: light, Set: set}
	}
	loss := func(name, label string, most float64, light string, set func(p *booster.Params)) Mode {
		m := Mode{Name: name, Label: label, Most: most, Set: func(p *booster.Params) {
			if p.Objective = name; set != nil {
				set(p)
			}
		}}
		if light != "" {
			m.LightGBM = map[string]any{"objective": light}
		}
		return m
	}
	monotone := map[string]int{booster.ColumnNumber(0): 1, booster.ColumnNumber(1): -1}
	grades := loss("multiclass", Grade, usual, "multiclass", nil)
	grades.LightGBM["num_class"] = 5
	return []Mode{
		of(Plain, map[string]any{}, func(*booster.Params) {}),
		of("depth-wise", nil, func(p *booster.Params) { p.Tree.Growth = "depth" }),
		of("symmetric", nil, func(p *booster.Params) { p.Tree.Growth, p.Tree.MaxDepth = "symmetric", 5 }),
		of("extra_trees", map[string]any{"extra_trees": true}, func(p *booster.Params) { p.Tree.ExtraTrees = true }),
		of("linear", map[string]any{"linear_tree": true}, func(p *booster.Params) { p.Tree.Linear = true }),
		of("l1 and l2", map[string]any{"lambda_l1": 0.5, "lambda_l2": 5}, func(p *booster.Params) { p.Tree.LambdaL1, p.Tree.LambdaL2 = 0.5, 5 }),
		of("max_delta_step", map[string]any{"max_delta_step": 0.5}, func(p *booster.Params) { p.Tree.MaxDeltaStep = 0.5 }),
		of("path_smooth", map[string]any{"path_smooth": 10}, func(p *booster.Params) { p.Tree.PathSmooth = 10 }),
		of("min_gain", map[string]any{"min_gain_to_split": 0.01}, func(p *booster.Params) { p.Tree.MinGain = 0.01 }),
		of("monotone basic", map[string]any{"monotone_constraints": "by number", "monotone_constraints_method": "basic"}, func(p *booster.Params) { p.Tree.Monotone = monotone }),
		of("monotone intermediate", map[string]any{"monotone_constraints": "by number", "monotone_constraints_method": "intermediate"},
			func(p *booster.Params) { p.Tree.Monotone, p.Tree.MonotoneMethod = monotone, "intermediate" }),
		of("monotone advanced", map[string]any{"monotone_constraints": "by number", "monotone_constraints_method": "advanced"},
			func(p *booster.Params) { p.Tree.Monotone, p.Tree.MonotoneMethod = monotone, "advanced" }),
		of("interaction", map[string]any{"interaction_constraints": "[0,1,2],[3,4]"}, func(p *booster.Params) {
			n := booster.ColumnNumber
			p.Tree.Interaction = [][]string{{n(0), n(1), n(2)}, {n(3), n(4)}}
		}),
		of("split_cost", map[string]any{"cegb_penalty_split": 1e-6}, func(p *booster.Params) { p.Tree.SplitCost = 1e-6 }),
		of("bagging", map[string]any{"bagging_fraction": 0.5, "bagging_freq": 1}, func(p *booster.Params) { p.RowFraction = 0.5 }),
		of("goss", map[string]any{"data_sample_strategy": "goss", "top_rate": 0.2, "other_rate": 0.1}, func(p *booster.Params) { p.GossTop, p.GossOther = 0.2, 0.1 }),
		of("mvs", nil, func(p *booster.Params) { p.MvsFraction = 0.5 }),
		of("bayesian bootstrap", nil, func(p *booster.Params) { p.BaggingTemperature = 1 }),
		of("columns by tree", map[string]any{"feature_fraction": 0.6}, func(p *booster.Params) { p.Tree.ColTree = 0.6 }),
		of("columns by node", map[string]any{"feature_fraction_bynode": 0.6}, func(p *booster.Params) { p.Tree.ColNode = 0.6 }),
		of("dart", map[string]any{"boosting": "dart"}, func(p *booster.Params) { p.Boosting = booster.DartBoosting }),
		of("random forest", map[string]any{"boosting": "rf", "bagging_fraction": 0.63, "bagging_freq": 1}, func(p *booster.Params) { p.Boosting, p.RowFraction = booster.RandomForest, 0.63 }),
		loss("huber", Number, usual, "huber", nil),
		loss("fair", Number, usual, "fair", nil),
		loss("log_cosh", Number, usual, "", nil),
		loss("poisson", Amount, usual, "poisson", nil),
		loss("gamma", Amount, usual, "gamma", nil),
		loss("tweedie", Amount, usual, "tweedie", nil),
		loss("binary", Two, usual, "binary", nil),
		loss("focal", Two, usual, "", nil),
		grades,
		loss("l1", Number, renewed, "l1", nil),
		loss("quantile", Number, renewed, "quantile", func(p *booster.Params) { p.Loss.Alpha = []float64{0.9} }),
		loss("mape", Amount, renewed, "mape", nil),
		loss("lambdarank", Ranked, renewed, "lambdarank", nil),
		loss("rank_xendcg", Ranked, renewed, "rank_xendcg", nil),
	}
}

// Columns is what LightGBM's lists by number need: the directions of all columns, of which there are so many.
func (m Mode) Columns(n int) map[string]any {
	parameters := map[string]any{}
	for key, value := range m.LightGBM {
		if parameters[key] = value; value == "by number" {
			directions := make([]int, n)
			directions[0], directions[1] = 1, -1
			parameters[key] = directions
		}
	}
	return parameters
}
