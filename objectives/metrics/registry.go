package metrics

import (
	"fmt"
	"slices"
	"strings"
)

// Info is what the rest of the program knows of a built-in metric.
type Info struct {
	Name    string
	Aliases []string // its names in other libraries, in lower case
	Links   []string // of the models that it is defined for
	Make    func() Metric
}

// registry holds the built-in metrics in the order of documentation.
var registry = []Info{
	rmseInfo, maeInfo, r2Info, logLossInfo, aucInfo, errorInfo, multiLogLossInfo, multiErrorInfo,
}

// Links of models, as package objectives names them.
const (
	identity = "identity"
	logistic = "logistic"
	softmax  = "softmax"
	exp      = "exp"
)

// Names returns the names that New takes.
func Names() []string {
	var names []string
	for _, info := range registry {
		names = append(names, info.Name)
	}
	return names
}

// Lookup returns the built-in metric of that name, and whether there is one.
func Lookup(name string) (Info, bool) {
	at := slices.IndexFunc(registry, func(i Info) bool { return i.Name == name })
	if at < 0 {
		return Info{}, false
	}
	return registry[at], true
}

// New returns the built-in metric of that name. Those of one output (all but multi_*)
// are NaN for several outputs.
func New(name string) (Metric, error) {
	info, ok := Lookup(name)
	if !ok {
		return nil, fmt.Errorf("unknown metric %q (there are %s)", name, strings.Join(Names(), ", "))
	}
	return info.Make(), nil
}

// List returns the built-in metrics of these names.
func List(names []string) ([]Metric, error) {
	list := make([]Metric, len(names))
	for i, name := range names {
		var err error
		if list[i], err = New(name); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Fits reports whether the metric called name is defined for the predictions of a link.
func Fits(name, link string) bool {
	info, ok := Lookup(name)
	return ok && slices.Contains(info.Links, link)
}
