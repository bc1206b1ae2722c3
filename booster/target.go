package booster

import (
	"fmt"
	"log/slog"
	"reflect"
	"slices"

	"boost/booster/internal/labels"
	"boost/dataset"
	"boost/objectives"
	"boost/tree/grow"
)

// target is what the labels of a run mean.
type target struct {
	objective objectives.Objective
	outputs   int
	classes   []string // in the order of class indices; nil for numbers
	numeric   bool     // classes compare as numbers
	several   int      // labels of a row, each of which has an output
}

// target finds what the labels mean: by the base model if there is one, else by the parameters and the
// labels.
func (r *run) target(in *inputs, table *dataset.Table) (*target, error) {
	if r.baseModel != nil {
		return r.baseTarget()
	}
	return newTarget(&r.p, r.custom, table, labels.ColumnNames(in.schema), r.log)
}

// newTarget finds the objective and the classes from the parameters and the
// training table's label; names are those of all columns, for messages.
func newTarget(p *Params, custom objectives.Objective, t *dataset.Table, names string, log *slog.Logger) (*target, error) {
	label := t.LabelColumn()
	if label == nil {
		return nil, fmt.Errorf("%w: no label: name the column to be learned (columns are %s)", dataset.ErrTable, names)
	}
	if custom == nil && p.Objective == "" {
		name, reason, err := InferObjective(t)
		if err != nil {
			return nil, err
		}
		p.Objective = name
		for _, c := range t.Columns() {
			if c.Role() == dataset.GroupRole {
				log.Warn(`the table has queries, and the objective does not look at them: train.objective = "lambdarank" learns to rank the rows of each`,
					"queries", c.Name(), "objective", name)
			}
		}
		log.Debug("objective chosen from the label", "objective", name, "reason", reason)
	}
	tg := &target{objective: custom, several: len(t.LabelColumns())}
	if tg.several > 1 && custom != nil {
		return nil, fmt.Errorf("%w: objective %s is your own, and takes one label: name one of %d", ErrParams, custom.Name(), tg.several)
	}
	if custom != nil {
		p.Objective = custom.Name()
	}
	if tg.several > 1 && p.Objective == "binary" {
		p.Objective = "multi_label"
	}
	info, known := objectives.Lookup(p.Objective)
	if custom != nil && !reflect.DeepEqual(p.Loss, objectives.Params{}) {
		return nil, fmt.Errorf("%w: objective %s is your own: parameters of built-in ones (objective.…) have no effect on it", ErrParams, custom.Name())
	}
	if c := t.EventColumn(); c != nil && custom == nil && known && !info.Times {
		return nil, fmt.Errorf("%w: data.event = %q: objective %s is not of times, which cox and aft are: leave the key out, or name the column in data.ignore",
			ErrParams, c.Name(), p.Objective)
	}
	if c := t.UpperColumn(); c != nil && (t.EventColumn() != nil || tg.several > 1 || custom != nil || known && !info.Intervals) {
		return nil, fmt.Errorf("%w: data.label_upper = %q: times in intervals are for objective aft with one label and without data.event (here objective %s): leave one of the keys out",
			ErrParams, c.Name(), p.Objective)
	}
	if custom == nil && known {
		var err error
		if p.Loss, err = info.Complete(p.Loss); err != nil { // of an objective that was inferred
			return nil, fmt.Errorf("%w: %w", ErrParams, err)
		}
	}
	if custom != nil {
		info.Labels = labels.OfLink(custom.Link())
	}
	switch {
	case info.HasClasses() && tg.several > 1: // New says what takes them
	case !info.HasClasses():
		if p.PositiveClass != "" {
			return nil, fmt.Errorf("%w: data.positive_class = %q: objective %s has no classes", ErrParams, p.PositiveClass, p.Objective)
		}
	default:
		if err := tg.findClasses(p, info.Labels, label, log); err != nil {
			return nil, err
		}
	}
	if custom == nil {
		objective, err := objectives.New(p.Objective, objectives.Options{Classes: len(tg.classes), Targets: tg.several, Params: p.Loss})
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrParams, err)
		}
		tg.objective = objective
	}
	if tg.outputs = tg.objective.Outputs(); tg.outputs < 1 || tg.classes != nil && len(tg.classes) != max(tg.outputs, 2) {
		return nil, fmt.Errorf("%w: objective %s is your own, and has %d outputs for %d classes of label %q", ErrParams, p.Objective, tg.outputs, len(tg.classes), label.Name())
	}
	return tg, nil
}

