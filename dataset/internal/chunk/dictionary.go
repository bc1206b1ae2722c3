package chunk

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

// Codes of cells that are no level.
const (
	MissingCode = -1
	BrokenCode  = -2 // not valid in the table's encoding
	UnknownCode = -3 // not yet in the dictionary
)

// Dictionary numbers the distinct cells of one column as one worker meets them.
// It outlives chunks, so that a level's text is stored once per worker. Two hash
// tables with linear probing find the raw bytes of cells, one those of up to
// ShortCell bytes, which it holds itself; Go's own map costs several times as much
// on the short cells of tables. Until a cell of more than WordCell bytes comes, the
// slots of that table are words; then they become pairs of words, so that where both
// kinds of cells take turns no branch depends on the kind.
type Dictionary struct {
	Words []wordSlot
	Pairs []pairSlot // in place of words; nil before
	taken int        // slots of words, or of pairs
	longs []longSlot
	keys  []string // raw bytes of the longer cells
	codes []int32  // per key

	Levels []string // per code: the text, decoded
	seen   []int32  // per code: the last chunk in which it was seen, plus 1
	Merged []int32  // per code: its index in the column's dictionary, -1 if none yet
	moved  bool     // whether an index in merged differs from the code
}

// WordCell and ShortCell are the lengths of the longest cells that one word and two hold.
const (
	WordCell  = 8
	ShortCell = 16
)

// wordSlot holds a cell of up to WordCell bytes, with zeros behind its end. Tables of slots
// are powers of two, at most half of them taken.
type wordSlot struct {
	Word uint64
	Size int32 // length + 1, 0 if the slot is free
	Code int32
}

// pairSlot is a wordSlot for up to ShortCell bytes.
type pairSlot struct {
	Lo, Hi uint64
	Size   int32
	Code   int32
}

// longSlot points to a key; key is 0 if the slot is free.
type longSlot struct {
	hash uint32
	key  int32 // index + 1
}

func NewDictionary() *Dictionary {
	return &Dictionary{Words: make([]wordSlot, 64), longs: make([]longSlot, 64)}
}

// Outgrown reports whether so many levels are held that the model does not know that those
// of later chunks had better begin anew.
func (d *Dictionary) Outgrown(t *Target) bool {
	known := 0
	if t.Schema != nil {
		known = len(t.Schema.Levels)
	}
	return len(d.Levels) > 2*known+1<<13
}

// Find returns the code of a cell of up to ShortCell bytes, or UnknownCode.
func (d *Dictionary) Find(lo, hi uint64, length int) int32 {
	switch {
	case d.Pairs != nil:
		return d.FindPair(lo, hi, length)
	case length > WordCell:
		return UnknownCode
	}
	return d.FindWord(lo, length)
}

func (d *Dictionary) FindWord(word uint64, length int) int32 {
	slots := d.Words
	mask := uint64(len(slots) - 1)
	for i := HashOfWord(word); ; i++ {
		switch slot := &slots[i&mask]; {
		case slot.Word == word && int(slot.Size) == length+1:
			return slot.Code
		case slot.Size == 0:
			return UnknownCode
		}
	}
}

func (d *Dictionary) FindPair(lo, hi uint64, length int) int32 {
	slots := d.Pairs
	mask := uint64(len(slots) - 1)
	for i := HashOfPair(lo, hi); ; i++ {
		switch slot := &slots[i&mask]; {
		case slot.Lo == lo && slot.Hi == hi && int(slot.Size) == length+1:
			return slot.Code
		case slot.Size == 0:
			return UnknownCode
		}
	}
}

// HashOfWord and HashOfPair mix a short cell with two secret numbers.
func HashOfWord(word uint64) uint64 {
	high, low := bits.Mul64(word^secrets[0], secrets[1])
	return high ^ low
}

func HashOfPair(lo, hi uint64) uint64 {
	high, low := bits.Mul64(lo^secrets[0], hi^secrets[1])
	return high ^ low
}

