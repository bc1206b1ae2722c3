package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"boost/booster"
	"boost/dataset"
	"boost/internal/rng"
	"boost/objectives"
)

// Fold is rows to train on and rows to judge on, each ascending.
type Fold struct{ Train, Valid []int32 }

// Division says how a table is divided into folds.
type Division struct {
	Folds   int  // at least 2
	Repeats int  // of all of it, with other draws; 0 = 1
	Plain   bool // rows of classes are not spread evenly
	// GroupBy is a column whose values name rows that stay together; "" = the queries of the table, where it has any.
	GroupBy string
	// Time is a column of numbers in whose order rows are divided: each fold is judged on rows after those that
	// it is trained on. "" = none.
	Time string
	// Sliding trains each fold of Time on the block before the one it is judged on, not on all blocks before.
	Sliding bool
	Seed    uint64
}

// The words for how rows were divided.
const (
	ByRows    = "rows"
	ByClass   = "stratified"
	ByGroup   = "grouped"
	ByTime    = "expanding"
	BySliding = "sliding"
)

// Divide returns the folds of a table, repeat by repeat, and the word for how they came about. They follow
// from the seed and the numbers of the rows alone. objective is "" for one that the label decides. Errors wrap
// booster.ErrParams or dataset.ErrTable.
func (d Division) Divide(t *dataset.Table, objective string) (folds []Fold, by string, err error) {
	n := t.NumRows()
	switch {
	case d.Folds < 2:
		return nil, "", fmt.Errorf("%w: cross-validation needs 2 folds or more, not %d", booster.ErrParams, d.Folds)
	case d.Repeats < 0:
		return nil, "", fmt.Errorf("%w: %d repeats of cross-validation", booster.ErrParams, d.Repeats)
	case d.Time == "" && d.Sliding:
		return nil, "", fmt.Errorf("%w: a sliding window is of time: name the column that rows are ordered by", booster.ErrParams)
	case d.Time != "" && (d.GroupBy != "" || d.Repeats > 1):
		return nil, "", fmt.Errorf("%w: folds in the order of time are neither grouped nor repeated: leave one of them out", booster.ErrParams)
	}
	groups, err := d.groups(t)
	if err != nil {
		return nil, "", err
	}
	if d.Time != "" {
		if groups != nil {
			return nil, "", fmt.Errorf("%w: folds in the order of time do not keep queries together", booster.ErrParams)
		}
		return d.byTime(t)
	}
	var classes []float64
	by = ByGroup
	if groups == nil {
		by = ByRows
		if classes, err = d.classes(t, objective); err != nil {
			return nil, "", err
		}
		if classes != nil {
			by = ByClass
		}
	}
	units := n
	if groups != nil {
		units = int(slices.Max(groups)) + 1
	}
	if units < d.Folds {
		return nil, "", fmt.Errorf("%w: %d folds of %d %s: take fewer", dataset.ErrTable, d.Folds, units, map[bool]string{true: "rows", false: "groups"}[groups == nil])
	}
	for repeat := range max(d.Repeats, 1) {
		key := rng.Key(d.Seed, rng.Folds, uint64(repeat), 0)
		of := make([]int32, n) // fold by row
		if groups != nil {
			d.dealGroups(of, groups, units, key)
		} else {
			d.deal(of, classes, key)
		}
		folds = append(folds, foldsOf(of, d.Folds)...)
	}
	return folds, by, nil
}

// deal spreads rows over folds in the order of their draws, class by class.
func (d Division) deal(of []int32, classes []float64, key uint64) {
	rows := upTo(len(of))
	slices.SortFunc(rows, func(a, b int32) int {
		order := 0
		if classes != nil {
			order = cmp.Compare(classes[a], classes[b])
		}
		return cmp.Or(order, cmp.Compare(rng.Draw(key, uint64(a)), rng.Draw(key, uint64(b))), cmp.Compare(a, b))
	})
	for i, row := range rows {
		of[row] = int32(i % d.Folds)
	}
}

