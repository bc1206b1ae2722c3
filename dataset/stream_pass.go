package dataset

import (
	"context"
	"errors"
	"sync"

	"boost/dataset/internal/build"
	"boost/dataset/internal/chunk"

	"golang.org/x/sync/errgroup"
)

// streamPass is one pass of a Stream through its inputs. A part goes through these steps:
//
//	made     by the goroutine that made its chunk
//	arrived  waits until all parts before it are there: their lines say on which line it begins
//	ready    its rows are located; the next free goroutine works on it, mostly the one that made it
//	done     waits until all parts before it have ended; one goroutine at a time ends parts, in order
type streamPass struct {
	*Stream
	ctx   context.Context
	pass  *chunk.Pass
	files []string // names of the inputs
	work  func(*Table) (func() error, error)

	mutex   sync.Mutex
	changed sync.Cond                        // of anything below
	ahead   int                              // chunks that a goroutine may be ahead of the next to end
	idle    int                              // helpers that work on nothing: they look for ready parts, or soon will
	over    bool                             // no chunk comes any more
	arrived chunk.ReorderBuffer[*streamPart] // made, and in line
	ready   []*streamPart                    // whose turn has come
	done    chunk.ReorderBuffer[*streamPart] // worked on
	ending  bool                             // somebody is at it
	err     error                            // the first by the order of the rows

	file  int // of the part whose turn came last
	row   int // of the table, behind that part
	lines int // of that file so far
}

// streamPart is a chunk on its way.
type streamPart struct {
	*chunk.Chunk
	table *Table // nil without rows, and after the work
	owned []chunk.Buffers
	then  func() error
	err   error
}

// read goes through the source. A group of rows of a file with columns is decoded by one
// goroutine, chunk after chunk, and others may have none: these help with the work.
func (r *streamPass) read() error {
	helpers := 0
	if groups, is := chunk.Find[chunk.GroupDecoder](r.in.source); is && groups.DecodesGroups() {
		helpers = r.ahead - 1
	}
	r.idle = helpers
	var group errgroup.Group
	for range helpers {
		group.Go(func() error {
			r.help()
			return nil
		})
	}
	err := r.in.eachChunk(r.ctx, r.pass, r.take)
	r.mutex.Lock()
	r.over = true
	r.mutex.Unlock()
	r.wake()
	_ = group.Wait() // helpers have no errors of their own
	return err
}

// help works on parts that are ready until no more can come.
func (r *streamPass) help() {
	r.mutex.Lock()
	for r.err == nil && r.ctx.Err() == nil {
		switch {
		case len(r.ready) > 0:
			r.idle--
			r.run()
			r.idle++
		case r.over:
			r.mutex.Unlock()
			return
		default:
			r.changed.Wait()
		}
	}
	r.mutex.Unlock()
}

// part makes the table of a chunk. Its lines are counted from the chunk's own first.
func (r *streamPass) part(ch *chunk.Chunk) *streamPart {
	p := &streamPart{Chunk: ch}
	if ch.Shape == nil && (ch.Rows == 0 || ch.SideMismatch && !ch.Odd()) {
		return p
	}
	for i := range ch.Columns {
		p.owned = append(p.owned, ch.Columns[i].Buffers())
	}
	a := &build.Builder{Options: r.in.Options, Files: r.files, Chunks: []*chunk.Chunk{ch}, Whole: ch.Whole, Part: true}
	p.table, p.err = tableOf(a, r.columns, nil)
	return p
}

// take takes a chunk. It returns once the goroutine can make another one.
func (r *streamPass) take(ch *chunk.Chunk) error {
	p := r.part(ch)
	r.mutex.Lock()
	r.arrived.Put(ch.Index, p)
	for p, ok := r.arrived.Take(); ok; p, ok = r.arrived.Take() {
		r.place(p)
	}
	r.end()
	for r.err == nil && r.ctx.Err() == nil {
		if len(r.ready) > r.idle {
			r.run()
			continue
		}
		// What is far ahead waits, as else the parts behind one that takes long would fill the
		// memory. The next to end never does: it is among the ready, or somebody makes it or
		// works on it. Once reading stops it may never come.
		if ch.Index < r.done.Next+r.ahead || r.pass.Stop.Load() {
			break
		}
		r.changed.Wait()
	}
	err := r.err
	r.mutex.Unlock()
	return err
}

// wake lets those who wait look again.
func (r *streamPass) wake() {
	r.mutex.Lock()
	r.changed.Broadcast()
	r.mutex.Unlock()
}

// place says where the rows of a part stand, whose turn has come.
func (r *streamPass) place(p *streamPart) {
	if p.File != r.file {
		r.file, r.lines = p.File, 0
	}
	before := r.lines
	r.lines += p.Before + p.Lines
	if p.ByRow { // each chunk knows its first row
		before = 0
	}
	r.blank += p.Blank
	if p.err == nil && p.table != nil {
		p.table.locations.Shift(before)
		at := r.row
		if r.row += p.table.rows; r.row >= r.Stream.end {
			r.pass.Stop.Store(true)
		}
		if p.table = r.within(p.table, at); p.table == nil {
			p.release()
			r.done.Put(p.Index, p)
			return
		}
		r.rows += p.table.rows
		for _, name := range p.table.dates {
			r.dates[name] = true
		}
		for _, t := range r.columns {
			if t.Schema != nil && t.Schema.Dates && !r.filled[t.Name] {
				c := p.table.Column(t.Name)
				r.filled[t.Name] = c != nil && c.missing < p.table.rows
			}
		}
		r.ready = append(r.ready, p)
		r.changed.Broadcast()
		return
	}
	var problems ParseErrors
	if bad := (*ParseError)(nil); !errors.As(p.err, &problems) && errors.As(p.err, &bad) {
		problems = ParseErrors{bad}
	}
	for _, bad := range problems {
		if !bad.Row {
			bad.Line += before
		}
	}
	r.done.Put(p.Index, p)
}

// run works on the first part that is ready.
func (r *streamPass) run() {
	p := r.ready[0]
	r.ready = r.ready[1:]
	r.mutex.Unlock()
	infinite := infinitiesOf(p.table, p.Index)
	p.then, p.err = r.work(p.table)
	p.release()
	r.mutex.Lock()
	r.infinite.add(infinite)
	r.done.Put(p.Index, p)
	r.end()
}

// release gives the memory of a part to others.
func (p *streamPart) release() {
	p.table = nil
	p.Spare.PutAll(p.owned)
	p.Columns, p.owned = nil, nil
}

// end ends the parts whose turn it is, unless somebody else does.
func (r *streamPass) end() {
	if r.ending {
		return
	}
	r.ending = true
	for r.err == nil {
		p, ok := r.done.Take()
		if !ok {
			break
		}
		err := p.err
		if err == nil && p.then != nil {
			r.mutex.Unlock()
			err = p.then()
			r.mutex.Lock()
		}
		if err != nil {
			r.err = err
			r.pass.Stop.Store(true)
		}
		r.changed.Broadcast()
	}
	r.ending = false
}
