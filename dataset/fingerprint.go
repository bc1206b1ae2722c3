package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"math/bits"

	"boost/internal/rng"
	"boost/parallel"
)

// Fingerprint returns 32 hex digits that are equal for all forms of one table:
// however it is stored, cut into files or held in memory, and whatever the number
// of threads. It covers the rows in order, the names, roles and values of all
// columns except ids (DESIGN §9).
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
	sums := make([]wideSum, pool.Threads()*8) // 8 apart: a cache line per worker and more
	pool.Do(len(dense)*blocks, parallel.Func(func(worker, index int) {
		lo, hi := parallel.Block(index%blocks, t.rows, block)
		sums[worker*8].add(hashes[index/blocks].sum(lo, hi))
	}))
	pool.Do(len(sparse), parallel.Func(func(worker, index int) {
		h := newCellHash(sparse[index])
		sums[worker*8].add(h.sparseSum())
	}))
	var total wideSum
	for _, s := range sums {
		total.add(s)
	}
	return fingerprintOf(used, t.rows, total)
}

// fingerprintOf hashes the sum over all cells with what else a fingerprint covers.
func fingerprintOf(used []*Column, rows int, total wideSum) string {
	type column struct {
		Name string `json:"name"`
		Role string `json:"role"`
	}
	canonical := struct {
		Columns []column `json:"columns"`
		Rows    int      `json:"rows"`
		Sum     string   `json:"sum"`
	}{Rows: rows, Sum: hex.EncodeToString(total.bytes())}
	for _, c := range used {
		canonical.Columns = append(canonical.Columns, column{c.name, c.role.String()})
	}
	text, err := json.Marshal(canonical)
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:16])
}

// wideSum is a number modulo 2¹²⁸.
type wideSum struct{ hi, lo uint64 }

func (s *wideSum) add(x wideSum) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, x.lo, 0)
	s.hi, _ = bits.Add64(s.hi, x.hi, carry)
}

func (s *wideSum) bytes() []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, s.hi), s.lo)
}

// cellHash mixes the cells of one column.
type cellHash struct {
	column *Column
	first  int       // row of the table that the column begins with
	key    [2]uint64 // from the column's name
	levels []cell
	none   cell // a missing cell
}

// cell is a cell's value, mixed with a column's key.
type cell struct{ lo, hi, more uint64 }

// Missing cells are mixed as a NaN that no number column holds, levels as 128 bits
// of a cryptographic hash of their text.
const missingBits = 0x7FF8_6D69_7373_696E

func newCellHash(c *Column) cellHash {
	h := cellHash{column: c, key: digest("column", c.name)}
	h.none = h.cell(missingBits, 0)
	for _, level := range c.levels {
		text := digest("level", level)
		h.levels = append(h.levels, h.cell(text[0], text[1]))
	}
	return h
}

func digest(domain, text string) [2]uint64 {
	d := sha256.Sum256([]byte(domain + "\x00" + text))
	return [2]uint64{binary.BigEndian.Uint64(d[:]), binary.BigEndian.Uint64(d[8:])}
}

// sum returns the sum of the mixes of rows lo to hi of the column.
func (h *cellHash) sum(lo, hi int) wideSum {
	var total wideSum
	first := h.first + lo
	switch h.column.kind {
	case Float32:
		for i, v := range h.column.Float32s()[lo:hi] {
			h.number(&total, first+i, float64(v))
		}
	case Float64:
		for i, v := range h.column.Float64s()[lo:hi] {
			h.number(&total, first+i, v)
		}
	case Category:
		for i, code := range h.column.Codes()[lo:hi] {
			if code < 0 {
				total.add(h.none.at(first + i))
				continue
			}
			total.add(h.levels[code].at(first + i))
		}
	}
	return total
}

// all returns the sum of the mixes of all rows of the column.
func (h *cellHash) all() wideSum {
	if h.column.sparse != nil {
		return h.sparseSum()
	}
	return h.sum(0, h.column.Len())
}

// sparseSum returns the sum of the mixes of all rows of a sparse column. Where rows
// that are not stored are zeros it looks at the stored cells only.
func (h *cellHash) sparseSum() wideSum {
	var total wideSum
	s, next := h.column.sparse, 0
	for i, row := range s.Rows {
		if s.fillMissing() {
			h.missing(&total, h.first+next, h.first+int(row))
			next = int(row) + 1
		}
		h.number(&total, h.first+int(row), s.Value(i))
	}
	if s.fillMissing() {
		h.missing(&total, h.first+next, h.first+h.column.rows)
	}
	return total
}

// missing adds the mixes of rows lo to hi, none of which has a value.
func (h *cellHash) missing(total *wideSum, lo, hi int) {
	for row := lo; row < hi; row++ {
		total.add(h.none.at(row))
	}
}

func (h *cellHash) number(total *wideSum, row int, v float64) {
	switch {
	case v == 0: // −0 too
	case v != v:
		total.add(h.none.at(row))
	default:
		total.add(h.cell(math.Float64bits(v), 0).at(row))
	}
}

// cell mixes 128 bits.
func (h *cellHash) cell(a, b uint64) cell {
	return cell{lo: rng.Mix(a ^ h.key[0]), hi: rng.Mix(a + h.key[1]), more: b}
}

// at scatters (row, column, cell) over 128 bits: each half takes in every input
// bit through two rounds of a bijective finalizer under a key of its own.
func (c cell) at(row int) wideSum {
	r := uint64(row) * 0x9E3779B97F4A7C15
	lo := rng.Mix(c.lo + r ^ c.more)
	hi := rng.Mix(c.hi ^ bits.RotateLeft64(r, 32) + c.more)
	return wideSum{hi: rng.Mix(hi + bits.RotateLeft64(lo, 17)), lo: lo}
}
