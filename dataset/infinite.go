package dataset

import (
	"boost/dataset/internal/build"
	"boost/dataset/internal/missing"
	"boost/dataset/internal/notes"
)

// noteInfinite notes a feature with infinite cells, unless the findings of a profile say so.
func noteInfinite(a *build.Builder, n *notes.Notes, c *Column, t *Table) {
	if a.Part || a.Lenient || c.role != Feature || !c.kind.Numeric() {
		return
	}
	if cells, first := c.infinite(); cells > 0 {
		n.AddInfinite(c.name, cells, t.Place(first))
	}
}

// infinite returns how many cells of a column of numbers are infinite, and the row of the first.
func (c *Column) infinite() (cells, first int) {
	switch s := c.sparse; {
	case s != nil:
		if cells, first = missing.Infinite32(s.F32); cells == 0 {
			cells, first = missing.Infinite64(s.F64)
		}
		if cells > 0 {
			first = int(s.Rows[first])
		}
		return cells, first
	case c.kind == Float32:
		return missing.Infinite32(c.Float32s())
	}
	return missing.Infinite64(c.Float64s())
}

// infinities are the infinite cells of a Stream's features, by name.
type infinities map[string]*infinity

// infinity counts the cells of a feature. The first of them is in the part of that index.
type infinity struct {
	cells, part int
	place       string
}

// add adds a part to what is known of others, which come in any order.
func (all infinities) add(found infinities) {
	for name, f := range found {
		c := all[name]
		if c == nil {
			all[name] = f
			continue
		}
		if c.cells += f.cells; f.part < c.part {
			c.part, c.place = f.part, f.place
		}
	}
}

// infinitiesOf finds those of a part.
func infinitiesOf(t *Table, part int) infinities {
	var found infinities
	for _, c := range t.columns {
		if c.role != Feature || !c.kind.Numeric() {
			continue
		}
		if cells, first := c.infinite(); cells > 0 {
			if found == nil {
				found = make(infinities)
			}
			found[c.name] = &infinity{cells: cells, part: part, place: t.Place(first)}
		}
	}
	return found
}
