package source

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"boost/binning"
	"boost/dataset"
	"boost/internal/gcpercent"
	"boost/parallel"
)

// Chunked is a table in files, of which one chunk at a time is in memory, or some of its rows.
type Chunked struct {
	of   *chunkedFiles
	rows []int32 // nil for all, else ascending

	pop     binning.Population
	counted bool // pop is complete
	sample  []int32
	sampled []tablePart
	chunked *binning.Chunked
}

// chunkedFiles are the files of one table, whose parts share each pass over them.
type chunkedFiles struct {
	table   *dataset.ChunkedTable
	wide    *dataset.Schema  // with crossed columns; nil for none
	crosser *dataset.Crosser // that adds them
	whole   *Chunked
	parts   []*Chunked // that were taken; if there are any, the whole is not coded
}

// NewChunked is all rows of a table in files.
func NewChunked(s *dataset.ChunkedTable) *Chunked {
	of := &chunkedFiles{table: s}
	of.whole = &Chunked{of: of, counted: true,
		pop: binning.Population{Rows: s.NumRows(), Missing: s.Missing(), Counts: s.Counts()}}
	of.whole.pop.Stored, of.whole.pop.Fill = s.Stored()
	return of.whole
}

func (s *Chunked) MetaColumns() *dataset.Table {
	if s.rows != nil {
		return s.of.table.MetaColumns().Take(s.rows)
	}
	return s.of.table.MetaColumns()
}

func (s *Chunked) Files() *dataset.ChunkedTable { return s.of.table }

func (s *Chunked) Schema() dataset.Schema { return s.of.schema() }

func (s *Chunked) Fingerprint(*parallel.Pool) string { return s.of.table.Fingerprint() }

// As refuses a schema that needs other values, because files are read with the schema that they were
// opened with. It adds the crossed columns of the schema.
func (s *Chunked) As(schema dataset.Schema) (Source, error) {
	want, got := features(schema), features(s.of.table.Schema())
	same := slices.EqualFunc(want, got, func(a, b dataset.ColumnSchema) bool {
		return a.Name == b.Name && a.Kind.Numeric() == b.Kind.Numeric() && a.NumericLevels == b.NumericLevels &&
			len(b.Levels) >= len(a.Levels) && slices.Equal(a.Levels, b.Levels[:len(a.Levels)])
	})
	if !same {
		return nil, fmt.Errorf("%w: files that are read in chunks have to be opened with dataset.As(the training table's schema)", dataset.ErrTable)
	}
	if slices.Max(append(schema.CrossedFeatures(), 0)) > 0 {
		s.of.crossAs(widened(s.of.table.Schema(), schema))
	}
	return s, nil
}

func (s *Chunked) Take(rows []int32) Source {
	part := &Chunked{of: s.of, rows: rows, pop: binning.Population{Rows: len(rows), Fill: s.of.whole.pop.Fill, Stored: s.of.stored(len(rows))}} // the stored cells of the rows are not counted
	s.of.parts = append(s.of.parts, part)
	return part
}

func (s *Chunked) Part() []int32 { return s.rows }

// Own returns which of the rows this rank has: all, unless ranks share the files.
func (s *Chunked) Own() (lo, hi int) {
	lo, hi = s.of.table.Own()
	if s.rows != nil {
		lo, _ = slices.BinarySearch(s.rows, int32(lo))
		hi, _ = slices.BinarySearch(s.rows, int32(hi))
	}
	return lo, hi
}

// coded lists the parts that are coded.
func (s *chunkedFiles) coded() []*Chunked {
	if s.parts == nil {
		return []*Chunked{s.whole}
	}
	return s.parts
}

// tablePart is a stretch of consecutive rows.
type tablePart struct {
	first int
	table *dataset.Table
}

// within returns the part's rows of a chunk and the part's row that they begin with.
func (s *Chunked) within(first int, chunk *dataset.Table) tablePart {
	if s.rows == nil {
		return tablePart{first, chunk}
	}
	return pickRows(s.rows, first, chunk)
}

