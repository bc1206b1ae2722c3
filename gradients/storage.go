package gradients

import (
	"errors"
	"fmt"
	"math"

	"boost/internal/kernel/hist"
	"boost/internal/kernel/quantize"
	"boost/parallel"
)

// Mode is the form in which histograms read gradients.
type Mode uint8

// The modes.
const (
	I16 Mode = iota // 16-bit gradient and hessian codes, requantized every round
	I32             // 32-bit codes: what takes over where an outlier would blind I16
	F32             // the float32 values themselves
)

// String returns the mode's name in configs.
func (m Mode) String() string { return [...]string{"i16", "i32", "f32"}[m] }

// ParseMode returns the mode of a config name.
func ParseMode(name string) (Mode, error) {
	for _, m := range []Mode{I16, I32, F32} {
		if name == m.String() {
			return m, nil
		}
	}
	return 0, fmt.Errorf("gradients %q is not known: use i16, i32 or f32", name)
}

// The largest codes of each integer mode. Gradients are signed and symmetric,
// hessians unsigned (SEEDS S2.3, S2.4).
const (
	maxGrad16, maxHess16 = math.MaxInt16, math.MaxUint16
	maxGrad32, maxHess32 = math.MaxInt32, math.MaxUint32
)

// MaxHessCode returns the largest hessian code of an integer mode.
func (m Mode) MaxHessCode() uint64 {
	if m == I32 {
		return maxHess32
	}
	return maxHess16
}

// ErrNotFinite is wrapped by Quantize for a NaN or infinite gradient or hessian.
var ErrNotFinite = errors.New("gradient or hessian is not a finite number")

// ErrNegativeHessian is wrapped by Quantize for a hessian below zero.
var ErrNegativeHessian = errors.New("hessian is negative")

// Params turn sums of codes back into sums of gradients (SEEDS S2.6):
// Σ gradient = float64(Σ code)·GradScale, Σ hessian = float64(Σ code)·HessScale.
// In mode F32 both are 1.
type Params struct {
	GradScale, HessScale float64
}

// Storage holds one output's gradients in the form that histograms read, made
// anew every round. Codes are kept as separate arrays of gradients and hessians
// (SEEDS S2.27). It costs 4 bytes per row, and 8 more once a round needed I32.
type Storage struct {
	rows   int
	wanted Mode
	clip   bool

	mode   Mode
	params Params
	equal  float32 // the hessian of all rows in the bag, 0 where they differ

	grad16 []int16
	hess16 []uint16
	grad32 []int32
	hess32 []uint32
	grad   []float32 // the buffer's own memory
	hess   []float32

	bag    *Bag
	phase  phase
	ranges []quantize.Range
	losses []quantize.Loss
}

type phase uint8

const (
	scanRange phase = iota
	makeCodes
)

// NewStorage returns a Storage for the given number of rows. Negative hessians are
// an error in Quantize, unless clip is set: then they count as 0.
func NewStorage(rows int, mode Mode, clip bool) *Storage {
	blocks := parallel.Blocks(rows, hist.BlockRows)
	s := &Storage{
		rows: rows, wanted: mode, mode: mode, clip: clip,
		ranges: make([]quantize.Range, blocks), losses: make([]quantize.Loss, blocks),
	}
	if mode == I16 {
		s.grad16, s.hess16 = make([]int16, rows), make([]uint16, rows)
	}
	return s
}

// Outcome says what a Quantize did beyond rounding.
type Outcome struct {
	Wide     bool    // I32 took over from I16 for this round and output
	Blind    bool    // the codes used still lose more than S2.7 allows
	MaxRow   int     // row of the largest |gradient|, where Wide or Blind
	ErrShare float64 // Σ|g − g′| / Σ|g| of the codes that were rejected
	Clipped  int     // negative hessians set to 0
}

// Rows returns the number of rows.
func (s *Storage) Rows() int { return s.rows }

// Mode returns the form of the current round's codes.
func (s *Storage) Mode() Mode { return s.mode }

// Params returns the current round's scales.
func (s *Storage) Params() Params { return s.params }

// EqualHessians says that all hessians in the bag are the same positive number, so
// that in an integer mode every hessian code is Mode.MaxHessCode and a hessian sum
// counts rows. It is false where the scale's own rounding leaves their code short of
// the largest.
func (s *Storage) EqualHessians() bool {
	if s.mode == F32 {
		return s.equal > 0
	}
	code := math.Round(float64(s.equal) / s.params.HessScale)
	return code >= float64(s.mode.MaxHessCode())
}

