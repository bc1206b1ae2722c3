package model

import (
	"fmt"
	"slices"
)

// ImportanceKinds are the kinds that Importance knows.
var ImportanceKinds = []string{"gain", "split", "cover"}

// Importance returns one number per feature, in the order of the features: "gain",
// the total gain of its splits; "split", their number; "cover", the total of their
// sums of hessians. Another kind is an error; of a model without statistics, gain and cover
// are ErrNoStatistics.
func (m *Model) Importance(kind string) ([]float64, error) {
	if kind != "split" && slices.Contains(ImportanceKinds, kind) && !m.HasStatistics() {
		return nil, ErrNoStatistics
	}
	sums := make([]float64, len(m.contents.Cuts.Features))
	for i := range m.contents.Trees {
		t := &m.contents.Trees[i]
		for n, f := range t.Feature {
			switch kind {
			case "gain":
				sums[f] += float64(t.Gain[n])
			case "split":
				sums[f]++
			case "cover":
				sums[f] += t.Cover[n]
			}
		}
	}
	switch kind {
	case "gain", "split", "cover":
		return sums, nil
	}
	return nil, fmt.Errorf("importance %q is unknown: use gain, split or cover", kind)
}

// FeatureNames returns the names of the features, in the order of Importance.
func (m *Model) FeatureNames() []string {
	names := make([]string, len(m.contents.Cuts.Features))
	for f := range names {
		names[f] = m.contents.Cuts.Features[f].Name
	}
	return names
}
