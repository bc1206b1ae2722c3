package dataset

import (
	"math"
	"runtime"
	"slices"

	"boost/dataset/internal/chunk"
)

// join makes one slice of every column's column chunks. Mostly they lie in one already, see
// gatherer; others it copies, dropping the column chunks as it goes, so that only one column is
// held twice at a time.
func (a *tableBuilder) join() error {
	var freed freedBytes
	for _, c := range a.columns {
		var copied bool
		var err error
		switch {
		case c.Want == chunk.WantText:
			copied, err = a.joinText(c)
		case c.number:
			copied, err = a.joinNumbers(c)
		default:
			copied, err = a.joinCodes(c)
		}
		if err != nil {
			return err
		}
		c.chunks = nil
		if copied {
			freed.add(4*len(c.f32)+8*len(c.f64)+4*len(c.codes)+len(c.text), len(a.columns))
		}
	}
	for _, ch := range a.chunks {
		ch.Columns = nil
	}
	return nil
}

// freedBytes counts bytes of dropped column chunks. Left to itself the collector would
// let column chunks and columns stand side by side, as it waits until memory has doubled.
type freedBytes int

func (f *freedBytes) add(bytes, columns int) {
	const worthwhile = 32 << 20
	*f += freedBytes(bytes)
	// About four collections a table; they are quick, as columns hold no pointers.
	if int(*f) >= max(worthwhile, bytes*columns/4) {
		runtime.GC()
		*f = 0
	}
}

func (a *tableBuilder) joinText(c *columnBuilder) (copied bool, err error) {
	c.ownWords()
	size := 0
	for k, p := range c.chunks {
		size += len(p.Text)
		a.markBad(c, k, p)
	}
	if size > math.MaxInt32 {
		return false, chunk.Errorf("column %q holds more than 2 GiB of text; leave it out of id", c.Name)
	}
	offsets := func(p *chunk.ColumnChunk) []int32 { return p.Offsets[:max(0, len(p.Offsets)-1)] }
	if whole := chunk.SideBySide(c.chunks, a.rows(), offsets); whole != nil && whole[0] == 0 {
		c.offsets, c.text = whole[:len(whole)+1], c.chunks[0].Text[:size]
		return false, nil
	}
	c.text = make([]byte, 0, size)
	c.offsets = make([]int32, 1, a.rows()+1)
	for _, p := range c.chunks {
		base := int32(len(c.text)) - p.Offsets[0]
		c.text = append(c.text, p.Text...)
		for _, offset := range p.Offsets[1:] {
			c.offsets = append(c.offsets, base+offset)
		}
		*p = *chunk.NewColumn()
	}
	return true, nil
}

func (a *tableBuilder) joinCodes(c *columnBuilder) (copied bool, err error) {
	c.ownWords()
	size := 0
	for _, level := range c.levels {
		size += len(level)
	}
	if size > math.MaxInt32 {
		return false, chunk.Errorf("the distinct texts of column %q take more than 2 GiB; leave it out with ignore", c.Name)
	}
	for k, p := range c.chunks {
		a.markBad(c, k, p)
		c.modelLevels = p.ModelLevels
	}
	if c.codes = chunk.SideBySide(c.chunks, a.rows(), func(p *chunk.ColumnChunk) []int32 { return p.Codes }); c.codes != nil {
		return false, nil
	}
	c.codes = make([]int32, 0, a.rows())
	for _, p := range c.chunks {
		c.codes = append(c.codes, p.Codes...)
		*p = *chunk.NewColumn()
	}
	return true, nil
}

func (a *tableBuilder) joinNumbers(c *columnBuilder) (copied bool, err error) {
	for _, p := range c.chunks {
		c.dates = c.dates || p.Dates
	}
	values, odd := a.levelValues(c)
	c.large = int32(a.largeRow(c, values))
	if a.whole && c.chunks[0].Sparse != nil {
		c.sparse = c.chunks[0].Sparse
		*c.chunks[0] = *chunk.NewColumn()
		return false, nil
	}
	wide := !chunk.AllExact(values)
	for _, p := range c.chunks {
		wide = wide || p.F64 != nil
	}
	if wide {
		c.f64 = chunk.SideBySide(c.chunks, a.rows(), func(p *chunk.ColumnChunk) []float64 { return p.F64 })
	} else {
		c.f32 = chunk.SideBySide(c.chunks, a.rows(), func(p *chunk.ColumnChunk) []float32 { return p.F32 })
	}
	switch {
	case c.f64 != nil || c.f32 != nil:
		for k, p := range c.chunks {
			a.markBad(c, k, p)
		}
		slices.Sort(c.bad)
		c.dropLevels()
		return false, nil
	case wide:
		c.f64 = make([]float64, 0, a.rows())
	default:
		c.f32 = make([]float32, 0, a.rows())
	}
	for k, p := range c.chunks {
		a.markBad(c, k, p)
		switch {
		case p.F64 != nil:
			c.f64 = append(c.f64, p.F64...)
		case p.F32 != nil && !wide:
			c.f32 = append(c.f32, p.F32...)
		case p.F32 != nil:
			for _, v := range p.F32 {
				c.f64 = append(c.f64, float64(v))
			}
		default:
			for row, code := range p.Codes {
				v := math.NaN()
				if code >= 0 {
					if v = values[code]; odd[code] {
						at := a.firsts[k] + row
						w := c.ownWords()
						if w.why == nil {
							w.why = a.badCell(c, false, chunk.OddCell{Row: at, Text: chunk.Excerpt([]byte(c.levels[code]))})
						}
						if !a.SkipBadRows {
							return false, c.why
						}
						w.bad = append(w.bad, int32(at))
					}
				}
				if wide {
					c.f64 = append(c.f64, v)
				} else {
					c.f32 = append(c.f32, float32(v))
				}
			}
		}
		*p = *chunk.NewColumn()
	}
	slices.Sort(c.bad)
	c.dropLevels()
	return true, nil
}

// levelValues reads the column's levels as numbers; odd marks those that are none.
func (a *tableBuilder) levelValues(c *columnBuilder) (values []float64, odd []bool) {
	values = make([]float64, len(c.levels))
	odd = make([]bool, len(c.levels))
	for i, level := range c.levels {
		v, date, ok := c.ValueOf(level, a.Decimal)
		if !ok || slices.Contains(a.MissingNumbers, v) {
			v = math.NaN()
		}
		values[i], odd[i] = v, !ok
		c.dates = c.dates || date
	}
	return values, odd
}

// markBad notes the rows of a column chunk that are to be left out.
func (a *tableBuilder) markBad(c *columnBuilder, k int, p *chunk.ColumnChunk) {
	if odd := p.Odd(); len(odd.Rows) > 0 {
		a.blame(c, k, odd.Rows, odd.First[0], !p.Numeric())
	}
}
