package dataset

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"boost/dataset/internal/chunk"
)

// input is the files, or the stream, that a table is read from, with the source that reads them. Tables that are
// read whole, tables in chunks and streams go through it chunk by chunk.
type input struct {
	*chunk.Options
	inputs []chunk.Input
	source chunk.Source // nil before open
	shared *shared      // nil where no ranks read the table together
	closed bool
}

// resolveInputs finds the inputs that paths name: files and patterns, or standard input.
func resolveInputs(ctx context.Context, paths []string, opts []Option) (*input, error) {
	if slices.Contains(paths, "-") {
		if len(paths) > 1 {
			return nil, chunk.Errorf("standard input (-) cannot be joined with files")
		}
		return streamInput(ctx, os.Stdin, "standard input", opts)
	}
	o, err := newOptions(opts)
	if err != nil {
		return nil, err
	}
	inputs, err := chunk.FindInputs(ctx, paths, !o.NoSpool, o.InOrder)
	return &input{Options: o, inputs: inputs}, err
}

// streamInput makes a stream the only input.
func streamInput(ctx context.Context, stream io.Reader, name string, opts []Option) (*input, error) {
	o, err := newOptions(opts)
	if err != nil {
		return nil, err
	}
	return &input{Options: o, inputs: []chunk.Input{chunk.StreamInput(ctx, stream, name, !o.NoSpool)}}, nil
}

// open finds the source, by the beginning of the first input.
func (in *input) open() (err error) {
	in.source, err = sourceOf(in.Options, in.inputs)
	return err
}

// close frees what is held of the inputs.
func (in *input) close() {
	in.closed = true
	if in.source != nil {
		in.source.Close()
	}
	chunk.CloseInputs(in.inputs)
}

// name names the first input, for messages.
func (in *input) name() string { return in.inputs[0].Name }

// files names all inputs, those of other ranks too.
func (in *input) files() []string {
	if in.shared != nil {
		return in.shared.names
	}
	return in.names()
}

// names names the inputs.
func (in *input) names() []string {
	names := make([]string, len(in.inputs))
	for i := range in.inputs {
		names[i] = in.inputs[i].Name
	}
	return names
}

// targets decides which columns of the input become columns of the table.
func (in *input) targets(ctx context.Context) ([]chunk.Target, error) {
	names, err := in.source.Columns(ctx)
	if err != nil {
		return nil, err
	}
	targets, err := in.Resolve(names)
	if absent, ok := errors.AsType[*AbsentError](err); ok {
		absent.File, absent.Notes = in.name(), in.headerNotes()
		return nil, absent
	}
	if err != nil {
		return nil, chunk.Errorf("%s: %w%s", in.name(), err, strings.Join(append([]string{""}, in.headerNotes()...), "; "))
	}
	if source, is := chunk.Find[chunk.Padding](in.source); is {
		padded := source.Padded()
		for i := range targets {
			t := &targets[i]
			t.Padded = t.Source < len(padded) && padded[t.Source]
		}
	}
	if source, is := chunk.Find[chunk.CategoryTeller](in.source); is {
		categories := source.Categories()
		for i := range targets {
			t := &targets[i]
			_, named := in.Parse[t.Name]
			if t.Role == Feature && t.Want == chunk.WantAny && !named && t.Source < len(categories) && categories[t.Source] {
				t.Want, t.Parse, t.Form = chunk.WantCategory, "", nil
			}
		}
	}
	return targets, nil
}

// headerNotes says where the names of the columns are from, if that may explain why some are not there.
func (in *input) headerNotes() []string {
	if _, is := chunk.Find[chunk.Headed](in.source); is {
		return in.source.Notes(0)
	}
	return nil
}

// notes says how the inputs are written, which hold so many blank lines, and what was asked for in vain.
func (in *input) notes(blank int) []string {
	notes := append(in.source.Notes(blank), in.IdleNotes(in.name())...)
	if in.shared != nil {
		notes = append(notes, in.shared.notes...)
	}
	return notes
}

// changed is the error about inputs that are not what they were before.
func (in *input) changed() error {
	return chunk.Errorf("%s changed while it was read", in.name())
}

// eachChunk goes through the inputs once and visits every chunk, by several goroutines at once and in any order.
// It returns the error of the context, or the first one of visit, which ends the pass, or that of the inputs.
func (in *input) eachChunk(ctx context.Context, p *chunk.Pass, visit func(*chunk.Chunk) error) error {
	if in.closed {
		return chunk.Errorf("%s is closed: open it again to read it", in.name())
	}
	var mutex sync.Mutex
	var failed error
	p.Emit = func(ch *chunk.Chunk) {
		if err := visit(ch); err != nil {
			mutex.Lock()
			if failed == nil {
				failed = err
			}
			mutex.Unlock()
			p.Stop.Store(true)
		}
	}
	err := in.source.Read(ctx, p)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case failed != nil:
		return failed
	}
	return err
}
