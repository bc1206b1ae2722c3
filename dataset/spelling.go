package dataset

import (
	"fmt"
	"strings"

	"boost/dataset/internal/chunk"
)

// mostSpelled is the number of levels up to which a column is searched for the same word in two spellings.
const mostSpelled = 1_000

// spellings returns two levels that differ in case and blanks only, if there are any.
func spellings(levels []string) (one, other string, found bool) {
	if len(levels) > mostSpelled {
		return "", "", false
	}
	first := make(map[string]string, len(levels))
	for _, level := range levels {
		word := strings.ToLower(strings.Join(strings.Fields(level), " "))
		if before, known := first[word]; known {
			return before, level, true
		}
		first[word] = level
	}
	return "", "", false
}

// spellingNote says in which columns levels differ in case and blanks only, "" where in none.
func spellingNote(columns []string) string {
	const most = 5
	if len(columns) == 0 {
		return ""
	}
	said := strings.Join(columns[:min(most, len(columns))], ", ")
	if more := len(columns) - most; more > 0 {
		said += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("levels that differ only in case or blanks are different categories: %s %s", chunk.Plural(len(columns), "column"), said)
}