// pickRows returns those of the listed rows that lie in a chunk, and the place in the
// list of the first of them.
func pickRows(rows []int32, first int, chunk *dataset.Table) tablePart {
	lo, _ := slices.BinarySearch(rows, int32(first))
	n, _ := slices.BinarySearch(rows[lo:], int32(first+chunk.NumRows()))
	local := make([]int32, n)
	for i, row := range rows[lo : lo+n] {
		local[i] = row - int32(first)
	}
	return tablePart{lo, chunk.Take(local)}
}

// choiceBlock is the number of rows that are shown to a sample at once.
const choiceBlock = 1 << 16

// Fit takes cuts from the sampled rows that the table has kept, or goes through the files
// once for them: the rows that are held out are known only once all labels are. p.Sample must not be 0, which stands for all rows.
func (s *Chunked) Fit(ctx context.Context, weights []float64, p binning.Params, seed uint64, pool *parallel.Pool) (*binning.Cuts, []string, error) {
	choice := binning.NewSample(p.Sample, seed)
	var candidates []uint32
	for lo := 0; lo < s.pop.Rows; lo += choiceBlock {
		candidates = choice.Add(lo, min(lo+choiceBlock, s.pop.Rows), candidates[:0])
	}
	var sampledWeights []float64
	chosen := choice.Rows()
	for _, row := range chosen {
		at := int32(row)
		if s.rows != nil {
			at = s.rows[row]
		}
		s.sample = append(s.sample, at)
		if weights != nil {
			sampledWeights = append(sampledWeights, weights[row])
		}
	}
	table, err := s.sampledRows(ctx, chosen)
	if err != nil {
		return nil, nil, err
	}
	return binning.FitSampled(ctx, table, s.pop, sampledWeights, p, pool)
}

// Extend counts levels and missing cells of some rows by going through the files.
func (s *Chunked) Extend(ctx context.Context, cuts *binning.Cuts, p binning.Params) (*binning.Cuts, []string, error) {
	if !s.counted {
		if err := s.of.gather(ctx, s, s.of.coded()); err != nil {
			return nil, nil, err
		}
	}
	return cuts.Extend(s.Schema(), s.pop, p)
}

// sampledRows returns the features of s.sample, which are the chosen rows of the source.
func (s *Chunked) sampledRows(ctx context.Context, chosen []uint32) (*dataset.Table, error) {
	// Kept lets go of the rows in any case.
	if rows, kept := s.of.table.Kept(); s.counted && s.rows == nil && kept != nil && slices.Equal(rows, chosen) {
		return s.of.crossed(kept), nil
	}
	if err := s.of.gather(ctx, s, s.of.coded()); err != nil {
		return nil, err
	}
	return s.joined(ctx)
}

// joined returns the features of s.sample that were gathered.
func (s *Chunked) joined(ctx context.Context) (*dataset.Table, error) {
	slices.SortFunc(s.sampled, func(a, b tablePart) int { return a.first - b.first })
	tables := make([]*dataset.Table, len(s.sampled))
	for i, part := range s.sampled {
		tables[i] = part.table
	}
	s.sampled = nil
	var own *dataset.Table // nil where another rank has all
	if len(tables) > 0 {
		own = dataset.Concat(tables)
	}
	all, err := s.of.table.GatherRows(ctx, own)
	if err != nil {
		return nil, err
	}
	return s.of.crossed(all), nil
}