// treeParams returns how trees grow. The default of tree.min_child_weight does not hold for losses whose hessians follow the unit of the
// labels.
func (p *Params) treeParams() grow.Params {
	t := p.Tree
	if p.anyUnit() && t.MinChildWeight == grow.Defaults().MinChildWeight {
		t.MinChildWeight = 1e-30 // above 0 for the fast searches
	}
	return t
}

// anyUnit reports whether hessians follow the unit of the labels.
func (p *Params) anyUnit() bool {
	info, ok := objectives.Lookup(p.Objective)
	return ok && info.AnyUnit
}

// checkLoss returns what is wrong with the parameters of the loss.
func (p *Params) checkLoss() []error {
	info, ok := objectives.Lookup(p.Objective)
	if !ok {
		return nil
	}
	complete, err := info.Complete(p.Loss)
	if err == nil && !info.HasClasses() {
		_, err = info.Make(objectives.Options{Params: complete})
	}
	if err != nil {
		return []error{err}
	}
	return nil
}

// leafLevel returns the level of the quantiles that leaves of an output are, and whether they are.
func (tg *target) leafLevel(output int) (level float64, ok bool) {
	if o, ok := tg.objective.(objectives.QuantileLeaves); ok {
		return o.LeafLevel(output), true
	}
	return 0, false
}

// quantileLeaves reports whether leaves are quantiles.
func (tg *target) quantileLeaves() bool { _, ok := tg.leafLevel(0); return ok }

// maxStep returns the longest step of a leaf value before the learning rate, 0 for any.
func (tg *target) maxStep() float64 {
	if o, ok := tg.objective.(objectives.StepLimiter); ok {
		return o.MaxStep()
	}
	return 0
}

// findClasses orders the classes of a label column.
func (tg *target) findClasses(p *Params, takes objectives.Labels, label *dataset.Column, log *slog.Logger) error {
	var err error
	if tg.classes, tg.numeric, err = labels.Classes(label, takes, p.Objective); err != nil {
		return err
	}
	n := len(tg.classes)
	if p.PositiveClass != "" {
		if n != 2 {
			return fmt.Errorf("%w: data.positive_class = %q: label %q has %d classes, only two-class labels have a positive one",
				ErrParams, p.PositiveClass, label.Name(), n)
		}
		at := slices.Index(tg.classes, p.PositiveClass)
		if at < 0 {
			return fmt.Errorf("%w: data.positive_class = %q: the classes of label %q are %s",
				ErrParams, p.PositiveClass, label.Name(), labels.Names(tg.classes))
		}
		tg.classes[at], tg.classes[1] = tg.classes[1], tg.classes[at]
	}
	if n == 2 {
		log.Debug("positive class", "label", label.Name(), "positive", tg.classes[1], "negative", tg.classes[0])
	}
	return nil
}

// labels returns one number per row: the label itself, or its class index; by label where there are several.
func (tg *target) labels(t *dataset.Table) (dataset.Labels, error) {
	return t.Targets(tg.several, tg.classes, tg.numeric)
}

// InferObjective chooses an objective for the table's label: cox for times beside an event column, binary for two
// classes, multiclass for more text classes or for up to 20 whole numbers that have two
// rows each on average, else regression. A label of more than 20 texts that differ in more than half of the rows
// holds ids, and is refused. The reason is for people.
func InferObjective(t *dataset.Table) (name, reason string, err error) {
	return labels.InferObjective(t)
}

// takePositions takes the positions of rows, which lambdarank learns the biases of.
func (tg *target) takePositions(ex *examples, table *dataset.Table, p *Params) error {
	positions, err := table.Positions()
	if err != nil {
		return err
	}
	switch name := tg.objective.Name(); {
	case positions == nil && p.PositionL2 != 0:
		return fmt.Errorf("%w: objective.position_l2 = %v is a penalty of positions: name their column, data.position = \"…\", or leave the key out", ErrParams, p.PositionL2)
	case positions == nil:
		return nil
	case name != "lambdarank":
		return fmt.Errorf("%w: data.position: the biases of positions are learned by objective lambdarank, not %s: leave the key out; data.side_files = \"ignore\" passes over a file beside the table that holds them", ErrParams, name)
	case p.Boosting == RandomForest:
		return fmt.Errorf("%w: data.position: a random forest has no rounds in which biases of positions could be learned: take train.boosting = \"gbdt\" or leave the key out", ErrParams)
	}
	ex.Positions = objectives.NewPositionBias(positions, p.PositionL2, p.LearningRate)
	return nil
}
