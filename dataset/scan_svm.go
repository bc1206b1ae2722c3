package dataset

import (
	"context"
	"math"
	"slices"
	"sync"

	"boost/dataset/internal/chunk"
)

// svmScan is what a Scan keeps of LibSVM text in place of its cells: what types and
// missing values follow from, by feature, and the rows that may be chosen. Features whose
// cells are held while types are settled are those that are categories or no features.
type svmScan struct {
	*svmSource
	held map[int32]bool // by index
	rows []int          // by chunk

	mutex   sync.Mutex
	near    []svmCount             // by index, below usualWidth
	far     map[int32]*svmCount    // others
	sampled chunk.Turns[*svmChunk] // in the order of the rows
	sample  *svmSample             // nil where no rows are kept
	slots   []int32                // by index: the feature's number plus 1, 0 for those that are left out
}

// svmCount is what is known of a feature's stored cells.
type svmCount struct {
	stored, nan int
	wide        bool     // a number that float32 does not hold
	unnumbering bool     // one that numbers nothing
	large       [2]int32 // chunk and row, plus 1, of the first one from 2⁵³ on; 0, 0 without one
}

// svmSample holds the cells of rows that may be chosen, one row after another.
type svmSample struct {
	chooser RowChooser
	limit   int // rows that are held before some are given up
	seen    int
	numbers []uint32
	fresh   []uint32
	svmChunk
}

// newSVMScan makes a source keep counts instead of cells.
func newSVMScan(s *svmSource) *svmScan {
	scan := &svmScan{svmSource: s, held: map[int32]bool{}, far: map[int32]*svmCount{}}
	hold := func(names ...string) {
		for _, name := range names {
			if index, ok := svmIndexOf(name); ok {
				scan.held[index] = true
			}
		}
	}
	hold(s.Label, s.Weight, s.Group)
	hold(s.InitScores...)
	hold(s.IDs...)
	hold(s.Categorical...)
	if s.Schema != nil {
		for _, c := range s.Schema.Columns {
			if c.Role != Feature || c.Kind == Category {
				hold(c.Name)
			}
		}
	}
	if s.Chooser != nil {
		scan.sample = &svmSample{chooser: s.Chooser(), limit: s.Chosen + s.Chosen/4}
	}
	s.scanned = scan
	return scan
}

// isCounted reports whether a target's cells are counted and not held.
func (s *svmScan) isCounted(t chunk.Target) bool {
	return t.Role == Feature && t.Want != chunk.WantCategory && t.Source >= len(s.names)-len(s.indices)
}

// count returns the counts of the feature of an index. How far indices go is what a
// file claims: only for the usual ones there is a list.
func (s *svmScan) count(index int32) *svmCount {
	if index >= usualWidth {
		c := s.far[index]
		if c == nil {
			c = new(svmCount)
			s.far[index] = c
		}
		return c
	}
	if int(index) >= len(s.near) {
		s.near = append(s.near, make([]svmCount, int(index)+1-len(s.near))...)
	}
	return &s.near[index]
}

// cell returns a cell as the table has it, and whether it is stored there.
func (s *svmScan) cell(v, fill float64) (cell float64, stored bool) {
	if len(s.MissingNumbers) > 0 && slices.Contains(s.MissingNumbers, v) {
		v = math.NaN()
	}
	return v, v != fill && (v == v || fill == fill)
}

