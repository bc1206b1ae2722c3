// Package badcells words errors about the cells of a table for commands that have no config.
//
// In: errors of the library. Out: the same, with ways out that the command has. It must not know commands.
package badcells

import (
	"errors"
	"strconv"
	"strings"

	"boost/dataset"
)

// OfPredicting words an error about a table for predict: every row has its line, so that
// the way out of skipping some is none.
func OfPredicting(err error) error {
	for _, bad := range badCells(err) {
		bad.Fix = strings.TrimSuffix(bad.Fix, `, or set on_bad_row = "skip" to leave such rows out`)
	}
	return AtCommandLine(err)
}

// AtCommandLine words the way out of a bad cell as flags of a command that has no config:
// the table may be written in another way than the model remembers.
func AtCommandLine(err error) error {
	for _, bad := range badCells(err) {
		if strings.Contains(bad.Fix, "missing = ") && hasDecimalComma(bad.Value) {
			bad.Fix = `set decimal = "," if numbers have a decimal comma`
		}
	}
	return err
}

// badCells returns what an error says of cells and rows.
func badCells(err error) []*dataset.ParseError {
	all := (dataset.ParseErrors)(nil)
	if one := (*dataset.ParseError)(nil); !errors.As(err, &all) && errors.As(err, &one) {
		all = dataset.ParseErrors{one}
	}
	return all
}

// hasDecimalComma reports whether a text would be a number if its comma were a point.
func hasDecimalComma(text string) bool {
	_, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	return err == nil && strings.Count(text, ",") == 1
}
