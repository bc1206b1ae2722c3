package libsvm

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"boost/dataset/internal/chunk"
)

// Reader is the source of LibSVM and SVMlight text. How many columns a table has
// is known only at the end of its text, so columns reads everything into rows of
// stored entries, and read turns these into columns.
type Reader struct {
	*chunk.Options
	inputs []chunk.Input
	chunks []*textChunk

	counts    *cellCounts // where cells are counted and not held; nil else
	partNotes *partNotes  // where the text is read part by part; nil else

	base    int      // smallest index of a feature
	indices []int32  // of the features, in the order of the columns
	queries bool     // the rows have query numbers
	unknown int      // entries of features that the schema lacks
	stored  []bool   // by index: a row stores something; nil where all features are taken to
	names   []string // of the columns: label, qid if there is one, features
}

// Columns reads the inputs and names the columns. The label and the query number get
// their roles without being asked for.
func (s *Reader) Columns(ctx context.Context) ([]string, error) {
	if s.partNotes != nil {
		s.names = []string{s.named(labelName, chunk.LabelRole)}
		s.schemaFeatures()
		return s.names, nil
	}
	if err := s.parseAll(ctx); err != nil {
		return nil, err
	}
	least, most, entries := int32(math.MaxInt32), int32(-1), 0
	for _, ch := range s.chunks {
		least, most = min(least, ch.least), max(most, ch.most)
		entries += ch.entries
		s.unknown += ch.unknown
	}
	if s.base = s.IndexBase; s.base < 0 {
		s.base = 1
		if least == 0 {
			s.base = 0
		}
	}
	var queries []chunkQueries
	for _, ch := range s.chunks {
		queries = append(queries, queriesOf(ch))
	}
	var err error
	if s.queries, err = s.checkQueries(queries); err != nil {
		return nil, err
	}
	s.names = []string{s.named(labelName, chunk.LabelRole)}
	if s.Schema == nil && s.Labels == nil && !s.Assigns(labelName) {
		s.Labels = []string{labelName}
	}
	if s.queries {
		s.names = append(s.names, s.named(queryName, chunk.GroupRole))
		if s.Schema == nil && s.Group == "" && !s.Assigns(queryName) {
			s.Group = queryName
		}
	}
	if s.Schema != nil {
		s.schemaFeatures()
		s.findStored(s.mostWanted(), entries)
		return s.names, nil
	}
	if int(most) >= max(usualWidth, entriesPerColumn*entries) {
		return nil, s.tooWide(most, entries)
	}
	width := max(0, int(most)+1-s.base)
	if n := int64(width) * chunk.EmptyColumnBytes; s.MemoryLimit > 0 && n > s.MemoryLimit {
		return nil, chunk.TooLarge("%s: %d columns take %s, whatever is in them; memory_limit is %s (number the features that occur from 1 on, or %s)",
			s.inputs[0].Name, width, chunk.ByteText(n), chunk.ByteText(s.MemoryLimit), chunk.RaiseLimit(n))
	}
	s.indices, s.names = make([]int32, 0, width), append(make([]string, 0, len(s.names)+width), s.names...)
	s.findStored(most, entries)
	for index := int32(s.base); index <= most; index++ {
		s.indices = append(s.indices, index)
		s.names = append(s.names, featureName(int(index)))
	}
	return s.names, nil
}

// named returns the name of the schema's column of a role, or the usual one.
func (s *Reader) named(usual string, role chunk.Role) string {
	if s.Schema != nil {
		for _, c := range s.Schema.Columns {
			if c.Role == role {
				return c.Name
			}
		}
	}
	return usual
}

// schemaFeatures takes the features that the schema knows, in whose rows nothing may
// be stored: how far the indices of a file go is chance.
func (s *Reader) schemaFeatures() {
	for i := range s.Schema.Columns {
		c := &s.Schema.Columns[i]
		if index, ok := FeatureIndex(c.Name); ok && c.Role == chunk.Feature {
			s.indices = append(s.indices, index)
			s.names = append(s.names, c.Name)
		}
	}
}

// A table may have usualWidth columns; more only where its text justifies the memory.
const (
	usualWidth       = 1 << 20
	entriesPerColumn = 8
)

func (s *Reader) tooWide(most int32, entries int) error {
	e := &chunk.ParseError{Want: fmt.Sprintf("index %d would make a table of %d columns of %d values", most, most, entries),
		Fix: "is it an index? Number the features that occur from 1 on"}
	at := slices.IndexFunc(s.chunks, func(ch *textChunk) bool { return ch.most == most })
	e.File, e.Line = s.locate(s.chunks[at], s.chunks[at].mostAt)
	return e
}

