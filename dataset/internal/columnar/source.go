package columnar

import (
	"context"
	"errors"
	"fmt"
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
	first  *openedFile // opened for its columns, until it is read
	names  []string
	copies []*chunk.Blob // by input: of those that can be read only once or are compressed
	byType []bool        // names that are categories by their type
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
	// IsCategory reports whether the type of a column says that it is a category.
	IsCategory(name string) bool
	// Notes says what a person should know about the file.
	Notes() []string
	// Groups returns the number of groups of rows, and Rows how many one has.
	Groups() int
	Rows(group int) int
	// Begins returns the first byte of a group that has rows, in the file.
	Begins(group int) int64
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

// openedFile is an opened file.
type openedFile struct {
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
func (s *Source) open(ctx context.Context, index int) (*openedFile, error) {
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
	f := &openedFile{Blob: b, index: index}
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
func (s *Source) closeFile(f *openedFile) {
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
		s.names, s.byType = append(s.names, name), append(s.byType, f.IsCategory(name))
	}
	return s.names, nil
}

// Categories reports for each column of the first file whether its type says that it is a category.
func (s *Source) Categories() []bool { return s.byType }

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

func (s *Source) leastBytes(f *openedFile, targets []chunk.Target) (int64, error) {
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

var ErrBytes = errors.New("its texts are cut off")
