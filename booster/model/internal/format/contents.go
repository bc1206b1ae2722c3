package format

import (
	"encoding/json"
	"errors"
	"fmt"

	"boost/binning"
	"boost/booster/trust"
	"boost/dataset"
	"boost/objectives"
	"boost/objectives/metrics"
	"boost/tree"
)

// Contents is everything a model is made of: what the trainer hands over and the
// file stores. Nothing in it depends on how or where the model was trained.
// It is flat because its fields are the parts of a file.
type Contents struct {
	Objective string          // name of the loss
	Link      objectives.Link // function from raw scores to predictions
	Outputs   int             // K: raw scores per row, trees per round
	BaseScore []float64       // K start scores
	Classes   []string        // K names of classes (one output: 2), nil for regression
	// NumericClasses reports whether class labels compare as numbers ("1" = "1.0").
	NumericClasses  bool
	Params          json.RawMessage // object of the parameters that can change the model, sorted keys
	Schema          dataset.Schema
	Cuts            *binning.Cuts // Features are the schema's columns with role Feature, in order
	Trees           []tree.Tree   // tree of (round r, output k) is entry r*K + k; up to the best round
	BestRound       int           // rounds kept
	History         []History     // metrics of all rounds, also those after the best
	WideRounds      []WideRound   // rounds and outputs that used a wider storage
	Fingerprint     string        // of the training table: 32 hex digits; "" for a merged model, pruned or not
	ValidPrints     []string      // of the valid sets, in order
	NumericsVersion int

	Origin   *Origin   // nil for a model that was trained from nothing
	Derived  []string  // forms that leaf values went through and lost in, ascending; nil if none
	Segments []Segment // of the first rounds; those that they leave were trained by Params
	After    int       // rounds of which this model is the tail; 0 for one that stands alone

	Compression *Compression // nil for a full model
	Trust       *trust.Trust // nil for a model that is not calibrated
}

// Averaged returns of how many models, whose rounds stand one behind the other, the model or a part of it is the mean (train.bag_folds,
// train.blend), 0 for one.
func (c *Contents) Averaged() (models int) {
	for _, s := range append(c.Segments, Segment{Params: c.Params}) {
		var p struct {
			Folds int `json:"train.bag_folds"`
			Blend int `json:"train.blend"`
		}
		if json.Unmarshal(s.Params, &p) == nil { // else it was made without parameters
			models = max(models, p.Folds, p.Blend)
		}
	}
	return models
}

// RoundsTrained returns how many rounds there were, also those after the best one.
func (c *Contents) RoundsTrained() int {
	rounds := c.BestRound
	for _, h := range c.History {
		rounds = max(rounds, len(h.Values))
	}
	return rounds
}

// History is one metric on one set through the rounds.
type History struct {
	Set    string     `json:"set"` // "valid", "valid2", …
	Metric string     `json:"metric"`
	Values []*float64 `json:"values"` // by round; null = undefined, not finite or not evaluated

	text valueText // in place of Values while a file is read
}

// WideRound names a round and output whose gradients needed more bits than asked for.
type WideRound struct {
	Round     int    `json:"round"`
	Output    int    `json:"output"`
	Gradients string `json:"gradients,omitempty"` // the codes used: WideI16 or WideI32
}

// Values of WideRound.Gradients. A file says nothing of what rounds use that i16 is too
// narrow for.
const (
	WideI16 = "i16"
	WideI32 = ""
)

// Features returns what trees have to know of the features of the cuts.
func Features(c *binning.Cuts) []tree.Feature {
	features := make([]tree.Feature, len(c.Features))
	for f := range features {
		features[f] = tree.Feature{
			Regular:     c.Features[f].Regular,
			Categorical: c.Features[f].BySets(),
		}
	}
	return features
}

// Loss returns the built-in loss that the model was trained on; a loss of the caller's own is an error.
func (c *Contents) Loss() (objectives.Objective, error) {
	p, err := c.lossParams()
	if err != nil {
		return nil, err
	}
	return objectives.New(c.Objective, objectives.Options{Classes: len(c.Classes), Targets: len(c.Labels()), Params: p})
}

// Labels returns the names of the label columns, one for each output where there are several.
func (c *Contents) Labels() []string { return c.Schema.RoleNames(dataset.LabelRole) }

// DefaultMetrics returns the names of the metrics that are evaluated if none are named.
func (c *Contents) DefaultMetrics() ([]string, error) {
	p, err := c.lossParams()
	if err != nil {
		return nil, err
	}
	return objectives.DefaultMetrics(c.Objective, c.Link, p)
}

