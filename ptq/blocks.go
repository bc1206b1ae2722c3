package ptq

import (
	"fmt"
	"math"
	"sync"

	"boost/tensorq"
)

// TierBlock is how many values share a scale in the forms that are tiers; the last block of
// a range has what is left.
const TierBlock = 64

// Blocks is a set of values in one of the forms of blocks, which it keeps as a file does.
// Immutable; safe for concurrent use.
type Blocks struct {
	form   Form
	bounds *Groups // ranges that no block spans
	n      int
	data   []byte
	modes  []byte  // FormCold2: a bit for each block, set where it has two scales
	starts []int64 // where each range begins in data, and the end
	blocks []int   // FormCold2: the first block of each range
}

// QuantizeBlocks makes blocks of values, which are first rounded to float32: those of package
// tensorq with its default settings, of which FormCold2 differs by TwoLevelCold. bounds are
// ranges that a block must not span, nil for one of all values. Errors: ErrNotFinite;
// ErrOverflow for a value beyond float32; ErrGroups; ErrDType for another form.
func QuantizeBlocks(form Form, values []float64, bounds *Groups) (*Blocks, error) {
	b, err := newBlocks(form, len(values), bounds)
	if err != nil {
		return nil, err
	}
	if err := finite(values); err != nil {
		return nil, err
	}
	narrow := make([]float32, len(values))
	for i, x := range values {
		narrow[i] = float32(x)
		if math.IsInf(float64(narrow[i]), 0) {
			return nil, ErrOverflow{form, i, x}
		}
	}
	from, count := 0, 0
	for span := range bounds.spans() {
		end := bounds.end(span, b.n)
		if count, err = b.add(narrow[from:end], count); err != nil {
			return nil, err
		}
		from = end
	}
	return b, b.index()
}

func newBlocks(form Form, n int, bounds *Groups) (*Blocks, error) {
	if _, ok := form.DType(); ok || !form.Valid() {
		return nil, ErrDType{fmt.Sprintf("%s keeps no blocks", form)}
	}
	return &Blocks{form: form, bounds: bounds, n: n}, bounds.check(n)
}

// settings are those of the form's blocks.
func (b *Blocks) settings() tensorq.QuantConfig {
	c := tensorq.DefaultQuantConfig()
	c.BlockSize = TierBlock
	c.TwoLevelCold = b.form == FormCold2
	return c
}

// add appends the blocks of a range, in front of which there are count, and returns how many
// there are then.
func (b *Blocks) add(values []float32, count int) (int, error) {
	if b.form == FormQ4_0 {
		at := len(b.data)
		b.data = append(b.data, make([]byte, tensorq.Q4_0Size(len(values)))...)
		_, err := tensorq.QuantizeQ4_0(b.data[at:], values)
		return 0, err
	}
	quantizer, err := tensorq.Quantizer(b.form.Bits())
	if err != nil {
		return 0, err
	}
	blocks, err := tensorq.Quantize(values, quantizer, b.settings())
	if err != nil {
		return 0, err
	}
	for i := range blocks {
		if b.form == FormCold2 && count%8 == 0 {
			b.modes = append(b.modes, 0)
		}
		if blocks[i].TwoLevel {
			b.modes[count/8] |= 1 << (count % 8)
		}
		count++
		if b.data, err = tensorq.AppendBlock(b.data, &blocks[i]); err != nil {
			return 0, err
		}
	}
	return count, nil
}

// RestoreBlocks returns the blocks that AppendNative wrote of n values with these bounds. It
// checks all of them and keeps native. Errors: ErrNative for lengths that do not fit and for
// damaged blocks; ErrGroups; ErrDType.
func RestoreBlocks(form Form, n int, bounds *Groups, native []byte) (*Blocks, error) {
	b, err := newBlocks(form, n, bounds)
	if err != nil {
		return nil, err
	}
	b.data = native
	if form == FormCold2 {
		count := 0
		b.eachSize(func(size int) { count += (size + TierBlock - 1) / TierBlock })
		flags := (count + 7) / 8
		if len(native) < flags {
			return nil, ErrNative{fmt.Sprintf("%d bytes for %d blocks", len(native), count)}
		}
		b.modes, b.data = native[:flags], native[flags:]
		if count%8 != 0 && b.modes[flags-1]>>(count%8) != 0 {
			return nil, ErrNative{"spare bits of the modes are set"}
		}
	}
	if err := b.index(); err != nil {
		return nil, err
	}
	var values [256]float64
	for from := 0; from < n; from += len(values) {
		if err := b.decode(values[:min(len(values), n-from)], from); err != nil {
			return nil, ErrNative{err.Error()}
		}
	}
	return b, nil
}

func (b *Blocks) eachSize(visit func(size int)) {
	from := 0
	for span := range b.bounds.spans() {
		end := b.bounds.end(span, b.n)
		visit(end - from)
		from = end
	}
}

