package metrics

import "boost/parallel"

const (
	mostDigitBits = 11
	// Few rows are sorted by narrow digits: there are more of them, and fewer counts.
	fewRows      = 1 << 13
	fewDigitBits = 8
	digits       = 1 << mostDigitBits
	// Rows of a piece of work of the sort: its counts stay in the second-level cache.
	leastSortBlock = 1 << 14
)

// sort sorts the first n rows by key, and returns them. Equal keys keep their order.
func (b *rankBuffer) sort(n int, pool *parallel.Pool) []ranked {
	width := mostDigitBits
	if n <= fewRows {
		width = fewDigitBits
	}
	size := max(leastSortBlock, parallel.Blocks(n, 4*threadsOf(pool)))
	blocks := parallel.Blocks(n, size)
	if cap(b.at) < blocks {
		b.at = make([][digits]uint32, blocks)
	}
	s := &radixSort{from: b.rows[:n], to: b.spare[:n], size: size, at: b.at[:blocks], mask: 1<<width - 1}
	for s.shift = 0; s.shift < 64; s.shift += width {
		s.scatter = false
		run(pool, len(s.at), s)
		if !s.place() {
			continue
		}
		s.scatter = true
		run(pool, len(s.at), s)
		s.from, s.to = s.to, s.from
	}
	return s.from
}

// radixSort sorts by one digit at a time, the lowest first, each pass stable. A pass
// counts the digits of every block, turns the counts into places, and moves the rows.
type radixSort struct {
	from, to []ranked
	size     int              // rows of a block
	at       [][digits]uint32 // per block and digit: how many, then where the next one goes
	shift    int
	mask     uint64 // of a digit
	scatter  bool
}

func (s *radixSort) Run(_, index int) {
	lo, hi := parallel.Block(index, len(s.from), s.size)
	at, shift, mask := &s.at[index], s.shift, s.mask%digits
	if !s.scatter {
		clear(at[:mask+1])
		for _, row := range s.from[lo:hi] {
			at[row.key>>shift&mask]++
		}
		return
	}
	for _, row := range s.from[lo:hi] {
		d := row.key >> shift & mask
		s.to[at[d]] = row
		at[d]++
	}
}

// place turns counts into places: by digit, within a digit by block. It returns
// false if all rows have the same digit, so that nothing would move.
func (s *radixSort) place() bool {
	next := uint32(0)
	for d := range s.mask + 1 {
		first := next
		for b := range s.at {
			s.at[b][d], next = next, next+s.at[b][d]
		}
		if int(next-first) == len(s.from) {
			return false
		}
	}
	return true
}
