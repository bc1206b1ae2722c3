package setting

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"boost/internal/near"
)

// Setting describes one parameter.
type Setting struct {
	Name    string   // "section.key"
	Value   any      // pointer to the field
	Doc     string   // what it does, in one line
	Aliases []string // names in LightGBM, XGBoost, CatBoost and scikit-learn

	Choices []string // texts: what it may be; none for anything
	// Canonical returns the usual form of a choice, which may carry an argument after an @; nil where none does.
	Canonical func(choice string) (string, error)

	Optional bool  // texts with choices: "" is allowed too, for none of them
	Range    Range // numbers: the zero value is 0 or more
	NoLimit  bool  // numbers: 0 means no limit, and so does -1 in a config
	One      bool  // lists of texts: most have one, which is written as a text
	Path     bool  // texts: names of files
	Share    bool  // numbers: a part of a whole, which may be written in percent

	NotZero string // numbers whose zero stands for a default: why a config that means it may not say 0, and what to do

	Run         bool // it cannot change the bytes of a model, and is not stored in it
	OmitDefault bool // a model does not store the default, so that it has the bytes of models before this parameter
}

// Section returns the part of the name before the dot.
func (s *Setting) Section() string { section, _, _ := strings.Cut(s.Name, "."); return section }

// Leaf returns the part of the name after the dot.
func (s *Setting) Leaf() string { _, leaf, _ := strings.Cut(s.Name, "."); return leaf }

// Allowed returns what the setting may be in words, "" for all values of its type.
func (s *Setting) Allowed() string {
	if len(s.Choices) > 0 {
		return strings.Join(quoted(s.Choices), ", ")
	}
	switch s.Value.(type) {
	case *int, *int64, *uint64, *float64, *[]float64, *time.Duration, *map[string]int, *map[string]float64:
		return s.Range.String()
	}
	return ""
}

// Check returns what is wrong with the values of the settings. Lists and cuts are left to those
// who know the columns and metrics that they name.
func Check(settings []Setting) []error {
	var problems []error
	for i := range settings {
		problems = append(problems, settings[i].check()...)
	}
	return problems
}

func (s *Setting) check() []error {
	switch p := s.Value.(type) {
	case *string:
		if len(s.Choices) > 0 && !(*p == "" && s.Optional) && !slices.Contains(s.Choices, *p) {
			return []error{fmt.Errorf("%s = %q: must be %s", s.Name, *p, near.Or(quoted(s.Choices)))}
		}
	case *map[string]int:
		var problems []error
		for _, name := range slices.Sorted(maps.Keys(*p)) {
			problems = append(problems, s.within(float64((*p)[name]), fmt.Sprintf(" of column %q = %d", name, (*p)[name]))...)
		}
		return problems
	case *map[string]float64:
		var problems []error
		of := "column"
		if s.Section() == "objective" {
			of = "class"
		}
		for _, name := range slices.Sorted(maps.Keys(*p)) {
			problems = append(problems, s.within((*p)[name], fmt.Sprintf(" of %s %q = %v", of, name, (*p)[name]))...)
		}
		return problems
	case *int:
		return s.within(float64(*p), fmt.Sprintf(" = %d", *p))
	case *int64:
		return s.within(float64(*p), fmt.Sprintf(" = %d", *p))
	case *uint64:
		return s.within(float64(*p), fmt.Sprintf(" = %d", *p))
	case *float64:
		return s.within(*p, fmt.Sprintf(" = %v", *p))
	case *[]float64:
		var problems []error
		for _, v := range *p {
			problems = append(problems, s.within(v, fmt.Sprintf(" holds %v", v))...)
		}
		return problems
	case *time.Duration:
		return s.within(p.Seconds(), fmt.Sprintf(" = %v", *p))
	}
	return nil
}

// within returns the error about a number that is out of range.
func (s *Setting) within(v float64, shown string) []error {
	if s.Range.Contains(v) {
		return nil
	}
	return []error{fmt.Errorf("%s%s: must be %v", s.Name, shown, s.Range)}
}

// Range bounds a number. The zero value is 0 or more. Numbers are finite in every range.
type Range struct {
	least, most float64
	above       bool // the smallest value itself is not allowed
	below       bool // the largest value itself is not allowed
	bounded     bool // there is a largest value
}

// AtLeast is least or more.
func AtLeast(least float64) Range { return Range{least: least} }

// Between is least to most, both included.
func Between(least, most float64) Range { return Range{least: least, most: most, bounded: true} }

// Above is more than least, up to most.
func Above(least, most float64) Range {
	return Range{least: least, most: most, above: true, bounded: true}
}

// Below is least or more, and less than most.
func Below(least, most float64) Range {
	return Range{least: least, most: most, below: true, bounded: true}
}

// Inside is more than least, and less than most.
func Inside(least, most float64) Range {
	return Range{least: least, most: most, above: true, below: true, bounded: true}
}

// Contains reports whether v is a number of the range.
func (r Range) Contains(v float64) bool {
	return v >= r.least && !math.IsInf(v, 0) && !(r.above && v == r.least) &&
		!(r.bounded && v > r.most) && !(r.below && v == r.most)
}

// String returns the range in words.
func (r Range) String() string {
	low := "≥ " + groupDigits(r.least)
	if r.above {
		low = "> " + groupDigits(r.least)
	}
	switch {
	case !r.bounded:
		return low
	case r.above && r.below:
		return low + ", < " + groupDigits(r.most)
	case r.above:
		return low + ", ≤ " + groupDigits(r.most)
	case r.below:
		return low + ", < " + groupDigits(r.most)
	}
	return groupDigits(r.least) + " … " + groupDigits(r.most)
}

// groupDigits writes whole numbers from 10,000 on with commas.
func groupDigits(v float64) string {
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if len(s) < 5 || strings.Contains(s, ".") {
		return s
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func quoted(words []string) []string {
	q := make([]string, len(words))
	for i, word := range words {
		q[i] = strconv.Quote(word)
	}
	return q
}
