package notes

import (
	"fmt"
	"slices"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/written"
)

// Notes collects the findings about a table's columns.
type Notes struct {
	said       []string // notes that come worded, before all others
	dates      []string // columns of numbers that were dates
	dated      []string // columns of categories that are dates
	undated    []string // columns of numbers that were dates when a model was trained
	large      []string
	firstLarge string   // place of the first number in the first of them
	padded     []string // columns of numbers that are written with zeros before them
	trimmed    []string
	commas     []string
	spelled    []string // columns with levels that differ in case or blanks only, and two of these
	written    []string // columns that were read in a form of their own, with it
	empty      []string // features without a value
	infinite   []string // notes about columns with infinite cells
	disguised  disguised
}

// New begins with notes that are worded already.
func New(said []string) *Notes { return &Notes{said: said} }

// AddDates notes a column of numbers whose cells were dates.
func (n *Notes) AddDates(column string) { n.dates = append(n.dates, column) }

// AddDatedLevels notes a column of categories whose levels are dates.
func (n *Notes) AddDatedLevels(column string) { n.dated = append(n.dated, column) }

// AddUndated notes a column of numbers that were dates when the model of the schema was trained.
func (n *Notes) AddUndated(column string) { n.undated = append(n.undated, column) }

// AddLarge notes a column with numbers that float64 rounds, and the place of the first of them, "" if that is unknown.
func (n *Notes) AddLarge(column, place string) {
	if len(n.large) == 0 {
		n.firstLarge = place
	}
	n.large = append(n.large, column)
}

// mostPadded is how many columns of such numbers have a note of their own.
const mostPadded = 3

// mostInfinite is how many columns with infinite cells have a note of their own.
const mostInfinite = 3

// AddPadded notes a column of numbers that are written with zeros before them.
func (n *Notes) AddPadded(column string) { n.padded = append(n.padded, column) }

// AddTrimmed notes a column with cells from which blanks were removed.
func (n *Notes) AddTrimmed(column string) { n.trimmed = append(n.trimmed, column) }

// AddEmpty notes a feature that has no value in any row.
func (n *Notes) AddEmpty(column string) { n.empty = append(n.empty, column) }

// AddInfinite notes a feature with infinite cells, and the place of the first, "" if that is unknown.
func (n *Notes) AddInfinite(column string, cells int, place string) {
	if place != "" {
		place = ", the first in " + place
	}
	n.infinite = append(n.infinite, fmt.Sprintf("column %q has %d infinite %s%s: the text inf and numbers beyond ±1.8e308 are read so", column, cells, chunk.Plural(cells, "cell"), place))
}

// AddForm notes a column that was read in a form of its own.
func (n *Notes) AddForm(column string, form written.Form) {
	n.written = append(n.written, withForm(column, form))
}

// AddIgnored notes a column that is ignored because so many of its texts are distinct.
func (n *Notes) AddIgnored(column string, distinct, texts int) {
	n.said = append(n.said, fmt.Sprintf(
		"column %q is ignored: %d of its %d texts are distinct (set categorical = [%q] to use it)",
		column, distinct, texts, column))
}

// AddNumbersInText looks for numbers and dates among the levels of a column of text, which is ignored or used as
// text, in a table with a decimal mark. It reports whether all levels are such in one form or several.
func (n *Notes) AddNumbersInText(t *chunk.Target, levels []string, point byte, ignored bool) bool {
	if point == '.' && chunk.AreCommaNumbers(levels) {
		n.commas = append(n.commas, t.Name)
		return false
	}
	return t.Parse != chunk.ParseText && len(levels) > 0 && n.disguised.add(t.Name, levels, point, ignored)
}

// Dates returns the columns of numbers that were dates.
func (n *Notes) Dates() []string { return n.dates }

// All returns the notes, the last ones about columns that are used although they are neither clearly numbers nor
// clearly text.
func (n *Notes) All(mixed []*chunk.ParseError) []string {
	all := n.said
	if dates := slices.Concat(n.dates, n.dated); len(dates) > 0 {
		all = append(all, fmt.Sprintf("dates in %s are read as seconds since 1970-01-01 UTC", listed(dates)))
	}
	if len(n.undated) > 0 {
		all = append(all, fmt.Sprintf("the model was trained on dates in %s, and here are numbers: they count as seconds since 1970-01-01 UTC; if they are not, write dates", listed(n.undated)))
	}
	if len(n.large) > 0 {
		all = append(all, n.largeNote())
	}
	for i, column := range n.padded {
		if i == mostPadded {
			all = append(all, fmt.Sprintf("zeros before the numbers of %d more columns are lost too: %s", len(n.padded)-i, listed(n.padded[i:])))
			break
		}
		all = append(all, fmt.Sprintf("column %q is read as numbers, without the zeros that its cells begin with (set categorical = [%q] if they are names, of which 01 and 1 are one)", column, column))
	}
	if len(n.trimmed) > 0 {
		all = append(all, fmt.Sprintf("blanks around the cells of %s are left out (set blanks = \"keep\" to keep them)", listed(n.trimmed)))
	}
	if len(n.commas) > 0 {
		all = append(all, fmt.Sprintf("text in %s looks like numbers with a decimal comma: --set data.decimal=, reads it so", listed(n.commas)))
	}
	if len(n.spelled) > 0 {
		all = append(all, n.spellingNote())
	}
	if len(n.written) > 0 {
		all = append(all, writtenNote(n.written))
	}
	if len(n.empty) > 0 {
		all = append(all, fmt.Sprintf("no row has a value in %s, which training cannot use", listed(n.empty)))
	}
	if more := len(n.infinite) - mostInfinite; more > 0 {
		n.infinite = append(n.infinite[:mostInfinite:mostInfinite], fmt.Sprintf("%d %s more with infinite cells: boost inspect names them", more, chunk.Plural(more, "column")))
	}
	all = append(all, n.infinite...)
	all = append(all, n.disguised.notes()...)
	for _, e := range mixed {
		all = append(all, e.Error())
	}
	return all
}

// largeNote lists the columns with numbers that float64 rounds, and where the first is.
func (n *Notes) largeNote() string {
	first := ""
	if n.firstLarge != "" {
		first = fmt.Sprintf("; the first stands in column %q of %s", n.large[0], n.firstLarge)
	}
	return fmt.Sprintf("whole numbers from 2⁵³ on in %s are read as the nearest 64-bit floats, so that different ones may become equal%s (name the column in id or categorical if they are names)",
		listed(n.large), first)
}

// listed names columns: `columns "a", "b"`.
func listed(columns []string) string {
	return fmt.Sprintf("%s %s", chunk.Plural(len(columns), "column"), chunk.NameList(columns, 10))
}
