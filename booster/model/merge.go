package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"boost/binning"
	"boost/booster/model/internal/format"
	"boost/booster/model/internal/jsonform"
	"boost/dataset"
	"boost/objectives"
)

// Merge returns the model whose raw scores are the sum of those of the models: their rounds
// stand one after the other, and their base scores are added, both in the order given.
//
// A row's score is the sum of the base scores, then every tree's leaf in turn. That is
// the sum of the models' scores but for rounding, and the same bits where the additions
// are exact, or where all but the first model have base scores of 0. What each model takes
// for missing, because training had no such level, stays so for its trees. Columns are
// united by name, cuts by value, levels by text: the merged model needs every column that one
// of them needs. A column whose levels stand in different orders is there once for each, made of itself.
//
// The models must have the same objective, link, outputs, classes in the same order, and label;
// columns of one name the same role, and either numbers or levels in all; their tables the same texts of missing values, and they
// themselves the same parameters of the objective and monotone constraints; at most one may be
// trained from init scores. Anything else is an error that says what differs. The history
// is not kept, nor a fingerprint: the sum was never trained. Its origin lists the tables of the models.
func Merge(models ...*Model) (*Model, error) {
	if len(models) < 2 {
		return nil, errors.New("one model or none: give two or more to merge")
	}
	merged, err := startMerge(models)
	if err != nil {
		return nil, err
	}
	u, err := uniteColumns(models)
	if err != nil {
		return nil, err
	}
	merged.Schema, merged.Cuts = u.schema, u.cuts
	for i, m := range models {
		for _, w := range m.contents.WideRounds {
			w.Round += len(merged.Trees) / merged.Outputs
			merged.WideRounds = append(merged.WideRounds, w)
		}
		merged.Trees = append(merged.Trees, u.remaps[i].trees(m.contents)...)
	}
	merged.BestRound = len(merged.Trees) / merged.Outputs
	return New(merged)
}

// startMerge checks that the models predict the same and makes what is no column and no tree.
func startMerge(models []*Model) (Contents, error) {
	first, last := models[0].contents, models[len(models)-1].contents
	c := Contents{
		Objective: first.Objective, Link: first.Link, Outputs: first.Outputs, BaseScore: make([]float64, first.Outputs),
		Classes: first.Classes, NumericClasses: first.NumericClasses, Params: last.Params,
		NumericsVersion: last.NumericsVersion, Origin: &Origin{How: Merged},
	}
	var all []format.Stretch
	fromScores := 0
	for i, m := range models {
		if m.contents.After > 0 {
			return c, fmt.Errorf("model %d is the tail of one, whose first %d rounds it lacks: Append puts it behind them", i+1, m.contents.After)
		}
		if err := sameTask(first, m.contents); err != nil {
			return c, fmt.Errorf("models 1 and %d: %w", i+1, err)
		}
		if m.FromInitScores() {
			fromScores++
		}
		for k, base := range m.contents.BaseScore {
			c.BaseScore[k] += base
		}
		sum, err := m.SHA256()
		if err != nil {
			return c, err
		}
		c.Origin.Models = append(c.Origin.Models, sum)
		c.Origin.Tables = append(c.Origin.Tables, m.contents.Tables()...)
		c.Derived = withForms(c.Derived, m.Derived())
		parts, err := m.contents.Stretches()
		if err != nil {
			return c, err
		}
		all = append(all, parts...)
	}
	if fromScores > 1 {
		return c, fmt.Errorf("%d of the models were trained from init scores, which the merged one would add once", fromScores)
	}
	var err error
	c.Segments, err = format.Segments(all, c.Params)
	return c, err
}

// sameTask says what keeps two models from predicting the same thing.
func sameTask(a, b *Contents) error {
	switch {
	case a.Objective != b.Objective:
		return fmt.Errorf("their objectives are %s and %s", a.Objective, b.Objective)
	case a.Link != b.Link:
		return fmt.Errorf("their links are %s and %s", a.Link, b.Link)
	case a.Outputs != b.Outputs:
		return fmt.Errorf("they have %d and %d outputs", a.Outputs, b.Outputs)
	case !slices.Equal(a.Classes, b.Classes) || a.NumericClasses != b.NumericClasses:
		return fmt.Errorf("their classes are %q and %q: they must be the same, in the same order", a.Classes, b.Classes)
	}
	if one, other := a.Schema.Written, b.Schema.Written; !slices.Equal(one.Missing, other.Missing) || one.Absent != other.Absent {
		return fmt.Errorf("texts of their tables that mean no value are %s and %s: a model keeps one set of them, and cells would be missing for trees that took them for values",
			missingOf(&one), missingOf(&other))
	}
	if one, other := a.Monotone(), b.Monotone(); !maps.Equal(one, other) {
		return fmt.Errorf("their constraints.monotone are %v and %v: the sum would keep neither", one, other)
	}
	if len(a.Params) > 0 && len(b.Params) > 0 {
		one, err := objectives.ParamsIn(a.Params)
		if err != nil {
			return err
		}
		other, err := objectives.ParamsIn(b.Params)
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(one, other) {
			return fmt.Errorf("the parameters of their objective %s (objective.…) differ", a.Objective)
		}
	}
	one, other := a.Labels(), b.Labels()
	switch {
	case len(one) <= 1 && len(other) <= 1:
		if one != nil && other != nil && one[0] != other[0] {
			return fmt.Errorf("their labels are %q and %q", one[0], other[0])
		}
	case !slices.Equal(one, other):
		return fmt.Errorf("their labels are %q and %q: they must be the same, in the same order", one, other)
	}
	return nil
}

