package dataset

import (
	"fmt"
	"slices"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/written"
)

// Values of Parse with which the cells decide on the form.
const (
	ParseAuto   = chunk.ParseAuto     // numbers or dates if all cells have one form; otherwise what they are without it
	ParseNumber = chunk.ParseAsNumber // numbers with a currency, a unit, "%" or separators of thousands
	ParseDate   = chunk.ParseAsDate   // dates such as 12/31/2024 and 31.12.2024
	ParseText   = chunk.ParseText     // text, and nothing is said of it
)

// Parse says by column how numbers or dates are written that are not in plain form. "" stands
// for all columns that are not named. A value is ParseAuto, ParseNumber, ParseDate, ParseText or an
// example such as "1,234.5", "1.234,5 €", "1234.5 kg", "1234.5 %", "mm/dd/yyyy" and "dd/mm/yyyy".
// The schema keeps the form that was found, and tables read with As have the same one.
func Parse(how map[string]string) Option {
	return func(o *chunk.Options) {
		for _, h := range how {
			if err := chunk.CheckParse(h); err != nil && o.Err == nil {
				o.Err = err
			}
		}
		o.Parse = how
	}
}

// CheckParse returns an error about a way of writing that Parse does not know.
func CheckParse(how string) error { return chunk.CheckParse(how) }

// CheckForm returns an error if a text is not a form of a column, as a schema has it.
func CheckForm(form string) error {
	_, err := written.ParseForm(form)
	return err
}

// ParseHint returns the flag that reads columns as Parse would, ready to paste.
func ParseHint(how map[string]string) string { return chunk.ParseHint(how) }

// readWritten reads columns again as text whose first cells were plain numbers and whose others may be numbers
// too, written in another way.
func (a *tableBuilder) readWritten() error {
	var again []*columnBuilder
	for _, c := range a.columns {
		if c.Want == chunk.WantAny && c.Parse == ParseAuto && a.mayBeWritten(c) {
			again = append(again, c)
		}
	}
	if len(again) == 0 {
		return nil
	}
	if err := a.reread(again); err != nil {
		return err
	}
	return a.checkCells()
}

// mayBeWritten reports whether a column has cells that were read as plain numbers, and others that are written in
// one form.
func (a *tableBuilder) mayBeWritten(c *columnBuilder) bool {
	const some = 100
	var texts []string
	parsed := false
	for _, p := range c.chunks {
		parsed = parsed || p.Numeric() && !p.Typed
		for _, odd := range p.Odd().First {
			texts = append(texts, odd.Text)
		}
		texts = append(texts, p.Levels[:min(len(p.Levels), some)]...)
	}
	return parsed && len(chunk.FormsOf(a.Decimal, texts)) > 0
}

// findForm looks for the form of a column of which some cells are no plain numbers, and reports whether there is one.
// It is an error if there is none and Parse asks for it.
func (a *tableBuilder) findForm(c *columnBuilder) (found bool, err error) {
	forms := chunk.FormsOf(a.Decimal, c.levels)
	date := len(forms) > 0 && forms[0].IsDate()
	switch {
	case c.Parse == ParseAuto && len(forms) != 1, c.Parse == ParseText, c.Parse == "":
		return false, nil
	case len(forms) == 0 || c.Parse == ParseNumber && date || c.Parse == ParseDate && !date:
		return false, a.noForm(c)
	case len(forms) > 1:
		return false, chunk.Errorf("column %q can be read in two ways: %s", c.Name, chunk.TwoReadings(c.Name, c.levels, forms))
	}
	c.Form, c.Want, c.number = &forms[0], chunk.WantNumber, true
	return true, nil
}

// noForm is the error about the first cell that ends the search for a form.
func (a *tableBuilder) noForm(c *columnBuilder) error {
	s, at := written.NewSearch(a.Decimal), 0
	for i, level := range c.levels {
		if at = i; !s.Add(level) {
			break
		}
	}
	row := a.rowOfLevel(c, int32(at))
	e := &ParseError{Column: c.Name, Value: chunk.Excerpt([]byte(c.levels[at]))}
	a.locations.Mark(e, row)
	kind := map[string]string{ParseNumber: "a number", ParseDate: "a date"}[c.Parse]
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
func (a *tableBuilder) rowOfLevel(c *columnBuilder, level int32) int {
	for k, p := range c.chunks {
		if row := slices.Index(p.Codes, level); row >= 0 {
			return a.firsts[k] + row
		}
		if p.Summary != nil {
			if i := slices.Index(p.Summary.Levels, level); i >= 0 {
				return a.firsts[k] + int(p.Summary.Firsts[i])
			}
		}
	}
	return 0
}

// formsByName returns the forms of columns that have one.
func formsByName(columns []*columnBuilder) map[string]string {
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
