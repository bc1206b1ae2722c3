package allowed

import "slices"

// Copies says which features are copies of others: made of one feature alone, for another order of its levels.
type Copies struct {
	names []string
	// Original is the feature that one is a copy of, its own number if it is none.
	Original []int
}

// NewCopies finds the copies among features with these names that are made of others (of, by feature; nil where none is).
func NewCopies(names []string, of [][]string) *Copies {
	c := &Copies{names, make([]int, len(names))}
	for f := range names {
		c.Original[f] = f
		if parts := partsOf(of, f); len(parts) == 1 {
			if at := slices.Index(names, parts[0]); at >= 0 {
				c.Original[f] = at
			}
		}
	}
	return c
}

// ByFeature returns what a parameter says of each feature by its name, or by that of its original where it does not name a copy, and other
// of those that it does not name.
func ByFeature[V any](c *Copies, said map[string]V, other V) []V {
	values := make([]V, len(c.names))
	for f, name := range c.names {
		value, ok := said[name]
		if !ok {
			value, ok = said[c.names[c.Original[f]]]
		}
		if !ok {
			value = other
		}
		values[f] = value
	}
	return values
}
