package dataset

import (
	"os"
	"slices"
	"strings"
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
	inputs, err := findInputs(paths, false)
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

// Text takes about as many bytes as its cells do in memory; what is compressed takes
// a part of that. Columnar files hold numbers of 4 or 8 bytes that compress less.
const (
	packedText  = 6
	packedTable = 4
)

// EstimateBytes returns about how much memory the files will take as a table, by their
// sizes and the endings of their names; 0 where these tell nothing.
func EstimateBytes(paths []string) int64 {
	if slices.Contains(paths, "-") {
		return 0
	}
	inputs, err := findInputs(paths, false)
	if err != nil {
		return 0
	}
	var total int64
	for _, in := range inputs {
		info, err := os.Stat(in.name)
		if err != nil || !info.Mode().IsRegular() {
			return 0
		}
		size := info.Size()
		switch name := strings.ToLower(in.name); {
		case strings.HasSuffix(name, ".gz"), strings.HasSuffix(name, ".zst"), strings.HasSuffix(name, ".zstd"):
			size *= packedText
		case strings.HasSuffix(name, ".parquet"), strings.HasSuffix(name, ".pq"):
			size *= packedTable
		}
		total += size
	}
	return total
}

// InChunks says whether the formats of the files can be read in chunks, as Scan does.
func InChunks(paths []string) bool {
	for _, path := range paths {
		inputs, err := findInputs([]string{path}, false)
		if err != nil {
			continue // what is wrong is said when they are opened
		}
		o, err := newOptions(nil)
		if err != nil || inputs[0].spool != nil {
			continue
		}
		s, err := inputs[0].stream()
		if err != nil {
			continue
		}
		f, err := o.formatOf(s)
		s.close()
		if err == nil && f.name == svmFormat {
			return false
		}
	}
	return true
}
