package dataset

import "boost/dataset/internal/chunk"

// A column of which no cell is stored takes part in neither column chunks nor type inference, in which
// each column takes a kilobyte. A file of a few lines may have a million of them.

// emptyTarget is a target of which no cell is stored, and how many others stand before it.
type emptyTarget struct {
	name   string
	before int
}

// withoutEmpty takes the features of which no cell is stored out of the targets.
func withoutEmpty(s chunk.Source, targets []chunk.Target) (others []chunk.Target, empty []emptyTarget) {
	columns, is := chunk.Find[chunk.EmptyColumns](s)
	if !is {
		return targets, nil
	}
	isBare := func(t *chunk.Target) bool {
		return t.Role == Feature && (t.Want == chunk.WantAny || t.Want == chunk.WantNumber) && columns.IsEmpty(t.Source)
	}
	n := 0
	for i := range targets {
		if isBare(&targets[i]) {
			n++
		}
	}
	if n == 0 {
		return targets, nil
	}
	empty = make([]emptyTarget, 0, n)
	for i, t := range targets {
		if isBare(&targets[i]) {
			empty = append(empty, emptyTarget{t.Name, len(others)})
		} else {
			others = append(others, t)
		}
	}
	return others, empty
}

// emptyColumns makes the columns of empty targets.
type emptyColumns struct {
	left  []emptyTarget
	rows  int
	of    *Sparse // a column of the table's without cells
	block []Column
}

// add appends the columns that stand before the table's n-th other column.
func (b *emptyColumns) add(columns []*Column, n int) []*Column {
	if b.block == nil && len(b.left) > 0 {
		b.block = make([]Column, len(b.left))
	}
	for len(b.left) > 0 && b.left[0].before <= n {
		c := &b.block[0]
		*c = Column{name: b.left[0].name, kind: Float32, role: Feature, sparse: b.of, rows: b.rows, missing: b.of.Missing(b.rows)}
		columns = append(columns, c)
		b.left, b.block = b.left[1:], b.block[1:]
	}
	return columns
}
