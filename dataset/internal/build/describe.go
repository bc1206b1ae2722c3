package build

import (
	"slices"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/dictionary"
	"boost/dataset/internal/notes"
)

// Described is what notes say of a column of a table.
type Described struct {
	Kind          chunk.Kind
	Rows, Missing int
	Levels        []string // of a category
	NumericLevels bool
}

// Describe adds the notes about a column, and reports whether the table keeps it.
func (a *Builder) Describe(n *notes.Notes, c *Column, d Described) bool {
	switch {
	case c.Dates:
		n.AddDates(c.Name)
	case c.Schema != nil && c.Schema.Dates && d.Missing < d.Rows:
		n.AddUndated(c.Name)
	}
	if a.Schema == nil && !a.Lenient && c.Role == chunk.Feature && d.Missing == d.Rows {
		n.AddEmpty(c.Name)
	}
	if c.Schema == nil && d.NumericLevels && slices.ContainsFunc(c.Levels, dictionary.IsDate) {
		n.AddDatedLevels(c.Name)
	}
	if c.Large >= 0 && c.Schema == nil {
		n.AddLarge(c.Name, a.placeOf(int(c.Large)))
	}
	if c.Padded && c.Role == chunk.Feature && c.Schema == nil && d.Kind.Numeric() {
		n.AddPadded(c.Name)
	}
	if c.Trimmed && a.Schema == nil {
		n.AddTrimmed(c.Name)
	}
	if c.Form != nil && c.Schema == nil { // a form of the schema is no news
		n.AddForm(c.Name, *c.Form)
	}
	if d.Kind != chunk.Category || d.NumericLevels {
		return true
	}
	texts, distinct := d.Rows-d.Missing, len(d.Levels)
	textLike := d.Rows > 100 && 2*distinct > texts // names or free text
	ignored := textLike && a.DropTextLike && c.Want == chunk.WantAny && c.Role == chunk.Feature
	mixed := slices.ContainsFunc(a.Mixed, func(e *chunk.ParseError) bool { return e.Column == c.Name }) // which says what reads it
	switch {
	case c.Want == chunk.WantAny && !mixed && n.AddNumbersInText(c.Target, d.Levels, a.Decimal, ignored):
	case ignored:
		n.AddIgnored(c.Name, distinct, texts)
	case a.Schema == nil && (c.Role == chunk.Feature || c.Role == chunk.LabelRole):
		n.AddSpellings(c.Name, d.Levels)
	}
	return !ignored
}

// placeOf returns where a row stands, "" where rows that are left out shift the others.
func (a *Builder) placeOf(row int) string {
	if len(a.Locations.Runs) == 0 || a.SkipBadRows {
		return ""
	}
	var at chunk.ParseError
	a.Locations.Mark(&at, row)
	return at.Place()
}
