package profile

import (
	"fmt"
	"strings"

	"boost/dataset"
	"boost/internal/format"
	"boost/internal/near"
)

const (
	mostMisspelt  = 200 // classes of a label that is searched
	rarelyMeant   = 20  // a class with a typo has so many times fewer rows than the one that is meant
	leastMisspelt = 3   // bytes of a class in which a typo is told from another word
)

// Misspelt words for a label of texts which of its classes are likely another one with a typo: rare classes
// with nearly the name of a frequent one. A nil column has none.
func Misspelt(label *dataset.Column) (notes []string) {
	if label == nil || label.Kind() != dataset.Category || label.NumericLevels() || len(label.Levels()) > mostMisspelt {
		return nil
	}
	classes := label.Levels()
	rows := make([]int, len(classes))
	for _, code := range label.Codes() {
		if code >= 0 {
			rows[code]++
		}
	}
	for i, class := range classes {
		var frequent []string
		for j, other := range classes {
			if rows[i] > 0 && rows[j] >= rarelyMeant*rows[i] && mayBeTypo(class, other) {
				frequent = append(frequent, other)
			}
		}
		if meant := near.Words(class, frequent); len(meant) > 0 {
			notes = append(notes, fmt.Sprintf("class %q of label %q has only %s, and nearly the name of %q: write it so if it is meant",
				class, label.Name(), format.Counted(rows[i], "row"), meant[0]))
		}
	}
	return notes
}

// mayBeTypo reports whether two texts may be one word: they begin alike, and not only their digits or case differ.
func mayBeTypo(a, b string) bool {
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if '0' <= r && r <= '9' {
				return -1
			}
			return r
		}, strings.ToLower(s))
	}
	return min(len(a), len(b)) >= leastMisspelt && a[0] == b[0] && letters(a) != letters(b)
}
