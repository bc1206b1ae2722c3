package configs

import "boost/internal/near"

// Nearest returns up to three of the known words that word was probably meant to
// be, the nearest first; none if nothing is near. Case, '-' and '_' do not count.
func Nearest(word string, known []string) []string { return near.Words(word, known) }

// DidYouMean returns ` (did you mean "a" or "b"?)`, or nothing for no words.
func DidYouMean(words []string) string { return near.Question(words) }

// orList joins words as a, b or c.
func orList(words []string) string { return near.Or(words) }
