package gradients

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"boost/internal/kernel/hist"
	"boost/internal/kernel/quantize"
	"boost/internal/rng"
	"boost/parallel"
)

// ErrNotFinite is wrapped by Quantize for a NaN or infinite gradient or hessian.
var ErrNotFinite = errors.New("gradient or hessian is not a finite number")

// ErrNegativeHessian is wrapped by Quantize for a hessian below zero.
var ErrNegativeHessian = errors.New("hessian is negative")

// Params turn sums of codes back into sums of gradients (S2.6):
// Σ gradient = float64(Σ code)·GradScale + float64(rows)·GradOffset and
// Σ hessian = float64(Σ code)·HessScale. In mode F32 the scales are 1. The offset is 0
// but in asymmetric rounds.
type Params struct {
	GradScale, GradOffset, HessScale float64
}

// Settings say how a Storage makes codes.
type Settings struct {
	Mode     Mode
	Rounding Rounding // of integer modes
	// Asymmetric spreads the codes of mode I16 over the range of the gradients, from the
	// smallest to the largest, instead of symmetrically around 0 (S2.5).
	Asymmetric bool
	// Clip counts negative hessians as 0; otherwise they are an error in Quantize.
	Clip bool
	Seed uint64 // of stochastic rounding
	// EveryHessian takes no shortcut where all hessians are the same, to compare with one:
	// the codes of all rows are read, and rows are counted where a sum would tell their
	// number. What comes out is the same (S2.41).
	EveryHessian bool
}

// OneWord is Storage.OneWord of rounds without a wider mode.
func (s Settings) OneWord() bool { return (s.Mode == I16 || s.Mode.Coarse()) && !s.Asymmetric }

// Counts is Storage.Counts of rounds without a wider mode.
func (s Settings) Counts() bool { return s.Mode == F32 || s.Asymmetric }

// Storage holds one output's gradients in the form that histograms read, made anew every
// round. Codes of 16 and 32 bits are kept as separate arrays of gradients and hessians
// (S2.27), those of 8 and 4 bits packed. It costs Mode.BytesPerRow, and what the
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

	packed4 []uint8
	packed8 []uint16
	grad16  []int16
	hess16  []uint16
	grad32  []int32
	hess32  []uint32
	grad    []float32 // the buffer's own memory
	hess    []float32

	bag    *Bag
	phase  phase
	ranges []quantize.Range
	spans  []span
	losses []quantize.Loss
}

// span is the range of the gradients of a block.
type span struct{ lowest, highest float32 }

type phase uint8

const (
	scanRange phase = iota
	scanSpan
	makeCodes
)

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
	s.reserve(set.Mode)
	return s
}

// reserve makes the arrays of a mode.
func (s *Storage) reserve(m Mode) {
	switch {
	case m == I4 && s.packed4 == nil:
		s.packed4 = make([]uint8, s.rows)
	case m == I8 && s.packed8 == nil:
		s.packed8 = make([]uint16, s.rows)
	case m == I16 && s.grad16 == nil:
		s.grad16, s.hess16 = make([]int16, s.rows), make([]uint16, s.rows)
	case m == I32 && s.grad32 == nil:
		s.grad32, s.hess32 = make([]int32, s.rows), make([]uint32, s.rows)
	}
}

// Outcome says what a Quantize did beyond rounding.
type Outcome struct {
	Wide     bool    // a mode of more bits took over for this round and output: Storage.Mode
	Blind    bool    // the codes used still lose more than S2.7 allows
	MaxRow   int     // row of the largest |gradient|, where Wide or Blind
	ErrShare float64 // Σ|g − g′| / Σ|g| of the codes that were rejected last
	Clipped  int     // negative hessians set to 0
}

// Rows returns the number of rows.
func (s *Storage) Rows() int { return s.rows }

// Mode returns the form of the current round's codes.
func (s *Storage) Mode() Mode { return s.mode }

// Params returns the current round's scales.
func (s *Storage) Params() Params { return s.params }

// OneWord says that a row's codes fit the 16-bit halves of an entry (package hist), so
// that a histogram adds both in one addition.
func (s *Storage) OneWord() bool { return (s.mode == I16 || s.mode.Coarse()) && !s.asymmetric }

// Counts says that histograms have to count rows: sums of floats, which nothing else
// reports whether they are of rows, and sums of codes with an offset.
func (s *Storage) Counts() bool { return s.mode == F32 || s.asymmetric }

// EqualHessians says that all hessians in the bag are the same positive number, so
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

// Quantize makes the codes of one output's gradients and hessians (one per row; kept by
// reference until the next call) in a round. Only the bag's rows count for scales and
// checks; codes of other rows are left undefined.
//
// A NaN or infinite value, and a negative hessian unless clipped, is an error that
// names the row. Where codes would lose too much this round uses wider ones: of 16 bits
// instead of 8 and 4, and of 32 instead of 16 (S2.7).
func (s *Storage) Quantize(pool *parallel.Pool, grad, hess []float32, bag *Bag, round, output int) (Outcome, error) {
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
	s.maxGrad, s.maxHess = maxGrad, maxHess
	s.mode, s.asymmetric, s.params = s.set.Mode, s.set.Asymmetric, Params{1, 0, 1}
	key := rng.Key(s.set.Seed, rng.Rounding, uint64(round), uint64(output))
	for s.mode != F32 {
		s.reserve(s.mode)
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
		out.MaxRow = s.findGrad(r.MaxGrad)
	}
	return out, nil
}

// wider returns the mode that takes over where one loses too much.
func wider(m Mode) Mode {
	if m.Coarse() {
		return I16
	}
	return I32
}

// spread sets scale and offset so that the codes of a signed 16-bit number cover the
// range of the gradients (S2.5). Equal gradients have code 0.
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

// blind is S2.7's test: the codes lose more than 1 % of Σ|g|, or more than half of
// the rows that have a gradient, or a hessian, have code 0. In coarse modes that is how
// codes are, and rounding by draws evens it out over many rows: they are blind where
// rounding moves the gradients by more than there is of them, or where less than one row
// in 16 keeps any.
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

func (s *Storage) scan(pool *parallel.Pool) quantize.Range {
	s.phase = scanRange
	n := s.pieces()
	pool.Do(n, (*storageTask)(s))
	r := quantize.Empty()
	for _, block := range s.ranges[:n] {
		r = r.Merge(block)
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
	if all.lowest > all.highest {
		return span{} // no rows
	}
	return all
}

func (s *Storage) code(pool *parallel.Pool) quantize.Loss {
	s.phase = makeCodes
	n := s.pieces()
	pool.Do(n, (*storageTask)(s))
	var loss quantize.Loss
	for _, block := range s.losses[:n] {
		loss.Add(block)
	}
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
			return fmt.Errorf("row %d: gradient %v: %w", row, g, ErrNotFinite)
		case math.IsNaN(h) || math.IsInf(h, 0):
			return fmt.Errorf("row %d: hessian %v: %w", row, h, ErrNotFinite)
		case h < 0 && !s.set.Clip:
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
