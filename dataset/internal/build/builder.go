package build

import (
	"slices"
	"strings"

	"boost/dataset/internal/chunk"
)

// Builder turns chunks into a table: it infers the type of every column from all
// of its cells, joins the column chunks column by column and leaves out bad rows.
type Builder struct {
	*chunk.Options
	Files     []string // names; of length 0 for tables in memory
	Chunks    []*chunk.Chunk
	Whole     bool  // one chunk, whose numbers can be used as they are
	Part      bool  // the chunk is a part of a stream, which ends at the first problem
	Firsts    []int // row at which each chunk begins, and the number of rows
	Columns   []*Column
	Locations chunk.RowLocations
	Notes     []string
	Mixed     []*chunk.ParseError
	found     []*chunk.ParseError // cells and rows that cannot be read, whatever types the columns have

	ReadErr error // what ended the input early
	// reread reads columns again as text; nil where that is never needed.
	Reread func(columns []*Column) error
}

// Column is a column on its way: column chunks first, then whole.
type Column struct {
	*chunk.Target
	Chunks []*chunk.ColumnChunk

	F32    []float32
	F64    []float64
	Sparse *chunk.Sparse
	*words
	Large   int32 // row of the first number that float64 may have rounded, −1 without one
	Number  bool  // known: becomes numbers, odd cells being bad
	Dates   bool
	Trimmed bool // blanks around cells were left out
}

// words are what a Column holds of levels, text and bad cells. Columns of good numbers share noWords,
// because a wide table has many of them.
type words struct {
	Levels      []string // once the dictionaries are merged
	Counts      []int
	ModelLevels *chunk.ModelLevels // instead of them, of a part of a table whose codes are a model's

	Codes   []int32
	Text    []byte
	Offsets []int32

	Bad []int32           // rows of bad cells, ascending
	Why *chunk.ParseError // the first of them
}

// noWords stays empty: ownWords comes before every change.
var noWords words

// ownWords makes the builder's words its own, which it may change.
func (c *Column) ownWords() *words {
	if c.words == &noWords {
		c.words = new(words)
	}
	return c.words
}

// MergeLevels makes one dictionary of those of the column chunks.
func (c *Column) MergeLevels() {
	levels, counts := chunk.Merge(c.Chunks)
	if len(levels) > 0 || len(counts) > 0 || c.words != &noWords {
		w := c.ownWords()
		w.Levels, w.Counts = levels, counts
	}
}

// Again returns a column of the same target and type, of the i-th column chunks of other chunks.
func (c *Column) Again(chunks []*chunk.Chunk, i int) *Column {
	again := &Column{Target: c.Target, Large: -1, Number: c.Number, Trimmed: c.Trimmed, words: &noWords}
	for _, ch := range chunks {
		again.Chunks = append(again.Chunks, &ch.Columns[i])
	}
	if again.Want != chunk.WantText {
		again.MergeLevels()
	}
	return again
}

// dropLevels lets go of levels that became numbers.
func (c *Column) dropLevels() {
	if c.words != &noWords {
		c.Levels = nil
	}
}

// ResolveColumns lines up the targets' column chunks and decides what the columns become.
func (a *Builder) ResolveColumns(targets []chunk.Target) error {
	a.locateRows()
	a.Columns = make([]*Column, len(targets))
	builders, chunks, n := make([]Column, len(targets)), make([]*chunk.ColumnChunk, len(targets)*len(a.Chunks)), len(a.Chunks)
	for i := range targets {
		c := &builders[i]
		*c = Column{Target: &targets[i], Large: -1, Chunks: chunks[i*n : (i+1)*n : (i+1)*n], words: &noWords}
		for k, ch := range a.Chunks {
			c.Chunks[k] = &ch.Columns[i]
		}
		a.Columns[i] = c
	}
	if a.Rows() > a.MostRows {
		return chunk.Errorf("the table has %d rows; up to %d can be read", a.Rows(), a.MostRows)
	}
	for _, step := range []func() error{a.checkCells, a.endedWell, a.readWritten, a.inferTypes, a.readAgain} {
		if err := step(); err != nil {
			return err
		}
	}
	for _, c := range a.Columns {
		c.Trimmed = !c.Number && slices.ContainsFunc(c.Chunks, func(p *chunk.ColumnChunk) bool { return p.Trimmed })
		if !c.Number && c.Want == chunk.WantAny && c.Parse != chunk.ParseText {
			a.noteNoDays(c)
		}
	}
	return nil
}

// locateRows numbers rows and lines over all chunks.
func (a *Builder) locateRows() {
	a.Firsts = make([]int, len(a.Chunks)+1)
	line, file := 0, -1
	for k, ch := range a.Chunks {
		if ch.File != file {
			file, line = ch.File, 1+ch.Before
		}
		for _, run := range ch.Runs {
			next := chunk.LineRun{Row: a.Firsts[k] + run.Row, Line: line + run.Line, File: int32(file)}
			a.Locations.Runs = chunk.AppendLineRun(a.Locations.Runs, next)
		}
		if ch.Locations != nil {
			a.Locations.Runs = ch.Locations
		}
		if ch.Shape != nil {
			ch.Shape.Line += line
		}
		a.Locations.ByRow = a.Locations.ByRow || ch.ByRow
		line += ch.Lines
		a.Firsts[k+1] = a.Firsts[k] + ch.Rows
	}
	if len(a.Locations.Runs) > 0 {
		a.Locations.Files = a.Files
	}
}

// Rows returns the number of rows of all chunks.
func (a *Builder) Rows() int { return a.Firsts[len(a.Firsts)-1] }

// NoRows is the error about a table without rows, in files of these names.
func NoRows(files []string) error {
	if len(files) == 0 {
		return chunk.Errorf("the table has no rows")
	}
	return chunk.Errorf("%s has no rows", strings.Join(files, ", "))
}
