package entropy

import (
	"errors"
	"slices"
)

// ErrTooLong means that a text is longer than its reader allows.
var ErrTooLong = errors.New("entropy: the coded text is too long")

// Text codes bytes of text by the one, two and four bytes before them. Its memory is 256 KiB.
// The zero value is ready after Reset.
type Text struct {
	table  []Bit
	mixers [8]Mixer
	before uint32 // the last four bytes, the newest lowest
}

// textBits is the logarithm of the number of estimates.
const textBits = 16

// Reset forgets everything.
func (t *Text) Reset() {
	if t.table == nil {
		t.table = make([]Bit, 1<<textBits)
	}
	clear(t.table)
	t.mixers, t.before = [8]Mixer{}, 0
}

// Learn makes the estimates what they are once these bytes have been coded.
func (t *Text) Learn(s []byte) {
	c := NewWriter(nil)
	for _, b := range s {
		t.Code(c, b)
	}
}

// Copy makes the estimates those of another one.
func (t *Text) Copy(from *Text) {
	t.table = append(t.table[:0], from.table...)
	t.mixers, t.before = from.mixers, from.before
}

// Code codes a byte.
func (t *Text) Code(c *Coder, b byte) byte {
	x, y, z := t.place(1, t.before&0xff), t.place(2, t.before&0xffff), t.place(3, t.before)
	node := uint32(1)
	for k := 7; k >= 0; k-- {
		bit := t.mixers[k].Code(c, uint32(b)>>k&1, t.at(x, node), t.at(y, node), t.at(z, node))
		node = node<<1 | bit
	}
	t.before = t.before<<8 | node&0xff
	return byte(node)
}

// place returns where the estimates of a context begin.
func (t *Text) place(order, before uint32) uint32 {
	h := (uint64(before)<<2 | uint64(order)) * 0x9e3779b97f4a7c15
	return uint32((h ^ h>>32) * 0xbf58476d1ce4e5b9 >> (64 - textBits))
}

func (t *Text) at(place, node uint32) *Bit { return &t.table[(place+node)&(1<<textBits-1)] }

// Write writes a text: its length, then its bytes.
func (t *Text) Write(c *Coder, length *Number, s []byte) {
	length.Code(c, uint64(len(s)))
	for _, b := range s {
		t.Code(c, b)
	}
}

// Read reads a text of at most most bytes; a longer one is ErrTooLong, one that is cut short
// ErrTruncated.
func (t *Text) Read(c *Coder, length *Number, most int) ([]byte, error) {
	n := length.Code(c, 0)
	if n > uint64(max(most, 0)) {
		return nil, ErrTooLong
	}
	// What the length claims has to be there before memory is made for all of it.
	var s []byte
	for len(s) < int(n) && c.Err() == nil {
		block := int(min(n, uint64(2*len(s)+textBlock))) - len(s)
		s = slices.Grow(s, block)
		for range block {
			s = append(s, t.Code(c, 0))
		}
	}
	return s, c.Err()
}

// textBlock is how many bytes are read before a reader looks whether its bytes are at an end.
const textBlock = 4096
