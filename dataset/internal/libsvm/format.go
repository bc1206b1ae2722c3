package libsvm

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/plain"
)

// FormatName is the name of the format.
const FormatName = "libsvm"

// endings are the ends of names that files in the LibSVM form have.
var endings = []string{".svm", ".libsvm", ".svmlight"}

// Recognizes reports whether a file is LibSVM text, by its name or its beginning.
func Recognizes(start []byte, name string) bool {
	return slices.ContainsFunc(endings, func(end string) bool { return strings.HasSuffix(name, end) }) || looksLikeLibSVM(start)
}

// NewSource makes the source of LibSVM text.
func NewSource(o *chunk.Options, inputs []chunk.Input) chunk.Source {
	return &Reader{Options: o, inputs: inputs}
}

// Names of the columns; features are called by featureName.
const (
	labelName = "label"
	queryName = "qid"
)

// featureName returns the name of the feature of an index.
func featureName(index int) string { return fmt.Sprintf("f%d", index) }

// FeatureIndex returns the index of the feature that featureName calls by this name.
func FeatureIndex(name string) (int32, bool) {
	digits, found := strings.CutPrefix(name, "f")
	index, err := strconv.Atoi(digits)
	if !found || err != nil || index < 0 || index > largestIndex || featureName(index) != name {
		return 0, false
	}
	return int32(index), true
}

// looksLikeLibSVM reports whether text, which may be cut off at its end, is in the LibSVM
// form: the first line that holds more than a number is `label [qid:n] index:value …`.
func looksLikeLibSVM(start []byte) bool {
	start = bytes.TrimPrefix(start, []byte(chunk.ByteOrderMark))
	for rest := start; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte{'\n'})
		rest = after
		if at := bytes.IndexByte(line, '#'); at >= 0 {
			line, ended = line[:at], true
		}
		fields := splitFields(nil, line)
		if !ended && len(fields) > 2 {
			fields = fields[:len(fields)-1] // it may be cut off
		}
		switch len(fields) {
		case 0:
			continue
		case 1:
			if _, ok := plain.ParseNumber(fields[0], '.'); !ok {
				return false
			}
			continue
		}
		return isRow(fields)
	}
	return false
}

// isRow reports whether fields are a label and features.
func isRow(fields [][]byte) bool {
	label, _, _ := bytes.Cut(fields[0], []byte{','}) // several labels are refused later, in words
	if _, ok := plain.ParseNumber(label, '.'); !ok {
		return false
	}
	for _, field := range fields[1:] {
		name, text, found := bytes.Cut(field, []byte{':'})
		if _, ok := parseIndex(name); !found || !ok && string(name) != queryName {
			return false
		}
		if _, ok := plain.ParseNumber(text, '.'); !ok && !plain.EqualFold(text, "nan") {
			return false
		}
	}
	return true
}
