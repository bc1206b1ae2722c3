package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/bits"

	"boost/internal/rng"
	"boost/parallel"
)

// Fingerprint returns 32 hex digits that stand for the table's content: the cells of
// all columns but ids with their names, roles and rows. It is the same for every form
// of one table (compressed or not, in one file or many, float32 or float64 columns) and
// for every pool; −0 counts as 0. Any change of a cell, a name, a role or of the order of
// rows changes it, up to chance: it guards against mistakes, not against forgery.
//
// A cell other than 0 adds mix(row, column name, cell) to a sum modulo 2¹²⁸, so parts of
// a table can be summed on their own; the sum is then hashed with names, roles and the
// number of rows.
func (t *Table) Fingerprint(pool *parallel.Pool) string {
	h := sha256.New()
	fmt.Fprintf(h, "rows %d\n", t.rows)
	var total sum128
	for _, c := range t.columns {
		if c.role == IDRole {
			continue
		}
		fmt.Fprintf(h, "column %q role %d\n", c.name, c.role)
		total.add(c.sum(pool))
	}
	fmt.Fprintf(h, "sum %016x%016x\n", total.hi, total.lo)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// sum128 is a sum modulo 2¹²⁸.
type sum128 struct{ hi, lo uint64 }

func (s *sum128) add(o sum128) {
	lo, carry := bits.Add64(s.lo, o.lo, 0)
	hi, _ := bits.Add64(s.hi, o.hi, carry)
	*s = sum128{hi, lo}
}

// cellMix mixes cells of one column: one key for each half of the sum.
type cellMix struct{ hi, lo uint64 }

const (
	rowStepHi = 0x9E3779B97F4A7C15 // odd, so that rows never share a key
	rowStepLo = 0xD1B54A32D192ED03
)

func textDigest(kind, text string) sum128 {
	d := sha256.Sum256([]byte(kind + text))
	return sum128{binary.LittleEndian.Uint64(d[:8]), binary.LittleEndian.Uint64(d[8:16])}
}

func (m cellMix) of(row int, cell sum128) sum128 {
	return sum128{
		rng.Mix(cell.hi ^ (m.hi + uint64(row)*rowStepHi)),
		rng.Mix(cell.lo + m.lo + uint64(row)*rowStepLo),
	}
}

// sumBlock is the number of rows of one piece of a column's sum.
const sumBlock = 1 << 16

// sum adds up the cells of one column.
func (c *Column) sum(pool *parallel.Pool) sum128 {
	name := textDigest("column ", c.name)
	mix := cellMix(name)
	missing := textDigest("missing", "")
	levels := make([]sum128, len(c.levels))
	for i, level := range c.levels {
		levels[i] = textDigest("level ", level)
	}
	parts := make([]sum128, parallel.Blocks(c.Len(), sumBlock))
	pool.Do(len(parts), parallel.Func(func(_, block int) {
		lo, hi := parallel.Block(block, c.Len(), sumBlock)
		part := &parts[block]
		switch c.kind {
		case Float32:
			for row, v := range c.Float32s()[lo:hi] {
				part.addNumber(mix, lo+row, float64(v), missing)
			}
		case Float64:
			for row, v := range c.Float64s()[lo:hi] {
				part.addNumber(mix, lo+row, v, missing)
			}
		case Category:
			for row, code := range c.Codes()[lo:hi] {
				cell := missing
				if code >= 0 {
					cell = levels[code]
				}
				part.add(mix.of(lo+row, cell))
			}
		}
	}))
	var total sum128
	for _, part := range parts {
		total.add(part)
	}
	return total
}

func (s *sum128) addNumber(mix cellMix, row int, v float64, missing sum128) {
	switch {
	case v == 0:
	case v != v:
		s.add(mix.of(row, missing))
	default:
		b := math.Float64bits(v)
		s.add(mix.of(row, sum128{b, b}))
	}
}
