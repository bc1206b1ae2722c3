package xlsx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/csv"
	"boost/dataset/internal/plain"
)

// FormatName is the name of the format.
const FormatName = "xlsx"

// Recognizes reports whether a file is a zip file, as workbooks are.
func Recognizes(start []byte, _ string) bool { return bytes.HasPrefix(start, []byte("PK\x03\x04")) }

// Reader is the source of workbooks.
type Reader struct {
	*chunk.Options
	inputs []chunk.Input
	blobs  []*chunk.Blob // by input, nil until it was opened
	names  []string
	header bool
	sheets []string // of the first input
	title  int      // rows above that which looks like the names of the columns, where that is not the first; else 0
}

// NewSource makes the source of workbooks.
func NewSource(o *chunk.Options, inputs []chunk.Input) chunk.Source {
	stored := *o
	stored.Encoding = nil // XML says itself how it is encoded
	return &Reader{Options: &stored, inputs: inputs, blobs: make([]*chunk.Blob, len(inputs))}
}

// workbook opens an input.
func (r *Reader) workbook(ctx context.Context, file int) (*workbook, error) {
	if r.blobs[file] == nil {
		b, err := r.Blob(ctx, &r.inputs[file], FormatName)
		if err != nil {
			return nil, err
		}
		r.blobs[file] = b
	}
	w, err := openWorkbook(r.blobs[file], r.Sheet, r.LeastUnpacked)
	if err == nil {
		w.above = r.Above
	}
	return w, err
}

// Columns takes the names from the first row of the first input, or numbers its cells.
func (r *Reader) Columns(ctx context.Context) ([]string, error) {
	w, err := r.workbook(ctx, 0)
	if err != nil {
		return nil, err
	}
	r.sheets = w.names
	var cells []cell
	var names []string
	if err := r.rows(w, 0, func(row int, next []cell) error {
		switch {
		case cells == nil:
			cells, names = slices.Clone(next), namesOf(w, next)
		case len(next) > 1 && areTexts(next):
			r.title = row - 1
			return errStop
		}
		if len(cells) > 1 || !areTexts(cells) || row >= r.Above+mostTitle {
			return errStop
		}
		return nil
	}); err != nil {
		return nil, err
	}
	if len(cells) == 0 {
		below := ""
		if r.Above > 0 {
			below = fmt.Sprintf(" below the %d rows that skip_lines leaves out", r.Above)
		}
		return nil, chunk.Errorf("%s is empty: its sheet has no cell with a value%s", r.inputs[0].Name, below)
	}
	if r.header = areTexts(cells) ||
		slices.ContainsFunc(names, func(name string) bool { return chunk.Mentions(r.Options, name) }); r.Header != nil {
		r.header = *r.Header
	}
	if r.names = names; !r.header {
		r.names = nil
		for i := range cells[len(cells)-1].column + 1 {
			r.names = append(r.names, "c"+strconv.Itoa(i+1))
		}
	}
	if r.header && slices.ContainsFunc(cells, r.lacksResult(everyColumn)) {
		return nil, r.noResults(ctx, w, 0, everyColumn)
	}
	return r.names, nil
}

// mostTitle is how many rows are looked at for the names of the columns.
const mostTitle = 20

func areTexts(cells []cell) bool {
	return !slices.ContainsFunc(cells, func(c cell) bool { return !c.isText })
}

// everyColumn is where the names of the columns may lack a result.
func everyColumn(int) bool { return true }

// lacksResult reports whether a cell is a formula without a stored result, in a column of the table that is read.
func (r *Reader) lacksResult(isRead func(column int) bool) func(cell) bool {
	return func(c cell) bool { return c.noResult && c.column < len(r.names) && isRead(c.column) }
}

// noResults returns the error about the formulas without a stored result in the columns that are read. Some programs that write
// workbooks do not compute formulas.
func (r *Reader) noResults(ctx context.Context, w *workbook, file int, isRead func(column int) bool) error {
	count, first := 0, ""
	lacks := r.lacksResult(isRead)
	found := make(map[int]bool) // columns
	if err := w.eachRow(func(row int, cells []cell) error {
		for _, c := range cells {
			if !lacks(c) {
				continue
			}
			if count++; count == 1 {
				first = columnName(c.column) + strconv.Itoa(row)
			}
			found[c.column] = true
		}
		return ctx.Err()
	}); err != nil {
		return damaged(r.inputs[file].Name, err)
	}
	var names []string
	for column, name := range r.names {
		if found[column] {
			names = append(names, name)
		}
	}
	return chunk.Errorf("%s: sheet %q has %d %s without a stored result, the first in cell %s, in %s %s (open the file in a spreadsheet program and save it; "+
		"soffice --headless --convert-to xlsx --outdir saved FILE does the same, into the folder saved)",
		r.inputs[file].Name, w.title, count, chunk.Plural(count, "formula"), first, chunk.Plural(len(names), "column"), chunk.NameList(names, 20))
}

// namesOf returns the texts of the cells of the first row. Columns without one are called by their position.
func namesOf(w *workbook, cells []cell) []string {
	var names []string
	for i := range cells {
		for len(names) < cells[i].column {
			names = append(names, "c"+strconv.Itoa(len(names)+1))
		}
		name := string(plain.Trim(w.content(&cells[i])))
		if name == "" {
			name = "c" + strconv.Itoa(len(names)+1)
		}
		names = append(names, name)
	}
	return names
}

