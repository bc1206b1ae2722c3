package dataset

import (
	"math"
	"slices"
	"sync"

	"boost/dataset/internal/chunk"
	"boost/internal/cpu"
)

// KeepRows makes a ChunkedTable hold the features of the rows, size of them at most, that a
// chooser chooses, which spares a pass over the files for them; see ChunkedTable.Kept. A chooser
// is made for each pass that begins anew. Tables that are read whole leave it aside.
func KeepRows(size int, chooser func() RowChooser) Option {
	return func(o *chunk.Options) { o.Chooser, o.Chosen = chooser, size }
}

// rowSample holds the features of the rows that may be chosen, in slots that ascend by
// row. Slots of rows that are out are given up whenever a fourth more are taken than
// rows are chosen: the memory is that of five fourths of the chosen rows.
type rowSample struct {
	chooser RowChooser
	stores  []*sampleStore // by target, nil for those that are no features
	byName  map[string]*sampleStore

	mutex  sync.Mutex
	placed sync.Cond                          // a chunk was
	ahead  int                                // chunks that a worker may be ahead of the next to place
	chunks chunk.ReorderBuffer[*sampledChunk] // to place
	seen   int                                // rows placed
	rows   []uint32                           // by slot
	limit  int                                // slots that are taken before some are given up; there is room for them
	room   int                                // slots to make room for at once
	fresh  []uint32                           // of one chunk
}

// sampledChunk is a chunk's features before it is known which rows of the table they are.
type sampledChunk struct {
	rows    int
	share   float64         // as in chunk
	columns []sampledColumn // by target
	owned   []chunk.Buffers // to be given to spare once the chunk is placed
	spare   *chunk.Spare
}

// sampledColumn holds what a column chunk held. The levels are those that codes refer to: the
// worker's dictionary grows behind them only.
type sampledColumn struct {
	f32    []float32
	f64    []float64
	codes  []int32
	levels []string
}

// sampleStore is a feature's cells by slot: numbers, or texts, or both where a column
// was taken for one and for the other at times; a slot has one of the two then.
type sampleStore struct {
	f32   []float32
	f64   []float64
	codes []int32 // into texts, unknownCode for a number
	texts []string
	index map[string]int32 // of texts
}

// newSample begins to choose rows, or returns nil where none are to be kept.
func newSample(o *chunk.Options, targets []chunk.Target) *rowSample {
	if o.Chooser == nil {
		return nil
	}
	s := &rowSample{chooser: o.Chooser(), stores: make([]*sampleStore, len(targets)), byName: map[string]*sampleStore{},
		limit: o.Chosen + o.Chosen/4, room: o.Chosen + o.Chosen/4}
	s.placed.L = &s.mutex
	if s.ahead = 2 * o.Threads; s.ahead == 0 {
		s.ahead = 2 * cpu.Threads()
	}
	for i, t := range targets {
		if t.Role == Feature {
			s.stores[i] = new(sampleStore)
			s.byName[t.Name] = s.stores[i]
		}
	}
	return s
}

// hold takes note of what the features of a chunk hold, without the rows in bad, which
// ascend.
func (s *rowSample) hold(ch *chunk.Chunk, bad []int32) *sampledChunk {
	held := &sampledChunk{rows: ch.Rows - len(bad), share: ch.Share, columns: make([]sampledColumn, len(s.stores)), spare: ch.Spare}
	for i, store := range s.stores {
		if store == nil {
			continue
		}
		p := &ch.Columns[i]
		held.columns[i] = sampledColumn{f32: chunk.DropRows(p.F32, bad), f64: chunk.DropRows(p.F64, bad), codes: chunk.DropRows(p.Codes, bad)}
		if p.Codes != nil {
			held.columns[i].levels = p.Dictionary.Levels
		}
	}
	return held
}

// add places a chunk and those that waited for it. It may be called by several
// goroutines at once.
func (s *rowSample) add(index int, held *sampledChunk) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	// A worker that is far ahead waits, else one that the system leaves aside would let the
	// others fill the memory. Every chunk of text comes, and is dealt out before those
	// behind it, so that the worker of the next one is never among those who wait; a chunk
	// of a columnar file may not come, and has no buffers to be used again.
	for held.spare != nil && index > s.chunks.Next+s.ahead {
		s.placed.Wait()
	}
	s.chunks.Put(index, held)
	defer s.placed.Broadcast()
	for held, ok := s.chunks.Take(); ok; held, ok = s.chunks.Take() {
		s.place(held)
		held.spare.PutAll(held.owned)
	}
}

