package binning

import (
	"slices"

	"boost/internal/kernel/bin"
)

// Take returns the codes of the given rows, which ascend. If these are all rows, the memory is shared.
func (c *Codes) Take(rows []int32) *Codes {
	if len(rows) == c.rows {
		all := *c
		return &all
	}
	if c.plain != nil {
		return &Codes{rows: len(rows), plain: c.plain.take(rows), missing: c.missing, limit: c.limit, keep: c.keep}
	}
	taken := &Codes{rows: len(rows), features: make([]coded, len(c.features)), limit: c.limit, keep: c.keep}
	for f := range c.features {
		from, to := &c.features[f], &taken.features[f]
		to.nCodes, to.hasMissing = from.nCodes, from.hasMissing
		if from.list != nil {
			to.list = from.list.take(rows, from.nCodes)
			continue
		}
		all := newColumn(WidthOf(from.nCodes), len(rows))
		all.take(c.column(f), rows)
		to.all = &all
	}
	return taken
}

// take is Take for a matrix of plain columns.
func (m *Matrix) take(rows []int32) *Matrix {
	taken := &Matrix{rows: len(rows), offsets: m.offsets, locations: m.locations, groups: slices.Clone(m.groups)}
	taken.data = alignedBytes(taken.place())
	for u := range taken.groups {
		column := taken.GroupColumn(u)
		column.take(m.GroupColumn(u), rows)
	}
	return taken
}

// take fills a column of zeros with the codes of some rows of another.
func (c *Column) take(from Column, rows []int32) {
	switch {
	case from.Bits == U4 && c.Bits == U4:
		for i, row := range rows {
			c.u4[i/2] |= byte(from.At(int(row))) << (4 * (i & 1))
		}
	case from.Bits == U8 && c.Bits == U8:
		takeCodes(c.u8, from.u8, rows)
	case from.Bits == U16 && c.Bits == U16:
		takeCodes(c.u16, from.u16, rows)
	default:
		for i, row := range rows {
			c.put(i, from.At(int(row)))
		}
	}
}

func takeCodes[C bin.Code](to, from []C, rows []int32) {
	to = to[:len(rows)]
	for i, row := range rows {
		to[i] = from[row]
	}
}

// take returns the cells of some rows.
func (l *list) take(rows []int32, nCodes uint32) *list {
	taken := &list{defaultBin: l.defaultBin}
	var codes []uint32
	for at, i := 0, 0; i < len(rows) && at < len(l.rows); {
		switch {
		case l.rows[at] < rows[i]:
			at++
		case l.rows[at] > rows[i]:
			i++
		default:
			taken.rows, codes = append(taken.rows, int32(i)), append(codes, l.codes.At(at))
			at++
			i++
		}
	}
	taken.codes = newColumn(WidthOf(nCodes), len(codes))
	for i, code := range codes {
		taken.codes.put(i, code)
	}
	return taken
}
