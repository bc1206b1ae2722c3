package profile

import (
	"context"
	"slices"
	"sync/atomic"

	"boost/dataset"
	"boost/internal/rng"
	"boost/parallel"
)

// Params says what a profile is taken for.
type Params struct {
	Label   string // column to be predicted; empty for none
	Classes bool   // the label names classes; otherwise it holds quantities
}

// Profile is what Of finds in a table.
type Profile struct {
	Rows          int       `json:"rows"`
	DuplicateRows int       `json:"duplicate_rows"` // rows that repeat an earlier one in all columns, ids left out
	Label         *string   `json:"label"`          // as it was given to Of
	Columns       []Column  `json:"columns"`
	Findings      []Finding `json:"findings"` // by code, then in the order of the columns
}

// Column describes one column. Columns in which no cell is stored share their figures: a table
// may have a million of them. In the JSON of inspect the figures are keys of the column.
type Column struct {
	Name string `json:"name"`
	*Figures
}

// Figures are what is said of a column's values. Those that a column has not, or that are no
// finite numbers, are nil.
type Figures struct {
	Kind         string  `json:"kind"` // number, category or text
	Role         string  `json:"role"` // feature, label, weight, id, …
	Missing      int     `json:"missing"`
	MissingShare float64 `json:"missing_share"` // of the rows, 0 … 1
	Distinct     int     `json:"distinct"`      // different values, a missing one not counted

	// Of numbers: quantiles interpolate linearly between the two nearest values.
	Min      *float64 `json:"min"`
	Q01      *float64 `json:"q01"`
	Q25      *float64 `json:"q25"`
	Median   *float64 `json:"q50"`
	Q75      *float64 `json:"q75"`
	Q99      *float64 `json:"q99"`
	Max      *float64 `json:"max"`
	Mean     *float64 `json:"mean"`
	Zeros    *int     `json:"zeros"`
	Infinite *int     `json:"infinite"`          // cells that are +Inf or -Inf
	Negative *int     `json:"negative_infinite"` // those of them that are -Inf
	Whole    *bool    `json:"whole"`             // every value is a whole number
	Dates    *bool    `json:"dates"`             // dates or times, read as seconds since 1970 UTC

	// Of categories: the most frequent levels, at most ten.
	Levels []Level `json:"levels"`

	// LabelScore tells how well this column alone predicts the label.
	LabelScore *Score `json:"label_score"`
}

// Level is one level of a category.
type Level struct {
	Name  string  `json:"name"`
	Rows  int     `json:"rows"`
	Share float64 `json:"share"` // of the rows that are not missing, 0 … 1
}

// column is what the stages hand on about one column.
type column struct {
	out      *Figures
	source   *dataset.Column // the first of those that share the figures
	valued   uint64          // hash of the values by row
	pattern  uint64          // hash of how often the values occur, whichever they are
	classes  int             // different values, a missing one counted
	counter  bool            // the rows are counted in equal steps
	skewness float64
	sentinel *sentinel // nil without one
	only     string    // words a constant
}

// Of profiles a table. It takes every row into account, and beside the table the memory
// of a sorted column or two per worker. The result does not depend on the number of
// workers. The error is that of the context.
func Of(ctx context.Context, t *dataset.Table, p Params, pool *parallel.Pool) (*Profile, error) {
	columns := t.Columns()
	s := &profiler{
		table: t, target: newTarget(t, p), rowHashes: make([]uint64, t.NumRows()),
		columns: make([]*column, len(columns)), scratch: make([]scratch, pool.Threads()), dates: map[string]bool{},
	}
	for _, name := range t.Dates() {
		s.dates[name] = true
	}
	out := &Profile{Rows: t.NumRows(), Columns: make([]Column, len(columns))}
	if p.Label != "" {
		out.Label = &p.Label
	}
	empty := map[emptyKind]*column{}
	for i, c := range columns {
		kind, share := s.emptyKindOf(c)
		at := empty[kind]
		if !share || at == nil {
			at = &column{out: new(Figures), source: c}
			s.work = append(s.work, i)
		}
		if share {
			empty[kind] = at
		}
		s.columns[i], out.Columns[i] = at, Column{Name: c.Name(), Figures: at.out}
	}
	if err := pool.DoContext(ctx, len(s.work), s); err != nil {
		return nil, err
	}
	s.scratch = nil
	out.DuplicateRows = repeated(s.rowHashes)
	same, err := s.sameColumns(ctx, pool)
	if err != nil {
		return nil, err
	}
	out.Findings = s.findings(p, same)
	return out, nil
}

// profiler is one call of Of.
type profiler struct {
	table     *dataset.Table
	target    *target // nil without a label that can be predicted
	columns   []*column
	work      []int // indices of the columns to be looked at, one of those that share their figures
	dates     map[string]bool
	rowHashes []uint64 // sum over the columns of a mix of (column, value)
	scratch   []scratch
}

// emptyKind is what tells columns without stored cells apart.
type emptyKind struct {
	role    dataset.Role
	missing bool // every cell is missing; otherwise every cell is 0
}

// emptyKindOf reports whether a column has no stored cell, so that its figures are those of
// every other one of its kind.
func (s *profiler) emptyKindOf(c *dataset.Column) (kind emptyKind, ok bool) {
	cells := c.Sparse()
	if cells == nil || c.Kind() != dataset.Float32 || cells.Len() > 0 || s.dates[c.Name()] || s.target != nil && c.Name() == s.target.name {
		return emptyKind{}, false
	}
	return emptyKind{c.Role(), cells.FillMissing()}, true
}

// scratch is one worker's memory.
type scratch struct {
	narrow, narrowSpare []uint32
	wide, wideSpare     []uint64
	chunk               chunk
	tally               tally
}

// Run describes one column.
func (s *profiler) Run(worker, i int) {
	index := s.work[i]
	c := s.columns[index]
	rows := s.table.NumRows()
	*c.out = Figures{Role: c.source.Role().String(), Missing: c.source.Missing()}
	if rows > 0 {
		c.out.MissingShare = float64(c.out.Missing) / float64(rows)
	}
	switch c.source.Kind() {
	case dataset.Category:
		c.out.Kind = "category"
		s.category(c, index, &s.scratch[worker])
	case dataset.Text:
		c.out.Kind = "text"
		s.text(c)
	default:
		c.out.Kind = "number"
		s.number(c, index, &s.scratch[worker])
	}
}

// missingBits stand for a missing value among hashed values: a NaN that no column holds.
const missingBits = 0x7FF8_6D69_7373_696E

// addCells takes the chunk's values into the column's hash and into those of the rows.
// bits are the values' bits; the column's implicit value is none of them.
func (s *profiler) addCells(c *column, index int, rows []int32, bits []uint64) {
	key := rng.Mix(uint64(index) + 1)
	for i, row := range rows {
		c.valued += rng.Mix(rng.Mix(bits[i]) + uint64(row)*0x9E3779B97F4A7C15)
		// The sum is the same in every order, so workers may add to it at once.
		atomic.AddUint64(&s.rowHashes[row], rng.Mix(rng.Mix(bits[i]+key)+key))
	}
}

// repeated counts the hashes that occurred before.
func repeated(hashes []uint64) int {
	slices.Sort(hashes)
	n := 0
	for i := 1; i < len(hashes); i++ {
		if hashes[i] == hashes[i-1] {
			n++
		}
	}
	return n
}
