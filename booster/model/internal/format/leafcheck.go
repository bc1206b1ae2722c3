package format

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"boost/booster/model/internal/packed"
	"boost/ptq"
	"boost/tensorq"
	"boost/tree"
)

// leafCheck goes through the leaf values of a compressed model beside a reader of its trees: it restores those of
// some trees at a time, so that all are known to be sound, and to be what boost writes, before memory is made for
// them.
type leafCheck struct {
	entry   *compressionEntry
	form    ptq.Form
	dtype   ptq.DType // of typed forms, whose scales lie apart from the codes
	typed   bool
	outputs int

	counts []int // leaves of the trees that wait
	wait   int   // leaves of these
	trees  int   // that were checked before
	total  int   // leaves of these

	native []byte // codes, bits behind each other; of blocks all that is left
	scales scaleReader
	reader *packed.LeafReader // of packed codes, nil where they are not
	packed []byte
	writer *packed.LeafWriter // packs what can be packed, nil if nothing can

	modes  []byte // of FormCold2: a bit for each block
	blocks int    // that were checked before

	about *Compression // of the first trees: all but the number of values is that of all
}

// leavesAtOnce is how many leaves are restored at a time, and one tree's more.
const leavesAtOnce = 1 << 14

// newLeafCheck begins to check the values of sections.
func newLeafCheck(e *compressionEntry, sections map[string][]byte, outputs int) (*leafCheck, error) {
	form, err := ptq.ParseForm(e.Form)
	if err != nil {
		return nil, err
	}
	k := &leafCheck{entry: e, form: form, outputs: outputs, native: sections[leavesSection]}
	k.dtype, k.typed = form.DType()
	codes, isPacked := sections[packedLeavesSection]
	if isPacked && (k.native != nil || !k.typed || !packed.LeavesOf(k.dtype)) {
		return nil, errors.New("leaf values are there twice, or packed in a form that cannot be")
	}
	if k.typed {
		k.scales, err = newScaleReader(e, k.dtype, sections[scalesSection])
		if packed.LeavesOf(k.dtype) {
			k.writer = packed.NewLeafWriter(outputs)
		}
		if isPacked {
			k.packed, k.reader = codes, packed.NewLeafReader(codes, k.dtype, outputs)
		}
		return k, err
	}
	if len(sections[scalesSection]) > 0 || e.Grouping != GroupBlock {
		return nil, fmt.Errorf("leaf values in %s with grouping %q: blocks have scales of their own", form, e.Grouping)
	}
	return k, nil
}

// needsBlocks reports whether begin comes before add: if so, in front of the codes is a bit for each block.
func (k *leafCheck) needsBlocks() bool { return k.form == ptq.FormCold2 }

// begin takes the bits of the blocks, of up to ptq.TierBlock leaves, that all trees have together.
func (k *leafCheck) begin(blocks int) error {
	flags := (blocks + 7) / 8
	if len(k.native) < flags {
		return fmt.Errorf("%d bytes for %d blocks", len(k.native), blocks)
	}
	k.modes, k.native = k.native[:flags], k.native[flags:]
	if blocks%8 != 0 && k.modes[flags-1]>>(blocks%8) != 0 {
		return errors.New("spare bits of the modes are set")
	}
	return nil
}

// add takes the next tree.
func (k *leafCheck) add(t *tree.Tree) error {
	k.counts = append(k.counts, t.NumLeaves())
	if k.wait += t.NumLeaves(); k.wait < leavesAtOnce {
		return nil
	}
	return k.flush()
}

// flush restores the values of the trees that wait.
func (k *leafCheck) flush() error {
	var values ptq.Values
	var err error
	if k.typed {
		values, err = k.version()
	} else {
		values, err = k.restoreBlocks()
	}
	if err != nil {
		return fmt.Errorf("trees %d to %d: %w", k.trees, k.trees+len(k.counts)-1, err)
	}
	if k.about == nil {
		k.about = &Compression{Leaves: values, Grouping: k.entry.Grouping, Statistics: k.entry.Statistics,
			Source: k.entry.Source, Certificate: k.entry.Certificate}
	}
	k.trees += len(k.counts)
	k.total += k.wait
	k.counts, k.wait = k.counts[:0], 0
	return nil
}

