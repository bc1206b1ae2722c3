package columnar

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"unicode/utf8"
	"unsafe"

	"boost/dataset/internal/chunk"
)

// ColumnSink makes column chunks for a target of the values of a file's column.
type ColumnSink struct {
	*chunk.Options
	Ctx      context.Context // of the pass
	Field    *Field
	Kind     chunk.Target
	Wide     bool              // float64 was needed before
	levelsOf *chunk.Dictionary // that codes refer to
	text     []byte            // of one value
	broken   []byte            // the first value that should be text and is not, nil without one
}

// NewColumn returns an empty column chunk with room for so many rows.
func (c *ColumnSink) NewColumn(room int) *chunk.ColumnChunk {
	p := chunk.NewColumn()
	switch {
	case c.Kind.Want == chunk.WantText:
		p.OwnWords().Offsets = make([]int32, 1, room+1)
	case !c.AsNumbers():
		if c.levelsOf == nil {
			c.levelsOf = chunk.NewDictionary()
		}
		w := p.OwnWords()
		w.Dictionary, w.Codes = c.levelsOf, make([]int32, 0, room)
	case c.Wide:
		p.F64 = make([]float64, 0, room)
	default:
		p.F32 = make([]float32, 0, room)
	}
	return p
}

// AsNumbers reports whether the target's column chunks are numbers.
func (c *ColumnSink) AsNumbers() bool {
	return !c.Field.IsText() && (c.Kind.Want == chunk.WantAny || c.Kind.Want == chunk.WantNumber)
}

// Finish counts what a column chunk holds.
func (c *ColumnSink) Finish(p *chunk.ColumnChunk, index int) {
	switch {
	case p.Codes != nil:
		p.NoteLevels(index)
		for row := 0; row < len(p.Codes) && c.broken != nil; row++ {
			if p.Codes[row] == chunk.BrokenCode {
				p.AddOdd(row, c.broken, c.SkipBadRows)
			}
		}
	case p.Offsets != nil && c.Field.IsText():
		for row := range len(p.Offsets) - 1 {
			if text := p.Text[p.Offsets[row]:p.Offsets[row+1]]; !utf8.Valid(text) {
				p.AddOdd(row, text, c.SkipBadRows)
			}
		}
	case p.Numeric():
		p.Blank(c.MissingNumbers)
		p.Typed = true
		p.Present = chunk.Present(p.F32) + chunk.Present(p.F64)
		p.Gaps = p.Present < p.Rows()
		p.Dates = c.Field.isDate() && p.Present > 0
		c.Wide = c.Wide || p.F64 != nil
	}
}

// TextOf returns a value as text, valid until the next call.
func (c *ColumnSink) TextOf(raw []byte) ([]byte, error) {
	if c.Field.isNaN(raw) {
		return nil, nil
	}
	c.text = c.Field.appendText(c.text[:0], raw, &c.Options.Dialect)
	return c.text, nil
}

// CodeOf returns the code of a value's level.
func (c *ColumnSink) CodeOf(raw []byte) (int32, error) {
	if c.Field.isNaN(raw) {
		return chunk.MissingCode, nil
	}
	c.text = c.Field.appendText(c.text[:0], raw, &c.Options.Dialect)
	if c.levelsOf == nil {
		c.levelsOf = chunk.NewDictionary()
	}
	code := c.levelsOf.Code(c.text, &c.Options.Dialect)
	if code == chunk.BrokenCode && c.broken == nil {
		c.broken = bytes.Clone(raw)
	}
	return code, nil
}

// littleEndian reports whether numbers lie in memory as they lie in files.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// CopyFloats copies numbers that are written with their lowest byte first.
func CopyFloats[F float32 | float64](dst []F, raw []byte) {
	if littleEndian {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), len(raw)), raw)
		return
	}
	for i := range dst {
		switch d := any(&dst[i]).(type) {
		case *float32:
			*d = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		case *float64:
			*d = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
		}
	}
}
