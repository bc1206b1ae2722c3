package packed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"boost/internal/entropy"
	"boost/ptq"
)

// Codes of signed types of up to 16 bits can be packed: most leaf values are small beside the
// largest, so that their codes need fewer bits than the type has. A writer packs them where
// that is shorter.

// LeavesOf reports whether codes of a type can be packed.
func LeavesOf(d ptq.DType) bool {
	switch d {
	case ptq.I16, ptq.I8, ptq.I4, ptq.I2, ptq.Ternary:
		return true
	}
	return false
}

// leafCoder codes the codes of leaves, one tree after another: how many bits the magnitude
// has, by those of the leaf before and by those of the output's leaves so far; the sign, by that
// of the leaf before; the bits below the highest, of which the first two are estimated.
type leafCoder struct {
	coder *entropy.Coder
	size  [3][48 * 32]entropy.Bit // by level, by the leaf before, by both
	mixer [8]entropy.Mixer
	sign  [3]entropy.Bit
	top   [18][4]entropy.Bit

	levels []uint32 // by output
	tree   int      // the next one
}

func newLeafCoder(c *entropy.Coder, outputs int) *leafCoder {
	return &leafCoder{coder: c, levels: make([]uint32, outputs)}
}

// levelUnit is the part of a bit that levels are counted in, half of it shown to estimates.
const levelUnit = 16

// code codes a leaf; level is 16 times the mean number of bits of the output's leaves, and
// follows, before is the leaf before in the tree, 0 for the first.
func (k *leafCoder) code(value int32, level *uint32, before int32) (int32, bool) {
	c := k.coder
	magnitude := uint32(max(value, -value))
	size := uint32(bits.Len32(magnitude))
	near := uint32(bits.Len32(uint32(max(before, -before))))
	at := min(*level/(levelUnit/2), 31)
	node := uint32(1)
	for b := 4; b >= 0; b-- {
		x := &k.size[0][at<<5|node]
		y := &k.size[1][min(near, 15)<<5|node]
		z := &k.size[2][(at/2*3+min(near, 2))<<5|node]
		node = node<<1 | k.mixer[b].Code(c, size>>b&1, x, y, z)
	}
	size = node & 31
	if size > 16 {
		return 0, false
	}
	*level = uint32(int32(*level) + (int32(size*levelUnit)-int32(*level))/8)
	if size == 0 {
		return 0, true
	}
	result, left, node := uint32(1), size-1, uint32(1)
	for range min(left, 2) {
		left--
		bit := k.top[size][node].Code(c, magnitude>>left&1)
		node, result = node<<1|bit, result<<1|bit
	}
	result = result<<left | c.Uniform(magnitude&(1<<left-1), 1<<left)
	sign := uint32(0)
	if value < 0 {
		sign = 1
	}
	which := 0
	switch {
	case before > 0:
		which = 1
	case before < 0:
		which = 2
	}
	if k.sign[which].Code(c, sign) == 1 {
		return -int32(result), true
	}
	return int32(result), true
}

// each codes the codes of the next trees in place.
func (k *leafCoder) each(codes []int32, leaves []int) bool {
	at := 0
	for _, n := range leaves {
		before, level := int32(0), &k.levels[k.tree%len(k.levels)]
		for range n {
			value, ok := k.code(codes[at], level, before)
			if !ok {
				return false
			}
			codes[at], before = value, value
			at++
		}
		k.tree++
	}
	return true
}

// PackLeaves packs the codes of a version, for trees with so many leaves each.
func PackLeaves(v *ptq.Version, leaves []int, outputs int) []byte {
	w := NewLeafWriter(outputs)
	w.Add(v, leaves)
	return w.Close()
}

// LeafWriter packs codes, those of some trees at a time.
type LeafWriter struct {
	k     *leafCoder
	total int
}

func NewLeafWriter(outputs int) *LeafWriter {
	return &LeafWriter{k: newLeafCoder(entropy.NewWriter(nil), outputs)}
}

// Add packs the codes of a version, those of the next trees, which have so many leaves each.
func (w *LeafWriter) Add(v *ptq.Version, leaves []int) {
	_ = w.k.each(signedCodes(v), leaves) // a writer meets no error
	w.total += v.Len()
}

// Close returns the bytes.
func (w *LeafWriter) Close() []byte {
	b := w.k.coder.Close()
	// A reader makes no more leaves of a byte than codes of one bit would be.
	if least := (w.total + 7) / 8; len(b) < least {
		b = append(b, make([]byte, least-len(b))...)
	}
	return b
}

// signedCodes returns the codes of a type of which LeavesOf is true.
func signedCodes(v *ptq.Version) []int32 {
	out := make([]int32, v.Len())
	switch codes := v.Codes().(type) {
	case []int16:
		for i, c := range codes {
			out[i] = int32(c)
		}
	case []int8:
		for i, c := range codes {
			out[i] = int32(c)
		}
	default:
		panic(fmt.Sprintf("model: codes of %T cannot be packed", codes))
	}
	return out
}

// UnpackLeaves returns the codes as the version's native bytes.
func UnpackLeaves(b []byte, d ptq.DType, leaves []int, outputs int) ([]byte, error) {
	r := NewLeafReader(b, d, outputs)
	native, err := r.Next(leaves)
	if err == nil {
		err = r.k.coder.Err()
	}
	return native, err
}

// LeafReader reads packed codes, those of some trees at a time.
type LeafReader struct {
	k     *leafCoder
	d     ptq.DType
	bytes int
	total int
}

func NewLeafReader(b []byte, d ptq.DType, outputs int) *LeafReader {
	return &LeafReader{k: newLeafCoder(entropy.NewReader(b), outputs), d: d, bytes: len(b)}
}

// Next returns the codes of the next trees, which have so many leaves each, as a version's native bytes.
func (r *LeafReader) Next(leaves []int) ([]byte, error) {
	n, first := 0, r.total
	for _, count := range leaves {
		n += count
	}
	if r.total += n; r.total > 8*r.bytes {
		return nil, fmt.Errorf("%d packed leaf values in %d bytes", r.total, r.bytes)
	}
	codes := make([]int32, n)
	if !r.k.each(codes, leaves) {
		return nil, errors.New("a leaf value has too many bits")
	}
	if err := r.k.coder.Err(); err != nil {
		return nil, err
	}
	native := make([]byte, ptq.StorageBytes(r.d, int64(n)))
	width := r.d.Bits()
	half := int32(1) << (width - 1)
	for i, code := range codes {
		switch {
		case code < -half || code >= half:
			return nil, fmt.Errorf("leaf value %d has code %d, beyond %s", first+i, code, r.d)
		case width == 16:
			binary.LittleEndian.PutUint16(native[2*i:], uint16(code))
		default:
			shift := 8 - width - i*width%8
			native[i*width/8] |= byte(code&(half<<1-1)) << shift
		}
	}
	return native, nil
}