// Code returns the code of a cell, new levels being decoded and added.
func (d *Dictionary) Code(cell []byte, dialect *Dialect) int32 {
	if len(cell) <= ShortCell {
		var words [ShortCell]byte
		copy(words[:], cell)
		lo, hi := binary.LittleEndian.Uint64(words[:8]), binary.LittleEndian.Uint64(words[8:])
		code := d.Find(lo, hi, len(cell))
		if code == UnknownCode {
			code = d.newCode(cell, dialect)
			d.addShort(pairSlot{Lo: lo, Hi: hi, Size: int32(len(cell)) + 1, Code: code})
		}
		return code
	}
	code := d.FindLong(cell)
	if code == UnknownCode {
		code = d.newCode(cell, dialect)
		d.addLong(cell, code)
	}
	return code
}

// FindLong returns the code of a longer cell, or UnknownCode.
func (d *Dictionary) FindLong(cell []byte) int32 {
	hash := uint32(maphash.Bytes(hashSeed, cell))
	mask := uint32(len(d.longs) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		switch slot := d.longs[i]; {
		case slot.key == 0:
			return UnknownCode
		case slot.hash == hash && d.keys[slot.key-1] == string(cell):
			return d.codes[slot.key-1]
		}
	}
}

// newCode makes a cell that was not met before a level, unless it is none.
func (d *Dictionary) newCode(cell []byte, dialect *Dialect) int32 {
	if dialect.IsMissing(cell) {
		return MissingCode
	}
	level, valid := dialect.Decode(cell)
	if !valid {
		return BrokenCode
	}
	d.Levels = append(d.Levels, level)
	d.seen = append(d.seen, 0)
	return int32(len(d.Levels) - 1)
}

func (d *Dictionary) addShort(slot pairSlot) {
	if d.Pairs == nil && slot.Size > WordCell+1 {
		d.pair()
	}
	d.taken++
	if d.Pairs == nil {
		if full(d.taken, len(d.Words)) {
			old := d.Words
			d.Words = make([]wordSlot, grown(len(old)))
			for _, slot := range old {
				if slot.Size != 0 {
					d.placeWord(slot)
				}
			}
		}
		d.placeWord(wordSlot{Word: slot.Lo, Size: slot.Size, Code: slot.Code})
		return
	}
	if full(d.taken, len(d.Pairs)) {
		old := d.Pairs
		d.Pairs = make([]pairSlot, grown(len(old)))
		for _, slot := range old {
			if slot.Size != 0 {
				d.placePair(slot)
			}
		}
	}
	d.placePair(slot)
}

// pair makes the slots pairs of words.
func (d *Dictionary) pair() {
	d.Pairs = make([]pairSlot, len(d.Words))
	for _, slot := range d.Words {
		if slot.Size != 0 {
			d.placePair(pairSlot{Lo: slot.Word, Size: slot.Size, Code: slot.Code})
		}
	}
	d.Words = nil
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

func (d *Dictionary) placeWord(slot wordSlot) {
	mask := uint64(len(d.Words) - 1)
	i := HashOfWord(slot.Word)
	for d.Words[i&mask].Size != 0 {
		i++
	}
	d.Words[i&mask] = slot
}

func (d *Dictionary) placePair(slot pairSlot) {
	mask := uint64(len(d.Pairs) - 1)
	i := HashOfPair(slot.Lo, slot.Hi)
	for d.Pairs[i&mask].Size != 0 {
		i++
	}
	d.Pairs[i&mask] = slot
}

func (d *Dictionary) addLong(cell []byte, code int32) {
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

func (d *Dictionary) placeLong(slot longSlot) {
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
func (d *Dictionary) fresh(codes []int32, chunk int) (levels []int32, present int) {
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

// NoteLevels finds the levels of a column chunk of codes, and how many cells hold one. Each call
// for a dictionary needs another chunk number.
func (p *ColumnChunk) NoteLevels(chunk int) {
	p.Fresh, p.Present = p.Dictionary.fresh(p.Codes, chunk)
	p.Levels = p.Dictionary.Levels
}
