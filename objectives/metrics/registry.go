package metrics

import (
	"fmt"
	"slices"
	"strings"
)

// Info is what the rest of the program knows of a built-in metric.
type Info struct {
	Name     string    // without argument
	Aliases  []string  // its names in other libraries, in lower case
	Links    []string  // of the models that it is defined for; for models of times, their objectives
	Argument *Argument // nil if it takes none
	Queries  bool      // measures how the rows of queries are ranked, and needs Input.Queries
	Shares   bool      // of two classes, where a label may lie between 0 and 1: a share of the positive one

	build func(name string, argument []float64) Metric
}

// registry holds the built-in metrics in the order of documentation.
var registry = []Info{
	rmseInfo, maeInfo, r2Info, medaeInfo, maxErrorInfo, mapeInfo, smapeInfo, rmsleInfo,
	huberInfo, fairInfo, logCoshInfo, pinballInfo, expectileInfo,
	poissonDevianceInfo, gammaDevianceInfo, tweedieDevianceInfo,
	logLossInfo, aucInfo, errorInfo, averagePrecisionInfo, precisionInfo, recallInfo, f1Info,
	crossEntropyInfo, kullbackLeiblerInfo, crossEntropyLambdaInfo,
	accuracyInfo, balancedAccuracyInfo, macroPrecisionInfo, macroRecallInfo, macroF1Info, mccInfo, kappaInfo, linearKappaInfo,
	quadraticKappaInfo, brierInfo, eceInfo,
	multiLogLossInfo, multiErrorInfo, topKInfo, aucOvrInfo, aucMuInfo,
	ndcgInfo, mapInfo, mrrInfo,
	coxNLogLikInfo, aftNLogLikInfo, intervalAccuracyInfo, concordanceInfo, integratedBrierInfo,
}

// Links of models, as package objectives names them.
const (
	identity = "identity"
	logistic = "logistic"
	softmax  = "softmax"
	oneVsAll = "one_vs_all"
	exp      = "exp"
	expm1    = "expm1"
	softplus = "softplus"
	sorted   = "sorted"
)

// numeric are the links of models that predict numbers.
var numeric = []string{identity, exp, expm1}

// Names returns the names of the built-in metrics, without arguments.
func Names() []string {
	var names []string
	for _, info := range registry {
		names = append(names, info.Name)
	}
	return names
}

// Offers returns what a shell can complete a metric's name to: names, with an example of the argument where they take one.
func Offers() []string {
	var offers []string
	for _, info := range registry {
		if info.Argument == nil || info.Argument.Default != nil {
			offers = append(offers, info.Name)
		}
		if info.Argument != nil {
			offers = append(offers, info.Name+"@"+info.Argument.Example)
		}
	}
	return offers
}

// Lookup returns the built-in metric that a name, with an argument or without, is of, and whether
// there is one. New checks the argument.
func Lookup(name string) (Info, bool) {
	base := Base(name)
	at := slices.IndexFunc(registry, func(i Info) bool { return i.Name == base })
	if at < 0 {
		return Info{}, false
	}
	return registry[at], true
}

// New returns the built-in metric of that name. Some take an argument after an @, as pinball@0.9
// does. The metric's own name is the usual one: pinball@.90 is called pinball@0.9, and ece@10 is ece. A threshold that is
// given counts, whatever that of the input: error@0.5 is another metric than error.
//
// A metric is NaN for a number of outputs that it does not take: multi_* take several, pinball takes
// as many as it has levels, and all others one.
func New(name string) (Metric, error) {
	info, ok := Lookup(name)
	if !ok {
		return nil, fmt.Errorf("unknown metric %q (there are %s)", name, strings.Join(Names(), ", "))
	}
	numbers, usual, err := info.numbers(name)
	if err != nil {
		return nil, err
	}
	return info.build(usual, numbers), nil
}

// Canonical returns the name by which settings and models know the metric that New makes: its own, without a number
// that is the default. No model has a threshold yet while it is trained, so that error@0.5 is error there.
func Canonical(name string) (string, error) {
	m, err := New(name)
	if err != nil {
		return "", err
	}
	info, _ := Lookup(name)
	if numbers, _, _ := info.numbers(name); info.Argument != nil && slices.Equal(numbers, info.Argument.Default) {
		return info.Name, nil
	}
	return m.Name(), nil
}

// NewCanonical is New for a name in its canonical form.
func NewCanonical(name string) (Metric, error) {
	canonical, err := Canonical(name)
	if err != nil {
		return nil, err
	}
	return New(canonical)
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

// NeedQueries reports whether a metric of these names is of queries.
func NeedQueries(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { info, ok := Lookup(name); return ok && info.Queries })
}

// TellsTwo returns the first of some metrics that takes the labels 0 and 1 only where a model predicts a probability, "" where none does.
func TellsTwo(names []string) string {
	for _, name := range names {
		if info, ok := Lookup(name); ok && !info.Shares && slices.Contains(info.Links, logistic) && !slices.Contains(info.Links, identity) {
			return name
		}
	}
	return ""
}

// Fitting returns the names of the built-in metrics that are defined for the predictions of a link. Of a model of several quantiles that is its
// own, of their levels.
func Fitting(link string, own ...string) []string {
	if link == sorted && len(own) > 0 {
		return slices.Clone(own)
	}
	return slices.DeleteFunc(Names(), func(name string) bool { return !Fits(name, link) })
}

// Fits reports whether the metric called name, with an argument or without, is one of Fitting.
func Fits(name, link string, own ...string) bool {
	if link == sorted && len(own) > 0 {
		usual, err := Canonical(name)
		return err == nil && slices.Contains(own, usual)
	}
	info, ok := Lookup(name)
	return ok && slices.Contains(info.Links, link)
}
