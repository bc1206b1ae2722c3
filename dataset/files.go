package dataset

import (
	"context"
	"slices"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/sidefile"
)

// Files returns the files that Open reads for these paths and options, in its order,
// and then those that LightGBM looks for beside them.
// Standard input and pipes are an error, as they can be read once.
func Files(paths []string, opts ...Option) ([]string, error) {
	if slices.Contains(paths, "-") {
		return nil, chunk.Errorf("standard input cannot be read twice")
	}
	o, err := newOptions(opts)
	if err != nil {
		return nil, err
	}
	inputs, err := chunk.FindInputs(context.Background(), paths, false, o.InOrder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, in := range inputs {
		if in.Spool != nil {
			return nil, chunk.Errorf("%s is no regular file and cannot be read twice", in.Name)
		}
		names = append(names, in.Name)
	}
	if o.NoSideFiles {
		return names, nil
	}
	beside, err := sidefile.Names(inputs)
	return append(names, beside...), err
}

// ColumnNames returns the names of a table's columns, from the beginning of its first file where the
// format has them there.
func ColumnNames(ctx context.Context, paths []string, opts ...Option) ([]string, error) {
	in, err := resolveInputs(ctx, paths, opts)
	if err != nil {
		return nil, err
	}
	defer in.close()
	if err := in.open(); err != nil {
		return nil, err
	}
	return in.source.Columns(ctx)
}
