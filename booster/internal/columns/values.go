package columns

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Directed returns the constraints that ask for something.
func Directed(monotone map[string]int) map[string]int {
	kept := map[string]int{}
	for name, direction := range monotone {
		if direction != 0 {
			kept[name] = direction
		}
	}
	return kept
}

// SameDirections refuses constraints that are not those of the base model.
func SameDirections(base, given map[string]int) error {
	base, given = Directed(base), Directed(given)
	if maps.Equal(base, given) {
		return nil
	}
	if len(base) == 0 {
		return errors.New("constraints.monotone: the base model was trained without, and training goes on with the same: leave them out")
	}
	said := make([]string, 0, len(base))
	for _, name := range slices.Sorted(maps.Keys(base)) {
		said = append(said, fmt.Sprintf("%q = %d", name, base[name]))
	}
	return fmt.Errorf("constraints.monotone: training goes on with those of the base model, which have to be given again: {%s}", strings.Join(said, ", "))
}

// Says reports whether a table by column has another value for one than what holds without an entry.
func Says[V comparable](table map[string]V, column string, neutral V) bool {
	v, has := table[column]
	return has && v != neutral
}
