package coverage

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"boost/benchmarks/harness"
)

// UpdateDocument puts the tables into the page at path.
func (r *Record) UpdateDocument(path string) error {
	if err := harness.ReplaceSection(path, "coverage", r.coverage()); err != nil {
		return err
	}
	return harness.ReplaceSection(path, "calibration", r.calibrations())
}

func (r *Record) coverage() string {
	var b strings.Builder
	b.WriteString("| set | test rows | from | 80 % | 90 % | 95 % | mean width, or classes, at 90 % | quantiles: 90 %, width | by | test rows of its groups: what 90 % cover |\n|---|--:|---|--:|--:|--:|--:|--:|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(r.Sets)) {
		s := r.Sets[name]
		var groups []string
		for _, g := range s.Groups {
			groups = append(groups, fmt.Sprintf("%d: %s", g.Test, percent(g.Span)))
		}
		quantiles := ""
		if q := s.Quantiles; q != nil {
			quantiles = fmt.Sprintf("%s, %.4g", percent(*q), q.Width)
		}
		fmt.Fprintf(&b, "| `%s` | %d | %s | %s | %s | %s | %.4g | %s | %s | %s |\n", name, s.TestRows, s.Kind,
			percent(s.Intervals["0.8"]), percent(s.Intervals["0.9"]), percent(s.Intervals["0.95"]), s.Intervals["0.9"].Width, quantiles, s.By, strings.Join(groups, ", "))
	}
	return b.String() + "\n" + r.Machine.String() + "\n"
}

func percent(s Span) string { return fmt.Sprintf("%.1f", 100*s.Coverage) }

func (r *Record) calibrations() string {
	var b strings.Builder
	b.WriteString("| set | chosen | log loss before | after | calibration error before | after |\n|---|---|--:|--:|--:|--:|\n")
	for _, name := range slices.Sorted(maps.Keys(r.Sets)) {
		s := r.Sets[name]
		if len(s.Methods) == 0 {
			continue
		}
		methods := slices.Clone(s.Methods)
		slices.Sort(methods)
		var chosen []string
		for _, m := range slices.Compact(methods) {
			chosen = append(chosen, string(m))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %.4g | %.4g | %.4f | %.4f |\n", name, strings.Join(chosen, ", "), s.Before.LogLoss, s.After.LogLoss, s.Before.ECE, s.After.ECE)
	}
	return b.String()
}
