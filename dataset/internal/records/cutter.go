package records

import (
	"context"
	"io"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"boost/dataset/internal/chunk"
	"boost/internal/cpu"
)

// Text is an input whose reader stands before its first record.
type Text struct {
	Stream *chunk.Stream
	Reader io.Reader
	Before int   // lines of the file before it
	At     int64 // byte of the file that it begins with, if that is not compressed
}

// Section leaves of a text the part that a rank reads, which begins with a record.
func (t *Text) Section(p *chunk.Part) error {
	if p.From > t.At {
		t.Before = 0 // a rank before this one knows
	}
	t.Reader = t.Stream.Reader
	return t.Stream.Section(p.From, p.To)
}

// Piece is some whole records on their way to a worker. Its text ends in a line feed.
type Piece struct {
	Text   []byte
	Index  int // counts from 0 over all inputs
	File   int
	Before int     // lines of the file before it, in a file's first piece
	Share  float64 // of the text of all inputs; 0 if unknown
	Cut    bool    // the last record is longer than chunk.LongestRecord
}

// Cutter reads the text of all inputs, one after another, and cuts it at ends of records.
type Cutter struct {
	Options *chunk.Options
	Inputs  []chunk.Input
	Bytes   int // of a piece, about
	// Open opens an input.
	Open func(file int) (*Text, error)
	// End returns the index after the last line feed in b that ends a record, 0 if none does. b begins with a
	// record and may end anywhere.
	End func(b []byte) int
	// Stop is set when later pieces are not needed.
	Stop *atomic.Bool
}

// Run hands all pieces to workers, each of which newWorker makes. A worker is called for one piece at a time. It
// returns the work that remains after the text of the piece was reused. If the input ends in an error, the pieces
// before it are handed out too.
func (c *Cutter) Run(ctx context.Context, newWorker func() func(Piece) (then func())) error {
	workers := Workers(c.Options, c.Inputs)
	pieces := make(chan Piece)
	free := make(chan []byte, workers+1)
	var (
		group, groupCtx = errgroup.WithContext(ctx)
		readErr         error
	)
	group.Go(func() error {
		defer close(pieces)
		k := &knife{Cutter: c, pieces: pieces, free: free, unmade: workers + 1}
		readErr = k.cutAll(groupCtx)
		return groupCtx.Err()
	})
	for range workers {
		group.Go(func() error {
			var work func(Piece) func()
			for p := range pieces {
				if work == nil {
					work = newWorker()
				}
				then := work(p)
				free <- p.Text[:0]
				then()
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return readErr
}

// Workers returns how many workers the inputs keep busy.
func Workers(o *chunk.Options, inputs []chunk.Input) int {
	threads := o.Threads
	if threads == 0 {
		threads = cpu.Threads()
	}
	size := int64(0)
	for _, in := range inputs {
		if in.Size == 0 {
			return threads
		}
		size += in.Size
	}
	// Compression makes a table about a quarter to a tenth of its size.
	return int(min(int64(threads), 1+10*size/int64(o.ChunkSize)))
}

// knife is one pass over the inputs.
type knife struct {
	*Cutter
	pieces chan<- Piece
	free   chan []byte
	unmade int // buffers that may still be made
	next   int
	carry  []byte // the beginning of the next piece
}

func (c *knife) cutAll(ctx context.Context) error {
	for file := range c.Inputs {
		if c.Inputs[file].Skipped() {
			continue
		}
		t, err := c.Open(file)
		if err != nil {
			return err
		}
		err = c.cut(ctx, t, file)
		t.Stream.Close()
		if err != nil || c.Stop.Load() || ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// cut sends the pieces of one input.
func (c *knife) cut(ctx context.Context, t *Text, file int) error {
	c.carry = c.carry[:0]
	before := t.Before
	for !c.Stop.Load() {
		buffer, ok := c.buffer(ctx)
		if !ok {
			return nil
		}
		n := copy(buffer, c.carry)
		var err error
		end := 0
		cut := false
		for end == 0 && err == nil && !cut {
			if n == len(buffer)-1 {
				buffer = append(buffer, make([]byte, len(buffer))...)
			}
			var more int
			more, err = chunk.ReadFull(t.Reader, buffer[n:len(buffer)-1])
			n += more
			if err == nil {
				end = c.End(buffer[:n])
				cut = end == 0 && n >= chunk.LongestRecord
			}
		}
		if err != nil && err != io.EOF {
			return t.Stream.Failure(err)
		}
		c.carry = append(c.carry[:0], buffer[end:n]...)
		if end == 0 { // the rest of the input
			if end = n; end > 0 && buffer[end-1] != '\n' {
				buffer[end] = '\n'
				end++
			}
			c.carry = c.carry[:0]
		}
		if end > 0 {
			share := c.share(t.Stream, file, end)
			if err == io.EOF && c.next == 0 && file == len(c.Inputs)-1 {
				share = 1
			}
			c.pieces <- Piece{Text: buffer[:end], Index: c.next, File: file, Before: before, Cut: cut, Share: share}
			c.next++
			before = 0
		} else {
			c.free <- buffer[:0]
		}
		if err == io.EOF || cut {
			return nil
		}
	}
	return nil
}

// share estimates which part of the text of all inputs so many bytes are, judged
// by how well the current input was compressed so far; 0 where that is unknown.
func (c *knife) share(s *chunk.Stream, file, bytes int) float64 {
	if c.Inputs[file].Size == 0 {
		return 0
	}
	return float64(bytes) / (float64(c.Inputs[file].Size) * s.UnpackedBy()) * chunk.ShareOf(c.Inputs, file)
}

// buffer returns a buffer that holds the carried text and room for more, or false
// once the context is done.
func (c *knife) buffer(ctx context.Context) ([]byte, bool) {
	var buffer []byte
	select {
	case buffer = <-c.free:
	default:
		if c.unmade > 0 {
			c.unmade--
			break
		}
		select {
		case buffer = <-c.free:
		case <-ctx.Done():
			return nil, false
		}
	}
	// One byte more than is read, for the line feed that the last line may lack. A
	// buffer that has grown before is not used in full: pieces must not depend on which
	// buffer was free.
	size := max(c.Bytes, len(c.carry)) + 1
	if cap(buffer) < size {
		buffer = make([]byte, size)
	}
	return buffer[:size], ctx.Err() == nil
}
