package dataset

import (
	"context"
	"fmt"
	"io"
	"os"
)

// Open reads a table from a CSV or TSV file, plain or gzip. The path may be a
// pattern (part-*.csv.gz), whose files are read as one in the order of their
// names, or "-" for standard input.
//
// Separator, quotes and header are found from the data; kinds follow from all
// cells of a column: numbers if every cell that is not missing is one (true and
// false count as 1 and 0, ISO-8601 dates as seconds since 1970), categories if
// fewer than 90 % are. Every error that is the table's fault wraps ErrTable; a bad
// cell is a *ParseError. The error of a cancelled context is returned as it is.
func Open(ctx context.Context, path string, opts ...Option) (*Table, error) {
	return OpenAll(ctx, []string{path}, opts...)
}

// OpenAll reads several files and patterns as one table, in the order of their
// names; every file needs the same header.
func OpenAll(ctx context.Context, paths []string, opts ...Option) (*Table, error) {
	for _, path := range paths {
		if path != "-" {
			continue
		}
		if len(paths) > 1 {
			return nil, complain("standard input (-) cannot be joined with files")
		}
		return Read(ctx, os.Stdin, "standard input", opts...)
	}
	o, err := newOptions(opts)
	if err != nil {
		return nil, err
	}
	inputs, err := findInputs(paths, !o.noSpool)
	if err != nil {
		return nil, err
	}
	r := &reader{options: o, inputs: inputs}
	defer r.close()
	return r.table(ctx)
}

// Read reads a table from a stream of text, plain or gzip. The name stands in
// messages. While it is read, the stream is copied to an unlinked temporary file,
// because a column may turn out to be text late; NoSpool prevents the copy.
func Read(ctx context.Context, stream io.Reader, name string, opts ...Option) (*Table, error) {
	o, err := newOptions(opts)
	if err != nil {
		return nil, err
	}
	s := &spool{name: name, keep: !o.noSpool,
		first: func() (io.ReadCloser, error) { return io.NopCloser(stream), nil }}
	r := &reader{options: o, inputs: []input{s.input()}}
	defer r.close()
	return r.table(ctx)
}

// table reads the inputs.
func (r *reader) table(ctx context.Context) (*Table, error) {
	stream, h, err := r.open(&r.inputs[0])
	if err != nil {
		return nil, err
	}
	defer stream.close()
	if r.dialect, err = r.findDialect(stream.name, h); err != nil {
		return nil, err
	}
	targets, err := r.resolve(r.dialect.names)
	if err != nil {
		return nil, r.naming(err)
	}
	first, err := r.body(stream, h)
	if err != nil {
		return nil, err
	}
	chunks, err := r.run(ctx, r.layoutOf(targets), first)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	a := &assembly{options: r.options, chunks: chunks, notes: r.startNotes(chunks)}
	for _, in := range r.inputs {
		a.files = append(a.files, in.name)
	}
	a.reread = func(columns []*parts) error { return r.reread(ctx, columns) }
	a.readErr = err
	return a.table(targets)
}

// naming puts the file's name before an error about its columns.
func (r *reader) naming(err error) error { return complain("%s: %w", r.inputs[0].name, err) }

// startNotes says what was surprising about the text.
func (r *reader) startNotes(chunks []*chunk) []string {
	var notes []string
	if !r.dialect.header {
		last := r.dialect.names[len(r.dialect.names)-1]
		notes = append(notes, fmt.Sprintf("%s has no header line: its columns are called c1 to %s", r.inputs[0].name, last))
	}
	if len(r.dialect.names) > 1 {
		return notes
	}
	blank := 0
	for _, ch := range chunks {
		blank += ch.blank
	}
	if blank > 0 {
		notes = append(notes, fmt.Sprintf("%d blank %s of %s skipped; in a table of one column a missing value is written as \"\" or NA",
			blank, plural(blank, "line"), r.inputs[0].name))
	}
	return notes
}
