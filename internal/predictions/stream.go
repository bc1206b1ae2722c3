package predictions

import (
	"context"
	"fmt"
	"io"
	"math/bits"
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
	Shard Shard           // what is written
	Total int             // rows of the table; of a shard only

	Unseen *unseen.Levels
	Rows   int  // written
	Lacks  bool // init scores, which the model was trained from
}

// Shard is one of Of parts of the rows of a table, as even as whole rows can be: of N rows part 0 ≤ Part < Of has those from
// ⌊Part·N/Of⌋ on and before ⌊(Part+1)·N/Of⌋. The zero Shard is all rows.
type Shard struct{ Part, Of int }

// Rows returns the first row of the shard and the one behind its last.
func (s Shard) Rows(all int) (first, end int) {
	at := func(part int) int {
		hi, lo := bits.Mul64(uint64(part), uint64(all))
		quotient, _ := bits.Div64(hi, lo, uint64(s.Of)) // part ≤ Of, so it is at most all
		return int(quotient)
	}
	return at(s.Part), at(s.Part + 1)
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
	if p.Shard.Of > 0 {
		s.Limit(p.Shard.Rows(p.Total))
	}
	if p.Shard.Part > 0 { // the line of names stands before the rows of the first
		out.NoHeader()
	}
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

// Survey goes through a whole table and returns its number of rows, and which id columns hold whole numbers. Categories that training did not
// have are judged as Write does.
func (p *Stream) Survey(ctx context.Context, s *dataset.Stream) (rows int, whole map[string]bool, err error) {
	if whole, err = wholeIDs(ctx, s, p.Unseen.Look); err == nil {
		err = p.Unseen.Check(p.Files)
	}
	return s.NumRows(), whole, err
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
	return wholeIDs(ctx, s, func(*dataset.Table) (func(), error) { return func() {}, nil })
}

// wholeIDs is WholeIDs for a table whose parts are looked at, too.
func wholeIDs(ctx context.Context, s *dataset.Stream, look func(*dataset.Table) (add func(), err error)) (map[string]bool, error) {
	kinds := map[string]*write.WholeNumbers{}
	err := s.Each(ctx, func(t *dataset.Table) (func() error, error) {
		add, err := look(t)
		if err != nil {
			return nil, err
		}
		columns := slices.DeleteFunc(slices.Clone(t.Columns()), func(c *dataset.Column) bool { return c.Role() != dataset.IDRole })
		seen := make([]write.WholeNumbers, len(columns))
		for i, c := range columns {
			for row := range t.NumRows() {
				seen[i].See(c.Text(row))
			}
		}
		return func() error {
			add()
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
