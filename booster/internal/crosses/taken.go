package crosses

import (
	"fmt"
	"log/slog"
	"slices"

	"boost/dataset"
)

// WithoutTaken leaves those columns out whose name is that of a column of the table, or of one before: nobody has asked for them.
func WithoutTaken(table *dataset.Table, columns []dataset.CrossedColumn, log *slog.Logger) []dataset.CrossedColumn {
	made := map[string]bool{}
	return slices.DeleteFunc(columns, func(c dataset.CrossedColumn) bool {
		taken := made[c.Name] || table.Column(c.Name) != nil
		if made[c.Name] = true; taken {
			log.Warn(fmt.Sprintf("no column is made of %q: there is a column %q (categorical.combinations, categorical.counts)", c.Of, c.Name))
		}
		return taken
	})
}
