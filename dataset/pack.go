package dataset

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"boost/dataset/internal/chunk"
)

// packed describes a table whose values stand in bytes beside it, in this order and
// little-endian:
//
//	per column   its values: float32, float64 or int32 codes × rows
//	             the runs of the row locations: row, line, file, int64 × 3 each
//	             the origins of the rows, int32 × rows, if it has any
type packed struct {
	Rows    int            `json:"rows"`
	Columns []ColumnSchema `json:"columns"`
	Levels  [][]byte       `json:"levels"` // by column: its levels, each as a length and bytes
	Counts  []int          `json:"counts"` // by column: the number of levels
	Files   []string       `json:"files,omitempty"`
	Runs    int            `json:"runs,omitempty"`
	ByRow   bool           `json:"by_row,omitempty"`
	Origin  bool           `json:"origin,omitempty"`
	Skipped int            `json:"skipped,omitempty"`
	Notes   []string       `json:"notes,omitempty"`
}

// mostPacked is how many columns a packed table may have: the label, weights, groups and as many start scores as there
// are classes. It may have 16 times as many names of files and notes.
const mostPacked = 1 << 14

// ErrPacked is wrapped by errors about packed bytes that are no table.
var ErrPacked = errors.New("no packed table")

// Pack writes the table as bytes from which Unpack makes it again. Columns of text,
// which ids are, are left out.
func (t *Table) Pack() (head, values []byte) {
	p := packed{Rows: t.rows, Files: t.locations.Files, Runs: len(t.locations.Runs), ByRow: t.locations.ByRow,
		Origin: t.locations.Origin != nil, Skipped: t.skipped, Notes: t.notes}
	for _, c := range t.columns {
		if c.kind == Text {
			continue
		}
		s := columnSchema(c)
		s.Levels = nil
		var levels []byte
		for _, level := range c.levels {
			levels = append(binary.AppendUvarint(levels, uint64(len(level))), level...)
		}
		p.Columns, p.Levels, p.Counts = append(p.Columns, s), append(p.Levels, levels), append(p.Counts, len(c.levels))
		switch c = c.dense(); c.kind {
		case Float32:
			for _, v := range c.Float32s() {
				values = binary.LittleEndian.AppendUint32(values, math.Float32bits(v))
			}
		case Float64:
			for _, v := range c.Float64s() {
				values = binary.LittleEndian.AppendUint64(values, math.Float64bits(v))
			}
		default:
			for _, code := range c.Codes() {
				values = binary.LittleEndian.AppendUint32(values, uint32(code))
			}
		}
	}
	for _, run := range t.locations.Runs {
		for _, v := range []int{run.Row, run.Line, int(run.File)} {
			values = binary.LittleEndian.AppendUint64(values, uint64(v))
		}
	}
	for _, row := range t.locations.Origin {
		values = binary.LittleEndian.AppendUint32(values, uint32(row))
	}
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
	var p packed
	if err := json.Unmarshal(head, &p); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPacked, err)
	}
	if p.Rows < 0 || p.Rows > math.MaxInt32 || p.Runs < 0 || p.Runs > len(values) ||
		len(p.Levels) != len(p.Columns) || len(p.Counts) != len(p.Columns) {
		return nil, fmt.Errorf("%w: its head makes no sense", ErrPacked)
	}
	u := &packedBytes{unread: values}
	t := &Table{rows: p.Rows, skipped: p.Skipped, notes: p.Notes, index: new(nameIndex)}
	for i, s := range p.Columns {
		c, err := u.column(&p, i)
		if err != nil {
			return nil, fmt.Errorf("%w: column %q: %w", ErrPacked, s.Name, err)
		}
		t.columns = append(t.columns, c)
	}
	t.locations = chunk.RowLocations{Files: p.Files, ByRow: p.ByRow}
	runs := u.take(24 * p.Runs)
	for i := range len(runs) / 24 {
		at := func(k int) int64 { return int64(binary.LittleEndian.Uint64(runs[24*i+8*k:])) }
		t.locations.Runs = append(t.locations.Runs, chunk.LineRun{Row: int(at(0)), Line: int(at(1)), File: int32(at(2))})
	}
	if p.Origin {
		for origin := u.take(4 * p.Rows); len(origin) > 0; origin = origin[4:] {
			t.locations.Origin = append(t.locations.Origin, int32(binary.LittleEndian.Uint32(origin)))
		}
	}
	if u.short || len(u.unread) > 0 || !t.locations.Sound(t.rows) {
		return nil, fmt.Errorf("%w: %d bytes of values", ErrPacked, len(values))
	}
	return t, nil
}

// packedBytes takes values off the front.
type packedBytes struct {
	unread []byte
	short  bool
}

func (u *packedBytes) take(n int) []byte {
	if n > len(u.unread) {
		u.short = true
		return nil
	}
	taken := u.unread[:n]
	u.unread = u.unread[n:]
	return taken
}

func (u *packedBytes) column(p *packed, i int) (*Column, error) {
	s := p.Columns[i]
	width := 4
	if s.Kind == Float64 {
		width = 8
	}
	b := u.take(width * p.Rows)
	if u.short {
		return nil, errors.New("cut short")
	}
	switch s.Kind {
	case Float32:
		values := make([]float32, p.Rows)
		for row := range values {
			values[row] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*row:]))
		}
		return float32Column(s.Name, s.Role, values), nil
	case Float64:
		values := make([]float64, p.Rows)
		for row := range values {
			values[row] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*row:]))
		}
		return float64Column(s.Name, s.Role, values), nil
	case Category:
	default:
		return nil, fmt.Errorf("kind %d", s.Kind)
	}
	levels, err := unpackLevels(p.Levels[i], p.Counts[i])
	if err != nil {
		return nil, err
	}
	codes := make([]int32, p.Rows)
	for row := range codes {
		codes[row] = int32(binary.LittleEndian.Uint32(b[4*row:]))
		if codes[row] < chunk.MissingCode || int(codes[row]) >= len(levels) {
			return nil, fmt.Errorf("code %d of %d levels", codes[row], len(levels))
		}
	}
	return categoryColumn(s.Name, s.Role, codes, levels, s.NumericLevels), nil
}

func unpackLevels(b []byte, count int) ([]string, error) {
	// Levels are different: one has no letters, 256 have one, the others two at least.
	if count < 0 || count > len(b) || max(count-1, 0)+max(count-257, 0) > len(b)-count {
		return nil, fmt.Errorf("%d levels in %d bytes", count, len(b))
	}
	levels, all := make([]string, 0, count), string(b) // the levels are parts of it
	for len(b) > 0 {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return nil, errors.New("levels cut short")
		}
		at := len(all) - len(b) + size
		levels = append(levels, all[at:at+int(n)])
		b = b[size+int(n):]
	}
	if len(levels) != count {
		return nil, fmt.Errorf("%d levels instead of %d", len(levels), count)
	}
	return levels, nil
}
