// Package columns finds the features that parameters by column mean: by their names, or by their numbers.
//
// In: the names of a table's features, parameters by column. Out: the parameters by name, or an error. It must not know
// what the parameters are for.
package columns

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"boost/dataset"
	"boost/internal/near"
)

// Number returns how parameters by column name a feature by its number, from 0 on: "#0". Where a column has that very name and another
// number, parameters cannot name either.
func Number(number int) string { return "#" + strconv.Itoa(number) }

// Parameter is a parameter with an entry for each of some columns. One of its values is not nil.
type Parameter struct {
	Key    string
	Ints   *map[string]int
	Floats *map[string]float64
	Groups *[][]string // of columns
}

// columns returns the columns that have an entry: sorted, or group by group.
func (p *Parameter) columns() []string {
	switch {
	case p.Ints != nil:
		return slices.Sorted(maps.Keys(*p.Ints))
	case p.Floats != nil:
		return slices.Sorted(maps.Keys(*p.Floats))
	}
	return slices.Concat(*p.Groups...)
}

// Check refuses columns that are no features.
func Check(features []string, parameters []Parameter) error {
	var known map[string]bool // made for the first column
	for _, p := range parameters {
		for _, column := range p.columns() {
			if known == nil {
				known = make(map[string]bool, len(features))
				for _, name := range features {
					known[name] = true
				}
			}
			if !known[column] {
				return fmt.Errorf("%w: the table has no feature column %q, which %s names%s", dataset.ErrTable, column, p.Key,
					near.Question(near.Words(column, slices.Sorted(slices.Values(features)))))
			}
		}
	}
	return nil
}

// Resolve puts the names of features in the place of their numbers, and returns those numbers in ascending order. Errors of the
// table wrap dataset.ErrTable, all others are of the parameters.
func Resolve(features []string, parameters []Parameter) (numbers []int, err error) {
	n := namer{features: features, numbers: map[int]bool{}}
	for _, p := range parameters {
		switch {
		case p.Ints != nil:
			err = nameKeys(n, p.Key, p.Ints)
		case p.Floats != nil:
			err = nameKeys(n, p.Key, p.Floats)
		default:
			err = n.nameGroups(p.Key, p.Groups)
		}
		if err != nil {
			return nil, err
		}
	}
	return slices.Sorted(maps.Keys(n.numbers)), nil
}

// namer names features.
type namer struct {
	features []string
	numbers  map[int]bool // those that were asked for
}

// name returns the name of a column that a key names by name or number.
func (n namer) name(key, column string) (string, error) {
	digits, numbered := strings.CutPrefix(column, "#")
	number, err := strconv.Atoi(digits)
	if !numbered || err != nil {
		return column, nil // a name
	}
	if at := slices.Index(n.features, column); at >= 0 && at != number {
		return "", fmt.Errorf("%w: %s names %q, which is the name of feature number %d, counted from 0, and the number of another: rename that column", dataset.ErrTable, key, column, at)
	}
	if number < 0 || number >= len(n.features) {
		return "", fmt.Errorf("%w: %s names feature number %d, counted from 0, and the table has %d features (%s)", dataset.ErrTable, key, number, len(n.features), shortList(n.features))
	}
	n.numbers[number] = true
	return n.features[number], nil
}

// nameGroups gives the columns of groups their names.
func (n namer) nameGroups(key string, groups *[][]string) error {
	var all [][]string
	for _, group := range *groups {
		named := make([]string, len(group))
		for i, column := range group {
			var err error
			if named[i], err = n.name(key, column); err != nil {
				return err
			}
		}
		all = append(all, named)
	}
	*groups = all
	return nil
}

// nameKeys gives the entries of a table by column their names.
func nameKeys[V any](n namer, key string, table *map[string]V) error {
	columns := slices.Sorted(maps.Keys(*table))
	if !slices.ContainsFunc(columns, func(column string) bool { return strings.HasPrefix(column, "#") }) {
		return nil
	}
	named := make(map[string]V, len(*table))
	for _, column := range columns {
		name, err := n.name(key, column)
		if err != nil {
			return err
		}
		if _, twice := named[name]; twice {
			return fmt.Errorf("%s names column %q twice, by name and by number", key, name)
		}
		named[name] = (*table)[column]
	}
	*table = named
	return nil
}

// Numbered says which features some numbers are.
func Numbered(features []string, numbers []int) string {
	said := make([]string, len(numbers))
	for i, number := range numbers {
		said[i] = fmt.Sprintf("%d is %q", number, features[number])
	}
	return shortList(said)
}

// shortList writes the first names of a list.
func shortList(names []string) string {
	const most = 5
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
