package dataset

import (
	"slices"
)

// levelIndex gives the levels of a model's column their codes. What takes time in
// proportion to the levels is done once, and not for every part of a table.
type levelIndex struct {
	*options
	schema *ColumnSchema
	codes  map[string]int32
	known  followed
}

func newLevelIndex(c *ColumnSchema, o *options) *levelIndex {
	x := &levelIndex{options: o, schema: c, codes: make(map[string]int32, len(c.Levels))}
	for i, level := range c.Levels {
		x.codes[level] = int32(i)
	}
	x.known = followed{slices.Clip(c.Levels), levelArray(c.Levels)}
	return x
}

// follow turns a piece's codes into those of the model; levels that it lacks come after
// its own, as they appear in the piece. The piece's dictionary keeps what was found.
func (x *levelIndex) follow(p *piece) {
	d := p.dictionary
	for len(d.merged) < len(d.levels) {
		d.merged = append(d.merged, unknownCode)
	}
	others := &followed{levels: x.known.levels}
	var index map[string]int32
	for _, code := range p.fresh {
		if at := d.merged[code]; at >= 0 && int(at) < len(x.schema.Levels) {
			continue
		}
		name := x.name(d.levels[code])
		at, ok := x.codes[name]
		if !ok {
			at, ok = index[name]
		}
		if !ok {
			if index == nil {
				index = make(map[string]int32)
			}
			at = int32(len(others.levels))
			index[name] = at
			others.levels = append(others.levels, name)
		}
		d.merged[code] = at
	}
	for row, code := range p.codes {
		if code >= 0 {
			p.codes[row] = d.merged[code]
		}
	}
	p.dictionary, p.followed = nil, &x.known
	if index != nil {
		p.followed = others
	}
}

// name is the level that a text of the input stands for.
func (x *levelIndex) name(text string) string {
	if x.schema.NumericLevels {
		if v, _, ok := parseValue([]byte(text), x.decimal); ok {
			return FormatNumber(v)
		}
	}
	return text
}

// column makes a column of codes into the levels.
func columnOf(f *followed, name string, role Role, codes []int32, numeric bool) *Column {
	texts := f.array
	if texts == nil {
		texts = levelArray(f.levels)
	}
	return codedColumn(name, role, codes, f.levels, texts, numeric)
}
