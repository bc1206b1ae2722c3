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
// on the short cells of tables.
type dictionary struct {
	shorts []shortSlot
	taken  int // slots of shorts
	longs  []longSlot
	keys   []string // raw bytes of the longer cells
	codes  []int32  // per key

	levels []string // per code: the text, decoded
	seen   []int32  // per code: the last chunk in which it was seen, plus 1
	merged []int32  // per code: its index in the column's dictionary, -1 if none yet
	moved  bool     // whether an index in merged differs from the code
}

// shortCell is the length of the longest cell that two words hold.
const shortCell = 16

// shortSlot holds a cell of up to shortCell bytes as two words, zeros behind its end.
// Tables of slots are powers of two, at most half of them taken.
type shortSlot struct {
	lo, hi uint64
	size   int32 // length + 1, 0 if the slot is free
	code   int32
}

// longSlot points to a key; key is 0 if the slot is free.
type longSlot struct {
	hash uint32
	key  int32 // index + 1
}

func newDictionary() *dictionary {
	return &dictionary{shorts: make([]shortSlot, 64), longs: make([]longSlot, 64)}
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
	shorts := d.shorts
	mask := uint64(len(shorts) - 1)
	for i := hashOf(lo, hi); ; i++ {
		switch slot := &shorts[i&mask]; {
		case slot.lo == lo && slot.hi == hi && int(slot.size) == length+1:
			return slot.code
		case slot.size == 0:
			return unknownCode
		}
	}
}

// hashOf mixes a short cell with two secret numbers.
func hashOf(lo, hi uint64) uint64 {
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
			d.addShort(shortSlot{lo: lo, hi: hi, size: int32(len(cell)) + 1, code: code})
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

func (d *dictionary) addShort(slot shortSlot) {
	d.taken++
	if 2*d.taken > len(d.shorts) {
		old := d.shorts
		d.shorts = make([]shortSlot, growth(len(old))*len(old))
		for _, slot := range old {
			if slot.size != 0 {
				d.placeShort(slot)
			}
		}
	}
	d.placeShort(slot)
}

// growth is how many times larger a table of so many slots becomes: large ones double, so
// that a column of ids does not take several times its own size.
func growth(slots int) int {
	if slots < 1<<16 {
		return 4
	}
	return 2
}

func (d *dictionary) placeShort(slot shortSlot) {
	mask := uint64(len(d.shorts) - 1)
	i := hashOf(slot.lo, slot.hi)
	for d.shorts[i&mask].size != 0 {
		i++
	}
	d.shorts[i&mask] = slot
}

func (d *dictionary) addLong(cell []byte, code int32) {
	d.keys = append(d.keys, string(cell))
	d.codes = append(d.codes, code)
	if 2*len(d.keys) > len(d.longs) {
		old := d.longs
		d.longs = make([]longSlot, growth(len(old))*len(old))
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
