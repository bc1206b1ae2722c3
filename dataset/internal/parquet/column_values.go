package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/columnar"
)

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
