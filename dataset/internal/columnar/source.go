package columnar

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"boost/dataset/internal/chunk"
	"boost/internal/cpu"
)

// Source reads files that hold columns in groups of rows: Parquet and Arrow.
// A group is a chunk, or several where the pass asks for smaller ones; its columns are
// decoded in parallel, and those of the next groups where there are too few. Only
// the columns of the targets are read.
type Source struct {
	*chunk.Options
	format string
	layout func(*chunk.Options, *chunk.Blob) (Layout, error)
	inputs []chunk.Input
	first  *File // opened for its columns, until it is read
	names  []string
	copies []*chunk.Blob // by input: of those that can be read only once or are compressed
	hidden []string      // columns of the files that are none of the table
	said   []string      // what the files had to say
}

// Layout is what a file says of itself: it is read and checked when the file
// is opened, before any column is.
type Layout interface {
	// Names lists the columns, hidden ones too.
	Names() []string
	// Hides reports whether a column is none of the table, unless it is asked for.
	Hides(name string) bool
	// Notes says what a person should know about the file.
	Notes() []string
	// Groups returns the number of groups of rows, and Rows how many one has.
	Groups() int
	Rows(group int) int
	// Suits returns the bytes that a row of the target's column takes at least, or an
	// error where the column cannot be read as that.
	Suits(t chunk.Target) (rowBytes int64, err error)
	// Reader prepares decoding a column of a group.
	Reader(w *Worker, group int, t chunk.Target, wide bool) (ColumnReader, error)
}

// ColumnReader decodes a column of a group.
type ColumnReader interface {
	// Read decodes the next n rows into a column chunk of the chunk with the given index.
	Read(n, index int) (*chunk.ColumnChunk, error)
}

// File is an opened file.
type File struct {
	*chunk.Blob
	Layout
	index int          // among the inputs
	total int          // rows
	open  atomic.Int32 // groups that are still read, and the one who deals them out
}

func NewSource(format string, layout func(*chunk.Options, *chunk.Blob) (Layout, error)) func(*chunk.Options, []chunk.Input) chunk.Source {
	return func(o *chunk.Options, inputs []chunk.Input) chunk.Source {
		stored := *o
		stored.Encoding = nil // the formats say themselves that text is UTF-8
		return &Source{Options: &stored, format: format, layout: layout, inputs: inputs, copies: make([]*chunk.Blob, len(inputs))}
	}
}

// open opens an input and reads what it says of itself.
func (s *Source) open(ctx context.Context, index int) (*File, error) {
	b := s.copies[index]
	if b == nil {
		var err error
		if b, err = s.Blob(ctx, &s.inputs[index], s.format); err != nil {
			return nil, err
		}
		if b.Shared || b.Remove != "" {
			s.copies[index] = b
		}
	}
	f := &File{Blob: b, index: index}
	err := Decoding(func() (err error) {
		f.Layout, err = s.layout(s.Options, b)
		return err
	})
	if err != nil {
		if !chunk.IsExplained(err) {
			err = chunk.Errorf("%s is damaged: %w", b.Name, err)
		}
		s.closeFile(f)
		return nil, err
	}
	return f, nil
}

// closeFile closes a file that is no copy; those stay for the next pass.
func (s *Source) closeFile(f *File) {
	if s.copies[f.index] != f.Blob {
		f.Blob.Close()
	}
}

// Columns returns the columns of the first file. An index that pandas wrote beside the
// columns of a frame is none of them, unless it is asked for.
func (s *Source) Columns(ctx context.Context) ([]string, error) {
	f, err := s.open(ctx, 0)
	if err != nil {
		return nil, err
	}
	s.first = f
	for _, name := range f.Layout.Names() {
		if f.Hides(name) && !chunk.Mentions(s.Options, name) {
			s.hidden = append(s.hidden, name)
			continue
		}
		s.names = append(s.names, name)
	}
	return s.names, nil
}

// DecodesGroups reports true: a group of rows is decoded by one goroutine, chunk after chunk.
func (s *Source) DecodesGroups() bool { return true }

// LeastBytes adds up what the files say of their rows. Targets beyond the columns of the files stand in files
// beside them.
func (s *Source) LeastBytes(ctx context.Context, targets []chunk.Target) (bytes int64, err error) {
	for index := range s.inputs {
		f := s.first
		s.first = nil
		if f == nil {
			if f, err = s.open(ctx, index); err != nil {
				return 0, err
			}
		}
		n, err := s.leastBytes(f, targets)
		s.closeFile(f)
		if err != nil {
			return 0, err
		}
		bytes += n
	}
	return bytes, nil
}

func (s *Source) leastBytes(f *File, targets []chunk.Target) (int64, error) {
	rows, perRow := int64(0), int64(0)
	for g := range f.Groups() {
		rows += int64(f.Layout.Rows(g))
	}
	for _, t := range targets {
		if t.Source >= len(s.names) {
			perRow += 8
			continue
		}
		n, err := f.Suits(t)
		if err != nil {
			return 0, err
		}
		perRow += n
	}
	return rows * perRow, nil
}

// Notes says what the files had to say, and which of their columns are not read.
func (s *Source) Notes(int) []string {
	if len(s.hidden) == 0 {
		return s.said
	}
	return append(s.said, fmt.Sprintf("%s %s of %s: the frame's index is not read (set id = %q to keep it)",
		chunk.Plural(len(s.hidden), "column"), chunk.NameList(s.hidden, 3), s.inputs[0].Name, s.hidden))
}

