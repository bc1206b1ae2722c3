package jsonl

import (
	"bytes"
	"context"
	"io"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/parts"
)

// dividedColumns is Columns where each rank has a part of the inputs: the names in the rows of all, with a model too.
func (r *Reader) dividedColumns(ctx context.Context) error {
	var own found
	err := r.cutParts()
	if err == nil {
		own, err = r.collectKeys(ctx, nil)
	}
	if in := &r.inputs[0]; in.IsCut() && (in.Skipped() || in.Part.From > 0) {
		own.Refused = nil // it is not the first row of the table
	}
	all, err := parts.Tell(ctx, r.Ranks, own, err, true)
	if err != nil {
		return err
	}
	if err := r.nameColumns(join(all)); err != nil {
		return err
	}
	if len(r.names) == 0 {
		return r.nothing()
	}
	return nil
}

// cutParts moves the ends of the parts of inputs to where lines begin.
func (r *Reader) cutParts() error {
	for i := range r.inputs {
		in := &r.inputs[i]
		if !in.IsCut() || in.Skipped() {
			continue
		}
		f, err := in.At()
		if err != nil {
			return err
		}
		p := in.Part
		if p.From, err = lineFrom(f, in, p.From); err == nil {
			p.To, err = lineFrom(f, in, p.To)
		}
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// lineFrom returns where the first line begins from a byte of the input on, its end if none does.
func lineFrom(f io.ReaderAt, in *chunk.Input, at int64) (int64, error) {
	if at == 0 {
		return 0, nil
	}
	buffer := make([]byte, 64<<10)
	for at--; at < in.Size; at += int64(len(buffer)) { // a line begins behind a line feed
		buffer = buffer[:min(int64(len(buffer)), in.Size-at)]
		if n, err := f.ReadAt(buffer, at); n < len(buffer) {
			return 0, in.ShortRead(err)
		}
		if feed := bytes.IndexByte(buffer, '\n'); feed >= 0 {
			return at + int64(feed) + 1, nil
		}
	}
	return in.Size, nil
}
