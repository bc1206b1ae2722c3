package libsvm

import (
	"math"
	"slices"

	"boost/dataset/internal/chunk"
)

// chunkQueries says which row of a chunk lacks a query number.
type chunkQueries struct {
	file, index, lines int
	with               bool // some row has one
	without            int  // line of the first row that has none, from 0; -1 if all have one
}

func queriesOf(ch *textChunk) chunkQueries {
	q := chunkQueries{file: ch.file, index: ch.index, lines: ch.lines, with: ch.queries != nil, without: -1}
	row := 0
	if ch.queries != nil {
		row = slices.IndexFunc(ch.queries, math.IsNaN)
	}
	if row >= 0 && ch.Len() > 0 {
		q.without = lineOf(ch, row)
	}
	return q
}

// checkQueries reports whether the rows have query numbers. It fails where some do and others do not. The chunks
// may stand in any order.
func (s *Reader) checkQueries(chunks []chunkQueries) (with bool, err error) {
	slices.SortFunc(chunks, func(a, b chunkQueries) int { return a.index - b.index })
	var without *chunkQueries
	lines, file, at := 0, 0, 0
	for i := range chunks {
		q := &chunks[i]
		if q.file != file {
			file, lines = q.file, 0
		}
		with = with || q.with
		if without == nil && q.without >= 0 {
			without, at = q, 1+lines+q.without
		}
		lines += q.lines
	}
	if with && without != nil {
		err = &chunk.ParseError{File: s.inputs[without.file].Name, Line: at, Want: "this row has no qid, and others have one",
			Fix: "give every row the number of its query, or none"}
	}
	return with, err
}
