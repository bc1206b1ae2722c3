package libsvm

import (
	"context"
	"math"
	"slices"
	"sync"

	"boost/dataset/internal/chunk"
)

// cellCounts is what is kept of text in place of its cells: what types and missing values follow
// from, by feature, and the rows that may be chosen. Features whose cells are held nevertheless are
// those that are categories or no features.
type cellCounts struct {
	*Reader
	held  map[int32]bool // by index
	rows  []int          // by chunk
	ended bool           // further passes show cells

	mutex   sync.Mutex
	near    []cellCount                     // by index, below usualWidth
	far     map[int32]*cellCount            // others
	sampled chunk.ReorderBuffer[*textChunk] // in the order of the rows
	sample  *rowSample                      // nil where no rows are kept
}

// cellCount is what is known of a feature's stored cells.
type cellCount struct {
	stored, nan int
	wide        bool // a number that float32 does not hold
	unnumbering bool // one that numbers nothing
	infinite    int
	infiniteAt  [2]int32 // chunk and row of the first
	large       [2]int32 // chunk and row, plus 1, of the first one from 2⁵³ on; 0, 0 without one
}

// CountCells makes Columns count the cells of numeric features in place of holding them.
func (s *Reader) CountCells() {
	c := &cellCounts{Reader: s, held: map[int32]bool{}, far: map[int32]*cellCount{}}
	hold := func(names ...string) {
		for _, name := range names {
			if index, ok := FeatureIndex(name); ok {
				c.held[index] = true
			}
		}
	}
	hold(s.Weight, s.Group, s.Event, s.Upper)
	hold(s.Labels...)
	hold(s.InitScores...)
	hold(s.IDs...)
	hold(s.Categorical...)
	if s.Schema != nil {
		for _, column := range s.Schema.Columns {
			if column.Role != chunk.Feature || column.Kind == chunk.Category {
				hold(column.Name)
			}
		}
	}
	if s.Chooser != nil {
		c.sample = &rowSample{chooser: s.Chooser(), limit: s.Chosen + s.Chosen/4}
	}
	s.counts = c
}

// Stored returns how many cells of a feature are stored, and the value of the others.
func (s *Reader) Stored(t chunk.Target) (cells int, fill float64) {
	return s.counts.count(s.indexOf(t)).stored, s.fill()
}

// EndCounting lets go of what was counted, as chunk.CellCounter says.
func (s *Reader) EndCounting(targets []chunk.Target) (chunks []int, chosen []uint32, cells *chunk.SparseRows) {
	c := s.counts
	s.chunks, c.near, c.far, c.sampled.Waiting, c.ended = nil, nil, nil, nil, true
	if c.sample != nil {
		c.sample.prune()
		chosen, cells = c.sample.numbers, &c.sample.SparseRows
		s.toTargets(cells, s.targetsByIndex(targets))
		c.sample = nil
	}
	return c.rows, chosen, cells
}

// targetsByIndex returns by index of a feature the number of its target plus 1, 0 without one.
func (s *Reader) targetsByIndex(targets []chunk.Target) []int32 {
	numbers := make([]int32, s.mostWanted()+1)
	for i, t := range targets {
		numbers[s.indexOf(t)] = int32(i) + 1
	}
	return numbers
}

// toTargets replaces the indices of cells by the targets, −1 for cells that are not stored in them.
func (s *Reader) toTargets(cells *chunk.SparseRows, targets []int32) {
	cells.Fill = s.fill()
	for i, index := range cells.Columns {
		cells.Columns[i] = -1
		if int(index) >= len(targets) || targets[index] == 0 {
			continue
		}
		v, stored := s.cell(cells.Value(i), cells.Fill)
		if !stored {
			continue
		}
		cells.Columns[i] = targets[index] - 1
		if v == v {
			continue
		}
		if cells.F64 != nil {
			cells.F64[i] = v
		} else {
			cells.F32[i] = float32(v)
		}
	}
}

// readCells emits the chunks of the text as rows of stored cells.
func (s *Reader) readCells(ctx context.Context, p *chunk.Pass) error {
	targets := s.targetsByIndex(p.Targets)
	return s.eachChunk(ctx, func(ch *textChunk) bool {
		s.toTargets(&ch.SparseRows, targets)
		p.Send(&chunk.Chunk{Index: ch.index, File: ch.file, Rows: ch.Len(), Cells: &ch.SparseRows, Shape: ch.bad})
		return !p.Stop.Load()
	})
}

// isCounted reports whether a target's cells are counted and not held.
func (s *Reader) isCounted(t chunk.Target) bool {
	return s.counts != nil && t.Role == chunk.Feature && t.Want != chunk.WantCategory && s.isFeature(t)
}

// count returns the counts of the feature of an index. How far indices go is what a
// file claims: only for the usual ones there is a list.
func (s *cellCounts) count(index int32) *cellCount {
	if index >= usualWidth {
		c := s.far[index]
		if c == nil {
			c = new(cellCount)
			s.far[index] = c
		}
		return c
	}
	if int(index) >= len(s.near) {
		s.near = append(s.near, make([]cellCount, int(index)+1-len(s.near))...)
	}
	return &s.near[index]
}