// place puts the rows of a chunk that may be chosen into slots.
func (s *rowSample) place(held *sampledChunk) {
	first := s.seen
	s.seen += held.rows
	s.fresh = s.chooser.Add(first, s.seen, s.fresh[:0])
	if len(s.fresh) == 0 {
		return
	}
	if first == 0 && held.share > 0 {
		// A tenth more than the first chunk promises: a small table needs no room for all.
		s.room = min(s.limit, int(1.1*float64(held.rows)/held.share)+held.rows)
	}
	if len(s.rows)+len(s.fresh) > s.limit {
		s.prune()
	}
	if len(s.rows)+len(s.fresh) > s.room {
		s.room = s.limit
	}
	for i, store := range s.stores {
		if store != nil {
			store.place(&held.columns[i], s.fresh, first, len(s.rows), s.room)
		}
	}
	s.rows = append(s.rows, s.fresh...)
}

// prune gives up the slots whose rows are out.
func (s *rowSample) prune() {
	chosen := s.chooser.Rows()
	if len(chosen) == len(s.rows) {
		return
	}
	slots, next := make([]int32, 0, len(chosen)), 0
	for slot, row := range s.rows {
		if next < len(chosen) && chosen[next] == row {
			slots = append(slots, int32(slot))
			next++
		}
	}
	for _, store := range s.stores {
		if store != nil {
			store.f32, store.f64, store.codes = onlySlots(store.f32, slots), onlySlots(store.f64, slots), onlySlots(store.codes, slots)
		}
	}
	s.rows = onlySlots(s.rows, slots)
}

// onlySlots moves the values of some slots, which ascend, to the front.
func onlySlots[T any](values []T, slots []int32) []T {
	if values == nil {
		return nil
	}
	for i, slot := range slots {
		values[i] = values[slot]
	}
	return values[:len(slots)]
}

// place appends the cells of some rows; so many slots are taken, of so many for which
// there is to be room.
func (c *sampleStore) place(p *sampledColumn, rows []uint32, first, taken, room int) {
	if p.f64 != nil && c.f32 != nil {
		c.f64 = append(make([]float64, 0, max(room, taken+len(rows))), chunk.Widened(c.f32)...)
		c.f32 = nil
	}
	if p.codes != nil && c.codes == nil {
		c.codes, c.index = filled(taken, room, int32(chunk.UnknownCode)), map[string]int32{}
	}
	if p.codes == nil && c.f32 == nil && c.f64 == nil {
		c.takeNumbers(p.f64 != nil, taken, room)
	}
	if c.codes != nil {
		c.codes = roomFor(c.codes, len(rows), room)
		for _, row := range rows {
			code := int32(chunk.UnknownCode)
			if p.codes != nil {
				code = c.code(p, int(row)-first)
			}
			c.codes = append(c.codes, code)
		}
	}
	c.placeNumbers(p, rows, first, room)
}

// placeNumbers appends numbers, NaN where the column chunk holds texts.
func (c *sampleStore) placeNumbers(p *sampledColumn, rows []uint32, first, room int) {
	switch {
	case c.f32 != nil:
		c.f32 = roomFor(c.f32, len(rows), room)
		for _, row := range rows {
			v := float32(math.NaN())
			if p.f32 != nil {
				v = p.f32[int(row)-first]
			}
			c.f32 = append(c.f32, v)
		}
	case c.f64 != nil:
		c.f64 = roomFor(c.f64, len(rows), room)
		for _, row := range rows {
			v := math.NaN()
			if p.f64 != nil {
				v = p.f64[int(row)-first]
			} else if p.f32 != nil {
				v = float64(p.f32[int(row)-first])
			}
			c.f64 = append(c.f64, v)
		}
	}
}

// takeNumbers begins to hold numbers behind slots that hold texts.
func (c *sampleStore) takeNumbers(wide bool, taken, room int) {
	if wide {
		c.f64 = filled(taken, room, math.NaN())
	} else {
		c.f32 = filled(taken, room, float32(math.NaN()))
	}
}

// filled returns n equal values with room for more.
func filled[T any](n, room int, v T) []T {
	values := make([]T, n, max(n, room))
	for i := range values {
		values[i] = v
	}
	return values
}

