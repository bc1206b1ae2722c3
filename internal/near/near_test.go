package near_test

import (
	"slices"
	"testing"

	"boost/internal/near"
)

func TestWords(t *testing.T) {
	known := []string{"age", "income", "city-name", "zip", "x", "leaves", "merge"}
	for word, want := range map[string][]string{
		"incme": {"income"}, "AGE": {"age"}, "city_name": {"city-name"}, "icnome": {"income"}, "temperature": nil, "": nil,
		"aeg": {"age"}, "zzz": nil, "q": nil, "leafs": {"leaves"}, "serve": nil,
	} {
		if got := near.Words(word, known); !slices.Equal(got, want) {
			t.Errorf("Words(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestQuestion(t *testing.T) {
	for want, words := range map[string][]string{
		"": nil, ` (did you mean "a"?)`: {"a"}, ` (did you mean "a" or "b"?)`: {"a", "b"}, ` (did you mean "a", "b" or "\n"?)`: {"a", "b", "\n"},
	} {
		if got := near.Question(words); got != want {
			t.Errorf("Question(%q) = %s, want %s", words, got, want)
		}
	}
}