// upTo returns 0 … n-1.
func upTo(n int) []int32 {
	numbers := make([]int32, n)
	for i := range numbers {
		numbers[i] = int32(i)
	}
	return numbers
}

// dealGroups gives each group, in the order of their draws, to the fold that has the fewest rows so far.
func (d Division) dealGroups(of []int32, groups []int32, units int, key uint64) {
	sizes, order := make([]int, units), upTo(units)
	for _, g := range groups {
		sizes[g]++
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(rng.Draw(key, uint64(a)), rng.Draw(key, uint64(b))), cmp.Compare(a, b))
	})
	rows, foldOf := make([]int, d.Folds), make([]int32, units)
	for _, g := range order {
		least := 0
		for f := range rows {
			if rows[f] < rows[least] {
				least = f
			}
		}
		foldOf[g] = int32(least)
		rows[least] += sizes[g]
	}
	for row, g := range groups {
		of[row] = foldOf[g]
	}
}

// foldsOf lists the rows of each fold and those of all others.
func foldsOf(of []int32, k int) []Fold {
	folds := make([]Fold, k)
	for row, f := range of {
		for i := range folds {
			if int32(i) == f {
				folds[i].Valid = append(folds[i].Valid, int32(row))
			} else {
				folds[i].Train = append(folds[i].Train, int32(row))
			}
		}
	}
	return folds
}

// classes returns the class of each row, nil where there are none to be spread.
func (d Division) classes(t *dataset.Table, objective string) ([]float64, error) {
	if d.Plain || len(t.LabelColumns()) != 1 {
		return nil, nil
	}
	if objective == "" {
		name, _, err := booster.InferObjective(t)
		if err != nil {
			return nil, err
		}
		objective = name
	}
	if info, ok := objectives.Lookup(objective); !ok || !info.HasClasses() {
		return nil, nil
	}
	names, numeric := dataset.ClassesOf(t.LabelColumn())
	return t.EncodeLabels(names, numeric)
}

// groups numbers the rows that stay together alike, from 0; nil for each by itself.
func (d Division) groups(t *dataset.Table) ([]int32, error) {
	numbers := make([]int32, t.NumRows())
	queries, err := t.Groups()
	if err != nil {
		return nil, err
	}
	if d.GroupBy == "" {
		if queries == nil {
			return nil, nil
		}
		for q := range len(queries) - 1 {
			for row := queries[q]; row < queries[q+1]; row++ {
				numbers[row] = int32(q)
			}
		}
		return numbers, nil
	}
	c := t.Column(d.GroupBy)
	switch {
	case c == nil && slices.Contains(t.Dropped(), d.GroupBy):
		return nil, fmt.Errorf("%w: column %q, whose rows are to stay together, was left out of the features as text: set id = [%[2]q] to keep it beside them", dataset.ErrTable, d.GroupBy)
	case c == nil:
		return nil, fmt.Errorf("%w: there is no column %q whose rows are to stay together", dataset.ErrTable, d.GroupBy)
	}
	known := map[string]int32{}
	for row := range numbers {
		if c.Kind().Numeric() && math.Abs(numberOf(c, row)) >= 1<<53 {
			return nil, fmt.Errorf("%w: column %q, whose rows are to stay together, has numbers from 2⁵³ on, which 64-bit floats do not tell apart: set id = [%[2]q] to read it as text", dataset.ErrTable, d.GroupBy)
		}
		text := textOf(c, row)
		number, ok := known[text]
		if !ok {
			number = int32(len(known))
			known[text] = number
		}
		numbers[row] = number
	}
	for q := range max(len(queries)-1, 0) {
		for row := queries[q] + 1; row < queries[q+1]; row++ {
			if numbers[row] != numbers[row-1] {
				return nil, fmt.Errorf("%w: %s: the rows of a query stay together, and %q, by which rows are divided, is another one than in the row before", dataset.ErrTable, t.Place(row), d.GroupBy)
			}
		}
	}
	return numbers, nil
}