// HasHeader reports whether the first row holds the names of the columns.
func (r *Reader) HasHeader() bool { return r.header }

// rows visits the rows of an input.
func (r *Reader) rows(w *workbook, file int, visit func(row int, cells []cell) error) error {
	err := w.eachRow(visit)
	if err == nil || errors.Is(err, errStop) {
		return r.blobs[file].Unchanged()
	}
	return damaged(r.inputs[file].Name, err)
}

// A chunk has up to chunkRows rows, fewer where there are many columns.
const (
	chunkRows  = 1 << 14
	chunkCells = 1 << 22
)

// Read goes through all inputs.
func (r *Reader) Read(ctx context.Context, p *chunk.Pass) error {
	most := max(1, min(chunkRows, chunkCells/len(r.names)))
	if p.ChunkRows > 0 {
		most = min(most, p.ChunkRows)
	}
	l := csv.NewLayout(r.Options, p, len(r.names))
	s := &sheetPass{Reader: r, ctx: ctx, pass: p, fields: csv.NewFields(l), most: most}
	for file := range r.inputs {
		if r.inputs[file].Skipped() {
			continue
		}
		if err := s.file(file); err != nil || p.Stop.Load() || ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// sheetPass is one pass over the inputs.
type sheetPass struct {
	*Reader
	ctx    context.Context
	pass   *chunk.Pass
	fields *csv.Fields
	most   int // rows of a chunk
	index  int // of the current chunk

	number    int // of the input
	first     int // row of the sheet that the chunk begins with
	isOpen    bool
	needsHead bool
}

// file reads an input.
func (s *sheetPass) file(number int) error {
	w, err := s.workbook(s.ctx, number)
	if err != nil {
		return err
	}
	s.number, s.first, s.needsHead = number, 1, s.header
	last := 0
	err = s.rows(w, number, func(row int, cells []cell) error {
		if s.needsHead {
			s.needsHead = false
			if slices.ContainsFunc(cells, s.lacksResult(everyColumn)) {
				return s.noResults(s.ctx, w, number, everyColumn)
			}
			return s.sameColumns(w, cells)
		}
		last = row
		return s.row(w, row, cells)
	})
	if s.isOpen {
		s.send(last + 1)
	}
	return err
}

// sameColumns checks that an input has the columns of the first.
func (s *sheetPass) sameColumns(w *workbook, cells []cell) error {
	return chunk.SameColumns(s.inputs[s.number].Name, namesOf(w, cells), s.inputs[0].Name, s.names)
}

// row takes a row.
func (s *sheetPass) row(w *workbook, row int, cells []cell) error {
	f := s.fields
	if s.isOpen && f.Chunk().Rows == s.most {
		s.send(row)
	}
	if !s.isOpen {
		if s.ctx.Err() != nil || s.pass.Stop.Load() {
			return errStop
		}
		f.Begin(s.index, s.number, s.most)
		s.isOpen = true
		f.Chunk().ByRow = true
	}
	if slices.ContainsFunc(cells, s.lacksResult(f.Wants)) {
		return s.noResults(s.ctx, w, s.number, f.Wants)
	}
	f.Chunk().Lines = row - s.first
	for i := range cells {
		c := &cells[i]
		if c.column >= len(s.names) {
			refused := &chunk.ShapeError{Text: fmt.Sprintf("cell %s%d is beyond the last column of the table, %s", columnName(c.column), row, columnName(len(s.names)-1)),
				Fix: s.OrSkip("name its column in the first row or clear it")}
			switch {
			case s.title > 0:
				refused.Fix = fmt.Sprintf("set skip_lines = %d if row %d has the names of the columns", s.title, s.title+1)
			case len(s.names) == 1:
				refused.Fix = "delete all rows above the names of the columns"
			}
			if !f.DropRow(refused) {
				return errStop
			}
			return nil
		}
		switch {
		case !f.Wants(c.column):
		case c.isText || c.isClock():
			f.Text(c.column, w.content(c))
		case c.kind == date:
			f.Date(c.column, w.secondsOf(c.number), w.content(c))
		default:
			f.Number(c.column, c.number, nil)
		}
	}
	f.EndRow()
	return nil
}

// send emits the chunk before the next row.
func (s *sheetPass) send(next int) {
	s.fields.Chunk().Lines = next - s.first
	s.first, s.isOpen = next, false
	s.index++
	s.pass.Send(s.fields.End())
}

// Notes reports which of several sheets is read, and whether the columns have names.
func (r *Reader) Notes(int) []string {
	var notes []string
	if len(r.sheets) > 1 && r.Sheet == "" {
		notes = append(notes, fmt.Sprintf("the sheet %q of %s is read, the first of %d (set data.sheet = %q for the next one)", r.sheets[0], r.inputs[0].Name, len(r.sheets), r.sheets[1]))
	}
	if r.header {
		if r.title > 0 {
			notes = append(notes, fmt.Sprintf("row %d of %s looks like the names of the columns (set skip_lines = %d to leave out what stands above it)", r.title+1, r.inputs[0].Name, r.title))
		}
		return notes
	}
	return append(notes, fmt.Sprintf("the first row of %s is no header: its columns are called c1 to %s", r.inputs[0].Name, r.names[len(r.names)-1]))
}

// Close closes the files.
func (r *Reader) Close() {
	for _, b := range r.blobs {
		if b != nil {
			b.Close()
		}
	}
}
