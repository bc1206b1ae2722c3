package binning

import (
	"fmt"
	"slices"

	"boost/dataset"
)

// PopulationOf describes a table that holds all rows.
func PopulationOf(t *dataset.Table) Population {
	pop := populationOf(t)
	pop.Counts = make([][]int, len(pop.Missing))
	for f, column := range t.Features() {
		if column.Kind() == dataset.Category {
			pop.Counts[f] = countLevels(column.Codes(), len(column.Levels()))
		}
	}
	return pop
}

// Extend returns the cuts with which more rows of the same columns are coded: codes that
// there are stay as they are. A level that has a row now and had none before gets a code
// behind the others; such levels are ranked among themselves as Fit ranks levels, by
// the population's counts, and max_cat counts the codes that there were. One that hashes into
// a bucket with a code takes that code. A feature that
// lacks values now has the missing code from now on. Cuts of numbers stay.
//
// schema describes the rows' columns; its features are matched by position, and their
// dictionaries begin with those of the cuts. Otherwise, and where the population is of
// other columns, the error is an ErrMismatch. The notes are for people.
func (c *Cuts) Extend(schema dataset.Schema, pop Population, p Params) (*Cuts, []string, error) {
	var columns []dataset.ColumnSchema
	for _, column := range schema.Columns {
		if column.Role == dataset.Feature {
			columns = append(columns, column)
		}
	}
	n := len(c.Features)
	if len(columns) != n || len(pop.Missing) != n || len(pop.Counts) != n {
		return nil, nil, fmt.Errorf("%w: %d columns, a population of %d, the cuts have %d features", ErrMismatch, len(columns), len(pop.Missing), n)
	}
	more := *c
	more.Features = slices.Clone(c.Features)
	var notes []string
	for f := range more.Features {
		feature := &more.Features[f]
		feature.HasMissing = feature.HasMissing || pop.Missing[f] > 0
		if feature.Kind != Categorical {
			continue
		}
		if levels := len(columns[f].Levels); levels < len(feature.Codes) || len(pop.Counts[f]) != levels {
			return nil, nil, fmt.Errorf("%w: column %q has %d levels, %d of them counted, the cuts know %d",
				ErrMismatch, feature.Name, levels, len(pop.Counts[f]), len(feature.Codes))
		}
		if feature.Ordered { // where a new level would stand among the others is not known
			codes := slices.Clone(feature.Codes)
			for len(codes) < len(columns[f].Levels) {
				codes = append(codes, NoCode)
			}
			feature.Codes = codes
			continue
		}
		if note := feature.extend(&columns[f], pop.Counts[f], p); note != "" {
			notes = append(notes, note)
		}
	}
	return &more, notes, nil
}

// extend gives the levels that are counted and have no code one.
func (f *Feature) extend(column *dataset.ColumnSchema, counts []int, p Params) (note string) {
	codes := make([]uint32, len(column.Levels))
	fresh, start := make([]int, len(counts)), uint32(0)
	some := 0
	for level := range codes {
		codes[level] = NoCode
		if level < len(f.Codes) {
			codes[level] = f.Codes[level]
		}
		if codes[level] != NoCode {
			start = max(start, codes[level]+1)
		} else if counts[level] > 0 {
			fresh[level] = counts[level]
			some++
		}
	}
	f.Codes = codes
	if some == 0 {
		return ""
	}
	p.MaxCat = max(p.MaxCat-int(start), 0)
	note = fmt.Sprintf("column %q: levels that the base model has no code for get one: %d", column.Name, some)
	ranked := rankLevels(fresh, column.Levels, column.NumericLevels, p)
	if p.HashBuckets > 0 && ranked.shared > 0 {
		known := bucketCodes(f.Codes, start, column.Levels, p.HashBuckets)
		for level, code := range ranked.codes {
			if code == NoCode || int(code) < ranked.own {
				continue
			}
			if code := known[hashBucket(column.Levels[level], p.HashBuckets)]; code != NoCode {
				codes[level], fresh[level] = code, 0
				some--
			}
		}
		if some == 0 {
			return note
		}
		ranked = rankLevels(fresh, column.Levels, column.NumericLevels, p) // the same levels have codes of their own
	}
	for level, code := range ranked.codes {
		if code != NoCode {
			codes[level] = start + code
		}
	}
	f.Regular = start + ranked.regular
	return note
}
