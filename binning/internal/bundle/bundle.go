// Package bundle finds features that exclude each other, and can share a column.
//
// In: the rows outside the default bin of each feature. Out: features, bundle by bundle. It must not know codes or layouts.
package bundle

import (
	"cmp"
	"context"
	"slices"
)

const (
	// mostCodes is the most codes of a bundle, so that it fits a byte-wide column.
	mostCodes = 256
	// mostTries is the number of open bundles that a feature is tried with.
	mostTries = 64
	// Share: a feature with at least one row in this many outside its default bin keeps a column of its own;
	// hardly two of them could share one.
	Share = 2
)

// bundler puts features that are mutually exclusive into common columns: each goes
// to the first bundle in which no row, or no more rows than are allowed to, has
// another feature outside its default bin. Features come by the number of such rows, most
// first, then by number, so the result depends on the codes alone.
type bundler struct {
	rows    int
	allowed int // rows of a bundle that may conflict
	bundles []bundle
	open    []int // bundles that a feature may still join, most recent last
}

// bundle is a set of features and the rows in which one of them is outside its default bin.
type bundle struct {
	features  []int
	codes     uint32 // 1 + the codes of its features other than the default bin
	taken     []uint64
	conflicts int
}

// Find returns the columns' features, each ascending, for those that may share one. The lists are, by feature, the rows outside its
// default bin, nil for one that may not. It gives up and
// returns nil as soon as more than limit columns are needed.
func Find(ctx context.Context, rows int, lists [][]int32, nCodes []uint32, conflictRate float64, limit int) ([][]int, error) {
	order := make([]int, 0, len(lists))
	for f, l := range lists {
		if l != nil && Share*len(l) < rows && nCodes[f] <= mostCodes {
			order = append(order, f)
		}
	}
	alone := len(lists) - len(order)
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(len(lists[b]), len(lists[a])), cmp.Compare(a, b))
	})
	b := &bundler{rows: rows, allowed: int(conflictRate * float64(rows))}
	for _, f := range order {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		b.add(f, lists[f], nCodes[f])
		if alone+len(b.bundles) > limit {
			return nil, nil
		}
	}
	found := make([][]int, 0, alone+len(b.bundles))
	grouped := make([]bool, len(lists))
	for i := range b.bundles {
		slices.Sort(b.bundles[i].features)
		found = append(found, b.bundles[i].features)
		for _, f := range b.bundles[i].features {
			grouped[f] = true
		}
	}
	for f := range lists {
		if !grouped[f] {
			found = append(found, []int{f})
		}
	}
	slices.SortFunc(found, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	return found, nil
}

// add puts a feature into the first bundle that takes it, or into a new one.
func (b *bundler) add(f int, rows []int32, nCodes uint32) {
	for k, at := range b.open {
		g := &b.bundles[at]
		if g.codes+nCodes-1 > mostCodes {
			continue
		}
		conflicts, ok := g.conflictsWith(rows, b.allowed-g.conflicts)
		if !ok {
			continue
		}
		g.conflicts += conflicts
		g.take(f, rows, nCodes)
		if g.codes == mostCodes {
			g.taken = nil
			b.open = slices.Delete(b.open, k, k+1)
		}
		return
	}
	g := bundle{codes: 1, taken: make([]uint64, (b.rows+63)/64)}
	g.take(f, rows, nCodes)
	if g.codes == mostCodes {
		g.taken = nil
		b.bundles = append(b.bundles, g)
		return
	}
	b.bundles = append(b.bundles, g)
	if len(b.open) == mostTries { // the fullest is closed: it was opened first
		b.bundles[b.open[0]].taken = nil
		b.open = b.open[1:]
	}
	b.open = append(b.open, len(b.bundles)-1)
}

// conflictsWith counts the rows that are taken already; ok is false if they are more
// than may be.
func (g *bundle) conflictsWith(rows []int32, allowed int) (n int, ok bool) {
	for _, row := range rows {
		if g.taken[row>>6]>>(row&63)&1 == 1 {
			if n++; n > allowed {
				return n, false
			}
		}
	}
	return n, true
}

func (g *bundle) take(f int, rows []int32, nCodes uint32) {
	for _, row := range rows {
		g.taken[row>>6] |= 1 << (row & 63)
	}
	g.features = append(g.features, f)
	g.codes += nCodes - 1
}
