// Package labels finds what the labels of a table mean.
//
// In: the label column. Out: the classes in their order, or the objective that suits them. It must not know
// parameters or models.
package labels

import (
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"

	"boost/dataset"
	"boost/objectives"
)

// Report warns of labels that are the same number in every row.
func Report(l dataset.Labels, t *dataset.Table, log *slog.Logger) {
	if l.Upper != nil {
		return
	}
	for k, c := range t.LabelColumns() {
		value := l.Columns[k][0]
		switch same := !slices.ContainsFunc(l.Columns[k], func(v float64) bool { return v != value }); {
		case same && len(l.Columns) > 1:
			log.Warn("every row has the same label: so will every prediction of it", "column", c.Name(), "label", value)
		case same:
			log.Warn("every row has the same label: so will every prediction", "label", value)
		}
	}
}

// maxClasses bounds multiclass: beyond it a numeric label given by mistake would
// grow a tree per distinct number and round.
const maxClasses = 10_000

// Classes returns the classes of a label column in their order, and whether they compare as numbers. It refuses
// columns that have not the number of classes that the objective takes.
func Classes(label *dataset.Column, takes objectives.Labels, objective string) (classes []string, numeric bool, err error) {
	classes, numeric = dataset.ClassesOf(label)
	switch n := len(classes); {
	case n == 0:
		err = fmt.Errorf("%w: label %q has no values", dataset.ErrTable, label.Name())
	case n == 1:
		err = fmt.Errorf("%w: label %q has the one class %q: there is nothing to tell apart", dataset.ErrTable, label.Name(), classes[0])
	case takes == objectives.TwoClasses && n != 2 && !numeric:
		err = fmt.Errorf("%w: label %q has %d classes (%s): objective %s needs 2 (set train.objective = \"multiclass\")",
			dataset.ErrTable, label.Name(), n, Names(classes), objective)
	case takes == objectives.TwoClasses && n != 2:
		err = fmt.Errorf("%w: label %q has %d classes (%s): objective %s needs 2 (set train.objective = \"multiclass\" or \"regression\")",
			dataset.ErrTable, label.Name(), n, Names(classes), objective)
	case takes == objectives.ManyClasses && n > maxClasses && !numeric:
		err = fmt.Errorf("%w: label %q has %d classes, more than the %d that %s takes: expected a column with fewer different texts",
			dataset.ErrTable, label.Name(), n, maxClasses, objective)
	case takes == objectives.ManyClasses && n > maxClasses:
		err = fmt.Errorf("%w: label %q has %d distinct values, more than the %d classes that %s takes (set train.objective = \"regression\")",
			dataset.ErrTable, label.Name(), n, maxClasses, objective)
	}
	return classes, numeric, err
}

// OfLink returns what the labels of a custom loss mean. The loss checks the number of classes.
func OfLink(link objectives.Link) objectives.Labels {
	switch link {
	case objectives.Logistic, objectives.Softmax, objectives.OneVsAll:
		return objectives.ManyClasses
	}
	return objectives.Quantities
}

// maxInferred is the largest number of distinct whole numbers that are taken for classes.
const maxInferred = 20

// InferObjective chooses an objective for the table's label: binary for two
// classes, multiclass for more text classes or for up to 20 whole numbers that have two
// rows each on average, else regression. A label of more than 20 texts that differ in more than half of the rows
// holds ids, and is refused. The reason is for people.
func InferObjective(t *dataset.Table) (name, reason string, err error) {
	label := t.LabelColumn()
	if label == nil {
		return "", "", fmt.Errorf("%w: no label to choose an objective from", dataset.ErrTable)
	}
	if c := t.EventColumn(); c != nil {
		return "cox", fmt.Sprintf("column %q tells which times are of events", c.Name()), nil
	}
	if c := t.UpperColumn(); c != nil {
		return "aft", fmt.Sprintf("column %q tells up to when events came", c.Name()), nil
	}
	if several := t.LabelColumns(); len(several) > 1 {
		return inferSeveral(several)
	}
	classes, _, few := dataset.FewClasses(label, maxInferred)
	switch {
	case len(classes) == 2:
		return "binary", fmt.Sprintf("label %q has the two values %s", label.Name(), Names(classes)), nil
	case label.Kind() == dataset.Category && len(classes) > maxInferred && 2*len(classes) > label.Len():
		return "", "", fmt.Errorf("%w: label %q is text with %d different values in %d rows, as ids and numbers in an unusual form have: expected classes that repeat, or numbers (name another label, or set train.objective = \"multiclass\" if each text is a class)",
			dataset.ErrTable, label.Name(), len(classes), label.Len())
	case label.Kind() == dataset.Category && len(classes) == 1:
		return "multiclass", fmt.Sprintf("label %q has one text class", label.Name()), nil
	case label.Kind() == dataset.Category:
		return "multiclass", fmt.Sprintf("label %q has %d text classes", label.Name(), len(classes)), nil
	case few && len(classes) > 2 && wholeNumbers(label) && 2*len(classes) > label.Len():
		return "regression", fmt.Sprintf("label %q has %d distinct whole numbers in %d rows; set train.objective = \"multiclass\" if they are classes", label.Name(), len(classes), label.Len()), nil
	case few && len(classes) > 2 && wholeNumbers(label):
		return "multiclass", fmt.Sprintf("label %q has %d distinct whole numbers; set train.objective = \"regression\" if they are quantities", label.Name(), len(classes)), nil
	}
	return "regression", fmt.Sprintf("label %q holds numbers", label.Name()), nil
}

// inferSeveral chooses an objective for several labels: multi_label if all of them are 0 or 1, regression for other numbers.
func inferSeveral(columns []*dataset.Column) (name, reason string, err error) {
	both := true
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name()
		classes, numeric, few := dataset.FewClasses(c, 2)
		if !numeric {
			return "", "", fmt.Errorf("%w: label %q has texts (%s), and several labels have to be numbers: 0 and 1 for what is so or not (or name one label)",
				dataset.ErrTable, c.Name(), Names(classes))
		}
		both = both && few && !slices.ContainsFunc(classes, func(class string) bool { return class != "0" && class != "1" })
	}
	if both {
		return "multi_label", fmt.Sprintf("the labels %s are 0 or 1", Names(names)), nil
	}
	return "regression", fmt.Sprintf("the labels %s hold numbers", Names(names)), nil
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

// Names lists at most ten names for a message.
func Names(names []string) string { return namesOf(names[:min(len(names), mostNames)], len(names)) }

// ColumnNames lists at most ten names of columns.
func ColumnNames(s dataset.Schema) string {
	names := make([]string, min(len(s.Columns), mostNames))
	for i := range names {
		names[i] = s.Columns[i].Name
	}
	return namesOf(names, len(s.Columns))
}

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
