package build

import (
	"fmt"
	"slices"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/dictionary"
	"boost/dataset/internal/written"
)

// noteNoDays notes that a column is text because some of its dates are of days that do not exist, if half of its texts are
// dates at least.
func (a *Builder) noteNoDays(c *Column) {
	const few = 32 // names and free text are seldom looked at further
	if !mostlyDates(c.Levels[:min(few, len(c.Levels))]) || !mostlyDates(c.Levels) {
		return
	}
	at := slices.IndexFunc(c.Levels, written.NoDay)
	if at < 0 {
		return
	}
	text, place := c.Levels[at], a.placeOf(a.rowOfLevel(c, int32(at)))
	others := 0
	for _, level := range c.Levels[at+1:] {
		if written.NoDay(level) {
			others++
		}
	}
	note := fmt.Sprintf("column %q holds dates and is read as text, because there is no day %q", c.Name, chunk.Excerpt([]byte(text)))
	if place != "" {
		note += " (" + place + ")"
	}
	if others > 0 {
		note += fmt.Sprintf(", nor %d %s: correct them", others, chunk.Plural(others, "other"))
	} else {
		note += fmt.Sprintf(": correct it, or add %q to missing = […] if it means no value", text)
	}
	a.Notes = append(a.Notes, note)
}

// mostlyDates reports whether half of some texts are dates or written like dates.
func mostlyDates(texts []string) bool {
	dates := 0
	for _, text := range texts {
		if dictionary.IsDate(text) || written.IsDate(text) || written.NoDay(text) {
			dates++
		}
	}
	return dates > 0 && 2*dates >= len(texts)
}
