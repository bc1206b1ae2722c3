package profile

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"boost/dataset"
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
// a label would, else the last that is no text. Columns that are used for something else are none.
func (p *Profile) GuessLabel(isUsed func(name string) bool) (name, how string) {
	columns := slices.DeleteFunc(slices.Clone(p.Columns), func(c Column) bool { return isUsed(c.Name) })
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].Name
	}
	if name := TellingName(names); name != "" {
		return name, "the name"
	}
	last := ""
	for i := len(names) - 1; i >= 0; i-- {
		c := &columns[i]
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
	return rows > 1 && c.Missing == 0 && c.Distinct == rows && isRowName(c.Name, rows, func() float64 {
		if c.Min == nil || c.Max == nil { // an infinite one is none
			return math.NaN()
		}
		return *c.Max - *c.Min
	})
}

// isRowName reports whether a column is called like one that counts or names the rows. span is asked for only where the name leaves it open.
func isRowName(name string, rows int, span func() float64) bool {
	plain := strings.ToLower(strings.TrimSpace(name))
	return slices.Contains([]string{"id", "index", "rowid", "row_id", "rownames", "row_names", "uuid", "unnamed: 0", ""}, plain) ||
		strings.HasSuffix(plain, "_id") || strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "ID") ||
		// A column without a name that counts the rows is the index of pandas.
		plain == "c1" && span() == float64(rows-1)
}

// RowNames words for each numeric feature of a table that it names the rows, by the rule of NamesRows. No table, nil,
// has none.
func RowNames(t *dataset.Table) (notes []string) {
	if t == nil || t.NumRows() < 2 {
		return nil
	}
	for _, c := range t.Columns() {
		if c.Role() == dataset.Feature && c.Kind().Numeric() && c.Sparse() == nil && c.Missing() == 0 &&
			(c.Kind() == dataset.Float32 && countRows(c.Name(), c.Float32s()) || c.Kind() == dataset.Float64 && countRows(c.Name(), c.Float64s())) {
			notes = append(notes, fmt.Sprintf("column %q is different in every row, as ids are, and is used as a feature: set data.id = [%q] if it names the rows", c.Name(), c.Name()))
		}
	}
	return notes
}

// countRows reports whether a column is called like one that names the rows, and its values all differ.
func countRows[T float32 | float64](name string, values []T) bool {
	if !isRowName(name, len(values), func() float64 { return float64(slices.Max(values) - slices.Min(values)) }) {
		return false
	}
	rows := len(values)
	values = slices.Clone(values)
	slices.Sort(values)
	return len(slices.Compact(values)) == rows
}

// IsTextLike is the rule by which training without a config leaves out columns.
func (c *Column) IsTextLike(rows int) bool {
	return c.Kind == "category" && rows > 100 && 2*c.Distinct > rows-c.Missing
}
