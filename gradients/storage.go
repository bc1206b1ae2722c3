package gradients

import (
	"fmt"
	"math"

	"boost/internal/comm"
	"boost/internal/kernel/hist"
	"boost/internal/kernel/quantize"
	"boost/parallel"
)

// Params turn sums of codes back into sums of gradients:
// Σ gradient = float64(Σ code)·GradScale + float64(rows)·GradOffset and
// Σ hessian = float64(Σ code)·HessScale. In mode F32 the scales are 1. The offset is 0
// but in asymmetric rounds.
type Params struct {
	GradScale, GradOffset, HessScale float64
}

// Settings are how a Storage makes codes.
type Settings struct {
	Mode     Mode
	Rounding Rounding // of integer modes
	// Asymmetric spreads the codes of mode I16 over the range of the gradients, from the
	// smallest to the largest, instead of symmetrically around 0.
	Asymmetric bool
	// Clip counts negative hessians as 0; otherwise they are an error in Quantize.
	Clip bool
	Seed uint64 // of stochastic rounding
	// EveryHessian takes no shortcut where all hessians are the same, for comparisons: the codes of all rows
	// are read, and rows are counted although a sum of hessians would give their number. Models are the same.
	EveryHessian bool
	Ranks        *comm.Ranks // where other rows are; nil for none
}

// OneWord is Storage.OneWord of rounds without a wider mode.
func (s Settings) OneWord() bool { return (s.Mode == I16 || s.Mode.Coarse()) && !s.Asymmetric }

// Counts is Storage.Counts of rounds without a wider mode.
func (s Settings) Counts() bool { return s.Mode == F32 || s.Asymmetric }

// Storage holds one output's gradients in the form that histograms read, made anew every
// round. Codes of 16 and 32 bits are kept as separate arrays of gradients and hessians,
// those of 8 and 4 bits packed. It costs Mode.BytesPerRow, and what the
// wider mode takes once a round needed it.
type Storage struct {
	rows int
	set  Settings

	mode       Mode
	asymmetric bool // this round
	params     Params
	rule       quantize.Rule
	equal      float32 // the hessian of all rows in the bag, 0 where they differ
	maxGrad    float32 // |gradient|
	maxHess    float32

	codes
	grad []float32 // the buffer's own memory
	hess []float32

	bag    *Bag
	phase  phase
	ranges []quantize.Range
	spans  []span
	losses []quantize.Loss
}

// codes are the codes of all rows, of the modes that a round has needed.
type codes struct {
	packed4 []uint8
	packed8 []uint16
	grad16  []int16
	hess16  []uint16
	grad32  []int32
	hess32  []uint32
}

// NewStorage returns a Storage for the given number of rows. Settings.Asymmetric with
// another mode than I16 is a programming error.
func NewStorage(rows int, set Settings) *Storage {
	if set.Asymmetric && set.Mode != I16 {
		panic(fmt.Sprintf("gradients: mode %v has no asymmetric codes, only %v has", set.Mode, I16))
	}
	blocks := parallel.Blocks(rows, pieceRows)
	s := &Storage{
		rows: rows, set: set, mode: set.Mode,
		ranges: make([]quantize.Range, blocks), losses: make([]quantize.Loss, blocks),
	}
	if set.Asymmetric {
		s.spans = make([]span, blocks)
	}
	s.reserve(set.Mode, rows)
	return s
}

// reserve makes the arrays of a mode.
func (c *codes) reserve(m Mode, rows int) {
	switch {
	case m == I4 && c.packed4 == nil:
		c.packed4 = make([]uint8, rows)
	case m == I8 && c.packed8 == nil:
		c.packed8 = make([]uint16, rows)
	case m == I16 && c.grad16 == nil:
		c.grad16, c.hess16 = make([]int16, rows), make([]uint16, rows)
	case m == I32 && c.grad32 == nil:
		c.grad32, c.hess32 = make([]int32, rows), make([]uint32, rows)
	}
}

// Rows returns the number of rows.
func (s *Storage) Rows() int { return s.rows }

// Mode returns the form of the current round's codes.
func (s *Storage) Mode() Mode { return s.mode }

// Params returns the current round's scales.
func (s *Storage) Params() Params { return s.params }

// OneWord reports whether a row's codes fit the 16-bit halves of an entry (package hist), so
// that a histogram adds both in one addition.
func (s *Storage) OneWord() bool { return (s.mode == I16 || s.mode.Coarse()) && !s.asymmetric }

// Counts reports whether histograms have to count rows: for sums of floats, which tell nothing of
// their number, and for sums of codes with an offset.
func (s *Storage) Counts() bool { return s.mode == F32 || s.asymmetric }

