package dataset

import (
	"hash/maphash"
	"unicode/utf8"
)

// Codes of cells that are no level.
const (
	missingCode = -1
	brokenCode  = -2 // not valid in the table's encoding
)

// dictionary numbers the distinct cells of one column as one worker meets them.
// It outlives chunks, so that a level's text is stored once per worker. It is a
// hash table with linear probing over the raw bytes of cells; Go's own map costs
// twice as much on the short cells of tables.
type dictionary struct {
	slots []dictionarySlot // a power of two, at most half of them taken
	keys  []string         // raw bytes of the cells
	codes []int32          // per key

	levels []string // per code: the text, decoded
	seen   []int32  // per code: the last chunk in which it was seen, plus 1
	merged []int32  // per code: its index in the column's dictionary, -1 if none yet
}

// dictionarySlot points to a key; key is 0 if the slot is free.
type dictionarySlot struct {
	hash uint32
	key  int32 // index + 1
}

func newDictionary() *dictionary { return &dictionary{slots: make([]dictionarySlot, 64)} }

// code returns the code of a cell, new levels being decoded and added.
func (d *dictionary) code(cell []byte, o *options) int32 {
	hash := uint32(maphash.Bytes(hashSeed, cell))
	mask := uint32(len(d.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		slot := d.slots[i]
		if slot.key == 0 {
			return d.add(cell, hash, o)
		}
		if slot.hash == hash && d.keys[slot.key-1] == string(cell) {
			return d.codes[slot.key-1]
		}
	}
}

func (d *dictionary) add(cell []byte, hash uint32, o *options) int32 {
	key := string(cell)
	code := int32(brokenCode)
	if o.isMissing(cell) {
		code = missingCode
	} else {
		level, valid := key, utf8.Valid(cell)
		if o.encoding != nil {
			level, valid = o.decode(cell)
		}
		if valid {
			code = int32(len(d.levels))
			d.levels = append(d.levels, level)
			d.seen = append(d.seen, 0)
		}
	}
	d.keys = append(d.keys, key)
	d.codes = append(d.codes, code)
	if 2*len(d.keys) > len(d.slots) {
		d.grow()
	}
	d.place(dictionarySlot{hash, int32(len(d.keys))})
	return code
}

func (d *dictionary) place(slot dictionarySlot) {
	mask := uint32(len(d.slots) - 1)
	i := slot.hash & mask
	for d.slots[i].key != 0 {
		i = (i + 1) & mask
	}
	d.slots[i] = slot
}

func (d *dictionary) grow() {
	old := d.slots
	d.slots = make([]dictionarySlot, 4*len(old))
	for _, slot := range old {
		if slot.key != 0 {
			d.place(slot)
		}
	}
}

// hashSeed differs from run to run, so that no file can be made whose cells all
// collide. Codes follow the order of cells and never the hash.
var hashSeed = maphash.MakeSeed()

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
		if p.summary != nil {
			p.summary.merge(p, counts)
		}
		p.dictionary = nil
	}
	return levels, counts
}