// MetricInput returns what metrics of these names need to know of a table's rows, which was read with the model's schema and has its
// labels: all but the predictions.
func (c *Contents) MetricInput(t *dataset.Table, names []string) (in metrics.Input, err error) {
	in.Outputs = c.Outputs
	labels, err := t.Targets(max(len(c.Labels()), 1), c.Classes, c.NumericClasses)
	if err != nil {
		return in, err
	}
	in.Labels, in.Targets, in.Upper = labels.Columns[0], labels.Several(), labels.Upper
	if in.Weights, err = t.Weights(); err != nil {
		return in, err
	}
	err = objectives.CheckJudged(c.Link, metrics.TellsTwo(names), objectives.Rows{Labels: in.Labels, Targets: in.Targets, Weights: in.Weights})
	if row, ok := errors.AsType[*objectives.RowError](err); ok {
		return in, fmt.Errorf("%w: %s: %s", dataset.ErrTable, t.Place(row.Row), row.Reason())
	}
	info, builtIn := objectives.Lookup(c.Objective)
	ofQueries := metrics.NeedQueries(names)
	if ofQueries {
		if in.Queries, err = t.Groups(); err == nil && in.Queries == nil {
			err = fmt.Errorf("%w: metrics of queries: %w%s", dataset.ErrTable, objectives.ErrNoQueries, c.calledIn(dataset.GroupRole))
		}
		if err != nil {
			return in, err
		}
	}
	if !builtIn || !ofQueries && !info.Times { // what follows is of a built-in loss
		return in, nil
	}
	o, err := c.Loss()
	if err != nil {
		return in, err
	}
	in.Gains, in.Survival = objectives.GainsOf(o), (*metrics.Survival)(objectives.SurvivalOf(o))
	return in, nil
}

// calledIn says what the column of a role was called in training, where there was one.
func (c *Contents) calledIn(role dataset.Role) string {
	if names := c.Schema.RoleNames(role); len(names) > 0 {
		return fmt.Sprintf(" (here %q)", names[0])
	}
	return ""
}

// OutputNames returns what the predictions of several outputs are called: classes, labels, or levels of quantiles. It is nil for one output.
func (c *Contents) OutputNames() []string {
	if c.Outputs == 1 {
		return nil
	}
	if len(c.Classes) == c.Outputs {
		return c.Classes
	}
	if labels := c.Labels(); len(labels) > 1 {
		return labels
	}
	p, err := c.lossParams()
	names := make([]string, c.Outputs)
	for i := range names {
		names[i] = fmt.Sprintf("output_%d", i)
		if err == nil && len(p.Alpha) == c.Outputs {
			names[i] = fmt.Sprintf("quantile_%v", p.Alpha[i])
		}
	}
	return names
}

func (c *Contents) lossParams() (objectives.Params, error) {
	if len(c.Params) == 0 { // as of a merged model
		return objectives.Params{}, nil
	}
	return objectives.ParamsIn(c.Params)
}

// LossParams returns those of a model's parameters that its loss takes, and what DefaultMetrics and OutputNames depend on; nil if there are
// none.
func (c *Contents) LossParams() json.RawMessage {
	var stored map[string]json.RawMessage
	if len(c.Params) == 0 || json.Unmarshal(c.Params, &stored) != nil {
		return nil
	}
	taken := make(map[string]json.RawMessage)
	for _, s := range objectives.Settings(new(objectives.Params)) {
		if text, ok := stored[s.Name]; ok {
			taken[s.Name] = text
		}
	}
	if len(taken) == 0 {
		return nil
	}
	text, err := json.Marshal(taken)
	if err != nil {
		panic("format: values that were read as JSON: " + err.Error())
	}
	return text
}

// Monotone returns, by name of a column, 1 where predictions may not fall, −1 where they may not rise (constraints.monotone).
func (c *Contents) Monotone() map[string]int8 {
	var stored struct {
		Monotone map[string]int8 `json:"constraints.monotone"`
	}
	if len(c.Params) == 0 || json.Unmarshal(c.Params, &stored) != nil {
		return nil
	}
	return stored.Monotone
}

// Directions returns, by feature, 1 where predictions may not fall, −1 where they may not rise, as the model was trained (constraints.monotone);
// nil where it was trained without.
func (c *Contents) Directions() []int8 {
	monotone := c.Monotone()
	if len(monotone) == 0 {
		return nil
	}
	directions := make([]int8, len(c.Cuts.Features))
	for f := range directions {
		directions[f] = monotone[c.Cuts.Features[f].Name]
	}
	return directions
}

// ErrOrder names a tree whose leaves break the order that the model was trained to keep (constraints.monotone).
type ErrOrder struct {
	Tree   int
	Column string
}

func (e ErrOrder) Error() string {
	return fmt.Sprintf("the leaves of tree %d would no longer keep constraints.monotone of column %q", e.Tree, e.Column)
}

// CheckOrder returns an ErrOrder if the leaves of a tree break the order that the model was trained to keep.
func (c *Contents) CheckOrder() error {
	directions := c.Directions()
	if directions == nil {
		return nil
	}
	for i := range c.Trees {
		if at := c.Trees[i].OutOfOrder(directions); at >= 0 {
			return ErrOrder{i, c.Cuts.Features[c.Trees[i].Feature[at]].Name}
		}
	}
	return nil
}
