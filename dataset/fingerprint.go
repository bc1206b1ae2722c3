package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strconv"

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
	var used, dense, sparse []*Column
	for _, c := range t.columns {
		switch {
		case c.role == IDRole:
			continue
		case c.sparse != nil:
			sparse = append(sparse, c)
		default:
			dense = append(dense, c)
		}
		used = append(used, c)
	}
	hashes := make([]cellHash, len(dense))
	for i, c := range dense {
		hashes[i] = newCellHash(c)
	}
	sums := make([]mix.Sum, pool.Threads()*8) // 8 apart: a cache line per worker and more
	pool.Do(len(dense)*blocks, parallel.Func(func(worker, index int) {
		lo, hi := parallel.Block(index%blocks, t.rows, block)
		sums[worker*8].Add(hashes[index/blocks].sum(lo, hi))
	}))
	pool.Do(len(sparse), parallel.Func(func(worker, index int) {
		h := newCellHash(sparse[index])
		sums[worker*8].Add(h.sparseSum())
	}))
	var total mix.Sum
	for _, s := range sums {
		total.Add(s)
	}
	return fingerprintOf(used, t.rows, total)
}

// fingerprintOf hashes the sum over all cells with what else a fingerprint covers.
func fingerprintOf(used []*Column, rows int, total mix.Sum) string {
	// The text is one JSON object, and is hashed as it is written: of a million columns it is long.
	hash := sha256.New()
	b := []byte(`{"columns":`)
	for i, c := range used {
		name, err := json.Marshal(c.name)
		if err != nil {
			panic(err) // strings always marshal
		}
		b = append(append(b, "[,"[min(i, 1)]), `{"name":`...)
		b = append(append(b, name...), `,"role":"`...)
		b = append(append(b, c.role.String()...), `"}`...)
		hash.Write(b)
		b = b[:0]
	}
	if b = append(b, ']'); len(used) == 0 {
		b = []byte(`{"columns":null`)
	}
	b = strconv.AppendInt(append(b, `,"rows":`...), int64(rows), 10)
	b = append(append(b, `,"sum":"`...), hex.EncodeToString(total.Bytes())...)
	hash.Write(append(b, `"}`...))
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

// cellHash mixes the cells of one column.
type cellHash struct {
	column *Column
	first  int        // row of the table that the column begins with
	key    mix.Key    // from the column's name
	levels []mix.Cell // from 128 bits of a cryptographic hash of their text
	none   mix.Cell   // a missing cell
}

func newCellHash(c *Column) cellHash {
	h := cellHash{column: c, key: digest("column", c.name)}
	h.none = h.key.Missing()
	for _, level := range c.levels {
		text := digest("level", level)
		h.levels = append(h.levels, h.key.Cell(text[0], text[1]))
	}
	return h
}

func digest(domain, text string) [2]uint64 {
	d := sha256.Sum256([]byte(domain + "\x00" + text))
	return [2]uint64{binary.BigEndian.Uint64(d[:]), binary.BigEndian.Uint64(d[8:])}
}

// sum returns the sum of the mixes of rows lo to hi of the column.
func (h *cellHash) sum(lo, hi int) mix.Sum {
	var total mix.Sum
	first := h.first + lo
	switch h.column.kind {
	case Float32:
		return mix.Numbers(h.key, first, h.column.Float32s()[lo:hi])
	case Float64:
		return mix.Numbers(h.key, first, h.column.Float64s()[lo:hi])
	case Category:
		for i, code := range h.column.Codes()[lo:hi] {
			cell := &h.none
			if code >= 0 {
				cell = &h.levels[code]
			}
			total.Add(cell.At(first + i))
		}
	}
	return total
}

// all returns the sum of the mixes of all rows of the column.
func (h *cellHash) all() mix.Sum {
	if h.column.sparse != nil {
		return h.sparseSum()
	}
	return h.sum(0, h.column.Len())
}

// sparseSum returns the sum of the mixes of all rows of a sparse column. Where rows
// that are not stored are zeros it looks at the stored cells only.
func (h *cellHash) sparseSum() mix.Sum {
	var total mix.Sum
	s, next := h.column.sparse, 0
	for i, row := range s.Rows {
		if s.FillMissing() {
			h.missing(&total, h.first+next, h.first+int(row))
			next = int(row) + 1
		}
		total.Add(mix.Number(h.key, h.first+int(row), s.Value(i)))
	}
	if s.FillMissing() {
		h.missing(&total, h.first+next, h.first+h.column.rows)
	}
	return total
}

// missing adds the mixes of rows lo to hi, none of which has a value.
func (h *cellHash) missing(total *mix.Sum, lo, hi int) {
	for row := lo; row < hi; row++ {
		total.Add(h.none.At(row))
	}
}
