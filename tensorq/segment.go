package tensorq

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"
)

// Versions of segments.
const (
	SegmentFrames = 1 // frames that share half-precision scales
	SegmentBlocks = 2 // one tensor in blocks of their own scales, with a checksum
)

const segmentMagic = "TQTC"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// SegmentHeader is what a segment says of itself. Segments of both versions begin with
// these fields, little-endian as all that follows, and go on as FrameGroup and
// SegmentEncoder draw:
//
//	offset size
//	0      4    magic 54 51 54 43 ("TQTC")
//	4      1    version
//	5      1    bits of a code
//	6      4    values that share a scale
//	10     4    values of a frame
type SegmentHeader struct {
	Version   int // SegmentFrames or SegmentBlocks
	Bits      int // width of a code, that of a registered quantizer
	BlockSize int // values that share a scale, 1 to MaxBlockSize; the last of a frame may be fewer
	TensorLen int // values of a frame
	Frames    int // frames of version 1; 1 in version 2
}

// Blocks is the number of blocks of a frame: ⌈TensorLen/BlockSize⌉.
func (h SegmentHeader) Blocks() int { return blockCount(h.TensorLen, h.BlockSize) }

// Values is the number of values of all frames.
func (h SegmentHeader) Values() int { return h.Frames * h.TensorLen }

// Sizes of fields.
const (
	commonSize   = 14 // the fields of both versions
	frameFields  = 8  // frame_count and scale_count of version 1
	blockFields  = 4  // block_count of version 2
	lengthSize   = 4  // data_len
	checksumSize = 4  // of version 2
)

// fieldsSize is how many bytes stand between the common fields and the table.
func (h SegmentHeader) fieldsSize() int {
	if h.Version == SegmentFrames {
		return frameFields
	}
	return blockFields
}

// tableSize is how many bytes the table has: the scales of version 1, the mode bits of
// version 2.
func (h SegmentHeader) tableSize() int {
	if h.Version == SegmentFrames {
		return 2 * h.Blocks()
	}
	return flagBytes(h.Blocks())
}

// frameSize is how many bytes a frame of version 1 takes.
func (h SegmentHeader) frameSize() int { return PackedSize(h.TensorLen, h.Bits) }

// trailerSize is how many bytes follow the data.
func (h SegmentHeader) trailerSize() int {
	if h.Version == SegmentFrames {
		return 0
	}
	return checksumSize
}

// dataSize is how many bytes the data have: the frames of version 1, the blocks of
// version 2 by their mode bits, which may be nil where no block has two scales. It can
// be more than a segment may have.
func (h SegmentHeader) dataSize(modes []byte) uint64 {
	if h.Version == SegmentFrames {
		return uint64(h.Frames) * uint64(h.frameSize())
	}
	count := h.Blocks()
	if count == 0 {
		return 0
	}
	twoLevel := 0
	for _, m := range modes {
		twoLevel += bits.OnesCount8(m)
	}
	lastIsTwoLevel := modeBit(modes, count-1)
	if lastIsTwoLevel {
		twoLevel--
	}
	last := h.TensorLen - (count-1)*h.BlockSize
	return uint64(count-1-twoLevel)*uint64(StorageSize(h.BlockSize, h.Bits, false)) +
		uint64(twoLevel)*uint64(StorageSize(h.BlockSize, h.Bits, true)) +
		uint64(StorageSize(last, h.Bits, lastIsTwoLevel))
}

// modeBit reports whether block i has two scales.
func modeBit(modes []byte, i int) bool { return len(modes) > 0 && modes[i>>3]>>(i&7)&1 == 1 }

// ErrShape refuses lengths that no segment can have, or that this machine cannot hold.
type ErrShape struct{ Text string }

func (e ErrShape) Error() string { return "tensorq: segment: " + e.Text }

// check finds lengths that no segment can have. They come from a header that was read, or
// from a tensor to be written.
func (h SegmentHeader) check() error {
	values, addressable := uint64(h.Frames)*uint64(h.TensorLen), uint64(math.MaxInt/4)
	switch {
	case h.BlockSize < 1 || h.BlockSize > MaxBlockSize:
		return ErrShape{fmt.Sprintf("blocks of %d values: expected 1 to %d", h.BlockSize, MaxBlockSize)}
	case uint64(h.TensorLen) > math.MaxUint32:
		return ErrShape{fmt.Sprintf("%d values: expected at most %d; cut the tensor", h.TensorLen, uint32(math.MaxUint32))}
	case h.Version == SegmentFrames && h.BlockSize%8 != 0:
		return ErrShape{fmt.Sprintf("groups of %d values that share a scale: expected a multiple of 8", h.BlockSize)}
	case h.Version == SegmentFrames && (h.TensorLen == 0 || h.Frames == 0):
		return ErrShape{fmt.Sprintf("%d frames of %d values: expected at least one of each", h.Frames, h.TensorLen)}
	case values > addressable:
		return ErrShape{fmt.Sprintf("%d values: this machine can address %d", values, addressable)}
	}
	return checkDataSize(h.dataSize(nil))
}

// checkDataSize refuses data that a segment cannot have.
func checkDataSize(size uint64) error {
	if size > math.MaxUint32 {
		return ErrShape{fmt.Sprintf("%d bytes of codes: expected at most %d; cut the tensor", size, uint32(math.MaxUint32))}
	}
	return nil
}

// appendFields writes the fields in front of the table.
func (h SegmentHeader) appendFields(dst []byte) []byte {
	dst = append(dst, segmentMagic...)
	dst = append(dst, byte(h.Version), byte(h.Bits))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(h.BlockSize))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(h.TensorLen))
	if h.Version == SegmentFrames {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(h.Frames))
	}
	return binary.LittleEndian.AppendUint32(dst, uint32(h.Blocks()))
}

// DecodeSegment decodes a segment of either version that is all of data into the values of
// its frames, one frame after another. What the header and the lengths say is checked
// before anything is allocated. Errors: ErrBitWidth for a width without a quantizer,
// ErrFormat for anything else that is wrong, wrapping ErrShape for lengths out of bounds and io.ErrUnexpectedEOF where data
// ends early.
func DecodeSegment(data []byte) (SegmentHeader, []float32, error) {
	var r SegmentReader
	if err := r.ResetBytes(data); err != nil {
		return SegmentHeader{}, nil, err
	}
	out := make([]float32, r.header.Values())
	if err := r.ReadInto(out); err != nil {
		return SegmentHeader{}, nil, err
	}
	return r.header, out, nil
}
