// Package allowed says which features a node of a tree may be split on, by what its way has been split on and by its depth.
//
// In: names of features, and what parameters say of them. Out: lists of features. It must not know sums, rows or gains.
package allowed

import (
	"math"
	"slices"
)

// Together says which features may be split on one path: those that a group has in common. A node has a bit for each of the groups
// that hold all that its way splits on.
type Together struct {
	words  int
	groups []uint64 // by feature, so many words: bits of the groups that it is in
}

// NewTogether returns what lists of names say of the features with these names, nil where there are no lists. Features that are in none are one
// more group. Those that are made of others (of, by feature; nil where none is) are in the groups that hold all of these, besides those
// that name them: in none where no group does, and then no node is split on them.
func NewTogether(lists [][]string, names []string, of [][]string) *Together {
	if len(lists) == 0 {
		return nil
	}
	t := &Together{words: (len(lists) + 1 + 63) / 64}
	t.groups = make([]uint64, t.words*len(names))
	for f, name := range names {
		if parts := partsOf(of, f); len(parts) > 0 {
			shared := t.Root(nil)
			for _, part := range parts {
				for w, its := range t.named(lists, part) {
					shared[w] &= its
				}
			}
			copy(t.of(f), shared)
			for g, list := range lists {
				if slices.Contains(list, name) {
					t.of(f)[g/64] |= 1 << (g % 64)
				}
			}
			continue
		}
		copy(t.of(f), t.named(lists, name))
	}
	return t
}

func partsOf(of [][]string, f int) []string {
	if of == nil {
		return nil
	}
	return of[f]
}

// named returns the bits of the groups that name a feature, or that of the features in none.
func (t *Together) named(lists [][]string, name string) []uint64 {
	groups, in := make([]uint64, t.words), false
	for g, list := range lists {
		if slices.Contains(list, name) {
			groups[g/64] |= 1 << (g % 64)
			in = true
		}
	}
	if !in {
		groups[len(lists)/64] |= 1 << (len(lists) % 64)
	}
	return groups
}

// Root appends the groups of a node whose way splits on nothing.
func (t *Together) Root(to []uint64) []uint64 {
	for range t.words {
		to = append(to, math.MaxUint64)
	}
	return to
}

// Below appends the groups of a child of a node with groups that is split on a feature.
func (t *Together) Below(to, groups []uint64, feature int) []uint64 {
	for w, its := range t.of(feature) {
		to = append(to, groups[w]&its)
	}
	return to
}

// Keep keeps those of the features that a node with groups may be split on.
func (t *Together) Keep(features []int, groups []uint64) []int {
	return slices.DeleteFunc(features, func(f int) bool {
		for w, its := range t.of(f) {
			if its&groups[w] != 0 {
				return false
			}
		}
		return true
	})
}

func (t *Together) of(f int) []uint64 { return t.groups[f*t.words : (f+1)*t.words] }

// Depths say at which depths features may be split on.
type Depths struct {
	first, last []int // by feature
}

// NewDepths returns nil where features may be split on at all depths. first and last are levels from 1, by name.
func NewDepths(first, last map[string]int, copies *Copies) *Depths {
	if len(first) == 0 && len(last) == 0 {
		return nil
	}
	d := &Depths{first: ByFeature(copies, first, 1), last: ByFeature(copies, last, math.MaxInt)}
	for f := range d.first {
		d.first[f]--
		d.last[f]--
	}
	return d
}

// Keep keeps those of the features that a node of a depth may be split on. The root's is 0.
func (d *Depths) Keep(features []int, depth int) []int {
	return slices.DeleteFunc(features, func(f int) bool { return depth < d.first[f] || depth > d.last[f] })
}
