package grow

import (
	"slices"

	"boost/binning"
)

// depths say at which depths features may be split on.
type depths struct {
	first, last []int // by feature; a feature without a last one has noLast
}

const noLast = int(^uint(0) >> 1)

// newDepths returns nil where features may be split on at all depths.
func newDepths(p *Params, features []binning.Feature) *depths {
	if len(p.FirstLevel) == 0 && len(p.LastLevel) == 0 {
		return nil
	}
	d := &depths{first: make([]int, len(features)), last: make([]int, len(features))}
	for f := range features {
		d.last[f] = noLast
		if level, ok := p.FirstLevel[features[f].Name]; ok {
			d.first[f] = level - 1
		}
		if level, ok := p.LastLevel[features[f].Name]; ok {
			d.last[f] = level - 1
		}
	}
	return d
}

// keep keeps those of the features that a node of a depth may be split on.
func (d *depths) keep(features []int, depth int) []int {
	return slices.DeleteFunc(features, func(f int) bool { return depth < d.first[f] || depth > d.last[f] })
}

// restrict keeps those of the features that a node may be split on by its way and its depth.
func (g *Grower) restrict(features []int, n *node) []int {
	if g.together != nil {
		features = g.together.keep(features, n)
	}
	if g.depths != nil {
		features = g.depths.keep(features, n.depth)
	}
	return features
}