// index finds where the ranges begin, and that the blocks end where the data do.
func (b *Blocks) index() error {
	b.starts, b.blocks = b.starts[:0], b.blocks[:0]
	at, block := int64(0), 0
	b.eachSize(func(size int) {
		b.starts = append(b.starts, at)
		if b.form == FormQ4_0 {
			at += int64(tensorq.Q4_0Size(size))
			return
		}
		if b.form == FormCold2 {
			b.blocks = append(b.blocks, block)
		}
		for ; size > 0; size -= TierBlock {
			at += int64(tensorq.StorageSize(min(size, TierBlock), b.form.Bits(), b.two(block)))
			block++
		}
	})
	b.starts = append(b.starts, at)
	if at != int64(len(b.data)) {
		return ErrNative{fmt.Sprintf("%d bytes of blocks where %d were expected", len(b.data), at)}
	}
	return nil
}

func (b *Blocks) two(block int) bool {
	return b.form == FormCold2 && b.modes[block/8]>>(block%8)&1 == 1
}

// Form is one of the forms of blocks.
func (b *Blocks) Form() Form { return b.form }

// Len is the number of values.
func (b *Blocks) Len() int { return b.n }

// AppendNative appends the blocks, range by range; in front of FormCold2's a bit for each,
// lowest first, set where it has two scales.
func (b *Blocks) AppendNative(dst []byte) []byte { return append(append(dst, b.modes...), b.data...) }

// NativeBytes is how many bytes AppendNative adds.
func (b *Blocks) NativeBytes() int64 { return int64(len(b.modes) + len(b.data)) }

// ScaleBytes is 0: blocks carry their scales.
func (b *Blocks) ScaleBytes() int64 { return 0 }

// Measure compares the blocks with values: see Version.Measure.
func (b *Blocks) Measure(values []float64, groups *Groups) (Errors, error) {
	return measure(b, values, groups)
}

// scratch is what decoding a block takes.
type scratch struct {
	block  tensorq.QuantizedBlock
	values [TierBlock]float32
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// DecodeRange writes the values first, first + 1, … into dst, as many as it has: those that
// package tensorq reads, widened to float64. It panics if there are not so many.
func (b *Blocks) DecodeRange(dst []float64, first int) {
	if first < 0 || first > b.n || len(dst) > b.n-first {
		panic(fmt.Sprintf("ptq: values %d to %d of %d", first, first+len(dst), b.n))
	}
	if err := b.decode(dst, first); err != nil {
		panic("ptq: blocks that were checked: " + err.Error())
	}
}

func (b *Blocks) decode(dst []float64, first int) error {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	for len(dst) > 0 {
		span := 0
		if b.bounds != nil {
			span = b.bounds.at(first)
		}
		begin := b.bounds.start(span)
		end := b.bounds.end(span, b.n)
		k := min(len(dst), end-first)
		if err := b.decodeRange(s, dst[:k], span, first-begin, end-begin); err != nil {
			return err
		}
		dst, first = dst[k:], first+k
	}
	return nil
}

// decodeRange decodes values of a range of size values, from the skip-th on.
func (b *Blocks) decodeRange(s *scratch, dst []float64, span, skip, size int) error {
	data := b.data[b.starts[span]:b.starts[span+1]]
	length := TierBlock
	if b.form == FormQ4_0 {
		length = tensorq.Q4_0Values
	}
	for block := 0; len(dst) > 0; block++ {
		n := min(length, size)
		took, err := b.decodeBlock(s, data, n, span, block, skip < n)
		if err != nil {
			return err
		}
		data, size = data[took:], size-n
		if skip >= n {
			skip -= n
			continue
		}
		k := min(len(dst), n-skip)
		for i := range k {
			dst[i] = float64(s.values[skip+i])
		}
		dst, skip = dst[k:], 0
	}
	return nil
}

// decodeBlock decodes a block of n values at the front of data if it is wanted, and returns
// how many bytes it has.
func (b *Blocks) decodeBlock(s *scratch, data []byte, n, span, block int, wanted bool) (int, error) {
	if b.form == FormQ4_0 {
		if !wanted {
			return tensorq.Q4_0Bytes, nil
		}
		return tensorq.Q4_0Bytes, tensorq.DequantizeQ4_0(data[:tensorq.Q4_0Bytes], s.values[:n])
	}
	two := false
	if b.form == FormCold2 {
		two = b.two(b.blocks[span] + block)
	}
	if !wanted {
		return tensorq.StorageSize(n, b.form.Bits(), two), nil
	}
	took, err := tensorq.DecodeBlock(data, n, b.form.Bits(), two, &s.block)
	if err != nil {
		return 0, err
	}
	_, err = s.block.Dequantize(s.values[:n])
	return took, err
}

// Encode makes values of a form: a version with the calibration, or blocks that respect
// bounds, which take none but the default. Errors: those of Quantize and QuantizeBlocks;
// ErrCalibration for blocks with a calibration.
func Encode(form Form, c Calibration, values []float64, bounds *Groups) (Values, error) {
	if d, ok := form.DType(); ok {
		v, err := Quantize(d, c, values)
		return orNil(v, err)
	}
	if c.Method != Default || c.Groups != nil || c.Float32Scales {
		return nil, ErrCalibration{fmt.Sprintf("%s has a scale in each block, from its largest value: leave calibration and groups away", form)}
	}
	b, err := QuantizeBlocks(form, values, bounds)
	return orNil(b, err)
}

// orNil keeps a nil pointer from becoming a value that is not nil.
func orNil[T Values](v T, err error) (Values, error) {
	if err != nil {
		return nil, err
	}
	return v, nil
}
