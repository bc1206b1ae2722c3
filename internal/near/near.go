// Package near finds the words that a person probably meant.
//
// In: a word and the words that are known. Out: the known ones near it, and the
// question that an error ends with. It must not know what the words are for.
package near

import (
	"slices"
	"strconv"
	"strings"
)

// Words returns up to three of the known words that word was probably meant to
// be, the nearest first; none if nothing is near. Case, '-' and '_' do not count.
func Words(word string, known []string) []string {
	type candidate struct {
		word     string
		distance int
	}
	plain := fold(word)
	var near []candidate
	for _, k := range known {
		folded := fold(k)
		d := editDistance(plain, folded)
		if d > 0 && len(plain) >= 3 && (strings.HasPrefix(folded, plain) || strings.HasPrefix(plain, folded) && len(folded) >= 3) {
			d = min(d, 2)
		}
		most := min(len(plain), len(folded))
		if most > 0 && plain[0] == folded[0] {
			most++ // the first letter is the one that people get right
		}
		if d <= max(1, most/3) && d < max(len(plain), 1) {
			near = append(near, candidate{k, d})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.distance - b.distance })
	var words []string
	for _, c := range near {
		if c.distance > near[0].distance+1 || len(words) == 3 {
			break
		}
		if !slices.Contains(words, c.word) {
			words = append(words, c.word)
		}
	}
	return words
}

// Question returns ` (did you mean "a" or "b"?)`, or nothing for no words.
func Question(words []string) string {
	if len(words) == 0 {
		return ""
	}
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = strconv.Quote(word)
	}
	return " (did you mean " + Or(quoted) + "?)"
}

func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' {
			return '_'
		}
		return r
	}, strings.ToLower(s))
}

// Or joins words as a, b or c.
func Or(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// editDistance is the number of inserted, deleted, replaced and swapped
// neighbouring runes between a and b (optimal string alignment).
func editDistance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := range s {
		row[0] = i + 1
		for j := range t {
			change := 1
			if s[i] == t[j] {
				change = 0
			}
			row[j+1] = min(last[j]+change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
