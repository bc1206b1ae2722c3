package binning

import (
	"cmp"
	"slices"
)

// PackedGroup is what one code of a row-major copy stands for: the code of one feature group, or the codes
// of several groups of few codes, as one number:
//
//	code of Members[0] + NBins of Members[0] × (code of Members[1] + NBins of Members[1] × …)
//
// A pass over rows adds to one sum instead of one for each member. A member's sums are sums of the packed
// group's. Integers make that exact.
type PackedGroup struct {
	Members []int  // stored columns
	NBins   uint32 // the product of their numbers of codes
}

const (
	// maxPackedCodes is the most codes of a packed group of several columns, so that it fits a byte.
	maxPackedCodes = 256
	// rowsPerPackedCode is how many rows of the table a code of a packed group has to serve, so
	// that taking its sums apart costs little beside adding them up.
	rowsPerPackedCode = 32
)

// CopiedGroups returns the feature groups with 2 … 256 codes and a feature from lo on before hi, if they are to be kept by rows too. Those
// of few codes share a packed group, unless sums are of floats, which must not depend on it (docs/architecture.md, Numerics 1).
func CopiedGroups(m *Matrix, layout string, ofFloats bool, lo, hi int) []PackedGroup {
	if m.Layout() != LayoutCol || m.Masked() || layout == LayoutCol {
		return nil
	}
	var groups []int
	for i, group := range m.FeatureGroups() {
		if group.NBins > 1 && group.NBins <= 256 && slices.ContainsFunc(group.Features, func(f int) bool { return lo <= f && f < hi }) {
			groups = append(groups, i)
		}
	}
	if ofFloats {
		return SingleGroups(m, groups)
	}
	return PackGroups(m, groups)
}

// PackGroups puts the listed feature groups, ascending and of at least two codes each, into packed groups, and
// these in the order of their first columns: columns come by their number of codes, most
// first, then by number, and go to the first packed group that has room for their codes.
func PackGroups(m *Matrix, groups []int) []PackedGroup {
	limit := min(maxPackedCodes, m.rows/rowsPerPackedCode)
	if limit < 2*2 { // no two of them have room
		return SingleGroups(m, groups)
	}
	order := slices.Clone(groups)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(m.groups[b].NBins, m.groups[a].NBins) })
	var packed []PackedGroup
	open := 0 // the packed groups before have no room for two codes more
	for _, u := range order {
		n := m.groups[u].NBins
		at := open
		for at < len(packed) && int(packed[at].NBins)*int(n) > limit {
			at++
		}
		if at == len(packed) {
			packed = append(packed, PackedGroup{NBins: 1})
		}
		j := &packed[at]
		j.Members, j.NBins = append(j.Members, u), j.NBins*n
		for open < len(packed) && 2*int(packed[open].NBins) > limit {
			open++
		}
	}
	for _, j := range packed {
		slices.Sort(j.Members)
	}
	slices.SortFunc(packed, func(a, b PackedGroup) int { return cmp.Compare(a.Members[0], b.Members[0]) })
	return packed
}

// SingleGroups makes a packed group of each of the listed stored columns.
func SingleGroups(m *Matrix, groups []int) []PackedGroup {
	packed := make([]PackedGroup, len(groups))
	for i, u := range groups {
		packed[i] = PackedGroup{Members: groups[i : i+1 : i+1], NBins: m.groups[u].NBins}
	}
	return packed
}

// packedBytes writes the packed group's codes of rows lo … lo+len(dst)-1; other is as long.
func (m *Matrix) packedBytes(j *PackedGroup, dst, other []uint8, lo int) {
	last := len(j.Members) - 1
	m.GroupColumn(j.Members[last]).bytes(dst, lo)
	for i := last - 1; i >= 0; i-- {
		u := j.Members[i]
		m.GroupColumn(u).bytes(other, lo)
		n := uint8(m.groups[u].NBins)
		for row, code := range dst {
			dst[row] = code*n + other[row]
		}
	}
}
