package build

import (
	"fmt"
	"slices"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/written"
)

// readWritten reads columns again as text whose first cells were plain numbers and whose others may be numbers
// too, written in another way.
func (a *Builder) readWritten() error {
	var again []*Column
	for _, c := range a.Columns {
		if c.Want == chunk.WantAny && c.Parse == chunk.ParseAuto && a.mayBeWritten(c) {
			again = append(again, c)
		}
	}
	if len(again) == 0 {
		return nil
	}
	if err := a.Reread(again); err != nil {
		return err
	}
	return a.checkCells()
}

// mayBeWritten reports whether a column has cells that were read as plain numbers, and others that are written in
// one form.
func (a *Builder) mayBeWritten(c *Column) bool {
	const some = 100
	var texts []string
	parsed := false
	for _, p := range c.Chunks {
		parsed = parsed || p.Numeric() && !p.Typed
		for _, odd := range p.Odd().First {
			texts = append(texts, odd.Text)
		}
		texts = append(texts, p.Levels[:min(len(p.Levels), some)]...)
	}
	return parsed && len(chunk.FormsOf(a.Decimal, texts)) > 0
}

// FindForm looks for the form of a column of which some cells are no plain numbers, and reports whether there is one.
// It is an error if there is none and Parse asks for it.
func (a *Builder) FindForm(c *Column) (found bool, err error) {
	forms := chunk.FormsOf(a.Decimal, c.Levels)
	if c.storesNumbers() {
		bare := slices.DeleteFunc(slices.Clone(forms), func(f written.Form) bool { return !f.Bare() })
		switch {
		case c.Parse == chunk.ParseAsDate:
			return false, chunk.Errorf("column %q is to be read as dates (parse), and is stored as numbers: leave it out of parse to use them as they are", c.Name)
		case c.Parse == chunk.ParseAsNumber && len(forms) > 0 && len(bare) == 0:
			return false, chunk.Errorf("column %q is stored as numbers in some places, and written as \"%v\" in others: store it in one way", c.Name, forms[0])
		}
		forms = bare
	}
	date := len(forms) > 0 && forms[0].IsDate()
	switch {
	case c.Parse == chunk.ParseAuto && len(forms) != 1, c.Parse == chunk.ParseText, c.Parse == "":
		return false, nil
	case len(forms) == 0 || c.Parse == chunk.ParseAsNumber && date || c.Parse == chunk.ParseAsDate && !date:
		return false, a.noForm(c)
	case len(forms) > 1:
		return false, chunk.Errorf("column %q can be read in two ways: %s", c.Name, chunk.TwoReadings(c.Name, c.Levels, forms))
	}
	c.Form, c.Want, c.Number = &forms[0], chunk.WantNumber, true
	return true, nil
}

// storesNumbers reports whether cells are numbers that are no dates, and were not written in a form.
func (c *Column) storesNumbers() bool {
	return slices.ContainsFunc(c.Chunks, func(p *chunk.ColumnChunk) bool { return p.Numeric() && p.Present > 0 && !p.Dates })
}

// noForm is the error about the first cell that ends the search for a form.
func (a *Builder) noForm(c *Column) error {
	s, at := written.NewSearch(a.Decimal), 0
	for i, level := range c.Levels {
		if at = i; !s.Add(level) {
			break
		}
	}
	row := a.rowOfLevel(c, int32(at))
	e := &chunk.ParseError{Column: c.Name, Value: chunk.Excerpt([]byte(c.Levels[at]))}
	a.Locations.Mark(e, row)
	kind := map[string]string{chunk.ParseAsNumber: "a number", chunk.ParseAsDate: "a date"}[c.Parse]
	e.Want = kind + " written as the cells before it are"
	if at == 0 {
		e.Want = kind + " in a form that is known"
	}
	if written.IsShortDate(e.Value) {
		e.Fix = fmt.Sprintf("write years with four digits, or set parse = {%q = \"text\"}", c.Name)
		return e
	}
	e.Fix = fmt.Sprintf("add %q to missing = […] if it means no value, or set parse = {%q = \"text\"}", e.Value, c.Name)
	return e
}

// rowOfLevel returns the first row in which a merged level of a column stands.
func (a *Builder) rowOfLevel(c *Column, level int32) int {
	for k, p := range c.Chunks {
		if row := slices.Index(p.Codes, level); row >= 0 {
			return a.Firsts[k] + row
		}
		if p.Summary != nil {
			if i := slices.Index(p.Summary.Levels, level); i >= 0 {
				return a.Firsts[k] + int(p.Summary.Firsts[i])
			}
		}
	}
	return 0
}

// FormsByName returns the forms of columns that have one.
func FormsByName(columns []*Column) map[string]string {
	var forms map[string]string
	for _, c := range columns {
		if c.Form == nil {
			continue
		}
		if forms == nil {
			forms = make(map[string]string)
		}
		forms[c.Name] = c.Form.String()
	}
	return forms
}
