package libsvm

import (
	"context"
	"slices"
	"sync"

	"boost/dataset/internal/chunk"
)

// partNotes is what is kept of parts that are gone, where text is read part by part: a model says which
// features there are, which else only the whole text does.
type partNotes struct {
	mutex   sync.Mutex
	queries []partQueries // by chunk, in any order
	unknown int           // entries of features that the model lacks
}

// partQueries is what is kept of a chunk to say which row lacks a query number.
type partQueries struct {
	file, index, lines int
	with               bool // some row has one
	without            int  // line of the first row that has none, from 0; -1 if all have one
}

// ReadInParts makes every chunk of the text a chunk of the table.
func (s *Reader) ReadInParts() { s.partNotes = new(partNotes) }

// readParts reads every chunk of the text as a table of its own.
func (s *Reader) readParts(ctx context.Context, p *chunk.Pass) error {
	one := *s.Options
	one.Threads = 1
	var mutex sync.Mutex
	var failed error
	err := s.eachChunk(ctx, func(ch *textChunk) bool {
		s.partNotes.note(ch)
		part := *s
		part.Options, part.partNotes, part.chunks = &one, nil, []*textChunk{ch}
		index := ch.index
		ch.index = 0 // among the part's
		err := part.Read(ctx, &chunk.Pass{Targets: p.Targets, Emit: func(made *chunk.Chunk) {
			made.Index, made.File, made.Lines = index, ch.file, ch.lines
			p.Send(made)
		}})
		if err != nil {
			mutex.Lock()
			failed = err
			mutex.Unlock()
			p.Stop.Store(true)
			p.Stopped()
		}
		return !p.Stop.Load() && ch.bad == nil
	})
	switch {
	case failed != nil:
		return failed
	case err != nil || p.Stop.Load():
		return err
	}
	s.unknown = s.partNotes.unknown
	return s.checkPartQueries()
}

// note keeps what is to be known of a chunk once it is gone.
func (s *partNotes) note(ch *textChunk) {
	q := partQueries{file: ch.file, index: ch.index, lines: ch.lines, with: ch.queries != nil, without: -1}
	row := 0
	if ch.queries != nil {
		row = slices.IndexFunc(ch.queries, func(v float64) bool { return v != v })
	}
	if row >= 0 && ch.Len() > 0 {
		q.without = lineOf(ch, row)
	}
	s.mutex.Lock()
	s.unknown += ch.unknown
	s.queries = append(s.queries, q)
	s.mutex.Unlock()
}

// checkPartQueries is checkQueries for chunks that are gone.
func (s *Reader) checkPartQueries() error {
	seen := s.partNotes.queries
	slices.SortFunc(seen, func(a, b partQueries) int { return a.index - b.index })
	var without *partQueries
	with := false
	lines, file := 0, 0
	at := 0
	for i := range seen {
		q := &seen[i]
		if q.file != file {
			file, lines = q.file, 0
		}
		with = with || q.with
		if without == nil && q.without >= 0 {
			without, at = q, 1+lines+q.without
		}
		lines += q.lines
	}
	if !with || without == nil {
		return nil
	}
	return lacksQuery(s.inputs[without.file].Name, at)
}
