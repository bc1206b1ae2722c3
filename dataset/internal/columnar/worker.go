package columnar

import (
	"context"
	"errors"
	"fmt"

	"boost/dataset/internal/chunk"
)

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
