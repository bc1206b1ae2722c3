package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/columnar"
)

// columnReader decodes one column of one row group for one target, any number of
// rows at a time.
type columnReader struct {
	columnar.ColumnSink
	pages pageStream
	left  int64 // rows in pages to come
	guard int   // rows that memory is taken for before they are seen

	// The current page.
	rows    int64 // not decoded yet
	page    *page
	levels  hybrid
	some    bool // some rows may be missing
	form    valueForm
	raw     []byte // PLAIN values of one size
	bit     int    // of the next PLAIN boolean
	bools   hybrid
	texts   byteValues
	deltas  *delta
	indices hybrid

	dictionary columnDictionary
	scratch    *columnar.Buffers
}

// valueForm is how the values of the current page are found.
type valueForm uint8

const (
	rawForm valueForm = iota
	packedBoolForm
	hybridBoolForm
	textForm
	deltaForm
	dictionaryForm
)

// columnDictionary is a dictionary page, as the target needs it.
type columnDictionary struct {
	known   bool
	numbers []float64
	codes   []int32
	texts   []string
}

func (d *columnDictionary) size() int { return max(len(d.numbers), len(d.codes), len(d.texts)) }

// Read decodes the next n rows into a column chunk of the chunk with the given index.
func (c *columnReader) Read(n, index int) (*chunk.ColumnChunk, error) {
	p := c.NewColumn(min(n, c.guard))
	for n > 0 {
		if c.rows == 0 {
			if err := c.nextPage(); err != nil {
				return nil, err
			}
			continue
		}
		m := int(min(int64(n), c.rows))
		if !c.some && c.AsNumbers() && c.direct(p, m) {
			n -= m
			c.rows -= int64(m)
			continue
		}
		m = min(m, columnar.Batch)
		if err := c.batch(p, m); err != nil {
			return nil, err
		}
		n -= m
		c.rows -= int64(m)
	}
	c.Finish(p, index)
	return p, nil
}

// End frees what the column's pages hold, once all of its rows were read.
func (c *columnReader) End() { c.pages.end() }

// nextPage makes the next data page the current one; dictionaries on the way are read.
func (c *columnReader) nextPage() error {
	for {
		if c.Ctx.Err() != nil {
			return c.Ctx.Err()
		}
		p, err := c.pages.next(c.left, c.Field.Optional)
		if err != nil {
			return err
		}
		switch {
		case p == nil:
			return fmt.Errorf("its pages end %d rows early", c.left)
		case p.Kind == dictionaryPage:
			if err := c.readDictionary(p); err != nil {
				return err
			}
		case p.Kind == DataPage || p.Kind == DataPageV2:
			c.left -= p.Values
			c.rows = p.Values
			if p.Values == 0 {
				continue
			}
			return c.begin(p)
		}
	}
}

// begin prepares decoding a data page.
func (c *columnReader) begin(p *page) error {
	c.page = p
	c.some = c.Field.Optional
	var err error
	if c.some {
		if c.levels, err = newHybrid(p.levelBytes, 1); err != nil {
			return err
		}
	}
	if len(p.body) == 0 { // no row has a value
		return c.beginPlain(nil)
	}
	switch p.encoding {
	case encodingPlain:
		return c.beginPlain(p.body)
	case encodingDictionary, encodingPlainDictionary:
		if !c.dictionary.known {
			return errors.New("a page refers to a dictionary, and there is none before it")
		}
		c.form = dictionaryForm
		c.indices, err = newHybrid(p.body[1:], int(p.body[0]))
		return err
	case encodingRLE:
		if c.Field.Physical == columnar.Boolean {
			c.form = hybridBoolForm
			return c.beginBools(p.body)
		}
	case encodingDeltaBinaryPacked:
		if c.Field.Physical == columnar.Int32 || c.Field.Physical == columnar.Int64 {
			c.form = deltaForm
			c.deltas, err = NewDelta(p.body, p.Values)
			return err
		}
	case encodingDeltaLengthBytes:
		if c.Field.Physical == columnar.ByteArray {
			c.form = textForm
			c.texts, err = newDeltaLengths(p.body, p.Values)
			return err
		}
	case encodingDeltaBytes:
		if c.Field.Size() != 1 && (c.Field.Physical == columnar.ByteArray || c.Field.Physical == columnar.FixedBytes) {
			c.form = textForm
			c.texts, err = newDeltaBytes(p.body, p.Values)
			return err
		}
	}
	return &unreadableEncoding{p.encoding}
}

// unreadableEncoding is an encoding that cannot be read, or not on this type.
type unreadableEncoding struct{ encoding parquetEncoding }

func (*unreadableEncoding) Plain() {}

func (e *unreadableEncoding) Error() string {
	return fmt.Sprintf("its values are encoded as %s, which cannot be read; write the column as PLAIN or with a dictionary, or leave it out with ignore", e.encoding)
}

