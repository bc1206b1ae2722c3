package model

import (
	"fmt"
	"slices"
)

// ImportanceKind says how the importance of a feature is measured.
type ImportanceKind string

// The kinds of importance.
const (
	ByGain  ImportanceKind = "gain"  // total gain of the feature's splits
	BySplit ImportanceKind = "split" // number of its splits
	ByCover ImportanceKind = "cover" // total of the sums of hessians in its splits
)

// ImportanceKinds lists the kinds that Importance knows.
var ImportanceKinds = []ImportanceKind{ByGain, BySplit, ByCover}

// FeatureImportance is the importance of one feature.
type FeatureImportance struct {
	Name  string
	Value float64
}

// Importance returns the importance of every feature, in the order of the features. An unknown kind is
// an error. If the model has no statistics, ByGain and ByCover return ErrNoStatistics.
func (m *Model) Importance(kind ImportanceKind) ([]FeatureImportance, error) {
	if !slices.Contains(ImportanceKinds, kind) {
		return nil, fmt.Errorf("importance %q is unknown: use gain, split or cover", kind)
	}
	if kind != BySplit && !m.HasStatistics() {
		return nil, ErrNoStatistics
	}
	list := make([]FeatureImportance, len(m.contents.Cuts.Features))
	for f, name := range m.FeatureNames() {
		list[f].Name = name
	}
	for i := range m.contents.Trees {
		t := &m.contents.Trees[i]
		for n, f := range t.Feature {
			switch kind {
			case ByGain:
				list[f].Value += float64(t.Gain[n])
			case BySplit:
				list[f].Value++
			case ByCover:
				list[f].Value += t.Cover[n]
			}
		}
	}
	return list, nil
}

// FeatureNames returns the names of the features, in their order.
func (m *Model) FeatureNames() []string {
	names := make([]string, len(m.contents.Cuts.Features))
	for f := range names {
		names[f] = m.contents.Cuts.Features[f].Name
	}
	return names
}
