package metrics

import (
	"fmt"
	"strings"
)

// names lists the built-in metrics in the order of documentation.
var names = []string{"rmse", "mae", "r2", "logloss", "auc", "error", "multi_logloss", "multi_error"}

// Names returns the names that New takes.
func Names() []string { return append([]string(nil), names...) }

// New returns the built-in metric of that name. Those of one output (all but multi_*)
// are NaN for several outputs.
func New(name string) (Metric, error) {
	switch name {
	case "rmse":
		return rootMean{mean{name: name, row: squaredError}}, nil
	case "mae":
		return mean{name: name, row: absoluteError}, nil
	case "r2":
		return r2{}, nil
	case "logloss":
		return mean{name: name, row: logLoss}, nil
	case "auc":
		return auc{}, nil
	case "error":
		return mean{name: name, row: wrongSide}, nil
	case "multi_logloss":
		return mean{name: name, row: multiLogLoss, several: true}, nil
	case "multi_error":
		return mean{name: name, row: multiError, several: true}, nil
	}
	return nil, fmt.Errorf("unknown metric %q (there are %s)", name, strings.Join(names, ", "))
}

// For returns the metrics that are watched if none are named, the one that leads
// early stopping first. It takes the name of an objective or of a link.
func For(objective string) []string {
	switch objective {
	case "binary", "logistic":
		return []string{"logloss", "auc", "error"}
	case "multiclass", "softmax":
		return []string{"multi_logloss", "multi_error"}
	}
	return []string{"rmse", "mae", "r2"}
}

// Fits reports whether the metric called name is defined for the predictions of an
// objective or link: the names of numbers, of two classes or of several.
func Fits(name, objective string) bool {
	for _, fit := range For(objective) {
		if fit == name {
			return true
		}
	}
	// The probability of a class is a number too: its squared error is Brier's score.
	return (objective == "binary" || objective == "logistic") && (name == "rmse" || name == "mae")
}
