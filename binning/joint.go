package binning

import (
	"cmp"
	"slices"
)

// Joint is what one code of a row-major copy stands for: the code of a stored column, or
// those of several columns with few codes each, as one number:
//
//	code of Units[0] + NBins of Units[0] × (code of Units[1] + NBins of Units[1] × …)
//
// A pass over rows adds to one sum where it would add to one per column, and each column's
// sums are sums of the joint's. Integers make that exact.
type Joint struct {
	Units []int  // stored columns
	NBins uint32 // the product of their numbers of codes
}

const (
	// jointCodes is the most codes of a joint of several columns, so that it fits a byte.
	jointCodes = 256
	// rowsPerJointCode is how many rows of the table a code of a joint has to serve, so
	// that taking its sums apart costs little beside adding them up.
	rowsPerJointCode = 32
)

// Joints puts the listed stored columns, of at least two codes each, into joints, and
// these in the order of their first columns: columns come by their number of codes, most
// first, then by number, and go to the first joint that has room for their codes.
func Joints(m *Matrix, units []int) []Joint {
	limit := min(jointCodes, m.rows/rowsPerJointCode)
	order := slices.Clone(units)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(m.units[b].NBins, m.units[a].NBins) })
	var joints []Joint
	open := 0 // the joints before have no room for two codes more
	for _, u := range order {
		n := m.units[u].NBins
		at := open
		for at < len(joints) && int(joints[at].NBins)*int(n) > limit {
			at++
		}
		if at == len(joints) {
			joints = append(joints, Joint{NBins: 1})
		}
		j := &joints[at]
		j.Units, j.NBins = append(j.Units, u), j.NBins*n
		for open < len(joints) && 2*int(joints[open].NBins) > limit {
			open++
		}
	}
	for _, j := range joints {
		slices.Sort(j.Units)
	}
	slices.SortFunc(joints, func(a, b Joint) int { return cmp.Compare(a.Units[0], b.Units[0]) })
	return joints
}

// Singles makes a joint of each of the listed stored columns.
func Singles(m *Matrix, units []int) []Joint {
	joints := make([]Joint, len(units))
	for i, u := range units {
		joints[i] = Joint{Units: units[i : i+1 : i+1], NBins: m.units[u].NBins}
	}
	return joints
}

// jointBytes writes the joint's codes of rows lo … lo+len(dst)-1; other is as long.
func (m *Matrix) jointBytes(j *Joint, dst, other []uint8, lo int) {
	last := len(j.Units) - 1
	m.UnitColumn(j.Units[last]).bytes(dst, lo)
	for i := last - 1; i >= 0; i-- {
		u := j.Units[i]
		m.UnitColumn(u).bytes(other, lo)
		n := uint8(m.units[u].NBins)
		for row, code := range dst {
			dst[row] = code*n + other[row]
		}
	}
}