func missingOf(w *dataset.Written) string {
	words := w.Missing
	if words == nil {
		words = dataset.DefaultMissing()
	}
	if w.Absent != "" {
		return fmt.Sprintf("%q and features that a row does not name", words)
	}
	return fmt.Sprintf("%q", words)
}

// union is the columns and cuts of several models.
type union struct {
	models []*Model
	schema dataset.Schema
	cuts   *binning.Cuts
	remaps []remap // by model
}

// sourceFeature is a feature of one of the models.
type sourceFeature struct {
	model, feature int
	column         *dataset.ColumnSchema
}

func uniteColumns(models []*Model) (*union, error) {
	u := &union{models: models, remaps: make([]remap, len(models)), cuts: &binning.Cuts{Ptrs: []uint32{0}, Ptrs64: []uint32{0}}}
	at, ids := map[string]int{}, map[string]bool{}
	sources := map[string][]sourceFeature{}
	owner := map[dataset.Role]int{} // the model whose weights, queries and init scores are taken
	u.schema.Written = models[0].contents.Schema.Written
	for i, m := range models {
		feature := 0
		for _, c := range m.contents.Schema.Columns {
			if c.Role == dataset.IDRole {
				if !ids[c.Name] {
					ids[c.Name] = true
					u.schema.Columns = append(u.schema.Columns, c)
				}
				continue
			}
			j, has := at[c.Name]
			switch c.Role {
			case dataset.Feature:
				sources[c.Name] = append(sources[c.Name], sourceFeature{i, feature, &c})
				feature++
			case dataset.LabelRole:
			default:
				if _, taken := owner[c.Role]; !taken {
					owner[c.Role] = i
				} else if owner[c.Role] != i && !has {
					continue
				}
			}
			if !has {
				at[c.Name] = len(u.schema.Columns)
				u.schema.Columns = append(u.schema.Columns, c)
				continue
			}
			if err := uniteColumn(&u.schema.Columns[j], &c); err != nil {
				return nil, fmt.Errorf("column %q: %w", c.Name, err)
			}
		}
		u.remaps[i] = newRemap(feature)
	}
	for j := range u.schema.Columns {
		if c := u.schema.Columns[j]; c.Role == dataset.Feature {
			orders := u.orders(sources[c.Name])
			for _, other := range orders[1:] {
				made := u.copyOf(&c)
				for i := range other {
					own := *other[i].column // whose levels are now those that the copy has
					own.Levels = levelsIn(&c, own.Levels)
					other[i].column = &own
				}
				u.schema.Columns = append(u.schema.Columns, made)
				sources[made.Name] = other
			}
			sources[c.Name] = orders[0]
		}
	}
	for j := range u.schema.Columns {
		if c := &u.schema.Columns[j]; c.Role == dataset.Feature {
			if err := u.uniteFeature(c, sources[c.Name]); err != nil {
				return nil, fmt.Errorf("column %q: %w", c.Name, err)
			}
		}
	}
	return u, nil
}

// orders groups a feature's models: first those that share its column, then those whose levels are in another order, for which a
// split is no range of the column's codes.
func (u *union) orders(from []sourceFeature) [][]sourceFeature {
	var groups [][]sourceFeature
	var free []sourceFeature // in no order that a split needs
	for _, s := range from {
		own := &u.cutsOf(s).Features[s.feature]
		if !own.Ordered {
			free = append(free, s)
			continue
		}
		alike := slices.IndexFunc(groups, func(g []sourceFeature) bool {
			of := &u.cutsOf(g[0]).Features[g[0].feature]
			return of.Regular == own.Regular && slices.Equal(of.Codes, own.Codes) && slices.Equal(g[0].column.Levels, s.column.Levels)
		})
		if alike < 0 {
			groups = append(groups, []sourceFeature{s})
			continue
		}
		groups[alike] = append(groups[alike], s)
	}
	if free != nil {
		groups = slices.Insert(groups, 0, free)
	}
	return groups
}

