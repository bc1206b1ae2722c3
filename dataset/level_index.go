package dataset

import (
	"slices"

	"boost/dataset/internal/chunk"
)

// levelIndex gives the levels of a model's column their codes. What takes time in
// proportion to the levels is done once, and not for every part of a table.
type levelIndex struct {
	*chunk.Options
	schema *ColumnSchema
	codes  map[string]int32
	known  chunk.ModelLevels
}

func newLevelIndex(c *ColumnSchema, o *chunk.Options) *levelIndex {
	x := &levelIndex{Options: o, schema: c, codes: make(map[string]int32, len(c.Levels))}
	for i, level := range c.Levels {
		x.codes[level] = int32(i)
	}
	x.known = chunk.ModelLevels{Levels: slices.Clip(c.Levels), Array: levelArray(c.Levels)}
	return x
}

// encode turns a column chunk's codes into those of the model; levels that it lacks come after
// its own, as they appear in the column chunk. The column chunk's dictionary keeps what was found.
func (x *levelIndex) encode(p *chunk.ColumnChunk) {
	d := p.Dictionary
	for len(d.Merged) < len(d.Levels) {
		d.Merged = append(d.Merged, chunk.UnknownCode)
	}
	others := &chunk.ModelLevels{Levels: x.known.Levels}
	var index map[string]int32
	for _, code := range p.Fresh {
		if at := d.Merged[code]; at >= 0 && int(at) < len(x.schema.Levels) {
			continue
		}
		name := x.name(d.Levels[code])
		at, ok := x.codes[name]
		if !ok {
			at, ok = x.codes[chunk.TrimText(name)]
		}
		if !ok {
			at, ok = index[name]
		}
		if !ok {
			if index == nil {
				index = make(map[string]int32)
			}
			at = int32(len(others.Levels))
			index[name] = at
			others.Levels = append(others.Levels, name)
		}
		d.Merged[code] = at
	}
	for row, code := range p.Codes {
		if code >= 0 {
			p.Codes[row] = d.Merged[code]
		}
	}
	p.Dictionary, p.ModelLevels = nil, &x.known
	if index != nil {
		p.ModelLevels = others
	}
}

// name is the level that a text of the input stands for.
func (x *levelIndex) name(text string) string {
	if x.schema.NumericLevels {
		if v, _, ok := chunk.ParseValue([]byte(text), x.Decimal); ok {
			return FormatNumber(v)
		}
	}
	return text
}

// columnOf makes a column of codes into the levels.
func columnOf(f *chunk.ModelLevels, name string, role Role, codes []int32, numeric bool) *Column {
	texts := f.Array
	if texts == nil {
		texts = levelArray(f.Levels)
	}
	return codedColumn(name, role, codes, f.Levels, texts, numeric)
}
