package chunk

// DefaultChunk is the number of bytes of text that one worker parses at a time.
const DefaultChunk = 1 << 20

// Chunk is what became of one stretch of text, or of a whole table in memory.
type Chunk struct {
	Index   int // place among the table's chunks
	Rows    int // well-formed rows
	File    int
	ByRow   bool          // the file has rows and no lines
	Columns []ColumnChunk // by target
	Cells   *SparseRows   // in place of column chunks: stored cells of numbers, by target, −1 where it is none

	Share float64 // of the inputs that was read into the chunk, about; 0 where that is unknown
	Spare *Spare  // takes the buffers of the column chunks once they were copied; may be nil

	Before    int       // lines of the file before the chunk, known for a file's first chunk
	Lines     int       // line breaks in the text
	Blank     int       // blank lines in the text
	Runs      []LineRun // rows and lines counted from the chunk's own start, lines from 0
	Locations []LineRun // of a whole table: lines from 1, in place of runs
	// FileRows is the number of rows of each input; of a whole table only.
	FileRows     []int
	Absent       *Sparse     // of a whole table: a feature of which no cell is stored
	Whole        bool        // the table has no other chunk, and its column chunks can be used as they are
	SideMismatch bool        // what side files say of the rows may be about others; the source fails in the end
	Skipped      int         // rows of a wrong shape that were left out
	Shape        *ShapeError // the first row of a wrong shape
}

// ShapeError is a row that cannot be told into cells.
type ShapeError struct {
	Line   int    // within the chunk, from 0
	Column string // of the cell that is at fault, if one is, with its text
	Value  string
	Text   string
	Fix    string
	Fatal  bool // what comes after it cannot be read either
}

// Allows reports whether reading may go on after the error, if there is one.
func (e *ShapeError) Allows(skip bool) bool { return e == nil || skip && !e.Fatal }

// Begins notes that a row begins on a line, both counted in the chunk.
func (ch *Chunk) Begins(row, line int) {
	if n := len(ch.Runs); n > 0 {
		if last := &ch.Runs[n-1]; line-last.Line == row-last.Row {
			return
		}
	}
	ch.Runs = append(ch.Runs, LineRun{Row: row, Line: line})
}

// Odd reports whether a cell could not be read.
func (ch *Chunk) Odd() bool {
	for i := range ch.Columns {
		if ch.Columns[i].Odd().Count > 0 {
			return true
		}
	}
	return false
}

// GiveUp marks a chunk whose last record is too long; fix is the advice for the error.
func (ch *Chunk) GiveUp(fix string) {
	if ch.Shape.Allows(true) {
		ch.Shape = &ShapeError{Line: max(0, ch.Lines-1), Fatal: true,
			Text: "this record is longer than 64 MiB", Fix: fix}
	}
}
