package dataset

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

// Codes of cells that are no level.
const (
	missingCode = -1
	brokenCode  = -2 // not valid in the table's encoding
	unknownCode = -3 // not yet in the dictionary
)

// dictionary numbers the distinct cells of one column as one worker meets them.
// It outlives chunks, so that a level's text is stored once per worker. Two hash
// tables with linear probing find the raw bytes of cells, one those of up to
// shortCell bytes, which it holds itself; Go's own map costs several times as much
// on the short cells of tables. Until a cell of more than wordCell bytes comes, the
// slots of that table are words; then they become pairs of words, so that where both
// kinds of cells take turns no branch depends on the kind.
type dictionary struct {
	words []wordSlot
	pairs []pairSlot // in place of words; nil before
	taken int        // slots of words, or of pairs
	longs []longSlot
	keys  []string // raw bytes of the longer cells
	codes []int32  // per key

	levels []string // per code: the text, decoded
	seen   []int32  // per code: the last chunk in which it was seen, plus 1
	merged []int32  // per code: its index in the column's dictionary, -1 if none yet
	moved  bool     // whether an index in merged differs from the code
}

// wordCell and shortCell are the lengths of the longest cells that one word and two hold.
const (
	wordCell  = 8
	shortCell = 16
)

// wordSlot holds a cell of up to wordCell bytes, with zeros behind its end. Tables of slots
// are powers of two, at most half of them taken.
type wordSlot struct {
	word uint64
	size int32 // length + 1, 0 if the slot is free
	code int32
}

// pairSlot is a wordSlot for up to shortCell bytes.
type pairSlot struct {
	lo, hi uint64
	size   int32
	code   int32
}

// longSlot points to a key; key is 0 if the slot is free.
type longSlot struct {
	hash uint32
	key  int32 // index + 1
}

func newDictionary() *dictionary {
	return &dictionary{words: make([]wordSlot, 64), longs: make([]longSlot, 64)}
}

// outgrown says whether so many levels are held that the model does not know that those
// of later chunks had better begin anew.
func (d *dictionary) outgrown(t *target) bool {
	known := 0
	if t.schema != nil {
		known = len(t.schema.Levels)
	}
	return len(d.levels) > 2*known+1<<13
}

// find returns the code of a cell of up to shortCell bytes, or unknownCode.
func (d *dictionary) find(lo, hi uint64, length int) int32 {
	switch {
	case d.pairs != nil:
		return d.findPair(lo, hi, length)
	case length > wordCell:
		return unknownCode
	}
	return d.findWord(lo, length)
}

func (d *dictionary) findWord(word uint64, length int) int32 {
	slots := d.words
	mask := uint64(len(slots) - 1)
	for i := hashOfWord(word); ; i++ {
		switch slot := &slots[i&mask]; {
		case slot.word == word && int(slot.size) == length+1:
			return slot.code
		case slot.size == 0:
			return unknownCode
		}
	}
}

func (d *dictionary) findPair(lo, hi uint64, length int) int32 {
	slots := d.pairs
	mask := uint64(len(slots) - 1)
	for i := hashOfPair(lo, hi); ; i++ {
		switch slot := &slots[i&mask]; {
		case slot.lo == lo && slot.hi == hi && int(slot.size) == length+1:
			return slot.code
		case slot.size == 0:
			return unknownCode
		}
	}
}

// hashOfWord and hashOfPair mix a short cell with two secret numbers.
func hashOfWord(word uint64) uint64 {
	high, low := bits.Mul64(word^secrets[0], secrets[1])
	return high ^ low
}

func hashOfPair(lo, hi uint64) uint64 {
	high, low := bits.Mul64(lo^secrets[0], hi^secrets[1])
	return high ^ low
}

// code returns the code of a cell, new levels being decoded and added.
func (d *dictionary) code(cell []byte, o *options) int32 {
	if len(cell) <= shortCell {
		var words [shortCell]byte
		copy(words[:], cell)
		lo, hi := binary.LittleEndian.Uint64(words[:8]), binary.LittleEndian.Uint64(words[8:])
		code := d.find(lo, hi, len(cell))
		if code == unknownCode {
			code = d.newCode(cell, o)
			d.addShort(pairSlot{lo: lo, hi: hi, size: int32(len(cell)) + 1, code: code})
		}
		return code
	}
	code := d.findLong(cell)
	if code == unknownCode {
		code = d.newCode(cell, o)
		d.addLong(cell, code)
	}
	return code
}

