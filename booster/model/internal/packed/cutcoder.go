package packed

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"boost/binning"
	"boost/internal/entropy"
)

// The packed cuts of a feature are whole numbers that rise, from which each cut is made
// exactly. There are two ways:
//
//   - In decimals: the number m and a small number g make the cut that lies halfway between
//     the neighbours (m-g)/2 and (m+g)/2, in units of the last of d decimals. Cuts of columns that
//     were written as decimals are such midpoints, and how they were rounded depends on g.
//   - By their order: the number is the position of the cut among all floats.
//
// Differences from one number to the next are divided by what they have in common.

// Decimals that are tried, and how far neighbours of a cut may lie apart to be tried.
const (
	mostDecimals = 15
	mostApart    = 24
	byOrder      = mostDecimals + 1 // stands in the place of the number of decimals
)

var tens = [mostDecimals + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// floating is what cuts are kept in.
type floating interface{ float32 | float64 }

// between returns the cut halfway between (m-g)/2 and (m+g)/2 units of 1/unit. With g = 0 it is
// m/2 rounded once; m and g are both even or both odd else.
func between[T floating](m int64, g int64, unit float64) T {
	if g == 0 {
		return T(float64(m) / (2 * unit))
	}
	lower, upper := T(float64((m-g)/2)/unit), T(float64((m+g)/2)/unit)
	return T((float64(lower) + float64(upper)) / 2)
}

// apart is the i-th distance that suits m: 0, and then every second number.
func apart(i int, m int64) int64 {
	if i == 0 {
		return 0
	}
	return int64(2*i) - m&1
}

// inDecimals finds m and the index of g for a cut.
func inDecimals[T floating](cut T, unit float64) (m int64, i int, ok bool) {
	x := math.Round(float64(cut) * (2 * unit))
	if !(math.Abs(x) < 1<<52) {
		return 0, 0, false
	}
	m = int64(x)
	for i := range mostApart + 1 {
		if same(between[T](m, apart(i, m), unit), cut) {
			return m, i, true
		}
	}
	return 0, 0, false
}

// same compares bits: there is no −0 among cuts, but there is in damaged files.
func same[T floating](a, b T) bool {
	return math.Float64bits(float64(a)) == math.Float64bits(float64(b))
}

// position maps floats to whole numbers in their order, place back.
func position[T floating](x T) uint64 {
	if x32, ok := any(x).(float32); ok {
		b := math.Float32bits(x32)
		return uint64(b ^ (uint32(int32(b)>>31) | 1<<31))
	}
	b := math.Float64bits(float64(x))
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

func place64[T floating](n uint64) T {
	var x T
	if _, ok := any(x).(float32); ok {
		b := uint32(n)
		return T(math.Float32frombits(b ^ (^uint32(int32(b)>>31) | 1<<31)))
	}
	return T(math.Float64frombits(n ^ (^uint64(int64(n)>>63) | 1<<63)))
}

// cutCoder codes the cuts of features, one feature after another.
type cutCoder struct {
	coder  *entropy.Coder
	count  entropy.Number     // of cuts
	way    [2][32]entropy.Bit // decimals or byOrder, of float32 and of float64
	first  entropy.Number
	factor entropy.Number
	size   [64]entropy.Bit     // bits of a difference
	usual  [64][64]entropy.Bit // the same, by those of the feature's middle one
	gap    entropy.Number

	missing entropy.Bit
	regular entropy.Number
	flags   [4]entropy.Bit
	marked  entropy.Number
	apart   entropy.Number // marks
	follows entropy.Bit
	code    entropy.Number

	cuts32 []float32 // of the feature
	cuts64 []float64
	total  int // cuts so far
}

// Packed cuts are at most cutsPerByte times as many as the section has bytes, and a few; those beyond cutsMany at
// most cutsManyPerByte times. A writer adds zeros where they would be more.
const (
	cutsPerByte     = 64
	cutsRoom        = 4096
	cutsMany        = 1 << 19
	cutsManyPerByte = 8
)

// mostCuts is how many cuts a section may hold.
func mostCuts(section int) int {
	return min(cutsPerByte*section+cutsRoom, cutsMany+cutsManyPerByte*section)
}

// any codes what turns values of a feature into codes: most is how many cuts it may have.
func (k *cutCoder) any(f *binning.Feature, most int) error {
	missing := uint32(0)
	if f.HasMissing {
		missing = 1
	}
	f.HasMissing = k.missing.Code(k.coder, missing) == 1
	if f.Kind == binning.Categorical {
		return k.levels(f, most)
	}
	ok := false
	if f.Kind == binning.Numeric32 {
		k.cuts32, ok = feature(k, k.cuts32, uint64(max(most, 0)))
	} else {
		k.cuts64, ok = feature(k, k.cuts64, uint64(max(most, 0)))
	}
	if !ok {
		return errors.New("its cuts are damaged")
	}
	f.Regular = uint32(len(k.cuts32)+len(k.cuts64)) + 1
	k.total += len(k.cuts32) + len(k.cuts64)
	return nil
}

// levels codes the codes of a feature's levels. Where they are in order each says only that
// it follows the one before.
func (k *cutCoder) levels(f *binning.Feature, most int) error {
	f.Regular = uint32(min(k.regular.Code(k.coder, uint64(f.Regular)), math.MaxUint32))
	flags := symbol(k.coder, k.flags[:], 2, uint32(LevelFlags(f)))
	if f.Unnamed = flags&1 > 0; flags&2 > 0 {
		if err := k.marks(f, most); err != nil {
			return err
		}
	}
	before := binning.NoCode // 0 follows
	for i, code := range f.Codes {
		follows := uint32(0)
		if code == before+1 {
			follows = 1
		}
		if k.follows.Code(k.coder, follows) == 1 {
			code = before + 1
		} else {
			// The one more than the largest number is 0.
			code = uint32(k.code.Code(k.coder, uint64(code+1))) - 1
		}
		f.Codes[i], before = code, code
	}
	return CheckCodes(f, len(f.Codes))
}

// marks codes the marks of a feature: their number, of the first the number itself, of the others how
// far they are from the one before. A reader takes at most most.
func (k *cutCoder) marks(f *binning.Feature, most int) error {
	n := k.marked.Code(k.coder, uint64(len(f.NameHashes)))
	if n > uint64(max(most, 0)) {
		return fmt.Errorf("%d marks of levels are more than the bytes can say", n)
	}
	if k.coder.Reading() {
		f.NameHashes = make([]uint32, n)
	}
	before := uint64(0)
	for i, m := range f.NameHashes {
		before += k.apart.Code(k.coder, uint64(m)-before)
		f.NameHashes[i] = uint32(min(before, math.MaxUint32))
		if before > math.MaxUint32 {
			return errors.New("its marks of levels are damaged")
		}
	}
	k.total += len(f.NameHashes)
	return nil
}

// symbol codes a number of up to width bits with a tree of estimates.
func symbol(c *entropy.Coder, tree []entropy.Bit, width int, value uint32) uint32 {
	node := uint32(1)
	for k := width - 1; k >= 0; k-- {
		node = node<<1 | tree[node].Code(c, value>>k&1)
	}
	return node - 1<<width
}

// feature codes cuts, which rise strictly; a reader gets them back, at most most of them, and
// false if they are damaged.
func feature[T floating](k *cutCoder, cuts []T, most uint64) ([]T, bool) {
	c := k.coder
	n := k.count.Code(c, uint64(len(cuts)))
	if n > most {
		return nil, false
	}
	if n == 0 {
		return nil, true
	}
	kind := 0
	var zero T
	if _, wide := any(zero).(float64); wide {
		kind = 1
	}
	var numbers []uint64
	var gaps []int
	way := uint32(0)
	if c.Reading() {
		numbers = make([]uint64, 1, min(n, cutsAtOnce))
	} else {
		numbers, gaps = make([]uint64, n), make([]int, n)
		way = plan(cuts, numbers, gaps)
	}
	way = symbol(c, k.way[kind][:], 5, way)
	if way > byOrder {
		return nil, false
	}
	if way < byOrder {
		m := unfold(numbers[0])
		m = unzigzag(k.first.Code(c, zigzag(m)))
		numbers[0] = fold(m)
	} else {
		numbers[0] = k.first.Code(c, numbers[0])
	}
	factor, usual := k.steps(int(n), numbers)
	for i := uint64(1); i < n; i++ {
		if c.Reading() {
			// What the number of cuts claims has to be there before memory is made for all of them.
			if i%cutsAtOnce == 0 && c.Err() != nil {
				return nil, false
			}
			numbers = append(numbers, 0)
		}
		step := k.step((numbers[i]-numbers[i-1])/max(factor, 1), usual)
		high, step := bits.Mul64(step, factor)
		next, carry := bits.Add64(numbers[i-1], step, 0)
		if high != 0 || carry != 0 {
			return nil, false
		}
		numbers[i] = next
	}
	if !c.Reading() {
		for i := 0; i < len(gaps) && way < byOrder; i++ {
			k.gap.Code(c, uint64(gaps[i]))
		}
		return cuts, true
	}
	if c.Err() != nil {
		return nil, false
	}
	read := make([]T, n)
	for i, number := range numbers {
		if way == byOrder {
			read[i] = place64[T](number)
		} else {
			gap, m := k.gap.Code(c, 0), unfold(number)
			if gap > mostApart || m >= 1<<52 || m <= -1<<52 {
				return nil, false
			}
			read[i] = between[T](m, apart(int(gap), m), tens[way])
		}
		if i > 0 && !(read[i-1] < read[i]) {
			return nil, false
		}
	}
	return read, c.Err() == nil
}

// cutsAtOnce is how many cuts are read before a reader looks whether its bytes are at an end.
const cutsAtOnce = 1024

// fold maps signed numbers around 0 to unsigned ones in their order, unfold back.
func fold(m int64) uint64   { return uint64(m) + 1<<63 }
func unfold(n uint64) int64 { return int64(n - 1<<63) }

// zigzag maps 0, -1, 1, -2, … to 0, 1, 2, 3, …, unzigzag back.
func zigzag(m int64) uint64   { return uint64(m)<<1 ^ uint64(m>>63) }
func unzigzag(n uint64) int64 { return int64(n>>1) ^ -int64(n&1) }

// plan chooses the way of a feature and fills in its numbers and gaps.
func plan[T floating](cuts []T, numbers []uint64, gaps []int) uint32 {
	for decimals := range mostDecimals + 1 {
		fits := true
		for i, cut := range cuts {
			m, gap, ok := inDecimals(cut, tens[decimals])
			if !ok || i > 0 && fold(m) < numbers[i-1] {
				fits = false
				break
			}
			numbers[i], gaps[i] = fold(m), gap
		}
		if fits && cheaper(cuts, numbers) {
			return uint32(decimals)
		}
	}
	for i, cut := range cuts {
		numbers[i], gaps[i] = position(cut), 0
	}
	return byOrder
}

// cheaper reports whether numbers rise by less than the positions of the cuts do.
func cheaper[T floating](cuts []T, numbers []uint64) bool {
	own, other := 0, 0
	for i := 1; i < len(cuts); i++ {
		own += bits.Len64(numbers[i] - numbers[i-1])
		other += bits.Len64(position(cuts[i]) - position(cuts[i-1]))
	}
	return own <= other
}

// steps codes what the differences of n numbers have in common and how long the middle one is.
func (k *cutCoder) steps(n int, numbers []uint64) (factor uint64, usual uint32) {
	if n == 1 {
		return 1, 0
	}
	var sizes [65]int
	if !k.coder.Reading() {
		for i := 1; i < len(numbers); i++ {
			factor = gcd(factor, numbers[i]-numbers[i-1])
		}
		for i := 1; i < len(numbers); i++ {
			sizes[bits.Len64((numbers[i]-numbers[i-1])/max(factor, 1))]++
		}
		for seen := 0; 2*seen < len(numbers)-1; usual++ {
			seen += sizes[usual]
		}
		usual = min(max(usual, 1)-1, 63)
	}
	return k.factor.Code(k.coder, factor), symbol(k.coder, k.size[:], 6, usual)
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// step codes a difference.
func (k *cutCoder) step(step uint64, usual uint32) uint64 {
	size := symbol(k.coder, k.usual[usual][:], 6, uint32(min(bits.Len64(step), 63)))
	if size == 0 {
		return 0
	}
	if size == 63 {
		size = 64 // with its highest bit
	}
	result, left := uint64(0), size-1
	if size < 64 {
		result = 1
	} else {
		left = 64
	}
	for left > 0 {
		part := min(left, 16)
		left -= part
		result = result<<part | uint64(k.coder.Uniform(uint32(step>>left)&(1<<part-1), 1<<part))
	}
	return result
}