// version restores codes whose scales lie apart. Here each tree, or block, has a group of its own with the scale of
// its group.
func (k *leafCheck) version() (ptq.Values, error) {
	native, err := k.codes()
	if err != nil {
		return nil, err
	}
	ends, at := make([]int, len(k.counts)), 0
	var groups *ptq.Groups
	s := ptq.Stored{DType: k.dtype, Len: k.wait, Native: native}
	for i, n := range k.counts {
		at += n
		ends[i] = at
		switch k.entry.Grouping {
		case GroupOutput:
			err = k.scales.take(&s, (k.trees+i)%k.outputs)
		case GroupTree:
			err = k.scales.take(&s, k.trees+i)
		case GroupBlock:
			for ; n > 0 && err == nil; n -= ptq.TierBlock {
				err = k.scales.take(&s, k.blocks)
				k.blocks++
			}
		}
		if err != nil {
			return nil, err
		}
	}
	switch k.entry.Grouping {
	case GroupModel:
		err = k.scales.take(&s, 0)
	case GroupBlock:
		groups, err = ptq.NewBlocks(ends, ptq.TierBlock)
	default:
		groups, err = ptq.NewGroups(ends, nil)
	}
	if err != nil {
		return nil, err
	}
	if s.Calibration, err = k.entry.calibration(groups); err != nil {
		return nil, err
	}
	v, err := ptq.Restore(s)
	if err != nil {
		return nil, err
	}
	if k.writer != nil {
		k.writer.Add(v, k.counts)
	}
	return v, nil
}

// codes returns the codes of the trees that wait.
func (k *leafCheck) codes() ([]byte, error) {
	if k.reader != nil {
		return k.reader.Next(k.counts)
	}
	width := k.dtype.Bits()
	begin, end := k.total*width, (k.total+k.wait)*width
	if k.total+k.wait > 8*len(k.native)/width {
		return nil, fmt.Errorf("%d bytes for more than %d values of %d bits", len(k.native), k.total, width)
	}
	if begin%8 == 0 && end%8 == 0 {
		return k.native[begin/8 : end/8], nil
	}
	// The highest bit of a byte is its first.
	out := make([]byte, (end-begin+7)/8)
	from, shift := k.native[begin/8:(end+7)/8], begin%8
	for i := range out {
		out[i] = from[i] << shift
		if i+1 < len(from) {
			out[i] |= byte(uint16(from[i+1]) << shift >> 8)
		}
	}
	if spare := -(end - begin) & 7; spare > 0 {
		out[len(out)-1] &= 0xff << spare
	}
	return out, nil
}

// restoreBlocks restores the blocks of the trees that wait.
func (k *leafCheck) restoreBlocks() (ptq.Values, error) {
	ends, at, size := make([]int, len(k.counts)), 0, 0
	var modes []byte
	block := 0
	for i, n := range k.counts {
		at += n
		ends[i] = at
		if k.form == ptq.FormQ4_0 {
			size += tensorq.Q4_0Size(n)
			continue
		}
		for ; n > 0; n -= ptq.TierBlock {
			two := false
			if k.modes != nil {
				if two = k.modes[k.blocks/8]>>(k.blocks%8)&1 == 1; block%8 == 0 {
					modes = append(modes, 0)
				}
				if two {
					modes[block/8] |= 1 << (block % 8)
				}
			}
			size += tensorq.StorageSize(min(n, ptq.TierBlock), k.form.Bits(), two)
			block++
			k.blocks++
		}
	}
	if size > len(k.native) {
		return nil, fmt.Errorf("%d bytes of blocks where %d were expected", len(k.native), size)
	}
	bounds, err := ptq.NewGroups(ends, nil)
	if err != nil {
		return nil, err
	}
	data := k.native[:size]
	k.native = k.native[size:]
	if modes != nil {
		data = append(modes, data...)
	}
	return ptq.RestoreBlocks(k.form, at, bounds, data)
}

