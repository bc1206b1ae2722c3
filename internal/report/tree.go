package report

import (
	"slices"

	"boost/binning"
	"boost/booster/model"
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
	OtherLevels bool     `json:"other_levels,omitempty"` // so do those that the model knows by marks
	MissingLeft bool     `json:"missing_left"`
	Left        int32    `json:"left"`
	Right       int32    `json:"right"`
	Gain        *float32 `json:"gain,omitempty"` // absent of a model without statistics, as cover
	Cover       *float64 `json:"cover,omitempty"`
}

// Known are the levels of a feature that the model knows; all others are missing values to it.
type Known struct {
	Levels []string `json:"levels"`
	Marks  []uint32 `json:"marks,omitempty"` // in the place of names; see binning.Feature.HashesName
}

// Leaf adds a value to the raw scores of its rows, or that of a linear model.
type Leaf struct {
	Value  float64     `json:"value"`            // with a linear model: of rows for which that is not finite
	Linear *LinearLeaf `json:"linear,omitempty"` // nil for a constant leaf
	Cover  *float64    `json:"cover,omitempty"`
}

// LinearLeaf adds its constant and, for each of its features, the coefficient times the row's value, rounded to
// float32; see tree.Linear.
type LinearLeaf struct {
	Constant     float64   `json:"constant"`
	Features     []string  `json:"features"`
	Coefficients []float64 `json:"coefficients"`
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
			set, isLeft := codesLeft(t, n), map[uint32]bool{}
			for _, code := range set {
				isLeft[code] = true
			}
			s.Levels = levelsOf(c, f, func(code uint32) bool { return isLeft[code] })
			s.OtherLevels = len(feature.NameHashes) > 0 && slices.Contains(set, feature.Regular-1)
		} else {
			s.Cut = cutOf(c.Cuts, f, int(t.Code[n]))
		}
		out.Splits = append(out.Splits, s)
	}
	for n := range out.Leaves {
		out.Leaves[n].Value = t.Leaf[n]
		if features := t.LeafFeatures(n); len(features) > 0 {
			first := t.Linear.Ptrs[n]
			l := &LinearLeaf{Constant: t.Linear.Const[n], Coefficients: t.Linear.Coef[first : int(first)+len(features)]}
			for _, f := range features {
				l.Features = append(l.Features, c.Cuts.Features[f].Name)
			}
			out.Leaves[n].Linear = l
		}
		if !t.NoStatistics() {
			out.Leaves[n].Cover = &t.LeafCover[n]
		}
	}
	return out
}

// knownLevels returns the levels of each categorical feature.
func knownLevels(m *model.Model) map[string]Known {
	c, known := m.Contents(), map[string]Known{}
	for f := range c.Cuts.Features {
		if feature := &c.Cuts.Features[f]; feature.Kind == binning.Categorical {
			known[feature.Name] = Known{levelsOf(c, f, func(uint32) bool { return true }), feature.NameHashes}
		}
	}
	return known
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

// levelsOf returns the names of the levels whose codes are taken.
func levelsOf(c *model.Contents, f int, take func(code uint32) bool) []string {
	names, column := []string{}, c.FeatureColumns()[f]
	for level, code := range c.Cuts.Features[f].Codes {
		if code != binning.NoCode && take(code) {
			names = append(names, column.Levels[level])
		}
	}
	return names
}