// thin takes note of a chunk's cells and leaves those that are held.
func (s *svmScan) thin(ch *svmChunk) {
	cells := *ch
	s.keepHeld(ch)
	fill := s.fill()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	row := 0
	for i, index := range cells.features {
		for int(cells.ends[row]) <= i {
			row++
		}
		v, stored := s.cell(cells.value(i), fill)
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
		if at := [2]int32{int32(cells.index), int32(row) + 1}; math.Abs(v) >= exactWhole && (c.large[1] == 0 || slices.Compare(at[:], c.large[:]) < 0) {
			c.large = at
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
func (s *svmScan) keepHeld(ch *svmChunk) {
	from := 0
	held := svmChunk{ends: make([]int32, 0, len(ch.ends))}
	for _, end := range ch.ends {
		for i := from; i < int(end) && len(s.held) > 0; i++ {
			if s.held[ch.features[i]] {
				held.features, held.f64 = append(held.features, ch.features[i]), append(held.f64, ch.value(i))
			}
		}
		from = int(end)
		held.ends = append(held.ends, int32(len(held.features)))
	}
	ch.features, ch.f32, ch.f64, ch.ends = held.features, nil, held.f64, held.ends
}

// add takes the rows of a chunk that may be chosen.
func (s *svmSample) add(ch *svmChunk) {
	first := s.seen
	s.seen += ch.rows()
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
func (s *svmSample) take(ch *svmChunk, row int) {
	from := 0
	if row > 0 {
		from = int(ch.ends[row-1])
	}
	for i := from; i < int(ch.ends[row]); i++ {
		s.features, s.f64 = append(s.features, ch.features[i]), append(s.f64, ch.value(i))
	}
	s.ends = append(s.ends, int32(len(s.features)))
}

// prune gives up the rows that are out.
func (s *svmSample) prune() {
	chosen := s.chooser.Rows()
	if len(chosen) == len(s.numbers) {
		return
	}
	kept, entries, from, next := 0, 0, 0, 0
	for i, row := range s.numbers {
		end := int(s.ends[i])
		if next < len(chosen) && chosen[next] == row {
			next++
			entries += copy(s.features[entries:], s.features[from:end])
			copy(s.f64[entries-(end-from):], s.f64[from:end])
			s.ends[kept], s.numbers[kept] = int32(entries), row
			kept++
		}
		from = end
	}
	s.numbers, s.ends, s.features, s.f64 = s.numbers[:kept], s.ends[:kept], s.features[:entries], s.f64[:entries]
}

// begin notes the rows of the chunks, once all are parsed.
func (s *svmScan) begin() {
	for _, ch := range s.chunks {
		s.rows = append(s.rows, ch.rows())
	}
}

// piece says of a counted feature what settling it needs.
func (s *svmScan) piece(index int32, rows int) chunk.Piece {
	c := s.count(index)
	missing := c.nan
	if fill := s.fill(); fill != fill {
		missing += rows - c.stored
	}
	p := chunk.Piece{F32: []float32{}, Present: rows - missing, Summary: &chunk.Summary{Rows: rows, Wide: c.wide}}
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

// settle notes what is known of the features once they are, and makes the table of the
// rows that are kept.
func (s *svmScan) settle(scan *Scan) error {
	first := 0
	scan.chunks = nil
	for _, rows := range s.rows {
		scan.chunks = append(scan.chunks, scanChunk{rows: rows, first: first})
		first += rows
	}
	others := len(s.names) - len(s.indices)
	s.slots = make([]int32, s.mostWanted()+1)
	for f, c := range scan.features {
		index := s.indices[c.Source-others]
		s.slots[index] = int32(f) + 1
		if c.kind == Category {
			continue
		}
		width := 4
		if c.kind == Float64 {
			width = 8
		}
		if c.cells = s.count(index).stored; c.cells*(4+width) < first*width {
			c.sparse = true
		}
	}
	s.chunks, s.near, s.far, s.sampled.Waiting = nil, nil, nil, nil
	if s.sample == nil {
		return nil
	}
	s.sample.prune()
	var err error
	scan.keptRows = s.sample.numbers
	scan.kept, err = s.table(&s.sample.svmChunk, scan)
	s.sample = nil
	return err
}

// table makes the table of a chunk's features.
func (s *svmScan) table(ch *svmChunk, scan *Scan) (*Table, error) {
	fill, n := s.fill(), ch.rows()
	ends := make([]int32, len(scan.features)+1) // where a feature's cells are put next
	for i, index := range ch.features {
		if slot := s.slot(index); slot > 0 {
			if _, stored := s.cell(ch.value(i), fill); stored {
				ends[slot]++
			}
		}
	}
	for f := range scan.features {
		ends[f+1] += ends[f]
	}
	rows, values := make([]int32, ends[len(ends)-1]), make([]float64, ends[len(ends)-1])
	from := 0
	for row, end := range ch.ends {
		for i := from; i < int(end); i++ {
			if slot := s.slot(ch.features[i]); slot > 0 {
				if v, stored := s.cell(ch.value(i), fill); stored {
					at := ends[slot-1]
					rows[at], values[at] = int32(row), v
					ends[slot-1]++
				}
			}
		}
		from = int(end)
	}
	t := &Table{rows: n, index: new(nameIndex), columns: make([]*Column, len(scan.features))}
	begin := int32(0)
	for f, c := range scan.features {
		cells := &Sparse{Rows: rows[begin:ends[f]], F64: values[begin:ends[f]], Fill: fill}
		begin = ends[f]
		column, err := s.column(c, cells, n, scan)
		if err != nil {
			return nil, err
		}
		t.columns[f] = column
	}
	return t, nil
}

// slot returns the number of the feature of an index plus 1, 0 for one that is left out.
func (s *svmScan) slot(index int32) int32 {
	if int(index) >= len(s.slots) {
		return 0
	}
	return s.slots[index]
}

// column makes a feature's column of n rows.
func (s *svmScan) column(c *scanColumn, cells *Sparse, n int, scan *Scan) (*Column, error) {
	if c.kind == Category {
		b := &memoryColumn{Options: s.Options, Target: c.Target, rows: n}
		p, _, err := b.floats(chunk.Expand(cells.Rows, cells.F64, cells.Fill, n))
		if err != nil {
			return nil, err
		}
		return c.column(p, nil, scan)
	}
	if c.kind == Float32 {
		narrow := make([]float32, len(cells.F64))
		for i, v := range cells.F64 {
			narrow[i] = float32(v)
			if float64(narrow[i]) != v && v == v {
				return nil, scan.changed()
			}
		}
		cells.F32, cells.F64 = narrow, nil
	}
	column := &Column{name: c.Name, kind: c.kind, role: c.Role, sparse: cells, rows: n, missing: cells.Missing(n)}
	if !c.sparse {
		return column.dense(), nil
	}
	return column, nil
}

// each reads the text again and shows every chunk; f is called by several goroutines.
func (s *svmScan) each(ctx context.Context, f func(ch *svmChunk) error) error {
	var mutex sync.Mutex
	var failed error
	err := s.parts(ctx, func(ch *svmChunk) bool {
		err := f(ch)
		mutex.Lock()
		defer mutex.Unlock()
		if failed == nil {
			failed = err
		}
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	return err
}
