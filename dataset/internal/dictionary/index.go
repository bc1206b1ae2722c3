package dictionary

import (
	"slices"

	"boost/dataset/internal/chunk"

	"github.com/apache/arrow/go/v17/arrow/array"
)

// Index gives the levels of a model's column their codes. What takes time in
// proportion to the levels is done once, and not for every part of a table.
type Index struct {
	dialect *chunk.Dialect // of the table
	schema  *chunk.ColumnSchema
	codes   map[string]int32
	known   chunk.ModelLevels
}

// NewIndex returns the index of the levels of a column in a table. texts holds the levels.
func NewIndex(c *chunk.ColumnSchema, texts *array.String, d *chunk.Dialect) *Index {
	x := &Index{dialect: d, schema: c, codes: make(map[string]int32, len(c.Levels))}
	for i, level := range c.Levels {
		x.codes[level] = int32(i)
	}
	x.known = chunk.ModelLevels{Levels: slices.Clip(c.Levels), Array: texts}
	return x
}

// Encode turns a column chunk's codes into those of the model; levels that it lacks come after
// its own, as they appear in the column chunk. The column chunk's dictionary keeps what was found.
func (x *Index) Encode(p *chunk.ColumnChunk) {
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
		name := schemaName(d.Levels[code], x.schema, x.dialect.Decimal)
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
