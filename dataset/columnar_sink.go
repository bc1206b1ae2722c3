package dataset

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"unicode/utf8"
	"unsafe"
)

// pieceSink makes pieces for a target of the values of a file's column.
type pieceSink struct {
	*options
	ctx      context.Context // of the pass
	field    *fileColumn
	kind     target
	wide     bool        // float64 was needed before
	levelsOf *dictionary // that codes refer to
	text     []byte      // of one value
	broken   []byte      // the first value that should be text and is not, nil without one
}

// piece returns an empty piece with room for so many rows.
func (c *pieceSink) piece(room int) *piece {
	p := &piece{}
	switch {
	case c.kind.want == wantText:
		p.offsets = make([]int32, 1, room+1)
	case !c.asNumbers():
		if c.levelsOf == nil {
			c.levelsOf = newDictionary()
		}
		p.dictionary = c.levelsOf
		p.codes = make([]int32, 0, room)
	case c.wide:
		p.f64 = make([]float64, 0, room)
	default:
		p.f32 = make([]float32, 0, room)
	}
	return p
}

// asNumbers tells whether the target's pieces are numbers.
func (c *pieceSink) asNumbers() bool {
	return !c.field.isText() && (c.kind.want == wantAny || c.kind.want == wantNumber)
}

// finish counts what a piece holds.
func (c *pieceSink) finish(p *piece, index int) {
	switch {
	case p.codes != nil:
		p.noteLevels(index)
		for row := 0; row < len(p.codes) && c.broken != nil; row++ {
			if p.codes[row] == brokenCode {
				p.odd.add(row, c.broken, c.skipBadRows)
			}
		}
	case p.offsets != nil && c.field.isText():
		for row := range len(p.offsets) - 1 {
			if text := p.text[p.offsets[row]:p.offsets[row+1]]; !utf8.Valid(text) {
				p.odd.add(row, text, c.skipBadRows)
			}
		}
	case p.numeric():
		p.blank(c.missingNumbers)
		p.present = present(p.f32) + present(p.f64)
		p.gaps = p.present < p.rows()
		p.dates = c.field.isDate() && p.present > 0
		c.wide = c.wide || p.f64 != nil
	}
}

// textOf returns a value as text, valid until the next call.
func (c *pieceSink) textOf(raw []byte) ([]byte, error) {
	if c.field.isNaN(raw) {
		return nil, nil
	}
	c.text = c.field.appendText(c.text[:0], raw, c.options)
	return c.text, nil
}

// codeOf returns the code of a value's level.
func (c *pieceSink) codeOf(raw []byte) (int32, error) {
	if c.field.isNaN(raw) {
		return missingCode, nil
	}
	c.text = c.field.appendText(c.text[:0], raw, c.options)
	if c.levelsOf == nil {
		c.levelsOf = newDictionary()
	}
	code := c.levelsOf.code(c.text, c.options)
	if code == brokenCode && c.broken == nil {
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
