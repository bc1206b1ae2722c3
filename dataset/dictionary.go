package dataset

import "unicode/utf8"

// Codes of cells that are no level.
const (
	missingCode = -1
	brokenCode  = -2 // not valid in the table's encoding
)

// dictionary numbers the distinct cells of one column as one worker meets them.
// It outlives chunks, so that a level's text is stored once per worker.
type dictionary struct {
	codes  map[string]int32 // raw bytes of a cell → code; missing tokens are in it
	levels []string         // decoded
	seen   []int32          // per level: the last chunk in which it was seen, plus 1
	merged []int32          // per level: its index in the column's dictionary, -1 if none yet

	// The cell before this one: tables are often sorted or repetitive.
	hasLast  bool
	lastCell string
	lastCode int32
}

func newDictionary(missing []string) *dictionary {
	d := &dictionary{codes: make(map[string]int32, 2*len(missing))}
	for _, token := range missing {
		d.codes[token] = missingCode
	}
	return d
}

// code returns the code of a cell, new levels being decoded and added.
func (d *dictionary) code(cell []byte, o *options) int32 {
	if d.hasLast && string(cell) == d.lastCell {
		return d.lastCode
	}
	code, ok := d.codes[string(cell)]
	switch {
	case !ok:
		key := string(cell)
		code = d.add(key, cell, o)
		d.hasLast, d.lastCell, d.lastCode = true, key, code
	case code >= 0 && o.encoding == nil: // the level is the cell itself: no copy is needed
		d.hasLast, d.lastCell, d.lastCode = true, d.levels[code], code
	}
	return code
}

func (d *dictionary) add(key string, cell []byte, o *options) int32 {
	if o.isMissing(cell) { // with spaces around it
		d.codes[key] = missingCode
		return missingCode
	}
	level, valid := key, utf8.Valid(cell)
	if o.encoding != nil {
		level, valid = o.decode(cell)
	}
	code := int32(brokenCode)
	if valid {
		code = int32(len(d.levels))
		d.levels = append(d.levels, level)
		d.seen = append(d.seen, 0)
	}
	d.codes[key] = code
	return code
}

// fresh returns the levels among codes in order of first appearance, and the
// number of cells that hold a level. Each call needs another chunk number.
func (d *dictionary) fresh(codes []int32, chunk int) (levels []int32, present int) {
	stamp := int32(chunk) + 1
	for _, code := range codes {
		if code < 0 {
			continue
		}
		present++
		if d.seen[code] != stamp {
			d.seen[code] = stamp
			levels = append(levels, code)
		}
	}
	return levels, present
}

// merge joins the text pieces of a column into one dictionary, in row order of
// first appearance. It returns the levels and how many cells hold each.
func merge(pieces []*piece) (levels []string, counts []int) {
	index := make(map[string]int32)
	for _, p := range pieces {
		d := p.dictionary
		if d == nil {
			continue
		}
		for len(d.merged) < len(d.levels) {
			d.merged = append(d.merged, -1)
		}
		for _, code := range p.fresh {
			if d.merged[code] >= 0 {
				continue
			}
			level := d.levels[code]
			at, ok := index[level]
			if !ok {
				at = int32(len(levels))
				index[level] = at
				levels = append(levels, level)
			}
			d.merged[code] = at
		}
	}
	counts = make([]int, len(levels))
	for _, p := range pieces {
		if p.dictionary == nil {
			continue
		}
		for i, code := range p.codes {
			if code >= 0 {
				p.codes[i] = p.dictionary.merged[code]
				counts[p.codes[i]]++
			}
		}
		p.dictionary = nil
	}
	return levels, counts
}
