package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"boost/internal/format"
	"boost/internal/profile"
)

// Table is what inspect says about a table.
type Table struct {
	What    string `json:"what"`
	File    string `json:"file"`
	Skipped int    `json:"skipped_rows"`
	*profile.Profile
	Problems []string `json:"problems"` // what keeps the table from being trained on
	Notes    []string `json:"notes"`    // what was said while it was read
	Guessed  bool     `json:"-"`        // the label was taken for one because of its name
}

// maxShown is how many columns of one kind are shown line by line.
const maxShown = 60

// Write writes the report for people, in lines of a width.
func (t *Table) Write(w io.Writer, width int) error {
	var numbers, others []*profile.Column
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Kind == "number" {
			numbers = append(numbers, c)
		} else {
			others = append(others, c)
		}
	}
	parts := []string{t.headline(len(numbers), len(others))}
	if len(numbers) > 0 {
		parts = append(parts, t.numberTable(numbers, width))
	}
	if len(others) > 0 {
		parts = append(parts, t.levelTable(others, width))
	}
	if text := t.findingLines(width); text != "" {
		parts = append(parts, text)
	}
	for _, p := range t.Problems {
		parts = append(parts, "problem: "+p+"\n")
	}
	_, err := io.WriteString(w, strings.Join(parts, "\n"))
	return err
}

func (t *Table) headline(numbers, others int) string {
	text := fmt.Sprintf("%s  %s, %s", format.OneLine(t.File), format.Counted(t.Rows, "row"), format.Counted(len(t.Columns), "column"))
	if numbers > 0 && others > 0 {
		text += fmt.Sprintf(" (%s of numbers)", format.Count(numbers))
	}
	if t.Label == nil {
		return text + "\n"
	}
	text += ", label " + strconv.Quote(*t.Label)
	if t.Guessed {
		text += " (by its name)"
	}
	for i := range t.Columns {
		if score := t.Columns[i].LabelScore; score != nil {
			return text + "\nalone: what the column by itself predicts of the label, " + measureWords[score.Measure] + "\n"
		}
	}
	return text + "\n"
}

// measureWords explains the figures in the column "alone".
var measureWords = map[string]string{
	"auc":            "AUC: 0.5 is chance, 1 is all",
	"errors_avoided": "share of errors avoided: 0 is nothing, 1 is all",
	"rank_r2":        "R² of ranks: 0 is nothing, 1 is all",
}

// numberSets are the figures that are shown of numbers, the richest set first: the first
// one that fits the width is taken.
var numberSets = [][]string{
	{"mean", "min", "1 %", "25 %", "50 %", "75 %", "99 %", "max"},
	{"mean", "min", "25 %", "50 %", "75 %", "max"},
	{"mean", "min", "50 %", "max"},
	{"min", "max"},
}

// chosen returns the columns that are shown: all, or of too many those that tell most of the
// label by themselves, or the first ones.
func (t *Table) chosen(columns []*profile.Column) []*profile.Column {
	if len(columns) <= maxShown {
		return columns
	}
	if t.hasScores() {
		columns = slices.Clone(columns)
		value := func(c *profile.Column) float64 {
			switch {
			case c.Name == *t.Label:
				return math.Inf(1)
			case c.LabelScore == nil:
				return math.Inf(-1)
			}
			return c.LabelScore.Value
		}
		slices.SortStableFunc(columns, func(a, b *profile.Column) int { return cmp.Compare(value(b), value(a)) })
	}
	return columns[:maxShown]
}

func (t *Table) numberTable(columns []*profile.Column, width int) string {
	shown := t.chosen(columns)
	var text string
	for _, figures := range numberSets {
		head := append([]string{"number", "missing", "distinct"}, t.scoreHead()...)
		rows := [][]string{append(head, figures...)}
		for _, c := range shown {
			row := append(t.common(c), t.scoreCell(c)...)
			for _, name := range figures {
				row = append(row, figureText(c, name))
			}
			rows = append(rows, row)
		}
		text = tableText(rows, "l"+strings.Repeat("r", len(rows[0])-1))
		if widest(text) <= width {
			break
		}
	}
	return text + t.notShown(len(columns)-len(shown))
}

