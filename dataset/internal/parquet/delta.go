package parquet

import (
	"encoding/binary"
	"errors"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/columnar"
)

var errDelta = errors.New("its delta-encoded values are damaged")

// delta reads DELTA_BINARY_PACKED integers:
//
//	header   varints: values per block, miniblocks per block, values in all; the first value in zigzag
//	block    zigzag: the least delta; a byte per miniblock: its width in bits; the miniblocks
//
// Each miniblock holds blockSize/miniblocks deltas, LSB first, less the least one;
// miniblocks behind the last value are not written. Sums wrap around.
type delta struct {
	b       []byte
	mini    int // values per miniblock
	minis   int // miniblocks per block
	total   int // values left
	first   bool
	last    int64
	least   int64
	widths  []byte // of the miniblocks of the block that are still to come
	width   int
	left    int // values left of the miniblock
	bit     int // of the next value, from the start of b
	miniEnd int // bytes of b up to the miniblock's end
}

// NewDelta reads the header. Up to most values may follow, those of the page: deltas of
// width 0 take no bytes, so that nothing else bounds a claim.
func NewDelta(b []byte, most int64) (*delta, error) {
	d := &delta{b: b, first: true}
	block := d.varint()
	minis := d.varint()
	total := d.varint()
	d.last = d.zigzag()
	if d.b == nil || minis == 0 || minis > block || block > 1<<24 || block%minis != 0 || total > uint64(max(most, 0)) {
		return nil, errDelta
	}
	d.mini, d.minis, d.total = int(block/minis), int(minis), int(total)
	return d, nil
}

// varint makes d.b nil where there is none.
func (d *delta) varint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.b = nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *delta) zigzag() int64 {
	v := d.varint()
	return int64(v>>1) ^ -int64(v&1)
}

// read fills dst.
func (d *delta) read(dst []int64) error {
	if len(dst) > d.total {
		return errDelta
	}
	d.total -= len(dst)
	if d.first && len(dst) > 0 {
		dst[0] = d.last
		dst = dst[1:]
		d.first = false
	}
	for len(dst) > 0 {
		if d.left == 0 {
			if err := d.advance(); err != nil {
				return err
			}
		}
		n := min(len(dst), d.left)
		for i := range dst[:n] {
			d.last += d.least + int64(d.bits())
			dst[i] = d.last
		}
		d.left -= n
		dst = dst[n:]
	}
	return nil
}

// advance moves to the next miniblock.
func (d *delta) advance() error {
	d.b = d.b[d.miniEnd:]
	if len(d.widths) == 0 {
		d.least = d.zigzag()
		if d.b == nil || len(d.b) < d.minis {
			return errDelta
		}
		d.widths, d.b = d.b[:d.minis], d.b[d.minis:]
	}
	d.width, d.widths = int(d.widths[0]), d.widths[1:]
	d.left, d.bit, d.miniEnd = d.mini, 0, (d.mini*d.width+7)/8
	if d.width > 64 || d.miniEnd > len(d.b) {
		return errDelta
	}
	return nil
}

// bits returns the next delta of the miniblock.
func (d *delta) bits() uint64 {
	if d.width == 0 {
		return 0
	}
	at, shift := d.bit>>3, d.bit&7
	d.bit += d.width
	var low uint64
	if at+8 <= len(d.b) {
		low = binary.LittleEndian.Uint64(d.b[at:])
	} else {
		var word [8]byte
		copy(word[:], d.b[at:])
		low = binary.LittleEndian.Uint64(word[:])
	}
	v := low >> shift
	if shift+d.width > 64 { // the ninth byte is inside the miniblock
		v |= uint64(d.b[at+8]) << (64 - shift)
	}
	if d.width < 64 {
		v &= 1<<d.width - 1
	}
	return v
}

// skipValues reads the values that are left without keeping them and returns what follows.
func (d *delta) skipValues() ([]byte, error) {
	var scratch [512]int64
	for d.total > 0 {
		if err := d.read(scratch[:min(len(scratch), d.total)]); err != nil {
			return nil, err
		}
	}
	return d.b[d.miniEnd:], nil
}

