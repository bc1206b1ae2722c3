package chunk

import (
	"bytes"
	"encoding/gob"
	"fmt"
)

// Encode returns chunks as bytes, for a process that reads other rows of the same table. Features and ids are summarized; the
// numbers of their cells stay where they are.
func Encode(chunks []*Chunk) ([]byte, error) {
	sent := make([]wireChunk, len(chunks))
	for i, ch := range chunks {
		w := &sent[i]
		*w = wireChunk{
			Rows: ch.Rows, File: ch.File, ByRow: ch.ByRow, Before: ch.Before, Lines: ch.Lines, Blank: ch.Blank, Runs: ch.Runs,
			SideMismatch: ch.SideMismatch, Skipped: ch.Skipped, Shape: ch.Shape,
		}
		for c := range ch.Columns {
			w.Columns = append(w.Columns, wireOf(&ch.Columns[c]))
		}
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(sent)
	return b.Bytes(), err
}

// Decode returns the chunks that Encode was given, with a dictionary for each of their columns.
func Decode(data []byte) ([]*Chunk, error) {
	var sent []wireChunk
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&sent); err != nil {
		return nil, fmt.Errorf("chunks of another process: %w", err)
	}
	chunks := make([]*Chunk, len(sent))
	for i := range sent {
		w := &sent[i]
		ch := &Chunk{
			Rows: w.Rows, File: w.File, ByRow: w.ByRow, Before: w.Before, Lines: w.Lines, Blank: w.Blank, Runs: w.Runs,
			SideMismatch: w.SideMismatch, Skipped: w.Skipped, Shape: w.Shape, Columns: NewColumns(len(w.Columns)),
		}
		for c := range w.Columns {
			w.Columns[c].into(&ch.Columns[c])
		}
		chunks[i] = ch
	}
	return chunks, nil
}

// wireChunk is a Chunk on its way.
type wireChunk struct {
	Rows, File           int
	ByRow                bool
	Before, Lines, Blank int
	Runs                 []LineRun
	SideMismatch         bool
	Skipped              int
	Shape                *ShapeError
	Columns              []wireColumn
}

// wireColumn is a ColumnChunk on its way. Of its dictionary it has the levels of its own cells, which its codes count.
type wireColumn struct {
	Kind    wireKind
	F32     []float32
	F64     []float64
	Codes   []int32
	Levels  []string
	Text    []byte
	Offsets []int32
	Present int
	Gaps    bool
	Trimmed bool
	Typed   bool
	Dates   bool
	Large   int32
	Odd     *OddCells

	Summarized bool
	Rows       int
	Wide       bool
	Infinite   [2]int // cells, and the row of the first
	Counts     []int32
	Firsts     []int32
}

// wireKind says which of the values of a ColumnChunk are set, though they may be empty.
type wireKind uint8

const (
	wireNothing wireKind = iota
	wireF32
	wireF64
	wireLevels
	wireText
)

func wireOf(p *ColumnChunk) wireColumn {
	w := wireColumn{
		F32: p.F32, F64: p.F64, Text: p.Text, Offsets: p.Offsets,
		Present: p.Present, Gaps: p.Gaps, Trimmed: p.Trimmed, Typed: p.Typed, Dates: p.Dates, Large: p.Large, Odd: p.odd,
	}
	switch {
	case p.F64 != nil:
		w.Kind = wireF64
	case p.F32 != nil:
		w.Kind = wireF32
	case p.Dictionary != nil:
		w.Kind = wireLevels
	case p.Offsets != nil:
		w.Kind = wireText
	}
	if s := p.Summary; s != nil {
		w.Summarized, w.Rows, w.Wide, w.Counts, w.Firsts = true, s.Rows, s.Wide, s.counts, s.Firsts
		w.Infinite = [2]int{s.Infinite, s.FirstInfinite}
	}
	if w.Kind == wireLevels {
		own := make(map[int32]int32, len(p.Fresh))
		for i, code := range p.Fresh {
			own[code] = int32(i)
			w.Levels = append(w.Levels, p.Dictionary.Levels[code])
		}
		if p.Codes != nil {
			w.Codes = make([]int32, len(p.Codes))
			for row, code := range p.Codes {
				if w.Codes[row] = code; code >= 0 {
					w.Codes[row] = own[code]
				}
			}
		}
	}
	return w
}

func (w *wireColumn) into(p *ColumnChunk) {
	p.Present, p.Gaps, p.Trimmed, p.Typed, p.Dates, p.Large, p.odd = w.Present, w.Gaps, w.Trimmed, w.Typed, w.Dates, w.Large, w.Odd
	switch w.Kind {
	case wireF32:
		p.F32 = append([]float32{}, w.F32...)
	case wireF64:
		p.F64 = append([]float64{}, w.F64...)
	case wireText:
		words := p.OwnWords()
		words.Text, words.Offsets = w.Text, append([]int32{}, w.Offsets...)
	case wireLevels:
		words := p.OwnWords()
		words.Levels, words.Dictionary = w.Levels, &Dictionary{Levels: w.Levels}
		for i := range w.Levels {
			words.Fresh = append(words.Fresh, int32(i))
		}
		if !w.Summarized {
			words.Codes = append([]int32{}, w.Codes...)
		}
	}
	if w.Summarized {
		p.Summary = &Summary{Rows: w.Rows, Wide: w.Wide, Infinite: w.Infinite[0], FirstInfinite: w.Infinite[1], counts: w.Counts, Firsts: w.Firsts}
	}
}
