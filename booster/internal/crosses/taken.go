package crosses

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"boost/dataset"
)

// WithoutTaken leaves those columns out whose name is that of a column of the table, or of one before: nobody has asked for them.
func WithoutTaken(table *dataset.Table, columns []dataset.CrossedColumn, log *slog.Logger) []dataset.CrossedColumn {
	made := map[string]bool{}
	return slices.DeleteFunc(columns, func(c dataset.CrossedColumn) bool {
		taken := made[c.Name] || table.Column(c.Name) != nil
		if made[c.Name] = true; taken {
			log.Warn(fmt.Sprintf("column %q is not made of %s: there is one of that name (categorical.combinations, categorical.counts)", c.Name, strings.Join(c.Of, " and ")))
		}
		return taken
	})
}
