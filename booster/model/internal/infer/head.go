package infer

import (
	"fmt"
	"slices"

	"boost/binning"
	"boost/booster/model/internal/format"
	"boost/dataset"
)

// Head is a model without its trees: what turns rows into codes, and scores into predictions. It is
// immutable.
type Head struct {
	contents *format.Contents
	mapping  format.Mapping // from raw scores to predictions
	used     []int          // features that a tree splits on, ascending
	columns  []uint8        // bits per code of each used feature in a prediction block
	place    []int32        // of each feature that is used: its index in used
	linear   []int          // features whose values leaves need, ascending; nil where all leaves are constant
}

// NewHead prepares contents, of whose features trees split on the used ones; see UsedFeatures.
func NewHead(c *format.Contents, used []int) Head {
	h := Head{contents: c, mapping: c.Mapping(), linear: linearFeatures(c), used: used, columns: make([]uint8, len(used)), place: make([]int32, len(c.Cuts.Features))}
	for i, f := range used {
		h.columns[i], h.place[f] = codeBits(c.Cuts.Features[f].Regular), int32(i)
	}
	return h
}

// Contents returns what the model is made of. It must not be changed.
func (h *Head) Contents() *format.Contents { return h.contents }

// UsedFeatures returns the features that the trees split on, ascending.
func UsedFeatures(c *format.Contents) []int {
	is := make([]bool, len(c.Cuts.Features))
	count := 0
	for t := range c.Trees {
		for _, f := range c.Trees[t].Feature {
			if !is[f] {
				is[f] = true
				count++
			}
		}
	}
	used := make([]int, 0, count)
	for f, is := range is {
		if is {
			used = append(used, f)
		}
	}
	return used
}

func (h *Head) needClasses() error {
	if h.contents.Classes == nil {
		return fmt.Errorf("a model with objective %s predicts numbers, it has no classes", h.contents.Objective)
	}
	return nil
}

// CheckRounds returns an error unless the model has k rounds.
func (h *Head) CheckRounds(k int) error {
	if k < 0 || k > h.contents.BestRound {
		return fmt.Errorf("%d rounds of a model that has %d: give a number from 0 to that", k, h.contents.BestRound)
	}
	return nil
}

// Unseen returns, for each categorical feature of a table that has such rows, how many of them have a level
// that the trees have not seen. A feature that no tree splits on and whose levels are not kept has none.
func (h *Head) Unseen(t *dataset.Table) ([]binning.Unseen, error) {
	t, err := t.As(h.contents.Schema)
	if err != nil {
		return nil, err
	}
	unseen, err := h.contents.Cuts.Unseen(t)
	return slices.DeleteFunc(unseen, func(u binning.Unseen) bool { return h.ignores(u.Column) }), err
}

// ignores reports whether nothing is kept of a categorical feature.
func (h *Head) ignores(column string) bool {
	features := h.contents.Cuts.Features
	f := slices.IndexFunc(features, func(f binning.Feature) bool { return f.Name == column })
	_, used := slices.BinarySearch(h.used, f)
	return !used && len(features[f].Codes) == 0
}

// Unlisted returns the names of the categorical features of which the model does not name all levels that
// training had.
func (h *Head) Unlisted() []string {
	var names []string
	for f := range h.contents.Cuts.Features {
		if feature := &h.contents.Cuts.Features[f]; !feature.NamesAll() {
			names = append(names, feature.Name)
		}
	}
	return names
}
