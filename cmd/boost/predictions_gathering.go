package main

import "io"

// gathering puts parts of predictions together until they make a group.
type gathering struct {
	out     groupWriter
	size    int // rows of a group
	columns []outColumn
	rows    int
	written int
}

func newGathering(w io.Writer, format string, columns []outColumn) (*gathering, error) {
	form := groupForms[format]
	out, err := form.open(w, columns)
	if err != nil {
		return nil, err
	}
	g := &gathering{out: out, size: form.rows(columns), columns: make([]outColumn, len(columns))}
	for i := range columns {
		g.columns[i] = columns[i].none()
	}
	return g, nil
}

// none returns the column without its rows.
func (c *outColumn) none() outColumn {
	empty := *c
	switch {
	case c.ids != nil:
		empty.ids = []string{}
	case c.classes != nil:
		empty.classes = []int32{}
	case c.leaves != nil:
		empty.leaves, empty.stride, empty.at = []int32{}, 1, 0
	default:
		empty.values, empty.stride, empty.at = []float64{}, 1, 0
	}
	return empty
}

// add takes a part's rows and writes the groups that are whole by them.
func (g *gathering) add(part outPart) error {
	for lo := 0; lo < part.rows; {
		n := min(part.rows-lo, g.size-g.rows)
		for i := range g.columns {
			g.columns[i].append(&part.columns[i], lo, lo+n)
		}
		lo += n
		if g.rows += n; g.rows == g.size {
			if err := g.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// append appends the rows lo to hi of another column.
func (c *outColumn) append(from *outColumn, lo, hi int) {
	switch {
	case c.ids != nil:
		c.ids = append(c.ids, from.ids[lo:hi]...)
	case c.classes != nil:
		c.classes = append(c.classes, from.classes[lo:hi]...)
	case c.leaves != nil:
		for row := lo; row < hi; row++ {
			c.leaves = append(c.leaves, from.leaf(row))
		}
	default:
		for row := lo; row < hi; row++ {
			c.values = append(c.values, from.values[row*from.stride+from.at])
		}
	}
}

// flush writes the rows that are there.
func (g *gathering) flush() error {
	if g.rows == 0 {
		return nil
	}
	if err := g.out.group(g.columns, 0, g.rows); err != nil {
		return err
	}
	g.written += g.rows
	g.rows = 0
	for i := range g.columns {
		c := &g.columns[i]
		clear(c.ids) // lets go of the texts
		c.ids, c.classes, c.leaves, c.values = c.ids[:0], c.classes[:0], c.leaves[:0], c.values[:0]
	}
	return nil
}

// close writes the rest and the end of the file.
func (g *gathering) close() error {
	if err := g.flush(); err != nil {
		return err
	}
	return g.out.close()
}