// finish checks what waits, and that nothing is left.
func (k *leafCheck) finish() error {
	if len(k.counts) > 0 || k.about == nil {
		if err := k.flush(); err != nil {
			return err
		}
	}
	if !k.typed {
		if len(k.native) > 0 {
			return fmt.Errorf("%d bytes behind the last block", len(k.native))
		}
		return nil
	}
	scales := 0
	if v := k.about.Leaves.(*ptq.Version); len(v.Scales()) > 0 || k.total == 0 && v.Calibration().Method != ptq.None {
		switch k.entry.Grouping {
		case GroupModel:
			scales = 1
		case GroupOutput:
			scales = min(k.outputs, k.trees)
		case GroupTree:
			scales = k.trees
		case GroupBlock:
			scales = k.blocks
		}
	}
	if k.scales.count != scales {
		return fmt.Errorf("%d scales where %d were expected", k.scales.count, scales)
	}
	size := ptq.StorageBytes(k.dtype, int64(k.total))
	if k.writer != nil {
		if codes := k.writer.Close(); int64(len(codes)) < size || k.reader != nil {
			if int64(len(codes)) >= size || !bytes.Equal(codes, k.packed) {
				return errors.New("they are not in the form that boost writes")
			}
			return nil
		}
	}
	used := k.total * k.dtype.Bits() % 8
	if int64(len(k.native)) != size || used != 0 && k.native[size-1]<<used != 0 {
		return fmt.Errorf("%d bytes for %d values of %s, or spare bits that are set", len(k.native), k.total, k.dtype)
	}
	return nil
}

// scaleReader reads the scales section: scales, and of some types as many offsets behind them.
type scaleReader struct {
	scales, offsets []byte
	float32s        bool
	count           int
}

func newScaleReader(e *compressionEntry, d ptq.DType, b []byte) (r scaleReader, err error) {
	width := 8
	switch {
	case d.Unsigned():
		width = 16
		r.scales, r.offsets = b[:len(b)/2], b[len(b)/2:]
	case e.Float32Scales:
		width, r.float32s = 4, true
		fallthrough
	default:
		r.scales = b
	}
	if r.count = len(b) / width; len(b)%width != 0 {
		return r, fmt.Errorf("%d bytes of scales", len(b))
	}
	return r, nil
}

// take appends a scale, if there are any, to those of s.
func (r *scaleReader) take(s *ptq.Stored, i int) error {
	switch {
	case r.count == 0:
		return nil
	case i >= r.count:
		return fmt.Errorf("there are only %d scales", r.count)
	case r.float32s:
		s.Scales = append(s.Scales, float64(floats32(r.scales[4*i : 4*i+4])[0]))
	default:
		s.Scales = append(s.Scales, floats64(r.scales[8*i : 8*i+8])[0])
	}
	if r.offsets != nil {
		s.Offsets = append(s.Offsets, floats64(r.offsets[8*i : 8*i+8])[0])
	}
	return nil
}

// statisticsCheck goes through covers and gains of a compressed model in the same way.
type statisticsCheck struct {
	cover, leafCover, gain []byte
	room, seen             tree.Tree
	features               []tree.Feature
}

func newStatisticsCheck(b []byte, kept bool, nodes, trees int, features []tree.Feature) (*statisticsCheck, error) {
	if !kept {
		if len(b) > 0 {
			return nil, errors.New("it should not be there")
		}
		return nil, nil
	}
	if want := 20*nodes + 8*trees; len(b) != want {
		return nil, wrongStatistics(len(b), nodes)
	}
	return &statisticsCheck{cover: b[:8*nodes], leafCover: b[8*nodes : 16*nodes+8*trees], gain: b[16*nodes+8*trees:], features: features}, nil
}

func (s *statisticsCheck) add(t *tree.Tree) error {
	n := t.NumSplits()
	s.seen = *t
	s.seen.Leaf = slices.Grow(s.room.Leaf[:0], n+1)[:n+1] // zeros
	s.seen.Cover, s.seen.LeafCover, s.seen.Gain = slices.Grow(s.room.Cover[:0], n)[:n], slices.Grow(s.room.LeafCover[:0], n+1)[:n+1], slices.Grow(s.room.Gain[:0], n)[:n]
	s.room = s.seen
	setFloats64(s.seen.Cover, front(&s.cover, n, 8))
	setFloats64(s.seen.LeafCover, front(&s.leafCover, n+1, 8))
	setFloats32(s.seen.Gain, front(&s.gain, n, 4))
	return s.seen.Validate(s.features)
}
