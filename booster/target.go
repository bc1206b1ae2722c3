package booster

import (
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"

	"boost/dataset"
	"boost/objectives"
)

// target is what the labels of a run mean.
type target struct {
	objective objectives.Objective
	outputs   int
	classes   []string // in the order of class indices; nil for numbers
	numeric   bool     // classes compare as numbers
}

// target finds what the labels mean: by the base model if there is one, else by the parameters and the
// labels.
func (r *run) target(in *inputs, table *dataset.Table) (*target, error) {
	if r.baseModel != nil {
		return r.baseTarget()
	}
	return newTarget(&r.p, r.custom, table, columnNames(in.schema), r.log)
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
		log.Debug("objective chosen from the label", "objective", name, "reason", reason)
	}
	tg := &target{objective: custom}
	if custom != nil {
		p.Objective = custom.Name()
	}
	info, _ := objectives.Lookup(p.Objective)
	if custom != nil {
		info.Labels = labelsOf(custom.Link())
	}
	if !info.HasClasses() {
		if p.PositiveClass != "" {
			return nil, fmt.Errorf("%w: data.positive_class = %q: objective %s has no classes", ErrParams, p.PositiveClass, p.Objective)
		}
	} else if err := tg.findClasses(p, info.Labels, label, log); err != nil {
		return nil, err
	}
	if custom == nil {
		objective, err := objectives.New(p.Objective, objectives.Options{Classes: len(tg.classes)})
		if err != nil {
			return nil, err
		}
		tg.objective = objective
	}
	tg.outputs = tg.objective.Outputs()
	return tg, nil
}

// maxStep returns the longest step of a leaf value before the learning rate, 0 for any.
func (tg *target) maxStep() float64 {
	if o, ok := tg.objective.(objectives.StepLimiter); ok {
		return o.MaxStep()
	}
	return 0
}

// labelsOf returns what the labels of a custom loss mean. The loss checks the number of classes.
func labelsOf(link objectives.Link) objectives.Labels {
	switch link {
	case objectives.Logistic, objectives.Softmax:
		return objectives.ManyClasses
	}
	return objectives.Quantities
}

// findClasses orders the classes of a label column.
func (tg *target) findClasses(p *Params, labels objectives.Labels, label *dataset.Column, log *slog.Logger) error {
	tg.classes, tg.numeric = dataset.ClassesOf(label)
	n := len(tg.classes)
	switch {
	case n == 0:
		return fmt.Errorf("%w: label %q has no values", dataset.ErrTable, label.Name())
	case n == 1:
		return fmt.Errorf("%w: label %q has the one class %q: there is nothing to tell apart", dataset.ErrTable, label.Name(), tg.classes[0])
	case labels == objectives.TwoClasses && n != 2:
		return fmt.Errorf("%w: label %q has %d classes (%s): objective %s needs 2 (set train.objective = \"multiclass\" or \"regression\")",
			dataset.ErrTable, label.Name(), n, someNames(tg.classes), p.Objective)
	case labels == objectives.ManyClasses && n > maxClasses:
		return fmt.Errorf("%w: label %q has %d distinct values, more than the %d classes that %s takes (set train.objective = \"regression\")",
			dataset.ErrTable, label.Name(), n, maxClasses, p.Objective)
	}
	if p.PositiveClass != "" {
		if n != 2 {
			return fmt.Errorf("%w: data.positive_class = %q: label %q has %d classes, only two-class labels have a positive one",
				ErrParams, p.PositiveClass, label.Name(), n)
		}
		at := slices.Index(tg.classes, p.PositiveClass)
		if at < 0 {
			return fmt.Errorf("%w: data.positive_class = %q: the classes of label %q are %s",
				ErrParams, p.PositiveClass, label.Name(), someNames(tg.classes))
		}
		tg.classes[at], tg.classes[1] = tg.classes[1], tg.classes[at]
	}
	if n == 2 {
		log.Debug("positive class", "label", label.Name(), "positive", tg.classes[1], "negative", tg.classes[0])
	}
	return nil
}

// maxClasses bounds multiclass: beyond it a numeric label given by mistake would
// grow a tree per distinct number and round.
const maxClasses = 10_000

// labels returns one number per row: the label itself, or its class index.
func (tg *target) labels(t *dataset.Table) ([]float64, error) {
	return t.EncodeLabels(tg.classes, tg.numeric)
}

// maxInferred is the largest number of distinct whole numbers that are taken for classes.
const maxInferred = 20

// InferObjective chooses an objective for the table's label: binary for two
// classes, multiclass for more text classes or for up to 20 whole numbers that have two
// rows each on average, else regression. The reason is for people.
func InferObjective(t *dataset.Table) (name, reason string, err error) {
	label := t.LabelColumn()
	if label == nil {
		return "", "", fmt.Errorf("%w: no label to choose an objective from", dataset.ErrTable)
	}
	classes, _, few := dataset.FewClasses(label, maxInferred)
	switch {
	case len(classes) == 2:
		return "binary", fmt.Sprintf("label %q has the two values %s", label.Name(), someNames(classes)), nil
	case label.Kind() == dataset.Category:
		return "multiclass", fmt.Sprintf("label %q has %d text classes", label.Name(), len(classes)), nil
	case few && len(classes) > 2 && wholeNumbers(label) && 2*len(classes) > label.Len():
		return "regression", fmt.Sprintf("label %q has %d distinct whole numbers in %d rows; set train.objective = \"multiclass\" if they are classes", label.Name(), len(classes), label.Len()), nil
	case few && len(classes) > 2 && wholeNumbers(label):
		return "multiclass", fmt.Sprintf("label %q has %d distinct whole numbers; set train.objective = \"regression\" if they are quantities", label.Name(), len(classes)), nil
	}
	return "regression", fmt.Sprintf("label %q holds numbers", label.Name()), nil
}

func wholeNumbers(c *dataset.Column) bool {
	for i := range c.Len() {
		var v float64
		if c.Kind() == dataset.Float32 {
			v = float64(c.Float32s()[i])
		} else {
			v = c.Float64s()[i]
		}
		if v != math.Floor(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// someNames lists at most ten names for a message.
func someNames(names []string) string { return namesOf(names[:min(len(names), mostNames)], len(names)) }

// mostNames is the number of names in a message.
const mostNames = 10

// namesOf lists the first of n names.
func namesOf(first []string, n int) string {
	list := strings.Join(first, ", ")
	if more := n - len(first); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

func columnNames(s dataset.Schema) string {
	names := make([]string, min(len(s.Columns), mostNames))
	for i := range names {
		names[i] = s.Columns[i].Name
	}
	return namesOf(names, len(s.Columns))
}
