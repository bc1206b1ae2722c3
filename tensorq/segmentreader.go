package tensorq

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// SegmentReader reads segments of either version, from memory or from a stream, block by
// block. Reset or ResetBytes begins a segment; its buffers are used again, so that one
// reader decodes any number of segments without allocating once they are long enough.
type SegmentReader struct {
	header    SegmentHeader
	quantizer TensorQuantizer
	src       source
	table     []byte // mode bits or scales
	kept      []byte // memory of tables that come from streams
	frame     int    // of the next block
	index     int    // of the next block in its frame
	block     QuantizedBlock
	err       error // what Next returns from now on
}

// NewSegmentReader reads the header of the segment at the front of r: see Reset.
func NewSegmentReader(r io.Reader) (*SegmentReader, error) {
	s := new(SegmentReader)
	return s, s.Reset(r)
}

// Reset reads the header of the segment that r goes on with. Of r no byte behind the
// segment is read, so that segments may follow each other. Memory grows with the bytes
// that arrive, not with those that the header announces. Errors: io.EOF if r is at its
// end, else as DecodeSegment, or what r returns.
func (s *SegmentReader) Reset(r io.Reader) error {
	s.src = source{r: r, buffer: s.src.buffer}
	return s.begin()
}

// ResetBytes reads the header of the segment that is all of data, and checks its length
// and, in version 2, its checksum. The reader keeps data until it is reset.
func (s *SegmentReader) ResetBytes(data []byte) error {
	s.src = source{data: data, buffer: s.src.buffer}
	if err := s.begin(); err != nil {
		return err
	}
	left := uint64(len(s.src.data))
	want := s.header.dataSize(s.modes()) + uint64(s.header.trailerSize())
	switch {
	case left < want:
		s.err = s.src.early(want - left)
	case left > want:
		s.err = ErrFormat{Offset: int64(len(data)) - int64(left-want), Text: fmt.Sprintf("%d bytes behind the segment: expected none", left-want)}
	case s.header.Version == SegmentBlocks:
		end := len(data) - checksumSize
		s.err = checkSum(data[end:], crc32.Checksum(data[:end], castagnoli), int64(end))
	}
	return s.err
}

// Header returns the header of the segment that was begun last.
func (s *SegmentReader) Header() SegmentHeader { return s.header }

func (s *SegmentReader) begin() error {
	s.frame, s.index, s.table, s.header = 0, 0, nil, SegmentHeader{}
	s.err = s.readHeader()
	return s.err
}

func (s *SegmentReader) readHeader() error {
	s.src.ahead = commonSize
	b, err := s.src.take(commonSize)
	if err != nil {
		return err
	}
	if string(b[:4]) != segmentMagic {
		return ErrFormat{Text: fmt.Sprintf("% x: expected the magic % x of a segment", b[:4], segmentMagic)}
	}
	h := SegmentHeader{Version: int(b[4]), Bits: int(b[5]), Frames: 1}
	if h.Version != SegmentFrames && h.Version != SegmentBlocks {
		return ErrFormat{Offset: 4, Text: fmt.Sprintf("version %d: expected %d or %d; a newer program may read it", h.Version, SegmentFrames, SegmentBlocks)}
	}
	if s.quantizer, err = Quantizer(h.Bits); err != nil {
		return ErrFormat{Offset: 5, Text: fmt.Sprintf("codes of %d bits: expected one of %v", h.Bits, Widths()), Err: err}
	}
	blockSize, tensorLen := binary.LittleEndian.Uint32(b[6:]), binary.LittleEndian.Uint32(b[10:])
	s.src.ahead = int64(h.fieldsSize())
	if b, err = s.src.take(h.fieldsSize()); err != nil {
		return err
	}
	frames, count := uint32(1), binary.LittleEndian.Uint32(b[len(b)-4:])
	if h.Version == SegmentFrames {
		frames = binary.LittleEndian.Uint32(b)
	}
	if uint64(max(blockSize, tensorLen, frames)) > math.MaxInt/4 {
		return ErrFormat{Offset: 6, Text: fmt.Sprintf("%d frames of %d values in blocks of %d: this machine cannot address them", frames, tensorLen, blockSize)}
	}
	h.BlockSize, h.TensorLen, h.Frames = int(blockSize), int(tensorLen), int(frames)
	if err := h.check(); err != nil {
		return ErrFormat{Offset: 6, Text: "lengths that no segment has", Err: err}
	}
	at := s.src.at
	if uint64(count) != uint64(h.Blocks()) {
		return ErrFormat{Offset: at - 4, Text: fmt.Sprintf("%d blocks or scales: %d values in blocks of %d have %d", count, h.TensorLen, h.BlockSize, h.Blocks())}
	}
	if err := s.readTable(h); err != nil {
		return err
	}
	s.header = h
	if b, err = s.src.take(lengthSize); err != nil {
		return err
	}
	size := h.dataSize(s.modes())
	if got := binary.LittleEndian.Uint32(b); uint64(got) != size {
		return ErrFormat{Offset: s.src.at - lengthSize, Text: fmt.Sprintf("%d bytes of data: expected %d by the lengths before", got, size)}
	}
	s.src.ahead = int64(size) + int64(h.trailerSize())
	return nil
}

// modes are the mode bits of version 2.
func (s *SegmentReader) modes() []byte {
	if s.header.Version == SegmentBlocks {
		return s.table
	}
	return nil
}

