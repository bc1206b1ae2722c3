package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"boost/configs"
	"boost/dataset"
	"boost/parallel"
)

// survey is what inspect says about a table.
type survey struct {
	What     string         `json:"what"`
	File     string         `json:"file"`
	Rows     int            `json:"rows"`
	Skipped  int            `json:"skipped_rows"`
	Columns  []columnSurvey `json:"columns"`
	Problems []string       `json:"problems"` // what keeps the table from being trained on
	Notes    []string       `json:"notes"`

	table  *dataset.Table
	config *configs.Config
}

// columnSurvey is one column of it.
type columnSurvey struct {
	Name     string        `json:"name"`
	Kind     string        `json:"kind"` // "number", "category" or "text"
	Missing  int           `json:"missing"`
	Distinct int           `json:"distinct"`
	Min      *float64      `json:"min,omitempty"`
	Max      *float64      `json:"max,omitempty"`
	Mean     *float64      `json:"mean,omitempty"`
	Levels   []levelSurvey `json:"levels,omitempty"` // the most frequent ones
}

type levelSurvey struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
}

// surveyTable reads a table leniently and looks at every column.
func (a *app) surveyTable(ctx context.Context, file string, in *reading) (*survey, error) {
	c, err := in.config(a, append(slices.Clone(readingKeys), typeKeys...))
	if err != nil {
		return nil, err
	}
	opts := append(formatOptions(c), dataset.LenientTypes(), dataset.ID(c.Data.ID...), dataset.Ignore(c.Data.Ignore...),
		dataset.Categorical(c.Data.Categorical...))
	if in.noSpool {
		opts = append(opts, dataset.NoSpool())
	}
	t, err := a.open(ctx, []string{file}, opts...)
	if err != nil {
		return nil, err
	}
	s := &survey{
		What: "table", File: file, Rows: t.NumRows(), Skipped: t.Skipped(), Columns: make([]columnSurvey, len(t.Columns())),
		Problems: []string{}, Notes: notesOf(t), table: t, config: c,
	}
	if s.Notes == nil {
		s.Notes = []string{} // a list in JSON, also where it is empty
	}
	for _, p := range t.Mixed() {
		s.Problems = append(s.Problems, p.Error())
	}
	pool := a.pool(0)
	defer pool.Close()
	err = pool.DoContext(ctx, len(s.Columns), parallel.Func(func(_, i int) { s.Columns[i] = surveyColumn(t.Columns()[i]) }))
	return s, err
}

func surveyColumn(c *dataset.Column) columnSurvey {
	s := columnSurvey{Name: c.Name(), Missing: c.Missing()}
	switch c.Kind() {
	case dataset.Category:
		s.Kind = "category"
		s.Levels, s.Distinct = frequentLevels(c)
	case dataset.Text:
		s.Kind = "text"
		seen := map[string]bool{}
		for row := range c.Len() {
			if text := c.Text(row); text != "" {
				seen[text] = true
			}
		}
		s.Distinct = len(seen)
	default:
		s.Kind = "number"
		s.number(presentNumbers(c))
	}
	return s
}

// presentNumbers returns the values of a numeric column that are not missing.
func presentNumbers(c *dataset.Column) []float64 {
	values := make([]float64, 0, c.Len())
	if c.Kind() == dataset.Float32 {
		for _, v := range c.Float32s() {
			if v == v {
				values = append(values, float64(v))
			}
		}
		return values
	}
	for _, v := range c.Float64s() {
		if v == v {
			values = append(values, v)
		}
	}
	return values
}

func (s *columnSurvey) number(values []float64) {
	if len(values) == 0 {
		return
	}
	sum := 0.0
	for _, v := range values {
		sum += v / float64(len(values))
	}
	slices.Sort(values)
	s.Min, s.Max, s.Mean = jsonNumber(values[0]), jsonNumber(values[len(values)-1]), jsonNumber(sum)
	s.Distinct = 1
	for i := 1; i < len(values); i++ {
		if values[i] != values[i-1] {
			s.Distinct++
		}
	}
}

// frequentLevels returns the five most frequent levels, and how many there are.
func frequentLevels(c *dataset.Column) ([]levelSurvey, int) {
	levels := make([]levelSurvey, len(c.Levels()))
	for i, name := range c.Levels() {
		levels[i].Name = name
	}
	for _, code := range c.Codes() {
		if code >= 0 {
			levels[code].Rows++
		}
	}
	levels = slices.DeleteFunc(levels, func(l levelSurvey) bool { return l.Rows == 0 })
	slices.SortStableFunc(levels, func(a, b levelSurvey) int { return b.Rows - a.Rows })
	return levels[:min(5, len(levels))], len(levels)
}

// write prints the survey for people.
func (s *survey) write(w io.Writer) error {
	rows := [][]string{{"column", "type", "missing", "distinct", "values"}}
	for i := range s.Columns {
		c := &s.Columns[i]
		missing := ""
		if c.Missing > 0 {
			missing = percent(c.Missing, s.Rows)
		}
		rows = append(rows, []string{shorten(oneLine(c.Name), 60), c.Kind, missing, count(c.Distinct), c.values()})
	}
	if _, err := fmt.Fprintf(w, "%s  %s, %s\n\n", oneLine(s.File), counted(s.Rows, "row"), counted(len(s.Columns), "column")); err != nil {
		return err
	}
	if err := writeTable(w, rows, "llrrl"); err != nil {
		return err
	}
	for _, p := range s.Problems {
		if _, err := fmt.Fprintf(w, "\nproblem: %s\n", p); err != nil {
			return err
		}
	}
	return nil
}

// values words what is in a column.
func (c *columnSurvey) values() string {
	switch {
	case c.Distinct == 0:
		return "none"
	case c.Kind == "number" && c.Distinct == 1:
		return "always " + numberText(c.Min)
	case c.Kind == "number":
		return numberText(c.Min) + " … " + numberText(c.Max) + ", mean " + numberText(c.Mean)
	}
	var names []string
	for _, l := range c.Levels {
		names = append(names, shorten(oneLine(l.Name), 20))
	}
	text := strings.Join(names, ", ")
	if c.Distinct > len(c.Levels) && len(c.Levels) > 0 {
		text += ", …"
	}
	return shorten(text, 70)
}

func numberText(v *float64) string {
	if v == nil {
		return "±Inf"
	}
	return sixDigits(*v)
}

// percent words a share, never as 0 % where there is something.
func percent(part, whole int) string {
	p := 100 * float64(part) / float64(max(whole, 1))
	if p < 0.1 {
		return "< 0.1 %"
	}
	return strconv.FormatFloat(math.Floor(p*10)/10, 'f', 1, 64) + " %"
}

func shorten(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most-1]) + "…"
}
