package profile

import (
	"slices"

	"boost/internal/rng"
)

const maxLevels = 10

// category describes a column of categories.
func (s *profiler) category(c *column, index int, k *scratch) {
	names, codes := c.source.Levels(), c.source.Codes()
	cells := make([]int, len(names))
	for _, code := range codes {
		if code >= 0 {
			cells[code]++
		}
	}
	bits := make([]uint64, len(names))
	mode, frequent := uint64(missingBits), c.out.Missing
	if frequent > 0 {
		c.pattern += rng.Mix(uint64(frequent))
		c.classes++
	}
	present := len(codes) - c.out.Missing
	var levels []int
	for i, n := range cells {
		if n == 0 {
			continue
		}
		bits[i] = textBits(names[i])
		levels = append(levels, i)
		c.pattern += rng.Mix(uint64(n))
		if n > frequent || n == frequent && bits[i] < mode {
			mode, frequent = bits[i], n
		}
	}
	c.out.Distinct = len(levels)
	c.classes += len(levels)
	s.hashCodes(c, index, k, bits, mode)
	if s.target != nil && c.source.Name() != s.target.name {
		c.out.LabelScore = s.target.scoreLevels(codes, cells, k)
	}
	slices.SortStableFunc(levels, func(a, b int) int { return cells[b] - cells[a] })
	c.out.Levels = make([]Level, min(maxLevels, len(levels)))
	for i := range c.out.Levels {
		n := cells[levels[i]]
		c.out.Levels[i] = Level{Name: names[levels[i]], Rows: n, Share: float64(n) / float64(present)}
	}
}

func (s *profiler) hashCodes(c *column, index int, k *scratch, bits []uint64, mode uint64) {
	c.valued = rng.Mix(mode ^ 2) // a level is no number, whatever its bits
	for from, codes := 0, c.source.Codes(); from < len(codes); from += chunkCells {
		n := 0
		for i, code := range codes[from:min(from+chunkCells, len(codes))] {
			b := uint64(missingBits)
			if code >= 0 {
				b = bits[code]
			}
			if b != mode {
				k.chunk.rows[n], k.chunk.bits[n] = int32(from+i), b
				n++
			}
		}
		s.addCells(c, index, k.chunk.rows[:n], k.chunk.bits[:n])
	}
}

// text describes a column that is carried along and not looked into. Its distinct texts
// are counted by 64-bit hashes.
func (s *profiler) text(c *column) {
	hashes := make([]uint64, 0, s.table.NumRows())
	for row := range s.table.NumRows() {
		if text := c.source.Text(row); text != "" {
			hashes = append(hashes, textBits(text))
		}
	}
	c.out.Distinct = len(hashes) - repeated(hashes)
	c.classes = c.out.Distinct
}

// textBits is a 64-bit hash of a text: FNV-1a, scattered.
func textBits(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return rng.Mix(h)
}
