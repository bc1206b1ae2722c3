// Package colsample draws the features of trees, levels and nodes. A draw depends on the seed, what it is for and the feature alone.
//
// In: shares, weights of features, numbers of round, output and node. Out: features, ascending. It must not know what is split on them.
package colsample

import (
	"math"
	"math/bits"
	"slices"

	"boost/internal/detmath"
	"boost/internal/rng"
)

// Config is what is drawn, and how much of it.
type Config struct {
	Seed                    uint64
	ByTree, ByLevel, ByNode float64   // shares of the features, 0 to 1
	Features                []int     // that there are, ascending
	Always                  []int     // of these, those that every tree has
	Weights                 []float64 // by feature, how likely it is drawn; nil: all alike
}

// Sampler draws features. Copies draw at the same time, if they are made before the first draw.
type Sampler struct {
	Config
	kept  []int // of the current tree
	level []int // scratch of Node
	draws []uint64
	order []uint64 // scratch of nth
	bins  []int32  // the same
}

// Tree returns the features of one tree, ascending.
func (s *Sampler) Tree(round, output int) []int {
	s.kept = s.sample(s.kept, s.Features, s.ByTree, rng.Key(s.Seed, rng.TreeColumns, uint64(round), uint64(output)), 0)
	for _, f := range s.Always {
		if at, kept := slices.BinarySearch(s.kept, f); !kept {
			s.kept = slices.Insert(s.kept, at, f)
		}
	}
	return s.kept
}

// SamplesNodes reports whether a node may go without some features of its tree.
func (s *Sampler) SamplesNodes() bool { return s.ByLevel < 1 || s.ByNode < 1 }

// Node returns the features of one node among those of its tree, ascending, in dst's memory. node is a number of the node's own, that does
// not depend on when it is searched.
func (s *Sampler) Node(of []int, round, output, depth int, node uint64, dst []int) []int {
	dst = s.sample(dst, of, s.ByLevel, rng.Key(s.Seed, rng.LevelCols, uint64(round), uint64(output)), uint64(depth))
	if s.ByNode < 1 {
		s.level = append(s.level[:0], dst...)
		dst = s.sample(dst, s.level, s.ByNode, rng.Key(s.Seed, rng.NodeColumns, uint64(round), uint64(output)), node)
	}
	return dst
}

// sample keeps a share of the features: those with the smallest draws, ties by
// feature, at least one.
func (s *Sampler) sample(dst, of []int, share float64, key, stream uint64) []int {
	dst = append(dst[:0], of...)
	if share >= 1 || len(of) == 0 {
		return dst
	}
	key = rng.Mix(key ^ rng.Mix(stream+1))
	s.draws = s.draws[:0]
	for _, f := range of {
		draw := rng.Draw(key, uint64(f))
		if s.Weights != nil {
			draw = weighted(draw, s.Weights[f])
		}
		s.draws = append(s.draws, draw)
	}
	n := max(1, int(math.Round(share*float64(len(of)))))
	if n >= len(of) {
		return dst
	}
	most := s.nth(s.draws, n-1)
	ties := n // features with the largest draw that are kept
	for _, d := range s.draws {
		if d < most {
			ties--
		}
	}
	dst = dst[:0]
	for i, f := range of {
		if d := s.draws[i]; d < most {
			dst = append(dst, f)
		} else if d == most && ties > 0 {
			dst = append(dst, f)
			ties--
		}
	}
	return dst
}

// weighted turns a draw into one that is small the likelier the more its feature weighs: −ln(u)/weight, of which the smallest
// are a sample without replacement (Efraimidis and Spirakis 2006). Bits of numbers ≥ 0 are in the order of the numbers.
func weighted(draw uint64, weight float64) uint64 {
	u := (float64(draw>>11) + 0.5) * (1.0 / (1 << 53))
	return math.Float64bits(-detmath.Log(u) / weight)
}

// nth returns the k-th smallest number, counted from 0. Those that share their highest
// bits with it are sorted: a few of them where numbers are random.
func (s *Sampler) nth(numbers []uint64, k int) uint64 {
	n := 1 << min(bits.Len(uint(len(numbers))), 11)
	high := 64 - bits.Len(uint(n-1))
	counts := append(s.bins[:0], make([]int32, n)...)
	for _, d := range numbers {
		counts[d>>high]++
	}
	bin := 0
	for k >= int(counts[bin]) {
		k -= int(counts[bin])
		bin++
	}
	order := s.order[:0]
	for _, d := range numbers {
		if d>>high == uint64(bin) {
			order = append(order, d)
		}
	}
	s.order, s.bins = order, counts
	slices.Sort(order)
	return order[k]
}
