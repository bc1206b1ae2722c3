package rowsample

import (
	"cmp"
	"slices"

	"boost/internal/rng"
)

// Sample chooses the rows that cuts are taken from while a table passes by in
// pieces: of all rows it has seen, those with the smallest hash(seed, row), among
// equal hashes the lower rows (docs/architecture.md, Numerics 7). It depends on which rows were seen and
// on nothing else: neither their order, nor how they were cut into pieces, nor who
// saw which. It holds at most twice as many rows as it chooses.
//
// A Sample is for one goroutine; several are united with Merge.
type Sample struct {
	key   uint64
	size  int
	seen  int
	draws []draw // the chosen so far, with others that are not thrown out yet
	worst draw   // once size rows were seen: no draw above it is chosen
	full  bool
}

// New starts the choice of size rows, at least 1, under a seed.
func New(size int, seed uint64) *Sample {
	return &Sample{key: rng.Key(seed, rng.CutSample, 0, 0), size: max(size, 1)}
}

// Add shows the sample the rows lo … hi, each of which it must see once. It appends
// to candidates those that no row seen so far keeps from being chosen.
func (s *Sample) Add(lo, hi int, candidates []uint32) []uint32 {
	s.seen += hi - lo
	for row := lo; row < hi; row++ {
		d := draw{rng.Draw(s.key, uint64(row)), uint32(row)}
		if s.add(d) {
			candidates = append(candidates, d.row)
		}
	}
	return candidates
}

func (s *Sample) add(d draw) bool {
	if s.full && s.worst.before(d) {
		return false
	}
	if len(s.draws) >= 2*s.size {
		s.shrink()
	}
	s.draws = append(s.draws, d)
	return true
}

// shrink throws out the rows that are not chosen.
func (s *Sample) shrink() {
	if len(s.draws) < s.size {
		return
	}
	s.draws = smallest(s.draws, s.size)
	s.worst, s.full = s.draws[s.size-1], true
}

// Merge adds what another sample of the same size and seed has seen: other rows.
func (s *Sample) Merge(other *Sample) {
	s.seen += other.seen
	for _, d := range other.draws {
		s.add(d)
	}
}

// Seen returns the number of rows that the sample was shown.
func (s *Sample) Seen() int { return s.seen }

// Rows returns the chosen rows in ascending order: all rows seen, where these are no
// more than are to be chosen.
func (s *Sample) Rows() []uint32 {
	s.shrink()
	rows := make([]uint32, len(s.draws))
	for i, d := range s.draws {
		rows[i] = d.row
	}
	slices.Sort(rows)
	return rows
}

// compareDraws orders draws by hash, equal ones by row.
func compareDraws(a, b draw) int {
	return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.row, b.row))
}