// locate returns the file and line of a row of a chunk.
func (s *Reader) locate(ch *textChunk, row int) (file string, line int) {
	line = 1
	for _, other := range s.chunks[:ch.index] {
		if other.file == ch.file {
			line += other.lines
		}
	}
	return s.inputs[ch.file].Name, line + lineOf(ch, row)
}

// lineOf returns the line of a row in its chunk, from 0.
func lineOf(ch *textChunk, row int) int {
	i, exact := slices.BinarySearchFunc(ch.runs, row, func(r chunk.LineRun, row int) int { return r.Row - row })
	if !exact {
		i--
	}
	run := ch.runs[i]
	return run.Line + row - run.Row
}

// parseAll reads all inputs into chunks.
func (s *Reader) parseAll(ctx context.Context) error {
	var mutex sync.Mutex
	var taken int64 // bytes of all chunks
	s.chunks = nil
	over := func() bool { return s.counts == nil && s.MemoryLimit > 0 && taken > s.MemoryLimit }
	failure := s.eachChunk(ctx, func(ch *textChunk) bool {
		ch.entries = len(ch.Columns)
		if s.counts != nil {
			s.counts.keepCounts(ch)
		}
		mutex.Lock()
		defer mutex.Unlock()
		s.chunks = append(s.chunks, ch)
		taken += ch.bytes()
		return !over() && (ch.bad == nil || s.SkipBadRows)
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	slices.SortFunc(s.chunks, func(a, b *textChunk) int { return a.index - b.index })
	if s.counts != nil {
		for _, ch := range s.chunks {
			s.counts.rows = append(s.counts.rows, ch.Len())
		}
	}
	if bad, _ := s.firstBad(); bad != nil && !s.SkipBadRows {
		return bad
	}
	if failure == nil && over() {
		return chunk.TooLarge("%s: the values read so far take %s; memory_limit is %s (set out_of_core = true, or %s)",
			s.inputs[0].Name, chunk.ByteText(taken), chunk.ByteText(s.MemoryLimit), chunk.RaiseLimit(taken))
	}
	return failure
}

// knownFeatures lists the features of the schema by index, nil without a schema.
func (s *Reader) knownFeatures() []bool {
	if s.Schema == nil {
		return nil
	}
	known := []bool{}
	for i := range s.Schema.Columns {
		if index, ok := FeatureIndex(s.Schema.Columns[i].Name); ok && s.Schema.Columns[i].Role == chunk.Feature {
			if grow := int(index) + 1 - len(known); grow > 0 {
				known = append(known, make([]bool, grow)...)
			}
			known[index] = true
		}
	}
	return known
}

// firstBad describes the first row that cannot be read, nil without one, and says in
// which input it stands.
func (s *Reader) firstBad() (e *chunk.ParseError, file int) {
	lines := 0
	for k, ch := range s.chunks {
		if k > 0 && s.chunks[k-1].file != ch.file {
			lines = 0
		}
		if bad := ch.bad; bad != nil {
			return &chunk.ParseError{File: s.inputs[ch.file].Name, Line: 1 + lines + bad.Line,
				Column: bad.Column, Value: bad.Value, Want: bad.Text, Fix: bad.Fix}, ch.file
		}
		lines += ch.lines
	}
	return nil, 0
}

// Notes says how the indices were understood and what was left aside.
func (s *Reader) Notes(int) []string {
	if s.Schema != nil {
		if s.unknown == 0 {
			return nil
		}
		return []string{fmt.Sprintf("%s: %d of its values ignored, as the model has no features with their indices",
			s.inputs[0].Name, s.unknown)}
	}
	how := "no index is 0"
	switch {
	case s.IndexBase >= 0:
		how = fmt.Sprintf("index_base = %q", strconv.Itoa(s.IndexBase))
	case s.base == 0:
		how = "index 0 occurs"
	}
	if len(s.indices) == 0 {
		return []string{fmt.Sprintf("%s is read as LibSVM text without any feature", s.inputs[0].Name)}
	}
	return []string{fmt.Sprintf("%s is read as LibSVM text with indices from %d on (%s): its features are called %s to %s",
		s.inputs[0].Name, s.base, how, s.names[len(s.names)-len(s.indices)], s.names[len(s.names)-1])}
}

// Close frees nothing: the text was read.
func (s *Reader) Close() {}