// readTable reads and checks the scales or mode bits.
func (s *SegmentReader) readTable(h SegmentHeader) error {
	at, size := s.src.at, h.tableSize()
	s.src.ahead = int64(size) + lengthSize
	if s.src.r == nil {
		var err error
		if s.table, err = s.src.take(size); err != nil {
			return err
		}
	} else {
		s.table = s.kept[:0]
		for left := size; left > 0; {
			part, err := s.src.take(min(left, bufferSize))
			if err != nil {
				return err
			}
			s.table = append(s.table, part...)
			left -= len(part)
		}
		s.kept = s.table
	}
	if h.Version == SegmentFrames {
		return checkScales(s.table, at)
	}
	if spareBits(s.table, h.Blocks()) {
		return ErrFormat{Offset: at + int64(size) - 1, Text: "mode bits beyond the last block: expected 0"}
	}
	for i, m := range s.table {
		if m != 0 && h.Bits != coldBits {
			return ErrFormat{Offset: at + int64(i), Text: fmt.Sprintf("a block of %d bits with a second scale: expected %d bits", h.Bits, coldBits)}
		}
	}
	return nil
}

// checkScales refuses half-precision scales that are negative, infinite or NaN.
func checkScales(table []byte, at int64) error {
	for i := 0; i < len(table); i += 2 {
		if half := binary.LittleEndian.Uint16(table[i:]); half > f16Largest {
			return ErrFormat{Offset: at + int64(i), Text: fmt.Sprintf("scale %v: expected 0 to %d", f16Value(half), maxF16)}
		}
	}
	return nil
}

// Next appends the values of the next block to dst: in version 1 of the blocks of one
// frame after another. It returns io.EOF behind the last. Of a segment in a stream the
// checksum comes last, so its values are sure only once io.EOF was returned. Errors:
// as DecodeSegment, or what the stream returns; dst is then as it was.
func (s *SegmentReader) Next(dst []float32) ([]float32, error) {
	if s.err == nil {
		s.err = s.nextBlock()
	}
	if s.err != nil {
		return dst, s.err
	}
	from := len(dst)
	dst = extended(dst, len(s.block.Codes))
	if err := s.quantizer.DequantizeBlock(&s.block, dst[from:]); err != nil {
		s.err = err
		return dst[:from], err
	}
	return dst, nil
}

// ReadInto writes all values of a segment that was just begun into out, which may be
// longer than Header().Values(). Errors: ErrOutputTooSmall with the number of values, with
// nothing read; else as Next.
func (s *SegmentReader) ReadInto(out []float32) error {
	if s.err != nil {
		return s.err
	}
	if n := s.header.Values(); len(out) < n {
		return ErrOutputTooSmall{Required: n}
	}
	out = out[:0]
	for {
		var err error
		if out, err = s.Next(out); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func (s *SegmentReader) nextBlock() error {
	h := &s.header
	if s.index == h.Blocks() {
		s.index, s.frame = 0, s.frame+1
	}
	if s.frame == h.Frames || h.TensorLen == 0 {
		return s.end()
	}
	n := min(h.BlockSize, h.TensorLen-s.index*h.BlockSize)
	twoLevel := modeBit(s.modes(), s.index)
	size := PackedSize(n, h.Bits)
	if h.Version == SegmentBlocks {
		size = StorageSize(n, h.Bits, twoLevel)
	}
	at := s.src.at
	b, err := s.src.take(size)
	if err != nil {
		return err
	}
	if h.Version == SegmentBlocks {
		_, err = DecodeBlock(b, n, h.Bits, twoLevel, &s.block)
	} else {
		s.block.Bits = h.Bits
		s.block.Scale = f16Value(binary.LittleEndian.Uint16(s.table[2*s.index:]))
		s.block.SecondaryScale, s.block.TwoLevel = 0, false
		s.block.Codes = resized(s.block.Codes, n)
		err = unpackChecked(StandardBitCodec{}, b, h.Bits, s.block.Codes)
	}
	s.index++
	return moved(err, at)
}

// end checks the checksum of a stream; that of memory was checked at the start.
func (s *SegmentReader) end() error {
	if s.src.r != nil && s.header.Version == SegmentBlocks {
		at, sum := s.src.at, s.src.sum
		b, err := s.src.take(checksumSize)
		if err != nil {
			return err
		}
		if err := checkSum(b, sum, at); err != nil {
			return err
		}
	}
	return io.EOF
}

func checkSum(stored []byte, sum uint32, at int64) error {
	if got := binary.LittleEndian.Uint32(stored); got != sum {
		return ErrFormat{Offset: at, Text: fmt.Sprintf("checksum %08x: the bytes before have %08x; the segment is damaged", got, sum)}
	}
	return nil
}

// ReadSegment decodes the segment at the front of r: see DecodeSegment and
// SegmentReader.Reset.
func ReadSegment(r io.Reader) (SegmentHeader, []float32, error) {
	s, err := NewSegmentReader(r)
	if err != nil {
		return SegmentHeader{}, nil, err
	}
	// Lengths of a fourth each of the next, the last of exactly the segment's: a third
	// more than the values in all, and never more than four times what has arrived.
	total := s.header.Values()
	size := total
	for size > bufferSize {
		size /= 4
	}
	values := make([]float32, 0, size)
	for {
		if next := min(s.header.BlockSize, total-len(values)); cap(values)-len(values) < next {
			for size < len(values)+next {
				size = max(4*size, 4)
			}
			if size > total-total/4 {
				size = total
			}
			values = append(make([]float32, 0, size), values...)
		}
		if values, err = s.Next(values); err == io.EOF {
			return s.header, values, nil
		} else if err != nil {
			return SegmentHeader{}, nil, err
		}
	}
}