// Codes16 returns the codes of mode I16, one per row.
func (s *Storage) Codes16() ([]int16, []uint16) { return s.grad16, s.hess16 }

// Codes32 returns the codes of mode I32, one per row.
func (s *Storage) Codes32() ([]int32, []uint32) { return s.grad32, s.hess32 }

// Floats returns the gradients and hessians that Quantize was last given.
func (s *Storage) Floats() (grad, hess []float32) { return s.grad, s.hess }

// Grad returns the dequantized gradient of a row.
func (s *Storage) Grad(row int) float64 {
	switch s.mode {
	case I16:
		return float64(s.grad16[row]) * s.params.GradScale
	case I32:
		return float64(s.grad32[row]) * s.params.GradScale
	}
	return float64(s.grad[row])
}

// Hess returns the dequantized hessian of a row.
func (s *Storage) Hess(row int) float64 {
	switch s.mode {
	case I16:
		return float64(s.hess16[row]) * s.params.HessScale
	case I32:
		return float64(s.hess32[row]) * s.params.HessScale
	}
	return float64(s.hess[row])
}

// Bytes returns the memory that the codes take now.
func (s *Storage) Bytes() int64 {
	return int64(len(s.grad16))*4 + int64(len(s.grad32))*8
}

// Quantize makes the round's codes from one output's gradients and hessians (one
// per row; kept by reference until the next call). Only the bag's rows count for
// scales and checks; codes of other rows are left undefined.
//
// A NaN or infinite value, and a negative hessian unless clipped, is an error that
// names the row. If 16-bit codes would lose too much (SEEDS S2.7) this round uses
// I32.
func (s *Storage) Quantize(pool *parallel.Pool, grad, hess []float32, bag *Bag) (Outcome, error) {
	var out Outcome
	s.grad, s.hess, s.bag = grad, hess, bag
	r := s.scan(pool)
	if r.Suspicious() {
		clipped, err := s.inspect()
		if err != nil {
			return out, err
		}
		out.Clipped = clipped
		r = s.scan(pool)
	}
	maxGrad, maxHess := math.Float32frombits(r.MaxGrad), float32(0)
	if r.MaxHess > 0 {
		maxHess = math.Float32frombits(uint32(r.MaxHess))
	}
	s.equal = 0
	if r.MinHess == r.MaxHess {
		s.equal = maxHess
	}
	s.mode = s.wanted
	switch s.mode {
	case F32:
		s.params = Params{1, 1}
		return out, nil
	case I16:
		s.params = Params{scale(maxGrad, maxGrad16), scale(maxHess, maxHess16)}
		loss := s.code(pool)
		if !blind(loss) {
			return out, nil
		}
		out.Wide, out.ErrShare = true, errShare(loss)
		s.mode = I32
	}
	if s.grad32 == nil {
		s.grad32, s.hess32 = make([]int32, s.rows), make([]uint32, s.rows)
	}
	s.params = Params{scale(maxGrad, maxGrad32), scale(maxHess, maxHess32)}
	if loss := s.code(pool); blind(loss) {
		out.Blind, out.ErrShare = true, errShare(loss)
	}
	if out.Wide || out.Blind {
		out.MaxRow = s.findGrad(r.MaxGrad)
	}
	return out, nil
}

// scale is the float32 quotient of the largest value and the largest code, 1 where
// that is 0: all values then get code 0.
//
// Where a quotient rounded down would leave the largest value more than half a step
// above the largest code (32-bit codes, or next to the smallest float32), the next
// float32 is taken, so that no value is clamped away from its nearest code.
func scale(largest float32, code float64) float64 {
	q := float32(float64(largest) / code)
	if q == 0 {
		return 1
	}
	if float64(q)*(code+0.5) < float64(largest) {
		q = math.Nextafter32(q, math.MaxFloat32)
	}
	return float64(q)
}

// blind is S2.7's test: the codes lose more than 1 % of Σ|g|, or more than half of
// the rows that have a gradient, or a hessian, have code 0.
func blind(l quantize.Loss) bool {
	return l.Error > l.Magnitude/100 || 2*l.GradKept < l.GradRows || 2*l.HessKept < l.HessRows
}

func errShare(l quantize.Loss) float64 {
	if l.Magnitude == 0 {
		return 0
	}
	return float64(l.Error) / float64(l.Magnitude)
}