// figureText words one figure of a column of numbers.
func figureText(c *profile.Column, name string) string {
	v := map[string]*float64{
		"mean": c.Mean, "min": c.Min, "1 %": c.Q01, "25 %": c.Q25, "50 %": c.Median, "75 %": c.Q75, "99 %": c.Q99, "max": c.Max,
	}[name]
	switch {
	case c.Distinct == 0:
		return ""
	case v == nil && (name == "max" && *c.Infinite > *c.Negative || name == "min" && *c.Negative == 0):
		return "Inf"
	case v == nil && (name == "min" || name == "max"):
		return "-Inf"
	case v == nil:
		return "?" // infinite, or no number at all, as the mean of both infinities
	case *c.Dates:
		return dateText(*v)
	}
	return format.Significant(*v, 4)
}

// dateText words seconds since 1970 as a date, where the calendar has it.
func dateText(seconds float64) string {
	const farthest = 1 << 37 // the year 6325
	if seconds < -farthest || seconds > farthest {
		return format.Significant(seconds, 4)
	}
	return time.Unix(int64(seconds), 0).UTC().Format(time.DateOnly)
}

func (t *Table) levelTable(columns []*profile.Column, width int) string {
	shown := t.chosen(columns)
	head := append([]string{"category", "missing", "distinct"}, t.scoreHead()...)
	rows := [][]string{append(head, "levels")}
	for _, c := range shown {
		rows = append(rows, append(append(t.common(c), t.scoreCell(c)...), ""))
	}
	align := "l" + strings.Repeat("r", len(rows[0])-2) + "l"
	room := max(width-widest(tableText(rows, align))+len("levels"), 20)
	for i, c := range shown {
		rows[i+1][len(rows[0])-1] = levelsText(c, room)
	}
	return tableText(rows, align) + t.notShown(len(columns)-len(shown))
}

// levelsText names the most frequent levels with their share, as many as there is room for.
func levelsText(c *profile.Column, room int) string {
	switch {
	case c.Kind == "text":
		return format.Shorten("id, copied to predictions", room)
	case c.Distinct == 0:
		return ""
	}
	text := ""
	for i, l := range c.Levels {
		item := format.Shorten(format.OneLine(l.Name), 24) + " " + format.WholePercent(l.Share)
		if i > 0 {
			item = ", " + item
		}
		left := ", …"
		if i+1 == c.Distinct {
			left = ""
		}
		if utf8.RuneCountInString(text+item+left) > room && i > 0 {
			return text + ", …"
		}
		text += item
	}
	if c.Distinct > len(c.Levels) {
		text += ", …"
	}
	return format.Shorten(text, room)
}

// common returns the cells that every kind of column has.
func (t *Table) common(c *profile.Column) []string {
	missing := ""
	if c.Missing > 0 {
		missing = format.Percent(c.Missing, t.Rows)
	}
	return []string{format.ShortName(c.Name, 30), missing, format.Count(c.Distinct)}
}

// hasScores reports whether any column was scored by what it tells about the label.
func (t *Table) hasScores() bool {
	for i := range t.Columns {
		if t.Columns[i].LabelScore != nil {
			return true
		}
	}
	return false
}

func (t *Table) scoreHead() []string {
	if !t.hasScores() {
		return nil
	}
	return []string{"alone"}
}

func (t *Table) scoreCell(c *profile.Column) []string {
	switch {
	case !t.hasScores():
		return nil
	case t.Label != nil && c.Name == *t.Label:
		return []string{"label"}
	case c.LabelScore == nil:
		return []string{""}
	}
	return []string{fmt.Sprintf("%.2f", max(0, c.LabelScore.Value))} // below 0 is worse than nothing
}

