package dataset

import (
	"fmt"
	"math"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/queries"
)

// Groups returns the rows at which the queries begin, and the number of rows behind
// them: query q holds the rows Groups()[q] to Groups()[q+1]. It returns nil for a table
// without a group column. A row without a query, a query whose number float64 may have rounded, and one whose rows do not stand
// together, are errors that name the row.
func (t *Table) Groups() ([]int, error) {
	c := t.withRole(GroupRole)
	if c == nil {
		return nil, nil
	}
	if err := t.checkExact(c, "a query"); err != nil {
		return nil, err
	}
	starts, bad := queries.Starts(t.rows, c.query)
	switch {
	case bad == nil:
		return starts, nil
	case bad.First < 0:
		return nil, t.badNumber(c, bad.Row, "a query, and every row needs one", "")
	}
	e := t.badNumber(c, bad.Row, "", "sort the table by this column, or read it into memory: data.out_of_core = \"false\"")
	first := ParseError{}
	t.locations.Mark(&first, bad.First)
	e.Want = fmt.Sprintf("one query in one place: its rows begin in %s %d, and others stand between", first.Unit(), first.Line)
	return nil, e
}

// Positions returns where each row was shown in its query, nil for a table without a column of that role.
func (t *Table) Positions() ([]float64, error) {
	c := t.withRole(PositionRole)
	if c == nil {
		return nil, nil
	}
	positions := make([]float64, t.rows)
	for row := range positions {
		v := math.NaN()
		if c.kind.Numeric() {
			v = c.number(row)
		}
		if v != v || math.IsInf(v, 0) {
			return nil, t.badNumber(c, row, "a position, a finite number, and every row needs one", "")
		}
		positions[row] = v
	}
	return positions, nil
}

// ByQuery returns the table with the rows of each query together, queries and their rows in the order in which they first appear,
// and which rows of this table these are; the table itself and nil where they stand so, and where there are no queries or a row has
// none.
func (t *Table) ByQuery() (gathered *Table, rows []int32) {
	c := t.withRole(GroupRole)
	if c == nil {
		return t, nil
	}
	if rows = queries.Gather(t.rows, c.query); rows == nil { // Groups says which row has no query
		return t, nil
	}
	return t.Take(rows), rows
}

// checkExact returns an error about the first number of a column of names that float64 may have rounded to that of another one.
func (t *Table) checkExact(c *Column, what string) error {
	for row := range c.rows {
		if math.Abs(c.number(row)) >= chunk.ExactWhole {
			return t.badNumber(c, row, "the number of "+what+", below 2⁵³, as 64-bit floats do not tell larger ones apart", fmt.Sprintf("set categorical = [%q] to use the column as text", c.name))
		}
	}
	return nil
}

// query returns a number that is the same for rows of one query, and false for a row
// without one.
func (c *Column) query(row int) (uint64, bool) {
	if c.kind == Category {
		code := c.Codes()[row]
		return uint64(code), code >= 0
	}
	v := c.number(row)
	if v == 0 {
		v = 0 // −0 is the same query
	}
	return math.Float64bits(v), v == v
}

// mostScore is half of what float32 holds, as for labels: a gradient may be their difference.
const mostScore = 1.7e38

// InitScores returns the raw scores that training starts from, rows × outputs,
// row-major, and the number of outputs; nil and 0 for a table without such columns. A
// score that is missing, infinite or above 1.7e38 is an error that names its row.
func (t *Table) InitScores() (scores []float64, outputs int, err error) {
	var columns []*Column
	for _, c := range t.columns {
		if c.role == InitScoreRole {
			columns = append(columns, c)
		}
	}
	if len(columns) == 0 {
		return nil, 0, nil
	}
	scores = make([]float64, t.rows*len(columns))
	for k, c := range columns {
		for row := range t.rows {
			v := math.NaN()
			if c.kind.Numeric() {
				v = c.number(row)
			}
			if v != v || math.IsInf(v, 0) {
				return nil, 0, t.badNumber(c, row, "an init score: a finite number", "")
			}
			if math.Abs(v) > mostScore {
				return nil, 0, t.badNumber(c, row, "an init score: a number up to 1.7e38", "")
			}
			scores[row*len(columns)+k] = v
		}
	}
	return scores, len(columns), nil
}