// gather collects the sampled rows of one part and counts the cells of some.
func (s *chunkedFiles) gather(ctx context.Context, sampled *Chunked, parts []*Chunked) error {
	defer gcpercent.Lower()()
	var mutex sync.Mutex
	for _, part := range parts {
		if !part.counted {
			part.startCounting()
		}
	}
	err := s.table.Chunks(ctx, func(first int, chunk *dataset.Table) error {
		picked := pickRows(sampled.sample, first, chunk)
		var counts []func()
		if len(parts) > 0 {
			chunk = s.crossed(chunk)
		}
		for _, part := range parts {
			if !part.counted {
				counts = append(counts, part.count(part.within(first, chunk).table))
			}
		}
		mutex.Lock()
		defer mutex.Unlock()
		if picked.table.NumRows() > 0 {
			sampled.sampled = append(sampled.sampled, picked)
		}
		for _, add := range counts {
			add()
		}
		return nil
	})
	for _, part := range parts {
		if err == nil && !part.counted {
			err = s.addCounts(ctx, &part.pop)
		}
		part.counted = part.counted || err == nil
	}
	return err
}

// addCounts adds up what the ranks have counted of their rows.
func (s *chunkedFiles) addCounts(ctx context.Context, pop *binning.Population) error {
	ranks := s.table.Ranks()
	if ranks == nil {
		return nil
	}
	counts := []*int{}
	for f := range pop.Missing {
		counts = append(counts, &pop.Missing[f])
		for level := range pop.Counts[f] {
			counts = append(counts, &pop.Counts[f][level])
		}
	}
	values := make([]uint64, len(counts))
	for i, n := range counts {
		values[i] = uint64(*n)
	}
	err := ranks.Sum64(ctx, values)
	for i, n := range counts {
		*n = int(values[i])
	}
	return err
}

func (s *Chunked) startCounting() {
	whole := s.of.whole.pop
	s.pop.Missing, s.pop.Counts = make([]int, len(whole.Missing)), make([][]int, len(whole.Counts))
	for f, counts := range whole.Counts {
		if counts != nil {
			s.pop.Counts[f] = make([]int, len(counts))
		}
	}
}

// count counts a chunk's missing cells and levels and returns what adds them up.
func (s *Chunked) count(chunk *dataset.Table) func() {
	columns := chunk.Features()
	counts := make([]map[int32]int, len(columns))
	for f, c := range columns {
		if c.Kind() != dataset.Category {
			continue
		}
		counts[f] = map[int32]int{}
		for _, code := range c.Codes() {
			if code >= 0 {
				counts[f][code]++
			}
		}
	}
	return func() {
		for f, c := range columns {
			s.pop.Missing[f] += c.Missing()
			for code, n := range counts[f] {
				s.pop.Counts[f][code] += n
			}
		}
	}
}

// Code goes through the files once for all parts, when the first of them is coded.
func (s *Chunked) Code(ctx context.Context, cuts *binning.Cuts, p binning.Params, _ *parallel.Pool) (*binning.Codes, error) {
	if s.chunked == nil {
		if err := s.of.code(ctx, cuts, p); err != nil {
			return nil, err
		}
	}
	codes := s.chunked.Codes()
	s.chunked = nil
	return codes, nil
}

func (s *chunkedFiles) code(ctx context.Context, cuts *binning.Cuts, p binning.Params) error {
	freeMemory()
	defer freeMemory()
	defer gcpercent.Lower()()
	parts := s.coded()
	if slices.ContainsFunc(parts, func(part *Chunked) bool { return !part.counted }) {
		if err := s.gather(ctx, &Chunked{of: s}, parts); err != nil {
			return err
		}
	}
	for _, part := range parts {
		own := part.pop
		lo, hi := part.Own()
		own.Rows = hi - lo
		var err error
		if part.chunked, err = binning.NewChunked(cuts, own, p); err != nil {
			return err
		}
	}
	return s.table.Chunks(ctx, func(first int, chunk *dataset.Table) error {
		chunk = s.crossed(chunk)
		for _, part := range parts {
			within := part.within(first, chunk)
			lo, _ := part.Own()
			err := part.chunked.Add(within.first-lo, within.table)
			if errors.Is(err, binning.ErrMismatch) { // there are cells that were not counted before
				err = s.table.Changed()
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// freeMemory gives back the memory of a step that is over before the next one takes its own.
// Otherwise the collector would let both lie side by side.
func freeMemory() { debug.FreeOSMemory() }
