package arrowipc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/columnar"
)

// arrowValues are the values of a column in one batch, as its buffers hold them.
type arrowValues struct {
	column *arrowColumn
	rows   int
	valid  []byte // a bit per row, or nil
	fixed  []byte // values of one width, bits, offsets or views
	data   []byte // text that offsets refer to
	views  [][]byte
	wide   [32]byte
}

func (v *arrowValues) present(i int) bool {
	return v.column.store != storeNone && (v.valid == nil || v.valid[i>>3]>>(i&7)&1 == 1)
}

// checkOffsets makes sure that all offsets ascend and lie in the data.
func (v *arrowValues) checkOffsets() error {
	if v.rows == 0 {
		return nil
	}
	last := v.offset(0)
	if last < 0 {
		return columnar.ErrBytes
	}
	for i := 1; i <= v.rows; i++ {
		at := v.offset(i)
		if at < last {
			return errors.New("its offsets do not ascend")
		}
		last = at
	}
	if last > int64(len(v.data)) {
		return columnar.ErrBytes
	}
	return nil
}

func (v *arrowValues) offset(i int) int64 {
	if v.column.store == storeText {
		return int64(int32(binary.LittleEndian.Uint32(v.fixed[4*i:])))
	}
	return int64(binary.LittleEndian.Uint64(v.fixed[8*i:]))
}

// raw returns a value in the raw form that fileColumn reads, valid until the next call.
// What it returns for a missing value is of no use, but there is something.
func (v *arrowValues) raw(i int) []byte {
	c := v.column
	switch c.store {
	case storeBits:
		v.wide[0] = v.fixed[i>>3] >> (i & 7) & 1
		return v.wide[:1]
	case storeText, storeLarge:
		return v.data[v.offset(i):v.offset(i+1)]
	case storeViews:
		return v.view(i)
	case storeFixed:
		raw := v.fixed[i*c.width : (i+1)*c.width]
		switch {
		case c.Logical == columnar.LogicalDecimal: // to big-endian
			for k, b := range raw {
				v.wide[c.width-1-k] = b
			}
			return v.wide[:c.width]
		case c.Physical == columnar.Int64 && c.width < 8:
			binary.LittleEndian.PutUint64(v.wide[:], v.integer(raw))
			return v.wide[:8]
		}
		return raw
	}
	clear(v.wide[:8])
	return v.wide[:8]
}

// integer widens an integer of fewer than 8 bytes.
func (v *arrowValues) integer(raw []byte) uint64 {
	u := v.column.Unsigned
	switch len(raw) {
	case 1:
		if u {
			return uint64(raw[0])
		}
		return uint64(int8(raw[0]))
	case 2:
		n := binary.LittleEndian.Uint16(raw)
		if u {
			return uint64(n)
		}
		return uint64(int16(n))
	case 4:
		n := binary.LittleEndian.Uint32(raw)
		if u {
			return uint64(n)
		}
		return uint64(int32(n))
	}
	return binary.LittleEndian.Uint64(raw)
}

// errView is what a view that leads nowhere panics with; the boundary around each
// column turns it into an error.
var errView = errors.New("a view of text leads outside its buffers")

// view returns the text of a view: int32 length; up to 12 bytes of text, or 4 bytes of
// it, int32 buffer, int32 offset.
func (v *arrowValues) view(i int) []byte {
	view := v.fixed[16*i : 16*i+16]
	n := int64(binary.LittleEndian.Uint32(view))
	if n <= 12 {
		return view[4 : 4+n]
	}
	if !v.present(i) {
		return nil
	}
	buffer, at := int64(binary.LittleEndian.Uint32(view[8:])), int64(binary.LittleEndian.Uint32(view[12:]))
	if buffer >= int64(len(v.views)) || at+n > int64(len(v.views[buffer])) {
		panic(errView)
	}
	return v.views[buffer][at : at+n]
}

// untranslated marks a dictionary value whose code is not known yet.
const untranslated = math.MinInt32

