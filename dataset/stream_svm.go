package dataset

import (
	"context"
	"slices"
	"sync"

	"boost/dataset/internal/chunk"
)

// svmParts is LibSVM text that is read in parts: a model says which features there are,
// which else only the whole text does.
type svmParts struct {
	*svmSource
	mutex   sync.Mutex
	seen    []svmQueries // by chunk, in any order
	foreign int          // entries of features that the model lacks
}

// svmQueries is what is kept of a chunk to say which row lacks a query number.
type svmQueries struct {
	file, index, lines int
	with               bool // some row has one
	without            int  // line of the first row that has none, from 0; -1 if all have one
}

// inParts returns the source, which is of LibSVM text, or lies beside it, in parts.
func inParts(s chunk.Source) chunk.Source {
	if beside, is := s.(*sideSource); is {
		beside.Source = inParts(beside.Source)
		return beside
	}
	return &svmParts{svmSource: s.(*svmSource)}
}

// Columns names the label and the features of the model.
func (s *svmParts) Columns(context.Context) ([]string, error) {
	s.names = []string{s.named(svmLabel, LabelRole)}
	s.schemaFeatures()
	return s.names, nil
}

// Read reads every chunk of the text as a table of its own.
func (s *svmParts) Read(ctx context.Context, p *chunk.Pass) error {
	one := *s.Options
	one.Threads = 1
	var failed error
	err := s.parts(ctx, func(ch *svmChunk) bool {
		s.note(ch)
		part := *s.svmSource
		part.Options, part.chunks = &one, []*svmChunk{ch}
		index := ch.index
		ch.index = 0 // among the part's
		err := part.Read(ctx, &chunk.Pass{Targets: p.Targets, Emit: func(made *chunk.Chunk) {
			made.Index, made.File, made.Lines = index, ch.file, ch.lines
			p.Send(made)
		}})
		if err != nil {
			s.mutex.Lock()
			failed = err
			s.mutex.Unlock()
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
	return s.sameQueries()
}

// Notes says what was left aside, once all parts have passed.
func (s *svmParts) Notes(blank int) []string {
	s.unknown = s.foreign
	return s.svmSource.Notes(blank)
}

// note keeps what is to be known of a chunk once it is gone.
func (s *svmParts) note(ch *svmChunk) {
	q := svmQueries{file: ch.file, index: ch.index, lines: ch.lines, with: ch.queries != nil, without: -1}
	row := 0
	if ch.queries != nil {
		row = slices.IndexFunc(ch.queries, func(v float64) bool { return v != v })
	}
	if row >= 0 && ch.rows() > 0 {
		q.without = lineOf(ch, row)
	}
	s.mutex.Lock()
	s.foreign += ch.unknown
	s.seen = append(s.seen, q)
	s.mutex.Unlock()
}

// sameQueries is checkQueries for chunks that are gone.
func (s *svmParts) sameQueries() error {
	slices.SortFunc(s.seen, func(a, b svmQueries) int { return a.index - b.index })
	var without *svmQueries
	with := false
	lines, file := 0, 0
	at := 0
	for i := range s.seen {
		q := &s.seen[i]
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
