package report

import (
	"slices"

	"boost/binning"
	"boost/booster/model"
	"boost/dataset"
	"boost/internal/format"
	"boost/tree"
)

// Tree is one tree; split i goes to splits[left] or splits[right], or to
// leaf ^child where the number is negative.
type Tree struct {
	Round  int     `json:"round"`
	Output int     `json:"output"`
	Splits []Split `json:"splits"`
	Leaves []Leaf  `json:"leaves"`
}

type Split struct {
	Feature     string   `json:"feature"`
	Cut         *float64 `json:"cut"`                    // numbers: what is not above goes left; null = all
	Levels      []string `json:"levels"`                 // categories: these go left; null for numbers
	OtherLevels bool     `json:"other_levels,omitempty"` // so do those that the model does not name
	MissingLeft bool     `json:"missing_left"`
	Left        int32    `json:"left"`
	Right       int32    `json:"right"`
	Gain        *float32 `json:"gain,omitempty"` // absent of a model without statistics, as cover
	Cover       *float64 `json:"cover,omitempty"`
}

type Leaf struct {
	Value float64  `json:"value"`
	Cover *float64 `json:"cover,omitempty"`
}

// treeOf returns tree i of a model with names and values instead of numbers.
func treeOf(m *model.Model, i int) Tree {
	c := m.Contents()
	t := &c.Trees[i]
	out := Tree{Round: i / c.Outputs, Output: i % c.Outputs, Splits: []Split{}, Leaves: make([]Leaf, t.NumLeaves())}
	for n := range t.NumSplits() {
		f := int(t.Feature[n])
		s := Split{
			Feature: c.Cuts.Features[f].Name, MissingLeft: t.MissingLeft[n],
			Left: t.Left[n], Right: t.Right[n],
		}
		if !t.NoStatistics() {
			s.Gain, s.Cover = &t.Gain[n], &t.Cover[n]
		}
		if feature := &c.Cuts.Features[f]; feature.Kind == binning.Categorical {
			set := codesLeft(t, n)
			s.Levels = levelsOf(c, f, set)
			s.OtherLevels = len(feature.NameHashes) > 0 && slices.Contains(set, feature.Regular-1)
		} else {
			s.Cut = cutOf(c.Cuts, f, int(t.Code[n]))
		}
		out.Splits = append(out.Splits, s)
	}
	for n := range out.Leaves {
		out.Leaves[n].Value = t.Leaf[n]
		if !t.NoStatistics() {
			out.Leaves[n].Cover = &t.LeafCover[n]
		}
	}
	return out
}

// codesLeft returns the codes that go left at a split of a categorical feature.
func codesLeft(t *tree.Tree, node int) []uint32 {
	if t.Categorical[node] {
		return t.Set(node)
	}
	codes := make([]uint32, t.Code[node]+1)
	for i := range codes {
		codes[i] = uint32(i)
	}
	return codes
}

// cutOf returns the border above a code, nil behind the last one, where all values go left.
func cutOf(c *binning.Cuts, f, code int) *float64 {
	if cuts := c.Of64(f); code < len(cuts) {
		return format.Finite(cuts[code])
	}
	if cuts := c.Of32(f); code < len(cuts) {
		return format.Finite(float64(cuts[code]))
	}
	return nil
}

// levelsOf returns the names of the levels that have one of the codes.
func levelsOf(c *model.Contents, f int, set []uint32) []string {
	inSet := map[uint32]bool{}
	for _, code := range set {
		inSet[code] = true
	}
	names := []string{}
	feature := 0
	for _, column := range c.Schema.Columns {
		if column.Role != dataset.Feature {
			continue
		}
		if feature == f {
			for level, code := range c.Cuts.Features[f].Codes {
				if inSet[code] && code != binning.NoCode {
					names = append(names, column.Levels[level])
				}
			}
			break
		}
		feature++
	}
	return names
}
