package tensorq

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"boost/internal/kernel/codec"
)

// FrameGroup is a segment of version 1 in the making (S3.38): frames of one tensor
// at different times, which share the scales of the first. After the fields of
// SegmentHeader come, for F frames of S groups of values,
//
//	offset size
//	14     4    F
//	18     4    S
//	22     2·S  scales, half precision
//	…      4    D, bytes of the frames: F·⌈values·bits/8⌉
//	…      D    frames, each a biased stream of all its codes that starts on a byte
//
// There is no checksum: a segment of version 1 belongs into a record that has one.
//
// A scale is the group's maximum in the first frame with headroom, max·(1+h)/qmax, rounded
// up to half precision. A frame fits as long as every group's maximum lies within
// 1 ± h times that of the first frame (S3.36), so that no code is ever clamped.
// Each value errs by at most half its stored scale, (1+h)/(2·qmax) of the reference
// maximum for h of headroom, times 1 + 2⁻¹⁰ for the rounding of scales of 2⁻¹⁴ and more.
// Halves below that are multiples of 2⁻²⁴: tensors that small belong into version 2.
type FrameGroup struct {
	header SegmentHeader
	cfg    QuantConfig
	refs   []float32 // maximum of each group in the first frame
	scales []uint16
	data   []byte
	codes  []int8
}

// ErrDrift refuses a frame that scales of an earlier one do not fit.
type ErrDrift struct {
	Group          int     // of values, from 0
	Max, Reference float32 // its largest magnitude, now and in the first frame
}

func (e ErrDrift) Error() string {
	return fmt.Sprintf("tensorq: the maximum of group %d drifted from %v to %v: begin a new segment", e.Group, e.Reference, e.Max)
}

// ErrScaleTooLarge refuses a tensor whose scales are beyond half precision.
type ErrScaleTooLarge struct {
	Group int // of values, from 0
	Scale float64
}

func (e ErrScaleTooLarge) Error() string {
	return fmt.Sprintf("tensorq: scale %v of group %d is beyond half precision, at most %d: use a segment of version 2", e.Scale, e.Group, maxF16)
}

// NewFrameGroup returns a group that has no frame yet, for a registered width and a block
// size that is a multiple of 8. Errors: ErrBitWidth, what cfg.Validate finds, ErrShape.
func NewFrameGroup(bits int, cfg QuantConfig) (*FrameGroup, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if _, err := Quantizer(bits); err != nil {
		return nil, err
	}
	g := &FrameGroup{cfg: cfg, header: SegmentHeader{Version: SegmentFrames, Bits: bits, BlockSize: cfg.BlockSize}}
	// A trial with one frame of one value: what is left to check is the block size.
	trial := g.header
	trial.Frames, trial.TensorLen = 1, 1
	return g, trial.check()
}

// Frames is the number of frames in the group.
func (g *FrameGroup) Frames() int { return g.header.Frames }

// DataSize is how many bytes the codes of the frames take.
func (g *FrameGroup) DataSize() int { return len(g.data) }

// Reset empties the group.
func (g *FrameGroup) Reset() {
	g.header.Frames, g.header.TensorLen = 0, 0
	g.data = g.data[:0]
}

// Add quantizes a frame with the scales of the first one in the group, which makes them.
// Errors: ErrNotFinite, ErrDrift, ErrScaleTooLarge, ErrShape for a frame of no values, of
// another length than the first, or for which the segment has no room; the group is then
// as it was.
func (g *FrameGroup) Add(frame []float32) error {
	h := g.header
	h.Frames++
	if h.Frames == 1 {
		h.TensorLen = len(frame)
	} else if h.TensorLen != len(frame) {
		return ErrShape{fmt.Sprintf("a frame of %d values: the first has %d; begin a new segment", len(frame), h.TensorLen)}
	}
	if err := h.check(); err != nil {
		return err
	}
	var err error
	if h.Frames == 1 {
		err = g.makeScales(frame, h.Blocks())
	} else {
		err = g.fits(frame)
	}
	if err != nil {
		return err
	}
	g.header = h
	qmax := largestCode(h.Bits)
	g.codes = resized(g.codes, len(frame))
	for i, half := range g.scales {
		from, to := blockRange(i, len(frame), h.BlockSize)
		if half == 0 {
			clear(g.codes[from:to])
		} else {
			codec.Multiples(g.codes[from:to], frame[from:to], f16Value(half), qmax)
		}
	}
	at := len(g.data)
	g.data = extended(g.data, h.frameSize())
	_, err = PackBits(g.codes, h.Bits, g.data[at:])
	return err
}

