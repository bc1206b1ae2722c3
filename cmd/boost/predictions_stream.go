package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"boost/dataset"
	"boost/dataset/write"
	"boost/internal/format"
	"boost/internal/output"
	"boost/internal/unseen"
)

// predictionStream predicts a table that passes by in parts. What can be done for a part
// alone, up to the bytes of its lines, is done by whoever has the part; only writing is
// done in turn.
type predictionStream struct {
	predictions
	onUnseen string
	files    []string        // of the table
	whole    map[string]bool // id columns that hold whole numbers; where the format has types
	rows     int             // written

	unseen *unseen.Levels
	lacks  bool // init scores, which the model was trained from
}

// write writes a line per row of the table, as predictions.write does of a whole one.
func (p *predictionStream) write(ctx context.Context, w io.Writer, s *dataset.Stream) error {
	var err error
	if p.unseen, err = newUnseen(p.model, p.onUnseen); err != nil {
		return err
	}
	out := write.NewWriter(w, p.format)
	err = s.Each(ctx, func(t *dataset.Table) (func() error, error) {
		addUnseen, err := p.unseen.Look(t)
		if err != nil {
			return nil, err
		}
		part := write.Table{Rows: t.NumRows()}
		if part.Columns, err = p.columns(ctx, t); err != nil {
			return nil, err
		}
		if err := p.resolveIDs(part.Columns); err != nil {
			return nil, err
		}
		lacks := p.model.LacksInitScores(t)
		put := out.Prepare(part)
		return func() error {
			p.lacks = lacks
			addUnseen()
			return put()
		}, nil
	})
	if err == nil {
		err = p.unseen.Check(p.files)
	}
	if err == nil {
		err = out.Close()
	}
	p.rows = out.Rows()
	return err
}

// resolveIDs gives the id columns of a part their types.
func (p *predictionStream) resolveIDs(columns []write.Column) error {
	for i := range columns {
		c := &columns[i]
		if c.Texts == nil || !p.whole[c.Name] {
			continue
		}
		var kind write.WholeNumbers
		if kind.See(c.Texts...); kind.Odd {
			return tablef("column %q changed while it was read: its cells were whole numbers", c.Name)
		}
		c.Whole = true
	}
	return nil
}

// partlyError is an error after rows were written that cannot be taken back.
type partlyError struct {
	error
	rows int
}

func (e *partlyError) Error() string {
	return fmt.Sprintf("%v; written before that: %s", e.error, format.Counted(e.rows, "row"))
}

func (e *partlyError) Unwrap() error { return e.error }

// predictStream predicts the table part by part. Its memory does not grow with the rows.
func (a *app) predictStream(ctx context.Context, p *predictionStream, files []string, file string, opts ...dataset.Option) error {
	p.files = files
	s, err := a.stream(ctx, files, opts...)
	if err != nil {
		return err
	}
	defer s.Close()
	err = a.writeOutput(file, func(w *bufio.Writer) error {
		return write.Packed(w, file, func(w io.Writer) error { return p.write(ctx, w, s) })
	})
	if err != nil {
		partly := p.rows > 0 && !output.Replaced(file) && (errors.Is(err, dataset.ErrTable) || ctx.Err() != nil)
		if err = ofPredicting(err); partly {
			err = &partlyError{err, p.rows}
		}
		return err
	}
	a.tell(s.Notes())
	a.log.Debug("table read", "table", strings.Join(files, " "), "rows", s.NumRows(), "columns", s.Columns())
	a.tell(p.unseen.Notes(s.NumRows()))
	a.reportInitScores(p.lacks, strings.Join(files, " "))
	return nil
}

// typesIDs reports whether the type of an id column, which follows from all ids, has to be
// known before the first row is written.
func (p *predictions) typesIDs(s dataset.Schema) bool {
	return !write.IsText(p.format) && (p.all || len(p.ids) > 0 || len(onlyIDs(s).Columns) > 0)
}

// idSchema is the schema by which ids are read alone. LibSVM text has the columns that the schema
// names.
func (p *predictions) idSchema(s dataset.Schema) dataset.Schema {
	if p.all {
		return s
	}
	return onlyIDs(s)
}

// onlyIDs leaves of a schema the id columns.
func onlyIDs(s dataset.Schema) dataset.Schema {
	return dataset.Schema{Written: s.Written, Columns: slices.DeleteFunc(slices.Clone(s.Columns), func(c dataset.ColumnSchema) bool { return c.Role != dataset.IDRole })}
}

// wholeIDs goes through the ids of files, without its other columns, and says which id
// columns hold whole numbers. ok is false where that cannot be found out so.
func (a *app) wholeIDs(ctx context.Context, files []string, opts ...dataset.Option) (whole map[string]bool, ok bool) {
	if _, err := dataset.Files(files, opts...); err != nil { // standard input and pipes can be read once
		return nil, false
	}
	s, err := a.stream(ctx, files, opts...)
	if err != nil {
		return nil, false
	}
	defer s.Close()
	kinds := map[string]*write.WholeNumbers{}
	err = s.Each(ctx, func(t *dataset.Table) (func() error, error) {
		columns := slices.DeleteFunc(slices.Clone(t.Columns()), func(c *dataset.Column) bool { return c.Role() != dataset.IDRole })
		seen := make([]write.WholeNumbers, len(columns))
		for i, c := range columns {
			for row := range t.NumRows() {
				seen[i].See(c.Text(row))
			}
		}
		return func() error {
			for i, c := range columns {
				k := kinds[c.Name()]
				if k == nil {
					k = new(write.WholeNumbers)
					kinds[c.Name()] = k
				}
				k.Add(seen[i])
			}
			return nil
		}, nil
	})
	whole = map[string]bool{}
	for name, k := range kinds {
		whole[name] = k.Hold()
	}
	return whole, err == nil
}
