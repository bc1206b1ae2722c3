package configs

import (
	"slices"
	"strings"

	"boost/internal/near"
	"boost/objectives/metrics"
)

// ChooseMetrics translates and checks the names of metrics that were asked for; none means the defaults.
// Errors wrap ErrConfig.
func ChooseMetrics(asked, defaults []string, link string) ([]string, error) {
	if len(asked) == 0 {
		return defaults, nil
	}
	var names []string
	for _, written := range asked {
		name := MetricName(written)
		if isFormula(written) {
			return nil, problemf("metric %q: %s", written, noFormula)
		}
		if _, known := metrics.Lookup(name); !known {
			return nil, problemf("unknown metric %q%s: there are %s", written,
				near.Question(near.Words(metrics.Base(written), metrics.Names())), strings.Join(metrics.Names(), ", "))
		}
		if _, err := metrics.New(name); err != nil {
			return nil, problemf("%v", err)
		}
		switch {
		case !metrics.Fits(name, link, defaults...):
			others := slices.DeleteFunc(metrics.Fitting(link, defaults...), func(name string) bool { return slices.Contains(defaults, name) })
			return nil, problemf("metric %q does not fit this model: take %s", written, strings.Join(slices.Concat(defaults, others), ", "))
		case !slices.Contains(names, name):
			names = append(names, name)
		}
	}
	return names, nil
}
