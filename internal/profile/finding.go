package profile

import (
	"fmt"
	"math"

	"boost/dataset"
)

// Code names a kind of finding.
type Code string

// The codes of findings, in the order in which they are listed.
const (
	Mixed         Code = "mixed"          // is neither clearly numbers nor clearly text
	Leak          Code = "leak"           // predicts the label almost perfectly by itself
	Empty         Code = "empty"          // has no value in any row
	Constant      Code = "constant"       // has one value only
	MostlyMissing Code = "mostly_missing" // has no value in 95 % of the rows or more
	Counter       Code = "counter"        // counts the rows in equal steps
	IDLike        Code = "id_like"        // whole numbers or names that hardly ever repeat
	Duplicate     Code = "duplicate"      // equals an earlier column in every row
	Renamed       Code = "renamed"        // equals an earlier column after renaming its values one to one
	Infinite      Code = "infinite"       // has infinite cells
	Sentinel      Code = "sentinel"       // repeats a number such as -999 that lies far from all its others
	Dates         Code = "dates"          // dates or times, as seconds since 1970 UTC
	ZeroInflated  Code = "zero_inflated"  // is 0 in half of the rows or more, at most 99 %, and else varied
	Skewed        Code = "skewed"         // is varied, no more than 99 % zeros, and has a skewness beyond ±10
)

// Codes lists them in that order.
var Codes = []Code{
	Mixed, Leak, Empty, Constant, MostlyMissing, Counter, IDLike, Duplicate, Renamed, Infinite, Sentinel, Dates, ZeroInflated, Skewed,
}

const (
	mostlyMissing   = 0.95
	minCounterRows  = 10
	minIDRows       = 50
	idLikeShare     = 0.95 // of whole numbers
	minNamedRows    = 100  // above it, text of which more than half differs is names: training's own rule
	mostlyZero      = 0.5
	sparseZero      = 0.99
	minVaried       = 10
	extremeSkewness = 10
)

// Finding is something about a column that one should know before training.
type Finding struct {
	Code    Code     `json:"code"`
	Column  string   `json:"column"`
	Other   *string  `json:"other"`   // of duplicate and renamed: the column that this one equals
	Value   *float64 `json:"value"`   // the figure that decided; its meaning depends on the code
	Message string   `json:"message"` // for people, without the column's name
}

// findings lists what is odd, by code and then in the order of the columns.
func (s *profiler) findings(p Params, repeats []same) []Finding {
	// They are counted first: of a million columns each may have one, and a slice that grows takes
	// twice its size.
	counts := map[Code]int{}
	s.eachFinding(p, repeats, func(code Code, _ string, _ float64, _ string, _ ...any) *Finding {
		counts[code]++
		return new(Finding)
	})
	next, total := map[Code]int{}, 0
	for _, code := range Codes {
		next[code] = total
		total += counts[code]
	}
	list, messages := make([]Finding, total), map[Code]string{}
	s.eachFinding(p, repeats, func(code Code, column string, value float64, format string, args ...any) *Finding {
		text := fmt.Sprintf(format, args...)
		if text != messages[code] { // often the columns of one kind have one message
			messages[code] = text
		}
		f := &list[next[code]]
		*f = Finding{Code: code, Column: column, Value: finite(value), Message: messages[code]}
		next[code]++
		return f
	})
	return list
}

type adder func(code Code, column string, value float64, format string, args ...any) *Finding

// eachFinding adds what is odd in any order of the codes, by each in the order of the columns.
func (s *profiler) eachFinding(p Params, repeats []same, add adder) {
	names := s.table.Columns()
	for _, odd := range s.table.Mixed() {
		add(Mixed, odd.Column, math.NaN(), "%v", odd)
	}
	for i := range s.columns {
		s.ofValues(names[i].Name(), s.columns[i], add)
		s.ofPlace(names[i].Name(), s.columns[i], p, add)
	}
	for _, pair := range repeats {
		code, words := Duplicate, "equals %q in every row"
		if pair.renamed {
			code, words = Renamed, "equals %q after renaming its values"
		}
		other := names[pair.first].Name()
		add(code, names[pair.column].Name(), math.NaN(), words, other).Other = &other
	}
}

// ofValues finds what lies in the column's values.
func (s *profiler) ofValues(name string, c *column, add adder) {
	o := c.out
	rows := s.table.NumRows()
	switch {
	case rows == 0:
		return
	case o.Distinct == 0:
		add(Empty, name, 1, "has no value in any row")
		return
	case o.Distinct == 1:
		where := ""
		if o.Missing > 0 {
			where = " where it has a value"
		}
		add(Constant, name, math.NaN(), "is always %s%s", c.onlyValue(), where)
	case o.MissingShare >= mostlyMissing:
		add(MostlyMissing, name, o.MissingShare, "has a value in %d of %d rows", rows-o.Missing, rows)
	}
	if o.Infinite != nil && *o.Infinite > 0 {
		add(Infinite, name, float64(*o.Infinite), "is infinite in %d of %d rows", *o.Infinite, rows)
	}
	if s := c.sentinel; s != nil {
		add(Sentinel, name, s.value, "%v", s)
	}
	if o.Dates != nil && *o.Dates {
		add(Dates, name, math.NaN(), "is dates, read as seconds since 1970 UTC")
	}
	if o.Zeros == nil || o.Distinct <= minVaried {
		return
	}
	share := float64(*o.Zeros) / float64(rows)
	if share > sparseZero {
		return // that sparse columns are mostly zero is what they are for
	}
	if share >= mostlyZero {
		add(ZeroInflated, name, share, "is 0 in %.0f %% of the rows", 100*share)
	}
	if math.Abs(c.skewness) > extremeSkewness {
		add(Skewed, name, c.skewness, "has a skewness of %.3g", c.skewness)
	}
}

// onlyValue words a constant.
func (c *column) onlyValue() string {
	switch {
	case c.only != "":
	case len(c.out.Levels) > 0:
		c.only = fmt.Sprintf("%q", c.out.Levels[0].Name)
	case c.out.Min != nil:
		c.only = dataset.FormatNumber(*c.out.Min)
	default:
		c.only = "one value"
	}
	return c.only
}

// ofPlace finds what the column is among the others and beside the label.
func (s *profiler) ofPlace(name string, c *column, p Params, add adder) {
	o := c.out
	if o.LabelScore.Leaks() {
		add(Leak, name, o.LabelScore.Value, "predicts %q almost perfectly by itself (%s %.4f)", p.Label, o.LabelScore.Measure, o.LabelScore.Value)
	}
	present := s.table.NumRows() - o.Missing
	if name == p.Label || o.Role != dataset.Feature.String() || present < minCounterRows {
		return
	}
	share := float64(o.Distinct) / float64(present)
	whole := o.Whole != nil && *o.Whole && !*o.Dates
	switch {
	case c.counter:
		add(Counter, name, share, "counts the rows")
	case whole && present >= minIDRows && share >= idLikeShare && o.Distinct > 1,
		o.Kind == "category" && s.table.NumRows() > minNamedRows && share > 0.5:
		add(IDLike, name, share, "has %d different values in %d rows", o.Distinct, present)
	}
}
