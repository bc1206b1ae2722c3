package predictions

import (
	"context"
	"fmt"
	"io"
	"slices"

	"boost/dataset"
	"boost/dataset/write"
	"boost/internal/unseen"
)

// Stream predicts a table that passes by in parts. What can be done for a part
// alone, up to the bytes of its lines, is done by whoever has the part; only writing is
// done in turn.
type Stream struct {
	Predictions
	Files []string        // of the table
	Whole map[string]bool // id columns that hold whole numbers; where the format has types

	Unseen *unseen.Levels
	Rows   int  // written
	Lacks  bool // init scores, which the model was trained from
}

// NewStream begins with no rows. mode says how to treat categories that training did not have: see unseen.New.
func NewStream(p Predictions, mode string) (*Stream, error) {
	levels, err := unseen.New(p.Model, mode)
	if err != nil {
		return nil, err
	}
	return &Stream{Predictions: p, Unseen: levels}, nil
}

// Write writes a line per row of the table, as Predictions.Write does of a whole one.
func (p *Stream) Write(ctx context.Context, w io.Writer, s *dataset.Stream) error {
	out := write.NewWriter(w, p.Format)
	err := s.Each(ctx, func(t *dataset.Table) (func() error, error) {
		addUnseen, err := p.Unseen.Look(t)
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
		lacks := p.Model.LacksInitScores(t)
		put := out.Prepare(part)
		return func() error {
			p.Lacks = lacks
			addUnseen()
			return put()
		}, nil
	})
	if err == nil {
		err = p.Unseen.Check(p.Files)
	}
	if err == nil {
		err = out.Close()
	}
	p.Rows = out.Rows()
	return err
}

// resolveIDs gives the id columns of a part their types.
func (p *Stream) resolveIDs(columns []write.Column) error {
	for i := range columns {
		c := &columns[i]
		if c.Texts == nil || !p.Whole[c.Name] {
			continue
		}
		var kind write.WholeNumbers
		if kind.See(c.Texts...); kind.Odd {
			return fmt.Errorf("%w: column %q changed while it was read: its cells were whole numbers", dataset.ErrTable, c.Name)
		}
		c.Whole = true
	}
	return nil
}

// TypesIDs reports whether the type of an id column, which follows from all ids, has to be
// known before the first row is written.
func (p *Predictions) TypesIDs(s dataset.Schema) bool {
	return !write.IsText(p.Format) && (p.All || len(p.IDs) > 0 || len(onlyIDs(s).Columns) > 0)
}

// IDSchema is the schema by which ids are read alone. LibSVM text has the columns that the schema
// names.
func (p *Predictions) IDSchema(s dataset.Schema) dataset.Schema {
	if p.All {
		return s
	}
	return onlyIDs(s)
}

// onlyIDs leaves of a schema the id columns.
func onlyIDs(s dataset.Schema) dataset.Schema {
	return dataset.Schema{Written: s.Written, Columns: slices.DeleteFunc(slices.Clone(s.Columns), func(c dataset.ColumnSchema) bool { return c.Role != dataset.IDRole })}
}

// WholeIDs goes through a table that was read by IDSchema, and says which id columns hold whole numbers.
func WholeIDs(ctx context.Context, s *dataset.Stream) (map[string]bool, error) {
	kinds := map[string]*write.WholeNumbers{}
	err := s.Each(ctx, func(t *dataset.Table) (func() error, error) {
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
	whole := map[string]bool{}
	for name, k := range kinds {
		whole[name] = k.Hold()
	}
	return whole, err
}