// arrowReader decodes a column of a batch.
type arrowReader struct {
	columnar.ColumnSink
	column     *arrowColumn
	values     *arrowValues // or the indices into levels
	levels     arrowLevels
	translated []int32 // codes by dictionary value
	row        int     // the next one
	scratch    *columnar.Buffers
}

func (r *arrowReader) Read(n, index int) (*chunk.ColumnChunk, error) {
	p := r.NewColumn(n)
	for n > 0 {
		if r.Ctx.Err() != nil {
			return nil, r.Ctx.Err()
		}
		m := min(n, columnar.Batch)
		var err error
		switch {
		case r.column.dictionary >= 0:
			err = r.fromDictionary(p, m)
		case r.AsNumbers():
			r.numbers(p, m)
		default:
			err = r.texts(p, m)
		}
		if err != nil {
			return nil, err
		}
		r.row += m
		n -= m
	}
	r.Finish(p, index)
	return p, nil
}

// numbers appends the next m rows as numbers.
func (r *arrowReader) numbers(p *chunk.ColumnChunk, m int) {
	dst := r.scratch.Numbers[:m]
	c, v := r.column, r.values
	switch {
	case c.store == storeNone:
		for i := range dst {
			dst[i] = math.NaN()
		}
	case c.store == storeFixed && c.width == c.Size() && c.Logical != columnar.LogicalDecimal:
		c.ManyNumbers(dst, v.fixed[r.row*c.width:(r.row+m)*c.width])
	default:
		for i := range dst {
			dst[i] = c.Number(v.raw(r.row + i))
		}
	}
	if v.valid != nil {
		for i := range dst {
			if !v.present(r.row + i) {
				dst[i] = math.NaN()
			}
		}
	}
	p.AddNumbers(dst)
}

// texts appends the next m rows as codes or texts.
func (r *arrowReader) texts(p *chunk.ColumnChunk, m int) error {
	for i := r.row; i < r.row+m; i++ {
		if err := r.add(p, r.values.present(i), func() []byte { return r.values.raw(i) }); err != nil {
			return err
		}
	}
	return nil
}

// add appends a row as a code or a text.
func (r *arrowReader) add(p *chunk.ColumnChunk, present bool, raw func() []byte) (err error) {
	var text []byte
	code := int32(chunk.MissingCode)
	switch {
	case !present:
	case r.Kind.Want == chunk.WantText:
		text, err = r.TextOf(raw())
	default:
		code, err = r.CodeOf(raw())
	}
	switch {
	case err != nil:
		return err
	case r.Kind.Want == chunk.WantText:
		return p.AddText(text)
	}
	p.Codes = append(p.Codes, code)
	return nil
}

// fromDictionary appends the next m rows, which are indices.
func (r *arrowReader) fromDictionary(p *chunk.ColumnChunk, m int) error {
	numbers := r.AsNumbers()
	for i := r.row; i < r.row+m; i++ {
		at := -1
		if r.values.present(i) {
			index := binary.LittleEndian.Uint64(r.values.raw(i)) // a negative one is larger than any dictionary
			if index >= uint64(len(r.levels.raws)) {
				return fmt.Errorf("it refers to entry %d of a dictionary of %d", int64(index), len(r.levels.raws))
			}
			if at = int(index); r.levels.missing != nil && r.levels.missing[at] {
				at = -1
			}
		}
		switch {
		case numbers && at < 0:
			r.scratch.Numbers[i-r.row] = math.NaN()
		case numbers:
			r.scratch.Numbers[i-r.row] = r.levels.numbers[at]
		case at >= 0 && r.Kind.Want != chunk.WantText:
			code := r.translated[at]
			if code == untranslated {
				var err error
				if code, err = r.CodeOf(r.levels.raws[at]); err != nil {
					return err
				}
				r.translated[at] = code
			}
			p.Codes = append(p.Codes, code)
		default:
			if err := r.add(p, at >= 0, func() []byte { return r.levels.raws[at] }); err != nil {
				return err
			}
		}
	}
	if numbers {
		p.AddNumbers(r.scratch.Numbers[:m])
	}
	return nil
}