// cell returns a cell as the table has it, and whether it is stored there.
func (s *Reader) cell(v, fill float64) (cell float64, stored bool) {
	if len(s.MissingNumbers) > 0 && slices.Contains(s.MissingNumbers, v) {
		v = math.NaN()
	}
	return v, v != fill && (v == v || fill == fill)
}

// keepCounts takes note of a chunk's cells and leaves those that are held.
func (s *cellCounts) keepCounts(ch *textChunk) {
	cells := *ch // with the slices that ch is about to lose
	s.keepHeld(ch)
	fill := s.fill()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	row := 0
	for i, index := range cells.Columns {
		for int(cells.Ends[row]) <= i {
			row++
		}
		v, stored := s.cell(cells.Value(i), fill)
		if !stored {
			continue
		}
		c := s.count(index)
		c.stored++
		if v != v {
			c.nan++
			continue
		}
		c.wide = c.wide || float64(float32(v)) != v
		c.unnumbering = c.unnumbering || !chunk.IsNumbering(v)
		if at := [2]int32{int32(cells.index), int32(row) + 1}; math.Abs(v) >= chunk.ExactWhole && (c.large[1] == 0 || slices.Compare(at[:], c.large[:]) < 0) {
			c.large = at
		}
		if math.IsInf(v, 0) {
			if at := [2]int32{int32(cells.index), int32(row)}; c.infinite == 0 || slices.Compare(at[:], c.infiniteAt[:]) < 0 {
				c.infiniteAt = at
			}
			c.infinite++
		}
	}
	if s.sample == nil {
		return
	}
	s.sampled.Put(cells.index, &cells)
	for ch, ok := s.sampled.Take(); ok; ch, ok = s.sampled.Take() {
		s.sample.add(ch)
	}
}

// keepHeld leaves the cells that are held.
func (s *cellCounts) keepHeld(ch *textChunk) {
	from := 0
	held := chunk.SparseRows{Ends: make([]int32, 0, len(ch.Ends))}
	for _, end := range ch.Ends {
		for i := from; i < int(end) && len(s.held) > 0; i++ {
			if s.held[ch.Columns[i]] {
				held.Columns, held.F64 = append(held.Columns, ch.Columns[i]), append(held.F64, ch.Value(i))
			}
		}
		from = int(end)
		held.Ends = append(held.Ends, int32(len(held.Columns)))
	}
	ch.Columns, ch.F32, ch.F64, ch.Ends = held.Columns, nil, held.F64, held.Ends
}

// rowSample holds the cells of rows that may be chosen.
type rowSample struct {
	chooser chunk.RowChooser
	limit   int // rows that are held before some are given up
	seen    int
	numbers []uint32
	fresh   []uint32
	chunk.SparseRows
}

// add takes the rows of a chunk that may be chosen.
func (s *rowSample) add(ch *textChunk) {
	first := s.seen
	s.seen += ch.Len()
	s.fresh = s.chooser.Add(first, s.seen, s.fresh[:0])
	if len(s.numbers)+len(s.fresh) > s.limit {
		s.prune()
	}
	for _, row := range s.fresh {
		s.take(ch, int(row)-first)
	}
	s.numbers = append(s.numbers, s.fresh...)
}

// take appends a row.
func (s *rowSample) take(ch *textChunk, row int) {
	from := 0
	if row > 0 {
		from = int(ch.Ends[row-1])
	}
	for i := from; i < int(ch.Ends[row]); i++ {
		s.Columns, s.F64 = append(s.Columns, ch.Columns[i]), append(s.F64, ch.Value(i))
	}
	s.Ends = append(s.Ends, int32(len(s.Columns)))
}

// prune gives up the rows that are out.
func (s *rowSample) prune() {
	chosen := s.chooser.Rows()
	if len(chosen) == len(s.numbers) {
		return
	}
	kept, entries, from, next := 0, 0, 0, 0
	for i, row := range s.numbers {
		end := int(s.Ends[i])
		if next < len(chosen) && chosen[next] == row {
			next++
			entries += copy(s.Columns[entries:], s.Columns[from:end])
			copy(s.F64[entries-(end-from):], s.F64[from:end])
			s.Ends[kept], s.numbers[kept] = int32(entries), row
			kept++
		}
		from = end
	}
	s.numbers, s.Ends, s.Columns, s.F64 = s.numbers[:kept], s.Ends[:kept], s.Columns[:entries], s.F64[:entries]
}

// summary says of a counted feature what inferring its type needs.
func (s *cellCounts) summary(index int32, rows int) chunk.ColumnChunk {
	c := s.count(index)
	missing := c.nan
	if fill := s.fill(); fill != fill {
		missing += rows - c.stored
	}
	p := *chunk.NewColumn()
	p.F32, p.Present, p.Summary = []float32{}, rows-missing, &chunk.Summary{Rows: rows, Wide: c.wide, Infinite: c.infinite, FirstInfinite: int(c.infiniteAt[1])}
	for _, before := range s.rows[:c.infiniteAt[0]] {
		p.Summary.FirstInfinite += before
	}
	if p.Large = c.large[1]; c.unnumbering {
		p.Large = 0
	}
	for _, before := range s.rows[:c.large[0]] {
		if p.Large > 0 {
			p.Large += int32(before)
		}
	}
	return p
}