// copyOf returns a column that is made of a feature's own values, or of what that is made of, for another order of the same levels.
func (u *union) copyOf(c *dataset.ColumnSchema) dataset.ColumnSchema {
	made := *c
	if c.Crossed == nil {
		made = dataset.ColumnSchema{Role: dataset.Feature, Kind: dataset.Category, Crossed: []string{c.Name}, Levels: levelsIn(c, c.Levels)}
	}
	for n := 2; ; n++ {
		made.Name = fmt.Sprintf("%s #%d", c.Name, n)
		if !slices.ContainsFunc(u.schema.Columns, func(o dataset.ColumnSchema) bool { return o.Name == made.Name }) {
			return made
		}
	}
}

// levelsIn returns how levels of a column stand in a copy of it.
func levelsIn(c *dataset.ColumnSchema, levels []string) []string {
	if c.Crossed != nil {
		return levels
	}
	names := make([]string, len(levels))
	for i, level := range levels {
		names[i] = dataset.CrossedLevel(dataset.Cell{Level: level})
	}
	return names
}

// Original returns the name of the feature of which one is a copy for another order of levels (see Merge), its own if it is none.
func (m *Model) Original(feature string) string {
	at := strings.LastIndex(feature, " #")
	if at < 0 {
		return feature
	}
	columns := m.contents.Schema.Columns
	find := func(name string) *dataset.ColumnSchema {
		for i := range columns {
			if columns[i].Name == name && columns[i].Role == dataset.Feature {
				return &columns[i]
			}
		}
		return nil
	}
	own, original := find(feature), find(feature[:at])
	switch {
	case own == nil || original == nil || own.Crossed == nil:
	case slices.Equal(own.Crossed, original.Crossed), original.Crossed == nil && slices.Equal(own.Crossed, []string{original.Name}):
		return original.Name
	}
	return feature
}

// uniteColumn widens a column to what another model has under its name.
func uniteColumn(a, b *dataset.ColumnSchema) error {
	if a.Role != b.Role {
		return fmt.Errorf("it is a %s in one model and a %s in another", a.Role, b.Role)
	}
	if a.Role == dataset.GroupRole {
		return nil
	}
	if (a.Kind == dataset.Category) != (b.Kind == dataset.Category) || a.NumericLevels != b.NumericLevels || !slices.Equal(a.Crossed, b.Crossed) {
		return fmt.Errorf("it has %s in one model and %s in another", valuesOf(a), valuesOf(b))
	}
	a.Dates = a.Dates || b.Dates
	switch {
	case a.Written == "":
		a.Written = b.Written
	case b.Written != "" && a.Written != b.Written:
		return fmt.Errorf("it is written as %q in one model and as %q in another", a.Written, b.Written)
	}
	if a.Kind != dataset.Category {
		if b.Kind == dataset.Float64 {
			a.Kind = dataset.Float64
		}
		return nil
	}
	known := make(map[string]bool, len(a.Levels))
	for _, level := range a.Levels {
		known[level] = true
	}
	levels := slices.Clip(a.Levels)
	for _, level := range b.Levels {
		if !known[level] {
			levels = append(levels, level)
		}
	}
	a.Levels = levels
	return nil
}

func valuesOf(c *dataset.ColumnSchema) string {
	switch {
	case c.Crossed != nil:
		return fmt.Sprintf("levels made of %q", c.Crossed)
	case c.Kind != dataset.Category:
		return "numbers"
	case c.NumericLevels:
		return "levels that are numbers"
	}
	return "levels that are text"
}

