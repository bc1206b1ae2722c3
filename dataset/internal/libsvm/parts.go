package libsvm

import (
	"context"
	"sync"

	"boost/dataset/internal/chunk"
)

// partNotes is what is kept of parts that are gone, where text is read part by part: a model says which
// features there are, which else only the whole text does.
type partNotes struct {
	mutex   sync.Mutex
	queries []chunkQueries // by chunk, in any order
	unknown int            // entries of features that the model lacks
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
	_, err = s.checkQueries(s.partNotes.queries)
	return err
}

// note keeps what is to be known of a chunk once it is gone.
func (p *partNotes) note(ch *textChunk) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.unknown += ch.unknown
	p.queries = append(p.queries, queriesOf(ch))
}