// roomFor returns values with room for n more, and for room in all at once: memory that
// is not written to costs nothing.
func roomFor[T any](values []T, n, room int) []T {
	if len(values)+n <= cap(values) {
		return values
	}
	return append(make([]T, 0, max(len(values)+n, room)), values...)
}

// code returns the place of a cell's level among the texts.
func (c *sampleStore) code(p *sampledColumn, row int) int32 {
	code := p.codes[row]
	if code < 0 {
		return code
	}
	return c.textCode(p.levels[code])
}

func (c *sampleStore) textCode(level string) int32 {
	at, known := c.index[level]
	if !known {
		at = int32(len(c.texts))
		c.texts = append(c.texts, level)
		c.index[level] = at
	}
	return at
}

// again prepares reading some features once more, as text; firsts are the rows that
// chunks begin with. It returns what takes a chunk of theirs.
func (s *rowSample) again(columns []*columnBuilder, firsts []int) func(ch *chunk.Chunk, targets []chunk.Target) {
	s.prune()
	for _, column := range columns {
		if store := s.byName[column.Name]; store != nil && column.Role == Feature {
			*store = sampleStore{codes: filled(len(s.rows), 0, int32(chunk.UnknownCode)), index: map[string]int32{}}
		}
	}
	return func(ch *chunk.Chunk, targets []chunk.Target) {
		if ch.Index+1 >= len(firsts) {
			return // the file has grown, which the caller finds out
		}
		first := firsts[ch.Index]
		from, _ := slices.BinarySearch(s.rows, uint32(first))
		end, _ := slices.BinarySearch(s.rows, uint32(first+ch.Rows))
		s.mutex.Lock()
		defer s.mutex.Unlock()
		for i, t := range targets {
			p := &ch.Columns[i]
			if store := s.byName[t.Name]; store != nil && t.Role == Feature && p.Codes != nil {
				held := sampledColumn{codes: p.Codes, levels: p.Dictionary.Levels}
				for slot := from; slot < end; slot++ {
					store.codes[slot] = store.code(&held, int(s.rows[slot])-first)
				}
			}
		}
	}
}

// table makes the table of the chosen rows, nil where they are not what the columns
// say; only the features among the columns are in it.
func (s *rowSample) table(columns []*chunkedFeature, o *chunk.Options) *Table {
	s.prune()
	t := &Table{rows: len(s.rows), index: new(nameIndex)}
	for _, c := range columns {
		column := c.sampled(s.byName[c.Name], o)
		if column == nil || column.Len() != len(s.rows) {
			return nil
		}
		*s.byName[c.Name] = sampleStore{}
		t.columns = append(t.columns, column)
	}
	return t
}

// sampled makes the column of a store's cells, nil where they are none of its kind.
func (c *chunkedFeature) sampled(store *sampleStore, o *chunk.Options) *Column {
	if c.kind == Category {
		for slot, code := range store.codes {
			if code >= 0 {
				at, known := c.index[store.texts[code]]
				if !known {
					return nil
				}
				store.codes[slot] = at
			} else if code != chunk.MissingCode {
				return nil
			}
		}
		return categoryColumn(c.Name, c.Role, store.codes, c.levels, c.numericLevels)
	}
	if !store.textsToNumbers(o) {
		return nil
	}
	column, err := c.numbers(&chunk.ColumnChunk{F32: store.f32, F64: store.f64}, nil)
	if err != nil {
		return nil
	}
	return column
}

// textsToNumbers leaves numbers only; ok is false where a text is none.
func (c *sampleStore) textsToNumbers(o *chunk.Options) (ok bool) {
	if c.codes == nil {
		return true
	}
	values := make([]float64, len(c.texts))
	for i, text := range c.texts {
		v, _, ok := chunk.ParseValue([]byte(text), o.Decimal)
		if !ok {
			return false
		}
		if values[i] = v; slices.Contains(o.MissingNumbers, v) {
			values[i] = math.NaN()
		}
	}
	switch {
	case c.f32 != nil:
		c.f64, c.f32 = chunk.Widened(c.f32), nil
	case c.f64 == nil:
		c.takeNumbers(true, len(c.codes), 0)
	}
	for slot, code := range c.codes {
		switch {
		case code >= 0:
			c.f64[slot] = values[code]
		case code == chunk.BrokenCode:
			return false
		}
	}
	return true
}
