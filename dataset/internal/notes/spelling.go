package notes

import (
	"fmt"
	"strings"

	"boost/dataset/internal/chunk"
)

// mostSpelled is the number of levels up to which a column is searched for the same word in two spellings.
const mostSpelled = 1_000

// AddSpellings notes a column of text if some of its levels differ in case and blanks only.
func (n *Notes) AddSpellings(column string, levels []string) {
	if len(levels) > mostSpelled {
		return
	}
	first := make(map[string]string, len(levels))
	for _, level := range levels {
		word := strings.ToLower(strings.Join(strings.Fields(level), " "))
		if before, known := first[word]; known {
			n.spelled = append(n.spelled, fmt.Sprintf("%q (%q, %q)", column, before, level))
			return
		}
		first[word] = level
	}
}

// spellingNote lists the columns in which levels differ in case and blanks only.
func (n *Notes) spellingNote() string {
	return fmt.Sprintf("levels that differ only in case or blanks are different categories: %s %s; write them alike to make them one",
		chunk.Plural(len(n.spelled), "column"), firstOf(n.spelled, 5))
}

// firstOf lists the first texts, and how many more there are.
func firstOf(texts []string, most int) string {
	listed := strings.Join(texts[:min(most, len(texts))], ", ")
	if more := len(texts) - most; more > 0 {
		listed += fmt.Sprintf(" and %d more", more)
	}
	return listed
}
