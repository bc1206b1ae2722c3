package main

import (
	"strings"
	"testing"
)

// Each threshold is declared on a line of its own, and used as an int: with variables instead, the program can be built.
func TestRulesBuild(t *testing.T) {
	if _, err := adjustable(t.Context(), t.TempDir()); err != nil {
		t.Fatal(err)
	}
}

// Two tables of times, by hand: half the threshold is 10 % faster on one and 20 % slower on the other.
func TestRulesTable(t *testing.T) {
	sets := []setSeconds{
		{"one", map[string]map[string]float64{"x": {"0.5": 0.9, "2": 1}, "y": {"0.5": 1, "2": 1}}},
		{"two", map[string]map[string]float64{"x": {"0.5": 1.2, "2": 1}, "y": {"0.5": 1, "2": 1}}},
	}
	table := rulesTable(sets)
	for _, want := range []string{
		"| x | × 0.5: 1.039 (two 1.20); × 2: 1.000 (one 1.00) | × 0.5 1 times, × 1 1 times | 1.095 |",
		"| y | × 0.5: 1.000 (one 1.00)",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in\n%s", want, table)
		}
	}
}
