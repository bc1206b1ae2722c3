package chunk

import (
	"unsafe"

	"boost/internal/cpu"
)

// reserve makes room for the columns of which ch is the first chunk. A page is touched for
// the first time at the cost of reading some 500 cells, and two threads that touch pages
// wait for each other, so that columns are put into large ones: those of a small table side
// by side in one block of memory.
func (g *gatherer) reserve(ch *Chunk) {
	rows := g.total
	all := 0
	for i := range ch.Columns {
		all += ch.Columns[i].words(rows)
	}
	expected := int(float64(ch.Rows) / ch.Share)
	if 8*all <= g.sizes.MostShared {
		shared := make([]float64, all)
		cpu.LargePages(bytesOf(shared))
		for i := range ch.Columns {
			shared = g.stores[i].take(&ch.Columns[i], shared, rows)
		}
		return
	}
	for i := range ch.Columns {
		size := ch.Columns[i].cellBytes()
		if size*expected < g.sizes.LeastOwn {
			continue
		}
		own := make([]float64, ch.Columns[i].words(rows))
		cpu.LargePages(bytesOf(own)[:size*expected]) // what lies behind may stay untouched
		g.stores[i].take(&ch.Columns[i], own, rows)
	}
}

// cellBytes returns the bytes of a cell as a column chunk holds it; 0 for text.
func (p *ColumnChunk) cellBytes() int {
	switch {
	case p.F64 != nil:
		return 8
	case p.F32 != nil, p.Codes != nil:
		return 4
	}
	return 0
}

// words returns how many words of eight bytes so many cells take.
func (p *ColumnChunk) words(cells int) int { return (p.cellBytes()*cells + 7) / 8 }

// take gives the store the beginning of room, for the cells of so many rows as p holds
// them, and returns the rest.
func (s *store) take(p *ColumnChunk, room []float64, rows int) (rest []float64) {
	n := p.words(rows)
	first := unsafe.Pointer(unsafe.SliceData(room))
	switch {
	case p.F64 != nil:
		s.f64 = room[:0:n]
	case p.F32 != nil:
		s.f32 = unsafe.Slice((*float32)(first), 2*n)[:0]
	case p.Codes != nil:
		s.codes = unsafe.Slice((*int32)(first), 2*n)[:0]
	}
	return room[n:]
}

func bytesOf(cells []float64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(cells))), 8*len(cells))
}