func (c *columnReader) beginPlain(body []byte) error {
	c.raw, c.bit = body, 0
	switch c.Field.Physical {
	case columnar.Boolean:
		c.form = packedBoolForm
	case columnar.ByteArray:
		c.form, c.texts = textForm, &plainBytes{body}
	default:
		c.form = rawForm
	}
	return nil
}

// beginBools reads booleans in the hybrid form, which four bytes of length precede.
func (c *columnReader) beginBools(body []byte) error {
	if len(body) < 4 {
		return errHybrid
	}
	n := int64(binary.LittleEndian.Uint32(body))
	if n > int64(len(body)-4) {
		return errHybrid
	}
	var err error
	c.bools, err = newHybrid(body[4:4+n], 1)
	return err
}

// readDictionary keeps the values of a dictionary page as the target needs them.
func (c *columnReader) readDictionary(p *page) error {
	if c.dictionary.known {
		return errors.New("it has two dictionaries in one row group")
	}
	if p.encoding != encodingPlain && p.encoding != encodingPlainDictionary {
		return &unreadableEncoding{p.encoding}
	}
	if c.Field.Physical == columnar.Boolean {
		return errors.New("a dictionary of booleans makes no sense")
	}
	d := columnDictionary{known: true}
	if size := c.Field.Size(); size > 0 && c.AsNumbers() {
		if p.Values*int64(size) > int64(len(p.body)) {
			return columnar.ErrBytes
		}
		d.numbers = make([]float64, p.Values)
		c.Field.ManyNumbers(d.numbers, p.body)
		c.dictionary = d
		return nil
	}
	var values byteValues = &fixedBytes{p.body, c.Field.Size()}
	if c.Field.Physical == columnar.ByteArray {
		values = &plainBytes{p.body}
	}
	for range p.Values {
		raw, err := values.next()
		if err != nil {
			return err
		}
		switch {
		case c.AsNumbers():
			d.numbers = append(d.numbers, c.Field.Number(raw))
		case c.Kind.Want == chunk.WantText:
			text, err := c.TextOf(raw)
			if err != nil {
				return err
			}
			d.texts = append(d.texts, string(text))
		default:
			code, err := c.CodeOf(raw)
			if err != nil {
				return err
			}
			d.codes = append(d.codes, code)
		}
	}
	c.dictionary = d
	return nil
}

// direct appends m values without gaps if they lie in the page as the column chunk holds
// them, or nearly so.
func (c *columnReader) direct(p *chunk.ColumnChunk, m int) bool {
	if c.form != rawForm || c.Field.Logical != columnar.LogicalNone {
		return false
	}
	size := c.Field.Size()
	if m*size > len(c.raw) {
		return false // reported by the batch
	}
	raw := c.raw[:m*size]
	switch c.Field.Physical {
	case columnar.Float:
		if p.F64 != nil {
			return false
		}
		n := len(p.F32)
		p.F32 = slices.Grow(p.F32, m)[:n+m]
		columnar.CopyFloats(p.F32[n:], raw)
	case columnar.Double:
		if p.F64 == nil {
			return false
		}
		n := len(p.F64)
		p.F64 = slices.Grow(p.F64, m)[:n+m]
		columnar.CopyFloats(p.F64[n:], raw)
	default:
		return false
	}
	c.raw = c.raw[m*size:]
	return true
}

// batch decodes up to a batch of rows of the current page.
func (c *columnReader) batch(p *chunk.ColumnChunk, m int) error {
	s := c.scratch
	k := m // values among the rows
	if c.some {
		value, covered, err := c.levels.run(m)
		if err != nil {
			return err
		}
		switch {
		case covered == m && value <= 1:
			k = m * int(value)
		default:
			for i := range s.Present[:covered] {
				s.Present[i] = value
			}
			if err := c.levels.read(s.Present[covered:m]); err != nil {
				return err
			}
			k = 0
			for _, level := range s.Present[:m] {
				if level > 1 {
					return errHybrid
				}
				k += int(level)
			}
		}
	}
	switch {
	case c.Kind.Want == chunk.WantText:
		return c.batchTexts(p, m, k)
	case !c.AsNumbers():
		if err := c.codes(s.Codes[:k]); err != nil {
			return err
		}
		spread(s.Codes[:m], s.Present[:m], k, chunk.MissingCode)
		p.Codes = append(p.Codes, s.Codes[:m]...)
		return nil
	}
	if err := c.numbers(s.Numbers[:k]); err != nil {
		return err
	}
	spread(s.Numbers[:m], s.Present[:m], k, math.NaN())
	p.AddNumbers(s.Numbers[:m])
	return nil
}

// spread moves the first k values to the rows that are present and fills the others.
func spread[T any](values []T, present []uint32, k int, missing T) {
	if k == len(values) {
		return
	}
	for row := len(values) - 1; row >= 0; row-- {
		if k > 0 && present[row] == 1 {
			k--
			values[row] = values[k]
		} else {
			values[row] = missing
		}
	}
}

// take returns the raw form of the next n values of one size.
func (c *columnReader) take(n int) ([]byte, error) {
	size := c.Field.Size()
	if n*size > len(c.raw) {
		return nil, columnar.ErrBytes
	}
	raw := c.raw[:n*size]
	c.raw = c.raw[n*size:]
	return raw, nil
}

