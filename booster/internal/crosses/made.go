package crosses

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"

	"boost/dataset"
)

// WithoutTaken leaves those columns out whose name is that of a column of the table, or of one before: nobody has asked for them.
func WithoutTaken(table []dataset.ColumnSchema, columns []dataset.CrossedColumn, log *slog.Logger) []dataset.CrossedColumn {
	made := map[string]bool{}
	return slices.DeleteFunc(columns, func(c dataset.CrossedColumn) bool {
		taken := made[c.Name] || slices.ContainsFunc(table, func(t dataset.ColumnSchema) bool { return t.Name == c.Name })
		if made[c.Name] = true; taken {
			log.Warn(fmt.Sprintf("column %q is not made of %s: there is one of that name (categorical.combinations, categorical.counts)", c.Name, strings.Join(c.Of, " and ")))
		}
		return taken
	})
}

// Describe returns in short what the columns that training makes of others follow from beside the table: a rule, which columns
// stand apart, labels, weights, and classes.
func Describe(rule string, columns []dataset.ColumnSchema, apart func(column string) bool, labels, weights []float64, classes []string) string {
	hash := sha256.New()
	fmt.Fprintf(hash, "%s %q %d %d\n", rule, classes, len(labels), len(weights))
	for _, c := range columns {
		if apart(c.Name) {
			fmt.Fprintf(hash, "%q\n", c.Name)
		}
	}
	var cell [8]byte
	for _, values := range [][]float64{labels, weights} {
		for _, v := range values {
			binary.LittleEndian.PutUint64(cell[:], math.Float64bits(v))
			hash.Write(cell[:])
		}
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

// Names lists the names of columns.
func Names(columns []dataset.CrossedColumn) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return strings.Join(names, ", ")
}

// Sources returns for each feature of a schema those that it is made of, nil where none is.
func Sources(s dataset.Schema) (of [][]string) {
	if !slices.ContainsFunc(s.Columns, func(c dataset.ColumnSchema) bool { return c.Role == dataset.Feature && c.Crossed != nil }) {
		return nil
	}
	for i := range s.Columns {
		if c := &s.Columns[i]; c.Role == dataset.Feature {
			of = append(of, c.Crossed)
		}
	}
	return of
}
