package dictionary

import (
	"math"
	"slices"
	"strings"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/plain"
)

// Inferred names the levels of a column without a schema. Where blanks around cells were left out (trimmed), those
// within quotes are too, so that a model with such a level knows that there were no others. It changes codes in place.
// If all levels are numbers, they are named by their values, and numeric is true.
func Inferred(codes []int32, levels []string, trimmed bool, point byte) (named []int32, names []string, numeric bool) {
	if trimmed && chunk.HasBlanks(levels) {
		without := make([]string, len(levels))
		for i, level := range levels {
			without[i] = chunk.TrimText(level)
		}
		var translation []int32
		translation, levels = unite(without, nil)
		codes = translate(codes, translation)
	}
	return byValue(codes, levels, point)
}

// byValue gives levels that are all numbers, truth values or dates the shortest
// decimal names of their values and makes those of one value one level; other
// dictionaries stay as they are. So True, true and a boolean of a Parquet file are one
// level, and a time is one level whatever zone it is written in. Whole numbers that float64 does not tell apart are names,
// and stay as they are too. It changes codes in place.
func byValue(codes []int32, levels []string, point byte) ([]int32, []string, bool) {
	names := make([]string, len(levels))
	var large map[string]string // digits by name
	for i, level := range levels {
		v, _, ok := plain.ParseValue([]byte(level), point)
		if !ok {
			return codes, levels, false
		}
		names[i] = plain.FormatNumber(v)
		if digits := strings.TrimLeft(level, "+-0"); math.Abs(v) >= chunk.ExactWhole && strings.Trim(digits, "0123456789") == "" {
			if large == nil {
				large = make(map[string]string)
			}
			if other, seen := large[names[i]]; seen && other != digits {
				return codes, levels, false
			}
			large[names[i]] = digits
		}
	}
	translation, levels := unite(names, nil)
	return translate(codes, translation), levels, len(levels) > 0
}

// OfSchema numbers levels as the schema does; levels that it lacks come after its own.
// It changes codes in place.
func OfSchema(codes []int32, levels []string, s *chunk.ColumnSchema, point byte) ([]int32, []string) {
	names := levels
	if s.NumericLevels {
		names = make([]string, len(levels))
		for i, level := range levels {
			names[i] = schemaName(level, s, point)
		}
	}
	translation, levels := unite(names, s.Levels)
	return translate(codes, translation), levels
}

// schemaName is the level of a schema's column that a text of the input stands for.
func schemaName(text string, s *chunk.ColumnSchema, point byte) string {
	if s.NumericLevels {
		if v, _, ok := plain.ParseValue([]byte(text), point); ok {
			return plain.FormatNumber(v)
		}
	}
	return text
}

// Renumber gives levels the order in which codes first name them and leaves out
// the others. It changes codes in place.
func Renumber(codes []int32, levels []string) ([]int32, []string) {
	next := make([]int32, len(levels))
	var kept []string
	for i, code := range codes {
		if code < 0 {
			continue
		}
		if next[code] == 0 {
			kept = append(kept, levels[code])
			next[code] = int32(len(kept))
		}
		codes[i] = next[code] - 1
	}
	return codes, kept
}

// unite numbers names, equal ones alike, after those that are known. A name that is not known is the known one without the
// blanks around it, if there is one.
func unite(names, known []string) (translation []int32, levels []string) {
	index := make(map[string]int32, len(known)+len(names))
	levels = slices.Clip(known)
	for i, name := range known {
		index[name] = int32(i)
	}
	translation = make([]int32, len(names))
	for i, name := range names {
		at, ok := index[name]
		if trimmed := chunk.TrimText(name); !ok && len(known) > 0 && trimmed != name {
			at, ok = index[trimmed]
			ok = ok && int(at) < len(known)
		}
		if !ok {
			at = int32(len(levels))
			index[name] = at
			levels = append(levels, name)
		}
		translation[i] = at
	}
	return translation, levels
}

func translate(codes, translation []int32) []int32 {
	for i, code := range codes {
		if code >= 0 {
			codes[i] = translation[code]
		}
	}
	return codes
}
