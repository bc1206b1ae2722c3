package main

import (
	"context"
	"errors"
	"io"
	"strings"

	"boost/cmd/boost/internal/badcells"
	"boost/cmd/boost/internal/exit"
	"boost/dataset"
	"boost/dataset/write"
	"boost/internal/output"
	"boost/internal/predictions"
)

// checkForm refuses a binary format where text is expected.
func checkForm(format, file string, terminal bool) error {
	if write.IsText(format) {
		return nil
	}
	if write.Packing(file) != "" {
		return exit.Usagef("%s is compressed inside: name the file without the ending %s", format, write.Packing(file))
	}
	if terminal && (file == "" || file == "-") {
		return exit.Usagef("%s is not for a terminal: name a file with -o", format)
	}
	return nil
}

// wholeIDs goes through the ids of files, without its other columns, and says which id
// columns hold whole numbers. ok is false where that cannot be found out so.
func (a *app) wholeIDs(ctx context.Context, files []string, opts ...dataset.Option) (whole map[string]bool, ok bool) {
	if _, err := dataset.Files(files, opts...); err != nil { // standard input and pipes can be read once
		return nil, false
	}
	s, err := a.stream(ctx, files, opts...)
	if err != nil {
		return nil, false
	}
	defer s.Close()
	whole, err = predictions.WholeIDs(ctx, s)
	return whole, err == nil
}

// predictStream predicts the table part by part. Its memory does not grow with the rows.
func (a *app) predictStream(ctx context.Context, p *predictions.Stream, files []string, file string, opts ...dataset.Option) error {
	p.Files = files
	s, err := a.stream(ctx, files, opts...)
	if err != nil {
		return err
	}
	defer s.Close()
	if err = a.writePacked(file, func(w io.Writer) error { return p.Write(ctx, w, s) }); err != nil {
		partly := p.Rows > 0 && !output.Replaced(file) && (errors.Is(err, dataset.ErrTable) || ctx.Err() != nil)
		if err = badcells.OfPredicting(err); partly {
			err = &exit.Partly{Err: err, Rows: p.Rows}
		}
		return err
	}
	a.tell(s.Notes())
	a.log.Debug("table read", "table", strings.Join(files, " "), "rows", s.NumRows(), "columns", s.Columns())
	a.tell(p.Unseen.Notes(s.NumRows()))
	a.reportInitScores(p.Lacks, strings.Join(files, " "))
	return nil
}