// byteValues reads a page's values of variable length, one at a time. A value is
// valid until the next call.
type byteValues interface {
	next() ([]byte, error)
}

// plainBytes reads PLAIN: four bytes of length before each value.
type plainBytes struct{ b []byte }

func (p *plainBytes) next() ([]byte, error) {
	if len(p.b) < 4 {
		return nil, columnar.ErrBytes
	}
	n := int64(binary.LittleEndian.Uint32(p.b))
	if n > int64(len(p.b)-4) {
		return nil, columnar.ErrBytes
	}
	value := p.b[4 : 4+n : 4+n]
	p.b = p.b[4+n:]
	return value, nil
}

// fixedBytes reads PLAIN values of one length.
type fixedBytes struct {
	b      []byte
	length int
}

func (f *fixedBytes) next() ([]byte, error) {
	if len(f.b) < f.length {
		return nil, columnar.ErrBytes
	}
	value := f.b[:f.length:f.length]
	f.b = f.b[f.length:]
	return value, nil
}

// deltaLengths reads DELTA_LENGTH_BYTE_ARRAY: all lengths, then all bytes.
type deltaLengths struct {
	lengths *delta
	b       []byte
	ahead   [256]int64
	known   []int64 // of ahead
}

func newDeltaLengths(b []byte, most int64) (*deltaLengths, error) {
	all, err := NewDelta(b, most)
	if err != nil {
		return nil, err
	}
	d := &deltaLengths{}
	if d.b, err = all.skipValues(); err != nil {
		return nil, err
	}
	d.lengths, err = NewDelta(b, most)
	return d, err
}

func (d *deltaLengths) next() ([]byte, error) {
	n, err := nextOf(d.lengths, &d.known, d.ahead[:])
	if err != nil || n < 0 || n > int64(len(d.b)) {
		return nil, columnar.ErrBytes
	}
	value := d.b[:n:n]
	d.b = d.b[n:]
	return value, nil
}

// nextOf returns the next of a sequence of deltas, read some at a time.
func nextOf(d *delta, known *[]int64, ahead []int64) (int64, error) {
	if len(*known) == 0 {
		*known = ahead[:min(len(ahead), d.total)]
		if len(*known) == 0 {
			return 0, errDelta
		}
		if err := d.read(*known); err != nil {
			return 0, err
		}
	}
	v := (*known)[0]
	*known = (*known)[1:]
	return v, nil
}

// deltaBytes reads DELTA_BYTE_ARRAY: how much each value shares with the one before
// it, then the rest of each as DELTA_LENGTH_BYTE_ARRAY.
type deltaBytes struct {
	prefixes *delta
	suffixes *deltaLengths
	ahead    [256]int64
	known    []int64
	last     []byte
	size     int // of all values so far
}

func newDeltaBytes(b []byte, most int64) (*deltaBytes, error) {
	all, err := NewDelta(b, most)
	if err != nil {
		return nil, err
	}
	rest, err := all.skipValues()
	if err != nil {
		return nil, err
	}
	d := &deltaBytes{}
	if d.suffixes, err = newDeltaLengths(rest, most); err != nil {
		return nil, err
	}
	d.prefixes, err = NewDelta(b, most)
	return d, err
}

func (d *deltaBytes) next() ([]byte, error) {
	n, err := nextOf(d.prefixes, &d.known, d.ahead[:])
	if err != nil || n < 0 || n > int64(len(d.last)) {
		return nil, columnar.ErrBytes
	}
	suffix, err := d.suffixes.next()
	if err != nil {
		return nil, err
	}
	d.last = append(d.last[:n], suffix...)
	// Shared beginnings let a page of a few bytes hold texts without bound.
	if d.size += len(d.last); d.size > chunk.LargestPage {
		return nil, errors.New("a page's texts take more than 256 MiB")
	}
	return d.last, nil
}
