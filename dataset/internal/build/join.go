package build

import (
	"math"
	"runtime"
	"slices"

	"boost/dataset/internal/chunk"
)

// Join makes one slice of every column's column chunks. Mostly they lie in one already, see
// gatherer; others it copies, dropping the column chunks as it goes, so that only one column is
// held twice at a time.
func (a *Builder) Join() error {
	var freed freedBytes
	for _, c := range a.Columns {
		var copied bool
		var err error
		switch {
		case c.Want == chunk.WantText:
			copied, err = a.joinText(c)
		case c.Number:
			copied, err = a.joinNumbers(c)
		default:
			copied, err = a.joinCodes(c)
		}
		if err != nil {
			return err
		}
		c.Chunks = nil
		if copied {
			freed.add(4*len(c.F32)+8*len(c.F64)+4*len(c.Codes)+len(c.Text), len(a.Columns))
		}
	}
	for _, ch := range a.Chunks {
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

func (a *Builder) joinText(c *Column) (copied bool, err error) {
	c.ownWords()
	size := 0
	for k, p := range c.Chunks {
		size += len(p.Text)
		a.markBad(c, k, p)
	}
	if size > math.MaxInt32 {
		return false, chunk.Errorf("column %q holds more than 2 GiB of text; leave it out of id", c.Name)
	}
	offsets := func(p *chunk.ColumnChunk) []int32 { return p.Offsets[:max(0, len(p.Offsets)-1)] }
	if whole := chunk.SideBySide(c.Chunks, a.Rows(), offsets); whole != nil && whole[0] == 0 {
		c.Offsets, c.Text = whole[:len(whole)+1], c.Chunks[0].Text[:size]
		return false, nil
	}
	c.Text = make([]byte, 0, size)
	c.Offsets = make([]int32, 1, a.Rows()+1)
	for _, p := range c.Chunks {
		base := int32(len(c.Text)) - p.Offsets[0]
		c.Text = append(c.Text, p.Text...)
		for _, offset := range p.Offsets[1:] {
			c.Offsets = append(c.Offsets, base+offset)
		}
		*p = *chunk.NewColumn()
	}
	return true, nil
}

func (a *Builder) joinCodes(c *Column) (copied bool, err error) {
	c.ownWords()
	size := 0
	for _, level := range c.Levels {
		size += len(level)
	}
	if size > math.MaxInt32 {
		return false, chunk.Errorf("the distinct texts of column %q take more than 2 GiB; leave it out with ignore", c.Name)
	}
	for k, p := range c.Chunks {
		a.markBad(c, k, p)
		c.ModelLevels = p.ModelLevels
	}
	if c.Codes = chunk.SideBySide(c.Chunks, a.Rows(), func(p *chunk.ColumnChunk) []int32 { return p.Codes }); c.Codes != nil {
		return false, nil
	}
	c.Codes = make([]int32, 0, a.Rows())
	for _, p := range c.Chunks {
		c.Codes = append(c.Codes, p.Codes...)
		*p = *chunk.NewColumn()
	}
	return true, nil
}

func (a *Builder) joinNumbers(c *Column) (copied bool, err error) {
	for _, p := range c.Chunks {
		c.Dates = c.Dates || p.Dates
	}
	values, odd := a.LevelValues(c)
	c.Large = int32(a.LargeRow(c, values))
	if a.Whole && c.Chunks[0].Sparse != nil {
		c.Sparse = c.Chunks[0].Sparse
		*c.Chunks[0] = *chunk.NewColumn()
		return false, nil
	}
	wide := !chunk.AllExact(values)
	for _, p := range c.Chunks {
		wide = wide || p.F64 != nil
	}
	if wide {
		c.F64 = chunk.SideBySide(c.Chunks, a.Rows(), func(p *chunk.ColumnChunk) []float64 { return p.F64 })
	} else {
		c.F32 = chunk.SideBySide(c.Chunks, a.Rows(), func(p *chunk.ColumnChunk) []float32 { return p.F32 })
	}
	switch {
	case c.F64 != nil || c.F32 != nil:
		for k, p := range c.Chunks {
			a.markBad(c, k, p)
		}
		slices.Sort(c.Bad)
		c.dropLevels()
		return false, nil
	case wide:
		c.F64 = make([]float64, 0, a.Rows())
	default:
		c.F32 = make([]float32, 0, a.Rows())
	}
	for k, p := range c.Chunks {
		a.markBad(c, k, p)
		switch {
		case p.F64 != nil:
			c.F64 = append(c.F64, p.F64...)
		case p.F32 != nil && !wide:
			c.F32 = append(c.F32, p.F32...)
		case p.F32 != nil:
			for _, v := range p.F32 {
				c.F64 = append(c.F64, float64(v))
			}
		default:
			for row, code := range p.Codes {
				v := math.NaN()
				if code >= 0 {
					if v = values[code]; odd[code] {
						at := a.Firsts[k] + row
						w := c.ownWords()
						if w.Why == nil {
							w.Why = a.BadCell(c, false, chunk.OddCell{Row: at, Text: chunk.Excerpt([]byte(c.Levels[code]))})
						}
						if !a.SkipBadRows {
							return false, c.Why
						}
						w.Bad = append(w.Bad, int32(at))
					}
				}
				if wide {
					c.F64 = append(c.F64, v)
				} else {
					c.F32 = append(c.F32, float32(v))
				}
			}
		}
		*p = *chunk.NewColumn()
	}
	slices.Sort(c.Bad)
	c.dropLevels()
	return true, nil
}

// LevelValues reads the column's levels as numbers; odd marks those that are none.
func (a *Builder) LevelValues(c *Column) (values []float64, odd []bool) {
	values = make([]float64, len(c.Levels))
	odd = make([]bool, len(c.Levels))
	for i, level := range c.Levels {
		v, date, ok := c.ValueOf(level, a.Decimal)
		if !ok || slices.Contains(a.MissingNumbers, v) {
			v = math.NaN()
		}
		values[i], odd[i] = v, !ok
		c.Dates = c.Dates || date
	}
	return values, odd
}

// markBad notes the rows of a column chunk that are to be left out.
func (a *Builder) markBad(c *Column, k int, p *chunk.ColumnChunk) {
	if odd := p.Odd(); len(odd.Rows) > 0 {
		a.Blame(c, k, odd.Rows, odd.First[0], !p.Numeric())
	}
}
