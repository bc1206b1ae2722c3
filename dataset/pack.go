package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/packed"
)

// packedHead describes a table whose values stand in bytes beside it, in this order and
// little-endian:
//
//	per column   its values: float32, float64 or int32 codes × rows
//	             the runs of the row locations: row, line, file, int64 × 3 each
//	             the origins of the rows, int32 × rows, if it has any
type packedHead struct {
	Rows    int           `json:"rows"`
	Columns packedColumns `json:"columns"`
	Levels  [][]byte      `json:"levels"` // by column: its levels, each as a length and bytes
	Counts  []int         `json:"counts"` // by column: the number of levels
	Files   []string      `json:"files,omitempty"`
	Runs    int           `json:"runs,omitempty"`
	ByRow   bool          `json:"by_row,omitempty"`
	Origin  bool          `json:"origin,omitempty"`
	Skipped int           `json:"skipped,omitempty"`
	Notes   []string      `json:"notes,omitempty"`
}

type packedColumns []ColumnSchema

// UnmarshalJSON ends at the first element that is no column, where package json goes on and makes room for all that follow.
func (c *packedColumns) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	if open, err := d.Token(); err != nil || open == nil {
		return err
	} else if open != json.Delim('[') {
		return errors.New("columns are a list")
	}
	for d.More() {
		var one ColumnSchema
		if err := d.Decode(&one); err != nil {
			return err
		}
		if *c = append(*c, one); len(*c) > mostPacked {
			return fmt.Errorf("more than %d columns", mostPacked)
		}
	}
	return nil
}

// mostPacked is how many columns a packed table may have: the label, weights, groups and as many start scores as there
// are classes. It may have 16 times as many names of files and notes.
const mostPacked = 1 << 14

// ErrPacked is wrapped by errors about packed bytes that are no table.
var ErrPacked = errors.New("no packed table")

// Pack writes the table as bytes from which Unpack makes it again. Columns of text,
// which ids are, are left out.
func (t *Table) Pack() (head, values []byte) {
	p := packedHead{Rows: t.rows, Files: t.locations.Files, Runs: len(t.locations.Runs), ByRow: t.locations.ByRow,
		Origin: t.locations.Origin != nil, Skipped: t.skipped, Notes: t.notes}
	for _, c := range t.columns {
		if c.kind == Text {
			continue
		}
		s := columnSchema(c)
		s.Levels = nil
		p.Columns, p.Levels, p.Counts = append(p.Columns, s), append(p.Levels, packed.AppendTexts(nil, c.levels)), append(p.Counts, len(c.levels))
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
	values = packed.AppendInt32s(values, t.locations.Origin)
	head, err := json.Marshal(p)
	if err != nil {
		panic(err) // texts and numbers always marshal
	}
	return head, values
}

// Unpack makes the table that Pack wrote. Bytes that are none are an ErrPacked; nothing
// is allocated that their number does not justify.
func Unpack(head, values []byte) (*Table, error) {
	if bytes.Count(head, []byte("{")) > mostPacked || bytes.Count(head, []byte(",")) > 16*mostPacked {
		return nil, fmt.Errorf("%w: it has more columns or files than can be", ErrPacked)
	}
	var p packedHead
	if err := json.Unmarshal(head, &p); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPacked, err)
	}
	if p.Rows < 0 || p.Rows > math.MaxInt32 || p.Runs < 0 || p.Runs > len(values) ||
		len(p.Levels) != len(p.Columns) || len(p.Counts) != len(p.Columns) {
		return nil, fmt.Errorf("%w: its head makes no sense", ErrPacked)
	}
	r := packed.NewReader(values)
	t := &Table{rows: p.Rows, skipped: p.Skipped, notes: p.Notes, index: new(nameIndex)}
	for i, s := range p.Columns {
		c, err := p.column(r, i)
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

// column reads a column.
func (p *packedHead) column(r *packed.Reader, i int) (*Column, error) {
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
	codes := r.Int32s(p.Rows)
	for _, code := range codes {
		if code < chunk.MissingCode || int(code) >= len(levels) {
			return nil, fmt.Errorf("code %d of %d levels", code, len(levels))
		}
	}
	return categoryColumn(s.Name, s.Role, codes, levels, s.NumericLevels), nil
}
