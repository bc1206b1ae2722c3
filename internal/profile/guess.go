package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// labelNames are names that people give to what is to be predicted, the clearest first.
var labelNames = []string{"label", "target", "y", "class", "outcome", "response"}

// TellingName returns the first name that says it is the label's, or "".
func TellingName(names []string) string {
	for _, usual := range labelNames {
		for _, name := range names {
			if strings.EqualFold(name, usual) {
				return name
			}
		}
	}
	return ""
}

// GuessLabel returns the column that is taken for the label, and what it was guessed from; "" if there is
// none. Without a telling name it is the last column with a value in every row and that tells rows apart as
// a label would, else the last that is no text.
func (p *Profile) GuessLabel() (name, how string) {
	names := make([]string, len(p.Columns))
	for i := range p.Columns {
		names[i] = p.Columns[i].Name
	}
	if name := TellingName(names); name != "" {
		return name, "the name"
	}
	last := ""
	for i := len(names) - 1; i >= 0; i-- {
		c := &p.Columns[i]
		if c.Kind == "text" {
			continue
		}
		if c.Missing == 0 && c.Distinct > 1 && !c.IsTextLike(p.Rows) && !c.NamesRows(p.Rows) {
			if last != "" {
				return c.Name, fmt.Sprintf("its place, the last column that could be a label (%q could not)", last)
			}
			return c.Name, "its place, the last column"
		}
		last = cmp.Or(last, c.Name)
	}
	return last, "its place, the last column"
}

// NamesRows reports whether a column counts or names the rows, by its name and values.
func (c *Column) NamesRows(rows int) bool {
	name := strings.ToLower(strings.TrimSpace(c.Name))
	named := slices.Contains([]string{"id", "index", "rowid", "row_id", "rownames", "row_names", "uuid", "unnamed: 0", ""}, name) ||
		strings.HasSuffix(name, "_id") || strings.HasSuffix(c.Name, "Id") || strings.HasSuffix(c.Name, "ID")
	// A column without a name that counts the rows is the index of pandas.
	named = named || name == "c1" && c.Min != nil && *c.Max-*c.Min == float64(rows-1)
	return named && rows > 1 && c.Missing == 0 && c.Distinct == rows
}

// IsTextLike is the rule by which training without a config leaves out columns.
func (c *Column) IsTextLike(rows int) bool {
	return c.Kind == "category" && rows > 100 && 2*c.Distinct > rows-c.Missing
}
