package gradients

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"boost/internal/comm"
	"boost/internal/kernel/hist"
	"boost/internal/kernel/quantize"
	"boost/internal/rng"
	"boost/parallel"
)

// ErrNotFinite is wrapped by Quantize for a NaN or infinite gradient or hessian.
var ErrNotFinite = errors.New("gradient or hessian is not a finite number")

// ErrNegativeHessian is wrapped by Quantize for a hessian below zero.
var ErrNegativeHessian = errors.New("hessian is negative")

// Outcome is what a Quantize did beyond rounding.
type Outcome struct {
	Wide     bool    // a mode of more bits took over for this round and output: Storage.Mode
	Blind    bool    // the codes used still lose too much; see blind
	MaxRow   int     // row of the largest |gradient|, where Wide or Blind
	ErrShare float64 // Σ|g − g′| / Σ|g| of the codes that were rejected last
	Clipped  int     // negative hessians set to 0
}

// Quantize makes the codes of one output's gradients and hessians (one per row; kept by
// reference until the next call) in a round. Only the bag's rows count for scales and
// checks; codes of other rows are left undefined.
//
// A NaN or infinite value, and a negative hessian unless clipped, is an error that
// names the row. Where codes would lose too much this round uses wider ones: of 16 bits
// instead of 8 and 4, and of 32 instead of 16.
func (s *Storage) Quantize(pool *parallel.Pool, grad, hess []float32, bag *Bag, round, output int) (Outcome, error) {
	var out Outcome
	s.grad, s.hess, s.bag = grad, hess, bag
	r := s.scan(pool)
	if r.Suspicious() {
		clipped, err := s.inspect()
		if err = s.set.Ranks.Agree(err); err != nil {
			return out, err
		}
		comm.Add(s.set.Ranks, &clipped)
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
	s.maxGrad, s.maxHess = maxGrad, maxHess
	s.mode, s.asymmetric, s.params = s.set.Mode, s.set.Asymmetric, Params{1, 0, 1}
	key := rng.From(rng.Key(s.set.Seed, rng.Rounding, uint64(round), uint64(output)), uint64(s.set.Ranks.First()))
	for s.mode != F32 {
		s.reserve(s.mode, s.rows)
		most := s.mode.limits()
		s.rule = quantize.Rule{
			MinGrad: -most.grad, MaxGrad: most.grad, MaxHess: most.hess, Stochastic: s.set.Rounding == Stochastic, Key: key,
			EqualHess: s.equal > 0,
		}
		s.params = Params{scale(float64(maxGrad), float64(most.grad)), 0, scale(float64(maxHess), float64(most.hess))}
		if s.asymmetric {
			s.spread(s.span(pool))
		}
		s.rule.GradScale, s.rule.GradOffset, s.rule.HessScale = s.params.GradScale, s.params.GradOffset, s.params.HessScale
		loss := s.code(pool)
		if !blind(loss, s.mode) {
			break
		}
		out.ErrShare = errShare(loss)
		if out.Blind = s.mode == I32; out.Blind {
			break
		}
		out.Wide, s.asymmetric, s.mode = true, false, wider(s.mode)
	}
	if out.Wide || out.Blind {
		before := math.Inf(-1) // less its number
		if row := s.findGrad(r.MaxGrad); row >= 0 {
			before = -float64(s.set.Ranks.First() + row)
		}
		comm.Max(s.set.Ranks, &before)
		out.MaxRow = int(-before)
	}
	return out, s.set.Ranks.Err()
}

// wider returns the mode that takes over where one loses too much.
func wider(m Mode) Mode {
	if m.Coarse() {
		return I16
	}
	return I32
}

// spread sets scale and offset so that the codes of a signed 16-bit number cover the
// range of the gradients. Equal gradients have code 0.
func (s *Storage) spread(all span) {
	s.rule.MinGrad = math.MinInt16
	width := float64(all.highest) - float64(all.lowest)
	if s.params.GradOffset = float64(all.lowest); width > 0 {
		q := scale(width, math.MaxUint16)
		s.params.GradScale = q
		s.params.GradOffset = float64(all.lowest) + float64(32768*q)
	}
}

// scale is the float32 quotient of the largest value and the largest code, 1 where
// that is 0: all values then get code 0.
//
// Where a quotient rounded down would leave the largest value more than half a step
// above the largest code (32-bit codes, or next to the smallest float32), the next
// float32 is taken, so that no value is clamped away from its nearest code.
func scale(largest, code float64) float64 {
	q := float32(largest / code)
	if q == 0 {
		return 1
	}
	if float64(q)*(code+0.5) < largest {
		q = math.Nextafter32(q, math.MaxFloat32)
	}
	return float64(q)
}

// blind reports whether codes lose too much. Fine codes do if they lose more than 1 % of Σ|g|, or if more
// than half of the rows that have a gradient, or a hessian, have code 0. Coarse codes always lose that much,
// but random rounding evens it out over many rows. They are blind if the error is above Σ|g|, or if less than
// one row in 16 keeps a gradient, or a hessian.
func blind(l quantize.Loss, m Mode) bool {
	if m.Coarse() {
		return l.Error > l.Magnitude || 16*l.GradKept < l.GradRows || 16*l.HessKept < l.HessRows
	}
	return l.Error > l.Magnitude/100 || 2*l.GradKept < l.GradRows || 2*l.HessKept < l.HessRows
}

func errShare(l quantize.Loss) float64 {
	if l.Magnitude == 0 {
		return 0
	}
	return float64(l.Error) / float64(l.Magnitude)
}

// span is the range of the gradients of a block.
type span struct{ lowest, highest float32 }

type phase uint8

const (
	scanRange phase = iota
	scanSpan
	makeCodes
)

// scan returns the ranges of gradients and hessians in the bag.
func (s *Storage) scan(pool *parallel.Pool) quantize.Range {
	s.phase = scanRange
	n := s.pieces()
	pool.Do(n, (*storageTask)(s))
	r := quantize.Empty()
	for _, block := range s.ranges[:n] {
		r = r.Merge(block)
	}
	if ranks := s.set.Ranks; ranks.Shared() {
		least := -int(r.MinHess)
		grad, hess := int(r.MaxGrad), int(r.MaxHess)
		comm.Max(ranks, &grad, &least, &hess)
		r = quantize.Range{MaxGrad: uint32(grad), MinHess: int32(-least), MaxHess: int32(hess)}
	}
	return r
}

// span returns the range of the gradients in the bag.
func (s *Storage) span(pool *parallel.Pool) span {
	s.phase = scanSpan
	n := s.pieces()
	pool.Do(n, (*storageTask)(s))
	all := span{float32(math.Inf(1)), float32(math.Inf(-1))}
	for _, block := range s.spans[:n] {
		all = span{min(all.lowest, block.lowest), max(all.highest, block.highest)}
	}
	lowest := -all.lowest
	comm.Max(s.set.Ranks, &lowest, &all.highest)
	all.lowest = -lowest
	if all.lowest > all.highest {
		return span{} // no rows
	}
	return all
}

// code makes the codes by the rule, and returns what they lose.
func (s *Storage) code(pool *parallel.Pool) quantize.Loss {
	s.phase = makeCodes
	n := s.pieces()
	pool.Do(n, (*storageTask)(s))
	var loss quantize.Loss
	for _, block := range s.losses[:n] {
		loss.Add(block)
	}
	comm.Add(s.set.Ranks, &loss.Error, &loss.Magnitude, &loss.GradRows, &loss.GradKept, &loss.HessRows, &loss.HessKept)
	return loss
}

// pieceRows is the number of rows of a piece of a phase: workers have pieces of small tables too.
const pieceRows = 8192

// rowsOfPiece returns how many rows a piece has: a whole block where rows come from a bag, which
// lists them by block, and of 32-bit codes, whose losses are rounded by block.
func (s *Storage) rowsOfPiece() int {
	if s.bag != nil || s.phase == makeCodes && s.mode == I32 {
		return hist.BlockRows
	}
	return pieceRows
}

// pieces returns the number of pieces of the current phase.
func (s *Storage) pieces() int { return parallel.Blocks(s.rows, s.rowsOfPiece()) }

// storageTask runs one piece of the current phase.
type storageTask Storage

func (s *storageTask) Run(_, block int) {
	lo, hi := parallel.Block(block, s.rows, (*Storage)(s).rowsOfPiece())
	grad, hess := s.grad[lo:hi], s.hess[lo:hi]
	var rows []uint16
	if s.bag != nil {
		rows = s.bag.Block(block)
	}
	switch {
	case s.phase == scanRange && s.bag != nil:
		s.ranges[block] = quantize.ScanRows(grad, hess, rows)
	case s.phase == scanRange:
		s.ranges[block] = quantize.Scan(grad, hess)
	case s.phase == scanSpan && s.bag != nil:
		s.spans[block].lowest, s.spans[block].highest = quantize.SpanRows(grad, rows)
	case s.phase == scanSpan:
		s.spans[block].lowest, s.spans[block].highest = quantize.Span(grad)
	default:
		s.losses[block] = s.makeBlock(lo, hi, rows)
	}
}

// makeBlock makes the codes of the rows lo … hi-1, of a bag's where there is one.
func (s *storageTask) makeBlock(lo, hi int, rows []uint16) quantize.Loss {
	grad, hess := s.grad[lo:hi], s.hess[lo:hi]
	switch {
	case s.mode == I8:
		return quantize.Pack8(s.packed8[lo:hi], grad, hess, uint64(lo), rows, s.bag != nil, &s.rule)
	case s.mode == I4:
		return quantize.Pack4(s.packed4[lo:hi], grad, hess, uint64(lo), rows, s.bag != nil, &s.rule)
	case s.mode == I16 && s.bag == nil:
		return quantize.Make(s.grad16[lo:hi], s.hess16[lo:hi], grad, hess, uint64(lo), &s.rule)
	case s.mode == I16:
		return quantize.MakeRows(s.grad16[lo:hi], s.hess16[lo:hi], grad, hess, uint64(lo), rows, &s.rule)
	}
	var loss quantize.Loss
	if s.bag == nil {
		loss = quantize.Make(s.grad32[lo:hi], s.hess32[lo:hi], grad, hess, uint64(lo), &s.rule)
	} else {
		loss = quantize.MakeRows(s.grad32[lo:hi], s.hess32[lo:hi], grad, hess, uint64(lo), rows, &s.rule)
	}
	// A block of extreme 32-bit codes reaches 2³¹·2¹⁶·2¹⁶ = 2⁶³: whole codes
	// instead of 1/65,536 leave room for 2¹⁶ blocks, which are 2³² rows.
	loss.Error >>= 16
	loss.Magnitude >>= 16
	return loss
}

// inspect looks at the bag's rows one by one, in order: it reports the first
// value that is not finite or, unless they are clipped, the first negative hessian.
func (s *Storage) inspect() (clipped int, err error) {
	err = s.eachRow(func(row int) error {
		g, h := float64(s.grad[row]), float64(s.hess[row])
		switch {
		case math.IsNaN(g) || math.IsInf(g, 0):
			return fmt.Errorf("row %d: gradient %v: %w", s.set.Ranks.First()+row, g, ErrNotFinite)
		case math.IsNaN(h) || math.IsInf(h, 0):
			return fmt.Errorf("row %d: hessian %v: %w", s.set.Ranks.First()+row, h, ErrNotFinite)
		case h < 0 && !s.set.Clip:
			return fmt.Errorf("row %d: hessian %v: %w (set gradients.clip_negative_hessian to count such hessians as 0)",
				s.set.Ranks.First()+row, h, ErrNegativeHessian)
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

// findGrad returns the first row of the bag whose |gradient| has the given bits, which are those of
// the largest one: the pieces know theirs since the last scan.
func (s *Storage) findGrad(bits uint32) int {
	s.phase = scanRange
	for piece, r := range s.ranges[:s.pieces()] {
		if r.MaxGrad != bits {
			continue
		}
		lo, hi := parallel.Block(piece, s.rows, s.rowsOfPiece())
		if s.bag == nil {
			return lo + slices.IndexFunc(s.grad[lo:hi], func(g float32) bool { return magnitudeBits(g) == bits })
		}
		for _, row := range s.bag.Block(piece) { // none where the largest of all is 0, and a block has no rows
			if magnitudeBits(s.grad[lo+int(row)]) == bits {
				return lo + int(row)
			}
		}
	}
	return -1
}

func magnitudeBits(g float32) uint32 { return math.Float32bits(g) &^ (1 << 31) }

func (s *Storage) eachRow(visit func(row int) error) error {
	for block := range parallel.Blocks(s.rows, hist.BlockRows) {
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