// uniteFeature makes the cuts or codes of one feature of the union.
func (u *union) uniteFeature(column *dataset.ColumnSchema, from []sourceFeature) error {
	feature := binning.Feature{Name: column.Name}
	at := int32(len(u.cuts.Features))
	for _, s := range from {
		own := &u.cutsOf(s).Features[s.feature]
		feature.HasMissing = feature.HasMissing || own.HasMissing
		if len(own.NameHashes) > 0 {
			return errNamesLeftOut(column.Name)
		}
		feature.Unnamed = feature.Unnamed || own.Unnamed
		u.remaps[s.model].feature[s.feature] = at
	}
	switch column.Kind {
	case dataset.Category:
		feature.Kind = binning.Categorical
		u.uniteCodes(&feature, column, from)
		feature.Ordered = u.cutsOf(from[0]).Features[from[0].feature].Ordered
	case dataset.Float32:
		feature.Kind = binning.Numeric32
		cuts := u.uniteCuts(&feature, from)
		for _, x := range cuts {
			u.cuts.Values = append(u.cuts.Values, float32(x))
		}
	default:
		feature.Kind = binning.Numeric64
		u.cuts.Values64 = append(u.cuts.Values64, u.uniteCuts(&feature, from)...)
	}
	if max(uint64(len(u.cuts.Values)), uint64(len(u.cuts.Values64))) > math.MaxUint32 {
		return errors.New("more cuts than can be numbered")
	}
	u.cuts.Ptrs = append(u.cuts.Ptrs, uint32(len(u.cuts.Values)))
	u.cuts.Ptrs64 = append(u.cuts.Ptrs64, uint32(len(u.cuts.Values64)))
	u.cuts.Features = append(u.cuts.Features, feature)
	return nil
}

func (u *union) cutsOf(s sourceFeature) *binning.Cuts { return u.models[s.model].contents.Cuts }

// numbersOf returns the cuts of a numeric feature, ascending; float32 ones are exact.
func (u *union) numbersOf(s sourceFeature) []float64 {
	c := u.cutsOf(s)
	cuts := slices.Clone(c.Of64(s.feature))
	for _, x := range c.Of32(s.feature) {
		cuts = append(cuts, float64(x))
	}
	return cuts
}

// uniteCuts returns all cuts of a numeric feature, ascending. The codes left of an old cut
// are those left of the same cut among all, and a split behind the last stays one.
func (u *union) uniteCuts(feature *binning.Feature, from []sourceFeature) []float64 {
	var all []float64
	for _, s := range from {
		all = append(all, u.numbersOf(s)...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	feature.Regular = uint32(len(all)) + 1
	for _, s := range from {
		own := u.numbersOf(s)
		code := make([]uint32, len(own)+1)
		for i, cut := range own {
			place, _ := slices.BinarySearch(all, cut)
			code[i] = uint32(place)
		}
		code[len(own)] = uint32(len(all))
		u.remaps[s.model].code[s.feature] = code
	}
	return all
}

// uniteCodes gives levels that no model tells apart one code, others different ones, in the
// order of the first model's codes, then the second's, and so on: models of the same codes
// keep them.
func (u *union) uniteCodes(feature *binning.Feature, column *dataset.ColumnSchema, from []sourceFeature) {
	place := make(map[string]int, len(column.Levels))
	for i, level := range column.Levels {
		place[level] = i
	}
	// By level: its code in each model.
	codes := make([][]uint32, len(column.Levels))
	for i := range codes {
		codes[i] = make([]uint32, len(from))
		for j := range from {
			codes[i][j] = binning.NoCode
		}
	}
	for j, s := range from {
		for level, code := range u.cutsOf(s).Features[s.feature].Codes {
			codes[place[s.column.Levels[level]]][j] = code
		}
	}
	order := make([]int, 0, len(codes))
	for level := range codes {
		if slices.ContainsFunc(codes[level], func(c uint32) bool { return c != binning.NoCode }) {
			order = append(order, level)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(codes[a], codes[b]) })
	feature.Codes = make([]uint32, len(codes))
	for level := range feature.Codes {
		feature.Codes[level] = binning.NoCode
	}
	var olds [][]uint32 // by new code
	for i, level := range order {
		if i == 0 || !slices.Equal(codes[level], codes[order[i-1]]) {
			olds = append(olds, codes[level])
		}
		feature.Codes[level] = uint32(len(olds) - 1)
	}
	feature.Regular = uint32(max(len(olds), 1))
	for j, s := range from {
		old := make([]uint32, len(olds))
		for code := range olds {
			old[code] = olds[code][j]
		}
		u.remaps[s.model].old[s.feature] = old
	}
}

// Continuation returns the origin and the segments of a model that is trained from this one
// on by params.
func (m *Model) Continuation(params json.RawMessage) (*Origin, []Segment, error) {
	if m.contents.After > 0 {
		return nil, nil, fmt.Errorf("the base model is the tail of one: append it to the %d rounds before it", m.contents.After)
	}
	sum, err := m.SHA256()
	if err != nil {
		return nil, nil, err
	}
	params, err = jsonform.CanonicalObject(params)
	if err != nil {
		return nil, nil, err
	}
	all, err := m.contents.Stretches()
	if err != nil {
		return nil, nil, err
	}
	s, err := format.Segments(all, params)
	return &Origin{How: Continued, Models: []string{sum}, Rounds: m.Rounds(), Whole: m.contents.Whole(), Tables: m.contents.Tables()}, s, err
}
