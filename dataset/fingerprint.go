package dataset

import (
	"boost/dataset/internal/fingerprint"
	"boost/internal/kernel/mix"
	"boost/parallel"
)

// Fingerprint returns 32 hex digits that are equal for all forms of one table:
// however it is stored, cut into files or held in memory, and whatever the number
// of threads. It covers the rows in order, the names, roles and values of all
// columns except ids (docs/architecture.md).
//
// The core is the sum modulo 2¹²⁸ of one mix per (row, column, cell), so that
// sums over parts of a table add up to the table's; zeros add nothing. The sum is
// then hashed with names, roles and the number of rows.
func (t *Table) Fingerprint(pool *parallel.Pool) string {
	const block = 1 << 14
	blocks := parallel.Blocks(t.rows, block)
	hash := fingerprint.NewTable()
	var dense, sparse []*Column
	for _, c := range t.columns {
		switch {
		case c.role == IDRole || t.Crossed(c) != nil: // of which the others tell all
			continue
		case c.sparse != nil && c.sparse.Len() == 0 && !c.sparse.FillMissing(): // zeros add nothing
		case c.sparse != nil:
			sparse = append(sparse, c)
		default:
			dense = append(dense, c)
		}
		hash.Add(c.name, c.role)
	}
	var hashes []*fingerprint.Column // of short columns nil: each is needed once, and takes more than the cells
	if blocks > 1 {
		for _, c := range dense {
			hashes = append(hashes, fingerprint.NewColumn(c.name, c.Levels()))
		}
	}
	sums := make([]mix.Sum, pool.Threads()*8) // 8 apart: a cache line per worker and more
	pool.Do(len(dense)*blocks, parallel.Func(func(worker, index int) {
		lo, hi := parallel.Block(index%blocks, t.rows, block)
		c := dense[index/blocks]
		if hashes == nil {
			sums[worker*8].Add(c.mixed(fingerprint.NewColumn(c.name, c.Levels()), 0, lo, hi))
		} else {
			sums[worker*8].Add(c.mixed(hashes[index/blocks], 0, lo, hi))
		}
	}))
	pool.Do(len(sparse), parallel.Func(func(worker, index int) {
		c := sparse[index]
		sums[worker*8].Add(c.mixed(fingerprint.NewColumn(c.name, nil), 0, 0, c.rows))
	}))
	var total mix.Sum
	for _, s := range sums {
		total.Add(s)
	}
	return hash.Digits(t.rows, total)
}

// mixed returns the sum of the mixes of the column's rows lo to hi, which stand in the table from row first+lo on. A
// sparse column is mixed whole.
func (c *Column) mixed(h *fingerprint.Column, first, lo, hi int) mix.Sum {
	switch {
	case c.sparse != nil:
		return h.Sparse(first, c.rows, c.sparse)
	case c.kind == Float32:
		return h.Float32s(first+lo, c.Float32s()[lo:hi])
	case c.kind == Float64:
		return h.Float64s(first+lo, c.Float64s()[lo:hi])
	case c.kind == Category:
		return h.Codes(first+lo, c.Codes()[lo:hi])
	}
	return mix.Sum{}
}
