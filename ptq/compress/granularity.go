package compress

import (
	"fmt"
	"strings"

	"boost/booster/model"
	"boost/internal/near"
	"boost/ptq"
)

// Granularity says which leaves share a scale.
type Granularity uint8

const (
	// ByOutput: those of an output's trees, which are a tensor of their own (S3.57).
	ByOutput Granularity = iota
	// ByModel: all leaves of the model.
	ByModel
	// ByTree: those of a tree.
	ByTree
	// ByBlock: up to ptq.TierBlock successive leaves of a tree.
	ByBlock
)

var granularities = [...]string{ByModel: model.GroupModel, ByOutput: model.GroupOutput, ByTree: model.GroupTree, ByBlock: model.GroupBlock}

// Granularities returns the names, from the widest to the narrowest.
func Granularities() []string {
	return []string{ByModel.String(), ByOutput.String(), ByTree.String(), ByBlock.String()}
}

// String returns the granularity's name, as ParseGranularity reads it.
func (g Granularity) String() string {
	if int(g) >= len(granularities) {
		return fmt.Sprintf("Granularity(%d)", uint8(g))
	}
	return granularities[g]
}

// ParseGranularity returns the granularity of a name: model, output, tree, block; case does
// not count. Any other word is ptq.ErrCalibration.
func ParseGranularity(name string) (Granularity, error) {
	for g, known := range granularities {
		if strings.EqualFold(name, known) {
			return Granularity(g), nil
		}
	}
	return 0, ptq.ErrCalibration{Text: fmt.Sprintf("a scale for each %q%s: there are %s", name,
		near.Question(near.Words(name, granularities[:])), strings.Join(granularities[:], ", "))}
}

// Trees returns the leaves of each tree as a range of the leaf tensor: the bounds of forms
// of blocks. It is nil for a model without trees.
func Trees(m *model.Model) (*ptq.Groups, error) {
	if ends := treeEnds(m); len(ends) > 0 {
		return ptq.NewGroups(ends, nil)
	}
	return nil, nil
}

// groups returns the leaves that share a scale; nil: all.
func (g Granularity) groups(m *model.Model) (*ptq.Groups, error) {
	if int(g) >= len(granularities) {
		return nil, ptq.ErrCalibration{Text: fmt.Sprintf("there is no granularity %d", uint8(g))}
	}
	if g == ByOutput && m.Outputs() == 1 {
		g = ByModel
	}
	trees := m.Contents().Trees
	counts := make([]int, len(trees))
	for i := range trees {
		counts[i] = trees[i].NumLeaves()
	}
	return model.Groups(g.String(), counts, m.Outputs())
}

// grouping returns how a model's file names what shares a scale.
func (g Granularity) grouping(m *model.Model, form ptq.Form) string {
	if _, typed := form.DType(); !typed {
		return model.GroupBlock
	}
	if g == ByOutput && m.Outputs() == 1 {
		return model.GroupModel
	}
	return g.String()
}

// treeEnds returns where the leaves of each tree end.
func treeEnds(m *model.Model) []int {
	trees := m.Contents().Trees
	ends, n := make([]int, len(trees)), 0
	for i := range trees {
		n += trees[i].NumLeaves()
		ends[i] = n
	}
	return ends
}