// EqualHessians reports whether all hessians in the bag are the same positive number, so
// that in an integer mode every hessian code is Mode.MaxHessCode and a hessian sum
// counts rows. It is false where the scale's own rounding leaves their code short of
// the largest, and where Settings.EveryHessian asks for no shortcut.
func (s *Storage) EqualHessians() bool {
	if s.set.EveryHessian {
		return false
	}
	if s.mode == F32 {
		return s.equal > 0
	}
	return math.Round(float64(s.equal)/s.params.HessScale) >= float64(s.mode.MaxHessCode())
}

// SameHessians reports whether all rows in the bag have one hessian, above 0.
func (s *Storage) SameHessians() bool { return s.equal > 0 }

// Codes16 returns the codes of mode I16, one per row.
func (s *Storage) Codes16() ([]int16, []uint16) { return s.grad16, s.hess16 }

// Codes32 returns the codes of mode I32, one per row.
func (s *Storage) Codes32() ([]int32, []uint32) { return s.grad32, s.hess32 }

// Packed8 returns the codes of mode I8: the gradient's in the lower byte.
func (s *Storage) Packed8() []uint16 { return s.packed8 }

// Packed4 returns the codes of mode I4: the gradient's in the lower nibble.
func (s *Storage) Packed4() []uint8 { return s.packed4 }

// Floats returns the gradients and hessians that Quantize was last given.
func (s *Storage) Floats() (grad, hess []float32) { return s.grad, s.hess }

// Largest returns the largest |gradient| and hessian in the bag.
func (s *Storage) Largest() (grad, hess float32) { return s.maxGrad, s.maxHess }

// Code returns the codes of a row, in an integer mode.
func (s *Storage) Code(row int) (grad int64, hess uint64) {
	switch s.mode {
	case I32:
		return int64(s.grad32[row]), uint64(s.hess32[row])
	case I8:
		g, h := quantize.Unpack8(s.packed8[row])
		return int64(g), uint64(h)
	case I4:
		g, h := quantize.Unpack4(s.packed4[row])
		return int64(g), uint64(h)
	}
	return int64(s.grad16[row]), uint64(s.hess16[row])
}

// Total returns the sums of the codes of some entries, which count their rows from a first one, in an
// integer mode.
func (s *Storage) Total(first int, entries []uint64) (grad int64, hess uint64) {
	lo, hi := first, min(first+hist.BlockRows, s.rows)
	switch {
	case s.OneWord():
		return hist.Total(entries)
	case s.mode == I32:
		return hist.TotalCodes(entries, s.grad32[lo:hi], s.hess32[lo:hi])
	}
	return hist.TotalCodes(entries, s.grad16[lo:hi], s.hess16[lo:hi])
}

// Get returns the dequantized gradient and hessian of a row.
func (s *Storage) Get(row int) (grad, hess float64) {
	if s.mode == F32 {
		return float64(s.grad[row]), float64(s.hess[row])
	}
	g, h := s.Code(row)
	return float64(float64(g)*s.params.GradScale) + s.params.GradOffset, float64(h) * s.params.HessScale
}

// Grad returns the dequantized gradient of a row.
func (s *Storage) Grad(row int) float64 {
	grad, _ := s.Get(row)
	return grad
}

// Hess returns the dequantized hessian of a row.
func (s *Storage) Hess(row int) float64 {
	_, hess := s.Get(row)
	return hess
}

// Bytes returns the memory that the codes take now.
func (s *Storage) Bytes() int64 {
	return int64(len(s.packed4)) + int64(len(s.packed8))*2 + int64(len(s.grad16))*4 + int64(len(s.grad32))*8
}

// Entries fills entries with rows that are counted from a first one: those that follow it where rows is nil,
// else the listed ones. In one-word modes they carry the codes, in others only the rows.
func (s *Storage) Entries(entries []uint64, first int, rows []uint16) {
	lo, hi := first, min(first+hist.BlockRows, s.rows)
	switch {
	case !s.OneWord():
		hist.PackIndex(entries, rows)
	case s.mode == I8:
		hist.Pack8(entries, rows, s.packed8[lo:hi])
	case s.mode == I4:
		hist.Pack4(entries, rows, s.packed4[lo:hi])
	case s.EqualHessians():
		hist.PackEqual(entries, rows, s.grad16[lo:hi], math.MaxUint16)
	case rows != nil:
		hist.PackRows(entries, rows, s.grad16[lo:hi], s.hess16[lo:hi])
	default:
		hist.Pack(entries, s.grad16[lo:hi], s.hess16[lo:hi])
	}
}
