package sample

import (
	"math"
	"slices"
	"sync"

	"boost/dataset/internal/chunk"
	"boost/internal/cpu"
)

// Rows holds the features of the rows that may be chosen, in slots that ascend by
// row. Slots of rows that are out are given up whenever a fourth more are taken than
// rows are chosen: the memory is that of five fourths of the chosen rows.
type Rows struct {
	chooser chunk.RowChooser
	stores  []*store // by target, nil for those that are no features
	byName  map[string]*store
	chunks  chunk.Sequence[*Chunk]

	seen  int        // rows placed
	rows  []uint32   // by slot
	limit int        // slots that are taken before some are given up; there is room for them
	room  int        // slots to make room for at once
	fresh []uint32   // of one chunk
	mutex sync.Mutex // of a pass for some features
}

// New begins to choose rows, or returns nil where none are to be kept.
func New(o *chunk.Options, targets []chunk.Target) *Rows {
	if o.Chooser == nil {
		return nil
	}
	s := &Rows{chooser: o.Chooser(), stores: make([]*store, len(targets)), byName: map[string]*store{},
		limit: o.Chosen + o.Chosen/4, room: o.Chosen + o.Chosen/4}
	s.chunks.Place = s.place
	if s.chunks.Ahead = 2 * o.Threads; s.chunks.Ahead == 0 {
		s.chunks.Ahead = 2 * cpu.Threads()
	}
	for i, t := range targets {
		if t.Role == chunk.Feature {
			s.stores[i] = new(store)
			s.byName[t.Name] = s.stores[i]
		}
	}
	return s
}

// Chunk is a chunk's features before it is known which rows of the table they are.
type Chunk struct {
	rows    int
	share   float64         // as in chunk
	columns []column        // by target
	Owned   []chunk.Buffers // to be given to spare once the chunk is placed
	spare   *chunk.Spare
}

// column holds what a column chunk held. The levels are those that codes refer to: the
// worker's dictionary grows behind them only.
type column struct {
	f32    []float32
	f64    []float64
	codes  []int32
	levels []string
}

// store is a feature's cells by slot: numbers, or texts, or both where a column
// was taken for one and for the other at times; a slot has one of the two then.
type store struct {
	f32   []float32
	f64   []float64
	codes []int32 // into texts, UnknownCode for a number
	texts []string
	index map[string]int32 // of texts
}

// Hold takes note of what the features of a chunk hold, without the rows in bad, which
// ascend.
func (s *Rows) Hold(ch *chunk.Chunk, bad []int32) *Chunk {
	held := &Chunk{rows: ch.Rows - len(bad), share: ch.Share, columns: make([]column, len(s.stores)), spare: ch.Spare}
	for i, store := range s.stores {
		if store == nil {
			continue
		}
		p := &ch.Columns[i]
		held.columns[i] = column{f32: chunk.DropRows(p.F32, bad), f64: chunk.DropRows(p.F64, bad), codes: chunk.DropRows(p.Codes, bad)}
		if p.Codes != nil {
			held.columns[i].levels = p.Dictionary.Levels
		}
	}
	return held
}

// Add places what is held of the chunk of an index, and chunks that waited for it, and lets their buffers be
// used again. It may be called by several goroutines at once.
func (s *Rows) Add(index int, held *Chunk) { s.chunks.Add(index, held.spare != nil, held) }

// place puts the rows of a chunk that may be chosen into slots.
func (s *Rows) place(held *Chunk) {
	defer held.spare.PutAll(held.Owned)
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
func (s *Rows) prune() {
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
func (c *store) place(p *column, rows []uint32, first, taken, room int) {
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
func (c *store) placeNumbers(p *column, rows []uint32, first, room int) {
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
func (c *store) takeNumbers(wide bool, taken, room int) {
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
func (c *store) code(p *column, row int) int32 {
	code := p.codes[row]
	if code < 0 {
		return code
	}
	return c.textCode(p.levels[code])
}

func (c *store) textCode(level string) int32 {
	at, known := c.index[level]
	if !known {
		at = int32(len(c.texts))
		c.texts = append(c.texts, level)
		c.index[level] = at
	}
	return at
}

// Again prepares reading some features once more, as text; firsts are the rows that
// chunks begin with. It returns what takes a chunk of theirs.
func (s *Rows) Again(names []string, firsts []int) func(ch *chunk.Chunk, targets []chunk.Target) {
	s.prune()
	for _, name := range names {
		*s.byName[name] = store{codes: filled(len(s.rows), 0, int32(chunk.UnknownCode)), index: map[string]int32{}}
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
			if store := s.byName[t.Name]; store != nil && t.Role == chunk.Feature && p.Codes != nil {
				held := column{codes: p.Codes, levels: p.Dictionary.Levels}
				for slot := from; slot < end; slot++ {
					store.codes[slot] = store.code(&held, int(s.rows[slot])-first)
				}
			}
		}
	}
}

// Chosen returns the rows that were chosen.
func (s *Rows) Chosen() []uint32 {
	s.prune()
	return s.rows
}

// Column returns the cells of a feature in the chosen rows, as numbers or as levels, and lets go of them. ok is
// false where they cannot be that.
func (s *Rows) Column(t *chunk.Target, numbers bool, o *chunk.Options) (p *chunk.ColumnChunk, ok bool) {
	c := *s.byName[t.Name]
	*s.byName[t.Name] = store{}
	p = chunk.NewColumn()
	if numbers {
		ok := c.textsToNumbers(t, o)
		p.F32, p.F64 = c.f32, c.f64
		return p, ok
	}
	w := p.OwnWords()
	w.Codes, w.Dictionary = c.codes, &chunk.Dictionary{Levels: c.texts}
	for code := range c.texts {
		w.Fresh = append(w.Fresh, int32(code))
	}
	return p, true
}

// textsToNumbers leaves numbers only; ok is false where a text is none.
func (c *store) textsToNumbers(t *chunk.Target, o *chunk.Options) (ok bool) {
	if c.codes == nil {
		return true
	}
	values := make([]float64, len(c.texts))
	for i, text := range c.texts {
		v, _, ok := t.ValueOf(text, o.Decimal)
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
