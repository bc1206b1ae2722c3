package chunk

import (
	"math"

	"boost/dataset/internal/plain"
)

// FromNumbers makes a column chunk of numbers in memory, NaN where missing: text where the target asks for it.
func (o *Options) FromNumbers(t Target, values []float64) (*ColumnChunk, error) {
	if t.Want == WantCategory || t.Want == WantText {
		return o.FromTexts(t, len(values), func(i int) (string, bool) { return o.NumberText(values[i]), values[i] == values[i] })
	}
	values = WithoutNumbers(values, o.MissingNumbers)
	p := NewColumn()
	p.Present, p.Typed = Present(values), true
	if !AllExact(values) {
		p.F64 = values
		return p, nil
	}
	p.F32 = make([]float32, len(values))
	for i, v := range values {
		p.F32[i] = float32(v)
	}
	return p, nil
}

// NumberText writes a number the way this table reads numbers.
func (d *Dialect) NumberText(v float64) string {
	if v != v {
		return ""
	}
	text := []byte(plain.FormatNumber(v))
	for i, c := range text {
		if c == '.' {
			text[i] = d.Decimal
		}
	}
	return string(text)
}

// FromTexts makes a column chunk of n texts in memory; at reports false where a row has none.
func (o *Options) FromTexts(t Target, n int, at func(i int) (text string, present bool)) (*ColumnChunk, error) {
	p := NewColumn()
	p.OwnWords()
	if t.Want == WantText {
		p.Offsets = make([]int32, 1, n+1)
		for i := range n {
			text, _ := at(i)
			if len(p.Text)+len(text) > math.MaxInt32 {
				return nil, Errorf("column %q holds more than 2 GiB of text; leave it out of id", t.Name)
			}
			p.Text = append(p.Text, text...)
			p.Offsets = append(p.Offsets, int32(len(p.Text)))
		}
		return p, nil
	}
	d := NewDictionary()
	p.Dictionary = d
	p.Codes = make([]int32, n)
	for i := range p.Codes {
		text, present := at(i)
		if !present {
			p.Codes[i] = MissingCode
			continue
		}
		if p.Codes[i] = d.Code([]byte(text), &o.Dialect); p.Codes[i] == BrokenCode {
			p.AddOdd(i, []byte(text), o.SkipBadRows)
		}
	}
	p.NoteLevels(0)
	return p, nil
}
