package dataset

import (
	"context"
	"slices"
)

// Files returns the files that Open reads for these paths and options, in its order,
// and then those that LightGBM looks for beside them.
// Standard input and pipes are an error, as they can be read once.
func Files(paths []string, opts ...Option) ([]string, error) {
	if slices.Contains(paths, "-") {
		return nil, complain("standard input cannot be read twice")
	}
	o, err := newOptions(opts)
	if err != nil {
		return nil, err
	}
	inputs, err := findInputs(context.Background(), paths, false)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, in := range inputs {
		if in.spool != nil {
			return nil, complain("%s is no regular file and cannot be read twice", in.name)
		}
		names = append(names, in.name)
	}
	if o.noSideFiles {
		return names, nil
	}
	for _, kind := range sideKinds {
		files, err := (&sideSource{options: o, inputs: inputs}).beside(kind)
		if err != nil {
			return nil, err
		}
		names = append(names, files...)
	}
	return names, nil
}
