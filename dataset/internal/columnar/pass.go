package columnar

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"boost/dataset/internal/chunk"
)

// groupJob is a group on its way.
type groupJob struct {
	file    *openedFile
	group   int
	index   int // of its first chunk
	rows    int // of each chunk but the last
	first   int // its first row in the file
	chunk   *chunk.Chunk
	waiting atomic.Int32 // columns that are not decoded yet
	failed  atomic.Bool
}

// columnJob is a column of a group, or all of them if target is −1.
type columnJob struct {
	*groupJob
	target int
}

// columnarPass is one way through all files.
type columnarPass struct {
	*Source
	*chunk.Pass
	wide  []atomic.Bool // per target: float64 was needed before
	rows  int64         // of all files so far
	next  int           // index of the next chunk
	mutex sync.Mutex
	at    int   // the place of err
	err   error // the first by place
}

// fail keeps the error that stands first in the files.
func (p *columnarPass) fail(at int, err error) {
	p.mutex.Lock()
	if p.err == nil || at < p.at {
		p.at, p.err = at, err
	}
	p.mutex.Unlock()
	p.Stop.Store(true)
	if p.Stopped != nil {
		p.Stopped()
	}
}

// deal opens the files and sends their columns.
func (p *columnarPass) deal(ctx context.Context, jobs chan<- columnJob) error {
	for index := range p.inputs {
		f := p.first
		p.first = nil
		if p.inputs[index].Skipped() {
			if f != nil {
				p.closeFile(f)
			}
			continue
		}
		if index > 0 || f == nil {
			var err error
			if f, err = p.open(ctx, index); err != nil {
				return err
			}
		}
		f.open.Store(1)
		for _, note := range f.Layout.Notes() {
			if !slices.Contains(p.said, note) {
				p.said = append(p.said, note)
			}
		}
		err := p.suits(f)
		first := 0
		for g := 0; g < f.Groups() && err == nil && !p.Stop.Load() && ctx.Err() == nil; g++ {
			if p.inputs[index].Has(f.Layout.Begins(g)) {
				p.dealGroup(ctx, f, g, first, jobs)
			}
			first += f.Layout.Rows(g)
		}
		p.leave(f)
		if err != nil || p.Stop.Load() || ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// dealGroup sends the columns of a group.
func (p *columnarPass) dealGroup(ctx context.Context, f *openedFile, g, first int, jobs chan<- columnJob) {
	rows := f.Layout.Rows(g)
	if rows == 0 {
		return
	}
	j := &groupJob{file: f, group: g, index: p.next, rows: rows, first: first}
	f.open.Add(1)
	send := func(target int) {
		select {
		case jobs <- columnJob{j, target}:
		case <-ctx.Done():
			j.failed.Store(true)
			p.done(columnJob{j, target})
		}
	}
	if p.ChunkRows > 0 && rows > p.ChunkRows {
		j.rows = p.ChunkRows
		p.next += (rows + j.rows - 1) / j.rows
		send(-1)
		return
	}
	p.next++
	j.chunk = newColumnarChunk(j.index, f.index, rows, len(p.Targets), first)
	j.chunk.Share = float64(rows) / float64(f.total) * chunk.ShareOf(p.inputs, f.index)
	j.chunk.Whole = p.ChunkRows == 0 && j.chunk.Share == 1
	j.waiting.Store(int32(len(p.Targets)))
	for i := range p.Targets {
		send(i)
	}
}

// done notes that a job is over and emits what is complete by it.
func (p *columnarPass) done(j columnJob) {
	if j.target >= 0 && j.waiting.Add(-1) > 0 {
		return
	}
	if j.chunk != nil && !j.failed.Load() {
		p.Send(j.chunk)
	}
	p.leave(j.file)
}

// newColumnarChunk makes a chunk of a file that has rows instead of lines.
func newColumnarChunk(index, file, rows, targets, firstRow int) *chunk.Chunk {
	return &chunk.Chunk{Index: index, File: file, ByRow: true, Rows: rows, Columns: chunk.NewColumns(targets),
		Before: firstRow, Lines: rows, Runs: []chunk.LineRun{{}}}
}

// leave closes a file once nobody reads it any more.
func (p *columnarPass) leave(f *openedFile) {
	if f.open.Add(-1) > 0 {
		return
	}
	if err := f.Unchanged(); err != nil {
		p.fail(math.MaxInt, err)
	}
	p.mutex.Lock()
	p.closeFile(f)
	p.mutex.Unlock()
}

// suits makes sure that a file has the first one's columns, that those of the
// targets can be read, and that there is memory for them.
func (p *columnarPass) suits(f *openedFile) error {
	var names []string
	for _, name := range f.Layout.Names() {
		if !slices.Contains(p.hidden, name) {
			names = append(names, name)
		}
	}
	if err := chunk.SameColumns(f.Name, names, p.inputs[0].Name, p.names); err != nil {
		return err
	}
	bytes := int64(0)
	for _, t := range p.Targets {
		n, err := f.Layout.Suits(t)
		if err != nil {
			return err
		}
		bytes += n
	}
	for g := range f.Groups() {
		f.total += f.Layout.Rows(g)
	}
	p.rows += int64(f.total)
	switch {
	case p.rows > int64(p.MostRows):
		return chunk.Errorf("%s: the table has %d rows; up to %d can be read", f.Name, p.rows, p.MostRows)
	case p.MemoryLimit > 0 && p.ChunkRows == 0 && p.rows*bytes > p.MemoryLimit:
		return chunk.TooLarge("%s: %d rows of %d columns take %s or more; memory_limit is %s (set out_of_core = true, ignore columns, or %s)",
			f.Name, p.rows, len(p.Targets), chunk.ByteText(p.rows*bytes), chunk.ByteText(p.MemoryLimit), chunk.RaiseLimit(p.rows*bytes))
	}
	return nil
}