// textOf returns what a cell of any kind says.
func textOf(c *dataset.Column, row int) string {
	switch c.Kind() {
	case dataset.Category:
		if code := c.Codes()[row]; code >= 0 {
			return c.Levels()[code]
		}
		return ""
	case dataset.Float32, dataset.Float64:
		return dataset.FormatNumber(numberOf(c, row))
	}
	return c.Text(row)
}

func numberOf(c *dataset.Column, row int) float64 {
	if c.Kind() == dataset.Float32 {
		return float64(c.Float32s()[row])
	}
	return c.Float64s()[row]
}

// byTime divides the rows in the order of a column into one block more than there are folds; rows of one time
// stay in one block. Fold i is judged on block i+1.
func (d Division) byTime(t *dataset.Table) ([]Fold, string, error) {
	c := t.Column(d.Time)
	switch {
	case c == nil && slices.Contains(t.Dropped(), d.Time):
		return nil, "", fmt.Errorf("%w: column %q, which rows are to be ordered by, was left out as text: read its dates by data.parse, or name it in data.id where they are ISO dates such as 2024-12-31", dataset.ErrTable, d.Time)
	case c == nil:
		return nil, "", fmt.Errorf("%w: there is no column %q that rows are ordered by", dataset.ErrTable, d.Time)
	}
	times, err := d.times(t, c)
	if err != nil {
		return nil, "", err
	}
	n := t.NumRows()
	rows := upTo(n)
	slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(times[a], times[b]) })
	ends := make([]int, d.Folds+2)
	for i := range ends {
		end := i * n / (d.Folds + 1)
		for end > 0 && end < n && times[rows[end]] == times[rows[end-1]] {
			end++
		}
		if ends[i] = end; i > 0 && end == ends[i-1] {
			return nil, "", fmt.Errorf("%w: column %q has too few different times for %d folds: take fewer", dataset.ErrTable, d.Time, d.Folds)
		}
	}
	by := ByTime
	folds := make([]Fold, d.Folds)
	for i := range folds {
		first := 0
		if d.Sliding {
			by, first = BySliding, ends[i]
		}
		folds[i] = Fold{Train: slices.Clone(rows[first:ends[i+1]]), Valid: slices.Clone(rows[ends[i+1]:ends[i+2]])}
		slices.Sort(folds[i].Train)
		slices.Sort(folds[i].Valid)
	}
	return folds, by, nil
}

// times returns numbers in the order of a column's values. Texts of an id column and of categories are all numbers, or all ISO dates.
func (d Division) times(t *dataset.Table, c *dataset.Column) ([]float64, error) {
	times := make([]float64, t.NumRows())
	wrong := func(row int, format string, args ...any) error {
		return fmt.Errorf("%w: %s: column %q, which rows are to be ordered by, %s", dataset.ErrTable, t.Place(row), d.Time, fmt.Sprintf(format, args...))
	}
	if c.Kind().Numeric() {
		for row := range times {
			if times[row] = numberOf(c, row); times[row] != times[row] {
				return nil, wrong(row, "has no value")
			}
		}
		return times, nil
	}
	number, date := "", "" // the first of each
	for row := range times {
		text := textOf(c, row)
		if text == "" {
			return nil, wrong(row, "has no value")
		}
		v, err := strconv.ParseFloat(text, 64)
		if err == nil && v == v {
			number = cmp.Or(number, text)
		} else if seconds, ok := dateOf(text); ok {
			v, date = seconds, cmp.Or(date, text)
		} else {
			return nil, wrong(row, "has %q, which is neither a number nor an ISO date: write dates as 2024-12-31 (data.parse reads other forms of a column that is no id)", text)
		}
		if times[row] = v; number != "" && date != "" {
			return nil, wrong(row, "has %q, and %q elsewhere: write numbers alone, or ISO dates alone such as 2024-12-31", text, map[bool]string{true: date, false: number}[text == number])
		}
	}
	return times, nil
}

// dateOf returns the seconds since 1970 of an ISO date or time, or of the first day of a month such as 2024-12.
func dateOf(text string) (seconds float64, ok bool) {
	if seconds, ok = dataset.SecondsOf(text); !ok {
		seconds, ok = dataset.SecondsOf(text + "-01")
	}
	return seconds, ok
}