// findLong returns the code of a longer cell, or unknownCode.
func (d *dictionary) findLong(cell []byte) int32 {
	hash := uint32(maphash.Bytes(hashSeed, cell))
	mask := uint32(len(d.longs) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		switch slot := d.longs[i]; {
		case slot.key == 0:
			return unknownCode
		case slot.hash == hash && d.keys[slot.key-1] == string(cell):
			return d.codes[slot.key-1]
		}
	}
}

// newCode makes a cell that was not met before a level, unless it is none.
func (d *dictionary) newCode(cell []byte, o *options) int32 {
	if o.isMissing(cell) {
		return missingCode
	}
	level, valid := o.decode(cell)
	if !valid {
		return brokenCode
	}
	d.levels = append(d.levels, level)
	d.seen = append(d.seen, 0)
	return int32(len(d.levels) - 1)
}

func (d *dictionary) addShort(slot pairSlot) {
	if d.pairs == nil && slot.size > wordCell+1 {
		d.pair()
	}
	d.taken++
	if d.pairs == nil {
		if full(d.taken, len(d.words)) {
			old := d.words
			d.words = make([]wordSlot, grown(len(old)))
			for _, slot := range old {
				if slot.size != 0 {
					d.placeWord(slot)
				}
			}
		}
		d.placeWord(wordSlot{word: slot.lo, size: slot.size, code: slot.code})
		return
	}
	if full(d.taken, len(d.pairs)) {
		old := d.pairs
		d.pairs = make([]pairSlot, grown(len(old)))
		for _, slot := range old {
			if slot.size != 0 {
				d.placePair(slot)
			}
		}
	}
	d.placePair(slot)
}

// pair makes the slots pairs of words.
func (d *dictionary) pair() {
	d.pairs = make([]pairSlot, len(d.words))
	for _, slot := range d.words {
		if slot.size != 0 {
			d.placePair(pairSlot{lo: slot.word, size: slot.size, code: slot.code})
		}
	}
	d.words = nil
}

// full reports whether a table of so many slots has to grow for so many to be taken.
func full(taken, slots int) bool {
	if slots < smallTable {
		return 4*taken > slots
	}
	return 2*taken > slots
}

// smallTable is a number of slots whose table stays near the processor though most slots
// are free: the fewer are taken, the more cells are found at the first look.
const smallTable = 1 << 12

// grown is how many slots a table of so many becomes. Large ones double, so that a column
// of ids does not take several times its own size.
func grown(slots int) int {
	if slots < smallTable {
		return 4 * slots
	}
	return 2 * slots
}

func (d *dictionary) placeWord(slot wordSlot) {
	mask := uint64(len(d.words) - 1)
	i := hashOfWord(slot.word)
	for d.words[i&mask].size != 0 {
		i++
	}
	d.words[i&mask] = slot
}

func (d *dictionary) placePair(slot pairSlot) {
	mask := uint64(len(d.pairs) - 1)
	i := hashOfPair(slot.lo, slot.hi)
	for d.pairs[i&mask].size != 0 {
		i++
	}
	d.pairs[i&mask] = slot
}

func (d *dictionary) addLong(cell []byte, code int32) {
	d.keys = append(d.keys, string(cell))
	d.codes = append(d.codes, code)
	if 2*len(d.keys) > len(d.longs) {
		old := d.longs
		d.longs = make([]longSlot, grown(len(old)))
		for _, slot := range old {
			if slot.key != 0 {
				d.placeLong(slot)
			}
		}
	}
	d.placeLong(longSlot{uint32(maphash.Bytes(hashSeed, cell)), int32(len(d.keys))})
}

func (d *dictionary) placeLong(slot longSlot) {
	mask := uint32(len(d.longs) - 1)
	i := slot.hash & mask
	for d.longs[i].key != 0 {
		i = (i + 1) & mask
	}
	d.longs[i] = slot
}

// hashSeed and secrets differ from run to run, so that no file can be made whose cells
// all collide. Codes follow the order of cells and never the hash.
var (
	hashSeed = maphash.MakeSeed()
	secrets  = [2]uint64{maphash.String(hashSeed, "low"), maphash.String(hashSeed, "high")}
)

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

// noteLevels finds the levels of a piece of codes, and how many cells hold one. Each call
// for a dictionary needs another chunk number.
func (p *piece) noteLevels(chunk int) {
	p.fresh, p.present = p.dictionary.fresh(p.codes, chunk)
	p.levels = p.dictionary.levels
}