// rawValues returns the next n values, not more than a batch, in their raw form,
// which all have the field's size.
func (c *columnReader) rawValues(n int) ([]byte, error) {
	s := c.scratch
	switch c.form {
	case rawForm:
		return c.take(n)
	case packedBoolForm:
		if c.bit+n > 8*len(c.raw) {
			return nil, columnar.ErrBytes
		}
		for i := range n {
			s.Raw[i] = c.raw[c.bit>>3] >> (c.bit & 7) & 1
			c.bit++
		}
		return s.Raw[:n], nil
	case hybridBoolForm:
		if err := c.bools.read(s.Index[:n]); err != nil {
			return nil, err
		}
		for i, v := range s.Index[:n] {
			s.Raw[i] = byte(v & 1)
		}
		return s.Raw[:n], nil
	case deltaForm:
		if err := c.deltas.read(s.Ints[:n]); err != nil {
			return nil, err
		}
		size := c.Field.Size()
		for i, v := range s.Ints[:n] {
			if size == 4 {
				binary.LittleEndian.PutUint32(s.Raw[4*i:], uint32(v))
			} else {
				binary.LittleEndian.PutUint64(s.Raw[8*i:], uint64(v))
			}
		}
		return s.Raw[:n*size], nil
	}
	return nil, errors.New("its values have another size than its type")
}

// index reads the next indices into the dictionary, which are checked.
func (c *columnReader) index(n int) ([]uint32, error) {
	index := c.scratch.Index[:n]
	if err := c.indices.read(index); err != nil {
		return nil, err
	}
	size := uint32(c.dictionary.size())
	highest := uint32(0)
	for _, i := range index {
		highest = max(highest, i)
	}
	if n > 0 && highest >= size {
		return nil, fmt.Errorf("a page refers to entry %d of a dictionary of %d", highest, size)
	}
	return index, nil
}

// numbers fills dst with the next values of the page.
func (c *columnReader) numbers(dst []float64) error {
	if len(dst) == 0 {
		return nil
	}
	switch c.form {
	case dictionaryForm:
		index, err := c.index(len(dst))
		for i, at := range index {
			dst[i] = c.dictionary.numbers[at]
		}
		return err
	case textForm: // decimals
		for i := range dst {
			raw, err := c.texts.next()
			if err != nil {
				return err
			}
			if err := c.fits(raw); err != nil {
				return err
			}
			dst[i] = c.Field.Number(raw)
		}
		return nil
	}
	raw, err := c.rawValues(len(dst))
	if err != nil {
		return err
	}
	c.Field.ManyNumbers(dst, raw)
	return nil
}

// fits makes sure that a value of the text form has its field's size.
func (c *columnReader) fits(raw []byte) error {
	if size := c.Field.Size(); size > 0 && len(raw) != size {
		return errors.New("its values have another size than its type")
	}
	return nil
}

// each calls with the raw form of each of the next n values.
func (c *columnReader) each(n int, call func(i int, raw []byte) error) error {
	if c.form == textForm {
		for i := range n {
			raw, err := c.texts.next()
			if err == nil {
				err = c.fits(raw)
			}
			if err == nil {
				err = call(i, raw)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	raw, err := c.rawValues(n)
	if err != nil {
		return err
	}
	size := c.Field.Size()
	for i := range n {
		if err := call(i, raw[size*i:size*(i+1)]); err != nil {
			return err
		}
	}
	return nil
}

// codes fills dst with the codes of the next values of the page.
func (c *columnReader) codes(dst []int32) error {
	if len(dst) == 0 {
		return nil
	}
	if c.form == dictionaryForm {
		index, err := c.index(len(dst))
		for i, at := range index {
			dst[i] = c.dictionary.codes[at]
		}
		return err
	}
	return c.each(len(dst), func(i int, raw []byte) (err error) {
		dst[i], err = c.CodeOf(raw)
		return err
	})
}

// batchTexts appends the texts of m rows, k of which have one.
func (c *columnReader) batchTexts(p *chunk.ColumnChunk, m, k int) error {
	row := 0
	add := func(text []byte) error {
		for ; k < m && c.scratch.Present[row] == 0; row++ {
			p.Offsets = append(p.Offsets, int32(len(p.Text)))
		}
		row++
		return p.AddText(text)
	}
	var err error
	switch {
	case k == 0:
	case c.form == dictionaryForm:
		var index []uint32
		if index, err = c.index(k); err == nil {
			for _, at := range index {
				if err = add([]byte(c.dictionary.texts[at])); err != nil {
					break
				}
			}
		}
	default:
		err = c.each(k, func(_ int, raw []byte) error {
			text, err := c.TextOf(raw)
			if err != nil {
				return err
			}
			return add(text)
		})
	}
	for ; row < m; row++ {
		p.Offsets = append(p.Offsets, int32(len(p.Text)))
	}
	return err
}
