package parquet

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// hybrid reads Parquet's mix of run-length and bit-packed integers:
//
//	run      varint (length << 1), the value in ⌈width/8⌉ bytes
//	packed   varint (groups << 1 | 1), groups of 8 values of width bits each, LSB first
//
// A sequence is read in any number of calls.
type hybrid struct {
	b      []byte
	width  int
	left   int    // values left of the run or the packed stretch
	packed bool   // which of the two
	value  uint32 // of the run
	bit    int    // of the next packed value, from the start of b
	end    int    // bytes of b up to the end of the packed stretch
}

var errHybrid = errors.New("its run lengths are damaged")

func newHybrid(b []byte, width int) (hybrid, error) {
	if width < 0 || width > 32 {
		return hybrid{}, errHybrid
	}
	return hybrid{b: b, width: width}, nil
}

// advance reads the head of the next run.
func (h *hybrid) advance() error {
	if h.packed {
		h.b = h.b[h.end:]
	}
	head, n := binary.Uvarint(h.b)
	if n <= 0 || head>>1 == 0 || head > 1<<34 {
		return errHybrid
	}
	h.b = h.b[n:]
	if h.packed = head&1 == 1; h.packed {
		groups := int(head >> 1)
		h.left, h.bit, h.end = 8*groups, 0, groups*h.width
		// The last groups may be cut off behind the last value that counts.
		if h.end > len(h.b) {
			h.end = len(h.b)
			if h.width > 0 {
				h.left = min(h.left, 8*h.end/h.width)
			}
		}
		return nil
	}
	size := (h.width + 7) / 8
	if size > len(h.b) {
		return errHybrid
	}
	h.left, h.value = int(head>>1), 0
	for i := range size {
		h.value |= uint32(h.b[i]) << (8 * i)
	}
	h.b = h.b[size:]
	return nil
}

// run returns the value of the run that comes next and how many of up to n it
// covers; 0 if the next values are packed.
func (h *hybrid) run(n int) (value uint32, covered int, err error) {
	for h.left == 0 { // a stretch that was cut off may hold nothing
		if err := h.advance(); err != nil {
			return 0, 0, err
		}
	}
	if h.packed {
		return 0, 0, nil
	}
	covered = min(n, h.left)
	h.left -= covered
	return h.value, covered, nil
}

// read fills dst.
func (h *hybrid) read(dst []uint32) error {
	for len(dst) > 0 {
		value, n, err := h.run(len(dst))
		if err != nil {
			return err
		}
		if n > 0 {
			for i := range dst[:n] {
				dst[i] = value
			}
		} else {
			n = min(len(dst), h.left)
			h.unpack(dst[:n])
			h.left -= n
		}
		dst = dst[n:]
	}
	return nil
}

// unpack reads packed values, which are known to be there.
func (h *hybrid) unpack(dst []uint32) {
	width := h.width
	mask := uint64(1)<<width - 1
	bit := h.bit
	i := 0
	// Eight bytes hold any value that begins in the first of them, as 7 + 32 ≤ 64.
	if safe := len(h.b) - 8; width > 0 {
		for ; i < len(dst) && bit>>3 <= safe; i++ {
			dst[i] = uint32(binary.LittleEndian.Uint64(h.b[bit>>3:]) >> (bit & 7) & mask)
			bit += width
		}
	}
	for ; i < len(dst); i++ {
		var word [8]byte
		copy(word[:], h.b[min(bit>>3, len(h.b)):])
		dst[i] = uint32(binary.LittleEndian.Uint64(word[:]) >> (bit & 7) & mask)
		bit += width
	}
	h.bit = bit
}

// packedLevels brings bit-packed levels of width 1, most significant bit first, into
// the hybrid form.
func packedLevels(b []byte) []byte {
	out := binary.AppendUvarint(nil, uint64(len(b))<<1|1)
	for _, c := range b {
		out = append(out, bits.Reverse8(c))
	}
	return out
}
