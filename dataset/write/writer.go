package write

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"

	"boost/parallel"
)

// All writes the rows of tables one after another, one or more, which have the same columns. A format that is none of Formats is an error.
func All(ctx context.Context, w io.Writer, format string, tables []Table) error {
	if len(tables) == 0 {
		return errors.New("there is no table to write")
	}
	if text := textForms[format]; text != nil {
		return text.write(ctx, w, tables)
	}
	return writeGroups(ctx, w, format, tables)
}

// Writer writes a table that comes in parts of consecutive rows. What can be done for a part alone, up to
// the bytes of its lines, is done by whoever has the part.
type Writer struct {
	w      io.Writer
	format string
	form   *textForm // nil for a format of groups
	lines  sync.Pool // of *[]byte
	groups *gathering
	rows   int

	noHeader bool
}

// NewWriter makes a writer of a format. One that is none of Formats is an error of the first part that is written.
func NewWriter(w io.Writer, format string) *Writer {
	return &Writer{w: w, format: format, form: textForms[format]}
}

// NoHeader leaves out the line of names before the rows. It is called before Prepare.
func (w *Writer) NoHeader() { w.noHeader = true }

// Rows returns the number of rows that were written.
func (w *Writer) Rows() int {
	if w.groups != nil {
		return w.groups.written
	}
	return w.rows
}

// Prepare does what can be done for a part alone and returns what writes it. Several goroutines may call
// it at once; what it returns is called for one part at a time, in the order of the rows. Texts may be
// used for other rows once Prepare has returned, numbers once they are written.
func (w *Writer) Prepare(table Table) (write func() error) {
	if w.form == nil {
		for i := range table.Columns {
			table.Columns[i].Texts = ownTexts(table.Columns[i].Texts)
		}
		return func() (err error) {
			if w.groups == nil {
				if w.groups, err = newGathering(w.w, w.format, table.Columns); err != nil {
					return err
				}
			}
			return w.groups.add(table)
		}
	}
	b, _ := w.lines.Get().(*[]byte)
	if b == nil {
		b = new([]byte)
	}
	*b = w.form.lines((*b)[:0], table.Columns, 0, table.Rows)
	header, rows := w.form.header(table.Columns), table.Rows
	return func() error {
		defer w.lines.Put(b)
		if w.rows == 0 && !w.noHeader {
			if _, err := w.w.Write(header); err != nil {
				return err
			}
		}
		if _, err := w.w.Write(*b); err != nil {
			return err
		}
		w.rows += rows
		return nil
	}
}

// Close writes what is left, and the end of the file.
func (w *Writer) Close() error {
	if w.groups == nil {
		return nil
	}
	return w.groups.close()
}

// ownTexts copies texts that lie in the memory of others.
func ownTexts(texts []string) []string {
	if texts == nil {
		return nil
	}
	var b strings.Builder
	for _, text := range texts {
		b.WriteString(text)
	}
	all := b.String()
	own := make([]string, len(texts))
	for i, text := range texts {
		own[i], all = all[:len(text)], all[len(text):]
	}
	return own
}

// everyBlock calls write for blocks of rows until all are written or the context ends.
func everyBlock(ctx context.Context, rows, size int, write func(lo, hi int) error) error {
	for block := range parallel.Blocks(rows, size) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := write(parallel.Block(block, rows, size)); err != nil {
			return err
		}
	}
	return nil
}