func (s *Storage) scan(pool *parallel.Pool) quantize.Range {
	s.phase = scanRange
	pool.Do(len(s.ranges), (*storageTask)(s))
	r := quantize.Empty()
	for _, block := range s.ranges {
		r = r.Merge(block)
	}
	return r
}

func (s *Storage) code(pool *parallel.Pool) quantize.Loss {
	s.phase = makeCodes
	pool.Do(len(s.losses), (*storageTask)(s))
	var loss quantize.Loss
	for _, block := range s.losses {
		loss.Add(block)
	}
	return loss
}

// storageTask runs one block of the current phase.
type storageTask Storage

func (s *storageTask) Run(_, block int) {
	lo, hi := parallel.Block(block, s.rows, hist.BlockRows)
	grad, hess := s.grad[lo:hi], s.hess[lo:hi]
	var rows []uint16
	if s.bag != nil {
		rows = s.bag.Block(block)
	}
	if s.phase == scanRange {
		if s.bag != nil {
			s.ranges[block] = quantize.ScanRows(grad, hess, rows)
		} else {
			s.ranges[block] = quantize.Scan(grad, hess)
		}
		return
	}
	gs, hs := s.params.GradScale, s.params.HessScale
	switch {
	case s.mode == I16 && s.bag == nil:
		s.losses[block] = quantize.Codes(s.grad16[lo:hi], s.hess16[lo:hi], grad, hess, gs, hs, maxGrad16, maxHess16)
	case s.mode == I16:
		s.losses[block] = quantize.CodesRows(s.grad16[lo:hi], s.hess16[lo:hi], grad, hess, rows, gs, hs, maxGrad16, maxHess16)
	case s.bag == nil:
		s.losses[block] = quantize.Codes(s.grad32[lo:hi], s.hess32[lo:hi], grad, hess, gs, hs, maxGrad32, maxHess32)
	default:
		s.losses[block] = quantize.CodesRows(s.grad32[lo:hi], s.hess32[lo:hi], grad, hess, rows, gs, hs, maxGrad32, maxHess32)
	}
	if s.mode == I32 {
		// A block of extreme 32-bit codes reaches 2³¹·2¹⁶·2¹⁶ = 2⁶³: whole codes
		// instead of 1/65,536 leave room for 2¹⁶ blocks, which are 2³² rows.
		s.losses[block].Error >>= 16
		s.losses[block].Magnitude >>= 16
	}
}

// inspect looks at the bag's rows one by one, in order: it reports the first
// value that is not finite or, unless they are clipped, the first negative hessian.
func (s *Storage) inspect() (clipped int, err error) {
	err = s.eachRow(func(row int) error {
		g, h := float64(s.grad[row]), float64(s.hess[row])
		switch {
		case math.IsNaN(g) || math.IsInf(g, 0):
			return fmt.Errorf("row %d: gradient %v: %w", row, g, ErrNotFinite)
		case math.IsNaN(h) || math.IsInf(h, 0):
			return fmt.Errorf("row %d: hessian %v: %w", row, h, ErrNotFinite)
		case h < 0 && !s.clip:
			return fmt.Errorf("row %d: hessian %v: %w (set gradients.clip_negative_hessian to count such hessians as 0)",
				row, h, ErrNegativeHessian)
		case h < 0:
			s.hess[row] = 0
			clipped++
		case h == 0:
			s.hess[row] = 0 // −0 would pass for a negative number in the scan
		}
		return nil
	})
	return clipped, err
}

// findGrad returns the first row of the bag whose |gradient| has the given bits.
func (s *Storage) findGrad(bits uint32) int {
	found := -1
	_ = s.eachRow(func(row int) error {
		if math.Float32bits(s.grad[row])&^(1<<31) == bits {
			found = row
			return errFound
		}
		return nil
	})
	return found
}

var errFound = errors.New("found")

func (s *Storage) eachRow(visit func(row int) error) error {
	for block := range s.ranges {
		lo, hi := parallel.Block(block, s.rows, hist.BlockRows)
		if s.bag != nil {
			for _, r := range s.bag.Block(block) {
				if err := visit(lo + int(r)); err != nil {
					return err
				}
			}
			continue
		}
		for row := lo; row < hi; row++ {
			if err := visit(row); err != nil {
				return err
			}
		}
	}
	return nil
}
