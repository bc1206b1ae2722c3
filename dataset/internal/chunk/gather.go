package chunk

import (
	"math"

	"boost/internal/cpu"
)

// gatherer puts the column chunks of chunks side by side as the chunks come in, so that in the
// end a column is one slice already and no second copy of the table is made. Chunks of
// Text give their own buffers back to the workers.
type gatherer struct {
	sizes  Sizes
	chunks Sequence[*Chunk]
	stores []store // by target
	rows   int     // placed so far
	total  int     // rows expected in all, 0 where nothing is known about it
}

// store is a column in the making. Pieces become parts of its slices, in which there is
// room for the rows that are expected; memory that is not written to costs nothing. Where
// the room runs out, further column chunks go to a new slice, and join makes one of them.
type store struct {
	f32            []float32
	f64            []float64
	codes          []int32
	levels         *levelSet // what codes index
	text           []byte
	offsets        []int32
	float32Columns []*ColumnChunk // those whose numbers are in f32
}

func NewGatherer(o *Options) *gatherer {
	threads := o.Threads
	if threads == 0 {
		threads = cpu.Threads()
	}
	g := &gatherer{sizes: o.Sizes}
	g.chunks.Ahead, g.chunks.Place = threads, g.place
	return g
}

// Add places the chunk and those that waited for it. It may be called by several
// goroutines at once. Chunks of text have buffers to be used again, and wait for their turn.
func (g *gatherer) Add(ch *Chunk) { g.chunks.Add(ch.Index, ch.Spare != nil, ch) }

// ShareOf returns which part of all inputs one of them is, judged by their sizes; 0
// where those are unknown.
func ShareOf(inputs []Input, index int) float64 {
	if len(inputs) == 1 {
		return 1
	}
	all := int64(0)
	for _, in := range inputs {
		if in.Size == 0 {
			return 0
		}
		all += in.Size
	}
	return float64(inputs[index].Size) / float64(all)
}

func (g *gatherer) place(ch *Chunk) {
	if ch.Share == 1 { // there is no other chunk
		return
	}
	if g.total == 0 && ch.Share > 0 {
		// A tenth more than the first chunk promises, and room for another like it.
		g.total = int(1.1*float64(ch.Rows)/ch.Share) + ch.Rows
	}
	if g.stores == nil {
		g.stores = make([]store, len(ch.Columns))
		if g.total > 0 {
			g.reserve(ch)
		}
	}
	room := max(g.total-g.rows, g.rows/2)
	for i := range ch.Columns {
		g.stores[i].place(&ch.Columns[i], room, ch.Spare)
	}
	g.rows += ch.Rows
}

// place copies a column chunk behind those before it and gives its own buffer to spare, which
// may be nil.
func (s *store) place(p *ColumnChunk, room int, spare *Spare) {
	switch {
	case p.F32 != nil && s.f64 == nil:
		own := p.F32
		s.f32, p.F32 = appendPart(s.f32, own, room)
		s.float32Columns = append(s.float32Columns, p)
		spare.put(own, nil, nil, nil)
	case p.F32 != nil:
		own := p.F32
		s.f64, p.F64 = appendPart(s.f64, Widened(own), room)
		p.F32 = nil
		spare.put(own, nil, nil, nil)
	case p.F64 != nil:
		own := p.F64
		s.widen(room)
		s.f64, p.F64 = appendPart(s.f64, own, room)
		spare.put(nil, own, nil, nil)
	case p.Codes != nil:
		own := p.Codes
		s.codes, p.Codes = appendRoom(s.codes, len(own), room)
		if s.levels == nil {
			s.levels = new(levelSet)
		}
		s.levels.add(p)
		p.Dictionary.translate(p.Codes, own)
		p.Dictionary, p.Levels, p.joined = nil, nil, s.levels
		spare.put(nil, nil, own, nil)
	case p.Offsets != nil:
		text, offsets := p.Text, p.Offsets
		s.placeText(p, room)
		spare.put(nil, nil, offsets, text)
	}
}

// appendPart appends part to whole, or to a new slice with room for more where whole has
// none left, and returns the place of the part too.
func appendPart[T any](whole, part []T, room int) (appended, placed []T) {
	whole, placed = appendRoom(whole, len(part), room)
	copy(placed, part)
	return whole, placed
}

// appendRoom is appendPart for a part of n elements that are yet to be written.
func appendRoom[T any](whole []T, n, room int) (appended, placed []T) {
	if cap(whole)-len(whole) < n {
		whole = make([]T, 0, max(room, n))
	}
	at := len(whole)
	whole = whole[:at+n]
	return whole, whole[at:]
}

// widen moves the numbers so far to float64.
func (s *store) widen(room int) {
	for _, p := range s.float32Columns {
		s.f64, p.F64 = appendPart(s.f64, Widened(p.F32), room+len(s.f32))
		p.F32 = nil
	}
	s.f32, s.float32Columns = nil, nil
}

func Widened(f32 []float32) []float64 {
	f64 := make([]float64, len(f32))
	for i, v := range f32 {
		f64[i] = float64(v)
	}
	return f64
}

// placeText is place for texts: their bytes, and offsets that go on counting.
func (s *store) placeText(p *ColumnChunk, room int) {
	rows := len(p.Offsets) - 1
	full := cap(s.offsets)-len(s.offsets) < rows || cap(s.text)-len(s.text) < len(p.Text)
	if s.offsets == nil || full || len(s.text)+len(p.Text) > math.MaxInt32 {
		s.offsets = make([]int32, 1, 1+max(room, rows))
		bytes := float64(len(p.Text)) / float64(max(rows, 1)) * 1.1 * float64(room)
		s.text = make([]byte, 0, max(min(int(bytes), math.MaxInt32), len(p.Text)))
	}
	at, base := len(s.offsets)-1, len(s.text)
	for _, offset := range p.Offsets[1:] {
		s.offsets = append(s.offsets, int32(base)+offset)
	}
	s.text = append(s.text, p.Text...)
	p.Text, p.Offsets = s.text[base:], s.offsets[at:]
}

// SideBySide returns the one slice that all parts lie in, one behind the other, or nil
// where they do not. The parts together have n elements.
func SideBySide[T any](columns []*ColumnChunk, n int, part func(*ColumnChunk) []T) []T {
	if len(columns) == 0 || cap(part(columns[0])) < n || n == 0 {
		return nil
	}
	whole, at := part(columns[0])[:n], 0
	for _, p := range columns {
		own := part(p)
		if at+len(own) > n || len(own) > 0 && &own[0] != &whole[at] {
			return nil
		}
		at += len(own)
	}
	if at != n {
		return nil
	}
	return whole
}