func (s *Source) Close() {
	if s.first != nil {
		s.closeFile(s.first)
	}
	for _, b := range s.copies {
		if b != nil {
			b.Close()
		}
	}
}

// groupJob is a group on its way.
type groupJob struct {
	file    *File
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

// Read deals the columns of all groups out to workers.
func (s *Source) Read(ctx context.Context, p *chunk.Pass) error {
	pp := &columnarPass{Source: s, Pass: p, wide: make([]atomic.Bool, len(p.Targets))}
	jobs := make(chan columnJob)
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(jobs)
		if err := pp.deal(groupCtx, jobs); err != nil {
			pp.fail(pp.next*len(p.Targets), err)
		}
		return groupCtx.Err()
	})
	threads := s.Threads
	if threads == 0 {
		threads = cpu.Threads()
	}
	for range threads {
		group.Go(func() error {
			w := &Worker{columnarPass: pp, Ctx: groupCtx, Scratch: &Buffers{}}
			defer w.Tools.close()
			for j := range jobs {
				w.work(j)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return pp.err
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
			p.dealGroup(ctx, f, g, first, jobs)
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
func (p *columnarPass) dealGroup(ctx context.Context, f *File, g, first int, jobs chan<- columnJob) {
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
	return &chunk.Chunk{Index: index, File: file, ByRow: true, Rows: rows, Columns: make([]chunk.ColumnChunk, targets),
		Before: firstRow, Lines: rows, Runs: []chunk.LineRun{{}}}
}

// leave closes a file once nobody reads it any more.
func (p *columnarPass) leave(f *File) {
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
func (p *columnarPass) suits(f *File) error {
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
	case p.rows > int64(chunk.MostRows):
		return chunk.Errorf("%s: the table has %d rows; up to %d can be read", f.Name, p.rows, chunk.MostRows)
	case p.MemoryLimit > 0 && p.ChunkRows == 0 && p.rows*bytes > p.MemoryLimit:
		return chunk.TooLarge("%s: %d rows of %d columns take %s or more; memory_limit is %s (set out_of_core = true, ignore columns, or raise it)",
			f.Name, p.rows, len(p.Targets), chunk.ByteText(p.rows*bytes), chunk.ByteText(p.MemoryLimit))
	}
	return nil
}

// Worker is one worker's state.
type Worker struct {
	*columnarPass
	Ctx     context.Context // of the pass
	Scratch *Buffers
	Tools   Unpacker
}

// work decodes a column, or a whole group chunk by chunk, and emits what is complete.
func (w *Worker) work(j columnJob) {
	defer w.done(j)
	if w.Ctx.Err() != nil {
		j.failed.Store(true)
		return
	}
	if j.target < 0 {
		w.workByChunks(j)
		return
	}
	err := Decoding(func() error {
		c, err := j.file.Reader(w, j.group, w.Targets[j.target], w.wide[j.target].Load())
		if err != nil {
			return err
		}
		p, err := c.Read(j.rows, j.index)
		if err != nil {
			return err
		}
		if r, ok := c.(interface{ End() }); ok {
			r.End()
		}
		if p.F64 != nil {
			w.wide[j.target].Store(true)
		}
		j.chunk.Columns[j.target] = *p
		return nil
	})
	if err != nil {
		w.failColumn(j, j.target, err)
	}
}

// Decoding turns a panic of what decodes a file's bytes into an error. Nothing else runs
// inside it: a mistake elsewhere is no fault of the file.
func Decoding(f func() error) (err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("%v", broken)
		}
	}()
	return f()
}

// workByChunks decodes a group so many rows at a time.
func (w *Worker) workByChunks(j columnJob) {
	readers := make([]ColumnReader, len(w.Targets))
	target := 0
	err := Decoding(func() (err error) {
		for target = range readers {
			if readers[target], err = j.file.Reader(w, j.group, w.Targets[target], w.wide[target].Load()); err != nil {
				break
			}
		}
		return err
	})
	total := j.file.Layout.Rows(j.group)
	for first, index := 0, j.index; first < total && err == nil; first, index = first+j.rows, index+1 {
		rows := min(j.rows, total-first)
		ch := newColumnarChunk(index, j.file.index, rows, len(readers), j.first+first)
		err = Decoding(func() error {
			for target = range readers {
				p, err := readers[target].Read(rows, index)
				if err != nil {
					return err
				}
				ch.Columns[target] = *p
			}
			return nil
		})
		if err != nil || w.Ctx.Err() != nil || w.Stop.Load() {
			break
		}
		w.Send(ch)
	}
	if err != nil {
		w.failColumn(j, target, err)
	}
}

// failColumn notes what is wrong with a column of a group.
func (w *Worker) failColumn(j columnJob, target int, err error) {
	j.failed.Store(true)
	var plain plainError
	name := w.Targets[target].Name
	switch {
	case chunk.IsExplained(err):
	case errors.As(err, &plain):
		err = &chunk.ColumnError{Column: name, Text: fmt.Sprintf("%s: column %q: %v", j.file.Name, name, err)}
	default:
		err = chunk.Errorf("%s is damaged: column %q from row %d on: %w", j.file.Name, name, j.first+1, err)
	}
	w.fail(j.index*len(w.Targets)+target, err)
}

// plainError is an error that is no damage: the file holds what cannot be read.
type plainError interface {
	error
	Plain()
}

var ErrBytes = errors.New("its texts are cut off")
