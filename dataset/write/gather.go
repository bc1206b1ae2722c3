package write

import "io"

// gathering puts parts of a table together until they make a group.
type gathering struct {
	out     groupWriter
	size    int // rows of a group
	columns []Column
	rows    int
	written int
}

func newGathering(w io.Writer, format string, columns []Column) (*gathering, error) {
	form, err := groupFormOf(format)
	if err != nil {
		return nil, err
	}
	out, err := form.open(w, columns)
	if err != nil {
		return nil, err
	}
	g := &gathering{out: out, size: form.rows(columns), columns: make([]Column, len(columns))}
	for i := range columns {
		g.columns[i] = columns[i].none()
	}
	return g, nil
}

// none returns the column without its rows.
func (c *Column) none() Column {
	empty := *c
	switch {
	case c.Texts != nil:
		empty.Texts = []string{}
	case c.Codes != nil:
		empty.Codes = []int32{}
	case c.Ints != nil:
		empty.Ints, empty.Stride, empty.At = []int32{}, 1, 0
	default:
		empty.Floats, empty.Stride, empty.At = []float64{}, 1, 0
	}
	return empty
}

// add takes a part's rows and writes the groups that are whole by them.
func (g *gathering) add(table Table) error {
	for lo := 0; lo < table.Rows; {
		n := min(table.Rows-lo, g.size-g.rows)
		for i := range g.columns {
			g.columns[i].append(&table.Columns[i], lo, lo+n)
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
func (c *Column) append(from *Column, lo, hi int) {
	switch {
	case c.Texts != nil:
		c.Texts = append(c.Texts, from.Texts[lo:hi]...)
	case c.Codes != nil:
		c.Codes = append(c.Codes, from.Codes[lo:hi]...)
	case c.Ints != nil:
		for row := lo; row < hi; row++ {
			c.Ints = append(c.Ints, from.int(row))
		}
	default:
		for row := lo; row < hi; row++ {
			c.Floats = append(c.Floats, from.Floats[from.place(row)])
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
		clear(c.Texts) // lets go of the texts
		c.Texts, c.Codes, c.Ints, c.Floats = c.Texts[:0], c.Codes[:0], c.Ints[:0], c.Floats[:0]
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
