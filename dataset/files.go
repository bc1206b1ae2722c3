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
	inputs, err := chunk.FindInputs(context.Background(), paths, false, false)
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
