package dataset

import (
	"errors"
	"fmt"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/packed"
)

// ErrPacked is wrapped by errors about packed bytes that are no table.
var ErrPacked = errors.New("no packed table")

// Pack writes the table as bytes from which Unpack makes it again. Columns of text,
// which ids are, are left out.
func (t *Table) Pack() (head, values []byte) {
	p := packed.Head{Rows: t.rows, Files: t.locations.Files, Runs: len(t.locations.Runs), ByRow: t.locations.ByRow,
		Origin: t.locations.Origin != nil, Skipped: t.skipped, Notes: t.notes}
	for _, c := range t.columns {
		if c.kind == Text {
			continue
		}
		s := columnSchema(c)
		s.Levels = nil
		p.Columns, p.Levels, p.Counts = append(p.Columns, s), append(p.Levels, packed.AppendTexts(nil, c.Levels())), append(p.Counts, len(c.Levels()))
		switch c = c.dense(); c.kind {
		case Float32:
			values = packed.AppendFloat32s(values, c.Float32s())
		case Float64:
			values = packed.AppendFloat64s(values, c.Float64s())
		default:
			values = packed.AppendInt32s(values, c.Codes())
		}
	}
	for _, run := range t.locations.Runs {
		values = packed.AppendInts(values, run.Row, run.Line, int(run.File))
	}
	return p.Bytes(), packed.AppendInt32s(values, t.locations.Origin)
}

// Unpack makes the table that Pack wrote. Bytes that are none are an ErrPacked; nothing
// is allocated that their number does not justify.
func Unpack(head, values []byte) (*Table, error) {
	p, err := packed.ParseHead(head, len(values))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPacked, err)
	}
	r := packed.NewReader(values)
	t := &Table{rows: p.Rows, skipped: p.Skipped, notes: p.Notes, index: new(nameIndex)}
	for i, s := range p.Columns {
		c, err := unpackColumn(&p, r, i)
		if err == nil && r.Short() {
			err = errors.New("cut short")
		}
		if err != nil {
			return nil, fmt.Errorf("%w: column %q: %w", ErrPacked, s.Name, err)
		}
		t.columns = append(t.columns, c)
	}
	t.locations = chunk.RowLocations{Files: p.Files, ByRow: p.ByRow}
	runs := r.Ints(3 * p.Runs)
	for ; len(runs) > 0; runs = runs[3:] {
		t.locations.Runs = append(t.locations.Runs, chunk.LineRun{Row: runs[0], Line: runs[1], File: int32(runs[2])})
	}
	if p.Origin {
		t.locations.Origin = r.Int32s(p.Rows)
	}
	if !r.Ended() || !t.locations.Sound(t.rows) {
		return nil, fmt.Errorf("%w: %d bytes of values", ErrPacked, len(values))
	}
	return t, nil
}

func unpackColumn(p *packed.Head, r *packed.Reader, i int) (*Column, error) {
	s := p.Columns[i]
	switch s.Kind {
	case Float32:
		return float32Column(s.Name, s.Role, r.Float32s(p.Rows)), nil
	case Float64:
		return float64Column(s.Name, s.Role, r.Float64s(p.Rows)), nil
	case Category:
	default:
		return nil, fmt.Errorf("kind %d", s.Kind)
	}
	levels, err := packed.Texts(p.Levels[i], p.Counts[i])
	if err != nil {
		return nil, err
	}
	codes, err := r.Codes(p.Rows, len(levels))
	if err != nil {
		return nil, err
	}
	return categoryColumn(s.Name, s.Role, codes, levels, s.NumericLevels), nil
}
