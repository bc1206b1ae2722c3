package dataset

import (
	"boost/dataset/internal/chunk"
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"unicode/utf8"
	"unsafe"
)

// pieceSink makes pieces for a target of the values of a file's column.
type pieceSink struct {
	*chunk.Options
	ctx      context.Context // of the pass
	field    *fileColumn
	kind     chunk.Target
	wide     bool              // float64 was needed before
	levelsOf *chunk.Dictionary // that codes refer to
	text     []byte            // of one value
	broken   []byte            // the first value that should be text and is not, nil without one
}

// piece returns an empty piece with room for so many rows.
func (c *pieceSink) piece(room int) *chunk.Piece {
	p := &chunk.Piece{}
	switch {
	case c.kind.Want == chunk.WantText:
		p.Offsets = make([]int32, 1, room+1)
	case !c.asNumbers():
		if c.levelsOf == nil {
			c.levelsOf = chunk.NewDictionary()
		}
		p.Dictionary = c.levelsOf
		p.Codes = make([]int32, 0, room)
	case c.wide:
		p.F64 = make([]float64, 0, room)
	default:
		p.F32 = make([]float32, 0, room)
	}
	return p
}

// asNumbers tells whether the target's pieces are numbers.
func (c *pieceSink) asNumbers() bool {
	return !c.field.isText() && (c.kind.Want == chunk.WantAny || c.kind.Want == chunk.WantNumber)
}

// finish counts what a piece holds.
func (c *pieceSink) finish(p *chunk.Piece, index int) {
	switch {
	case p.Codes != nil:
		p.NoteLevels(index)
		for row := 0; row < len(p.Codes) && c.broken != nil; row++ {
			if p.Codes[row] == chunk.BrokenCode {
				p.Odd.Add(row, c.broken, c.SkipBadRows)
			}
		}
	case p.Offsets != nil && c.field.isText():
		for row := range len(p.Offsets) - 1 {
			if text := p.Text[p.Offsets[row]:p.Offsets[row+1]]; !utf8.Valid(text) {
				p.Odd.Add(row, text, c.SkipBadRows)
			}
		}
	case p.Numeric():
		p.Blank(c.MissingNumbers)
		p.Present = chunk.Present(p.F32) + chunk.Present(p.F64)
		p.Gaps = p.Present < p.Rows()
		p.Dates = c.field.isDate() && p.Present > 0
		c.wide = c.wide || p.F64 != nil
	}
}

// textOf returns a value as text, valid until the next call.
func (c *pieceSink) textOf(raw []byte) ([]byte, error) {
	if c.field.isNaN(raw) {
		return nil, nil
	}
	c.text = c.field.appendText(c.text[:0], raw, c.Options)
	return c.text, nil
}

// codeOf returns the code of a value's level.
func (c *pieceSink) codeOf(raw []byte) (int32, error) {
	if c.field.isNaN(raw) {
		return chunk.MissingCode, nil
	}
	c.text = c.field.appendText(c.text[:0], raw, c.Options)
	if c.levelsOf == nil {
		c.levelsOf = chunk.NewDictionary()
	}
	code := c.levelsOf.Code(c.text, c.Options)
	if code == chunk.BrokenCode && c.broken == nil {
		c.broken = bytes.Clone(raw)
	}
	return code, nil
}

// isNaN tells whether a value is a float that is no number.
func (f *fileColumn) isNaN(raw []byte) bool {
	switch {
	case f.physical == parquetFloat, f.physical == parquetDouble, f.logical == logicalFloat16:
		v := f.number(raw)
		return v != v
	}
	return false
}

// littleEndian tells whether numbers lie in memory as they lie in files.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// copyFloats copies numbers that are written with their lowest byte first.
func copyFloats[F float32 | float64](dst []F, raw []byte) {
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
