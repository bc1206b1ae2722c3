package dataset

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"boost/dataset/internal/chunk"
	"boost/internal/cpu"
)

const svmFormat = "libsvm"

// svmEndings are the ends of names that files in the LibSVM form have.
var svmEndings = []string{".svm", ".libsvm", ".svmlight"}

func knowsSVM(start []byte, name string) bool {
	return slices.ContainsFunc(svmEndings, func(end string) bool { return strings.HasSuffix(name, end) }) || looksLikeSVM(start)
}

// svmSource is the source of LibSVM and SVMlight text. How many columns a table has
// is known only at the end of its text, so columns reads everything into rows of
// stored entries, and read turns these into columns.
type svmSource struct {
	*chunk.Options
	inputs []chunk.Input
	chunks []*svmChunk

	scanned *svmScan // where cells are counted and not kept; nil else

	base    int      // smallest index of a feature
	indices []int32  // of the features, in the order of the columns
	queries bool     // the rows have query numbers
	unknown int      // entries of features that the schema lacks
	stored  []bool   // by index: a row stores something; nil where all features are taken to
	names   []string // of the columns: label, qid if there is one, features
}

// Columns reads the inputs and names the columns. The label and the query number get
// their roles without being asked for.
func (s *svmSource) Columns(ctx context.Context) ([]string, error) {
	if err := s.scan(ctx); err != nil {
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
	if err := s.checkQueries(); err != nil {
		return nil, err
	}
	s.names = []string{s.named(svmLabel, LabelRole)}
	if s.Schema == nil && s.Label == "" && !assigns(s.Options, svmLabel) {
		s.Label = svmLabel
	}
	if s.queries {
		s.names = append(s.names, s.named(svmQuery, GroupRole))
		if s.Schema == nil && s.Group == "" && !assigns(s.Options, svmQuery) {
			s.Group = svmQuery
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
	if n := int64(width) * bareBytes; s.MemoryLimit > 0 && n > s.MemoryLimit {
		return nil, chunk.TooLarge("%s: %d columns take %s, whatever is in them; memory_limit is %s (number the features that occur from 1 on, or raise it)",
			s.inputs[0].Name, width, chunk.ByteText(n), chunk.ByteText(s.MemoryLimit))
	}
	s.indices, s.names = make([]int32, 0, width), append(make([]string, 0, len(s.names)+width), s.names...)
	s.findStored(most, entries)
	for index := int32(s.base); index <= most; index++ {
		s.indices = append(s.indices, index)
		s.names = append(s.names, svmFeature(int(index)))
	}
	return s.names, nil
}

// named returns the name of the schema's column of a role, or the usual one.
func (s *svmSource) named(usual string, role Role) string {
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
func (s *svmSource) schemaFeatures() {
	for i := range s.Schema.Columns {
		c := &s.Schema.Columns[i]
		if index, ok := svmIndexOf(c.Name); ok && c.Role == Feature {
			s.indices = append(s.indices, index)
			s.names = append(s.names, c.Name)
		}
	}
}

// svmIndexOf returns the index of the feature that svmFeature calls by this name.
func svmIndexOf(name string) (int32, bool) {
	digits, found := strings.CutPrefix(name, "f")
	index, err := strconv.Atoi(digits)
	if !found || err != nil || index < 0 || index > largestIndex || svmFeature(index) != name {
		return 0, false
	}
	return int32(index), true
}

// A table may have usualWidth columns; more only where its text justifies the memory.
const (
	usualWidth       = 1 << 20
	entriesPerColumn = 8
)

func (s *svmSource) tooWide(most int32, entries int) error {
	e := &ParseError{Want: fmt.Sprintf("index %d would make a table of %d columns of %d values", most, most, entries),
		Fix: "is it an index? Number the features that occur from 1 on"}
	at := slices.IndexFunc(s.chunks, func(ch *svmChunk) bool { return ch.most == most })
	e.File, e.Line = s.locate(s.chunks[at], s.chunks[at].mostAt)
	return e
}

// locate returns the file and line of a row of a chunk.
func (s *svmSource) locate(ch *svmChunk, row int) (file string, line int) {
	line = 1
	for _, other := range s.chunks[:ch.index] {
		if other.file == ch.file {
			line += other.lines
		}
	}
	return s.inputs[ch.file].Name, line + lineOf(ch, row)
}

// lineOf returns the line of a row in its chunk, from 0.
func lineOf(ch *svmChunk, row int) int {
	i, exact := slices.BinarySearchFunc(ch.runs, row, func(r chunk.PlaceRun, row int) int { return r.Row - row })
	if !exact {
		i--
	}
	run := ch.runs[i]
	return run.Line + row - run.Row
}

// checkQueries fails where some rows have a query number and others have none.
func (s *svmSource) checkQueries() error {
	var without *svmChunk
	row := 0
	for _, ch := range s.chunks {
		s.queries = s.queries || ch.queries != nil
		if without != nil || ch.rows() == 0 {
			continue
		}
		if ch.queries == nil {
			without, row = ch, 0
		} else if at := slices.IndexFunc(ch.queries, math.IsNaN); at >= 0 {
			without, row = ch, at
		}
	}
	if !s.queries || without == nil {
		return nil
	}
	return lacksQuery(s.locate(without, row))
}

// lacksQuery describes a row without a query number.
func lacksQuery(file string, line int) error {
	return &ParseError{File: file, Line: line, Want: "this row has no qid, and others have one",
		Fix: "give every row the number of its query, or none"}
}

// scan reads all inputs into chunks.
func (s *svmSource) scan(ctx context.Context) error {
	var mutex sync.Mutex
	var taken int64 // bytes of all chunks
	s.chunks = nil
	over := func() bool { return s.scanned == nil && s.MemoryLimit > 0 && taken > s.MemoryLimit }
	failure := s.parts(ctx, func(ch *svmChunk) bool {
		ch.entries = len(ch.features)
		if s.scanned != nil {
			s.scanned.thin(ch)
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
	slices.SortFunc(s.chunks, func(a, b *svmChunk) int { return a.index - b.index })
	if bad, _ := s.firstBad(); bad != nil && !s.SkipBadRows {
		return bad
	}
	if failure == nil && over() {
		return chunk.TooLarge("%s: the values read so far take %s; memory_limit is %s (set out_of_core = true, or raise it)", s.inputs[0].Name, chunk.ByteText(taken), chunk.ByteText(s.MemoryLimit))
	}
	return failure
}

// parts parses the text of all inputs and shows the chunks, by several goroutines and in
// any order, until one of the calls returns false.
func (s *svmSource) parts(ctx context.Context, show func(*svmChunk) bool) error {
	workers := s.workers()
	jobs := make(chan svmJob)
	free := make(chan []byte, workers+2)
	for range workers + 2 {
		free <- nil
	}
	known := s.knownFeatures()
	var failure error // what ended the input early
	var stop atomic.Bool
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(jobs)
		c := &svmCutter{svmSource: s, jobs: jobs, free: free, stop: &stop}
		failure = c.cutAll(groupCtx)
		return groupCtx.Err()
	})
	for range workers {
		group.Go(func() error {
			p := &svmParser{Options: s.Options, known: known}
			for j := range jobs {
				ch := p.parse(j.text)
				ch.index, ch.file = j.index, j.file
				if !show(ch) {
					stop.Store(true)
				}
				free <- j.text
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return failure
}

// knownFeatures lists the features of the schema by index, nil without a schema.
func (s *svmSource) knownFeatures() []bool {
	if s.Schema == nil {
		return nil
	}
	known := []bool{}
	for i := range s.Schema.Columns {
		if index, ok := svmIndexOf(s.Schema.Columns[i].Name); ok && s.Schema.Columns[i].Role == Feature {
			if grow := int(index) + 1 - len(known); grow > 0 {
				known = append(known, make([]bool, grow)...)
			}
			known[index] = true
		}
	}
	return known
}

func (s *svmSource) workers() int {
	threads := s.Threads
	if threads == 0 {
		threads = cpu.Threads()
	}
	size := int64(0)
	for _, in := range s.inputs {
		if in.Size == 0 {
			return threads
		}
		size += in.Size
	}
	// Compression makes a table about a quarter to a tenth of its size.
	return int(min(int64(threads), 1+10*size/int64(s.ChunkSize)))
}

// firstBad describes the first row that cannot be read, nil without one, and says in
// which input it stands.
func (s *svmSource) firstBad() (e *ParseError, file int) {
	lines := 0
	for k, ch := range s.chunks {
		if k > 0 && s.chunks[k-1].file != ch.file {
			lines = 0
		}
		if bad := ch.bad; bad != nil {
			return &ParseError{File: s.inputs[ch.file].Name, Line: 1 + lines + bad.Line,
				Column: bad.Column, Value: bad.Value, Want: bad.Text, Fix: bad.Fix}, ch.file
		}
		lines += ch.lines
	}
	return nil, 0
}

// Notes says how the indices were understood and what was left aside.
func (s *svmSource) Notes(int) []string {
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

func (s *svmSource) Close() {}

// svmJob is a chunk's text on its way to a worker.
type svmJob struct {
	text        []byte
	index, file int
}

// svmCutter cuts the text of the inputs into chunks of whole lines.
type svmCutter struct {
	*svmSource
	jobs chan<- svmJob
	free chan []byte
	stop *atomic.Bool
	next int
}

func (c *svmCutter) cutAll(ctx context.Context) error {
	for file := range c.inputs {
		stream, err := c.StreamOf(&c.inputs[file], svmFormat)
		if err != nil {
			return err
		}
		if start, _ := stream.Reader.Peek(len(chunk.ByteOrderMark)); string(start) == chunk.ByteOrderMark {
			_, _ = stream.Reader.Discard(len(chunk.ByteOrderMark))
		}
		err = c.cut(ctx, stream, file)
		stream.Close()
		if err != nil || c.stop.Load() || ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// cut sends the chunks of one input.
func (c *svmCutter) cut(ctx context.Context, stream *chunk.Stream, file int) error {
	var carry []byte // the beginning of the next chunk
	for !c.stop.Load() {
		var buffer []byte
		select {
		case buffer = <-c.free:
		case <-ctx.Done():
			return nil
		}
		// One byte more than is read, for the line feed that the last line may lack. A
		// buffer that has grown before is not used in full: chunks must not depend on which
		// buffer was free.
		size := max(c.ChunkSize, 2*len(carry)) + 1
		if cap(buffer) < size {
			buffer = make([]byte, size)
		}
		buffer = buffer[:size]
		n := copy(buffer, carry)
		more, err := chunk.ReadFull(stream.Reader, buffer[n:len(buffer)-1])
		n += more
		if err != nil && err != io.EOF {
			return stream.Failure(err)
		}
		end := bytes.LastIndexByte(buffer[:n], '\n') + 1
		if err == io.EOF && end < n {
			buffer[n] = '\n'
			end = n + 1
		}
		carry = append(carry[:0], buffer[end:max(end, n)]...)
		if len(carry) >= chunk.LongestRecord {
			return chunk.Errorf("%s: a line is longer than 64 MiB; is this a LibSVM file?", stream.Name)
		}
		if end == 0 {
			c.free <- buffer
		} else {
			c.jobs <- svmJob{text: buffer[:end], index: c.next, file: file}
			c.next++
		}
		if err == io.EOF {
			return nil
		}
	}
	return nil
}
