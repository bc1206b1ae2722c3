package objectives

import (
	"fmt"
	"slices"
	"strings"
)

// Labels is what the labels of a loss mean.
type Labels int

// The kinds of labels.
const (
	Quantities  Labels = iota // numbers
	TwoClasses                // class indices 0 and 1
	ManyClasses               // class indices 0 … K-1
)

// Options is what a loss cannot tell from its name.
type Options struct {
	Classes int // number of classes of a label that names classes, else 0
	Targets int // number of labels of a row, each with an output of its own; 0 is 1
	Params
}

// Info is what the rest of the program knows of a built-in loss.
type Info struct {
	Name      string
	Aliases   []string // its names in other libraries, in lower case
	Labels    Labels
	Link      Link
	Several   bool                               // it is of several labels at once, and of no single one
	Queries   bool                               // it is of whole queries, as OfQueries is
	Times     bool                               // labels are times, negative where a row is censored
	Intervals bool                               // it takes Rows.Upper
	AnyUnit   bool                               // hessians shrink with the unit of the labels, so that no sum of them is small for all
	Takes     Params                             // the defaults of the parameters that it takes, zero of others
	Metrics   func(Params) []string              // evaluated if none are named; the first leads early stopping
	Make      func(o Options) (Objective, error) // of complete parameters
}

// HasClasses reports whether labels are indices of classes.
func (i Info) HasClasses() bool { return i.Labels != Quantities }

// registry holds the built-in losses in the order of documentation.
var registry = []Info{
	regressionInfo, binaryInfo, multiLabelInfo, multiclassInfo, oneVsAllInfo, focalInfo, crossEntropyInfo, crossEntropyLambdaInfo,
	l1Info, huberInfo, fairInfo, logCoshInfo, quantileInfo, expectileInfo, mapeInfo,
	poissonInfo, gammaInfo, tweedieInfo, squaredLogInfo,
	lambdaRankInfo, xendcgInfo, pairwiseInfo,
	coxInfo, aftInfo,
}

// Names returns the names of the built-in losses.
func Names() []string {
	var names []string
	for _, info := range registry {
		names = append(names, info.Name)
	}
	return names
}

// Lookup returns the built-in loss of that name, and whether there is one.
func Lookup(name string) (Info, bool) {
	at := slices.IndexFunc(registry, func(i Info) bool { return i.Name == name })
	if at < 0 {
		return Info{}, false
	}
	return registry[at], true
}

// New returns the built-in loss of that name. Parameters that are zero take the loss's defaults; those that it does not
// take are an error.
func New(name string, o Options) (Objective, error) {
	info, ok := Lookup(name)
	if !ok {
		return nil, fmt.Errorf("unknown objective %q (there are %s)", name, strings.Join(Names(), ", "))
	}
	var err error
	if o.Params, err = info.Complete(o.Params); err != nil {
		return nil, err
	}
	if err := info.checkTargets(max(o.Targets, 1)); err != nil {
		return nil, err
	}
	one, err := info.Make(o)
	if err != nil || o.Targets <= 1 {
		return one, err
	}
	return ofTargets(one, o.Targets)
}

// MetricLink returns the word by which metrics know whether they are defined for the predictions of a loss: the link, or for losses of
// times the loss itself.
func MetricLink(name string, link Link) string {
	if info, ok := Lookup(name); ok && info.Times {
		return name
	}
	return string(link)
}

// DefaultMetrics returns the names of the metrics that are evaluated if none are named: those of a built-in
// loss of parameters p, and for a loss of your own those of the built-in loss of classes with the same link, or of
// regression. The first leads early stopping. A link that ParseLink refuses is an error.
func DefaultMetrics(name string, link Link, p Params) ([]string, error) {
	info, ok := Lookup(name)
	if several := info.Link == Sorted && link == Identity; !ok || info.Link != link && !several {
		if _, err := ParseLink(string(link)); err != nil {
			return nil, err
		}
		info, p = regressionInfo, Params{}
		if i := slices.IndexFunc(registry, func(i Info) bool { return i.HasClasses() && i.Link == link }); i >= 0 {
			info = registry[i]
		}
	}
	p, err := info.Complete(p)
	if err != nil {
		return nil, err
	}
	return slices.Clone(info.Metrics(p)), nil
}
