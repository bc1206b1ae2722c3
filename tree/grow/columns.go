package grow

import (
	"cmp"
	"math"
	"slices"

	"boost/internal/rng"
)

// columnSampler draws the features of trees, levels and nodes. A draw depends on the
// seed, what it is for and the feature alone.
type columnSampler struct {
	seed    uint64
	byTree  float64
	byLevel float64
	byNode  float64
	all     []int // features that have more than one code
	kept    []int // of the current tree
	level   []int // scratch of node
	draws   []columnDraw
}

type columnDraw struct {
	draw    uint64
	feature int
}

func (s *columnSampler) init(c Config) {
	s.seed = c.Seed
	s.byTree, s.byLevel, s.byNode = c.Params.ColTree, c.Params.ColLevel, c.Params.ColNode
	for f := range c.Features {
		if c.Features[f].NCodes() > 1 {
			s.all = append(s.all, f)
		}
	}
}

// tree returns the features of one tree, ascending.
func (s *columnSampler) tree(round, output int) []int {
	s.kept = s.sample(s.kept, s.all, s.byTree, rng.Key(s.seed, rng.TreeColumns, uint64(round), uint64(output)), 0)
	return s.kept
}

// node returns the features of one node among those of its tree, ascending, in dst's memory.
func (s *columnSampler) node(of []int, round, output, depth, node int, dst []int) []int {
	dst = s.sample(dst, of, s.byLevel, rng.Key(s.seed, rng.LevelCols, uint64(round), uint64(output)), uint64(depth))
	if s.byNode < 1 {
		s.level = append(s.level[:0], dst...)
		dst = s.sample(dst, s.level, s.byNode, rng.Key(s.seed, rng.NodeColumns, uint64(round), uint64(output)), uint64(node))
	}
	return dst
}

// sample keeps a share of the features: those with the smallest draws, ties by
// feature, at least one.
func (s *columnSampler) sample(dst, of []int, share float64, key, stream uint64) []int {
	dst = append(dst[:0], of...)
	if share >= 1 || len(of) == 0 {
		return dst
	}
	key = rng.Mix(key ^ rng.Mix(stream+1))
	s.draws = s.draws[:0]
	for _, f := range of {
		s.draws = append(s.draws, columnDraw{rng.Draw(key, uint64(f)), f})
	}
	slices.SortFunc(s.draws, func(a, b columnDraw) int {
		return cmp.Or(cmp.Compare(a.draw, b.draw), cmp.Compare(a.feature, b.feature))
	})
	n := max(1, int(math.Round(share*float64(len(of)))))
	dst = dst[:0]
	for _, d := range s.draws[:n] {
		dst = append(dst, d.feature)
	}
	slices.Sort(dst)
	return dst
}
