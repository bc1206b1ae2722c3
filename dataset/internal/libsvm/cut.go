package libsvm

import (
	"bytes"
	"context"
	"sync/atomic"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/records"
)

// eachChunk parses the text of all inputs and shows the chunks, by several goroutines and in
// any order, until one of the calls returns false.
func (s *Reader) eachChunk(ctx context.Context, show func(*textChunk) bool) error {
	known := s.knownFeatures()
	var stop atomic.Bool
	var tooLong atomic.Pointer[string] // the name of an input with a line that is too long
	c := &records.Cutter{
		Options: s.Options, Inputs: s.inputs, Bytes: s.ChunkSize, Stop: &stop, Open: s.open,
		End: func(b []byte) int { return bytes.LastIndexByte(b, '\n') + 1 },
	}
	err := c.Run(ctx, func() func(records.Piece) func() {
		p := &parser{Options: s.Options, known: known}
		return func(piece records.Piece) func() {
			if piece.Cut {
				tooLong.Store(&s.inputs[piece.File].Name)
				stop.Store(true)
				return func() {}
			}
			ch := p.parse(piece.Text)
			ch.index, ch.file = piece.Index, piece.File
			if !show(ch) {
				stop.Store(true)
			}
			return func() {}
		}
	})
	if name := tooLong.Load(); err == nil && name != nil {
		return chunk.Errorf("%s: a line is longer than 64 MiB; is this a LibSVM file?", *name)
	}
	return err
}

// open opens an input.
func (s *Reader) open(file int) (*records.Text, error) {
	stream, err := s.StreamOf(&s.inputs[file], FormatName)
	if err != nil {
		return nil, err
	}
	stream.SkipByteOrderMark()
	return &records.Text{Stream: stream, Reader: stream.Reader}, nil
}
