package main

import (
	"testing"
)

// The module builds against the checkout beside it, and what it trains tells
// the two people apart.
func TestEarners(t *testing.T) {
	got, err := earners(t.Context(), "../adult")
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || !(got[0] > 0 && got[0] < 0.05) || !(got[1] > 0.7 && got[1] < 1) {
		t.Errorf("probabilities %v: want the first below 0.05, the second above 0.7", got)
	}
}
