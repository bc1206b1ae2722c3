package binning

import (
	"sync"

	"boost/dataset"
)

// chunkedLists makes the codes of a table with sparse columns that comes in chunks: a
// sparse feature is the list of its rows off the code of what is not stored, which grows
// by chunks in the order of their rows; other features have a code for every row.
type chunkedLists struct {
	features []coded
	fill     float64

	mutex   sync.Mutex
	next    int                     // row with which the next chunk begins
	waiting map[int]*chunkedListsOf // by first row: those that came before their turn
}

// chunkedListsOf holds the lists of a chunk, nil for features that have codes for every row.
type chunkedListsOf struct {
	rows  int
	lists []*list
}

// newChunkedLists prepares lists of about as many rows as cells are stored.
func newChunkedLists(c *Cuts, pop Population, nCodes []uint32, missing []bool) *chunkedLists {
	b := &chunkedLists{features: make([]coded, len(nCodes)), fill: pop.Fill, waiting: map[int]*chunkedListsOf{}}
	for f := range b.features {
		b.features[f] = coded{nCodes: nCodes[f], hasMissing: missing[f]}
		if pop.Stored[f] < 0 || 2*pop.Stored[f] > pop.Rows { // all codes take less than a list
			all := newColumn(WidthOf(nCodes[f]), pop.Rows)
			b.features[f].all = &all
			continue
		}
		b.features[f].list = &list{defaultBin: c.codeOfFill(f, pop.Fill), rows: make([]int32, 0, pop.Stored[f]),
			codes: emptyColumn(WidthOf(nCodes[f]), pop.Stored[f])}
	}
	return b
}

// codeOfFill returns the code of a feature's rows that are not stored.
func (c *Cuts) codeOfFill(f int, fill float64) uint32 {
	e := encoding{kind: c.Features[f].Kind, missing: c.Features[f].MissingCode(), sparse: &dataset.Sparse{Fill: fill}}
	e.takeCuts(c, f, 0)
	return e.fillCode()
}

// emptyColumn returns a column of no rows with room for n.
func emptyColumn(bits Width, n int) Column {
	c := newColumn(bits, n)
	c.N, c.u8, c.u16, c.u32 = 0, c.u8[:0], c.u16[:0], c.u32[:0]
	return c
}

// add codes a chunk, whose features e prepares.
func (b *chunkedLists) add(first int, t *dataset.Table, e func(f int) (encoding, error)) error {
	chunk := &chunkedListsOf{rows: t.NumRows(), lists: make([]*list, len(b.features))}
	for f := range b.features {
		encoding, err := e(f)
		if err != nil {
			return err
		}
		feature := &b.features[f]
		if feature.list != nil {
			chunk.lists[f] = b.listOf(&encoding, feature, t.NumRows())
			continue
		}
		encoding.writeRows(feature.all.Part(first, first+chunk.rows), 0, chunk.rows)
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.waiting[first] = chunk
	for chunk := b.waiting[b.next]; chunk != nil; chunk = b.waiting[b.next] {
		delete(b.waiting, b.next)
		for f, l := range chunk.lists {
			if l != nil {
				b.features[f].list.grow(l, b.next)
			}
		}
		b.next += chunk.rows
	}
	return nil
}

// listOf codes a chunk's column, which is sparse, or dense if the chunk has few rows.
func (b *chunkedLists) listOf(e *encoding, feature *coded, rows int) *list {
	if e.sparse != nil {
		return e.list(e.sparse, feature.nCodes)
	}
	codes := make([]uint32, rows)
	encodeValues(e, 0, rows, codes)
	l := &list{defaultBin: feature.list.defaultBin, codes: newColumn(WidthOf(feature.nCodes), rows)}
	for row, code := range codes {
		if code != l.defaultBin {
			l.codes.put(len(l.rows), code)
			l.rows = append(l.rows, int32(row))
		}
	}
	return l
}

// grow appends a list of rows that are counted from first.
func (l *list) grow(more *list, first int) {
	n := len(more.rows)
	for _, row := range more.rows {
		l.rows = append(l.rows, int32(first)+row)
	}
	l.codes.N += n
	switch l.codes.Bits {
	case U8:
		l.codes.u8 = append(l.codes.u8, more.codes.u8[:n]...)
	case U16:
		l.codes.u16 = append(l.codes.u16, more.codes.u16[:n]...)
	default:
		l.codes.u32 = append(l.codes.u32, more.codes.u32[:n]...)
	}
}