func (t *Table) notShown(n int) string {
	switch {
	case n == 0:
		return ""
	case t.hasScores():
		return fmt.Sprintf("and %s that tell less of the label by themselves; all are in --json\n", format.Count(n))
	}
	return fmt.Sprintf("and %s more; all are in --json\n", format.Count(n))
}

func tableText(rows [][]string, align string) string {
	var b strings.Builder
	_ = format.Table(&b, rows, align) // a Builder takes everything
	return b.String()
}

// widest returns the length of a text's longest line.
func widest(text string) int {
	most := 0
	for line := range strings.Lines(text) {
		most = max(most, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")))
	}
	return most
}

// findingWords name the kinds of findings, in the order in which they are shown; a mixed
// column is a problem and stands among these.
var findingWords = []struct {
	code  profile.Code
	words string
}{
	{profile.Leak, "gives the label away"},
	{profile.Empty, "no value at all"},
	{profile.Constant, "one value only"},
	{profile.MostlyMissing, "nearly always missing"},
	{profile.Counter, "counts the rows"},
	{profile.IDLike, "hardly ever repeats"},
	{profile.Duplicate, "same as another"},
	{profile.Renamed, "same but for names"},
	{profile.Infinite, "infinite cells"},
	{profile.Sentinel, "may mean no value"},
	{profile.Dates, "dates, as seconds"},
	{profile.ZeroInflated, "mostly 0"},
	{profile.Skewed, "very skewed"},
}

// findingLines lists what is odd, a line or more for each kind.
func (t *Table) findingLines(width int) string {
	var b strings.Builder
	const most, indent = 12, 25
	say := func(words string, items []string, n int) {
		if n > most {
			items = append(items, "and "+format.Count(n-most)+" more")
		}
		fmt.Fprintf(&b, "  %-*s%s\n", indent-2, words, wrapped(items, max(width-indent, 20), indent))
	}
	for _, kind := range findingWords {
		var items []string
		n := 0
		for i := range t.Findings {
			if f := &t.Findings[i]; f.Code == kind.code {
				if n++; n <= most {
					items = append(items, findingText(f))
				}
			}
		}
		if n > 0 {
			say(kind.words, items, n)
		}
	}
	if t.DuplicateRows > 0 {
		say("repeated rows", []string{fmt.Sprintf("%s of %s", format.Count(t.DuplicateRows), format.Count(t.Rows))}, 1)
	}
	if b.Len() == 0 {
		return ""
	}
	return "worth a look\n" + b.String()
}

// findingText names a column, and what the finding says about it.
func findingText(f *profile.Finding) string {
	name := format.ShortName(f.Column, 40)
	switch f.Code {
	case profile.Duplicate:
		return name + " = " + format.ShortName(*f.Other, 40)
	case profile.Renamed:
		return name + " ~ " + format.ShortName(*f.Other, 40)
	case profile.Leak, profile.Skewed:
		return name + " (" + format.Significant(*f.Value, 4) + ")"
	case profile.MostlyMissing, profile.ZeroInflated, profile.IDLike:
		return name + " (" + format.WholePercent(*f.Value) + ")"
	case profile.Infinite, profile.Sentinel:
		return name + " (" + format.Significant(*f.Value, 12) + ")"
	case profile.Constant:
		return name + " (" + format.Shorten(format.OneLine(strings.TrimPrefix(f.Message, "is always ")), 40) + ")"
	}
	return name
}

// wrapped joins items with commas in lines of a width, later lines indented.
func wrapped(items []string, width, indent int) string {
	var b strings.Builder
	used := 0
	for i, item := range items {
		if i+1 < len(items) {
			item += ","
		}
		n := utf8.RuneCountInString(item)
		switch {
		case i > 0 && used+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			used = 0
		case i > 0:
			b.WriteString(" ")
			used++
		}
		b.WriteString(item)
		used += n
	}
	return b.String()
}
