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
