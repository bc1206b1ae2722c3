package notes

import (
	"fmt"
	"slices"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/plain"
	"boost/dataset/internal/written"
)

// disguised collects the columns of text whose texts are numbers or dates in disguise.
type disguised struct {
	used, ignored readable // with one form, by what becomes of the column
	unclear       []string // the notes about those with two readings
	unread        []string // the notes about those that no form reads
}

// readable are columns of text that can be read in a form.
type readable struct {
	listed []string          // each with its form: "a" (dd/mm/yyyy)
	how    map[string]string // by column: what reads it
}

// add examines a column of text and reports whether its texts are numbers or dates.
func (d *disguised) add(column string, texts []string, point byte, ignored bool) bool {
	forms := chunk.FormsOf(point, texts)
	state, list := "used as text", &d.used
	if ignored {
		state, list = "ignored", &d.ignored
	}
	switch len(forms) {
	case 0:
		if !slices.ContainsFunc(texts, func(text string) bool { return !written.IsShortDate(text) }) {
			d.unread = append(d.unread, fmt.Sprintf("column %q holds dates with years of two digits, like %q, and is %s: write years with four digits", column, texts[0], state))
			return true
		}
		if odd, form, ok := written.Odd(point, texts); ok {
			d.unread = append(d.unread, oddNote(column, state, odd, form, plainTexts(texts, point) == len(texts)-len(odd)))
			return true
		}
		one, other, ok := written.Mixed(point, texts)
		if ok {
			d.unread = append(d.unread, fmt.Sprintf("column %q holds numbers or dates written in several ways, like %q and %q, and is %s: write them in one way", column, one, other, state))
		}
		return ok
	case 1:
		list.add(column, forms[0])
	default:
		d.unclear = append(d.unclear, fmt.Sprintf("column %q is %s, and can be read in two ways: %s", column, state, chunk.TwoReadings(column, texts, forms)))
	}
	return true
}

// plainTexts counts the texts that are read as numbers or dates in any case.
func plainTexts(texts []string, point byte) (n int) {
	for _, text := range texts {
		if _, _, ok := plain.ParseValue([]byte(text), point); ok {
			n++
		}
	}
	return n
}

// oddNote says which texts keep a column from being read in the form of its others; where all others are plain, none needs a flag.
func oddNote(column, state string, odd []string, form written.Form, othersPlain bool) string {
	const most = 8
	like := form.String()
	switch {
	case othersPlain && form.IsDate():
		like = "yyyy-mm-dd"
	case othersPlain:
		like = "1234.5"
	}
	said := fmt.Sprintf("column %q is %s, because %q is not written as its other texts are (%s): add %q to missing = […] if it means no value",
		column, state, odd[0], like, odd[0])
	if n := len(odd); n > 1 {
		said = fmt.Sprintf("column %q is %s, because %s are not written as its other texts are (%s): add %s to missing = […] if they mean no value",
			column, state, chunk.NameList(odd, 3), like, chunk.NameList(odd[:min(most, n)], most))
	}
	if othersPlain {
		return said
	}
	return said + fmt.Sprintf(", and %s reads the others", chunk.ParseHint(map[string]string{column: readingOf(form)}))
}

func (r *readable) add(column string, form written.Form) {
	if r.how == nil {
		r.how = make(map[string]string)
	}
	r.listed = append(r.listed, withForm(column, form))
	r.how[column] = readingOf(form)
}

// readingOf returns what data.parse says of a column in a form.
func readingOf(form written.Form) string {
	if form.IsDate() {
		return chunk.ParseAsDate
	}
	return chunk.ParseAsNumber
}

// notes names the columns with the flag that reads them.
func (d *disguised) notes() []string {
	notes := append(d.used.notes("used as text"), d.ignored.notes("ignored")...)
	return append(append(notes, d.unclear...), d.unread...)
}

func (r *readable) notes(state string) []string {
	if len(r.listed) == 0 {
		return nil
	}
	holds, is, it := "holds", "is", "it"
	if len(r.listed) > 1 {
		holds, is, it = "hold", "are", "them"
	}
	return []string{fmt.Sprintf("%s %s numbers or dates and %s %s: %s reads %s", columnsWithForms(r.listed), holds, is, state, r.hint(), it)}
}

// hint is the flag that reads the columns.
func (r *readable) hint() string {
	const most = 5
	if len(r.listed) > most {
		return "--set data.parse=auto"
	}
	return chunk.ParseHint(r.how)
}

// writtenNote lists the columns that were read in a form of their own.
func writtenNote(listed []string) string {
	is := "are"
	if len(listed) == 1 {
		is = "is"
	}
	return fmt.Sprintf("%s %s read as written", columnsWithForms(listed), is)
}

// withForm writes a column with its form, for columnsWithForms.
func withForm(column string, form written.Form) string { return fmt.Sprintf("%q (%v)", column, form) }

func columnsWithForms(listed []string) string {
	return fmt.Sprintf("%s %s", chunk.Plural(len(listed), "column"), firstOf(listed, 10))
}
