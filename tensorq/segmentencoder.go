package tensorq

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"slices"
)

// SegmentEncoder writes tensors as segments of version 2 (S3.39): blocks with
// float32 scales, and a checksum. After the fields of SegmentHeader come, for B blocks,
//
//	offset size
//	14     4      B
//	18     ⌈B/8⌉  mode bits, lowest first: 1 for a block with two scales; spare bits 0
//	…      4      D, bytes of the blocks
//	…      D      blocks, one after another, as BlockCodec draws
//	…      4      CRC32C of everything before
//
// An encoder is used by one goroutine at a time; it allocates nothing once it has seen a
// tensor as large.
type SegmentEncoder struct {
	quantizer TensorQuantizer
	cfg       QuantConfig
	block     QuantizedBlock
	modes     []byte
	buffer    []byte
}

// NewSegmentEncoder returns an encoder for a registered width. Errors: ErrBitWidth, what
// cfg.Validate finds.
func NewSegmentEncoder(bits int, cfg QuantConfig) (*SegmentEncoder, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	q, err := Quantizer(bits)
	if err != nil {
		return nil, err
	}
	return &SegmentEncoder{quantizer: q, cfg: cfg}, nil
}

// EncodeSegment quantizes a tensor and returns its segment of version 2. Errors:
// ErrBitWidth, what cfg.Validate finds, ErrNotFinite, ErrShape for a tensor too long.
func EncodeSegment(values []float32, bits int, cfg QuantConfig) ([]byte, error) {
	e, err := NewSegmentEncoder(bits, cfg)
	if err != nil {
		return nil, err
	}
	return e.Append(nil, values)
}

// header describes the segment of n values.
func (e *SegmentEncoder) header(n int) (SegmentHeader, error) {
	h := SegmentHeader{
		Version: SegmentBlocks, Bits: e.quantizer.BitWidth(),
		BlockSize: e.cfg.BlockSize, TensorLen: n, Frames: 1,
	}
	return h, h.check()
}

// Append appends the segment of a tensor to dst. Errors: ErrNotFinite, ErrShape for a
// tensor too long; dst is then as it was.
func (e *SegmentEncoder) Append(dst []byte, values []float32) ([]byte, error) {
	h, err := e.header(len(values))
	if err != nil {
		return dst, err
	}
	start := len(dst)
	size := commonSize + blockFields + h.tableSize() + lengthSize + int(h.dataSize(nil)) + checksumSize
	out := h.appendFields(slices.Grow(dst, size))
	table := len(out)
	out = extended(out, h.tableSize()+lengthSize)
	clear(out[table:])
	data := len(out)
	for i := range h.Blocks() {
		if out, err = e.appendBlock(out, values, i); err != nil {
			return dst, err
		}
		if e.block.TwoLevel {
			out[table+i>>3] |= 1 << (i & 7)
		}
	}
	if err := checkDataSize(uint64(len(out) - data)); err != nil {
		return dst, err
	}
	binary.LittleEndian.PutUint32(out[data-lengthSize:], uint32(len(out)-data))
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out[start:], castagnoli)), nil
}

// appendBlock quantizes block i of values and appends its bytes.
func (e *SegmentEncoder) appendBlock(dst []byte, values []float32, i int) ([]byte, error) {
	from, to := blockRange(i, len(values), e.cfg.BlockSize)
	if err := e.quantizer.QuantizeBlock(values[from:to], e.cfg, &e.block); err != nil {
		return dst, shifted(err, from)
	}
	return AppendBlock(dst, &e.block)
}

// Encode writes the segment of a tensor to w, in pieces of about 64 KiB. Which blocks have
// two scales stands in front of the blocks, so with cfg.TwoLevelCold the tensor is
// quantized twice. Errors: as Append, with nothing written, or what w returns.
func (e *SegmentEncoder) Encode(w io.Writer, values []float32) error {
	h, err := e.header(len(values))
	if err != nil {
		return err
	}
	if _, err := peakOf(values); err != nil {
		return err
	}
	if err := e.findModes(h, values); err != nil {
		return err
	}
	size := h.dataSize(e.modes)
	if err := checkDataSize(size); err != nil {
		return err
	}
	out := append(h.appendFields(e.buffer[:0]), e.modes...)
	out = binary.LittleEndian.AppendUint32(out, uint32(size))
	sum := uint32(0)
	flush := func() error {
		sum = crc32.Update(sum, castagnoli, out)
		_, err := w.Write(out)
		out = out[:0]
		return err
	}
	for i := range h.Blocks() {
		if out, err = e.appendBlock(out, values, i); err != nil {
			return err
		}
		if len(out) >= bufferSize {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	e.buffer = binary.LittleEndian.AppendUint32(out, sum)
	_, err = w.Write(e.buffer)
	return err
}

// findModes finds which blocks will have two scales.
func (e *SegmentEncoder) findModes(h SegmentHeader, values []float32) error {
	e.modes = resized(e.modes, h.tableSize())
	clear(e.modes)
	if h.Bits != coldBits || !e.cfg.TwoLevelCold {
		return nil
	}
	for i := range h.Blocks() {
		from, to := blockRange(i, len(values), e.cfg.BlockSize)
		if err := e.quantizer.QuantizeBlock(values[from:to], e.cfg, &e.block); err != nil {
			return shifted(err, from)
		}
		if e.block.TwoLevel {
			e.modes[i>>3] |= 1 << (i & 7)
		}
	}
	return nil
}
