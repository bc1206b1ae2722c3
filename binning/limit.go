package binning

import "fmt"

// MemoryError is the error for codes that would take more memory in a layout than they may. It is
// returned before the memory is taken.
type MemoryError struct {
	Layout string
	Need   uint64 // bytes while the layout is made
	Limit  uint64
	Sparse uint64 // bytes of the layout "csr", 0 where that is the layout
}

// Error says what is needed and what there is.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("codes in layout %q need about %s, there are %s", e.Layout, readableBytes(e.Need), readableBytes(e.Limit))
}

// Limit makes Matrix return a MemoryError where a layout would take more than so many
// bytes; 0 = no limit. Columns that are there already do not count.
func (c *Codes) Limit(bytes uint64) { c.limit = bytes }

// room refuses bytes beyond the limit. The copy by rows of the layout "both" is made
// later, of all columns that fit a byte, and counts as well.
func (a *assembler) room(need uint64, layout string) error {
	if a.limit == 0 || need <= a.limit {
		return nil
	}
	e := &MemoryError{Layout: layout, Need: need, Limit: a.limit}
	if layout == LayoutCSR {
		return e
	}
	cells := uint64(0)
	for f := range a.defaultBins {
		cells += uint64(a.defaultBins[f].others)
	}
	e.Sparse = csrBytes(a.rows, a.nFeatures(), cells, a.widest())
	return e
}

// roomForColumns is room for columns of the given features each, and what is made of them.
func (a *assembler) roomForColumns(nCodes []uint32) error {
	if a.limit == 0 {
		return nil
	}
	shape := Shape{Rows: a.rows, NCodes: nCodes}
	if a.params.MissingAs == Mask { // one feature to a column
		shape.Missing = make([]bool, a.nFeatures())
		for f := range shape.Missing {
			shape.Missing[f] = a.feature(f).hasMissing
		}
	}
	p := a.params
	if p.Layout = LayoutCol; a.params.Layout == LayoutBoth {
		p.Layout = LayoutBoth
	}
	need := shape.Bytes(p)
	if a.params.Layout == LayoutRow { // the columns are let go once they are copied
		p.Layout = LayoutRow
		need += shape.Bytes(p)
	}
	return a.room(need, a.params.Layout)
}
