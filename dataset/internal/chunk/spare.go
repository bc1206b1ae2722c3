package chunk

import (
	"sync"
	"unsafe"
)

// Spare keeps the buffers of chunks that were placed for further ones, which spares
// clearing them and fetching memory from the system.
type Spare struct {
	mutex sync.Mutex
	f32   [][]float32
	f64   [][]float64
	i32   [][]int32
	bytes [][]byte
	made  int // buffers that were made
}

// mostSpare is how many buffers of a kind are kept: of more columns than that each has a few cells only, and
// a new buffer costs as little as a kept one.
const mostSpare = 1 << 14

func (s *Spare) put(f32 []float32, f64 []float64, i32 []int32, bytes []byte) {
	if s == nil {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if f32 != nil && len(s.f32) < mostSpare {
		s.f32 = append(s.f32, f32)
	}
	if f64 != nil && len(s.f64) < mostSpare {
		s.f64 = append(s.f64, f64)
	}
	if i32 != nil && len(s.i32) < mostSpare {
		s.i32 = append(s.i32, i32)
	}
	if bytes != nil && len(s.bytes) < mostSpare {
		s.bytes = append(s.bytes, bytes)
	}
}

// Buffers are those of one column chunk.
type Buffers struct {
	f32   []float32
	f64   []float64
	i32   []int32
	bytes []byte
}

// Buffers returns the buffers that the values of a column chunk lie in.
func (p *ColumnChunk) Buffers() Buffers {
	if p.Offsets != nil {
		return Buffers{i32: p.Offsets, bytes: p.Text}
	}
	return Buffers{f32: p.F32, f64: p.F64, i32: p.Codes}
}

func (s *Spare) PutAll(list []Buffers) {
	for _, b := range list {
		s.put(b.f32, b.f64, b.i32, b.bytes)
	}
}

func (s *Spare) Float32s(n int) []float32 { return takeSpare(s, &s.f32, n) }

func (s *Spare) Float64s(n int) []float64 { return takeSpare(s, &s.f64, n) }

func (s *Spare) Int32s(n int) []int32 { return takeSpare(s, &s.i32, n) }

// Text returns an empty buffer.
func (s *Spare) Text() []byte { return takeSpare(s, &s.bytes, 0) }

// takeSpare returns a buffer of n elements, which may hold anything. Large ones would all
// begin at the same place of a page, so that the cells of a row, one of each buffer, would
// fight for one set of the first-level cache: each begins some lines later than the last.
func takeSpare[T any](s *Spare, list *[][]T, n int) []T {
	const line, lines = 64, 64
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if k := len(*list); k > 0 {
		buffer := (*list)[k-1]
		(*list)[k-1] = nil
		*list = (*list)[:k-1]
		if cap(buffer) >= n {
			return buffer[:n]
		}
	}
	size, skip := int(unsafe.Sizeof(*new(T))), 0
	if n*size >= line*lines { // the room before a shorter one would be more than the buffer
		skip = s.made * 5 % lines * line / size
		s.made++
	}
	return make([]T, skip+n, skip+n+n/8)[skip:]
}
