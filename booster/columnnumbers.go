package booster

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"boost/dataset"
	"boost/tree/grow"
)

// ColumnNumber returns how parameters by column name a feature by its number, from 0 on: "#0". A column of that very name has precedence.
func ColumnNumber(number int) string { return "#" + strconv.Itoa(number) }

// nameColumns puts the names of feature columns in the place of their numbers, and notes which these are.
func (r *run) nameColumns(p *grow.Params, schema dataset.Schema) error {
	var features []string
	for _, c := range schema.Columns {
		if c.Role == dataset.Feature {
			features = append(features, c.Name)
		}
	}
	n := columnNamer{features: features, numbers: map[int]bool{}}
	for _, table := range []struct {
		key    string
		column *map[string]int
	}{
		{"constraints.monotone", &p.Monotone}, {"constraints.first_level", &p.FirstLevel}, {"constraints.last_level", &p.LastLevel},
	} {
		if err := nameKeys(n, table.key, table.column); err != nil {
			return err
		}
	}
	for _, table := range []struct {
		key    string
		column *map[string]float64
	}{
		{"tree.feature_penalty", &p.FeaturePenalty}, {"tree.feature_cost", &p.FeatureCost}, {"tree.feature_row_cost", &p.FeatureRowCost},
		{"sampling.col_weights", &p.ColWeights},
	} {
		if err := nameKeys(n, table.key, table.column); err != nil {
			return err
		}
	}
	var groups [][]string
	for _, group := range p.Interaction {
		named := make([]string, len(group))
		for i, column := range group {
			var err error
			if named[i], err = n.name("constraints.interaction", column); err != nil {
				return err
			}
		}
		groups = append(groups, named)
	}
	p.Interaction = groups
	if len(n.numbers) > 0 {
		var said []string
		for _, number := range slices.Sorted(maps.Keys(n.numbers)) {
			said = append(said, fmt.Sprintf("%d is %q", number, features[number]))
		}
		r.log.Info("columns are named by their numbers among the features: " + shortList(said))
	}
	return nil
}

// columnNamer names feature columns.
type columnNamer struct {
	features []string
	numbers  map[int]bool // those that were asked for
}

// name returns the name of a column that a key names by name or number.
func (n columnNamer) name(key, column string) (string, error) {
	digits, numbered := strings.CutPrefix(column, "#")
	if !numbered || slices.Contains(n.features, column) {
		return column, nil
	}
	number, err := strconv.Atoi(digits)
	if err != nil {
		return column, nil // a name after all
	}
	if number < 0 || number >= len(n.features) {
		return "", fmt.Errorf("%w: %s names feature number %d, counted from 0, and the table has %d features (%s)", dataset.ErrTable, key, number, len(n.features), shortList(n.features))
	}
	n.numbers[number] = true
	return n.features[number], nil
}

// shortList writes the first names of a list.
func shortList(names []string) string {
	const most = 5
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// nameKeys gives the entries of a table by column their names.
func nameKeys[V any](n columnNamer, key string, table *map[string]V) error {
	if !slices.ContainsFunc(slices.Sorted(maps.Keys(*table)), func(column string) bool { return strings.HasPrefix(column, "#") }) {
		return nil
	}
	named := make(map[string]V, len(*table))
	for _, column := range slices.Sorted(maps.Keys(*table)) {
		name, err := n.name(key, column)
		if err != nil {
			return err
		}
		if _, twice := named[name]; twice {
			return fmt.Errorf("%w: %s names column %q twice, by name and by number", ErrParams, key, name)
		}
		named[name] = (*table)[column]
	}
	*table = named
	return nil
}
