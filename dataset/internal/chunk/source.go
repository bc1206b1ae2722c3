package chunk

import (
	"context"
	"sync/atomic"
)

// Source reads the inputs of one table. The methods are called in this order;
// Read may be called again, for the same or other targets, if the inputs can be
// read again.
type Source interface {
	// Columns opens the first input and returns the names of the table's columns.
	Columns(ctx context.Context) (names []string, err error)
	// Read goes through all inputs once. Only the sources of the pass's targets are
	// looked at, where the format allows. Every pass cuts the inputs into the same
	// chunks. With an error of an input, the chunks before it are emitted too.
	Read(ctx context.Context, p *Pass) error
	// Notes says what a person should know about how the inputs are written, which
	// hold so many blank lines.
	Notes(blank int) []string
	// Close frees what was opened and not read.
	Close()
}

// Padding is a source that knows which columns begin with whole numbers that have zeros before them, as codes do.
type Padding interface {
	// Padded reports it by column, once Columns has returned.
	Padded() []bool
}

// CategoryTeller is a source that knows which columns are categories by their type.
type CategoryTeller interface {
	// Categories reports it by column, once Columns has returned.
	Categories() []bool
}

// Pass is one way through all inputs.
type Pass struct {
	Targets []Target
	// Emit takes a chunk, whose column chunks follow the targets. It is called by several
	// goroutines at once and for chunks in any order; Chunk.Index puts them in order,
	// counting from 0 without gaps over all inputs. A column chunk's dictionary may grow once
	// Emit has returned, as it outlives chunks: what it holds for the chunk (fresh,
	// and levels below the ones known then) stays as it is.
	Emit func(*Chunk)
	// ChunkRows is the most rows of a chunk where the format can choose; 0 leaves it to
	// the format, which then decodes column by column.
	ChunkRows int
	// Made is called before emit, by the goroutine that made the chunk; nil for nothing to
	// do. It sees the targets that the chunk's column chunks follow then.
	Made func(ch *Chunk, targets []Target)
	// Gathered reports whether the chunks are placed in their order: then fresh need not hold
	// levels that an earlier chunk with the same dictionary has.
	Gathered bool
	// Through reports whether reading goes on after a row or a cell that cannot be read, so that all columns with such
	// cells are found.
	Through bool
	// Apart reports whether no chunk has to do with another: dictionaries need not outlive them.
	Apart   bool
	Stop    atomic.Bool // a chunk has an error that no later one can change
	Stopped func()      // is called where stop was set and a chunk may not come; nil for nothing to do
}

// Send emits a chunk that was just made.
func (p *Pass) Send(ch *Chunk) {
	if p.Made != nil {
		p.Made(ch, p.Targets)
	}
	p.Emit(ch)
}

// Find returns the first of a source and those that it wraps that has the methods of T.
func Find[T any](s Source) (found T, ok bool) {
	for s != nil {
		if found, ok = s.(T); ok {
			return found, true
		}
		w, wraps := s.(interface{ Unwrap() Source })
		if !wraps {
			break
		}
		s = w.Unwrap()
	}
	return found, false
}

// Headed is a source of text that may begin with the names of the columns.
type Headed interface {
	// HasHeader is called after Columns.
	HasHeader() bool
}

// GroupDecoder is a source whose chunks are decoded group by group: one goroutine may make all chunks of a
// group, and others make none.
type GroupDecoder interface {
	// DecodesGroups reports whether that is so.
	DecodesGroups() bool
}

// SizeTeller is a source whose inputs say how many rows they have.
type SizeTeller interface {
	// LeastBytes returns what the cells of the targets take at least. It is called after Columns, in place
	// of Read.
	LeastBytes(ctx context.Context, targets []Target) (int64, error)
}

// PartReader is a source that reads its inputs whole, and can read them part by part where a model says
// which columns there are.
type PartReader interface {
	// ReadInParts is called before Columns.
	ReadInParts()
}

// EmptyColumns is a source that may have columns of which it stores no cell.
type EmptyColumns interface {
	// IsEmpty reports whether no cell of a column of the input is stored. It is called after Columns.
	IsEmpty(column int) bool
}

// EmptyColumnBytes is about what such a column takes in a table.
const EmptyColumnBytes = 128

// CellCounter is a source that goes through its inputs to name its columns, and can then count cells
// in place of holding them.
type CellCounter interface {
	// CountCells is called before Columns. The next pass emits one chunk, whose column chunks of numeric
	// features are summaries.
	CountCells()
	// Stored returns how many cells of a feature are stored, and the value of the others.
	Stored(t Target) (cells int, fill float64)
	// EndCounting lets go of what was counted: further passes go through the inputs, and emit chunks of
	// stored cells. It returns the rows of these chunks, and the rows that the chooser chose with their
	// cells of the targets; nil without a chooser.
	EndCounting(targets []Target) (chunks []int, chosen []uint32, cells *SparseRows)
}