// makeScales takes the references and scales from the first frame.
func (g *FrameGroup) makeScales(frame []float32, groups int) error {
	g.refs = resized(g.refs, groups)
	g.scales = resized(g.scales, groups)
	qmax := float64(largestCode(g.header.Bits))
	for i := range g.refs {
		from, to := blockRange(i, len(frame), g.header.BlockSize)
		peak, err := peakOf(frame[from:to])
		if err != nil {
			return shifted(err, from)
		}
		g.refs[i] = peak
		scale := float64(peak) * (1 + g.cfg.Headroom) / qmax
		half, ok := f16Up(scale)
		if !ok {
			return ErrScaleTooLarge{Group: i, Scale: scale}
		}
		g.scales[i] = half
	}
	return nil
}

// fits returns ErrDrift for the first group of a frame that the scales do not fit.
func (g *FrameGroup) fits(frame []float32) error {
	for i, ref := range g.refs {
		from, to := blockRange(i, len(frame), g.header.BlockSize)
		peak, err := peakOf(frame[from:to])
		if err != nil {
			return shifted(err, from)
		}
		if !keepsScale(peak, ref, g.cfg.Headroom) {
			return ErrDrift{Group: i, Max: peak, Reference: ref}
		}
	}
	return nil
}

// keepsScale reports whether values up to peak fit a scale made with headroom for values up
// to ref. Zeros always do; where ref is 0, nothing else does.
func keepsScale(peak, ref float32, headroom float64) bool {
	x, r := float64(peak), float64(ref)
	return peak == 0 || x <= r*(1+headroom) && x >= r*(1-headroom)
}

// DriftBound is the most by which a value of a frame can err, as a share of the maximum
// that its group has in the first frame (S3.37): (1+headroom)/(2·qmax). Roundings of
// the scale come on top, see FrameGroup. The width is 2 to 8 bits.
func DriftBound(bits int, headroom float64) float64 {
	return (1 + headroom) / float64(2*largestCode(bits))
}

// AppendSegment appends the segment of the group's frames to dst. A group without frames
// has none: dst is returned as it is.
func (g *FrameGroup) AppendSegment(dst []byte) []byte {
	if g.header.Frames == 0 {
		return dst
	}
	dst = g.header.appendFields(dst)
	for _, half := range g.scales {
		dst = binary.LittleEndian.AppendUint16(dst, half)
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(g.data)))
	return append(dst, g.data...)
}

// MaxFrameData is how many bytes of frames a FrameWriter holds before it writes a segment,
// unless it is told otherwise.
const MaxFrameData = 64 << 20

// FrameWriter writes frames to a stream as segments of version 1, one after another. A new
// segment begins with a frame that drifts from the first of the one before, and with one
// of another length. A segment's header counts its frames, so the codes of one segment
// are held until it ends.
type FrameWriter struct {
	// MaxData is how many bytes of frames end a segment; MaxFrameData at first. A
	// segment has one frame at least.
	MaxData  int
	w        io.Writer
	group    *FrameGroup
	buffer   []byte
	segments int
	err      error
}

// NewFrameWriter returns a writer of frames of a registered width. Errors: as
// NewFrameGroup.
func NewFrameWriter(w io.Writer, bits int, cfg QuantConfig) (*FrameWriter, error) {
	g, err := NewFrameGroup(bits, cfg)
	if err != nil {
		return nil, err
	}
	return &FrameWriter{MaxData: MaxFrameData, w: w, group: g}, nil
}

// Write adds a frame. Errors: ErrNotFinite, ErrScaleTooLarge, ErrShape for a frame of no
// values or too many, after which other frames may follow; what the stream returns, after
// which nothing may.
func (f *FrameWriter) Write(frame []float32) error {
	if f.err != nil {
		return f.err
	}
	if _, err := peakOf(frame); err != nil {
		return err
	}
	h := f.group.header
	if h.Frames > 0 && (len(frame) != h.TensorLen || f.group.DataSize()+h.frameSize() > min(f.MaxData, math.MaxInt32)) {
		if err := f.flush(); err != nil {
			return err
		}
	}
	err := f.group.Add(frame)
	if errors.As(err, new(ErrDrift)) {
		if err := f.flush(); err != nil {
			return err
		}
		err = f.group.Add(frame)
	}
	return err
}

// Segments is how many segments were written.
func (f *FrameWriter) Segments() int { return f.segments }

// Close writes the last segment. It does not close the stream.
func (f *FrameWriter) Close() error {
	if f.err != nil {
		return f.err
	}
	if err := f.flush(); err != nil {
		return err
	}
	f.err = errors.New("tensorq: the writer of frames is closed")
	return nil
}

func (f *FrameWriter) flush() error {
	if f.group.Frames() == 0 {
		return nil
	}
	f.buffer = f.group.AppendSegment(f.buffer[:0])
	f.group.Reset()
	f.segments++
	_, f.err = f.w.Write(f.buffer)
	return f.err
}
