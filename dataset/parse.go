package dataset

import (
	"fmt"
	"slices"
	"strings"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/written"
)

// The ways of Parse that leave it to the cells.
const (
	ParseAuto   = chunk.ParseAuto     // numbers or dates if all cells have one form; otherwise what they are without it
	ParseNumber = chunk.ParseAsNumber // numbers with a currency, a unit, "%" or separators of thousands
	ParseDate   = chunk.ParseAsDate   // dates such as 12/31/2024 and 31.12.2024
	ParseText   = chunk.ParseText     // text, and nothing is said of it
)

// Parse says by column how numbers or dates are written that are not written plainly, "" standing
// for all columns that are not named: one of ParseAuto, ParseNumber, ParseDate and ParseText, or an
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

// CheckParse reports a way of writing that Parse does not know.
func CheckParse(how string) error { return chunk.CheckParse(how) }

// CheckForm reports a text that is not the form of a column, as a schema has it.
func CheckForm(form string) error {
	_, err := written.ParseForm(form)
	return err
}

// ParseHint is the flag that reads columns as Parse would, in a form that can be pasted.
func ParseHint(how map[string]string) string { return chunk.ParseHint(how) }

// formsOf returns the forms in which all texts may be written.
func formsOf(point byte, texts []string) []written.Form {
	s := written.NewSearch(point)
	for _, text := range texts {
		if !s.Add(text) {
			return nil
		}
	}
	return s.Forms()
}

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
	return parsed && len(formsOf(a.Decimal, texts)) > 0
}

// findForm looks for the form of a column of which some cells are no plain numbers, and reports whether there is one.
// It is an error if there is none and Parse asks for it.
func (a *tableBuilder) findForm(c *columnBuilder) (found bool, err error) {
	forms := formsOf(a.Decimal, c.levels)
	date := len(forms) > 0 && forms[0].IsDate()
	switch {
	case c.Parse == ParseAuto && len(forms) != 1, c.Parse == ParseText, c.Parse == "":
		return false, nil
	case len(forms) == 0 || c.Parse == ParseNumber && date || c.Parse == ParseDate && !date:
		return false, a.noForm(c)
	case len(forms) > 1:
		return false, chunk.Errorf("column %q can be read in two ways: %s", c.Name, twoReadings(c.Name, c.levels, forms))
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

// twoReadings says of a text that the forms read differently what it may be, and the flag for each.
func twoReadings(name string, texts []string, forms []written.Form) string {
	one, other := forms[0], forms[1]
	for _, text := range texts {
		a, _ := one.Parse(text)
		b, _ := other.Parse(text)
		if a == b {
			continue
		}
		first, second := FormatNumber(a), FormatNumber(b)
		if one.IsDate() {
			first, second = one.String(), other.String()
		}
		return fmt.Sprintf("%q is %s with %s, and %s with %s", text, first, chunk.ParseHint(map[string]string{name: one.String()}),
			second, chunk.ParseHint(map[string]string{name: other.String()}))
	}
	return fmt.Sprintf("as %v and as %v", one, other)
}

// disguised are the columns of text whose texts are numbers or dates in disguise.
type disguised struct {
	used, ignored []string          // with one form, by what becomes of the column
	how           map[string]string // by name: what reads them
	forms         map[string]string // by name
	unclear       []string          // what is said of those with two readings
}

// add looks at a column of text and reports whether its texts are numbers or dates.
func (d *disguised) add(c *columnBuilder, texts []string, point byte, ignored bool) bool {
	if c.Parse == ParseText || len(texts) == 0 {
		return false
	}
	forms := formsOf(point, texts)
	state, list := "used as text", &d.used
	if ignored {
		state, list = "ignored", &d.ignored
	}
	switch len(forms) {
	case 0:
		return false
	case 1:
		*list = append(*list, c.Name)
		if d.how == nil {
			d.how, d.forms = make(map[string]string), make(map[string]string)
		}
		d.how[c.Name], d.forms[c.Name] = howOf(forms[0]), forms[0].String()
	default:
		d.unclear = append(d.unclear, fmt.Sprintf("column %q is %s, and can be read in two ways: %s", c.Name, state, twoReadings(c.Name, texts, forms)))
	}
	return true
}

// notes names the columns with the flag that reads them.
func (d *disguised) notes() []string {
	var notes []string
	for _, of := range []struct {
		names []string
		state string
	}{{d.used, "used as text"}, {d.ignored, "ignored"}} {
		n := len(of.names)
		if n == 0 {
			continue
		}
		holds, is, it := "holds", "is", "it"
		if n > 1 {
			holds, is, it = "hold", "are", "them"
		}
		notes = append(notes, fmt.Sprintf("%s %s %s numbers or dates and %s %s: %s reads %s",
			chunk.Plural(n, "column"), withForms(of.names, d.forms), holds, is, of.state, d.hint(of.names), it))
	}
	return append(notes, d.unclear...)
}

// hint is the flag that reads columns.
func (d *disguised) hint(names []string) string {
	const most = 5
	if len(names) > most {
		return "--set data.parse=auto"
	}
	how := make(map[string]string, len(names))
	for _, name := range names {
		how[name] = d.how[name]
	}
	return chunk.ParseHint(how)
}

// withForms lists columns with their forms.
func withForms(names []string, forms map[string]string) string {
	const most = 10
	var said []string
	for i, name := range names {
		if i == most {
			return fmt.Sprintf("%s and %d more", strings.Join(said, ", "), len(names)-most)
		}
		said = append(said, fmt.Sprintf("%q (%s)", name, forms[name]))
	}
	return strings.Join(said, ", ")
}

// formNote says which columns were read in a form of their own, without a model to say so.
func formNote(columns []*columnBuilder, forms map[string]string) string {
	var names []string
	for _, c := range columns {
		if c.Form != nil && c.Schema == nil {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("%s %s %s read as written", chunk.Plural(len(names), "column"), withForms(names, forms), map[bool]string{true: "is", false: "are"}[len(names) == 1])
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

// howOf is the word of Parse for a form that was found.
func howOf(f written.Form) string {
	if f.IsDate() {
		return ParseDate
	}
	return ParseNumber
}
