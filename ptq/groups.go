package ptq

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// Groups says which values share a scale: consecutive ranges of the values, each of a
// group. A nil *Groups is one group of all values. Immutable; safe for concurrent use.
type Groups struct {
	ends  []int   // of the ranges, ascending; the last is the number of values
	of    []int32 // the group of each range; nil: its own
	order []int32 // the ranges by group, with of
	first []int32 // where a group's ranges begin in order, with of; one more than groups
}

// NewGroups returns the groups of ranges of values: range i goes from the end of the one
// before to ends[i] and is of group of[i]; without of, each range is a group of its own.
// A model's trees are given by the ends of their leaves; its outputs by the same ends and
// of[i] = i modulo outputs. ErrGroups if ends do not rise from above 0, of has another
// length, or the numbers in it are not 0 … G−1, each at least once.
func NewGroups(ends, of []int) (*Groups, error) {
	before := 0
	for i, end := range ends {
		if end <= before {
			return nil, ErrGroups{fmt.Sprintf("groups: range %d ends at %d, the one before at %d: ends have to rise from above 0", i, end, before)}
		}
		before = end
	}
	if len(ends) > math.MaxInt32 {
		return nil, ErrGroups{fmt.Sprintf("groups: %d ranges: at most %d are possible", len(ends), math.MaxInt32)}
	}
	g := &Groups{ends: slices.Clone(ends)}
	if of == nil {
		return g, nil
	}
	if len(of) != len(ends) {
		return nil, ErrGroups{fmt.Sprintf("groups: %d ranges with %d numbers of groups: expected one for each", len(ends), len(of))}
	}
	return g, g.sort(of)
}

// NewBlocks returns groups of at most size values: each range of NewGroups' ends is cut
// into as few runs as that takes, each of size values but the last.
func NewBlocks(ends []int, size int) (*Groups, error) {
	if size < 1 {
		return nil, ErrGroups{fmt.Sprintf("groups: blocks of %d values: expected 1 or more", size)}
	}
	if _, err := NewGroups(ends, nil); err != nil {
		return nil, err
	}
	var cut []int
	from := 0
	for _, end := range ends {
		for ; end-from > size; from += size {
			cut = append(cut, from+size)
		}
		cut = append(cut, end)
		from = end
	}
	return NewGroups(cut, nil)
}

// sort notes the ranges of each group, in order.
func (g *Groups) sort(of []int) error {
	g.of = make([]int32, len(of))
	count := 0
	for i, group := range of {
		if group < 0 || group >= len(of) {
			return ErrGroups{fmt.Sprintf("groups: range %d is of group %d: of %d ranges, groups are numbered from 0 to at most %d", i, group, len(of), len(of)-1)}
		}
		g.of[i] = int32(group)
		count = max(count, group+1)
	}
	g.first = make([]int32, count+1)
	for _, group := range g.of {
		g.first[group+1]++
	}
	for group := range count {
		if g.first[group+1] == 0 {
			return ErrGroups{fmt.Sprintf("groups: group %d has no range: number the groups without gaps", group)}
		}
		g.first[group+1] += g.first[group]
	}
	g.order = make([]int32, len(of))
	next := slices.Clone(g.first)
	for i, group := range g.of {
		g.order[next[group]] = int32(i)
		next[group]++
	}
	return nil
}

// Count is the number of groups.
func (g *Groups) Count() int {
	switch {
	case g == nil:
		return 1
	case g.of != nil:
		return len(g.first) - 1
	}
	return len(g.ends)
}

// Values is the number of values that the ranges divide, −1 for nil, which divides any.
func (g *Groups) Values() int {
	switch {
	case g == nil:
		return -1
	case len(g.ends) == 0:
		return 0
	}
	return g.ends[len(g.ends)-1]
}

// Ends returns the end of each range. It must not be changed; nil for nil.
func (g *Groups) Ends() []int {
	if g == nil {
		return nil
	}
	return g.ends
}

// Of returns the group of a range.
func (g *Groups) Of(span int) int {
	if g == nil || g.of == nil {
		return span
	}
	return int(g.of[span])
}

// at returns the range that a value lies in.
func (g *Groups) at(value int) int {
	if g == nil {
		return 0
	}
	return sort.Search(len(g.ends), func(i int) bool { return g.ends[i] > value })
}

// end returns where a range ends, of n values.
func (g *Groups) end(span, n int) int {
	if g == nil {
		return n
	}
	return g.ends[span]
}

// spans returns the number of ranges.
func (g *Groups) spans() int {
	if g == nil {
		return 1
	}
	return len(g.ends)
}

// gather returns the values of a group: a part of values, or a copy in scratch, which has
// their capacity, where the group has several ranges.
func (g *Groups) gather(scratch, values []float64, group int) []float64 {
	switch {
	case g == nil:
		return values
	case g.of == nil:
		return values[g.start(group):g.ends[group]]
	}
	scratch = scratch[:0]
	for _, span := range g.order[g.first[group]:g.first[group+1]] {
		scratch = append(scratch, values[g.start(int(span)):g.ends[span]]...)
	}
	return scratch
}

func (g *Groups) start(span int) int {
	if span == 0 {
		return 0
	}
	return g.ends[span-1]
}

func (g *Groups) equal(o *Groups) bool {
	if g == o {
		return true
	}
	return g != nil && o != nil && slices.Equal(g.ends, o.ends) && slices.Equal(g.of, o.of)
}

// check reports whether the ranges divide n values.
func (g *Groups) check(n int) error {
	if g != nil && g.Values() != n {
		return ErrGroups{fmt.Sprintf("groups: their ranges end at %d, but there are %d values", g.Values(), n)}
	}
	return nil
}

// Weights says how much each value counts when a scale is chosen, as the training rows of
// a leaf. A nil *Weights counts each value once. Immutable; safe for concurrent use.
type Weights struct{ of []float64 }

// heaviest keeps sums of weights and of weighted squares finite.
const heaviest = 1e100

// NewWeights returns weights, one for each value, from 0 to 1e100. Only their ratios count;
// where those of all values that share a scale are 0, each value counts once. ErrGroups
// names one that is outside.
func NewWeights(of []float64) (*Weights, error) {
	for i, w := range of {
		if !(w >= 0 && w <= heaviest) {
			return nil, ErrGroups{fmt.Sprintf("weights: weight %d is %v: expected 0 to %v", i, w, heaviest)}
		}
	}
	return &Weights{slices.Clone(of)}, nil
}

func (w *Weights) equal(o *Weights) bool {
	return w == o || w != nil && o != nil && slices.Equal(w.of, o.of)
}
